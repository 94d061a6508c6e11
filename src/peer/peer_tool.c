/*
 * Remote agents in the tool inventory.  A call of a model becomes a task with that agent as its
 * worker, and ends with the task.
 *
 *   start ──► create_task ──► start_task ──► (the run ends) ──► end
 *                └──────────────┴── refused ────────────────────┘
 *
 * The ids follow from the id of the call, so that the same call is the same task.
 */
#include "base/gen/limits.h"
#include "base/gen/tool_errors.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/utf8.h"
#include "peer/peer_int.h"

#define TIMEOUT_MS 86400000
#define OBJECTIVE_MAX 8000
#define OUTPUT_MAX ((size_t)1 << 20)
#define SCHEMA                                                                                     \
	"{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\",\"minLength\":1,"     \
	"\"maxLength\":32768,\"description\":\"The complete task. The agent sees nothing of "      \
	"this conversation.\"}},\"required\":[\"input\"],\"additionalProperties\":false}"

struct tool_handle {
	struct list node; /* of the set */
	struct peer_set *set;
	struct peer *peer;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	struct loop_timer timer;
	struct control_call call;
	struct buf params;
	struct str session_id, thread_id, task_id, input;
	struct trace_headers trace; /* of the call */
	struct peer_run *run;       /* NULL: it has not begun, or has ended */
	bool is_calling, is_started, is_cancelled, is_over;
	struct buf output;
	struct tool_error error;
};

void peer_tool_describe(struct peer *p, struct tool_info *ret)
{
	struct arena *mem = p->set->mem;

	*ret = (struct tool_info){
		.name = arena_printf(mem, "peer__%.*s", STR_ARG(p->name)),
		.native_name = p->name,
		.description = arena_printf(
			mem,
			"Delegates work to the remote agent %.*s and waits for its result. %.*s",
			STR_ARG(p->name),
			STR_ARG(str_is(p->description) ? p->description : STR(""))),
		.input_schema = STR(SCHEMA),
		.capabilities = STR("[\"custom\",\"network\"]"),
		.policy = TOOL_POLICY_ASK,
		.owner = arena_printf(mem, "subagent:%.*s", STR_ARG(p->name)), /* TOL-03 */
		.kind = ITEM_KIND_TOOL_CALL,
		.is_concurrency_safe = true,
		.interrupt = INTERRUPT_BEHAVIOR_CANCEL,
		.timeout_ms = TIMEOUT_MS,
	};
}

/* ---- the end of a call ---- */

static void handle_free(struct tool_handle *h)
{
	struct control *c = h->set->control;

	loop_timer_stop(&h->timer);
	list_remove(&h->node);
	if (h->is_calling && c)
		c->ops->forget(c, &h->call);
	if (h->run)
		h->run->handle = NULL;
	buf_done(&h->params);
	buf_done(&h->output);
	arena_free(h->mem);
}

static void on_over(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);
	struct tool_end end = { .executed = h->is_started ? EXECUTED_UNKNOWN : EXECUTED_NO,
		                .cancelled = h->is_cancelled };
	struct tool_sink sink = h->sink;
	void *owner = h->owner;

	if (!h->is_cancelled && h->error.category.len)
		tool_end_fail(&end, &h->error);
	else if (!h->is_cancelled)
		end.executed = EXECUTED_YES;
	if (h->output.len)
		sink.output(owner, buf_str(&h->output));
	sink.end(owner, &end);
	handle_free(h);
}

static void end_later(struct tool_handle *h)
{
	if (h->is_over)
		return;
	h->is_over = true;
	if (h->run)
		h->run->handle = NULL;
	h->run = NULL;
	loop_timer_start(h->set->o.loop, &h->timer, 0, on_over);
}

/* Texts of the agent; files are artifacts of the task. */
static void write_output(struct tool_handle *h, const struct a2a_remote *r)
{
	h->output.max = OUTPUT_MAX;
	if (r->is_direct || !r->artifact_count)
		buf_add_str(&h->output, str_is(r->text) ? r->text : STR("The agent is done."));
	for (size_t i = 0; i < r->artifact_count && !r->is_direct; i++)
		for (size_t n = 0; n < r->artifacts[i].count; n++) {
			const struct a2a_part *p = &r->artifacts[i].parts[n];

			if (h->output.len)
				buf_add_char(&h->output, '\n');
			if (p->kind == A2A_PART_TEXT || p->kind == A2A_PART_DATA)
				buf_add_str(&h->output, p->value);
			else
				buf_printf(&h->output,
				           "(a file, stored as an artifact of task %.*s)",
				           STR_ARG(h->task_id));
		}
}

void peer_tool_ended(struct peer_run *r, const char *category, struct str text)
{
	struct tool_handle *h = r->handle;

	if (!h)
		return;
	if (category)
		h->error = tool_error_remote_agent_failed(h->mem, arena_keep(h->mem, text));
	else
		write_output(h, &r->remote);
	end_later(h);
}

void peer_tool_join(struct peer_set *s, struct peer_run *r)
{
	LIST_EACH (&s->handles, node) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (!str_eq(h->task_id, r->task_id) || h->is_over)
			continue;
		h->run = r;
		r->handle = h;
	}
}

/* ---- the task ---- */

static void on_reply(struct control_call *call, const struct control_answer *a);

static struct json_writer begin_params(struct tool_handle *h)
{
	struct json_writer w;

	buf_clear(&h->params);
	jw_init(&w, &h->params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", h->session_id);
	JW_KSTR(&w, "taskId", h->task_id);
	return w;
}

/* The call was permitted before it started, so the command may stand for an approval. */
static void send_command(struct tool_handle *h, const char *command)
{
	struct control *c = h->set->control;

	h->is_calling = true;
	h->call = (struct control_call){
		.caller = { .principal = STR("owner"), .via = STR("tool"), .scopes = SCOPES_ALL },
		.command = str_from(command),
		.params = buf_str(&h->params),
		.done = on_reply,
		.owner = h
	};
	if (str_is(h->trace.parent))
		trace_context_read(h->trace.parent, h->trace.state, &h->call.caller.trace);
	c->ops->call(c, &h->call);
}

static void create_task(struct tool_handle *h)
{
	struct json_writer w = begin_params(h);

	JW_KSTR(&w, "threadId", h->thread_id);
	JW_KSTR(&w, "objective", utf8_head(h->input, OBJECTIVE_MAX));
	JW_KSTR(&w, "taskKind", STR("delegation"));
	jw_obj_end(&w);
	send_command(h, "create_task");
}

static void start_task(struct tool_handle *h)
{
	struct json_writer w = begin_params(h);

	JW_KEY(&w, "worker");
	jw_obj(&w);
	JW_KSTR(&w, "kind", STR("peer"));
	JW_KSTR(&w, "ref", h->peer->name);
	jw_obj_end(&w);
	JW_KSTR(&w, "input", h->input);
	jw_obj_end(&w);
	h->is_started = true;
	send_command(h, "start_task");
}

static void cancel_task(struct tool_handle *h)
{
	struct json_writer w = begin_params(h);

	JW_KSTR(&w, "reason", STR("the call of the model was cancelled"));
	jw_obj_end(&w);
	send_command(h, "cancel_task");
}

static void on_reply(struct control_call *call, const struct control_answer *a)
{
	struct tool_handle *h = call->owner;
	bool was_created = str_eq(call->command, STR("create_task"));

	h->is_calling = false;
	if (h->is_cancelled) {
		if (h->is_started && !str_eq(call->command, STR("cancel_task")))
			cancel_task(h);
		else
			end_later(h);
		return;
	}
	if (a->code && !(was_created && a->code == ERROR_CODE_ID_CONFLICT)) {
		h->error = tool_error_remote_agent_refused(h->mem, arena_keep(h->mem, a->title));
		end_later(h);
	} else if (was_created) {
		start_task(h);
	}
}

/* ---- the port ---- */

static void on_refused(struct loop_timer *t)
{
	struct tool_handle *h = OWNER_OF(t, struct tool_handle, timer);

	h->error = tool_error_remote_agent_refused(h->mem, STR("the runtime stops"));
	end_later(h);
}

struct tool_handle *peer_tool_start(struct peer_set *s, const struct tool_start *start,
                                    const struct tool_sink *sink, void *owner)
{
	struct arena *mem = arena_new_small();
	struct tool_handle *h = ARENA_NEW(mem, struct tool_handle);
	struct json args;

	*h = (struct tool_handle){ .set = s, .mem = mem, .sink = *sink, .owner = owner };
	list_init(&h->node);
	list_add(&s->handles, &h->node);
	h->session_id = arena_keep(mem, start->session_id);
	h->trace = trace_context_keep(mem, start->trace);
	h->thread_id = arena_keep(mem, start->thread_id);
	h->task_id = arena_printf(mem, "task_%.*s", STR_ARG(start->call_id));
	h->peer = peer_state_find_agent(s, str_skip(start->name, strlen("peer__")));
	if (json_read(mem, start->args, &args, NULL) == OK)
		h->input = json_str(JSON_GET(args, "input"));
	if (h->peer && str_is(h->input) && s->control && !s->is_stopping)
		create_task(h);
	else
		loop_timer_start(s->o.loop, &h->timer, 0, on_refused);
	return h;
}

void peer_tool_cancel(struct tool_handle *h)
{
	struct peer_set *s = h->set;

	if (h->is_cancelled || h->is_over)
		return;
	h->is_cancelled = true;
	if (h->is_calling)
		return; /* its reply continues */
	if (h->is_started && s->control && !s->is_stopping)
		cancel_task(h);
	else
		end_later(h);
}

/* Calls end as lost or cancelled with the runtime; their tasks continue. */
void peer_tool_stop(struct peer_set *s)
{
	LIST_EACH (&s->handles, node) {
		struct tool_handle *h = LIST_ITEM(node, struct tool_handle, node);

		if (h->is_calling)
			s->control->ops->forget(s->control, &h->call);
		h->is_calling = false;
		h->is_cancelled = true;
		end_later(h);
	}
}

void peer_tool_close(struct peer_set *s)
{
	while (!list_is_empty(&s->handles))
		handle_free(LIST_ITEM(s->handles.next, struct tool_handle, node));
}
