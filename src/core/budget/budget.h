#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H
/*
 * Money: what a request may cost is set aside before it leaves, against
 * every cap that applies, and settled when it has ended.
 *
 * Caps are cumulative: over retries and runs of a turn, over the turns,
 * threads, compactions and children of a session, over the tasks below a
 * task, and, through the ledger, over all sessions of a day and of a tenant.
 * An end that nobody measured keeps what was set aside as spent.
 *
 * A request may turn out dearer than its estimate.  A model that was measured
 * above its estimate is reckoned at that from then on (budget_overrun.c), so
 * that what is set aside for its requests is what they cost.  Until then, so
 * far from a cap that even `overrun` times everything under way would fit,
 * requests go side by side; nearer, they go one at a time.  What is recorded
 * therefore never passes a cap by more than one reservation; only a model's
 * very first overrun, when it comes alone and right below a cap, passes it
 * by more, and no reservation could have known.
 * spec: contracts/model-routing-limits; GAP-47, GAP-49, GAP-50
 */
#include "core/turn/turn.h"

/* 1e-9 dollars of so many tokens at a price per million. */
int64_t budget_usd_of_tokens(int64_t tokens, int64_t per_mtok);

struct rec_price *budget_price_of(struct decision *d, const struct settings_model *m);
enum cost_class budget_cost_class_of(const struct settings_model *m, int64_t now);
struct rec_tokens *budget_turn_tokens(struct decision *d, const struct st_turn *t);
struct rec_cost_state *budget_cost_state(struct decision *d, const struct st_turn *t,
                                         enum cost_status state);
/* Every cap that applies, and what the chosen provider said about its limits. */
struct rec_limit_state *budget_limit_state(struct decision *d, const struct st_turn *t);
struct rec_limit_part *budget_limit_part(struct decision *d, const struct settings_model *m,
                                         enum limit_kind kind);

/* False: its price is not known and nobody has allowed it (yet); what follows was emitted. */
bool budget_ask_has_consent(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct settings_model *m);

enum room {
	ROOM_YES,     /* cost.estimated was emitted */
	ROOM_HOLD,    /* not now: the turn waits, and says so once */
	ROOM_BLOCKED, /* not under this cap: quota.blocked was emitted */
};
/* Sets aside what a request of so many tokens may cost. */
enum room budget_reserve(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str request_id, int64_t input_tokens, int64_t max_output);
/* Said before the request of a turn that was held back. */
void budget_emit_room(struct decision *d, const struct st_thread *th, const struct st_turn *t);

/*
 * budget_overrun.c: hundredths of a plain estimate that a request of this
 * model is reckoned at: the most that was measured today and yesterday (UTC),
 * 100 at least.
 */
int64_t budget_overrun_reckoned_percent(const struct decision *d, const struct settings_model *m);
int64_t budget_overrun_usd(int64_t plain, int64_t percent);
/* NULL unless a request that cost so much was the dearest of the day by its estimate. */
struct rec_overrun *budget_overrun_of(struct decision *d, const struct settings_model *m,
                                      const struct st_turn *t, int64_t amount);

/* Why its next request may cost more than the tokens say, in brackets; empty when it does not. */
struct str budget_overrun_reckoning(struct decision *d, const struct st_turn *t);

/* One settlement per request; end is NULL when nobody measured it. */
void budget_cost_recorded(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          enum cost_basis basis, const struct model_end *end);

/* A cap on the session was given. */
void budget_emit_session_cap(struct decision *d, int64_t cap_usd);

#endif
