/*
 * fetch_url: one call as a state machine.
 *
 *   start ──► (timer) ──► end                         an invalid address is not sent
 *     │
 *     └──► sent ──► head ──► body ... ──► end
 *            ▲        │
 *            └────────┘ a redirect to the same host, REDIRECTS_MAX times
 *
 * The approval names one host.  A redirect to another host ends the call and reports the
 * address, so that a server cannot send the agent to a place that no person has seen.
 */
#include "tools/fetch.h"

#include "base/gen/limits.h"
#include "base/gen/tool_args.h"
#include "base/jw.h"
#include "base/list.h"
#include "tools/gen/fetch_table.h"

#include <strings.h>

#define REDIRECTS_MAX 5
#define CONNECT_MS 10000

struct fetch {
	struct toolset port;
	struct arena *mem;
	struct http_client *http_client;
	struct clock *clock;
	struct host_rules rules;
	struct list calls;
};

struct tool_handle {
	struct list node;
	struct fetch *fetch;
	struct clock *clock;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct clock_timer timer; /* ends the call when no response comes */
	struct http_client_call *call;
	struct str url, next; /* next: a redirect that is not followed */
	struct net_host host;
	uint16_t port;
	int redirects, status;
	int64_t until_ms;
	struct str type;
	int64_t bytes;
	struct tool_error error; /* why it failed; without a category, it did not */
	bool is_odd;             /* not text */
	bool is_busy, is_closed, is_cancelled, is_paused;
};

/* ---- addresses ---- */

/* Blanks, controls and other scripts could make two readers see two addresses. */
static bool is_url(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
			return false;
	return true;
}

/* The origin of a URL; folder_of() also keeps the path up to its last slash. */
static struct str origin_of(struct str url)
{
	size_t at = (size_t)str_find(url, STR("://")) + 3;

	while (at < url.len && !strchr("/?#", url.ptr[at]))
		at++;
	return str_head(url, at);
}

static struct str folder_of(struct str url)
{
	size_t begin = origin_of(url).len, end = begin;

	while (end < url.len && url.ptr[end] != '?' && url.ptr[end] != '#')
		end++;
	while (end > begin && url.ptr[end - 1] != '/')
		end--;
	return str_head(url, end);
}

static bool has_scheme(struct str s)
{
	ptrdiff_t at = str_find_char(s, ':');

	for (ptrdiff_t i = 0; i < at; i++)
		if (strchr("/?#", s.ptr[i]))
			return false;
	return at > 0;
}

/* Absent: the result is no address of the web, or one that two readers could read in two ways. */
struct str fetch_location(struct arena *mem, struct str base, struct str location)
{
	struct str scheme = str_head(base, (size_t)str_find_char(base, ':') + 1), whole = location;
	struct net_host host;
	uint16_t port;

	if (!location.len || !is_url(location))
		return STR_NONE;
	if (str_starts(location, STR("//")))
		whole = arena_printf(mem, "%.*s%.*s", STR_ARG(scheme), STR_ARG(location));
	else if (location.ptr[0] == '/')
		whole = arena_printf(mem, "%.*s%.*s", STR_ARG(origin_of(base)), STR_ARG(location));
	else if (!has_scheme(location))
		whole = arena_printf(mem, "%.*s%s%.*s", STR_ARG(folder_of(base)),
		                     folder_of(base).len == origin_of(base).len ? "/" : "",
		                     STR_ARG(location));
	return net_host_of_url(whole, &host, &port) ? arena_keep(mem, whole) : STR_NONE;
}

/* The approval covers one host.  http may lead to https on the default ports, and not back. */
static bool is_same_place(const struct tool_handle *h, struct str url)
{
	struct net_host host;
	uint16_t port;

	return net_host_of_url(url, &host, &port) && !strcmp(host.text, h->host.text) &&
	       (port == h->port || (h->port == 80 && port == 443));
}

/* ---- telling ---- */

static void call_free(struct tool_handle *h)
{
	h->clock->ops->stop(h->clock, &h->timer);
	if (h->call)
		http_client_cancel(h->call);
	list_remove(&h->node);
	arena_free(h->mem);
}

static void call_arm(struct tool_handle *h)
{
	h->clock->ops->start(h->clock, &h->timer, 0);
}

static struct str result_of(const struct tool_handle *h)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "url", h->url);
	JW_KINT(&w, "status", h->status);
	JW_KOPT(&w, "contentType", h->type);
	JW_KINT(&w, "bytes", h->bytes);
	JW_KOPT(&w, "redirect", h->next);
	jw_obj_end(&w);
	return arena_keep(h->mem, buf_str(&text));
}

/* For the model, after the body or instead of it. */
static struct str closing_words(const struct tool_handle *h)
{
	if (str_is(h->next))
		return arena_printf(
			h->mem,
			"%.*s redirects to another place: %.*s\nFetch that if it is wanted.",
			STR_ARG(h->url), STR_ARG(h->next));
	if (h->is_odd)
		return arena_printf(h->mem,
		                    "The answer is %.*s, which is no text; it was not read.",
		                    STR_ARG(h->type));
	return STR_NONE;
}

/* The two callbacks may close the toolset; is_busy keeps the call until both have returned. */
static void call_finish(struct tool_handle *h)
{
	bool has_failed = str_is(h->error.category);
	struct str words = has_failed || h->is_cancelled ? STR_NONE : closing_words(h);
	struct tool_end end = { .structured = h->status ? result_of(h) : STR_NONE,
		                .executed = h->status ? EXECUTED_YES : EXECUTED_NO,
		                .is_error = h->is_odd || h->status >= 400 };

	if (h->is_cancelled) {
		end = (struct tool_end){ .cancelled = true,
			                 .executed =
			                         h->status ? EXECUTED_PARTLY : EXECUTED_UNKNOWN };
	} else if (has_failed) {
		tool_end_fail(&end, &h->error);
	}
	h->is_busy = true;
	if (str_is(words))
		h->sink.output(h->owner, words);
	if (!h->is_closed)
		h->sink.end(h->owner, &end);
	call_free(h);
}

static void on_time(struct clock_timer *t)
{
	call_finish(OWNER_OF(t, struct tool_handle, timer));
}

/* ---- the answer ---- */

static void send_request(struct tool_handle *h);

/* A missing content type counts as text. */
static bool is_text(struct str type)
{
	static const char *const words[] = {
		"text/", "json",   "xml", "javascript", "yaml", "toml", "x-www-form-urlencoded",
		"x-sh",  "graphql"
	};
	struct str rest = type, media = str_cut(&rest, ';');

	for (size_t i = 0; i < COUNT_OF(words); i++)
		for (size_t k = 0, len = strlen(words[i]); k + len <= media.len; k++)
			if (!strncasecmp(media.ptr + k, words[i], len))
				return true;
	return !media.len;
}

/* Ignores the rest of this response. */
static void drop_response(struct tool_handle *h)
{
	http_client_cancel(h->call);
	h->call = NULL;
}

static void too_large(struct tool_handle *h)
{
	drop_response(h);
	h->error = tool_error_response_too_large(h->mem, LIMIT_FETCH_BYTES);
	call_arm(h);
}

static void on_redirect(struct tool_handle *h, struct str location)
{
	struct str to = fetch_location(h->mem, h->url, location);

	drop_response(h);
	if (!str_is(to)) {
		h->error = tool_error_redirect_wrong();
	} else if (!is_same_place(h, to)) {
		h->next = to;
	} else if (h->redirects++ == REDIRECTS_MAX) {
		h->error = tool_error_redirect_loop();
	} else {
		h->url = to;
		/* The status of the redirect is no result. */
		h->status = 0;
		send_request(h);
		return;
	}
	call_arm(h);
}

static void on_head(void *owner, const struct http_client_head *head)
{
	struct tool_handle *h = owner;
	struct str location = http_client_head_get(head, STR("location"));
	uint64_t length;
	bool is_elsewhere = head->status == 301 || head->status == 302 || head->status == 303 ||
	                    head->status == 307 || head->status == 308;

	h->status = head->status;
	h->type =
		arena_keep(h->mem, str_head(http_client_head_get(head, STR("content-type")), 200));
	if (is_elsewhere && str_is(location)) {
		on_redirect(h, location);
	} else if (!is_text(h->type)) {
		/* Binary content would fill the context and the log without use. */
		h->is_odd = true;
		drop_response(h);
		call_arm(h);
	} else if (str_to_u64(http_client_head_get(head, STR("content-length")), &length) &&
	           length > LIMIT_FETCH_BYTES) {
		/* A declared length saves the download; on_body() enforces the limit in any case. */
		too_large(h);
	}
}

/* Takes exactly the limit, for every split of the bytes. */
static size_t on_body(void *owner, struct str bytes)
{
	struct tool_handle *h = owner;
	size_t room = (size_t)(LIMIT_FETCH_BYTES - h->bytes);
	struct str fits = str_head(bytes, MIN(room, bytes.len));

	if (fits.len) {
		h->bytes += (int64_t)fits.len;
		h->is_busy = true;
		h->sink.output(h->owner, fits);
		h->is_busy = false;
	}
	if (h->is_closed) {
		call_free(h);
	} else if (fits.len < bytes.len && h->call) {
		too_large(h);
	}
	return bytes.len;
}

static void take_failure(struct tool_handle *h, const struct http_client_end *e)
{
	switch (e->result) {
	case HTTP_CLIENT_FORBIDDEN:
		h->error = tool_error_host_not_public(h->mem, e->message);
		break;
	case HTTP_CLIENT_INVALID:
		h->error = tool_error_url_refused(h->mem, e->message);
		break;
	case HTTP_CLIENT_TIMEOUT_CONNECT:
	case HTTP_CLIENT_TIMEOUT_FIRST_BYTE:
	case HTTP_CLIENT_TIMEOUT_STALL:
	case HTTP_CLIENT_TIMEOUT_TOTAL:
		h->error = tool_error_server_timed_out(h->mem, e->message);
		break;
	case HTTP_CLIENT_RESOLVE:
	case HTTP_CLIENT_CONNECT:
	case HTTP_CLIENT_CUT:
		h->error = tool_error_server_unreachable(h->mem, e->message);
		break;
	default:
		h->error = tool_error_transfer_failed(h->mem, e->message);
		break;
	}
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct tool_handle *h = owner;

	h->call = NULL;
	if (e->result != HTTP_CLIENT_OK)
		take_failure(h, e);
	call_finish(h);
}

static const struct http_client_sink http_client_sink = { .head = on_head,
	                                                  .body = on_body,
	                                                  .end = on_end };

static void send_request(struct tool_handle *h)
{
	static const struct http_client_header headers[] = {
		{ STR("accept"),
		  STR("text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1") },
	};
	/*
	 * The client checks every resolved address against the rules, so that a name cannot lead to
	 * a private network.
	 */
	struct http_client_guard guard = { .host = h->host, .rules = h->fetch->rules };
	int64_t left = h->until_ms - h->clock->ops->mono_ms(h->clock);
	struct http_client_request r = { .url = h->url,
		                         .headers = headers,
		                         .header_count = COUNT_OF(headers),
		                         .connect_ms = CONNECT_MS,
		                         .total_ms = MAX(left, 1),
		                         .guard = &guard };

	h->call = http_client_send(h->fetch->http_client, &r, &http_client_sink, h);
	if (h->is_paused)
		http_client_pause(h->call);
}

/* ---- the port ---- */

static size_t toolset_tools(struct toolset *port, const struct tool_info **ret)
{
	(void)port;
	*ret = fetch_table;
	return 1;
}

static struct tool_handle *toolset_start(struct toolset *port, const struct tool_start *start,
                                         const struct tool_sink *sink, void *owner)
{
	struct fetch *f = OWNER_OF(port, struct fetch, port);
	struct arena *mem = arena_new();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct json args;

	*h = (struct tool_handle){
		.fetch = f, .clock = f->clock, .mem = mem, .sink = *sink, .owner = owner
	};
	h->timer.fire = on_time;
	/* One deadline for all redirects together. */
	h->until_ms = f->clock->ops->mono_ms(f->clock) + LIMIT_FETCH_TIMEOUT_MS;
	list_add(&f->calls, &h->node);
	if (json_read(mem, start->args, &args, NULL) == OK)
		h->url = tool_args_fetch_url(args).url;
	if (str_is(h->url) && is_url(h->url) && net_host_of_url(h->url, &h->host, &h->port)) {
		send_request(h);
	} else {
		h->error = tool_error_url_wrong();
		call_arm(h);
	}
	return h;
}

static void toolset_cancel(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	if (h->is_cancelled)
		return;
	h->is_cancelled = true;
	if (h->call)
		drop_response(h);
	call_arm(h);
}

static void toolset_pause(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	h->is_paused = true;
	if (h->call)
		http_client_pause(h->call);
}

static void toolset_resume(struct toolset *port, struct tool_handle *h)
{
	(void)port;
	h->is_paused = false;
	if (h->call)
		http_client_resume(h->call);
}

static void toolset_close(struct toolset *port)
{
	struct fetch *f = OWNER_OF(port, struct fetch, port);

	LIST_EACH_SAFE (&f->calls, node, next) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		list_remove(&h->node);
		h->is_closed = true; /* inside one of our callbacks: freed when that returns */
		if (!h->is_busy)
			call_free(h);
	}
	arena_free(f->mem);
}

static const struct toolset_ops toolset_ops = {
	.tools = toolset_tools,
	.start = toolset_start,
	.cancel = toolset_cancel,
	.pause = toolset_pause,
	.resume = toolset_resume,
	.close = toolset_close,
};

enum err fetch_open(const struct fetch_options *o, struct toolset **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct fetch *f = ARENA_NEW(mem, struct fetch);
	enum err err;

	f->port.ops = &toolset_ops;
	f->mem = mem;
	f->http_client = o->http_client;
	f->clock = o->clock;
	list_init(&f->calls);
	err = host_rule_read_all(mem, o->hosts, o->host_count, &f->rules, e);
	if (err)
		arena_free(mem);
	else
		*ret = &f->port;
	return err;
}
