#ifndef CORE_PLAN_MODE_H
#define CORE_PLAN_MODE_H
/* The permission mode of a session after its plan was accepted. */
#include "core/decision.h"

/*
 * The mode that the session had before plan.  A session that began with plan gets the mode of the
 * settings, on_request at most, or default if that is plan too.  If the answer is not the owner's,
 * the mode is never wider than default.
 */
enum permission_mode plan_mode_after(const struct state *w, const struct settings *settings,
                                     bool is_by_owner);

#endif
