/*
 * The end of a model request apart from its response: usage, the provider's
 * limits, and whether and when the request is repeated.
 */
#include "core/turn/model_emit.h"
#include "core/budget/budget.h"
#include "core/turn/turn_emit.h"

/*
 * Not every provider counts written cache tokens, so a zero is left out instead of being shown as a
 * measurement (GAP-47).
 */
struct rec_usage *model_emit_usage(struct decision *d, const struct model_end *e)
{
	if (!e->usage.known)
		return NULL;
	return KEPT(d, struct rec_usage, .input_tokens = e->usage.input,
	            .cached_input_tokens = e->usage.cached_input, .output_tokens = e->usage.output,
	            .cache_write_tokens = e->usage.cache_written,
	            .has_cache_write_tokens = e->usage.cache_written != 0,
	            .reasoning_tokens = e->usage.reasoning, .source = USAGE_SOURCE_PROVIDER);
}

/* Below this share of a limit, the rest counts as low. */
#define LOW_SHARE 10

static enum limit_status status_of_headers(const struct model_headroom *l)
{
	if (l->limit <= 0 || l->left < 0)
		return LIMIT_STATUS_OK;
	return l->left == 0                           ? LIMIT_STATUS_LIMITED
	       : l->left * 100 / l->limit < LOW_SHARE ? LIMIT_STATUS_LOW
	                                              : LIMIT_STATUS_OK;
}

/* spec: GAP-50 — emitted when the status changes, not per request and not per header. */
static void emit_header_limits(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t, const struct model_end *e)
{
	struct rec_limit_state *l = budget_limit_state(d, t);
	enum limit_status before = l->rate->state, after = status_of_headers(&e->headroom);
	int64_t limit = e->headroom.limit, used = limit - e->headroom.left;
	struct event *ev;

	if (e->failed && limit <= 0)
		return; /* a failure without headers reports nothing */
	/*
	 * A return to ok is reported only after low or limited, where a reader has seen the trouble
	 * begin.
	 */
	if (after == before || (after == LIMIT_STATUS_OK && before != LIMIT_STATUS_LOW &&
	                        before != LIMIT_STATUS_LIMITED))
		return;
	l->rate = KEPT(d, struct rec_limit_part, .state = after, .provider = t->provider,
	               .until = e->headroom.reset_ms > 0 ? d->now + e->headroom.reset_ms : 0,
	               .used = used, .has_used = limit > 0, .limit = limit, .has_limit = limit > 0);
	l->state = after;
	ev = turn_emit_in_request(
		EMIT(d, LIMIT_CHANGED, limit_changed, .kind = LIMIT_KIND_RATE,
	             .scope = LIMIT_SCOPE_PROVIDER,
	             .source = limit > 0 ? LIMIT_SOURCE_PROVIDER_HEADERS : LIMIT_SOURCE_PROVIDER,
	             .before = KEPT(d, struct rec_limit_value, .state = before),
	             .after = KEPT(d, struct rec_limit_value, .state = after, .limit = limit,
	                           .has_limit = limit > 0, .until = l->rate->until)),
		th, t);
	ev->limit_state = l;
	ev->limit_event = KEPT(
		d, struct rec_limit_event,
		.kind = after == LIMIT_STATUS_LIMITED ? LIMIT_EVENT_KIND_RATE_LIMIT_HIT
	                                              : LIMIT_EVENT_KIND_QUOTA_LOW,
		.provider = t->provider, .model = t->model, .source = LIMIT_SOURCE_PROVIDER_HEADERS,
		.scope = LIMIT_SCOPE_PROVIDER, .used = used, .has_used = limit > 0, .limit = limit,
		.has_limit = limit > 0, .reset_at = l->rate->until);
}

/*
 * The provider has a temporary failure; the request itself is valid.  A partial response costs each
 * time, so it is not repeated.
 */
bool model_emit_is_worth_waiting(const struct model_end *e)
{
	switch (e->category) {
	case ERROR_CATEGORY_RATE_LIMITED:
	case ERROR_CATEGORY_OVERLOADED:
	case ERROR_CATEGORY_SERVER_ERROR:
		return true;
	case ERROR_CATEGORY_NETWORK:
	case ERROR_CATEGORY_TIMEOUT:
		return !e->bytes_received;
	default:
		return false;
	}
}

/* Adds jitter, so that requests that failed together are not repeated together. */
static int64_t with_jitter(struct decision *d, int64_t delay, int64_t most)
{
	return delay + (int64_t)(id_random(d->ids) % (uint64_t)(most + 1));
}

/*
 * Exponential in the number of failed requests: base, 2x base, 4x base ..., up to
 * LIMIT_RETRY_DELAY_MAX_MS.  The shift is bounded, so that a long series cannot overflow.
 */
static int64_t retry_backoff(struct decision *d, const struct st_turn *t, const struct model_end *e)
{
	int64_t delay = MIN(d->settings->retry_base_ms << MIN(t->attempt - 1, 16),
	                    LIMIT_RETRY_DELAY_MAX_MS);

	if (e->retry_after_ms < 0)
		return with_jitter(d, delay, delay / 4);
	/* Not sooner than the provider said, and with growing delays when it repeats "at once". */
	delay = MAX(e->retry_after_ms, delay / 4);
	return with_jitter(d, delay, MIN(delay / 10, 1000));
}

/* The duration of the request itself is counted when its end is folded. */
int64_t model_emit_retry_left(const struct decision *d, const struct st_turn *t)
{
	return d->settings->retry_budget_ms - t->retry_spent_ms - MAX(d->now - t->requested_at, 0);
}

/*
 * Two policies.  With another candidate (others_may) the same model gets a few quick repetitions,
 * and the caller switches when this returns -1.  Without one, waiting is the only way to finish the
 * turn, so the number of repetitions does not count, and only the turn's time budget
 * (routing.retry_budget_ms) does.  That patience applies to temporary failures of the provider
 * only.
 */
int64_t model_emit_retry_delay(struct decision *d, const struct st_turn *t,
                               const struct model_end *e, bool others_may)
{
	bool is_patient = !others_may && model_emit_is_worth_waiting(e);
	int64_t most = is_patient ? model_emit_retry_left(d, t) : d->settings->retry_wait_max_ms,
		delay;

	if (!e->retryable || (!is_patient && t->attempt >= d->settings->retry_max))
		return -1;
	delay = retry_backoff(d, t, e);
	if (delay <= most)
		return delay;
	/*
	 * Never sooner than the provider said; otherwise once more at the end of the time budget.
	 */
	return e->retry_after_ms >= 0 || most < d->settings->retry_base_ms ? -1 : most;
}

static void emit_rate_limit(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct model_end *e, enum rate_action action)
{
	struct rec_limit_state *l = budget_limit_state(d, t);
	bool says = e->retry_after_ms >= 0;
	bool is_long = says && action != RATE_ACTION_RETRY &&
	               e->retry_after_ms > d->settings->retry_wait_max_ms;
	int64_t most = action == RATE_ACTION_FAIL ? d->settings->retry_budget_ms
	                                          : d->settings->retry_wait_max_ms;
	struct event *ev = turn_emit_in_request(
		EMIT(d, RATE_LIMIT_HIT, rate_limit_hit, .provider = t->provider,
	             .retry_after_ms = e->retry_after_ms, .has_retry_after_ms = says,
	             .action = action,
	             .reason = is_long ? arena_printf(d->mem,
	                                              "the wait is longer than the %lld ms allowed",
	                                              (long long)most)
	                               : STR_NONE),
		th, t);

	l->state = LIMIT_STATUS_LIMITED;
	l->rate = KEPT(d, struct rec_limit_part, .state = LIMIT_STATUS_LIMITED,
	               .provider = t->provider, .until = says ? d->now + e->retry_after_ms : 0);
	ev->limit_state = l;
	ev->limit_event =
		KEPT(d, struct rec_limit_event, .kind = LIMIT_EVENT_KIND_RATE_LIMIT_HIT,
	             .provider = t->provider, .model = t->model, .source = LIMIT_SOURCE_PROVIDER,
	             .scope = LIMIT_SCOPE_PROVIDER, .retry_after_ms = e->retry_after_ms,
	             .has_retry_after_ms = says, .reset_at = says ? d->now + e->retry_after_ms : 0);
}

/* The account at the provider is empty: no request before the time it reports, or for an hour. */
#define QUOTA_REST_MS (3600 * 1000)

/*
 * An empty account does not recover by waiting a few seconds.  The recorded end of the block keeps
 * requests away from this provider until then, in all sessions (routing/limit.h).
 */
static void emit_quota(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct model_end *e)
{
	struct rec_limit_state *l = budget_limit_state(d, t);
	int64_t until = d->now + (e->retry_after_ms > 0 ? e->retry_after_ms : QUOTA_REST_MS);
	struct event *ev = turn_emit_in_request(
		EMIT(d, QUOTA_BLOCKED, quota_blocked, .scope = LIMIT_SCOPE_PROVIDER,
	             .provider = t->provider, .reason = STR("provider_quota"), .reset_at = until,
	             .remedy = STR("look at the account at the provider, or ask another model")),
		th, t);

	ev->status_reason = e->message;
	l->state = LIMIT_STATUS_BLOCKED;
	l->quota = KEPT(d, struct rec_limit_part, .state = LIMIT_STATUS_BLOCKED,
	                .provider = t->provider, .until = until);
	ev->limit_state = l;
	ev->limit_event =
		KEPT(d, struct rec_limit_event, .kind = LIMIT_EVENT_KIND_QUOTA_BLOCKED,
	             .provider = t->provider, .model = t->model, .source = LIMIT_SOURCE_PROVIDER,
	             .scope = LIMIT_SCOPE_PROVIDER, .reset_at = until);
}

/*
 * At most one of the three events reports the state: a refused request states it exactly, and
 * headers are read only where no such refusal exists (GAP-50).
 */
void model_emit_limits(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct model_end *e, enum rate_action action)
{
	if (e->failed && e->category == ERROR_CATEGORY_RATE_LIMITED)
		emit_rate_limit(d, th, t, e, action);
	else if (e->failed && e->category == ERROR_CATEGORY_QUOTA)
		emit_quota(d, th, t, e);
	else
		emit_header_limits(d, th, t, e);
}

static struct str span_words(struct arena *mem, int64_t ms)
{
	if (ms < 1000)
		return STR("a moment");
	if (ms < 120 * 1000)
		return arena_printf(mem, "%lld s", (long long)ms / 1000);
	return arena_printf(mem, "%lld min", (long long)(ms + 30 * 1000) / (60 * 1000));
}

void model_emit_without_images(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t, const struct model_end *e)
{
	struct event *ev = turn_emit_in_request(
		EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_MODEL_RETRY,
	             .title = STR("Asking again without the images"),
	             .detail = arena_printf(d->mem, "%.*s/%.*s refused them: %.*s",
	                                    STR_ARG(t->provider), STR_ARG(t->model),
	                                    STR_ARG(e->message)),
	             .attempt = t->attempt + 1, .has_attempt = true,
	             .images_refused_by = arena_printf(d->mem, "%.*s/%.*s", STR_ARG(t->provider),
	                                               STR_ARG(t->model)),
	             .wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_BACKOFF, .since = d->now,
	                          .until = d->now,
	                          .ended_by = STRINGS(d, STR("timer"), STR("interrupt_turn")))),
		th, t);

	ev->status = STATUS_RETRYING;
	ev->phase = PHASE_RETRYING;
}

void model_emit_retry(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct model_end *e, int64_t delay)
{
	struct event *ev = turn_emit_in_request(
		EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_MODEL_RETRY,
	             .title = arena_printf(d->mem, "Trying again in %s",
	                                   span_words(d->mem, delay).ptr),
	             .detail = arena_printf(d->mem, "%.*s; attempt %d follows", STR_ARG(e->message),
	                                    (int)t->attempt + 1),
	             .attempt = t->attempt + 1, .has_attempt = true,
	             .wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_BACKOFF, .since = d->now,
	                          .until = d->now + delay,
	                          .ended_by = STRINGS(d, STR("timer"), STR("interrupt_turn")))),
		th, t);

	ev->status = STATUS_RETRYING;
	ev->phase = PHASE_RETRYING;
}
