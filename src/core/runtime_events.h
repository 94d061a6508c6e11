#ifndef CORE_RUNTIME_EVENTS_H
#define CORE_RUNTIME_EVENTS_H
/*
 * Events about the runtime as a whole: in the system session (policy, grants,
 * channels) or in this node's session (start, stop, failures).
 */
#include "core/decision.h"

/* Creates such a session and its only thread if they do not exist. */
void runtime_events_emit_system_session(struct decision *d, struct str title, struct str thread_id);

/* store_failed: the previous run ended because its store failed. */
void runtime_events_started(struct decision *d, struct str version, bool store_failed,
                            int64_t recovered);
/* The heads of sessions, in the system session: the root over the leaves, and their text. */
void runtime_events_anchor(struct decision *d, int64_t tree_size, struct str root,
                           struct str leaves);
void runtime_events_stopped(struct decision *d, struct str version);
void runtime_events_error(struct decision *d, struct str kind, struct str message);
void runtime_events_warning(struct decision *d, enum warning_category category, struct str message);

#endif
