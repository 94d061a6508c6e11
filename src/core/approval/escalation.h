#ifndef CORE_ESCALATION_H
#define CORE_ESCALATION_H
/*
 * A call that wants more than its cage gives: because it says so beforehand
 * (the argument `escalate`, in mode on_request), or because the cage stopped
 * it (mode on_failure).  A person is asked for exactly that much, once; a yes
 * is a wider cage for this one call, and sandbox.applied tells which.
 *
 *   judged ──► ask ──► allowed ──► runs in the wider cage
 *   ran ──► refused by the cage ──► ask ──┤
 *                                         └► denied: failed, as if nobody had been asked
 * spec: contracts/permission-and-sandbox#modes
 */
#include "core/approval/permission.h"
#include "core/turn/turn.h"

/* What the arguments ask for beyond the cage; NULL: nothing. */
struct rec_sandbox_override *escalation_requested(struct arena *mem, struct str args,
                                                  struct str *ret_reason);
/* Replaces the decision and says who made it and why. */
void escalation_set_decision(struct rec_permission_decision *v, enum approval_decision decision,
                             enum decision_source source, struct str reason);
/* What is asked for beyond the cage is asked of a person, where the mode takes such questions at all. */
void escalation_evaluate(struct decision *d, struct rec_permission_decision *v);

/*
 * What a call that somebody is asked about needs beyond its cage, as far as it can be read off it:
 * a yes gives it, or it would be worth nothing.  NULL: nothing.
 */
struct rec_sandbox_override *escalation_need_implied(struct decision *d, const struct st_call *c);
/* After a refusal of the cage: what a person could give so that it works; NULL: it just fails. */
struct rec_sandbox_override *
escalation_need_after_denial(struct decision *d, const struct st_call *c,
                             struct rec_permission_decision **ret_verdict);
/* Folds one more need into what is needed already. */
void escalation_merge(struct arena *mem, struct rec_sandbox_override **into,
                      const struct rec_sandbox_override *more);

/* For people: "the network, writing to /srv". */
struct str escalation_text(struct arena *mem, const struct rec_sandbox_override *o);
struct list_str escalation_paths(struct arena *mem, const struct rec_sandbox_override *o);

#endif
