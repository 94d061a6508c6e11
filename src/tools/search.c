/*
 * web_search: one request per call.
 *
 *   start ──► sent ──► head ──► body ... ──► end
 *
 * Services differ in the request and in the place of the results; both are rows
 * of a table.
 */
#include "tools/search.h"

#include "base/gen/limits.h"
#include "base/gen/tool_args.h"
#include "base/jw.h"
#include "base/list.h"
#include "base/utf8.h"
#include "sandbox/host_rule.h"
#include "tools/gen/search_table.h"

#define CONNECT_MS 10000
#define COUNT_DEFAULT 5
#define TITLE_MAX 200
#define TEXT_MAX 600

/* ---- services ---- */

struct service {
	const char *url;                 /* NULL: the settings must name it */
	const char *path;                /* behind the address */
	const char *key_header, *prefix; /* NULL: it takes no key */
	bool is_post;
	const char *list, *inner; /* where the results are: list, or list.inner */
	const char *text;         /* the member with the short text */
};

static const struct service services[] = {
	[SEARCH_PROVIDER_BRAVE] = { .url = "https://api.search.brave.com",
	                            .path = "/res/v1/web/search",
	                            .key_header = "x-subscription-token",
	                            .prefix = "",
	                            .list = "web",
	                            .inner = "results",
	                            .text = "description" },
	[SEARCH_PROVIDER_TAVILY] = { .url = "https://api.tavily.com",
	                             .path = "/search",
	                             .key_header = "authorization",
	                             .prefix = "Bearer ",
	                             .is_post = true,
	                             .list = "results",
	                             .text = "content" },
	[SEARCH_PROVIDER_SEARXNG] = { .path = "/search", .list = "results", .text = "content" },
};

struct str search_tool_name(void)
{
	return search_table[0].name;
}

struct str search_default_url(enum search_provider provider)
{
	return str_from(services[provider].url);
}

struct search {
	struct toolset port;
	struct arena *mem;
	struct search_options o;
	const struct service *service;
	struct tool_info info;
	struct list calls;
};

struct tool_handle {
	struct list node;
	struct search *search;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct clock_timer timer;
	struct http_client_call *call;
	struct str query;
	int64_t count;
	int status;
	struct buf body;
	struct tool_error error; /* why it failed; without a category, it did not */
	bool is_busy, is_closed, is_cancelled;
};

/* ---- results ---- */

/* Services mark the words of the query with elements, which are no part of the text. */
static struct str without_elements(struct arena *mem, struct str s)
{
	char *out = arena_alloc(mem, s.len + 1);
	size_t len = 0;
	bool is_inside = false;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '<' || (is_inside && c == '>'))
			is_inside = c == '<';
		else if (!is_inside)
			out[len++] = (unsigned char)c < ' ' ? ' ' : c;
	}
	return str_trim(str_of(out, len));
}

static void add_result(struct arena *mem, const struct service *s, struct json row, int64_t number,
                       struct buf *out)
{
	struct str title = without_elements(mem, json_str(JSON_GET(row, "title")));
	struct str url = json_str(JSON_GET(row, "url"));
	struct str text = without_elements(mem, json_str(json_get(row, str_from(s->text))));

	buf_printf(out, "%lld. %.*s\n   %.*s\n", (long long)number,
	           STR_ARG(utf8_preview(mem, title, TITLE_MAX)), STR_ARG(url));
	if (text.len)
		buf_printf(out, "   %.*s\n", STR_ARG(utf8_preview(mem, text, TEXT_MAX)));
}

bool search_results(struct arena *mem, enum search_provider provider, struct str body, int64_t most,
                    struct str *ret)
{
	const struct service *s = &services[provider];
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json v, list, row;
	int64_t number = 0;
	struct str key;

	if (json_read(mem, body, &v, NULL) != OK || json_type(v) != JSON_OBJ)
		return false;
	list = json_get(v, str_from(s->list));
	if (s->inner)
		list = json_get(list, str_from(s->inner));
	struct json_iter it = json_iter(list);

	while (json_type(list) == JSON_ARR && number < most && json_next(&it, &key, &row)) {
		struct str url = json_str(JSON_GET(row, "url"));

		if (url.len && url.len <= LIMIT_SEARCH_URL_BYTES && str_starts(url, STR("http")))
			add_result(mem, s, row, ++number, &out);
	}
	if (!number)
		buf_add_c(&out, "There are no results.\n");
	*ret = arena_keep(mem, buf_str(&out));
	return true;
}

/* ---- the end ---- */

static void call_free(struct tool_handle *h)
{
	struct clock *c = h->search->o.clock;

	c->ops->stop(c, &h->timer);
	if (h->call)
		http_client_cancel(h->call);
	list_remove(&h->node);
	buf_done(&h->body);
	arena_free(h->mem);
}

static void judge_status(struct tool_handle *h)
{
	if (h->status == 401 || h->status == 403)
		h->error = tool_error_search_key_refused();
	else if (h->status == 429)
		h->error = tool_error_search_rate_limited();
	else if (h->status >= 500)
		h->error = tool_error_search_unavailable(h->mem, h->status);
	else if (h->status != 200)
		h->error = tool_error_search_failed(h->mem, h->status);
}

/* The callbacks may close the toolset; is_busy keeps the call until they have returned. */
static void call_finish(struct tool_handle *h)
{
	struct tool_end end = { .executed = h->status ? EXECUTED_YES : EXECUTED_NO };
	struct str text = STR_NONE;

	if (!str_is(h->error.category) && !h->is_cancelled &&
	    !search_results(h->mem, h->search->o.provider, buf_str(&h->body), h->count, &text))
		h->error = tool_error_search_no_list();
	if (h->is_cancelled) {
		end = (struct tool_end){ .cancelled = true, .executed = EXECUTED_UNKNOWN };
	} else if (str_is(h->error.category)) {
		tool_end_fail(&end, &h->error);
	}
	h->is_busy = true;
	if (str_is(text) && !end.failed)
		h->sink.output(h->owner, text);
	if (!h->is_closed)
		h->sink.end(h->owner, &end);
	call_free(h);
}

static void on_time(struct clock_timer *t)
{
	call_finish(OWNER_OF(t, struct tool_handle, timer));
}

/* ---- the answer ---- */

static void on_head(void *owner, const struct http_client_head *head)
{
	((struct tool_handle *)owner)->status = head->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct tool_handle *)owner)->body, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct tool_handle *h = owner;

	h->call = NULL;
	if (e->result == HTTP_CLIENT_TOO_LARGE || h->body.overflowed)
		h->error = tool_error_search_too_large();
	else if (e->result != HTTP_CLIENT_OK)
		h->error = tool_error_search_unreachable(h->mem, e->message);
	else
		judge_status(h);
	call_finish(h);
}

static const struct http_client_sink http_sink = { .head = on_head,
	                                           .body = on_body,
	                                           .end = on_end };

/* ---- the request ---- */

static void add_encoded(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                (c >= '0' && c <= '9') || strchr("-._~", c);

		if (is_plain && c)
			buf_add_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

/* count is a parameter of one of them; the others ignore it. */
static struct str url_of(const struct tool_handle *h)
{
	const struct search *s = h->search;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_str(&out, s->o.url);
	buf_add_c(&out, s->service->path);
	if (!s->service->is_post) {
		buf_add_c(&out, "?q=");
		add_encoded(&out, h->query);
		buf_printf(&out,
		           s->o.provider == SEARCH_PROVIDER_BRAVE ? "&count=%lld" : "&format=json",
		           (long long)h->count);
	}
	return arena_keep(h->mem, buf_str(&out));
}

static void write_body(const struct tool_handle *h, struct buf *out)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "query", h->query);
	JW_KINT(&w, "max_results", h->count);
	jw_obj_end(&w);
}

static void send_request(struct tool_handle *h)
{
	struct search *s = h->search;
	struct str key = s->o.key ? s->o.key(s->o.key_owner) : STR_NONE;
	struct http_client_header headers[3] = { { STR("accept"), STR("application/json") } };
	struct http_client_request r = { .url = url_of(h),
		                         .headers = headers,
		                         .header_count = 1,
		                         .connect_ms = CONNECT_MS,
		                         .total_ms = LIMIT_SEARCH_TIMEOUT_MS,
		                         .response_max = LIMIT_SEARCH_BYTES };

	if (s->service->is_post) {
		write_body(h, &r.body);
		headers[r.header_count++] =
			(struct http_client_header){ STR("content-type"), STR("application/json") };
	}
	if (s->service->key_header && str_is(key))
		headers[r.header_count++] = (struct http_client_header){
			str_from(s->service->key_header),
			arena_printf(h->mem, "%s%.*s", s->service->prefix, STR_ARG(key))
		};
	h->call = http_client_send(s->o.http_client, &r, &http_sink, h);
}

/* ---- the port ---- */

static size_t toolset_tools(struct toolset *port, const struct tool_info **ret)
{
	*ret = &OWNER_OF(port, struct search, port)->info;
	return 1;
}

static struct tool_handle *toolset_start(struct toolset *port, const struct tool_start *start,
                                         const struct tool_sink *sink, void *owner)
{
	struct search *s = OWNER_OF(port, struct search, port);
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct tool_args_web_search a = { 0 };
	struct json args;

	if (json_read(mem, start->args, &args, NULL) == OK)
		a = tool_args_web_search(args);
	*h = (struct tool_handle){ .search = s,
		                   .mem = mem,
		                   .sink = *sink,
		                   .owner = owner,
		                   .query = a.query,
		                   .count = a.count ? a.count : COUNT_DEFAULT,
		                   .body = { .max = LIMIT_SEARCH_BYTES } };
	h->timer.fire = on_time;
	list_add(&s->calls, &h->node);
	send_request(h);
	return h;
}

static void toolset_cancel(struct toolset *port, struct tool_handle *h)
{
	struct clock *c = OWNER_OF(port, struct search, port)->o.clock;

	if (h->is_cancelled)
		return;
	h->is_cancelled = true;
	if (h->call)
		http_client_cancel(h->call);
	h->call = NULL;
	c->ops->start(c, &h->timer, 0);
}

/* Its output comes at the end and is short. */
static void toolset_ignore(struct toolset *port, struct tool_handle *h)
{
	(void)port, (void)h;
}

static void toolset_close(struct toolset *port)
{
	struct search *s = OWNER_OF(port, struct search, port);

	LIST_EACH_SAFE (&s->calls, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		h->is_closed = true; /* inside one of our callbacks: freed when that returns */
		if (!h->is_busy)
			call_free(h);
	}
	arena_free(s->mem);
}

static const struct toolset_ops toolset_ops = {
	.tools = toolset_tools,
	.start = toolset_start,
	.cancel = toolset_cancel,
	.pause = toolset_ignore,
	.resume = toolset_ignore,
	.close = toolset_close,
};

enum err search_open(const struct search_options *o, struct toolset **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct search *s = ARENA_NEW(mem, struct search);
	struct net_host host;
	uint16_t port;

	s->port.ops = &toolset_ops;
	s->mem = mem;
	s->o = *o;
	s->service = &services[o->provider];
	s->o.url = arena_keep(mem, o->url.len ? o->url : search_default_url(o->provider));
	while (s->o.url.len && s->o.url.ptr[s->o.url.len - 1] == '/')
		s->o.url.len--;
	if (!net_host_of_url(s->o.url, &host, &port)) {
		enum err err = fail(e, ERR_INVALID, "search.url: \"%.*s\" is no address of the web",
		                    STR_ARG(s->o.url));

		arena_free(mem);
		return err;
	}
	list_init(&s->calls);
	s->info = search_table[0];
	s->info.host = arena_keep(mem, str_from(host.text));
	*ret = &s->port;
	return OK;
}
