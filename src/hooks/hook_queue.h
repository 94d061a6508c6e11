#ifndef HOOKS_HOOK_QUEUE_H
#define HOOKS_HOOK_QUEUE_H
/*
 * The queue of hook calls that the embedding program answers itself.  The loop
 * adds calls and never waits; any thread of the program takes them, oldest
 * first, and answers in any order.
 *
 *	waiting ──take──► taken ──answer──► answered ──► the loop is woken
 *
 * An answer that was accepted counts: a call that has one does not time out.
 * After hook_queue_stop() every call fails, also later ones.
 */
#include "base/str.h"

struct hook_queue;
struct hook_queue_call;

/* wake is called from any thread after an answer.  NULL: errno has the reason. */
struct hook_queue *hook_queue_new(void (*wake)(void *arg), void *wake_arg);
/* No other thread may use the queue by then. */
void hook_queue_free(struct hook_queue *d);

/* ---- the loop ---- */

struct hook_queue_call *hook_queue_put(struct hook_queue *d, struct str input, void *owner);
/* An answered call is always delivered to its owner. */
bool hook_queue_is_answered(struct hook_queue *d, const struct hook_queue_call *c);
/* The answer is no longer needed; frees the call. */
void hook_queue_drop(struct hook_queue *d, struct hook_queue_call *c);
/*
 * Returns the owner of an answered call and frees the call; NULL: there is none.
 * The caller frees *ret; NULL: the program gave no answer.
 */
void *hook_queue_answered(struct hook_queue *d, char **ret);

/* ---- any thread ---- */

enum queue_take { HOOK_QUEUE_TAKEN, HOOK_QUEUE_EMPTY, HOOK_QUEUE_STOPPED };

/* Readable while hook_queue_take() would not return HOOK_QUEUE_EMPTY. */
int hook_queue_fd(const struct hook_queue *d);
/* The caller frees *ret. */
enum queue_take hook_queue_take(struct hook_queue *d, uint64_t *ret_id, char **ret);
/* response NULL: no answer can be given.  Returns false if the call has ended or was not taken. */
bool hook_queue_answer(struct hook_queue *d, uint64_t id, const char *response);
void hook_queue_stop(struct hook_queue *d);

#endif
