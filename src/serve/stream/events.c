/*
 * GET /v1/events?session=&after=&types=a,b&thread=&turn=&as=&follow=0|1
 *
 * A stream over all sessions takes "after=end" too: it begins with what comes, and
 * says first where that is.
 *
 * As SSE or NDJSON it becomes a reader; as JSON it is one page, which is the
 * command list_events by another name.
 */
#include "base/os/id.h"
#include "base/jw.h"
#include "serve/http/content_negotiation.h"
#include "serve/http/api_call.h"
#include "serve/stream/filter.h"
#include "serve/http/problem.h"
#include "serve/stream/reader.h"

struct asked {
	struct control_stream stream;
	struct str after, types, limit; /* as they came */
	bool has_follow;
};

/* Only what comes: the place is looked up when the stream begins. */
#define AT_THE_END STR("end")

/* 0, or what is wrong with this parameter. */
static enum error_code take_id(struct str *ret, struct str value)
{
	*ret = value;
	return id_is_valid(value) ? 0 : ERROR_CODE_INVALID_ID;
}

static enum error_code take_follow(struct asked *a, struct str value)
{
	a->stream.follow = str_eq(value, STR("1")) || str_eq(value, STR("true"));
	a->has_follow = true;
	return a->stream.follow || str_eq(value, STR("0")) || str_eq(value, STR("false"))
	               ? 0
	               : ERROR_CODE_INVALID_VALUE;
}

static enum error_code take_types(struct asked *a, struct str value)
{
	a->types = value;
	while (str_is(value))
		if (!filter_add_type(a->stream.types, str_cut(&value, ',')))
			return ERROR_CODE_INVALID_VALUE;
	return 0;
}

static enum error_code take_param(struct asked *a, struct str name, struct str value)
{
	if (str_eq(name, STR("session")))
		return take_id(&a->stream.session, value);
	if (str_eq(name, STR("thread")))
		return take_id(&a->stream.thread, value);
	if (str_eq(name, STR("turn")))
		return take_id(&a->stream.turn, value);
	if (str_eq(name, STR("types")))
		return take_types(a, value);
	if (str_eq(name, STR("follow")))
		return take_follow(a, value);
	if (str_eq(name, STR("as")))
		return filter_read_form(value, &a->stream.form) ? 0 : ERROR_CODE_INVALID_VALUE;
	if (str_eq(name, STR("after")) || str_eq(name, STR("cursor"))) {
		a->after = value;
		return 0;
	}
	if (str_eq(name, STR("limit"))) {
		a->limit = value;
		return 0;
	}
	return ERROR_CODE_UNKNOWN_FIELD;
}

/*
 * An unknown or repeated parameter is refused: a filter with a typing mistake would
 * otherwise return everything.
 */
static enum error_code read_query(const struct http_message *m, struct asked *a, struct str *bad)
{
	for (size_t i = 0; i < m->param_count; i++) {
		const struct http_field *p = &m->params[i];
		enum error_code code;

		*bad = p->name;
		for (size_t k = 0; k < i; k++)
			if (str_eq(m->params[k].name, p->name))
				return ERROR_CODE_INVALID_REQUEST; /* twice */
		if (!p->value.len && !str_eq(p->name, STR("follow")))
			continue; /* "types=" asks for nothing special */
		code = take_param(a, p->name, p->value);
		if (code)
			return code;
	}
	return 0;
}

/* ---- one page ---- */

static void write_types(struct json_writer *w, struct str types)
{
	JW_KEY(w, "types");
	jw_arr(w);
	while (str_is(types))
		jw_str(w, str_cut(&types, ','));
	jw_arr_end(w);
}

/* The query as the arguments of list_events.  A page cannot follow. */
static enum error_code write_page_params(const struct asked *a, struct buf *out, struct str *bad)
{
	bool is_one_session = str_is(a->stream.session);
	struct json_writer w;
	uint64_t limit;

	*bad = STR("limit");
	if (str_is(a->limit) && (!str_to_u64(a->limit, &limit) || limit > INT64_MAX))
		return ERROR_CODE_INVALID_VALUE;
	*bad = STR("follow");
	if (a->stream.follow)
		return ERROR_CODE_INVALID_VALUE;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KOPT(&w, "sessionId", a->stream.session);
	if (is_one_session && str_is(a->after))
		JW_KINT(&w, "after", (int64_t)a->stream.after);
	else
		JW_KOPT(&w, "cursor", a->after);
	if (str_is(a->types))
		write_types(&w, a->types);
	JW_KOPT(&w, "threadId", a->stream.thread);
	JW_KOPT(&w, "turnId", a->stream.turn);
	JW_KOPT(&w, "as", event_form_word(a->stream.form));
	if (str_is(a->limit))
		JW_KINT(&w, "limit", (int64_t)limit);
	jw_obj_end(&w);
	return 0;
}

static void finish_page(struct api_call *c, const struct control_answer *a)
{
	api_call_answer(c->req, a);
}

static void open_page(struct serve *s, struct http_request *req, const struct caller *caller,
                      const struct asked *a)
{
	struct api_call *c = api_call_new(s, req, caller, STR("list_events"));
	struct str bad;
	enum error_code code = write_page_params(a, &c->params, &bad);

	if (code) {
		api_call_free(c);
		problem_reply(req, code, "query parameter %.*s", STR_ARG(bad));
		return;
	}
	c->finish = finish_page;
	api_call_send(c);
}

/* ---- opening ---- */

/* SSE follows by default, NDJSON ends at the last event. */
static void open_stream(struct serve *s, struct http_request *req, const struct caller *caller,
                        struct asked *a, bool is_sse)
{
	struct reader *r;

	if (!(caller->scopes & SCOPE_BIT(SCOPE_READ))) {
		problem_reply(req, ERROR_CODE_FORBIDDEN, "reading events needs the scope read");
		return;
	}
	if (str_is(a->limit)) {
		problem_reply(req, ERROR_CODE_INVALID_VALUE, "limit is for pages, not for streams");
		return;
	}
	if (!a->has_follow)
		a->stream.follow = is_sse;
	if (str_eq(a->after, AT_THE_END))
		a->stream.after = s->control->ops->last_place(s->control, caller->reach);
	r = reader_new(s, req, caller, &a->stream, is_sse);
	r->tells_place = str_eq(a->after, AT_THE_END);
	if (!reader_subscribe(r))
		return; /* it has answered */
}

void events_open(struct serve *s, struct http_request *req, const struct caller *caller)
{
	enum media media = content_negotiation_events(http_parse_find(&req->in, STR("accept")));
	struct str last = http_parse_find(&req->in, STR("last-event-id"));
	struct asked a = { 0 };
	struct str bad;
	enum error_code code = read_query(&req->in, &a, &bad);

	if (media == MEDIA_NONE) {
		problem_reply(req, ERROR_CODE_NOT_ACCEPTABLE,
		              "text/event-stream, application/x-ndjson or application/json");
		return;
	}
	if (code) {
		problem_reply(req, code, "query parameter %.*s", STR_ARG(bad));
		return;
	}
	/*
	 * A browser's EventSource sends this header when it reconnects, and the URL
	 * stays the old one.
	 */
	if (last.len)
		a.after = last;
	/* A page's cursor over all sessions is the control's to read. */
	if (str_is(a.after) && (media != MEDIA_JSON || str_is(a.stream.session)) &&
	    !(str_eq(a.after, AT_THE_END) && media != MEDIA_JSON && !str_is(a.stream.session)) &&
	    !filter_read_after(a.after, str_is(a.stream.session), &a.stream.after)) {
		problem_reply(req, ERROR_CODE_INVALID_VALUE, "\"%.*s\" is no place in %s",
		              STR_ARG(str_head(a.after, 64)),
		              str_is(a.stream.session) ? "a session: a sequence is"
		                                       : "the whole log: p.<cursor> is");
		return;
	}
	if (media == MEDIA_JSON)
		open_page(s, req, caller, &a);
	else
		open_stream(s, req, caller, &a, media == MEDIA_SSE);
}
