#ifndef TESTS_TRIAL_INT_H
#define TESTS_TRIAL_INT_H
/* Shared by the trial*.c files and nobody else. */
#include "trial.h"

/* ---- trial_seen.c ---- */

/* NULL: nothing of that session was seen. */
struct seen *seen_find(struct trial *t, struct str id);
struct seen *seen_of(struct trial *t, struct str id);
/* An event as somebody has it: new, or what was seen before. */
void seen_event(struct trial *t, struct str session, uint64_t seq, struct str body);
void seen_followed(void *owner, const struct control_event *ev);
void seen_early(void *owner, struct str session, const struct store_event *ev);
void seen_model(void *owner, const struct model_request *req);
void seen_tool(void *owner, struct str call_id);
/* What began outside has its mark in a log. */
void check_marks(struct trial *t);

/* ---- trial_store.c ---- */

/* Everything that the store has when a run begins, before the engine gets it. */
void store_check(struct trial *t, struct store *st);

/* ---- trial_owed.c ---- */

void owed_find(struct trial *t, struct seen *s);
void owed_check(struct trial *t);

/* ---- trial_send.c ---- */

/* Is what answers said borne out by what was seen? */
void answers_check(struct trial *t);

/* ---- trial_read.c ---- */

/* Everything is settled and nobody is held up: they have it all. */
void readers_check(struct trial *t);
void readers_drop(struct trial *t);

/* ---- trial_end.c ---- */

void check_rest(struct trial *t, enum law_rest how);

#endif
