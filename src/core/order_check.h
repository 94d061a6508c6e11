#ifndef CORE_ORDER_CHECK_H
#define CORE_ORDER_CHECK_H
/*
 * The sequence gate: what is not open is refused.
 *
 * The catalogue says which class opens, needs and closes which kind of
 * object.  The gate needs no memory of the dead: an object that is not in
 * the session's list of open ones is either unknown or over, and both are
 * refused.  It is a second pair of eyes on the core's own decisions, so it
 * shares no state with the topics.
 */
#include "core/state.h"

/* Would this event be a lie?  Messages name the class and the object. */
enum err order_check_event(const struct state *w, const struct event *ev, struct error *e) MUST_USE;

/* Part of folding: opens and closes. */
void order_check_fold(struct state *w, const struct event *ev);

#endif
