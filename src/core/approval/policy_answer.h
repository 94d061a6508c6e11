#ifndef CORE_POLICY_ANSWER_H
#define CORE_POLICY_ANSWER_H
/*
 * Takes a record of Agent Policy (policy/external_record.h) as the answer to a
 * pending action: it must name that action, be consistent, and decide.
 * spec: agent-runtime-checklist#ECO-02
 */
#include "core/turn/turn.h"

/* Fills *same with the answer.  NULL after a refusal: the action stays pending. */
struct rec_policy_record *policy_answer(struct decision *d,
                                        const struct cmd_resolve_permission *cmd,
                                        const struct st_action *a, struct cmd_respond_action *same);

#endif
