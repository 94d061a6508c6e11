/* Finds the arguments of a call that are too large for its events. */
#include "core/tool/call_input.h"

static const struct call_input *find_input(const struct call_input *inputs, struct str ref)
{
	for (const struct call_input *i = inputs; i; i = i->next)
		if (str_eq(i->ref, ref))
			return i;
	return NULL;
}

/*
 * An input that was read and could not be found is in the list without text: that is lost, not
 * missing.
 */
bool call_input_is_missing(const struct call_input *inputs, const struct st_call *c)
{
	return !str_is(c->args) && str_is(c->args_ref) && !find_input(inputs, c->args_ref);
}

struct str call_input_text(const struct decision *d, const struct st_call *c)
{
	const struct call_input *i;

	if (str_is(c->args) || !str_is(c->args_ref))
		return c->args;
	i = find_input(d->inputs, c->args_ref);
	return i ? i->text : STR_NONE;
}

enum call_input_state call_input(struct decision *d, const struct st_call *c, struct str *ret_text)
{
	struct str text = call_input_text(d, c);

	if (str_is(text)) {
		*ret_text = text;
		return CALL_INPUT_KNOWN;
	}
	if (!call_input_is_missing(d->inputs, c))
		return CALL_INPUT_LOST;
	d->wants_input = c->args_ref;
	return CALL_INPUT_WANTED;
}

struct str call_input_ref(const struct event *ev)
{
	const struct ev_turn_submitted *submitted = ev->payload;
	const struct ev_tool_args *args = ev->payload;

	if (ev->type == EV_TURN_SUBMITTED)
		return submitted->options && submitted->options->call
		               ? submitted->options->call->arguments_ref
		               : STR_NONE;
	return ev->type == EV_TOOL_ARGS && !str_is(args->safe_args) ? args->input_ref : STR_NONE;
}
