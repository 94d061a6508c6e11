/*
 * Arguments of a tool call: whether the tool accepts them, and their redacted
 * form.
 */
#include "core/tool/tool_args.h"
#include "core/process/process.h"
#include "core/tool/call_input.h"
#include "core/tool/safe_args.h"
#include "schema/schema.h"

/* An answer may hold many calls, and the caller wrote the schema: each check is short. */
static const struct schema_options caller_schema = { .max_steps = 20000 };

/* spec: contracts/tool-context-capabilities — input is checked before anything runs. */
struct str tool_args_wrong(struct decision *d, const struct tool_info *tool, struct json args)
{
	struct schema_report report = { .mem = d->mem, .max = 1 };
	CLEANUP(schema_freep) struct schema *own = NULL;
	struct error err;

	/* The offer was refused unless its schemas compile. */
	if (tool && tool->is_client &&
	    schema_compile_text(NULL, tool->input_schema, &caller_schema, &own, &err) != OK)
		return arena_printf(d->mem, "the schema of the tool cannot be read: %s",
		                    err.message);
	if (!tool || (!tool->schema && !own) ||
	    schema_check(own ? own : tool->schema, args, &report))
		return STR_NONE;
	return arena_printf(
		d->mem, "%.*s %.*s",
		STR_ARG(report.errors[0].path.len ? report.errors[0].path : STR("the input")),
		STR_ARG(report.errors[0].message));
}

struct str tool_args_shown(struct decision *d, const struct st_call *c, struct str args,
                           bool *ret_redacted)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	struct json v;

	*ret_redacted = false;
	if (!tool || json_read_trusted(d->mem, args, &v, NULL) != OK)
		return args;
	return safe_args(d->mem, tool->input_schema, v, ret_redacted);
}

/* Inline arguments are redacted already; those behind a ref are complete. */
struct str tool_args_of_call(struct decision *d, const struct st_call *c)
{
	struct str args = call_input_text(d, c);
	bool is_redacted;

	return c->redacted && !str_is(c->args) ? tool_args_shown(d, c, args, &is_redacted) : args;
}

struct str tool_args_ref(struct decision *d, const struct st_call *c)
{
	return str_is(c->args_ref) ? c->args_ref
	                           : decision_new_blob(d, STR("application/json"), c->args);
}

/* Without secrets the complete arguments serve as the shown ones, and nothing is stored twice. */
struct str tool_args_shown_ref(struct decision *d, const struct ev_tool_args *p, struct str safe)
{
	if (str_is(p->safe_args) || !str_is(p->input_ref))
		return STR_NONE;
	return p->redacted ? decision_new_blob(d, STR("application/json"), safe) : p->input_ref;
}

void tool_args_add_shown(struct decision *d, struct event *ev, const struct ev_tool_args *p)
{
	if (str_is(p->safe_args_ref) && !str_eq(p->safe_args_ref, p->input_ref))
		decision_add_ref(d, ev, STR("safeArgs"), p->safe_args_ref);
}

static bool has_process(const struct state *w, struct str process_id)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++)
		if (process_in_thread(w->s->threads.items[i], process_id))
			return true;
	return false;
}

struct str tool_args_process(struct decision *d, const struct st_call *c)
{
	struct str args = tool_args_of_call(d, c), id;
	struct json v;

	if (!str_is(args) || str_find(args, STR("\"processId\"")) < 0 ||
	    json_read_trusted(d->mem, args, &v, NULL) != OK)
		return STR_NONE;
	id = json_str(JSON_GET(v, "processId"));
	return has_process(d->w, id) ? id : STR_NONE;
}
