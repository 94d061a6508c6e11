#ifndef CORE_RUNTIME_EVENTS_H
#define CORE_RUNTIME_EVENTS_H
/*
 * What concerns the runtime as a whole is a fact too: of the system's session
 * (policy, grants, channels) or of this node's own (start, stop, trouble).
 */
#include "core/decision.h"

/* Such a session and its one thread: made when they are not there. */
void runtime_events_emit_system_session(struct decision *d, struct str title, struct str thread_id);

/* store_failed: the run before this one ended because its store did. */
void runtime_events_started(struct decision *d, struct str version, bool store_failed,
                            int64_t recovered);
/* Heads of sessions, in the system session: the root over the leaves, and their text. */
void runtime_events_anchor(struct decision *d, int64_t tree_size, struct str root,
                           struct str leaves);
void runtime_events_stopped(struct decision *d, struct str version);
void runtime_events_error(struct decision *d, struct str kind, struct str message);
void runtime_events_warning(struct decision *d, enum warning_category category, struct str message);

#endif
