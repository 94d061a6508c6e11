#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H
/*
 * Cost control: the estimated cost of a request is reserved before it is sent,
 * against every cap that applies, and settled when it has ended.
 *
 * Caps are cumulative: over retries and runs of a turn, over the turns,
 * threads, compactions and children of a session, over the tasks below a task,
 * over the items of a job, and, through the ledger, over all sessions of a day
 * and of a tenant.  A request whose cost was not measured counts its whole
 * reservation as spent.
 *
 * A request may cost more than its estimate.  From the first measured overrun
 * on, the estimates of that model are scaled up (budget_overrun.c).  Until then
 * requests run in parallel only as long as `overrun` times everything in flight
 * fits below the cap; nearer to it they run one at a time.  Recorded costs
 * therefore exceed a cap by at most one reservation; only a model's very first
 * overrun, directly below a cap, can exceed it by more.
 * spec: contracts/model-routing-limits; GAP-47, GAP-49, GAP-50
 */
#include "core/turn/turn.h"

/* The cost of so many tokens in 1e-9 dollars, at a price per million. */
int64_t budget_usd_of_tokens(int64_t tokens, int64_t per_mtok);

/* What the turn may spend, with its child agents, in 1e-9 dollars; 0: no cap. */
int64_t budget_turn_cap(const struct decision *d, const struct st_turn *t);

struct rec_price *budget_price_of(struct decision *d, const struct model_info *m);
enum cost_class budget_cost_class_of(const struct model_info *m, int64_t now);
/* The turn with the costs that this decision records: its state has them after the fold. */
const struct st_turn *budget_turn_settled(struct decision *d, const struct st_turn *t);
struct rec_tokens *budget_turn_tokens(struct decision *d, const struct st_turn *t);
struct rec_cost_state *budget_cost_state(struct decision *d, const struct st_turn *t,
                                         enum cost_status state);
/* Every cap that applies, and the limits that the chosen provider reported. */
struct rec_limit_state *budget_limit_state(struct decision *d, const struct st_turn *t);
struct rec_limit_part *budget_limit_part(struct decision *d, const struct model_info *m,
                                         enum limit_kind kind);

/* False: the price is unknown and no person has consented (yet); the question was emitted. */
bool budget_ask_has_consent(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct model_info *m);

/* What a request of so many tokens would reserve; 0: the price is not known. */
int64_t budget_estimate(const struct decision *d, const struct model_info *m, int64_t input_tokens,
                        int64_t max_output);
/* Does another request of this amount fit below the caps of the turn, its tasks and the session? */
bool budget_has_room(const struct decision *d, const struct st_turn *t, int64_t amount);

enum room {
	ROOM_YES,     /* cost.estimated was emitted */
	ROOM_HOLD,    /* not now: the turn waits, reported once if that may take long */
	ROOM_BLOCKED, /* this cap forbids it: quota.blocked was emitted */
};
/* Reserves the cost of a request of so many tokens. */
enum room budget_reserve(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str request_id, int64_t input_tokens, int64_t max_output);
/* Emitted before the request of a turn that waited for a reservation. */
void budget_emit_room(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      struct str timer);

/*
 * budget_overrun.c: the factor for estimates of this model, in percent: the highest that was
 * measured today and yesterday (UTC), at least 100.
 */
int64_t budget_overrun_reckoned_percent(const struct decision *d, const struct model_info *m);
int64_t budget_overrun_usd(int64_t plain, int64_t percent);
/* NULL unless this cost is the highest overrun of the day for the model. */
struct rec_overrun *budget_overrun_of(struct decision *d, const struct model_info *m,
                                      const struct st_turn *t, int64_t amount);

/* Why the estimate is above the price of its tokens, in brackets; empty when it is not. */
struct str budget_overrun_reckoning(struct decision *d, const struct st_turn *t);

/* One settlement per request; end is NULL when the cost was not measured. */
void budget_cost_recorded(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          enum cost_basis basis, const struct model_end *end);

/* The session was given a cap. */
void budget_emit_session_cap(struct decision *d, int64_t cap_usd);

#endif
