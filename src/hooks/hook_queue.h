#ifndef HOOKS_HOOK_QUEUE_H
#define HOOKS_HOOK_QUEUE_H
/*
 * Where the program around the library picks up the hooks that it answers
 * itself.  The loop lays calls down and never waits; any thread of the program
 * takes them, oldest first, and answers when it can, in any order.
 *
 *	waiting ──take──► taken ──answer──► answered ──► the loop hears of it
 *
 * An answer that was taken counts: a call that has one is not dropped for
 * being late.  Once it is stopped every call is given up, also later ones.
 */
#include "base/str.h"

struct hook_queue;
struct hook_queue_call;

/* wake is called from any thread when something was answered.  NULL: errno says why. */
struct hook_queue *hook_queue_new(void (*wake)(void *arg), void *wake_arg);
/* By then no other thread may know of it. */
void hook_queue_free(struct hook_queue *d);

/* ---- the loop ---- */

struct hook_queue_call *hook_queue_put(struct hook_queue *d, struct str input, void *owner);
/* An answered call comes back to its owner in any case. */
bool hook_queue_is_answered(struct hook_queue *d, const struct hook_queue_call *c);
/* Nobody wants its answer any more; it is freed. */
void hook_queue_drop(struct hook_queue *d, struct hook_queue_call *c);
/*
 * The owner of a call that was answered, and which is freed by that; NULL:
 * there is none.  *ret is to be freed; NULL: it was given up.
 */
void *hook_queue_answered(struct hook_queue *d, char **ret);

/* ---- any thread ---- */

enum queue_take { HOOK_QUEUE_TAKEN, HOOK_QUEUE_EMPTY, HOOK_QUEUE_STOPPED };

/* Readable while hook_queue_take() does not answer with HOOK_QUEUE_EMPTY. */
int hook_queue_fd(const struct hook_queue *d);
/* *ret is to be freed. */
enum queue_take hook_queue_take(struct hook_queue *d, uint64_t *ret_id, char **ret);
/* answer NULL: it gives up.  False: nobody waits for that one, or it was not taken. */
bool hook_queue_answer(struct hook_queue *d, uint64_t id, const char *response);
void hook_queue_stop(struct hook_queue *d);

#endif
