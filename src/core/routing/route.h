#ifndef CORE_ROUTE_H
#define CORE_ROUTE_H
/*
 * Which model, and why: what the task needs, who could do it now, who was
 * chosen by whom, and who steps in when the chosen one cannot.
 *
 * The candidate set holds what is really available for this run; everything
 * else of the settings is excluded with its reason.  One candidate is an
 * ordinary choice, none an honest end.  A choice of the user (explicit) or of
 * the session stands unless its fallback policy lets another step in.
 * spec: contracts/model-routing-limits; GAP-33, GAP-48, GAP-66
 */
#include "core/turn/turn.h"

/* What the task needs; said once per task. */
struct rec_task_profile *route_profile_of(struct decision *d, const struct st_turn *t);
void route_emit_profile(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        struct rec_task_profile *profile);

/* The model that route_emit_routing() would decide for; NULL: none. */
const struct settings_model *route_choice(struct decision *d, const struct st_thread *th,
                                          const struct st_turn *t,
                                          const struct rec_task_profile *profile);
/* Candidates and the decision; false when nobody can be asked: that is said too. */
bool route_emit_routing(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct rec_task_profile *profile);

/* The next of the chain that may step in after this end of a request; NULL: nobody. */
const struct settings_model *route_fallback_next_candidate(struct decision *d,
                                                           const struct st_turn *t,
                                                           const struct model_end *e);
/* It steps in: the run ends, another begins, and the reason is said. */
void route_fallback_emit(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct settings_model *to, const struct model_end *e);

/* fallback: ask — a person is asked first; where nobody can be, nobody steps in. */
bool route_fallback_asks_first(const struct decision *d, const struct st_turn *t);
void route_fallback_ask(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct settings_model *to, const struct model_end *e);
/* False: the one that was wanted rests, and nobody has agreed (yet) to another; what follows was emitted. */
bool route_fallback_may_stand_in(struct decision *d, const struct st_thread *th,
                                 const struct st_turn *t);
enum fallback_step {
	FALLBACK_NONE,    /* nothing was asked, or the answer was no: the turn fails */
	FALLBACK_WAITS,   /* for the answer */
	FALLBACK_APPLIED, /* it was emitted */
};
enum fallback_step route_fallback_step(struct decision *d, const struct st_thread *th,
                                       const struct st_turn *t);

/*
 * For a request that the runtime makes for itself: the next of the chain that
 * is not in `tried` ("provider/model") and may step in after this failure.
 */
const struct settings_model *route_fallback_next_for_summary(struct decision *d,
                                                             const struct st_turn *t,
                                                             const struct list_str *tried,
                                                             const struct model_end *e);
void route_fallback_emit_for_summary(struct decision *d, const struct st_thread *th,
                                     const struct st_turn *t, const struct settings_model *to,
                                     const struct model_end *e);

/* The chain that may step in, by place; NULL: nothing is configured there. */
size_t route_chain_length(const struct decision *d);
const struct settings_model *route_chain_at(const struct decision *d, size_t i);
bool route_may_step_in(const struct decision *d, const struct rec_task_profile *p,
                       const struct settings_model *m);

/* Why a model cannot be asked now, for any turn; 0: it can. */
enum exclusion_reason route_cannot_ask(const struct decision *d, const struct settings_model *m,
                                       struct str *ret_detail);

/* The JSON list of words of a model or tool, as strings. */
void route_add_words(struct decision *d, struct list_str *to, struct str json_words);

#endif
