#ifndef CORE_NODE_H
#define CORE_NODE_H
/*
 * What concerns the runtime as a whole is a fact too: of the system's session
 * (policy, grants, channels) or of this node's own (start, stop, trouble).
 */
#include "core/outcome.h"

/* Such a session and its one thread: made when they are not there. */
void node_emit_system_session(struct outcome *d, struct str title, struct str thread_id);

/* store_failed: the run before this one ended because its store did. */
void node_started(struct outcome *d, struct str version, bool store_failed, int64_t recovered);
/* Heads of sessions, in the system session: the root over the leaves, and their text. */
void node_anchor(struct outcome *d, int64_t tree_size, struct str root, struct str leaves);
void node_stopped(struct outcome *d, struct str version);
void node_error(struct outcome *d, struct str kind, struct str message);
void node_warning(struct outcome *d, enum warning_category category, struct str message);

#endif
