/*
 * Creates and removes worktrees for child agents: one at a time per session,
 * started when subagent.spawned is durable.
 *
 * git runs as a command in the sandbox, with the git directory of the session's
 * repository as its only additional write root, without hooks and without a
 * file system monitor.  The next runtime repeats an interrupted creation.
 */
#include "engine/effects/worktrees.h"

#include "core/gen/inputs.h"
#include "base/jw.h"
#include "base/path/path.h"
#include "core/subagent/subagent.h"
#include "core/subagent/subagent_worktree.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAID_MAX 2000      /* bytes of git's output that are kept */
#define TIME_MAX_MS 600000 /* for a checkout of a large repository */

struct worktree_run {
	struct list all; /* of the engine */
	struct arena *mem;
	struct session *session; /* NULL: the session was dropped in between */
	struct str subagent_id;
	bool is_ending; /* checks it, and removes it if possible */
	struct buf said;
};

static void run_free(struct worktree_run *x)
{
	list_remove(&x->all);
	if (x->session)
		x->session->worktree_run = NULL;
	buf_done(&x->said);
	arena_free(x->mem);
}

/* why is absent if the worktree exists. */
static void report_made(struct session *s, struct str subagent_id, struct str why)
{
	struct decision *d = apply_begin(s, NULL);

	input_subagent_worktree_made(d, arena_keep(d->mem, subagent_id),
	                             str_is(why) ? arena_keep(d->mem, why) : STR_NONE);
	apply_end(s, d);
}

#define EXIT_KEPT 3 /* of the command that checks whether it may be removed */

/* Removes the remaining .git file.  Neither call follows a link. */
static bool take_away(struct session *s, struct str subagent_id)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct st_subagent *child = subagent_find(s->state, subagent_id);
	struct str path = child ? child->record->isolation->worktree : STR_NONE;

	if (!str_is(path))
		return false;
	(void)!unlink(arena_printf(mem, "%.*s/.git", STR_ARG(path)).ptr);
	return rmdir(arena_keep(mem, path).ptr) == 0 || errno == ENOENT;
}

static void report_end(struct session *s, struct worktree_run *x, const struct tool_end *end)
{
	struct decision *d = apply_begin(s, NULL);
	bool has_run = !end->failed && !end->cancelled && end->has_exit_code;
	struct str said = str_trim(buf_str(&x->said));

	input_subagent_worktree_ended(
		d, arena_keep(d->mem, x->subagent_id),
		has_run && end->exit_code == 0 && take_away(s, x->subagent_id),
		has_run && end->exit_code == EXIT_KEPT ? STR("it holds changes or commits")
		: said.len                             ? arena_keep(d->mem, said)
						       : STR("git could not be asked"));
	apply_end(s, d);
}

static struct str why_not(struct worktree_run *x, const struct tool_end *end)
{
	struct str said = str_trim(buf_str(&x->said));

	if (!end->failed && !end->cancelled && end->has_exit_code && !end->exit_code)
		return STR_NONE;
	if (said.len)
		return said;
	return str_is(end->message) && end->message.len ? end->message
	                                                : STR("git worktree add did not succeed");
}

static void on_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
}

static void on_output(void *owner, struct str data)
{
	struct worktree_run *x = owner;

	if (x->said.len < SAID_MAX)
		buf_add_str(&x->said, str_head(data, MIN(data.len, SAID_MAX - x->said.len)));
}

static void on_started(void *owner, int64_t pid)
{
}

static void on_violation(void *owner, const struct tool_violation *v)
{
}

static void on_ask(void *owner, struct str prompt, struct str schema, struct str requests)
{
}

static void on_end(void *owner, const struct tool_end *end)
{
	struct worktree_run *x = owner;
	struct session *s = x->session;
	struct str why = arena_keep(x->mem, why_not(x, end));

	if (s && s->phase == SESSION_LIVE) {
		s->worktree_run = NULL;
		x->session = NULL;
		if (x->is_ending)
			report_end(s, x, end);
		else
			report_made(s, x->subagent_id, why.len ? why : STR_NONE);
	}
	run_free(x);
}

static const struct tool_sink worktree_sink = { .progress = on_progress,
	                                        .output = on_output,
	                                        .started = on_started,
	                                        .violation = on_violation,
	                                        .ask = on_ask,
	                                        .end = on_end };

/* The tool that runs commands in a sandbox; NULL: none. */
static const struct tool_info *command_tool(const struct engine *e)
{
	for (size_t i = 0; i < e->settings.tool_count; i++) {
		const struct tool_info *t = &e->settings.tools[i];

		if (t->is_command && t->is_sandboxed && !t->is_background)
			return t;
	}
	return NULL;
}

/* lstat: a link in place of .git could lead out of the repository. */
static bool is_dir(struct arena *mem, struct str path)
{
	struct stat st;

	return lstat(arena_keep(mem, path).ptr, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * The directory for worktrees; absent: it is not available.  Links are resolved, because
 * the sandbox grants access by resolved paths.
 */
static struct str base_dir(struct arena *mem, struct str dir)
{
	char full[PATH_MAX];
	struct str path = arena_keep(mem, dir);

	if (mkdir(path.ptr, 0700) < 0 && errno != EEXIST)
		return STR_NONE;
	return realpath(path.ptr, full) ? arena_keep(mem, str_from(full)) : STR_NONE;
}

/* For sh: inside single quotes only the quote itself is special. */
static struct str quoted(struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_str(&out, STR("'"));
	for (size_t i = 0; i < text.len; i++)
		buf_add_str(&out,
		            text.ptr[i] == '\'' ? STR("'\\''") : str_head(str_skip(text, i), 1));
	buf_add_str(&out, STR("'"));
	return arena_keep(mem, buf_str(&out));
}

/*
 * A separate branch in a separate directory, so that the sandbox can open just that for commits
 * (core/subagent/subagent_worktree.c).
 */
static struct str args_of(struct arena *mem, struct str origin, struct str git_dir, struct str id,
                          struct str path)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str git = quoted(mem, git_dir), at = quoted(mem, path);
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	/*
	 * An earlier runtime may have been killed in the middle of this. git keeps an unfinished
	 * worktree locked and then neither removes nor prunes it, so its remains are deleted here;
	 * the child has not worked there yet.  An empty .git/worktrees may be a placeholder of an
	 * earlier sandbox, with a mode that git cannot write to.
	 */
	JW_KSTR(&w, "command",
	        arena_printf(
			mem,
			"rm -rf %.*s %.*s/worktrees/%.*s %.*s/refs/heads/thole/%.*s && "
			"{ rmdir %.*s/worktrees 2>/dev/null; :; } && "
			"git -c core.hooksPath=/dev/null -c core.fsmonitor=false -C %.*s worktree "
			"add --quiet -B thole/%.*s/work %.*s HEAD && cd %.*s && "
			"mkdir -p refs/heads/thole/%.*s logs/refs/heads/thole/%.*s",
			STR_ARG(at), STR_ARG(git), STR_ARG(id), STR_ARG(git), STR_ARG(id),
			STR_ARG(git), STR_ARG(quoted(mem, origin)), STR_ARG(id), STR_ARG(at),
			STR_ARG(git), STR_ARG(id), STR_ARG(id)));
	JW_KINT(&w, "timeoutMs", TIME_MAX_MS);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/*
 * The worktree and its branch are removed if there is no change and no commit that is on no other
 * branch, or if it is discarded.
 */
static struct str end_args_of(struct arena *mem, struct str origin, struct str git_dir,
                              struct str id, struct str path, bool is_discarded)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str git = STR("git -c core.hooksPath=/dev/null -c core.fsmonitor=false");
	struct str at = quoted(mem, path), from = quoted(mem, origin);
	struct str keep = arena_printf(
		mem,
		"if [ -n \"$(%.*s -C %.*s status --porcelain)\" ]; then exit %d; fi; "
		"own=$(%.*s -C %.*s rev-list -1 HEAD --not --exclude=thole/%.*s/work --branches "
		"--remotes $(git -C %.*s rev-parse HEAD)) || exit 4; "
		"if [ -n \"$own\" ]; then exit %d; fi; ",
		STR_ARG(git), STR_ARG(at), EXIT_KEPT, STR_ARG(git), STR_ARG(at), STR_ARG(id),
		STR_ARG(from), EXIT_KEPT);
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	/* The sandbox protects the .git file of a worktree, so that is removed last (take_away). */
	JW_KSTR(&w, "command",
	        arena_printf(
			mem,
			"%.*sfind %.*s -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} + ; "
			"if [ \"$(ls -A %.*s)\" != .git ]; then exit 6; fi; "
			"rm -rf %.*s/worktrees/%.*s && "
			"%.*s -C %.*s branch -q -D thole/%.*s/work; exit 0",
			STR_ARG(is_discarded ? STR("") : keep), STR_ARG(at), STR_ARG(at),
			STR_ARG(quoted(mem, git_dir)), STR_ARG(id), STR_ARG(git), STR_ARG(from),
			STR_ARG(id)));
	JW_KINT(&w, "timeoutMs", TIME_MAX_MS);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/*
 * The only additional access: the directory of worktrees and the git directory for
 * writing, the origin for reading.
 */
static struct str more_of(struct arena *mem, struct str base, struct str git, struct str origin)
{
	struct rec_sandbox_override o = { 0 };

	rec_list_str_add(mem, &o.write_roots, base);
	rec_list_str_add(mem, &o.write_roots, git);
	if (!path_is_under(origin, base))
		rec_list_str_add(mem, &o.read_roots, origin);
	return rec_text(mem, &rec_sandbox_override_desc, &o);
}

/* Whatever prevents the run is reported as its result, so that the child agent does not wait. */
static void run_start(struct session *s, const struct st_subagent *child, bool is_ending)
{
	struct engine *e = s->engine;
	const struct tool_info *tool = command_tool(e);
	struct toolset *set =
		tool ? toolsets_find(e, session_place_cwd(s), s->id, tool->name) : NULL;
	struct arena *mem = arena_new();
	struct worktree_run *x = ARENA_NEW(mem, struct worktree_run);
	struct str origin = subagent_worktree_origin(s->state, &e->settings, child);
	struct str git = subagent_worktree_git(mem, s->state, &e->settings);
	struct str base = base_dir(mem, e->settings.worktree_dir);
	struct str id = arena_keep(mem, child->record->subagent_id), trouble = STR_NONE;

	if (e->settings.real && str_is(e->settings.real(NULL, mem, origin)))
		origin = e->settings.real(NULL, mem, origin);
	if (!set)
		trouble = STR("no tool runs commands here");
	else if (!is_dir(mem, git))
		trouble = arena_printf(mem, "%.*s is not the top of a git repository",
		                       STR_ARG(session_place_cwd(s)));
	else if (!str_is(base))
		trouble = arena_printf(mem, "%.*s cannot be used; set worktrees.dir",
		                       STR_ARG(e->settings.worktree_dir));
	if (str_is(trouble)) {
		if (is_ending) {
			struct decision *d = apply_begin(s, NULL);

			input_subagent_worktree_ended(d, id, false, trouble);
			apply_end(s, d);
		} else {
			report_made(s, id, trouble);
		}
		arena_free(mem);
		return;
	}
	struct tool_start start = {
		.call_id = id,
		.session_id = arena_keep(mem, s->id),
		.thread_id = arena_keep(mem, child->record->thread_id),
		.name = arena_keep(mem, tool->name),
		.args = is_ending
		                ? end_args_of(mem, origin, git, id,
		                              child->record->isolation->worktree,
		                              child->record->worktree_state ==
		                                      WORKTREE_STATE_DISCARDING)
		                : args_of(mem, origin, git, id, child->record->isolation->worktree),
		.cwd = base,
		.more = more_of(mem, base, git, origin),
		.process_id = arena_printf(mem, "proc_%.*s", STR_ARG(id)),
		.output_ref = arena_printf(mem, "out_%.*s", STR_ARG(id)),
	};

	/* Remains of an interrupted creation: the sandbox would protect that file. */
	if (!is_ending)
		(void)!unlink(
			arena_printf(mem, "%.*s/.git", STR_ARG(child->record->isolation->worktree))
				.ptr);
	x->mem = mem;
	x->session = s;
	x->subagent_id = id;
	x->is_ending = is_ending;
	list_add(&e->worktree_runs, &x->all);
	s->worktree_run = x;
	set->ops->start(set, &start, &worktree_sink, x);
}

/* New worktrees first: a child agent waits for one. */
void worktrees_feed(struct session *s)
{
	const struct st_subagent *next;

	if (s->worktree_run || s->phase != SESSION_LIVE || s->engine->is_stopping ||
	    s->engine->is_full || s->applied != s->durable || !session_place_is_here(s))
		return;
	next = subagent_worktree_next(s->state);
	if (next) {
		run_start(s, next, false);
		return;
	}
	next = subagent_worktree_spent(s->state);
	if (next)
		run_start(s, next, true);
}

void worktrees_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_DONE)
		worktrees_feed(s);
}

/* Its end finds no session and frees it. */
void worktrees_forget(struct session *s)
{
	if (s->worktree_run)
		s->worktree_run->session = NULL;
	s->worktree_run = NULL;
}

/* At shutdown: no callback comes any more. */
void worktrees_free(struct engine *e)
{
	while (!list_is_empty(&e->worktree_runs))
		run_free(LIST_ITEM(e->worktree_runs.next, struct worktree_run, all));
}
