/* Opens and ends the call of a turn without a model. */
#include "core/turn/turn_call.h"

#include "core/context/context.h"
#include "core/tool/call_input.h"

static bool has_options_for_models(const struct cmd_submit_turn *cmd)
{
	return str_is(cmd->model) || cmd->fallback || str_is(cmd->task_kind) ||
	       cmd->requires.count || cmd->latency || cmd->effort || cmd->has_budget_usd ||
	       str_is(cmd->output_schema) || cmd->context.count || cmd->tools.count ||
	       cmd->background;
}

bool turn_call_check(struct decision *d, const struct cmd_submit_turn *cmd,
                     const struct turn_input *in)
{
	struct json arguments;

	if (!cmd->call)
		return true;
	if (has_options_for_models(cmd)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "call: the turn has no model, so model, fallback, taskKind, "
		                "requires, latency, effort, budgetUsd, outputSchema, context, "
		                "tools and background do not apply");
		return false;
	}
	if (in->images.count || in->files.count || in->paths.count) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "call: input is text that says what is called; images and files "
		                "belong into the arguments");
		return false;
	}
	if (!str_is(cmd->call->arguments) ||
	    (json_read_trusted(d->mem, cmd->call->arguments, &arguments, NULL) == OK &&
	     json_type(arguments) == JSON_OBJ))
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "call.arguments: it is an object");
	return false;
}

struct rec_requested_tool *turn_call_kept(struct decision *d, const struct rec_tool_request *in)
{
	struct str arguments = str_is(in->arguments) ? in->arguments : STR("{}");

	return KEPT(d, struct rec_requested_tool, .tool = in->tool, .client = in->client,
	            .arguments_ref = decision_new_blob(d, STR("application/json"), arguments));
}

/* Its input cannot be read, so the call cannot be made. */
static void emit_lost_input(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct event *ev = decision_in_turn(
		EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_INTERNAL,
	             .message = STR("The arguments of the call cannot be read.")),
		th, t);

	ev->status = STATUS_FAILED;
}

bool turn_call_open(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct st_call asked = { .args_ref = t->call_args_ref };
	struct model_call call = { .name = t->call_tool };

	/* The tools of the directory come with its context. */
	if (!context_is_read(d, t))
		return false;
	switch (call_input(d, &asked, &call.args)) {
	case CALL_INPUT_WANTED:
		return false;
	case CALL_INPUT_LOST:
		emit_lost_input(d, th, t);
		return true;
	default:
		break;
	}
	turn_start_emit_inventory(d, th, t);
	/* The catalogue is a step of its own, which the fold counts only later. */
	turn_model_open_call(d, th, t, &call, t->step_count + 2);
	return true;
}

void turn_call_end(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	if (t->last_error)
		turn_end_fail(d, th, t);
	else
		turn_end_finish(d, th, t);
}
