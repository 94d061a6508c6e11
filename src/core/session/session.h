#ifndef CORE_SESSION_H
#define CORE_SESSION_H
/* Sessions and threads: creating them, and events that every topic needs about them. */
#include "core/decision.h"

static inline bool session_exists(const struct state *w)
{
	return str_is(w->s->session_id);
}

/* What a command says about a session that it creates; everything but the title may be absent. */
struct session_birth {
	struct str title, workspace_id, cwd, model, metadata;
	enum permission_mode mode;
	struct list_str labels;          /* of labels_take() */
	struct rec_placement *placement; /* of placement_take(); NULL: where the directory is */
};
void session_emit(struct decision *d, const struct session_birth *b);
/* Refuses a mode that an existing session does not have; 0: none was given. */
bool session_mode_fits(struct decision *d, enum permission_mode mode);
/* thread_id absent: creates a new one.  Returns it. */
struct str session_emit_thread(struct decision *d, struct str thread_id, struct str cause);

#endif
