/* How calls end: once each, from the loop, after the violations of their sandbox. */
#include "mcp/call/mcp_call_int.h"

#include "base/jw.h"
#include "base/os/clock.h"
#include "base/utf8.h"
#include "net/jsonrpc.h"

#define NO_RESOURCE (-32002) /* before 2026-07-28 */
#define PROGRESS_MS 250      /* between two progress events of one call */
#define PROGRESS_BURST 10    /* that come at once: a short call shows all of its progress */
#define PROGRESS_MANY 1000   /* then they become rare: progress without end does not fill the log */
#define PROGRESS_RARE_MS 5000
#define LOG_DATA_MAX 4096 /* of a message for the caller */
#define TOLD_MS 1000      /* wait for the supervisor to report violations */

void mcp_call_end_free(struct tool_handle *h)
{
	loop_timer_stop(&h->timer);
	list_remove(&h->all);
	if (h->server) {
		list_remove(&h->node);
		h->server->call_count--;
	}
	arena_free(h->mem);
}

void mcp_call_end_report(struct tool_handle *h, const struct tool_end *end)
{
	struct tool_sink sink = h->sink;
	void *owner = h->owner;

	/* the callback may start the next call, which counts against the limit with this one */
	if (h->server) {
		list_remove(&h->node);
		h->server->call_count--;
		h->server = NULL;
	}
	sink.end(owner, end);
	mcp_call_end_free(h);
}

static void on_later(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	mcp_call_end_report(h, &h->end);
}

/* Reports the end from the loop. */
void mcp_call_end_later(struct tool_handle *h, const struct tool_end *end)
{
	h->end = *end;
	loop_timer_start(h->set->o.loop, &h->timer, 0, on_later);
}

/*
 * The server has answered on its pipe; violations of its sandbox come from the supervisor.  They
 * belong to the call, so the call ends after them.
 */
void mcp_call_end_after_violations(struct tool_handle *h, const struct tool_end *end)
{
	struct mcp_server *s = h->server;

	/* Without the proxy of a restricted network there is no report to wait for. */
	if (!s || s->plan.network != SANDBOX_NETWORK_RESTRICTED) {
		mcp_call_end_report(h, end);
		return;
	}
	h->end = *end;
	/*
	 * Reports are numbered per process: the call ends when as many were received as requested
	 * up to it, or after TOLD_MS if the supervisor does not answer.
	 */
	h->asked = ++s->asked;
	loop_timer_start(h->set->o.loop, &h->timer, TOLD_MS, on_later);
	supervisor_host_tell(h->set->o.host, &s->job);
}

void mcp_call_end_tell_all(struct mcp_server *s)
{
	struct list *at = s->calls.next;

	s->told++;
	while (at != &s->calls) {
		struct tool_handle *h = LIST_ITEM(at, struct tool_handle, node);

		at = at->next;
		if (h->asked && h->asked <= s->told)
			mcp_call_end_later(h, &h->end);
	}
}

/* The server may have done the work and only be slow to say so, hence EXECUTED_UNKNOWN. */
static void on_time(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);
	struct tool_error error = tool_error_tool_server_timed_out();
	struct tool_end end = { .executed = EXECUTED_UNKNOWN };

	mcp_protocol_cancel(h->server->connection, &h->call, STR("it took too long"));
	tool_end_fail(&end, &error);
	mcp_call_end_report(h, &end);
}

static void start_timer(struct tool_handle *h)
{
	int64_t left = MAX(h->due_at - clock_mono_ms(), 0);

	loop_timer_start(h->set->o.loop, &h->timer, MIN(h->server->c.timeout_ms, left), on_time);
}

void mcp_call_end_arm_timeout(struct tool_handle *h)
{
	h->due_at = clock_mono_ms() + h->server->c.total_ms;
	start_timer(h);
}

void mcp_call_end_fail_later(struct tool_handle *h, enum executed executed, struct tool_error error)
{
	struct tool_end end = { .executed = executed };

	tool_end_fail(&end, &error);
	mcp_call_end_later(h, &end);
}

void mcp_call_end_with_text(struct tool_handle *h, struct str text)
{
	h->sink.output(h->owner, text);
	mcp_call_end_later(h, &(struct tool_end){ .executed = EXECUTED_YES });
}

/* ---- replies that are no results ---- */

/* Also of a resource that does not exist: nothing was done. */
static bool is_wrong_input(const struct tool_handle *h, int64_t code)
{
	return code == JSONRPC_INVALID_PARAMS || code == MCP_MISSING_CAPABILITY ||
	       (str_is(h->uri) && code == NO_RESOURCE);
}

static enum error_category category_of(const struct tool_handle *h, int64_t code)
{
	return code == MCP_MISSING_CAPABILITY     ? ERROR_CATEGORY_MISSING_CAPABILITY
	       : is_wrong_input(h, code)          ? ERROR_CATEGORY_INVALID_INPUT
	       : code == JSONRPC_METHOD_NOT_FOUND ? ERROR_CATEGORY_UNKNOWN_TOOL
	                                          : ERROR_CATEGORY_PROTOCOL;
}

/* Which words a client of the call reads again (serve/mcp). */
static struct str missing_words(struct tool_handle *h, struct json data)
{
	static const char *const known[] = { "elicitation", "sampling", "roots" };
	struct json required = JSON_GET(data, "requiredCapabilities");
	struct str words = STR("The tool requires of its client:");

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (json_is(json_get(required, str_from(known[i]))))
			words = arena_printf(h->mem, "%.*s %s", STR_ARG(words), known[i]);
	return words;
}

/* An error reply to tools/call.  Only invalid parameters prove that the tool did not run. */
void mcp_call_end_refused(struct tool_handle *h, const struct mcp_result *r)
{
	struct str said = r->code == MCP_MISSING_CAPABILITY ? missing_words(h, r->error_data)
	                  : r->message.len ? utf8_preview(h->mem, str_head(r->message, 4096),
	                                                  MCP_CALL_MESSAGE_MAX)
	                                   : STR("the server gave no reason");

	mcp_call_end_after_violations(
		h, &(struct tool_end){ .failed = true,
	                               .category = category_of(h, r->code),
	                               .message = arena_keep(h->mem, said),
	                               .executed = is_wrong_input(h, r->code) ? EXECUTED_NO
	                                                                      : EXECUTED_UNKNOWN });
}

/* The connection broke, once for this call.  A call that was not sent has not run. */
void mcp_call_end_lost(struct tool_handle *h, const struct mcp_result *r)
{
	struct tool_error error =
		r->was_sent ? tool_error_tool_server_cut(h->mem,
	                                                 str_head(r->message, MCP_CALL_MESSAGE_MAX))
			    : tool_error_tool_server_down();

	struct tool_end end = { .executed = r->was_sent ? EXECUTED_UNKNOWN : EXECUTED_NO };

	tool_end_fail(&end, &error);
	mcp_call_end_report(h, &end);
}

/* ---- signs of life ---- */

void mcp_call_end_progress(struct mcp_call *c, struct str message, int64_t completed, int64_t total)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	struct tool_handle *h = mcp_call_handle(c);
	int64_t now = clock_mono_ms();

	if (h->is_waiting || h->is_cancelling)
		return;
	if (h->call.is_open)
		start_timer(h); /* a sign of life restarts the timeout, up to the total time */
	if (h->reports >= PROGRESS_BURST &&
	    now - h->reported_at < (h->reports < PROGRESS_MANY ? PROGRESS_MS : PROGRESS_RARE_MS))
		return;
	h->reported_at = now;
	h->reports++;
	mem = arena_new_small();
	h->sink.progress(h->owner,
	                 str_is(message)
	                         ? utf8_preview(mem, str_head(message, 4096), MCP_CALL_MESSAGE_MAX)
	                         : STR_NONE,
	                 completed, total);
}

/* A message for the caller.  One that is too long is shown as its beginning. */
void mcp_call_end_log(struct mcp_call *c, struct json params)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	CLEANUP(buf_done) struct buf shown = { 0 };
	struct tool_handle *h = mcp_call_handle(c);
	struct str logger = json_str(JSON_GET(params, "logger")), data;
	struct json_writer w;

	if (!h->sink.log || h->is_cancelling || h->log_lines++ >= LIMIT_MCP_CALL_LOG_LINES)
		return;
	mem = arena_new();
	data = json_is(JSON_GET(params, "data")) ? json_text(mem, JSON_GET(params, "data"))
	                                         : STR("null");
	if (data.len > LOG_DATA_MAX) {
		jw_init(&w, &shown);
		jw_str(&w, utf8_preview(mem, str_head(data, LOG_DATA_MAX), LOG_DATA_MAX / 4));
		data = buf_str(&shown);
	}
	h->sink.log(h->owner,
	            (enum tool_log_level)rec_enum_read(&enum_tool_log_level,
	                                               json_str(JSON_GET(params, "level"))),
	            str_is(logger) ? utf8_preview(mem, str_head(logger, 512), 128) : STR_NONE,
	            data);
}
