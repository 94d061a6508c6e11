#ifndef ENGINE_RESOURCES_WAITS_H
#define ENGINE_RESOURCES_WAITS_H
/*
 * What waits in all sessions, also in those that left memory while they wait.
 *
 * Each session that waits has one small entry.  An entry is made when the
 * session is loaded, which recovery does soon after the start for every session
 * with open work, and changes with its state.  A session in which only tasks wait
 * has no open work in that sense: it is counted from its first use on.
 */
#include "core/view/wait_sums.h"
#include "engine/listeners.h"

struct waits;
struct waits *waits_new(void);
void waits_free(struct waits *w); /* NULL is fine */

/* Listeners. */
void waits_folded(struct session *s, const struct event *ev);
void waits_settled(struct session *s);
void waits_load(struct session *s, enum load_phase phase);

/* Over all sessions; ret has WAIT_SUMS_COUNT members. */
void waits_sum(const struct waits *w, struct wait_sum *ret);

#endif
