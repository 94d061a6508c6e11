#ifndef CORE_MODEL_CONSENT_H
#define CORE_MODEL_CONSENT_H
/*
 * A turn asks a person whether it may go on: before a model whose price nobody
 * knows, before another model steps in.  Allow or deny, and silence is no
 * consent.  Which setting asked stands in the fact and on the action.
 * spec: contracts/control-plane#action-requests; GAP-56
 */
#include "core/turn/turn.h"

#define ASKED_BY_PRICE STR("routing.unpriced")
#define ASKED_BY_FALLBACK STR("routing.fallback")

/* What was asked last in the name of this setting, behind that sequence; NULL: nothing. */
const struct st_action *model_consent_plan(const struct st_thread *th, const struct st_turn *t,
                                           struct str rule, int64_t after);
/* False: nobody can be asked. */
bool model_consent_is_allowed(const struct decision *d, const struct st_turn *t);
void model_consent_ask(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str rule, struct str prompt);

#endif
