/* Writes replies and notifications. */
#include "mcp_serve/mcp_serve_reply.h"

#include "mcp_serve/mcp_serve_id.h"

#define POLL_MS 1000
#define FRESH_MS 300000 /* how long lists of this program may be kept */

static void write_info(struct json_writer *w, struct str version)
{
	jw_obj(w);
	JW_KSTR(w, "name", STR("thole"));
	JW_KSTR(w, "title", STR("Thole"));
	JW_KSTR(w, "version", version);
	jw_obj_end(w);
}

struct json_writer mcp_serve_reply_begin(struct buf *out, const struct mcp_serve_request *r,
                                         struct str result_type)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KEY(&w, "id");
	jw_value(&w, r->id);
	JW_KEY(&w, "result");
	jw_obj(&w);
	if (r->is_modern)
		JW_KSTR(&w, "resultType", result_type);
	return w;
}

void mcp_serve_reply_end(struct json_writer *w, const struct mcp_serve_request *r,
                         struct str version)
{
	if (r->is_modern) {
		JW_KEY(w, "_meta");
		jw_obj(w);
		JW_KEY(w, MCP_SERVE_META "serverInfo");
		write_info(w, version);
		if (r->method == MCP_SERVE_LISTEN) {
			JW_KEY(w, MCP_SERVE_META "subscriptionId");
			jw_value(w, r->id);
		}
		jw_obj_end(w);
	}
	jw_obj_end(w);
	jw_obj_end(w);
}

void mcp_serve_reply_ttl(struct json_writer *w, const struct mcp_serve_request *r, int64_t ttl_ms)
{
	if (!r->is_modern)
		return;
	JW_KINT(w, "ttlMs", ttl_ms);
	JW_KSTR(w, "cacheScope", STR("private"));
}

void mcp_serve_reply_error(struct buf *out, struct json id, const struct mcp_serve_error *e)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	if (json_is(id)) {
		JW_KEY(&w, "id");
		jw_value(&w, id);
	}
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KINT(&w, "code", e->code);
	JW_KSTR(&w, "message", e->message);
	if (str_is(e->data)) {
		JW_KEY(&w, "data");
		jw_raw(&w, e->data);
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
}

/* ---- what the server can do ---- */

static void write_capabilities(struct json_writer *w, bool is_modern)
{
	JW_KEY(w, "capabilities");
	jw_raw(w, is_modern ? STR("{\"tools\":{},\"prompts\":{},\"completions\":{},\"logging\":{},"
	                          "\"resources\":{\"subscribe\":true},"
	                          "\"extensions\":{\"" MCP_SERVE_TASKS "\":{}}}")
	                    : STR("{\"tools\":{},\"prompts\":{},\"completions\":{},\"logging\":{},"
	                          "\"resources\":{\"subscribe\":true},\"tasks\":{"
	                          "\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}}"));
	JW_KSTR(w, "instructions",
	        STR("Thole runs agents that work on their own, in a sandbox and under permissions, "
	            "and keeps all that they do. Use run to give one a task, send to continue its "
	            "thread, wait and stop for tasks that take long, and read to see threads."));
}

/* A version that is not known gets the newest that begins so. */
static struct str settled_version(const struct mcp_serve_request *r)
{
	struct str asked = json_str(JSON_GET(r->params, "protocolVersion"));

	return str_eq(asked, STR("2025-06-18")) || str_eq(asked, STR("2025-03-26"))
	               ? asked
	               : STR(MCP_SERVE_LEGACY);
}

void mcp_serve_reply_hello(struct buf *out, const struct mcp_serve_request *r, struct str version)
{
	struct json_writer w = mcp_serve_reply_begin(out, r, STR("complete"));

	if (r->is_modern) {
		JW_KEY(&w, "supportedVersions");
		jw_raw(&w, STR("[\"" MCP_SERVE_MODERN "\",\"" MCP_SERVE_LEGACY
		               "\",\"2025-06-18\",\"2025-03-26\"]"));
		mcp_serve_reply_ttl(&w, r, FRESH_MS);
	} else {
		JW_KSTR(&w, "protocolVersion", settled_version(r));
		JW_KEY(&w, "serverInfo");
		write_info(&w, version);
	}
	write_capabilities(&w, r->is_modern);
	mcp_serve_reply_end(&w, r, version);
}

void mcp_serve_reply_templates(struct json_writer *w)
{
	static const struct {
		const char *name, *title, *uri, *type, *description;
	} rows[] = {
		{ "session", "Session", "thole://sessions/{sessionId}", "application/json",
		  "The snapshot of a session." },
		{ "thread", "Thread", "thole://sessions/{sessionId}/threads/{threadId}",
		  "application/json", "A thread with its turns." },
		{ "output", "Output or artifact",
		  "thole://sessions/{sessionId}/outputs/{outputRef}", NULL,
		  "A stored output, for example that of a tool, or an artifact." },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		jw_obj(w);
		JW_KSTR(w, "name", str_from(rows[i].name));
		JW_KSTR(w, "title", str_from(rows[i].title));
		JW_KSTR(w, "uriTemplate", str_from(rows[i].uri));
		if (rows[i].type)
			JW_KSTR(w, "mimeType", str_from(rows[i].type));
		JW_KSTR(w, "description", str_from(rows[i].description));
		jw_obj_end(w);
	}
}

/* ---- notifications ---- */

static struct json_writer begin_notification(struct buf *out, const char *method)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KSTR(&w, "method", str_from(method));
	JW_KEY(&w, "params");
	jw_obj(&w);
	return w;
}

static void end_notification(struct json_writer *w)
{
	jw_obj_end(w);
	jw_obj_end(w);
}

void mcp_serve_reply_progress(struct buf *out, const struct mcp_serve_request *r,
                              const struct mcp_serve_turn *t)
{
	struct json_writer w = begin_notification(out, "notifications/progress");

	JW_KEY(&w, "progressToken");
	jw_value(&w, r->progress_token);
	JW_KINT(&w, "progress", t->is_moving ? t->progress : (int64_t)t->steps);
	if (t->is_moving && t->total > 0)
		JW_KINT(&w, "total", t->total);
	JW_KOPT(&w, "message", t->doing);
	end_notification(&w);
}

static void write_subscription(struct json_writer *w, const struct mcp_serve_request *r)
{
	JW_KEY(w, "_meta");
	jw_obj(w);
	JW_KEY(w, MCP_SERVE_META "subscriptionId");
	jw_value(w, r->id);
	jw_obj_end(w);
}

void mcp_serve_reply_log(struct buf *out, const struct mcp_serve_turn *t)
{
	struct json_writer w = begin_notification(out, "notifications/message");

	JW_KSTR(&w, "level", t->log_level);
	JW_KOPT(&w, "logger", t->logger);
	JW_KEY(&w, "data");
	jw_raw(&w, t->log_data);
	end_notification(&w);
}

void mcp_serve_reply_listening(struct buf *out, const struct mcp_serve_request *r,
                               const struct str *uris, size_t count)
{
	struct json_writer w = begin_notification(out, "notifications/subscriptions/acknowledged");

	write_subscription(&w, r);
	JW_KEY(&w, "notifications");
	jw_obj(&w);
	if (count) {
		JW_KEY(&w, "resourceSubscriptions");
		jw_arr(&w);
		for (size_t i = 0; i < count; i++)
			jw_str(&w, uris[i]);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	end_notification(&w);
}

void mcp_serve_reply_updated(struct buf *out, const struct mcp_serve_request *r, struct str uri)
{
	struct json_writer w = begin_notification(out, "notifications/resources/updated");

	write_subscription(&w, r);
	JW_KSTR(&w, "uri", uri);
	end_notification(&w);
}

/* ---- tasks ---- */

/* Approvals are none of the client's: for it the task works until a person has decided. */
static const char *task_status(const struct mcp_serve_turn *t, bool is_modern)
{
	switch (t->state) {
	case MCP_SERVE_WAITING:
		return mcp_serve_turn_question(t) && is_modern ? "input_required" : "working";
	case MCP_SERVE_COMPLETED:
		return "completed";
	case MCP_SERVE_FAILED:
		return is_modern ? "completed" : "failed"; /* a tool that failed has a result */
	case MCP_SERVE_CANCELLED:
		return "cancelled";
	default:
		return "working";
	}
}

static void write_task(struct json_writer *w, const struct mcp_serve_request *r,
                       const struct mcp_serve_turn *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct mcp_serve_task_id id = { t->session_id, t->task_id, t->turn_id, t->first_sequence };

	JW_KSTR(w, "taskId", mcp_serve_id_task(mem, &id));
	JW_KSTR(w, "status", str_from(task_status(t, r->is_modern)));
	if (t->state == MCP_SERVE_FAILED)
		JW_KSTR(w, "statusMessage", t->error_message);
	else if (!mcp_serve_turn_has_ended(t))
		JW_KOPT(w, "statusMessage", t->doing);
	JW_KSTR(w, "createdAt", t->created_at);
	JW_KSTR(w, "lastUpdatedAt", str_is(t->updated_at) ? t->updated_at : t->created_at);
	jw_key(w, r->is_modern ? STR("ttlMs") : STR("ttl"));
	jw_null(w);
	jw_kint(w, r->is_modern ? STR("pollIntervalMs") : STR("pollInterval"), POLL_MS);
}

/* Members of a request to the client. */
static void write_elicitation(struct json_writer *w, const struct mcp_serve_wait *q)
{
	JW_KSTR(w, "method", STR("elicitation/create"));
	JW_KEY(w, "params");
	jw_obj(w);
	JW_KSTR(w, "mode", STR("form"));
	JW_KSTR(w, "message", q->prompt);
	JW_KEY(w, "requestedSchema");
	jw_raw(w, q->schema);
	jw_obj_end(w);
}

/* The answer comes with tasks/update, or with the request again. */
static void write_question(struct json_writer *w, const struct mcp_serve_wait *q)
{
	JW_KEY(w, "inputRequests");
	if (str_is(q->requests)) {
		jw_raw(w, q->requests);
		return;
	}
	jw_obj(w);
	jw_key(w, q->action_id);
	jw_obj(w);
	write_elicitation(w, q);
	jw_obj_end(w);
	jw_obj_end(w);
}

static struct mcp_serve_question_id question_id(const struct mcp_serve_turn *t,
                                                const struct mcp_serve_wait *q)
{
	return (struct mcp_serve_question_id){
		.task = { t->session_id, t->task_id, t->turn_id, t->first_sequence },
		.action_id = q->action_id,
		.is_keyed = q->is_keyed,
		.key = q->key,
	};
}

void mcp_serve_reply_input_required(struct buf *out, const struct mcp_serve_request *r,
                                    const struct mcp_serve_turn *t,
                                    const struct mcp_serve_wait *question, struct str version)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct mcp_serve_question_id id = question_id(t, question);
	struct json_writer w = mcp_serve_reply_begin(out, r, STR("input_required"));

	write_question(&w, question);
	JW_KSTR(&w, "requestState", mcp_serve_id_state(mem, &id, r->name));
	mcp_serve_reply_end(&w, r, version);
}

/* Members of a request as the tool server made it. */
static void write_request(struct json_writer *w, struct json request)
{
	JW_KSTR(w, "method", json_str(JSON_GET(request, "method")));
	if (!json_is(JSON_GET(request, "params")))
		return;
	JW_KEY(w, "params");
	jw_value(w, JSON_GET(request, "params"));
}

void mcp_serve_reply_ask(struct buf *out, const struct mcp_serve_turn *t,
                         const struct mcp_serve_wait *question)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct mcp_serve_question_id id = question_id(t, question);
	struct json requests;
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KSTR(&w, "id", mcp_serve_id_question(mem, &id));
	if (str_is(question->requests) &&
	    json_read_trusted(mem, question->requests, &requests, NULL) == OK)
		write_request(&w, json_get(requests, question->key));
	else
		write_elicitation(&w, question);
	jw_obj_end(&w);
}

void mcp_serve_reply_task_created(struct buf *out, const struct mcp_serve_request *r,
                                  const struct mcp_serve_turn *t, struct str version)
{
	struct json_writer w = mcp_serve_reply_begin(out, r, STR("task"));

	if (!r->is_modern) {
		JW_KEY(&w, "task");
		jw_obj(&w);
	}
	write_task(&w, r, t);
	if (!r->is_modern)
		jw_obj_end(&w);
	mcp_serve_reply_end(&w, r, version);
}

void mcp_serve_reply_task(struct buf *out, const struct mcp_serve_request *r,
                          const struct mcp_serve_turn *t, struct str version)
{
	struct json_writer w = mcp_serve_reply_begin(out, r, STR("complete"));
	const struct mcp_serve_wait *question = mcp_serve_turn_question(t);

	write_task(&w, r, t);
	if (r->is_modern && t->state == MCP_SERVE_WAITING && question)
		write_question(&w, question);
	if (r->is_modern && (t->state == MCP_SERVE_COMPLETED || t->state == MCP_SERVE_FAILED)) {
		JW_KEY(&w, "result");
		jw_obj(&w);
		JW_KSTR(&w, "resultType", STR("complete"));
		(t->is_call ? mcp_serve_turn_write_result : mcp_serve_turn_write)(t, &w);
		jw_obj_end(&w);
	}
	mcp_serve_reply_end(&w, r, version);
}
