/*
 * Commands about a delegation, one after the other.  A command that the runtime cannot take now is
 * sent again; one that it refuses means that the run is not ours any more.
 */
#include "base/gen/limits.h"
#include "base/hash/base64.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/os/log.h"
#include "base/utf8.h"
#include "peer/peer_int.h"

#define AGAIN_MS 500
#define REASON_MAX 512
#define SUMMARY_MAX 4096

static void on_answer(struct control_call *call, const struct control_answer *a);

static struct json_writer begin_params(struct peer_run *r)
{
	struct json_writer w;

	buf_clear(&r->params);
	jw_init(&w, &r->params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", r->session_id);
	return w;
}

static struct json_writer begin_run(struct peer_run *r)
{
	struct json_writer w = begin_params(r);

	JW_KSTR(&w, "taskId", r->task_id);
	JW_KSTR(&w, "runId", r->run_id);
	return w;
}

/* The adapter acts for the agent: it may report and read, and approves nothing. */
static void send_command(struct peer_run *r, enum peer_command what, struct str name)
{
	struct control *c = r->peer->set->control;

	r->command = what;
	r->call = (struct control_call){
		.caller = { .principal = r->peer->principal,
		            .via = STR("a2a"),
		            .channel_id = peer_card_channel(r->peer),
		            .scopes = SCOPE_BIT(SCOPE_READ) | SCOPE_BIT(SCOPE_WRITE) },
		.command = name,
		.params = buf_str(&r->params),
		.done = on_answer,
		.owner = r,
	};
	c->ops->call(c, &r->call);
}

void peer_report_read(struct peer_run *r, enum peer_command what, struct str ref)
{
	struct json_writer w = begin_params(r);

	JW_KSTR(&w, "outputRef", ref);
	JW_KINT(&w, "offset", (int64_t)(what == PEER_COMMAND_INPUT ? r->input.len : r->answer.len));
	jw_obj_end(&w);
	send_command(r, what, STR("get_output"));
}

/* ---- states ---- */

static void write_remote(struct json_writer *w, struct peer_run *r)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	if (!str_is(r->remote.task_id) && !r->remote.is_direct)
		return;
	JW_KEY(w, "remoteTask");
	jw_obj(w);
	JW_KSTR(w, "nativeProtocol", STR("a2a"));
	JW_KSTR(w, "remoteTaskId",
	        str_is(r->remote.task_id) ? r->remote.task_id : STR(PEER_NO_TASK));
	JW_KOPT(w, "remoteContextId", r->remote.context_id);
	JW_KSTR(w, "remoteAgentRef", r->peer->name);
	JW_KOPT(w, "agentCardRef", peer_card_ref(r->peer, mem));
	JW_KSTR(w, "deliveryMechanism",
	        r->peer->agent.is_streaming ? STR("streaming") : STR("polling"));
	if (r->remote.state)
		JW_KSTR(w, "remoteStatus", a2a_state_word(r->remote.state));
	JW_KOPT(w, "lastMessageId", r->remote.message_id);
	jw_obj_end(w);
}

void peer_report_state(struct peer_run *r, enum peer_state state, struct str reason)
{
	struct json_writer w = begin_run(r);

	JW_KSTR(&w, "state", peer_state_word(state));
	write_remote(&w, r);
	if (state == PEER_STATE_CARD_CHANGED)
		JW_KSTR(&w, "message",
		        arena_printf(r->mem, "It says that it is %.*s, at %.*s.",
		                     STR_ARG(r->peer->agent.name), STR_ARG(r->peer->agent.url)));
	else if (r->remote.text.len)
		JW_KSTR(&w, "message", r->remote.text);
	if (str_is(reason))
		JW_KSTR(&w, "reason", utf8_head(reason, REASON_MAX));
	jw_obj_end(&w);
	r->told = state;
	buf_clear(&r->told_id);
	buf_add_str(&r->told_id, r->remote.message_id);
	r->wants_report = false;
	send_command(r, PEER_COMMAND_STATE, STR("report_delegation"));
}

/* ---- artifacts ---- */

static void write_content(struct json_writer *w, struct peer_run *r, const struct a2a_part *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (p->kind == A2A_PART_TEXT || p->kind == A2A_PART_DATA) {
		JW_KSTR(w, "text", p->value);
		return;
	}
	if (p->kind == A2A_PART_URL)
		base64_write(&out, buf_str(&r->file_body));
	else
		buf_add_str(&out, p->value);
	JW_KSTR(w, "bytes", buf_str(&out));
}

void peer_report_artifact(struct peer_run *r, const struct a2a_remote_artifact *a, size_t part)
{
	const struct a2a_part *p = &a->parts[part];
	struct json_writer w = begin_run(r);
	struct str id =
		a->count > 1 ? arena_printf(r->mem, "%.*s#%zu", STR_ARG(a->id), part + 1) : a->id;

	JW_KSTR(&w, "state", peer_state_word(PEER_STATE_ENDED));
	write_remote(&w, r);
	JW_KEY(&w, "artifact");
	jw_obj(&w);
	JW_KSTR(&w, "remoteId", utf8_head(id, LIMIT_A2A_ID_BYTES));
	JW_KOPT(&w, "name", str_is(p->name) ? p->name : a->name);
	JW_KOPT(&w, "mediaType",
	        str_is(p->type)            ? p->type
	        : p->kind == A2A_PART_DATA ? STR("application/json")
	                                   : STR_NONE);
	write_content(&w, r, p);
	jw_obj_end(&w);
	jw_obj_end(&w);
	send_command(r, PEER_COMMAND_ARTIFACT, STR("report_delegation"));
}

/* ---- ends ---- */

/* The text that a model or a person reads first: the message, or the first text. */
static struct str summary_of(const struct peer_run *r)
{
	for (size_t i = 0; i < r->remote.artifact_count && !r->remote.is_direct; i++)
		for (size_t n = 0; n < r->remote.artifacts[i].count; n++)
			if (r->remote.artifacts[i].parts[n].kind == A2A_PART_TEXT)
				return r->remote.artifacts[i].parts[n].value;
	return str_is(r->remote.text) ? r->remote.text : STR("");
}

void peer_report_complete(struct peer_run *r)
{
	struct json_writer w = begin_run(r);
	struct str summary = utf8_head(summary_of(r), SUMMARY_MAX - 4);

	if (summary.len)
		JW_KSTR(&w, "summary", summary);
	jw_obj_end(&w);
	send_command(r, PEER_COMMAND_END, STR("complete_task"));
}

void peer_report_fail(struct peer_run *r, const char *category, struct str why)
{
	struct json_writer w = begin_run(r);

	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KSTR(&w, "category", str_from(category));
	JW_KSTR(&w, "message", utf8_head(why, REASON_MAX));
	jw_obj_end(&w);
	jw_obj_end(&w);
	send_command(r, PEER_COMMAND_END, STR("fail_task"));
}

/* ---- replies ---- */

static bool take_text(struct peer_run *r, struct buf *to, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;
	struct error e;

	if (json_read_trusted(mem, a->body, &v, &e) != OK)
		return false;
	to->max = LIMIT_PEER_ITEM_BYTES;
	buf_add_str(to, json_str(JSON_GET(v, "text")));
	return json_bool(JSON_GET(v, "eof"), true) || !json_int(JSON_GET(v, "bytes"), 0);
}

static void command_done(struct peer_run *r, enum peer_command what, const struct control_answer *a)
{
	switch (what) {
	case PEER_COMMAND_INPUT:
		r->has_input = take_text(r, &r->input, a);
		break;
	case PEER_COMMAND_ANSWER:
		r->has_answer = take_text(r, &r->answer, a);
		break;
	case PEER_COMMAND_ARTIFACT:
		r->part++;
		peer_file_drop(r);
		break;
	case PEER_COMMAND_END:
		r->is_gone = true;
		break;
	case PEER_COMMAND_STATE:
		/* Of a task that its agent does not know any more, nothing is left to do. */
		r->is_gone = r->told == PEER_STATE_MISSING;
		break;
	default:
		break;
	}
}

static bool is_temporary(const struct control_answer *a)
{
	return a->http == 503 || a->http == 429 || a->http == 507;
}

/* The run is not ours any more: it has ended, or its task is gone. */
static bool is_foreign(enum error_code code)
{
	return code == ERROR_CODE_STALE_RUN || code == ERROR_CODE_ALREADY_ENDED ||
	       code == ERROR_CODE_TASK_NOT_FOUND || code == ERROR_CODE_SESSION_NOT_FOUND ||
	       code == ERROR_CODE_SESSION_DELETED;
}

static void take_refusal(struct peer_run *r, enum peer_command what, const struct control_answer *a)
{
	if (is_foreign(a->code)) {
		r->is_gone = true;
	} else if (a->code == ERROR_CODE_CANCELLING) {
		r->is_cancelling = true; /* the event that says so is on its way */
	} else if (what == PEER_COMMAND_ARTIFACT) {
		peer_state_say(r, STR("An artifact of the agent is invalid"));
		r->tries = LIMIT_PEER_DELIVER_TRIES;
	} else if (a->code == ERROR_CODE_ACCEPTANCE_UNMET) {
		/* The agent did its part, and the task wants more than that. */
		peer_state_fail(r, "acceptance_unmet",
		                STR("The remote agent has completed the task, "
		                    "and its criteria are not met"));
	} else {
		log_line(LOG_WARN, "peer", "%.*s: a report was refused: %.*s", STR_ARG(r->task_id),
		         STR_ARG(error_code_word(a->code)));
		if (what == PEER_COMMAND_END)
			r->is_gone = true;
		else
			peer_state_fail(r, "internal", a->title);
	}
}

static void on_answer(struct control_call *call, const struct control_answer *a)
{
	struct peer_run *r = call->owner;
	enum peer_command what = r->command;

	r->command = PEER_COMMAND_NONE;
	buf_done(&r->params);
	if (!a->code) {
		command_done(r, what, a);
		peer_state_later(r, 0);
	} else if (is_temporary(a)) {
		r->wants_report = true;
		r->told = 0;
		peer_state_later(r, AGAIN_MS);
	} else {
		take_refusal(r, what, a);
		peer_state_later(r, 0);
	}
}

void peer_report_forget(struct peer_run *r)
{
	struct control *c = r->peer->set->control;

	if (r->command && c)
		c->ops->forget(c, &r->call);
	r->command = PEER_COMMAND_NONE;
	buf_done(&r->params);
}
