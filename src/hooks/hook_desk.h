#ifndef HOOKS_HOOK_DESK_H
#define HOOKS_HOOK_DESK_H
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

struct hook_desk;
struct desk_call;

/* wake is called from any thread when something was answered.  NULL: errno says why. */
struct hook_desk *hook_desk_new(void (*wake)(void *arg), void *wake_arg);
/* By then no other thread may know of it. */
void hook_desk_free(struct hook_desk *d);

/* ---- the loop ---- */

struct desk_call *hook_desk_put(struct hook_desk *d, struct str input, void *owner);
/* An answered call comes back to its owner in any case. */
bool hook_desk_is_answered(struct hook_desk *d, const struct desk_call *c);
/* Nobody wants its answer any more; it is freed. */
void hook_desk_drop(struct hook_desk *d, struct desk_call *c);
/*
 * The owner of a call that was answered, and which is freed by that; NULL:
 * there is none.  *ret is to be freed; NULL: it was given up.
 */
void *hook_desk_answered(struct hook_desk *d, char **ret);

/* ---- any thread ---- */

enum desk_take { DESK_TAKEN, DESK_EMPTY, DESK_STOPPED };

/* Readable while hook_desk_take() does not answer with DESK_EMPTY. */
int hook_desk_fd(const struct hook_desk *d);
/* *ret is to be freed. */
enum desk_take hook_desk_take(struct hook_desk *d, uint64_t *ret_id, char **ret);
/* answer NULL: it gives up.  False: nobody waits for that one, or it was not taken. */
bool hook_desk_answer(struct hook_desk *d, uint64_t id, const char *answer);
void hook_desk_stop(struct hook_desk *d);

#endif
