#ifndef CORE_ESCALATION_H
#define CORE_ESCALATION_H
/*
 * A call that needs more than its sandbox allows: because it requests that in
 * advance (the argument `escalate`, in mode on_request), or because the sandbox
 * denied an operation (mode on_failure).  A person is asked once, for exactly
 * that access; an approval widens the sandbox of this one call, and
 * sandbox.applied records it.
 *
 *   evaluated ──► ask ──► allowed ──► runs in the wider sandbox
 *   ran ──► denied by the sandbox ──► ask ──┤
 *                                           └► denied: failed, as without the question
 * spec: contracts/permission-and-sandbox#modes
 */
#include "core/approval/permission.h"
#include "core/turn/turn.h"

/* What the arguments request beyond the sandbox; NULL: nothing. */
struct rec_sandbox_override *escalation_requested(struct arena *mem, struct str args,
                                                  struct str *ret_reason);
/* Replaces the decision, with its author and its reason. */
void escalation_set_decision(struct rec_permission_decision *v, enum approval_decision decision,
                             enum decision_source source, struct str reason);
/* A person decides on access beyond the sandbox, if the mode permits such questions. */
void escalation_evaluate(struct decision *d, struct rec_permission_decision *v);

/*
 * What a call that needs an approval also needs beyond its sandbox, as far as its arguments show.
 * The approval grants this too; otherwise the approved call would fail.  NULL: nothing.
 * *ret_refused: a path that it would write and the sandbox refuses in spite of the approval; the
 * question says so.  It stays untouched if there is none.
 */
struct rec_sandbox_override *escalation_need_implied(struct decision *d, const struct st_call *c,
                                                     struct str *ret_refused);
/*
 * After the sandbox denied an operation: the grant that would allow it; NULL: none, the call fails.
 */
struct rec_sandbox_override *
escalation_need_after_denial(struct decision *d, const struct st_call *c,
                             struct rec_permission_decision **ret_verdict);
/* Merges a need into those that are known. */
void escalation_merge(struct arena *mem, struct rec_sandbox_override **into,
                      const struct rec_sandbox_override *more);

/* For display: "the network, writing to /srv". */
struct str escalation_text(struct arena *mem, const struct rec_sandbox_override *o);
struct list_str escalation_paths(struct arena *mem, const struct rec_sandbox_override *o);

#endif
