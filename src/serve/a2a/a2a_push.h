#ifndef SERVE_A2A_PUSH_H
#define SERVE_A2A_PUSH_H
/*
 * Push notifications: which tasks are reported where, and the sender.
 *
 *   FOLLOWING ──change──► SENDING ──2xx──► FOLLOWING ... the task has ended ──► gone
 *                           │  ▲
 *                           ▼  │ later, a bounded number of times
 *                         WAITING ──► given up: gone
 *
 * A configuration and the place up to which it was delivered are kept in the store and not in the
 * log, because it holds credentials of the peer.  While a notification is under way the
 * subscription is paused: the log is the queue.  After a crash the last notifications may be
 * sent again.
 */
#include "a2a/a2a_error.h"

struct a2a_edge;
struct a2a_op;
struct a2a_pushes;

/* Reads the configurations and follows their tasks.  NULL: e says why. */
struct a2a_pushes *a2a_push_new(struct a2a_edge *edge, struct error *e) MUST_USE;
void a2a_push_free(struct a2a_pushes *all); /* NULL is fine */

/* Is the configuration of the request one that may be used? */
bool a2a_push_is_valid(struct a2a_op *op, struct a2a_error *e) MUST_USE;
/* Adds the configuration of the request, durably; again with the same id: replaces it. */
bool a2a_push_add(struct a2a_op *op, struct str session_id, struct str task_id,
                  struct a2a_error *e) MUST_USE;

#endif
