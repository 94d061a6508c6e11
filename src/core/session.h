#ifndef CORE_SESSION_H
#define CORE_SESSION_H
/* Sessions and threads: making them, and the facts that every topic needs of them. */
#include "core/outcome.h"

static inline bool session_exists(const struct world *w)
{
	return str_is(w->s->session_id);
}

void session_emit(struct outcome *d, struct str title, struct str workspace_id, struct str cwd,
                  struct str model, struct str metadata);
/* thread_id absent: a new one is made.  Returns it. */
struct str session_emit_thread(struct outcome *d, struct str thread_id, struct str cause);

/* Shared with the turn topic. */
void emit_interrupt(struct outcome *d, struct st_thread *th, struct st_turn *t, struct str reason,
                    enum queue_policy policy);
/* Names the interruption that resume_thread goes on from: another run has another. */
struct str resume_token(struct arena *mem, const struct st_turn *t);
void emit_resume(struct outcome *d, struct st_thread *th, struct st_turn *t, struct str cause);
void emit_attempt(struct outcome *d, struct st_thread *th, struct st_turn *t, struct str run_id,
                  struct str attempt_id, int64_t number, enum attempt_cause cause);

#endif
