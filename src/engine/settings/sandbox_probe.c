/*
 * Which toolset a tool belongs to, and the sandbox of its calls: the toolset's
 * reply, as a record for an event.
 */
#include "engine/settings/sandbox_probe.h"

#include "base/jw.h"
#include "core/approval/permission.h"
#include "engine/request/directory.h"
#include "engine/session/session_place.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/settings_record.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"
#include "ports/process.h"

static void take_limits(struct rec_resource_limits *ret, const struct rec_process_limits *l)
{
	ret->timeout_ms = l->timeout_ms;
	ret->inactivity_ms = l->inactivity_ms;
	ret->max_output_bytes = l->max_output_bytes;
	ret->max_processes = l->max_processes;
}

static enum err bind_tool(const struct settings *s, struct arena *mem, struct tool_start *start,
                          struct tool_sandbox *ret, struct error *err)
{
	struct toolset *t =
		toolsets_find(s->bind_owner, start->cwd,
	                      s->session ? s->session->s->session_id : STR_NONE, start->name);
	enum err code;

	if (!t || !t->ops->bind)
		return fail(err, ERR_UNSUPPORTED, "the tool has no sandbox");
	if (!directory_may_touch(s->bind_owner, start->cwd))
		return fail(err, ERR_TIMEOUT, "%.*s: the directory does not answer",
		            STR_ARG(start->cwd));
	start->deny = sandbox_probe_denies(mem, s, start->name, start->cwd);
	code = t->ops->bind(t, mem, start, ret, err);
	if (!code && str_is(s->config_ref))
		ret->profile->environment_ref = s->config_ref;
	return code;
}

/* The sandbox of commands in that directory; false: none is available. */
static bool look_in(struct engine *e, struct str cwd)
{
	struct rec_execution_environment *env = e->environment;
	struct tool_sandbox sandbox;
	struct error ignored;

	for (size_t i = 0; i < e->settings.tool_count; i++) {
		const struct tool_info *t = &e->settings.tools[i];

		if (!t->is_command || !t->is_sandboxed)
			continue;
		if (bind_tool(&e->settings, e->mem,
		              &(struct tool_start){ .name = t->name, .cwd = cwd }, &sandbox,
		              &ignored) != OK)
			return false;
		if (str_is(sandbox.shell))
			env->shell = sandbox.shell;
		if (sandbox.profile->process_limits)
			take_limits(env->resource_limits, sandbox.profile->process_limits);
		/*
		 * Mode and tier are enough here: sandbox.applied records everything, call by call.
		 */
		env->sandbox_profile->mode = sandbox.profile->mode;
		env->sandbox_profile->tier = sandbox.profile->tier;
		if (sandbox.profile->network)
			env->network_profile = sandbox.profile->network;
		e->has_full_sandbox = !sandbox.is_degraded &&
		                      sandbox.profile->mode == SANDBOX_MODE_WORKSPACE_WRITE;
		return true;
	}
	return false;
}

/*
 * The environment shows the sandbox of the first tool that runs commands.  The probe starts the
 * supervisor, so it runs before a decision, not at the start of the runtime.  A daemon that a
 * command started works in its own data directory, where no sandbox is available.  So the probe
 * runs in the session's directory, and a failure counts until a session in another directory gets a
 * sandbox.
 */
#define LOOKS_MAX 16

/* Without a mode in the settings, the full sandbox replaces questions about what stays inside. */
static void choose_mode(struct engine *e)
{
	if (!e->options.config->permission_mode && e->has_full_sandbox)
		e->settings.mode = PERMISSION_MODE_ON_REQUEST;
}

void sandbox_probe_look(struct engine *e, const struct session *s)
{
	struct str cwd = s && !directory_is_private(&e->options.data_dir, session_place_cwd(s))
	                         ? session_place_cwd(s)
	                         : STR("/usr"); /* where nothing is written, to know the machine */
	uint64_t here = str_hash(cwd);

	/* No commands run in the runtime's own sessions. */
	if (s && session_place_is_own(s->id))
		return;
	if (e->has_sandbox || e->looks == LOOKS_MAX || (e->looks && e->looked_in == here))
		return;
	if (!directory_may_touch(e, cwd))
		return; /* probed again with the next decision */
	e->looks++;
	e->looked_in = here;
	e->has_sandbox = look_in(e, cwd);
	choose_mode(e);
	e->has_looked = e->settings.is_sandbox_known = true;
	settings_record_changed(e);
}

void sandbox_probe_prepare(struct session *s, struct decision *d)
{
	sandbox_probe_look(s->engine, s);
}

struct str sandbox_probe_override_text(struct arena *mem, const struct rec_sandbox_override *more)
{
	return more ? rec_text(mem, &rec_sandbox_override_desc, more) : STR_NONE;
}

/* ---- denied paths ---- */

/* The form that tool_start.deny describes. */
static struct str write_denied(struct arena *mem, const struct rules_denied *all)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!all->count)
		return STR_NONE;
	jw_init(&w, &out);
	jw_arr(&w);
	for (uint32_t i = 0; i < all->count; i++) {
		const struct rules_denied_path *p = &all->items[i];

		jw_str(&w, p->reads ? p->pattern
		                    : arena_printf(mem, "write:%.*s", STR_ARG(p->pattern)));
	}
	jw_arr_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/*
 * Patterns relative to the directory are resolved against its real path: the sandbox sees
 * no links.
 */
struct str sandbox_probe_denies(struct arena *mem, const struct settings *s, struct str tool,
                                struct str cwd)
{
	struct str real = s->real && str_starts(cwd, STR("/")) ? s->real(NULL, mem, cwd) : STR_NONE;
	struct rules_denied all;

	permission_denied_paths(
		&(struct permission_ask){ .mem = mem,
	                                  .settings = s,
	                                  .w = s->session,
	                                  .work = str_is(real) ? real : cwd,
	                                  .tool = str_is(tool) ? decision_settings_tool(s, tool)
	                                                       : NULL },
		&all);
	return write_denied(mem, &all);
}

/* The tool that starts processes; absent: none. */
static struct str background_tool(const struct engine *e)
{
	for (size_t i = 0; i < e->settings.tool_count; i++)
		if (e->settings.tools[i].is_background)
			return e->settings.tools[i].name;
	return STR_NONE;
}

/* Background processes outlive their turn, so a rule that is added later has to reach them. */
static void deny_processes(struct engine *e, struct arena *mem, const struct settings *s,
                           struct str cwd)
{
	struct processes *p = e->ports.processes;
	struct str tool = background_tool(e), real, rules;

	if (!p || !p->ops->deny || !str_is(tool))
		return;
	rules = sandbox_probe_denies(mem, s, tool, cwd);
	real = s->real ? s->real(NULL, mem, cwd) : STR_NONE;
	if (str_is(rules))
		p->ops->deny(p, str_is(real) ? real : cwd, rules);
}

/* Called when a turn begins in the directory: rules may have been added since sandboxes started. */
struct str sandbox_probe_renew_denies(struct engine *e, struct arena *mem, struct str cwd,
                                      const struct session *s)
{
	struct toolset *here[] = { project_tools_at(e, cwd),
		                   project_tools_attached(e, s ? s->id : STR_NONE) };
	struct settings mine = e->settings;
	struct str rules;

	rules_cache_at(e, cwd, &mine);
	mine.session = s && s->phase == SESSION_LIVE ? s->state : NULL;
	rules = sandbox_probe_denies(mem, &mine, STR_NONE, cwd);
	if (!str_is(rules))
		return STR_NONE;
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (e->ports.toolsets[i]->ops->deny)
			e->ports.toolsets[i]->ops->deny(e->ports.toolsets[i], rules);
	for (size_t i = 0; i < COUNT_OF(here); i++)
		if (here[i] && here[i]->ops->deny)
			here[i]->ops->deny(here[i], rules);
	deny_processes(e, mem, &mine, cwd);
	return rules;
}

/*
 * Called by decisions through settings.bind.  A toolset computes the sandbox without side
 * effects, so the event that records it can be written before the call starts.
 */
enum err sandbox_probe_bind(const struct settings *s, struct arena *mem, struct str tool,
                            struct str args, struct str cwd,
                            const struct rec_sandbox_override *more, struct tool_sandbox *ret,
                            struct error *err)
{
	struct tool_start start = { .name = tool,
		                    .args = args,
		                    .cwd = cwd,
		                    .more = sandbox_probe_override_text(mem, more) };

	return bind_tool(s, mem, &start, ret, err);
}
