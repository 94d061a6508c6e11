/*
 * Views of routing: which model, why, at what cost and under which limits.
 * spec: contracts/model-routing-limits
 */
#include "core/view/view_part.h"

#include "base/jw.h"

/* The state keeps the records of a turn as text; this reads them back. */
static struct json kept_json(struct arena *mem, struct str text)
{
	struct json v = { 0 };

	if (str_is(text) && json_read_trusted(mem, text, &v, NULL) != OK)
		return (struct json){ 0 };
	return v;
}

static void copy_member(struct json_writer *w, struct json from, struct str key)
{
	struct json v = json_get(from, key);

	if (!json_is(v))
		return;
	jw_key(w, key);
	jw_value(w, v);
}

/* Before the first routing only the models of the settings can be shown. */
static void write_unrouted(struct json_writer *w, const struct settings *settings, bool is_busy)
{
	int64_t count = 0;

	for (size_t i = 0; i < settings->model_count; i++)
		count += settings->models[i].has_credential;
	JW_KSTR(w, "status", honesty_word(is_busy ? HONESTY_UNKNOWN : HONESTY_NOT_APPLICABLE));
	JW_KINT(w, "candidateCount", count);
	JW_KBOOL(w, "singleCandidate", count == 1);
	JW_KBOOL(w, "fallbackApplied", false);
}

/* Before the first settlement the limits are those of the routing decision. */
void routing_view_limit(struct json_writer *w, const struct st_turn *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json at_choice;

	if (str_is(t->limit)) {
		PART_RAW(w, "limitState", t->limit);
		return;
	}
	at_choice = JSON_GET(kept_json(mem, t->decision), "limitStateSnapshot");
	if (!json_is(at_choice))
		return;
	JW_KEY(w, "limitState");
	jw_value(w, at_choice);
}

/* Copies members of the stored decision as they are: the view adds no interpretation. */
static void write_routing(struct json_writer *w, const struct st_thread *th,
                          const struct st_turn *t)
{
	static const struct str of_decision[] = {
		STR("selectedProvider"), STR("selectedModel"), STR("decisionSource"),
		STR("decisionReason"),   STR("capabilityGap"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json decision = kept_json(mem, t->decision), set = kept_json(mem, t->candidates);
	struct str kind = json_str(JSON_GET(kept_json(mem, t->profile), "kind"));
	struct json count = JSON_GET(decision, "candidateCount");
	bool fell_back =
		th->fallback_applied ||
		str_eq(json_str(JSON_GET(decision, "decisionSource")), STR("runtime_fallback"));

	JW_KOPT(w, "taskKind", kind);
	JW_KINT(w, "candidateCount", json_int(count, 0));
	JW_KBOOL(w, "singleCandidate",
	         json_bool(JSON_GET(set, "singleCandidate"), json_int(count, 0) == 1));
	for (size_t i = 0; i < COUNT_OF(of_decision); i++)
		copy_member(w, decision, of_decision[i]);
	JW_KBOOL(w, "fallbackApplied", fell_back);
	PART_REC(w, "costState", &rec_cost_state_desc, t->cost);
	routing_view_limit(w, t);
}

void routing_view_model(struct json_writer *w, const struct st_thread *th,
                        const struct settings *settings)
{
	const struct st_turn *t = th ? view_part_routed_turn(th) : NULL;

	jw_obj(w);
	if (t)
		write_routing(w, th, t);
	else
		write_unrouted(w, settings, th && state_thread_active(th));
	jw_obj_end(w);
}

/* The last limits that the session's providers reported. */
static void part_provider_limits(struct json_writer *w, const struct state *state)
{
	if (!state->s->limits.count)
		return;
	JW_KEY(w, "providerLimits");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->limits.count; i++) {
		const struct st_provider_limit *l = state->s->limits.items[i];
		struct rec_provider_limit row = {
			.provider = l->provider,
			.kind = l->kind,
			.state = l->state,
			.until = l->until,
			.used = l->used,
			.has_used = l->has_used,
			.limit = l->limit,
			.has_limit = l->has_limit,
			.sequence = l->sequence,
		};

		rec_write(w, &rec_provider_limit_desc, &row);
	}
	jw_arr_end(w);
}

/* The thread with the newest routing decision. */
static const struct st_thread *routed_thread(const struct state *state)
{
	const struct st_thread *best = state_main_thread(state);
	int64_t newest = 0;

	for (uint32_t i = 0; i < state->s->threads.count; i++) {
		const struct st_turn *t = view_part_routed_turn(state->s->threads.items[i]);

		if (t && t->submitted_sequence > newest) {
			newest = t->submitted_sequence;
			best = state->s->threads.items[i];
		}
	}
	return best;
}

void routing_view_summary(struct json_writer *w, const struct state *state,
                          const struct settings *settings)
{
	const struct st_thread *th = routed_thread(state);
	const struct st_turn *t = th ? view_part_routed_turn(th) : NULL;

	jw_obj(w);
	if (t)
		write_routing(w, th, t);
	else
		write_unrouted(w, settings, th && state_thread_active(th));
	part_provider_limits(w, state);
	jw_obj_end(w);
}

void view_routing(struct json_writer *w, const struct state *state, const struct settings *settings)
{
	const struct st_thread *th = routed_thread(state);
	const struct st_turn *t = th ? view_part_routed_turn(th) : NULL;

	jw_obj(w);
	if (t) {
		write_routing(w, th, t);
		PART_RAW(w, "taskProfile", t->profile);
		PART_RAW(w, "candidateModelSet", t->candidates);
		PART_RAW(w, "routingDecision", t->decision);
	} else {
		write_unrouted(w, settings, th && state_thread_active(th));
	}
	part_provider_limits(w, state);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}
