#ifndef CORE_SESSION_H
#define CORE_SESSION_H
/* Sessions and threads: making them, and the facts that every topic needs of them. */
#include "core/decision.h"

static inline bool session_exists(const struct state *w)
{
	return str_is(w->s->session_id);
}

void session_emit(struct decision *d, struct str title, struct str workspace_id, struct str cwd,
                  struct str model, struct str metadata);
/* thread_id absent: a new one is made.  Returns it. */
struct str session_emit_thread(struct decision *d, struct str thread_id, struct str cause);

#endif
