#ifndef TESTS_CRASH_RUN_INT_H
#define TESTS_CRASH_RUN_INT_H
/* Shared by the crash_run*.c files only. */
#include "crash_run.h"

/* ---- crash_run_seen.c ---- */

/* NULL: nothing of that session was seen. */
struct seen *seen_find(struct crash_run *t, struct str id);
struct seen *seen_of(struct crash_run *t, struct str id);
/* An event as a reader got it: new, or seen before. */
void seen_event(struct crash_run *t, struct str session, uint64_t seq, struct str body);
void seen_followed(void *owner, const struct control_event *ev);
void seen_early(void *owner, struct str session, const struct store_event *ev);
void seen_model(void *owner, const struct model_request *req);
void seen_tool(void *owner, struct str call_id);
/* What began outside has its mark in a log. */
void check_marks(struct crash_run *t);

/* ---- crash_run_store.c ---- */

/* Everything that the store has when a run begins, before the engine gets it. */
void store_check(struct crash_run *t, struct store *st);

/* ---- crash_run_pending.c ---- */

void pending_find(struct crash_run *t, struct seen *s);
void pending_check(struct crash_run *t);

/* ---- crash_run_send.c ---- */

/* Do the events confirm the replies? */
void answers_check(struct crash_run *t);

/* ---- crash_run_read.c ---- */

/* Everything is settled and no reader is slowed down: each has all events. */
void readers_check(struct crash_run *t);
void readers_drop(struct crash_run *t);

/* ---- crash_run_end.c ---- */

void check_rest(struct crash_run *t, enum invariant_rest how);

#endif
