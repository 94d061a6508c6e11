/*
 * Folds sandboxes and commands: which sandbox a thread used last, which
 * processes run, what they wrote and how they ended.
 */
#include "core/fold_part.h"
#include "core/approval/escalation.h"
#include "core/gen/tables.h"
#include "core/process/process.h"

void process_on_sandbox_applied(struct state *w, const struct event *ev,
                                const struct ev_sandbox_applied *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	/* The call itself is folded in call_fold.c; here only the profile is kept. */
	(void)p;
	if (!th || !ev->sandbox_profile)
		return;
	th->cage = rec_clone(w->mem, &rec_sandbox_profile_desc, ev->sandbox_profile);
	th->cage_turn_id = KEEP(w, ev->turn_id);
}

/*
 * What would have been needed is collected over all violations of a call, so that one question
 * covers them.
 */
void process_on_sandbox_violation(struct state *w, const struct event *ev,
                                  const struct ev_sandbox_violation *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_call *c = th ? state_thread_call(th, ev->tool_call_id) : NULL;

	if (!th)
		return;
	if (c && p->needs && !p->fallback)
		escalation_merge(w->mem, &c->needs, p->needs);
	rec_list_str_add(w->mem, &th->violation_refs, KEEP(w, ev->event_id));
	if (th->violation_refs.count > WINDOW_INCIDENTS)
		rec_list_str_remove(&th->violation_refs, th->violation_refs.items[0]);
	/* A denial with a fallback does not turn a failure into a denial. */
	if (c && !p->fallback && c->violation_refs.count < WINDOW_INCIDENTS)
		rec_list_str_add(w->mem, &c->violation_refs, KEEP(w, ev->event_id));
}

static bool reaches_processes(enum propagation p)
{
	return p == PROPAGATION_PROCESSES || p == PROPAGATION_CHILDREN_AND_PROCESSES;
}

/* Only the intent; the engine stops the process when it sees the mark, and its end is an input. */
static void mark_stopped(struct state *w, struct st_process *s, struct str reason,
                         const struct rec_actor *by)
{
	bool is_person = by && by->kind == ACTOR_KIND_USER;

	if (!s->background || process_is_over(s) || s->stop_by)
		return;
	s->stop_by = str_eq(reason, STR("parent")) ? TERMINATED_BY_PARENT
	             : is_person                   ? TERMINATED_BY_USER
	                                           : TERMINATED_BY_POLICY;
	s->stop_reason = KEEP(w, reason);
	s->stop_actor = by ? rec_clone(w->mem, &rec_actor_desc, by) : NULL;
}

void process_on_process_started(struct state *w, const struct event *ev,
                                const struct ev_process_started *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_process *s;

	if (!th)
		return;
	s = rec_list_add(w->mem, &th->processes, &st_process_desc);
	s->process_id = KEEP(w, ev->process_id);
	s->tool_call_id = KEEP(w, ev->tool_call_id);
	s->turn_id = KEEP(w, ev->turn_id);
	s->summary = KEEP(w, str_head(p->command_summary, 200));
	s->status = PROCESS_STATUS_RUNNING;
	s->output_ref = KEEP(w, ev->output_ref);
	s->background = p->background;
	s->step_id = KEEP(w, ev->step_id);
	s->tty = p->tty;
	s->trace_id = KEEP(w, ev->trace_id);
	s->pid = p->pid;
	s->has_pid = p->has_pid;
	s->started_at = ev->timestamp;
	s->span_id = KEEP(w, ev->span_id);
	s->task_id = KEEP(w, ev->task_id);

	const struct st_task *task = state_task(w, ev->task_id);

	/* It started before the cancellation could reach it. */
	if (task && task->cancelled && reaches_processes(task->propagation))
		mark_stopped(w, s, task->cancel_reason, task->cancel_by);
}

/* Background commands that the task, or a task below it, started. */
void process_on_task_cancel_requested(struct state *w, const struct event *ev,
                                      const struct ev_task_cancel_requested *p)
{
	if (!reaches_processes(p->propagation))
		return;
	for (uint32_t i = 0; i < w->s->threads.count; i++)
		for (uint32_t n = 0; n < w->s->threads.items[i]->processes.count; n++) {
			struct st_process *s = w->s->threads.items[i]->processes.items[n];

			if (process_is_of_task(w, s, ev->task_id,
			                       p->propagation ==
			                               PROPAGATION_CHILDREN_AND_PROCESSES))
				mark_stopped(w, s, p->reason, p->requested_by);
		}
}

static struct st_process *process_of(struct state *w, const struct event *ev)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	return th ? process_in_thread(th, ev->process_id) : NULL;
}

void process_on_process_output(struct state *w, const struct event *ev,
                               const struct ev_process_output *p)
{
	struct st_process *s = process_of(w, ev);

	if (s)
		s->output_bytes = p->offset + p->bytes;
}

void process_on_process_input(struct state *w, const struct event *ev,
                              const struct ev_process_input *p)
{
	struct st_process *s = process_of(w, ev);

	/* On a terminal, end of input ends a line, and the input stays open. */
	if (s && p->eof && !s->tty)
		s->input_closed = true;
}

/* A process that was stopped on request counts as exited, not as failed. */
static struct st_process *fold_end(struct state *w, const struct event *ev,
                                   enum process_status status)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_process *s = process_of(w, ev);
	uint32_t over = 0;

	if (!s)
		return NULL;
	s->status = status;
	s->native_status = KEEP(w, ev->native_status);
	s->ended_at = ev->timestamp;
	for (uint32_t i = th->processes.count; i-- > 0;)
		if (process_is_over(th->processes.items[i]) && ++over > WINDOW_PROCESSES)
			rec_list_remove(&th->processes, i);
	return s;
}

void process_on_process_completed(struct state *w, const struct event *ev,
                                  const struct ev_process_completed *p)
{
	struct st_process *s = fold_end(w, ev, PROCESS_STATUS_EXITED);

	if (!s)
		return;
	s->exit_code = p->exit_code;
	s->has_exit_code = true;
}

void process_on_process_failed(struct state *w, const struct event *ev,
                               const struct ev_process_failed *p)
{
	struct st_process *s = fold_end(
		w, ev, ev->status == STATUS_LOST ? PROCESS_STATUS_LOST : PROCESS_STATUS_FAILED);

	if (s)
		s->liveness = p->liveness;
}

void process_on_process_terminated(struct state *w, const struct event *ev,
                                   const struct ev_process_terminated *p)
{
	(void)p;
	fold_end(w, ev, PROCESS_STATUS_EXITED);
}
