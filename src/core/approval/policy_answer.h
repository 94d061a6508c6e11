#ifndef CORE_POLICY_ANSWER_H
#define CORE_POLICY_ANSWER_H
/*
 * A record of Agent Policy (policy_record.h) as the answer to a question that
 * is open: it must be about that question, agree with itself, and decide.
 * spec: agent-runtime-checklist#ECO-02
 */
#include "core/turn/turn.h"

/* What it says goes into *same.  NULL after a refusal: the question stays open. */
struct rec_policy_record *policy_answer(struct decision *d,
                                        const struct cmd_resolve_permission *cmd,
                                        const struct st_action *a, struct cmd_respond_action *same);

#endif
