/* complete_tool_call: the result of a tool that the caller runs. */
#include "core/gen/tables.h"
#include "core/tool/client_tool.h"

/* A JSON string is the text itself; any other value is read as its JSON text. */
static struct str text_of(struct decision *d, struct str output, struct str *ret_structured)
{
	struct json v;

	*ret_structured = STR_NONE;
	if (json_read_trusted(d->mem, output, &v, NULL) == OK && json_type(v) == JSON_STR)
		return json_str(v);
	if (json_type(v) == JSON_OBJ)
		*ret_structured = output;
	return output;
}

static const struct st_call *find_call(struct decision *d, struct str call_id,
                                       const struct st_turn **ret_turn)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_call *c = state_thread_call(d->w->s->threads.items[i], call_id);

		if (!c)
			continue;
		*ret_turn = state_thread_turn(d->w->s->threads.items[i], c->turn_id);
		return *ret_turn ? c : NULL;
	}
	return NULL;
}

/* Other calls of the turn that wait for their caller. */
static int64_t waiting_beside(const struct decision *d, const struct st_call *c)
{
	const struct st_thread *th;
	int64_t count = 0;

	if (!state_turn(d->w, c->turn_id, &th))
		return 0;
	for (uint32_t i = 0; i < th->calls.count; i++)
		count += th->calls.items[i] != c &&
		         str_eq(th->calls.items[i]->turn_id, c->turn_id) &&
		         client_tool_is_waiting(th->calls.items[i]);
	return count;
}

/* The first result counts; a stopping turn takes none, because its calls end with it. */
void decide_complete_tool_call(struct decision *d, const struct cmd_complete_tool_call *cmd)
{
	const struct st_turn *t = NULL;
	const struct st_call *c = find_call(d, cmd->tool_call_id, &t);
	struct reply_complete_tool_call r = { .session_id = d->session_id,
		                              .tool_call_id = cmd->tool_call_id };
	struct tool_end end = { .is_error = cmd->is_error };

	if (!c) {
		decision_refuse(d, ERROR_CODE_TOOL_CALL_NOT_FOUND, "%.*s is not an open call here",
		                STR_ARG(cmd->tool_call_id));
		return;
	}
	if (call_is_over(c) || t->stage == TURN_STAGE_STOPPING) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "the call has ended: %.*s",
		                STR_ARG(call_is_over(c) ? status_word(c->status)
		                                        : STR("its turn is being stopped")));
		return;
	}
	if (!client_tool_is_waiting(c)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "toolCallId: %.*s does not wait for a client",
		                STR_ARG(cmd->tool_call_id));
		return;
	}
	r.first_sequence = d->w->s->sequence + (int64_t)d->count + 1;
	r.waiting = waiting_beside(d, c);
	end.text = text_of(d, cmd->output, &end.structured);
	end.output_bytes = (int64_t)end.text.len;
	turn_result_tool_end(d, t->turn_id, c->tool_call_id, &end);
	r.turn_id = t->turn_id;
	d->reply = rec_text(d->mem, &reply_complete_tool_call_desc, &r);
}
