#ifndef CORE_ORDER_CHECK_H
#define CORE_ORDER_CHECK_H
/*
 * The order check: refuses events about objects that are not open.
 *
 * The catalogue declares which class opens, needs and closes which kind of
 * object.  The check needs no record of ended objects: an object that is not in
 * the session's list of open ones is either unknown or ended, and both are
 * refused.  It verifies the core's own decisions independently, so it shares no
 * state with the topics.
 */
#include "core/state.h"

/* Does the event contradict the state?  Messages name the class and the object. */
enum err order_check_event(const struct state *w, const struct event *ev, struct error *e) MUST_USE;

/* Part of folding: opens and closes. */
void order_check_fold(struct state *w, const struct event *ev);

#endif
