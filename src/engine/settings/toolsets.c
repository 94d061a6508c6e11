/*
 * The global tools: read from the toolsets when the engine is created, and
 * again when one of them reports a change.  All of them live in one arena, so
 * that the old list can be freed at once; no pointer to it survives a step of
 * the loop.
 */
#include "engine/settings/toolsets.h"

#include "base/os/log.h"
#include "core/tool/agent_tool.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/settings_record.h"
#include "engine/engine_state.h"
#include "schema/schema.h"

/* JSON without blanks, as a record of settings has it when it is read back. */
static struct str compact(struct arena *mem, struct str text)
{
	struct json v;

	return str_is(text) && json_read(mem, text, &v, NULL) == OK ? json_text(mem, v)
	                                                            : arena_keep(mem, text);
}

/* The strings of a toolset's list are invalid once it reports a change. */
static struct tool_info tool_copy(struct arena *mem, const struct tool_info *i)
{
	struct tool_info t = *i;

	t.name = arena_keep(mem, i->name);
	t.description = arena_keep(mem, i->description);
	t.native_name = arena_keep(mem, i->native_name);
	t.annotations = compact(mem, i->annotations);
	t.definition = arena_keep(mem, i->definition);
	t.input_schema = compact(mem, i->input_schema);
	t.output_schema = compact(mem, i->output_schema);
	t.capabilities = compact(mem, i->capabilities);
	t.owner = arena_keep(mem, i->owner);
	t.host = arena_keep(mem, i->host);
	t.only_for = arena_keep(mem, i->only_for);
	return t;
}

/* A tool whose schema does not compile is an error: its arguments could not be checked. */
enum err toolsets_read(struct arena *mem, const struct tool_info *i, struct tool_info *ret,
                       struct error *err)
{
	struct schema *schema = NULL;
	enum err code = schema_compile_text(NULL, i->input_schema, NULL, &schema, err);

	if (code)
		return code;
	*ret = tool_copy(mem, i);
	ret->schema = schema;
	return OK;
}

static void tools_drop(struct arena *mem, const struct tool_info *tools, size_t count)
{
	for (size_t i = 0; i < count; i++)
		schema_compile_free((struct schema *)tools[i].schema);
	arena_free(mem);
}

static size_t count_tools(const struct engine *e)
{
	const struct tool_info *infos;
	size_t total = 0;

	for (size_t i = 0; i < e->ports.toolset_count; i++)
		total += e->ports.toolsets[i]->ops->tools(e->ports.toolsets[i], &infos);
	return total;
}

bool toolsets_have(const struct tool_info *tools, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(tools[i].name, name))
			return true;
	return false;
}

/* Tools that the core runs itself; a toolset's tool of the same name has priority. */
static enum err take_own(struct engine *e, struct tool_info *out, size_t *at, struct error *err)
{
	size_t count, others = *at;
	const struct tool_info *own = agent_tool_info_list(&count);

	for (size_t i = 0; i < count; i++) {
		struct schema *schema = NULL;
		bool is_offered = own[i].own == OWN_TOOL_UPDATE_TODO ? e->options.config->tools_todo
		                  : own[i].own == OWN_TOOL_EXIT_PLAN
		                          ? e->options.config->tools_plan
		                          : e->options.config->tools_agents;
		enum err code;

		if (!is_offered || toolsets_have(out, others, own[i].name))
			continue;
		code = schema_compile_text(NULL, own[i].input_schema, NULL, &schema, err);
		if (code)
			return code;
		out[*at] = own[i];
		out[(*at)++].schema = schema;
	}
	return OK;
}

/* The new list is complete before the old one is freed; on failure the old one stays. */
enum err toolsets_take(struct engine *e, struct error *err)
{
	size_t at = 0, own;

	agent_tool_info_list(&own);

	struct arena *mem = arena_new();
	struct tool_info *out = ARENA_ARRAY(mem, struct tool_info, count_tools(e) + own + 1);

	for (size_t i = 0; i < e->ports.toolset_count; i++) {
		const struct tool_info *infos;
		size_t count = e->ports.toolsets[i]->ops->tools(e->ports.toolsets[i], &infos);

		for (size_t n = 0; n < count; n++) {
			enum err code = toolsets_read(mem, &infos[n], &out[at], err);

			if (code) {
				tools_drop(mem, out, at);
				return code;
			}
			at++;
		}
	}
	if (take_own(e, out, &at, err) != OK) {
		tools_drop(mem, out, at);
		return ERR_INVALID;
	}
	toolsets_free(e);
	e->tools_mem = mem;
	e->settings.tools = out;
	e->settings.tool_count = at;
	settings_record_changed(e);
	return OK;
}

void toolsets_free(struct engine *e)
{
	tools_drop(e->tools_mem, e->settings.tools, e->settings.tool_count);
	e->tools_mem = NULL;
	e->settings.tools = NULL;
	e->settings.tool_count = 0;
}

static bool is_coming(struct toolset *t)
{
	return t && t->ops->is_coming && t->ops->is_coming(t);
}

/* Its client has named servers that start when the event about it is durable. */
static bool awaits_servers(const struct engine *e, struct str session_id)
{
	const struct session *s = str_is(session_id) ? map_get(&e->sessions, session_id) : NULL;

	return s && s->awaits_servers;
}

bool toolsets_are_coming(const struct engine *e, struct str cwd, struct str session_id)
{
	if (awaits_servers(e, session_id))
		return true;
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (is_coming(e->ports.toolsets[i]))
			return true;
	return is_coming(project_tools_at(e, cwd)) ||
	       is_coming(project_tools_attached(e, session_id));
}

/* Directories copy the global tools, so theirs are read again, too. */
static void on_changed(void *owner)
{
	struct engine *e = owner;
	struct error err;

	if (e->has_failed || e->is_full)
		return; /* nothing can be stored; a call of the tool reports the error */
	if (toolsets_take(e, &err) != OK)
		log_line(LOG_ERROR, "engine", "the inventory of tools stays as it was: %s",
		         err.message);
	project_tools_again(e);
	LISTENERS_CALL(e->listeners->tools_changed, e);
}

void toolsets_watch(struct engine *e)
{
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (e->ports.toolsets[i]->ops->watch)
			e->ports.toolsets[i]->ops->watch(e->ports.toolsets[i], on_changed, e);
}

static bool toolset_offers(struct toolset *t, struct str name)
{
	const struct tool_info *infos;
	size_t count = t->ops->tools(t, &infos);

	for (size_t n = 0; n < count; n++)
		if (str_eq(infos[n].name, name))
			return true;
	return false;
}

/* Global toolsets have priority over those of a directory, and those over a session's. */
struct toolset *toolsets_find(const struct engine *e, struct str cwd, struct str session_id,
                              struct str name)
{
	struct toolset *here = project_tools_at(e, cwd);
	struct toolset *own = project_tools_attached(e, session_id);

	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (toolset_offers(e->ports.toolsets[i], name))
			return e->ports.toolsets[i];
	if (here && toolset_offers(here, name))
		return here;
	return own && toolset_offers(own, name) ? own : NULL;
}
