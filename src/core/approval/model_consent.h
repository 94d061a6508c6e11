#ifndef CORE_MODEL_CONSENT_H
#define CORE_MODEL_CONSENT_H
/*
 * A turn asks a person for consent: before a model without a known price, and
 * before a fallback model.  Without an answer the consent counts as denied.  The
 * event and the action name the setting that caused the question.
 * spec: contracts/control-plane#action-requests; GAP-56
 */
#include "core/turn/turn.h"

#define ASKED_BY_PRICE STR("routing.unpriced")
#define ASKED_BY_FALLBACK STR("routing.fallback")

/* The last action that this setting caused after that sequence; NULL: none. */
const struct st_action *model_consent_plan(const struct st_thread *th, const struct st_turn *t,
                                           struct str rule, int64_t after);
/* False: no person can be asked. */
bool model_consent_is_allowed(const struct decision *d, const struct st_turn *t);
void model_consent_ask(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str rule, struct str prompt);

#endif
