/*
 * Tools of directories: a separate toolset for each directory that sessions
 * work in, started before the first turn there is prepared and closed when none
 * of those sessions is in memory any more.  The toolset of the runtime's own
 * directory starts with the runtime and stays.
 *
 * Its tools follow the global ones; two directories may have tools of the same
 * name, because no session sees both.
 *
 * A session whose client names tool servers has a toolset of its own, behind
 * those of its directory, as long as the session is in memory.
 *
 * Every turn checks whether the directory's configuration has changed.  If so,
 * another toolset is started; running calls finish with the old one, which is
 * closed after them.
 */
#include "engine/settings/project_tools.h"

#include "base/os/log.h"
#include "engine/effects/effects.h"
#include "engine/session/session_place.h"
#include "engine/settings/settings_record.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"
#include "schema/schema.h"

/* Each may run several tool servers. */
#define TOOL_PLACES_MAX 16
/* Sessions with servers of their own; the same. */
#define SESSIONS_MAX 64
#define OWNER_SESSIONS_MAX 16 /* of one principal with a limited reach, so that others get some */
#define ATTACHED_MAX 256      /* their servers together, before one more session is accepted */

struct tool_place {
	struct list node;
	struct arena *mem;
	struct engine *engine;
	struct str cwd;
	struct str session_id; /* whose servers they are; absent: of the directory */
	struct toolset *toolset;
	bool is_old; /* another one has replaced it */

	struct arena *tools_mem;
	struct tool_info
		*tools; /* the first are copies: global ones, of a session the directory's too */
	size_t tool_count, shared_count;
	uint64_t tick; /* another one when they change */
};

static struct tool_place *place_find(const struct engine *e, struct str cwd)
{
	LIST_EACH (&e->tool_places, node) {
		struct tool_place *p = LIST_ITEM(node, struct tool_place, node);

		if (!p->is_old && !str_is(p->session_id) && str_eq(p->cwd, cwd))
			return p;
	}
	return NULL;
}

static struct tool_place *place_of_session(const struct engine *e, struct str session_id)
{
	LIST_EACH (&e->tool_places, node) {
		struct tool_place *p = LIST_ITEM(node, struct tool_place, node);

		if (!p->is_old && str_is(session_id) && str_is(p->session_id) &&
		    str_eq(p->session_id, session_id))
			return p;
	}
	return NULL;
}

struct toolset *project_tools_attached(const struct engine *e, struct str session_id)
{
	struct tool_place *p = place_of_session(e, session_id);

	return p ? p->toolset : NULL;
}

struct toolset *project_tools_at(const struct engine *e, struct str cwd)
{
	struct tool_place *p = place_find(e, cwd);

	return p ? p->toolset : NULL;
}

/* Of all sessions with servers of their own: those whose ids begin so. */
static size_t count_sessions(const struct engine *e, struct str prefix)
{
	size_t count = 0;

	LIST_EACH (&e->tool_places, node) {
		struct str id = LIST_ITEM(node, struct tool_place, node)->session_id;

		count += str_is(id) && str_starts(id, prefix);
	}
	return count;
}

size_t project_tools_list(const struct engine *e, struct arena *mem, struct toolset_at **ret)
{
	size_t count = 0;

	*ret = ARENA_ARRAY(mem, struct toolset_at,
	                   e->ports.toolset_count + e->tool_place_count +
	                           count_sessions(e, STR("")) + 1);
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		(*ret)[count++] = (struct toolset_at){ .toolset = e->ports.toolsets[i],
			                               .cwd = e->settings.cwd };
	LIST_EACH (&e->tool_places, node) {
		struct tool_place *p = LIST_ITEM(node, struct tool_place, node);

		if (!p->is_old)
			(*ret)[count++] = (struct toolset_at){ .toolset = p->toolset,
				                               .cwd = p->cwd,
				                               .session_id = p->session_id };
	}
	return count;
}

uint64_t project_tools_fill(const struct engine *e, struct str cwd, struct str session_id,
                            struct settings *s)
{
	const struct tool_place *p = place_of_session(e, session_id);

	if (!p || p->tool_count == p->shared_count || !str_eq(p->cwd, cwd))
		p = place_find(e, cwd);
	if (!p || p->tool_count == p->shared_count)
		return 0;
	s->tools = p->tools;
	s->tool_count = p->tool_count;
	return p->tick;
}

const struct tool_info *project_tools_of_session(const struct session *s, struct str name)
{
	struct settings here = s->engine->settings;

	project_tools_fill(s->engine, session_place_cwd(s), s->id, &here);
	return decision_settings_tool(&here, name);
}

/* ---- its tools ---- */

static void drop_tools(struct tool_place *p)
{
	for (size_t i = p->shared_count; i < p->tool_count; i++)
		schema_compile_free((struct schema *)p->tools[i].schema);
	arena_free(p->tools_mem);
	p->tools_mem = NULL;
	p->tools = NULL;
	p->tool_count = p->shared_count = 0;
}

static bool has_owner(const struct tool_info *tools, size_t count, struct str owner)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(owner) && str_eq(tools[i].owner, owner))
			return true;
	return false;
}

/* Of two servers with one name the user's and the project's win over the client's, as a whole. */
static bool is_hidden(const struct tool_place *p, const struct tool_info *tool)
{
	return toolsets_have(p->tools, p->shared_count, tool->name) ||
	       (str_is(p->session_id) && has_owner(p->tools, p->shared_count, tool->owner));
}

/* What comes before its own tools. */
static struct settings tools_before(const struct tool_place *p)
{
	struct settings all = p->engine->settings;

	if (str_is(p->session_id))
		project_tools_fill(p->engine, p->cwd, STR_NONE, &all);
	return all;
}

/* A global tool of the same name wins, so a repository cannot replace a built-in tool. */
static enum err take_all(struct tool_place *p, struct error *err)
{
	struct settings before = tools_before(p);
	const struct settings *all = &before;
	const struct tool_info *infos;
	size_t count = p->toolset->ops->tools(p->toolset, &infos);
	enum err code = OK;

	p->tools_mem = arena_new();
	p->tools = ARENA_ARRAY(p->tools_mem, struct tool_info, all->tool_count + count + 1);
	for (size_t i = 0; i < all->tool_count; i++)
		p->tools[i] = all->tools[i];
	p->tool_count = p->shared_count = all->tool_count;
	for (size_t i = 0; !code && i < count; i++) {
		if (is_hidden(p, &infos[i]))
			continue;
		code = toolsets_read(p->tools_mem, &infos[i], &p->tools[p->tool_count], err);
		p->tool_count += !code;
	}
	return code;
}

/* Tools that cannot be read count as missing: their server is listed nevertheless. */
static void place_take(struct tool_place *p)
{
	struct error err;

	drop_tools(p);
	p->tick = settings_record_tick(p->engine);
	if (take_all(p, &err) == OK)
		return;
	log_line(LOG_ERROR, "engine", "%.*s: its tools are left out: %s", STR_ARG(p->cwd),
	         err.message);
	drop_tools(p);
}

/* Sessions copy the tools of their directory, so theirs are read again with them. */
static void take_sessions(struct engine *e)
{
	LIST_EACH (&e->tool_places, node) {
		struct tool_place *p = LIST_ITEM(node, struct tool_place, node);

		if (!p->is_old && str_is(p->session_id))
			place_take(p);
	}
}

static void on_changed(void *owner)
{
	struct tool_place *p = owner;
	struct engine *e = p->engine;

	if (!e->has_failed && !e->is_full && !p->is_old) {
		place_take(p);
		if (!str_is(p->session_id))
			take_sessions(e);
	}
	LISTENERS_CALL(e->listeners->tools_changed, e);
}

void project_tools_again(struct engine *e)
{
	LIST_EACH (&e->tool_places, node) {
		struct tool_place *p = LIST_ITEM(node, struct tool_place, node);

		if (!p->is_old && !str_is(p->session_id))
			place_take(p);
	}
	take_sessions(e);
}

/* ---- opening and closing ---- */

static void place_free(struct tool_place *p)
{
	struct engine *e = p->engine;

	e->tool_place_count -= !str_is(p->session_id);
	list_remove(&p->node);
	if (!str_is(p->session_id) && !e->is_stopping)
		take_sessions(e);
	drop_tools(p);
	arena_free(p->mem);
}

static bool has_calls(const struct tool_place *p)
{
	LIST_EACH (&p->engine->runs, node)
		if (LIST_ITEM(node, struct effect_run, all)->toolset == p->toolset)
			return true;
	return false;
}

static bool is_read_for(const struct engine *e, struct str cwd)
{
	bool (*const *ask)(const struct engine *e, struct str cwd) = e->listeners->uses_directory;

	while (*ask && !(*ask)(e, cwd))
		ask++;
	return *ask != NULL;
}

/* The servers of a session end when it leaves memory. */
static bool is_in_memory(const struct engine *e, struct str session_id)
{
	return map_get(&e->sessions, session_id) != NULL;
}

/* A person who signs in needs no session there; the login would be lost with the last of its servers. */
static bool awaits_login(const struct tool_place *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const struct tool_server *rows = NULL;
	size_t count =
		p->toolset->ops->servers ? p->toolset->ops->servers(p->toolset, mem, &rows) : 0;

	while (count-- > 0)
		if (rows[count].is_login_pending)
			return true;
	return false;
}

/* A session that is being loaded has no known directory yet, so it counts as a user of each. */
static bool is_used(const struct tool_place *p)
{
	struct engine *e = p->engine;
	struct map_slot *slot;

	if (has_calls(p))
		return true;
	if (p->is_old)
		return false;
	if (str_is(p->session_id))
		return is_in_memory(e, p->session_id);
	for (size_t i = 0; map_next(&e->sessions, &i, &slot);) {
		const struct session *s = slot->value;

		if (s->phase != SESSION_LIVE || str_eq(session_place_cwd(s), p->cwd))
			return true;
	}
	return str_eq(p->cwd, e->settings.cwd) || is_read_for(e, p->cwd) || awaits_login(p);
}

static void leave_unless_used(struct tool_place *p)
{
	struct tool_places *port = p->engine->ports.tool_places;
	struct toolset *t = p->toolset;

	if (is_used(p))
		return;
	place_free(p);
	port->ops->leave(port, t);
}

void project_tools_sweep(struct engine *e)
{
	LIST_EACH_SAFE (&e->tool_places, node, next)
		leave_unless_used(LIST_ITEM(node, struct tool_place, node));
}

/* Above the limit a directory has no tools of servers; its turns run without them. */
static bool is_full(struct engine *e, struct str cwd)
{
	if (e->tool_place_count == TOOL_PLACES_MAX)
		project_tools_sweep(e);
	if (e->tool_place_count < TOOL_PLACES_MAX)
		return false;
	log_line(LOG_WARN, "engine", "%.*s: tool servers of more than %d directories are in use",
	         STR_ARG(cwd), TOOL_PLACES_MAX);
	return true;
}

/* Its tools may still be loading; on_changed() reads them again. */
static void place_add(struct engine *e, struct str cwd, struct str session_id, struct toolset *t)
{
	struct arena *mem = arena_new();
	struct tool_place *p = ARENA_NEW(mem, struct tool_place);

	p->mem = mem;
	p->engine = e;
	p->cwd = arena_keep(mem, cwd);
	p->session_id = arena_keep(mem, session_id);
	p->toolset = t;
	list_add(&e->tool_places, &p->node);
	e->tool_place_count += !str_is(session_id);
	place_take(p);
	if (!str_is(session_id))
		take_sessions(e);
	if (t->ops->watch)
		t->ops->watch(t, on_changed, p);
}

void project_tools_enter(struct engine *e, struct str cwd)
{
	struct toolset *t;

	if (!e->ports.tool_places || e->is_stopping || place_find(e, cwd) || is_full(e, cwd))
		return;
	t = e->ports.tool_places->ops->enter(e->ports.tool_places, cwd);
	if (t)
		place_add(e, cwd, STR_NONE, t);
}

/* ---- servers that a client names for its session ---- */

/* Servers of all sessions together: each may be a process. */
static size_t count_attached(const struct engine *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct tool_server *rows;
	size_t count = 0;

	LIST_EACH (&e->tool_places, node) {
		struct tool_place *p = LIST_ITEM(node, struct tool_place, node);

		if (str_is(p->session_id) && p->toolset->ops->servers)
			count += p->toolset->ops->servers(p->toolset, mem, &rows);
	}
	return count;
}

/* A session that has servers replaces them, and takes no other's place. */
static enum err check_room(const struct session *s, struct str owner, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct engine *e = s->engine;

	if (place_of_session(e, s->id))
		return OK;
	if (count_sessions(e, STR("")) >= SESSIONS_MAX || count_attached(e) >= ATTACHED_MAX)
		return fail(err, ERR_BUSY, "too many sessions have tool servers of their own");
	if (str_is(owner) && count_sessions(e, arena_printf(mem, "sess_%.*s_", STR_ARG(owner))) >=
	                             OWNER_SESSIONS_MAX)
		return fail(err, ERR_BUSY, "%d of your sessions have tool servers of their own",
		            OWNER_SESSIONS_MAX);
	return OK;
}

enum err project_tools_check(const struct session *s, struct str owner, struct str servers,
                             bool has_any, struct error *err)
{
	struct engine *e = s->engine;
	struct tool_places *port = e->ports.tool_places;
	enum err code = OK;

	if (!port || e->is_stopping)
		return fail(err, ERR_UNSUPPORTED, "this runtime starts no tool servers");
	if (has_any)
		code = check_room(s, owner, err);
	return code ? code : port->ops->check(port, servers, err);
}

/* Calls that run end with the old toolset. */
void project_tools_attach(struct session *s, struct str owner, struct str servers, bool has_any)
{
	struct engine *e = s->engine;
	struct tool_place *p = place_of_session(e, s->id);
	struct tool_places *port = e->ports.tool_places;
	struct toolset *t;

	if (p) {
		p->is_old = true;
		leave_unless_used(p);
	}
	if (!has_any || !port || e->is_stopping)
		return;
	t = port->ops->attach(port, session_place_cwd(s), owner, servers);
	if (t)
		place_add(e, session_place_cwd(s), s->id, t);
}

/* The session's directory has changed: its servers keep theirs, and see the tools of the new one. */
static void follow_directory(struct engine *e, struct str session_id, struct str cwd)
{
	struct tool_place *p = place_of_session(e, session_id);

	if (!p || str_eq(p->cwd, cwd))
		return;
	p->cwd = arena_keep(p->mem, cwd);
	place_take(p);
}

/* An old toolset stays while calls run in it; place_find() ignores it. */
void project_tools_renew(struct engine *e, struct str cwd, struct str session_id)
{
	struct tool_places *port = e->ports.tool_places;
	struct tool_place *p = place_find(e, cwd);

	if (p && !e->is_stopping && port->ops->is_stale(port, p->toolset)) {
		p->is_old = true;
		leave_unless_used(p);
	}
	project_tools_enter(e, cwd);
	follow_directory(e, session_id, cwd);
}

/* The list is copied, because renewing changes it. */
void project_tools_look(struct engine *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct toolset_at *all;
	size_t count = project_tools_list(e, mem, &all);

	for (size_t i = e->ports.toolset_count; i < count; i++)
		if (!str_is(all[i].session_id))
			project_tools_renew(e, arena_keep(mem, all[i].cwd), STR_NONE);
	project_tools_enter(e, e->settings.cwd);
}

/* The port that made the toolsets closes them. */
void project_tools_free(struct engine *e)
{
	while (e->tool_places.next && !list_is_empty(&e->tool_places))
		place_free(LIST_ITEM(e->tool_places.next, struct tool_place, node));
}
