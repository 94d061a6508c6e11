/*
 * Documents: the head of a trajectory, and texts that events refer to.
 */
#include "export/atif/atif_int.h"

bool atif_doc_read(struct atif *a, struct str ref, struct buf *out)
{
	if (str_is(ref) && a->o.port.read(a->o.port.arg, ref, ATIF_TEXT_MAX, out))
		return true;
	a->groups.texts_missing++;
	return false;
}

struct atif_doc *atif_doc_add(struct atif *a, struct atif_doc *parent, struct str id)
{
	struct atif_doc *d = ARENA_NEW(a->mem, struct atif_doc);

	d->id = arena_keep(a->mem, id);
	d->parent = parent;
	if (parent->last)
		parent->last->next = d;
	else
		parent->first = d;
	parent->last = d;
	return d;
}

static void write_tool(struct json_writer *w, struct json tool)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("function"));
	JW_KEY(w, "function");
	jw_obj(w);
	JW_KSTR(w, "name", atif_text(tool, "toolName"));
	JW_KOPT(w, "description", atif_text(tool, "description"));
	atif_put(w, "parameters", JSON_GET(tool, "inputSchema"));
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_tools(struct atif *a)
{
	struct json_iter it = json_iter(a->tools);
	struct json tool;
	struct str key;

	if (!a->uses_tools || !str_is(a->at->thread))
		return;
	JW_KEY(&a->w, "tool_definitions");
	jw_arr(&a->w);
	while (json_next(&it, &key, &tool))
		write_tool(&a->w, tool);
	jw_arr_end(&a->w);
}

static void write_agent(struct atif *a)
{
	size_t from;

	JW_KEY(&a->w, "agent");
	from = a->out.len;
	jw_obj(&a->w);
	JW_KSTR(&a->w, "name", STR("thole"));
	JW_KSTR(&a->w, "version", a->o.version);
	JW_KOPT(&a->w, "model_name", str_is(a->at->model) ? a->at->model : a->model);
	write_tools(a);
	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	JW_KOPT(&a->w, "role", a->at->role);
	if (a->uses_tools && a->has_more_tools && str_is(a->at->thread))
		JW_KBOOL(&a->w, "toolDefinitionsTruncated", true);
	jw_obj_end(&a->w);
	jw_obj_end(&a->w);
	atif_clean_from(a, from);
}

/* The head waits for the first step, because the model is not known before. */
void atif_doc_open(struct atif *a)
{
	if (a->at->is_begun)
		return;
	a->at->is_begun = true;
	jw_obj(&a->w);
	JW_KSTR(&a->w, "schema_version", ATIF_SCHEMA);
	JW_KOPT(&a->w, "session_id", a->session);
	JW_KOPT(&a->w, "trajectory_id", a->at->id);
	write_agent(a);
	JW_KEY(&a->w, "steps");
	jw_arr(&a->w);
}
