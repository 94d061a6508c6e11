/*
 * Reads the context of a turn before it is prepared: instruction files, named
 * files, tools of the directory.
 *
 * For a submitted turn this happens before the decision, so that everything up
 * to its request is one commit; for one that starts later (from the queue,
 * after a crash) when it reaches that point.
 */
#include "engine/session/call_inputs.h"
#include "engine/effects/context_load.h"
#include "engine/effects/effects.h"

#include "core/gen/inputs.h"
#include "core/step.h"
#include "base/os/log.h"
#include "base/jw.h"
#include "core/approval/permission.h"
#include "core/context/prompt.h"
#include "core/turn/turn.h"
#include "engine/request/directory.h"
#include "engine/resources/holders.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/extensions.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/settings_hooks.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"
#include "text/redact.h"

/* A resource of a tool server that the turn names: mcp:SERVER:URI. */
struct gather_resource {
	struct tool_ask ask;
	struct gather *gather;
	struct str ref, text;
	bool needs_rule;             /* the caller who named it may not approve */
	enum missing_reason missing; /* 0: present */
};

struct gather {
	struct context_read read;
	struct gather_resource *resources;
	size_t resource_count, awaited; /* awaited: resources that have not come */
	bool has_asked;                 /* for them */
	struct list node;
	struct arena *mem;
	struct engine *engine;
	struct str session_id;
	struct request *request; /* NULL: for a turn that waits */
	bool is_held;            /* until tools that are loading are available */
	bool is_late;            /* the wait for tools has timed out */
	bool is_begun;           /* the tools of the directory were requested */
	int64_t dir_wait_ms;     /* delay until the directory is checked again */
	struct clock_timer patience, dir_timer;
};

#define DIR_FIRST_MS 2
#define DIR_STUCK_MS 2000 /* interval of checks of a directory that does not respond */

/* ---- unavailable tool servers ---- */

/* Names come from configuration files, so their length is bounded before the model reads them. */
static void name_absent(struct buf *out, struct arena *mem, struct toolset *t)
{
	const struct tool_server *all = NULL;
	size_t count = t && t->ops->servers ? t->ops->servers(t, mem, &all) : 0;

	for (size_t i = 0; i < count; i++) {
		bool is_down = str_eq(all[i].status, STR("down"));

		if (!is_down && !str_eq(all[i].status, STR("starting")))
			continue;
		buf_printf(out, "%s%.*s (%s)", out->len ? ", " : "",
		           STR_ARG(str_head(all[i].name, 64)),
		           is_down ? "it does not run" : "it is still starting");
	}
}

/* The note for the model about them; absent: all are available. */
static struct str absent_tools(const struct engine *e, struct arena *mem, struct str cwd,
                               struct str session_id)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; i < e->ports.toolset_count; i++)
		name_absent(&names, mem, e->ports.toolsets[i]);
	name_absent(&names, mem, project_tools_at(e, cwd));
	name_absent(&names, mem, project_tools_attached(e, session_id));
	if (!names.len)
		return STR_NONE;
	return prompt_note(mem, PROMPT_NOTE_TOOL_SERVERS, STR("servers"), buf_str(&names));
}

/* ---- reading ---- */

/* The names and descriptions of what can be used of one kind. */
static size_t named_of(struct arena *mem, const struct context_read *r, enum extension_kind kind,
                       struct str trusted, const struct context_named **ret)
{
	struct context_named *all = ARENA_ARRAY(mem, struct context_named, r->extension_count + 1);
	size_t count = 0;

	for (size_t i = 0; i < r->extension_count; i++)
		if (r->extensions[i].kind == kind &&
		    extensions_is_usable(&r->extensions[i], trusted))
			all[count++] =
				(struct context_named){ arena_keep(mem, r->extensions[i].name),
				                        arena_keep(mem,
				                                   r->extensions[i].description) };
	*ret = all;
	return count;
}

static void add_agents(struct arena *mem, const struct context_read *r, struct str trusted,
                       struct context_picture *p)
{
	struct context_agent *all = ARENA_ARRAY(mem, struct context_agent, r->extension_count + 1);
	size_t count = 0;

	for (size_t i = 0; i < r->extension_count; i++) {
		const struct context_extension *x = &r->extensions[i];

		if (x->kind == EXTENSION_KIND_AGENT && extensions_is_usable(x, trusted))
			all[count++] = (struct context_agent){
				.name = arena_keep(mem, x->name),
				.model = arena_keep(mem, x->model),
				.tools = arena_keep(mem, x->tools),
				.prompt = arena_keep(mem, x->body),
			};
	}
	p->agents = all;
	p->agent_count = count;
	named_of(mem, r, EXTENSION_KIND_AGENT, trusted, &p->agent_names);
}

static struct context_picture *picture_of(const struct gather *g, struct arena *mem)
{
	const struct engine *e = g->engine;
	const struct context_read *r = &g->read;
	struct str trusted = extensions_trusted(e, mem, r->extension_count ? r->project : STR_NONE);
	struct context_picture *p = ARENA_NEW(mem, struct context_picture);
	struct context_file *files =
		ARENA_ARRAY(mem, struct context_file, r->count + g->resource_count + 1);

	for (size_t i = 0; i < r->count; i++)
		files[i] = (struct context_file){ .kind = r->found[i].kind,
			                          .ref = arena_keep(mem, r->found[i].ref),
			                          .text = arena_keep(mem, r->found[i].text),
			                          .missing = r->found[i].missing };
	for (size_t i = 0; i < g->resource_count; i++)
		files[r->count + i] =
			(struct context_file){ .kind = CONTEXT_KIND_FILE,
			                       .ref = arena_keep(mem, g->resources[i].ref),
			                       .text = arena_keep(mem, g->resources[i].text),
			                       .missing = g->resources[i].missing };
	p->files = files;
	p->count = r->count + g->resource_count;
	p->skill_count = named_of(mem, r, EXTENSION_KIND_SKILL, trusted, &p->skills);
	add_agents(mem, r, trusted, p);
	p->root = arena_keep(mem, r->root);
	p->branch = arena_keep(mem, r->branch);
	p->absent_tools = absent_tools(e, mem, r->cwd, g->session_id);
	return p;
}

static void gather_free(struct gather *g)
{
	g->engine->ports.clock->ops->stop(g->engine->ports.clock, &g->patience);
	g->engine->ports.clock->ops->stop(g->engine->ports.clock, &g->dir_timer);
	list_remove(&g->node);
	g->engine->live_effects--;
	arena_free(g->read.mem);
	arena_free(g->mem);
}

/*
 * The picture of a request lives in the request; the session may have been evicted
 * meanwhile, so the request finds it again.  For a waiting turn the picture lives until
 * the decision that uses it.
 */
static void context_was_read(struct context_read *r)
{
	struct gather *g = OWNER_OF(r, struct gather, read);
	struct request *request = g->request;
	struct session *s;

	if (request) {
		request->found.picture = picture_of(g, request->mem);
		gather_free(g);
		request_restart(request);
		return;
	}
	s = session_find(g->engine, g->session_id);
	if (s && s->phase == SESSION_LIVE) {
		struct decision *d;

		s->is_gathering = false;
		s->picture = picture_of(g, g->mem);
		d = apply_begin(s, NULL);
		input_step_next(d);
		if (!d->count)
			call_inputs_stepped(
				s, d); /* the step stopped at a call without its arguments */
		apply_end(s, d);
	}
	gather_free(g);
}

/* Counts as a live effect, so that the runtime does not stop in the middle. */
static struct gather *gather_new(struct engine *e, struct str session_id, struct str cwd,
                                 size_t files)
{
	struct arena *mem = arena_new();
	struct gather *g = ARENA_NEW(mem, struct gather);

	g->mem = mem;
	g->engine = e;
	g->session_id = arena_keep(mem, session_id);
	g->read.cwd = arena_keep(mem, str_is(cwd) ? cwd : e->settings.cwd);
	g->read.files = ARENA_ARRAY(mem, struct str, files + 1);
	g->resources = ARENA_ARRAY(mem, struct gather_resource, files + 1);
	g->read.done = context_was_read;
	g->read.is_for_turn = true;
	if (e->options.config->context_extensions)
		g->read.kinds = CONTEXT_KIND_BIT(EXTENSION_KIND_SKILL) |
		                CONTEXT_KIND_BIT(EXTENSION_KIND_AGENT);
	list_add(&e->gathers, &g->node);
	e->live_effects++;
	return g;
}

static void add_file(struct gather *g, const struct rec_context_ref *r, bool needs_rule)
{
	struct gather_resource *x = &g->resources[g->resource_count];

	if (r->kind == CONTEXT_KIND_FILE && str_starts(r->ref, STR("mcp:"))) {
		x->ref = arena_keep(g->mem, r->ref);
		x->needs_rule = needs_rule;
		g->resource_count++;
	} else if (r->kind == CONTEXT_KIND_FILE)
		((struct str *)g->read.files)[g->read.file_count++] = arena_keep(g->mem, r->ref);
}

static void gather_advance(struct gather *g);

static void on_directory_timer(struct clock_timer *t)
{
	gather_advance(OWNER_OF(t, struct gather, dir_timer));
}

/* True: not yet. */
static bool waits_for_directory(struct gather *g)
{
	struct clock *c = g->engine->ports.clock;
	enum context_dir state = directory_state(g->engine, g->read.cwd);

	if (state == CONTEXT_DIR_ANSWERS)
		return false;
	if (state == CONTEXT_DIR_STUCK && g->dir_wait_ms != DIR_STUCK_MS)
		log_line(LOG_WARN, "engine", "%.*s: a turn waits, %.*s does not answer",
		         STR_ARG(g->session_id), STR_ARG(g->read.cwd));
	g->dir_wait_ms = state == CONTEXT_DIR_STUCK ? DIR_STUCK_MS
	                 : g->dir_wait_ms           ? MIN(2 * g->dir_wait_ms, DIR_STUCK_MS)
	                                            : DIR_FIRST_MS;
	g->dir_timer.fire = on_directory_timer;
	c->ops->start(c, &g->dir_timer, g->dir_wait_ms);
	return true;
}

/* Once per turn: tools, hooks and deny rules of the directory as they are now. */
static void look_at_directory(struct gather *g)
{
	struct engine *e = g->engine;

	g->is_begun = true;
	project_tools_renew(e, g->read.cwd, g->session_id);
	settings_hooks_renew(e, g->read.cwd);
	g->read.deny =
		sandbox_probe_renew_denies(e, g->mem, g->read.cwd, session_find(e, g->session_id));
}

/* ---- resources of tool servers ---- */

/*
 * As for a call of read_resource: a deny rule holds.  Naming the resource is the approval, if the
 * caller may approve and the session does not belong to a principal with a limited reach.
 */
static bool may_read(struct gather *g, const struct gather_resource *x)
{
	const struct tool_ask *a = &x->ask;
	struct session *s = session_find(g->engine, g->session_id);
	struct str name = arena_printf(g->mem, "mcp__%.*s__read_resource", STR_ARG(a->server));
	const struct tool_info *tool =
		s && s->phase == SESSION_LIVE ? project_tools_of_session(s, name) : NULL;
	struct rec_permission_decision v = { 0 };
	CLEANUP(buf_done) struct buf args = { 0 };
	struct json_writer w;

	if (!tool)
		return false;
	jw_init(&w, &args);
	jw_obj(&w);
	JW_KSTR(&w, "uri", a->name);
	jw_obj_end(&w);
	permission_judge(
		&(struct permission_ask){
			.mem = g->mem,
			.w = s->state,
			.settings = rules_cache_settings(s, g->mem, true),
			.now = g->engine->ports.clock->ops->wall_ms(g->engine->ports.clock),
			.tool = tool,
			.args = arena_keep(g->mem, buf_str(&args)),
			.work = g->read.cwd },
		&v);
	return v.decision == APPROVAL_DECISION_ALLOW ||
	       (v.decision == APPROVAL_DECISION_ASK && !x->needs_rule &&
	        !holders_own(g->session_id));
}

static void on_resource(struct tool_ask *a, enum err code)
{
	struct gather_resource *x = a->owner;
	struct gather *g = x->gather;
	struct scrub *scrub = g->engine->ports.scrub;
	struct scrub_stream seen = { 0 };

	x->missing = code == OK              ? 0
	             : code == ERR_TOO_LARGE ? MISSING_REASON_TOO_LARGE
	             : code == ERR_NOT_FOUND ? MISSING_REASON_NOT_FOUND
	                                     : MISSING_REASON_UNREADABLE;
	if (!code)
		x->text = arena_keep(g->mem, scrub && a->text.len
		                                     ? redact_text(scrub, g->mem, a->text, &seen)
		                                     : a->text);
	if (!--g->awaited)
		gather_advance(g);
}

/* Of the runtime's servers first, as for tools. */
static bool ask_resource(struct gather *g, struct tool_ask *a)
{
	struct toolset *here = project_tools_at(g->engine, g->read.cwd);

	for (size_t i = 0; i < g->engine->ports.toolset_count; i++) {
		struct toolset *t = g->engine->ports.toolsets[i];

		if (t->ops->ask && t->ops->ask(t, a))
			return true;
	}
	return here && here->ops->ask && here->ops->ask(here, a);
}

static struct str caller_of(const struct gather *g)
{
	const struct session *s = session_find(g->engine, g->session_id);

	if (g->request && str_is(g->request->caller.principal))
		return g->request->caller.principal;
	return s && s->phase == SESSION_LIVE ? tool_caller(s, NULL) : g->session_id;
}

/* True: some are on their way.  A resource that cannot be read is missing; the turn begins anyway. */
static bool waits_for_resources(struct gather *g)
{
	for (size_t i = 0; i < g->resource_count && !g->has_asked; i++) {
		struct gather_resource *x = &g->resources[i];
		struct str rest = str_skip(x->ref, 4), server = str_cut(&rest, ':');

		x->gather = g;
		x->ask = (struct tool_ask){ .kind = TOOL_ASK_RESOURCE,
			                    .server = server,
			                    .name = rest,
			                    .caller = arena_keep(g->mem, caller_of(g)),
			                    .done = on_resource,
			                    .owner = x };
		if (!may_read(g, x))
			x->missing = MISSING_REASON_DENIED;
		else if (ask_resource(g, &x->ask))
			g->awaited++;
		else
			x->missing = MISSING_REASON_NOT_FOUND;
	}
	g->has_asked = true;
	return g->awaited > 0;
}

static void on_patience(struct clock_timer *t);

/*
 * Called again whenever a wait ends: for the directory, then for its tools, then for
 * resources, then the read starts.
 */
static void gather_advance(struct gather *g)
{
	struct context *c = g->engine->ports.context;
	struct clock *clock = g->engine->ports.clock;

	if (!g->is_begun) {
		if (waits_for_directory(g))
			return;
		look_at_directory(g);
	}
	g->is_held = !g->is_late && toolsets_are_coming(g->engine, g->read.cwd, g->session_id);
	if (!g->is_held) {
		clock->ops->stop(clock, &g->patience);
		if (!waits_for_resources(g))
			c->ops->read(c, &g->read);
	} else if (!g->patience.fire) {
		g->patience.fire = on_patience;
		clock->ops->start(clock, &g->patience, LIMIT_TOOLS_WAIT_MS);
	}
}

/* The tools did not load in time: the turn begins without them. */
static void on_patience(struct clock_timer *t)
{
	struct gather *g = OWNER_OF(t, struct gather, patience);

	g->is_late = true;
	if (g->is_held)
		gather_advance(g);
}

bool context_load_is_for(const struct engine *e, struct str cwd)
{
	LIST_EACH (&e->gathers, node)
		if (str_eq(LIST_ITEM(node, struct gather, node)->read.cwd, cwd))
			return true;
	return false;
}

void context_load_tools_changed(struct engine *e)
{
	LIST_EACH_SAFE (&e->gathers, node, next) {
		struct gather *g = LIST_ITEM(node, struct gather, node);

		if (g->is_held)
			gather_advance(g);
	}
}

/*
 * A decision about a call whose directory was left in between: its tools have to load again first.
 */
static bool is_for_tools_to_come(struct request *r)
{
	if (r->command.command != COMMAND_RESPOND_ACTION || !r->session ||
	    !session_place_is_here(r->session))
		return false;
	project_tools_enter(r->engine, session_place_cwd(r->session));
	return toolsets_are_coming(r->engine, session_place_cwd(r->session), r->session->id);
}

bool context_load_gather(struct request *r)
{
	const struct cmd_submit_turn *cmd = r->turn;
	struct str cwd = r->session ? r->session->state->s->cwd : STR_NONE;
	struct gather *g;

	if (!r->engine->ports.context || r->found.picture ||
	    (r->session && !session_place_is_here(r->session)) ||
	    !(directory_is_for_turn(r->command.command) || is_for_tools_to_come(r)))
		return false;
	if (!str_is(cwd))
		cwd = request_dir(r);
	g = gather_new(r->engine, r->session_id, cwd, cmd ? cmd->context.count : 0);
	for (uint32_t i = 0; cmd && i < cmd->context.count; i++)
		add_file(g, cmd->context.items[i], !(r->caller.scopes & 1u << SCOPE_APPROVE));
	g->request = r;
	gather_advance(g);
	return true;
}

/* A turn that prepares and has no context of this run yet. */
static const struct st_turn *turn_to_read_for(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *t = state_thread_active(w->s->threads.items[i]);

		if (t && !t->sampling && t->stage == TURN_STAGE_PREPARING &&
		    !(str_is(t->prepared_run_id) && str_eq(t->prepared_run_id, t->run_id)))
			return t;
	}
	return NULL;
}

/*
 * The picture was for the decision that just ended.  One read at a time per session; the
 * next decision looks for further turns.
 */
void context_load_settled(struct session *s)
{
	const struct st_turn *t;
	struct gather *g;

	s->picture = NULL;
	if (!s->engine->ports.context || s->is_gathering || !session_place_is_here(s))
		return;
	t = turn_to_read_for(s->state);
	if (!t)
		return;
	s->is_gathering = true;
	g = gather_new(s->engine, s->id, s->state->s->cwd, t->context_items.count);
	for (uint32_t i = 0; i < t->context_items.count; i++)
		add_file(g, t->context_items.items[i], t->context_items.items[i]->needs_rule);
	gather_advance(g);
}

void context_load_free(struct engine *e)
{
	while (!list_is_empty(&e->gathers))
		gather_free(LIST_ITEM(e->gathers.next, struct gather, node));
}
