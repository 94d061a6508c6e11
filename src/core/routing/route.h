#ifndef CORE_ROUTE_H
#define CORE_ROUTE_H
/*
 * Model routing: what the task needs, which models are available, which one was
 * chosen and why, and which one replaces it when it fails.
 *
 * The candidate set holds the models that are available for this run; every
 * other model of the settings is excluded with a reason.  Without a candidate
 * the turn fails and says so.  A chosen model is replaced only by one of
 * routing.fallback_chain, and only if the fallback policy allows that.
 * spec: contracts/model-routing-limits; GAP-33, GAP-48, GAP-66
 */
#include "core/turn/turn.h"

/* The requirements of the task; emitted once per task. */
struct rec_task_profile *route_profile_of(struct decision *d, const struct st_turn *t);
void route_emit_profile(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        struct rec_task_profile *profile);

/* The offered model that a name means, "provider/model" or "model"; NULL: none. */
const struct model_info *route_named(const struct decision *d, struct str name);
/* The model that route_emit_routing() would choose; NULL: none. */
const struct model_info *route_choice(struct decision *d, const struct st_thread *th,
                                      const struct st_turn *t,
                                      const struct rec_task_profile *profile);
/* Emits candidates and decision; false when no model is available, which is recorded too. */
bool route_emit_routing(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct rec_task_profile *profile);

/* The next model of the chain that may follow after this end of a request; NULL: none. */
const struct model_info *route_fallback_next_candidate(struct decision *d, const struct st_turn *t,
                                                       const struct model_end *e);
/* Switches to it: ends the run, starts another, and records the reason. */
void route_fallback_emit(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct model_info *to, const struct model_end *e);

/* fallback: ask — a person is asked first; if no person can be asked, there is no fallback. */
bool route_fallback_asks_first(struct decision *d, const struct st_turn *t);
void route_fallback_ask(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct model_info *to, const struct model_end *e);
/*
 * False: the requested model has reached a limit, and no person has consented (yet) to another; the
 * question was emitted.  m: the model of the turn.
 */
bool route_fallback_may_stand_in(struct decision *d, const struct st_thread *th,
                                 const struct st_turn *t, const struct model_info *m);
enum fallback_step {
	FALLBACK_NONE,    /* no question was asked, or it was denied: the turn fails */
	FALLBACK_WAITS,   /* for the answer */
	FALLBACK_APPLIED, /* it was emitted */
};
enum fallback_step route_fallback_step(struct decision *d, const struct st_thread *th,
                                       const struct st_turn *t);

/*
 * For a request of the runtime itself: the next model of the chain that is not in `tried`
 * ("provider/model") and may follow after this failure.
 */
const struct model_info *route_fallback_next_for_summary(struct decision *d,
                                                         const struct st_turn *t,
                                                         const struct list_str *tried,
                                                         const struct model_end *e);
void route_fallback_emit_for_summary(struct decision *d, const struct st_thread *th,
                                     const struct st_turn *t, const struct model_info *to,
                                     const struct model_end *e);

/* What to do after a failure that ends the turn; absent: nothing is known. */
struct str route_fallback_remedy(struct decision *d, const struct st_turn *t,
                                 const struct model_end *e);
#define ROUTE_OTHER_MODEL                                                                          \
	STR("submit the turn again later or with another model; routing.fallback_chain names "     \
	    "models that may be used instead")

/* Names of the fallback chain that no provider offers, each once. */
struct list_str route_chain_not_offered(struct decision *d);
/* The fallback chain by index; NULL: nothing is configured there. */
size_t route_chain_length(const struct decision *d);
const struct model_info *route_chain_at(const struct decision *d, size_t i);
bool route_may_step_in(const struct decision *d, const struct rec_task_profile *p,
                       const struct model_info *m);

/* Why a model is unavailable now, for any turn; 0: it is available. */
enum exclusion_reason route_cannot_ask(const struct decision *d, const struct model_info *m,
                                       struct str *ret_detail);

/* The JSON list of words of a model or tool, as strings. */
void route_add_words(struct decision *d, struct list_str *to, struct str json_words);

#endif
