/*
 * Worktrees of child agents: which ones to create, which threads wait for them,
 * and what calls may read because of them. engine/effects/worktrees.c creates
 * them.
 * spec: contracts/subagents-and-jobs#subagents; SUB-02, NEG-34
 */
#include "core/subagent/subagent_worktree.h"

#include "base/utf8.h"
#include "core/process/process.h"
#include "core/subagent/subagent.h"

/* After a restart the state still says `making`, so the engine creates it again. */
const struct st_subagent *subagent_worktree_next(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->subagents.count; i++) {
		const struct st_subagent *s = w->s->subagents.items[i];

		if (s->record->worktree_state == WORKTREE_STATE_MAKING && !subagent_is_closed(s))
			return s;
	}
	return NULL;
}

/* The child, or one above it, in whose worktree this thread works. */
static const struct st_subagent *holder_of(const struct state *w, struct str thread_id)
{
	const struct st_subagent *s = subagent_of_thread(w, thread_id);

	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		if (s->record->worktree_state)
			return s;
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
	return NULL;
}

/* Turns of a nested child wait as well: they work in the same directory. */
bool subagent_worktree_is_awaited(const struct state *w, const struct st_thread *th)
{
	const struct st_subagent *s = holder_of(w, th->thread_id);

	return s && s->record->worktree_state == WORKTREE_STATE_MAKING;
}

struct str subagent_worktree_trouble(const struct state *w, const struct st_thread *th)
{
	const struct st_subagent *s = holder_of(w, th->thread_id);

	return s && s->record->worktree_state == WORKTREE_STATE_FAILED ? s->record->worktree_reason
	                                                               : STR_NONE;
}

struct str subagent_worktree_origin(const struct state *w, const struct settings *settings,
                                    const struct st_subagent *s)
{
	const struct st_subagent *above = holder_of(w, s->record->parent_thread_id);

	return above               ? above->record->isolation->worktree
	       : str_is(w->s->cwd) ? w->s->cwd
	                           : settings->cwd;
}

struct str subagent_worktree_git(struct arena *mem, const struct state *w,
                                 const struct settings *settings)
{
	struct str dir = str_is(w->s->cwd) ? w->s->cwd : settings->cwd, real = STR_NONE;

	if (settings->real && str_starts(dir, STR("/")))
		real = settings->real(settings->asks, mem, dir);
	return arena_printf(mem, "%.*s/.git", STR_ARG(str_is(real) ? real : dir));
}

/*
 * The parts of the common repository that a commit in a worktree writes.  Named one by one: write
 * access to all of .git would let a child change hooks and configuration, which git executes
 * outside of the sandbox later.
 */
static void add_parts(struct arena *mem, struct str git, const struct st_subagent *s,
                      struct list_str *roots)
{
	struct str id = s->record->subagent_id;

	rec_list_str_add(mem, roots, arena_printf(mem, "%.*s/objects", STR_ARG(git)));
	rec_list_str_add(mem, roots,
	                 arena_printf(mem, "%.*s/worktrees/%.*s", STR_ARG(git), STR_ARG(id)));
	rec_list_str_add(
		mem, roots,
		arena_printf(mem, "%.*s/refs/heads/thole/%.*s", STR_ARG(git), STR_ARG(id)));
	rec_list_str_add(
		mem, roots,
		arena_printf(mem, "%.*s/logs/refs/heads/thole/%.*s", STR_ARG(git), STR_ARG(id)));
}

/*
 * A call in a worktree reads the common repository and writes its own branch; a parent reads the
 * worktrees of its descendants, to look at their results.
 */
bool subagent_worktree_widen(struct arena *mem, const struct state *w,
                             const struct settings *settings, const struct st_call *c,
                             struct rec_sandbox_override *into)
{
	const struct st_subagent *holder;
	struct list_str roots = { 0 };
	const struct st_thread *th = NULL;

	if (!w->s->subagents.count || !state_turn(w, c->turn_id, &th))
		return false;
	holder = holder_of(w, th->thread_id);
	if (holder) {
		struct str git = subagent_worktree_git(mem, w, settings);

		rec_list_str_add(mem, &roots, git);
		if (holder->record->worktree_state == WORKTREE_STATE_READY &&
		    holder->worktree_sequence < c->started_sequence)
			add_parts(mem, git, holder, &into->write_roots);
	}
	for (uint32_t i = 0; i < w->s->subagents.count; i++) {
		const struct st_subagent *s = w->s->subagents.items[i];

		/*
		 * A worktree that became ready after the call was evaluated was not part of that
		 * evaluation.
		 */
		if ((s->record->worktree_state == WORKTREE_STATE_READY ||
		     s->record->worktree_state == WORKTREE_STATE_KEPT) &&
		    s->worktree_sequence < c->started_sequence &&
		    subagent_is_under(w, s, th->thread_id))
			rec_list_str_add(mem, &roots, s->record->isolation->worktree);
	}
	if (!roots.count)
		return false;
	for (uint32_t i = 0; i < into->read_roots.count; i++)
		rec_list_str_add(mem, &roots, into->read_roots.items[i]);
	into->read_roots = roots;
	return true;
}

void subagent_worktree_made(struct decision *d, struct str subagent_id, struct str why)
{
	const struct st_subagent *s = subagent_find(d->w, subagent_id);
	struct event *ev;

	if (!s || subagent_is_closed(s) || s->record->worktree_state != WORKTREE_STATE_MAKING)
		return;
	ev = EMIT(d, SUBAGENT_STATUS, subagent_status, .kind = SUBAGENT_STATUS_KIND_WORKTREE,
	          .worktree_state = str_is(why) ? WORKTREE_STATE_FAILED : WORKTREE_STATE_READY,
	          .summary = str_is(why) ? utf8_preview(d->mem, why, 500)
	                                 : s->record->isolation->worktree);
	ev->subagent_id = subagent_id;
	ev->thread_id = s->record->thread_id;
}

/* ---- after the child has ended ---- */

static bool has_processes(const struct state *w, struct str thread_id)
{
	const struct st_thread *th = state_thread(w, thread_id);

	for (uint32_t i = 0; th && i < th->processes.count; i++)
		if (!process_is_over(th->processes.items[i]))
			return true;
	return false;
}

/* Neither the child nor any agent below it works there. */
static bool is_left(const struct state *w, const struct st_subagent *s)
{
	if (!subagent_is_settled(w, s) || !subagent_is_at_rest(w, s) ||
	    has_processes(w, s->record->thread_id))
		return false;
	for (uint32_t i = 0; i < w->s->subagents.count; i++) {
		const struct st_subagent *below = w->s->subagents.items[i];

		if (subagent_is_under(w, below, s->record->thread_id) &&
		    (!subagent_is_settled(w, below) || !subagent_is_at_rest(w, below) ||
		     has_processes(w, below->record->thread_id)))
			return false;
	}
	return true;
}

const struct st_subagent *subagent_worktree_spent(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->subagents.count; i++) {
		const struct st_subagent *s = w->s->subagents.items[i];

		/* A child that is not closed may get more input, or children. */
		if (((s->record->worktree_state == WORKTREE_STATE_READY && subagent_is_closed(s)) ||
		     s->record->worktree_state == WORKTREE_STATE_DISCARDING) &&
		    is_left(w, s))
			return s;
	}
	return NULL;
}

static void emit_state(struct decision *d, const struct st_subagent *s, enum worktree_state state,
                       struct str summary)
{
	struct event *ev =
		EMIT(d, SUBAGENT_STATUS, subagent_status, .kind = SUBAGENT_STATUS_KIND_WORKTREE,
	             .worktree_state = state, .summary = utf8_preview(d->mem, summary, 500));

	ev->subagent_id = s->record->subagent_id;
	ev->thread_id = s->record->thread_id;
}

/* A worktree with changes is kept: the runtime does not delete work unasked. */
void subagent_worktree_ended(struct decision *d, struct str subagent_id, bool is_removed,
                             struct str why)
{
	const struct st_subagent *s = subagent_find(d->w, subagent_id);
	bool is_expected = s && (s->record->worktree_state == WORKTREE_STATE_READY ||
	                         s->record->worktree_state == WORKTREE_STATE_DISCARDING);

	if (!is_expected)
		return;
	emit_state(d, s, is_removed ? WORKTREE_STATE_REMOVED : WORKTREE_STATE_KEPT,
	           is_removed
	                   ? s->record->isolation->worktree
	                   : arena_printf(d->mem, "%.*s: %.*s",
	                                  STR_ARG(s->record->isolation->worktree), STR_ARG(why)));
}

void subagent_worktree_discard(struct decision *d, const struct st_subagent *s)
{
	if (s->record->worktree_state == WORKTREE_STATE_READY ||
	    s->record->worktree_state == WORKTREE_STATE_KEPT)
		emit_state(d, s, WORKTREE_STATE_DISCARDING, s->record->isolation->worktree);
}
