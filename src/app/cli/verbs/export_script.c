/*
 * export script: turns a session's log into a script of the scripted model.
 *
 * Every reply of a model becomes a rule for its turn, request and attempt;
 * every result of a tool that ran becomes the result of that tool's next call.
 * Approvals are not exported: a replay asks for them again.
 */
#include "app/cli/connection.h"
#include "base/jw.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"

#define EVENTS_MAX 1000000

/* The session's events in memory, in order, and the script that is being written. */
struct recording {
	struct cli *c;
	struct arena *mem;
	struct json *events;
	size_t count, cap;
	struct str thread; /* the main thread; others are left out */
	struct buf out;
	struct json_writer w;
};

/* ---- reading ---- */

static bool is_type(struct json e, const char *type)
{
	return str_eq(json_str(JSON_GET(e, "type")), str_from(type));
}

static struct json payload(struct json e)
{
	return JSON_GET(e, "payload");
}

static struct str id_at(struct json e, const char *key)
{
	return json_str(json_get(e, str_from(key)));
}

static bool is_same(struct json a, struct json b, const char *key)
{
	return str_is(id_at(a, key)) && str_eq(id_at(a, key), id_at(b, key));
}

/* All events are kept, because a reply is assembled from events that lie far apart. */
static int read_events(struct recording *r, struct str session)
{
	struct params p;
	struct thole_stream *s;
	char *text;
	size_t len;
	int code = CODE_DONE;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_int(&p, "after", 0);
	params_bool(&p, "follow", false);
	s = connection_subscribe(r->c, &p, &code);
	while (s && thole_next(s, -1, &text, &len) == THOLE_OK) {
		struct str raw = arena_keep(r->mem, str_of(text, len));

		thole_free(text);
		if (r->count == r->cap && r->count < EVENTS_MAX) {
			size_t cap = r->cap ? r->cap * 2 : 256;

			r->events = arena_grow(r->mem, r->events, r->count * sizeof *r->events,
			                       cap * sizeof *r->events);
			r->cap = cap;
		}
		if (r->count < r->cap &&
		    json_read_trusted(r->mem, raw, &r->events[r->count], NULL) == OK)
			r->count++;
	}
	if (s)
		thole_unsubscribe(s);
	return code;
}

/* The whole text of a ref, or the available part. */
static struct str fetch(struct recording *r, struct str ref)
{
	struct buf all = { 0 };
	struct str text;
	bool is_end = false;

	while (!is_end && str_is(ref)) {
		struct params p;
		struct json reply;

		params_begin(&p);
		params_str(&p, "outputRef", ref);
		params_int(&p, "offset", (int64_t)all.len);
		if (connection_try(r->c, "get_output", &p, true, &reply) != THOLE_OK)
			break;
		buf_add_str(&all, json_str(JSON_GET(reply, "text")));
		is_end = json_bool(JSON_GET(reply, "eof"), true) ||
		         !json_str(JSON_GET(reply, "text")).len;
	}
	text = all.len ? arena_keep(r->mem, buf_str(&all)) : STR_NONE;
	buf_done(&all);
	return text;
}

/* ---- texts ---- */

/* Two braces would start a template, so they are split into two pieces. */
static void write_pieces(struct recording *r, struct str text)
{
	size_t from = 0;

	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.ptr[i] == '{' && text.ptr[i + 1] == '{') {
			jw_str(&r->w, str_of(text.ptr + from, i + 1 - from));
			from = i + 1;
		}
	if (from < text.len)
		jw_str(&r->w, str_of(text.ptr + from, text.len - from));
}

/* The pieces are kept as they came, so that a replay streams in the same pieces. */
static void write_deltas(struct recording *r, struct json request, const char *key,
                         const char *type)
{
	bool has_any = false;

	for (size_t i = 0; i < r->count; i++) {
		if (!is_type(r->events[i], type) ||
		    !is_same(r->events[i], request, "modelRequestId"))
			continue;
		if (!has_any) {
			jw_key(&r->w, str_from(key));
			jw_arr(&r->w);
		}
		has_any = true;
		write_pieces(r, json_str(JSON_GET(payload(r->events[i]), "text")));
	}
	if (has_any)
		jw_arr_end(&r->w);
}

/* ---- answers ---- */

static struct json find(struct recording *r, struct json like, const char *key, const char *type)
{
	for (size_t i = 0; i < r->count; i++)
		if (is_type(r->events[i], type) && is_same(r->events[i], like, key))
			return r->events[i];
	return (struct json){ 0 };
}

/*
 * The id of the provider is kept: later events and replies refer to it.  Arguments come
 * from safeArgs or what is behind safeArgsRef; inputRef has the secrets in it.
 */
static void write_calls(struct recording *r, struct json request)
{
	bool has_any = false;

	for (size_t i = 0; i < r->count; i++) {
		struct json e = r->events[i], args, text;
		struct str ref;

		if (!is_type(e, "tool.started") || !is_same(e, request, "modelRequestId"))
			continue;
		if (!has_any) {
			JW_KEY(&r->w, "toolCalls");
			jw_arr(&r->w);
		}
		has_any = true;
		args = payload(find(r, e, "toolCallId", "tool.args"));
		text = JSON_GET(args, "safeArgs");
		ref = id_at(args, "safeArgsRef");
		jw_obj(&r->w);
		JW_KSTR(&r->w, "name", json_str(JSON_GET(payload(e), "toolName")));
		JW_KOPT(&r->w, "id", json_str(JSON_GET(payload(e), "providerCallId")));
		if (json_is(text)) {
			JW_KEY(&r->w, "args");
			jw_value(&r->w, text);
		} else if (str_is(ref) &&
		           json_read_trusted(r->mem, fetch(r, ref), &text, NULL) == OK) {
			JW_KEY(&r->w, "args");
			jw_value(&r->w, text);
		} else {
			JW_KSTR(&r->w, "rawArgs", STR("(not recorded)"));
		}
		jw_obj_end(&r->w);
	}
	if (has_any)
		jw_arr_end(&r->w);
}

static void write_count(struct recording *r, const char *key, struct json v)
{
	if (json_is(v)) {
		jw_key(&r->w, str_from(key));
		jw_int(&r->w, json_int(v, 0));
	}
}

static void write_usage(struct recording *r, struct json usage)
{
	JW_KEY(&r->w, "usage");
	if (!json_is(usage)) {
		jw_str(&r->w, STR("unknown"));
		return;
	}
	jw_obj(&r->w);
	write_count(r, "input", JSON_GET(usage, "inputTokens"));
	write_count(r, "cached", JSON_GET(usage, "cachedInputTokens"));
	write_count(r, "cacheWritten", JSON_GET(usage, "cacheWriteTokens"));
	write_count(r, "output", JSON_GET(usage, "outputTokens"));
	write_count(r, "reasoning", JSON_GET(usage, "reasoningTokens"));
	jw_obj_end(&r->w);
}

static void write_stop(struct recording *r, struct str reason)
{
	static const char *const known[] = {
		WORD_STOP_REASON_END_TURN,      WORD_STOP_REASON_MAX_TOKENS,
		WORD_STOP_REASON_STOP_SEQUENCE, WORD_STOP_REASON_REFUSAL,
		WORD_STOP_REASON_CONTEXT_FULL,  WORD_STOP_REASON_PAUSE_TURN
	};

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(reason, str_from(known[i])))
			JW_KSTR(&r->w, "stop", reason);
}

/* A status below 400 with an error means that the answer broke off after it had begun. */
static void write_error(struct recording *r, struct json p)
{
	int64_t status = json_int(JSON_GET(p, "httpStatus"), 0);

	JW_KEY(&r->w, "error");
	jw_obj(&r->w);
	if (status >= 400)
		JW_KINT(&r->w, "status", status);
	else if (status)
		JW_KBOOL(&r->w, "cut", true);
	JW_KSTR(&r->w, "category", json_str(JSON_GET(p, "category")));
	JW_KSTR(&r->w, "message", json_str(JSON_GET(p, "message")));
	JW_KBOOL(&r->w, "retryable", json_bool(JSON_GET(p, "retryable"), false));
	write_count(r, "retryAfterMs", JSON_GET(p, "retryAfterMs"));
	jw_obj_end(&r->w);
}

/*
 * A request that was interrupted or lost has no reply: a replay waits in the same place (hang).
 */
static void write_reply(struct recording *r, struct json request)
{
	struct json done = find(r, request, "modelRequestId", "model.completed");
	struct json failed = find(r, request, "modelRequestId", "model.failed");
	struct str category = json_str(JSON_GET(payload(failed), "category"));
	bool was_cut_by_us = str_eq(category, STR(WORD_ERROR_CATEGORY_INTERRUPTED)) ||
	                     str_eq(category, STR(WORD_ERROR_CATEGORY_LOST));
	struct str summary = STR_NONE;

	jw_obj(&r->w);
	write_deltas(r, request, "reasoning", "reasoning.delta");
	if (str_eq(json_str(JSON_GET(payload(request), "provenance")), STR("compaction"))) {
		summary = fetch(r, json_str(JSON_GET(payload(find(r, request, "turnId",
		                                                  "context.compaction.completed")),
		                                     "summaryRef")));
		JW_KEY(&r->w, "text");
		jw_arr(&r->w);
		write_pieces(r, summary);
		jw_arr_end(&r->w);
	} else {
		write_deltas(r, request, "text", "model.delta");
	}
	if (json_is(done)) {
		write_calls(r, request);
		write_usage(r, JSON_GET(payload(done), "usage"));
		write_stop(r, json_str(JSON_GET(payload(done), "stopReason")));
	} else if (json_is(failed) && !was_cut_by_us) {
		write_error(r, payload(failed));
	} else {
		JW_KBOOL(&r->w, "hang", true);
	}
	jw_obj_end(&r->w);
}

/* The number of this user turn in the thread, from 1. */
static int64_t turn_number(struct recording *r, struct str turn)
{
	int64_t number = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct json e = r->events[i];

		if (!is_type(e, "turn.submitted") || !str_eq(id_at(e, "threadId"), r->thread) ||
		    str_is(json_str(JSON_GET(payload(e), "mergedInto"))) ||
		    str_eq(json_str(JSON_GET(payload(e), "kind")), STR("system")))
			continue;
		number++;
		if (str_eq(id_at(e, "turnId"), turn))
			return number;
	}
	return 0;
}

/*
 * A rule matches by turn, request and attempt; summaries have no turn of the user and match by
 * purpose.
 */
static void write_rule(struct recording *r, struct json request)
{
	struct json p = payload(request);
	bool is_summary = str_eq(json_str(JSON_GET(p, "provenance")), STR("compaction"));

	jw_obj(&r->w);
	JW_KEY(&r->w, "when");
	jw_obj(&r->w);
	if (is_summary) {
		JW_KSTR(&r->w, "purpose", STR("summary"));
		JW_KINT(&r->w, "times", 1);
	} else {
		JW_KINT(&r->w, "turn", turn_number(r, id_at(request, "turnId")));
		write_count(r, "request", JSON_GET(p, "requestNumber"));
		write_count(r, "attempt", JSON_GET(p, "attempt"));
		JW_KSTR(&r->w, "provider", json_str(JSON_GET(p, "provider")));
		JW_KSTR(&r->w, "model", json_str(JSON_GET(p, "model")));
	}
	jw_obj_end(&r->w);
	JW_KEY(&r->w, "reply");
	write_reply(r, request);
	jw_obj_end(&r->w);
}

static void write_rules(struct recording *r)
{
	JW_KEY(&r->w, "rules");
	jw_arr(&r->w);
	for (size_t i = 0; i < r->count; i++)
		if (is_type(r->events[i], "model.requested") &&
		    str_eq(id_at(r->events[i], "threadId"), r->thread))
			write_rule(r, r->events[i]);
	jw_arr_end(&r->w);
}

/* ---- models ---- */

static void write_price(struct recording *r, struct json price)
{
	static const char *const keys[] = { "inputPerMTok", "cachedInputPerMTok",
		                            "cacheWritePerMTok", "outputPerMTok", "effectiveFrom" };

	JW_KEY(&r->w, "price");
	if (!json_is(price)) {
		jw_str(&r->w, STR("unknown"));
		return;
	}
	jw_obj(&r->w);
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct json v = json_get(price, str_from(keys[i]));

		if (json_is(v)) {
			jw_key(&r->w, str_from(keys[i]));
			jw_value(&r->w, v);
		}
	}
	jw_obj_end(&r->w);
}

/* The candidates of the last choice; a fallback came from among them. */
static void write_models(struct recording *r)
{
	struct json candidates = { 0 }, m;
	struct json_iter it;
	struct str key;

	for (size_t i = 0; i < r->count; i++)
		if (is_type(r->events[i], "routing.candidates.resolved") &&
		    json_count(JSON_GET(JSON_GET(r->events[i], "candidateModelSet"), "candidates")))
			candidates =
				JSON_GET(JSON_GET(r->events[i], "candidateModelSet"), "candidates");
	if (!json_count(candidates))
		return;
	JW_KEY(&r->w, "models");
	jw_arr(&r->w);
	it = json_iter(candidates);
	while (json_next(&it, &key, &m)) {
		jw_obj(&r->w);
		JW_KSTR(&r->w, "provider", json_str(JSON_GET(m, "provider")));
		JW_KSTR(&r->w, "model", json_str(JSON_GET(m, "model")));
		JW_KEY(&r->w, "capabilities");
		jw_value(&r->w, JSON_GET(m, "capabilities"));
		write_price(r, JSON_GET(m, "price"));
		jw_obj_end(&r->w);
	}
	jw_arr_end(&r->w);
}

/* ---- tools ---- */

/*
 * A call that was denied or failed its checks never reached the tool, so it consumes no result in
 * a replay.
 */
static bool was_dispatched(struct recording *r, struct json call)
{
	for (size_t i = 0; i < r->count; i++) {
		struct json e = r->events[i];

		if (is_same(e, call, "toolCallId") &&
		    (is_type(e, "sandbox.applied") ||
		     (is_type(e, "tool.progress") &&
		      str_eq(json_str(JSON_GET(payload(e), "kind")), STR("dispatched")))))
			return true;
	}
	return false;
}

/*
 * The text that the model got, not the shortened preview, so that a replay sends the model the
 * same.
 */
static void write_result(struct recording *r, struct json end)
{
	struct json p = payload(end), refs = JSON_GET(end, "refs");
	struct str ref = json_str(JSON_GET(refs, "modelText"));
	struct str text = str_is(ref) ? fetch(r, ref) : json_str(JSON_GET(p, "displayPreview"));
	struct json exit_code = JSON_GET(p, "exitCode");

	jw_obj(&r->w);
	if (is_type(end, "tool.failed")) {
		JW_KEY(&r->w, "fail");
		jw_obj(&r->w);
		JW_KSTR(&r->w, "message", json_str(JSON_GET(end, "statusReason")));
		JW_KSTR(&r->w, "category", json_str(JSON_GET(p, "category")));
		JW_KOPT(&r->w, "advice", json_str(JSON_GET(p, "advice")));
		jw_obj_end(&r->w);
	} else {
		if (text.len) {
			JW_KEY(&r->w, "pieces");
			jw_arr(&r->w);
			write_pieces(r, text);
			jw_arr_end(&r->w);
		}
		if (json_bool(JSON_GET(p, "isError"), false))
			JW_KBOOL(&r->w, "isError", true);
		if (json_int(exit_code, -1) >= 0)
			JW_KINT(&r->w, "exitCode", json_int(exit_code, 0));
	}
	jw_obj_end(&r->w);
}

/* In the order of calls: the scripted tool answers its next call with the next result. */
static void write_results(struct recording *r, struct str tool)
{
	bool has_any = false;

	for (size_t i = 0; i < r->count; i++) {
		struct json e = r->events[i], end;

		if (!is_type(e, "tool.started") || !str_eq(id_at(e, "threadId"), r->thread) ||
		    !str_eq(json_str(JSON_GET(payload(e), "toolName")), tool) ||
		    !was_dispatched(r, e))
			continue;
		end = find(r, e, "toolCallId", "tool.result");
		if (!json_is(end))
			end = find(r, e, "toolCallId", "tool.failed");
		if (!json_is(end))
			continue;
		if (!has_any) {
			JW_KEY(&r->w, "results");
			jw_arr(&r->w);
		}
		has_any = true;
		write_result(r, end);
	}
	if (has_any)
		jw_arr_end(&r->w);
}

/* Up to version 0.1.0 the record called it toolName. */
static struct str name_of_tool(struct json t)
{
	struct str name = json_str(JSON_GET(t, "name"));

	return str_is(name) ? name : json_str(JSON_GET(t, "toolName"));
}

static void write_tool(struct recording *r, struct json t)
{
	struct str name = name_of_tool(t);
	struct str policy = json_str(JSON_GET(t, "policy"));

	jw_obj(&r->w);
	JW_KSTR(&r->w, "name", name);
	JW_KSTR(&r->w, "description", json_str(JSON_GET(t, "description")));
	JW_KEY(&r->w, "inputSchema");
	jw_value(&r->w, JSON_GET(t, "inputSchema"));
	JW_KSTR(&r->w, "policy",
	        str_eq(policy, STR("ask")) || str_eq(policy, STR("denied")) ? policy
	                                                                    : STR("allowed"));
	JW_KBOOL(&r->w, "readOnly", json_bool(JSON_GET(t, "isReadOnly"), false));
	JW_KBOOL(&r->w, "destructive", json_bool(JSON_GET(t, "isDestructive"), false));
	write_results(r, name);
	jw_obj_end(&r->w);
}

/* ask_user is left out: the runtime provides it itself. */
static void write_tools(struct recording *r)
{
	struct str ref = STR_NONE, key;
	struct json inventory, t;
	struct json_iter it;

	for (size_t i = 0; i < r->count; i++)
		if (is_type(r->events[i], "tool.catalog.resolved"))
			ref = json_str(JSON_GET(JSON_GET(r->events[i], "refs"), "inventory"));
	if (!str_is(ref) || json_read_trusted(r->mem, fetch(r, ref), &inventory, NULL) != OK)
		return;
	JW_KEY(&r->w, "tools");
	jw_arr(&r->w);
	it = json_iter(JSON_GET(inventory, "tools"));
	while (json_next(&it, &key, &t))
		if (!str_eq(name_of_tool(t), STR("ask_user")))
			write_tool(r, t);
	jw_arr_end(&r->w);
}

/* ---- the whole ---- */

/* The user's inputs, as a comment for the person who replays the script. */
static void put_inputs(struct recording *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct json e = r->events[i], part;
		struct json_iter it = json_iter(JSON_GET(payload(e), "input"));
		struct str key;

		if (!is_type(e, "turn.submitted") || !str_eq(id_at(e, "threadId"), r->thread))
			continue;
		while (json_next(&it, &key, &part))
			printf("// said: %s\n",
			       out_safe(r->mem, json_str(JSON_GET(part, "preview"))));
	}
}

/* The first thread of the session is the main one; child agents are not part of the script. */
int export_script(struct cli *c, struct str session)
{
	struct recording r = { .c = c, .mem = arena_new() };
	int code = read_events(&r, session);

	for (size_t i = 0; i < r.count && !str_is(r.thread); i++)
		if (is_type(r.events[i], "thread.started"))
			r.thread = id_at(r.events[i], "threadId");
	if (!code) {
		put_inputs(&r);
		jw_init(&r.w, &r.out);
		jw_obj(&r.w);
		JW_KINT(&r.w, "version", 1);
		write_models(&r);
		write_rules(&r);
		write_tools(&r);
		jw_obj_end(&r.w);
		fwrite(r.out.ptr, 1, r.out.len, stdout);
		putchar('\n');
	}
	buf_done(&r.out);
	arena_free(r.mem);
	return code;
}
