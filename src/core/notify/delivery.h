#ifndef CORE_DELIVERY_H
#define CORE_DELIVERY_H
/*
 * Deliveries: notifications that a task, a job or a turn has ended, or that an
 * approval is pending.  Receivers are the hooks of the settings at the point
 * `delivery`, and those that the setting `notify` names.
 *
 *   pending ──► delivered
 *      │ ▲
 *      ▼ │ its retry is due           pending ──► parent_missing
 *   queued ──► failed                 (the receiver is no longer in the settings)
 *      └─────► not_applicable           (the action was resolved first)
 *
 * The delivery is recorded in the same commit as the end itself, so a crash
 * loses none; a pending delivery is sent again after a restart, with the same
 * id.
 */
#include "core/decision.h"

/* ---- queries, for folds and decisions ---- */

STATE_CONST struct st_delivery *delivery_find(const struct state *w, struct str delivery_id);
/* Is it still to be sent? */
bool delivery_is_open(const struct st_delivery *s);
/* The priority of a status among several: the larger, the more important. */
int delivery_weight(enum delivery_status s);

/* Adds the deliveries that follow from the events of a decision. */
void delivery_follow(struct decision *d);

/* The next one to send; NULL: none. */
const struct st_delivery *delivery_next(const struct state *w);
/* The body for the receiver. */
struct str delivery_body(struct arena *mem, const struct state *w, const struct st_delivery *s);

/* An attempt has ended; message: why it did not arrive, absent when it did. */
void delivery_end(struct decision *d, struct str delivery_id, struct str message);
/* The settings have no receiver of that name. */
void delivery_orphan(struct decision *d, struct str delivery_id);

bool delivery_time(struct decision *d);
int64_t delivery_deadline(const struct state *w);

/* The delivery of a thread or the session with the highest weight; NULL: there are none. */
const struct rec_delivery *delivery_worst(const struct state *w, struct str thread_id);

/* A notification about the end of this task is pending; the task stays in the state until then. */
bool delivery_is_pending(const struct state *w, struct str task_id);

#endif
