#ifndef CORE_MODEL_EMIT_H
#define CORE_MODEL_EMIT_H
/*
 * The end of a model request, for turns and for compactions alike.
 *
 * Both read the same usage, report the same limits of the provider and retry
 * by the same rule; only what they do with the answer differs.
 */
#include "core/turn/turn.h"

/* NULL: the provider did not report it. */
struct rec_usage *model_emit_usage(struct decision *d, const struct model_end *e);
/* The request is repeated at once; its images are replaced by notes. */
void model_emit_without_images(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t, const struct model_end *e);
/* Repeats the request to the same model after the delay. */
void model_emit_retry(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct model_end *e, int64_t delay);
/* The provider's limits at the end of a request; action: when it was slowed. */
void model_emit_limits(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct model_end *e, enum rate_action action);
/*
 * The delay before the same candidate is requested again, or -1: not again.  With a fallback the
 * delay stays short; without one, it may last as long as the turn's time budget.
 */
int64_t model_emit_retry_delay(struct decision *d, const struct st_turn *t,
                               const struct model_end *e, bool others_may);
/* May the same request succeed later? */
bool model_emit_is_worth_waiting(const struct model_end *e);
/* Milliseconds that the turn may still wait for a provider. */
int64_t model_emit_retry_left(const struct decision *d, const struct st_turn *t);

#endif
