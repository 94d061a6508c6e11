#ifndef CORE_DELIVERY_H
#define CORE_DELIVERY_H
/*
 * Deliveries: whoever wants to know is told when a task, a job or a turn has
 * ended, and when a decision is owed.  Receivers are the hooks of the settings
 * at the point `delivery`, and what the setting `notify` names.
 *
 *   pending ──► delivered
 *      │ ▲
 *      ▼ │ its time has come          pending ──► parent_missing
 *   queued ──► failed                 (the receiver is not in the settings any more)
 *      └─────► not_applicable           (the question was answered meanwhile)
 *
 * That somebody is to be told is a fact of the same commit as the end
 * itself, so a crash between them forgets nobody; what is pending after a
 * restart is sent again, under the same id.
 */
#include "core/decision.h"

/* ---- questions, for folds and decisions ---- */

STATE_CONST struct st_delivery *delivery_find(const struct state *w, struct str delivery_id);
/* Is it still to be sent? */
bool delivery_is_open(const struct st_delivery *s);
/* How much a status matters beside others: the larger, the more. */
int delivery_weight(enum delivery_status s);

/* Adds to an outcome what follows from the ends in it. */
void delivery_follow(struct decision *d);

/* The next that is to be sent; NULL: none. */
const struct st_delivery *delivery_next(const struct state *w);
/* What the receiver is sent. */
struct str delivery_body(struct arena *mem, const struct state *w, const struct st_delivery *s);

/* An attempt has ended; message: why it did not arrive, absent when it did. */
void delivery_end(struct decision *d, struct str delivery_id, struct str message);
/* Nobody of that name is in the settings. */
void delivery_orphan(struct decision *d, struct str delivery_id);

bool delivery_time(struct decision *d);
int64_t delivery_deadline(const struct state *w);

/* What matters most of all deliveries of a thread, or of the session; NULL: nothing had to arrive. */
const struct rec_delivery *delivery_worst(const struct state *w, struct str thread_id);

/* Somebody is still to be told how this task ended; it stays in the state until then. */
bool delivery_is_owed(const struct state *w, struct str task_id);

#endif
