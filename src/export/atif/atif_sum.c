/*
 * Tokens and cost, as cost.recorded states them: one event for every request
 * that a model was sent, with the cached tokens inside the input tokens.
 */
#include "export/atif/atif_int.h"

void atif_sum_add(struct atif_sum *s, const struct atif_sum *more)
{
	s->prompt += more->prompt;
	s->completion += more->completion;
	s->cached += more->cached;
	s->reasoning += more->reasoning;
	s->cost_nano += more->cost_nano;
	s->requests += more->requests;
	s->unpriced += more->unpriced;
	s->uncounted += more->uncounted;
}

struct atif_sum atif_sum_of(struct json ev)
{
	struct json p = JSON_GET(ev, "payload");
	struct atif_sum s = { .requests = 1 };

	s.prompt = json_int(JSON_GET(p, "inputTokens"), 0);
	s.completion = json_int(JSON_GET(p, "outputTokens"), 0);
	s.cached = json_int(JSON_GET(p, "cachedInputTokens"), 0);
	s.reasoning = json_int(JSON_GET(p, "reasoningTokens"), 0);
	s.cost_nano = json_nano(JSON_GET(p, "amountUsd"), 0);
	s.unpriced = !json_is(JSON_GET(p, "amountUsd"));
	s.uncounted = !json_is(JSON_GET(p, "inputTokens"));
	return s;
}

/* Unknown is left out and never written as zero. */
static bool is_counted(const struct atif_sum *s)
{
	return s->requests > s->uncounted;
}

static bool is_priced(const struct atif_sum *s)
{
	return s->requests > s->unpriced;
}

static void put_extra(struct json_writer *w, const struct atif_sum *s)
{
	JW_KEY(w, "extra");
	jw_obj(w);
	JW_KINT(w, "reasoning_tokens", s->reasoning);
	if (s->unpriced)
		JW_KINT(w, "requests_without_cost", s->unpriced);
	if (s->uncounted)
		JW_KINT(w, "requests_without_tokens", s->uncounted);
	jw_obj_end(w);
}

void atif_sum_write(struct json_writer *w, const struct atif_sum *s)
{
	if (!s->requests)
		return;
	JW_KEY(w, "metrics");
	jw_obj(w);
	if (is_counted(s)) {
		JW_KINT(w, "prompt_tokens", s->prompt);
		JW_KINT(w, "completion_tokens", s->completion);
		JW_KINT(w, "cached_tokens", s->cached);
	}
	if (is_priced(s)) {
		JW_KEY(w, "cost_usd");
		jw_nano(w, s->cost_nano);
	}
	put_extra(w, s);
	jw_obj_end(w);
}

void atif_sum_write_final(struct json_writer *w, const struct atif_sum *s, int64_t steps)
{
	JW_KEY(w, "final_metrics");
	jw_obj(w);
	if (is_counted(s) || !s->requests) {
		JW_KINT(w, "total_prompt_tokens", s->prompt);
		JW_KINT(w, "total_completion_tokens", s->completion);
		JW_KINT(w, "total_cached_tokens", s->cached);
	}
	if (is_priced(s) || !s->requests) {
		JW_KEY(w, "total_cost_usd");
		jw_nano(w, s->cost_nano);
	}
	JW_KINT(w, "total_steps", steps);
	put_extra(w, s);
	jw_obj_end(w);
}
