/*
 * Counts what an export shows, and says for each signal why it is there or not.
 */
#include "core/evidence/evidence.h"

static bool shows(const struct evidence_kind *kind, const struct event *ev)
{
	const struct ev_evidence_changed *p = ev->payload;

	switch (kind->from) {
	case EVIDENCE_FROM_CLASS:
		return kind->classes[ev->type / 64] >> (ev->type % 64) & 1;
	case EVIDENCE_FROM_TRACE:
		return str_is(ev->trace_id);
	case EVIDENCE_FROM_VERIFICATION:
		return ev->type == EV_EVIDENCE_CHANGED && str_eq(p->kind, STR("verification"));
	case EVIDENCE_FROM_REVIEW:
		return ev->type == EV_EVIDENCE_CHANGED && !str_eq(p->kind, STR("verification")) &&
		       !str_eq(p->kind, STR(EVIDENCE_ACCESS));
	}
	return false;
}

static void take_id(struct evidence_tally *t, struct str *to, struct str id)
{
	if (str_is(id) && !str_eq(*to, id))
		*to = arena_keep(t->mem, id);
}

static void take_trace(struct evidence_tally *t, const struct event *ev)
{
	const struct ev_turn_submitted *p = ev->payload;

	if (str_is(ev->run_id) && !str_is(ev->trace_id))
		t->untraced++;
	if (ev->type == EV_TURN_SUBMITTED && p->trace && !p->trace->sampled)
		t->is_unsampled = true;
	if (str_is(ev->trace_id) && t->traces.count < EVIDENCE_TRACES_MAX &&
	    rec_list_str_find(&t->traces, ev->trace_id) < 0)
		rec_list_str_add(t->mem, &t->traces, ev->trace_id);
}

void evidence_tally_event(struct evidence_tally *t, const struct event *ev)
{
	if (!t->events++) {
		t->first_at = ev->timestamp;
		take_id(t, &t->runtime_id, ev->runtime_id);
	}
	t->last_at = ev->timestamp;
	take_id(t, &t->thread_id, ev->thread_id);
	take_id(t, &t->turn_id, ev->turn_id);
	take_id(t, &t->task_id, ev->task_id);
	take_id(t, &t->run_id, ev->run_id);
	take_trace(t, ev);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		t->signals[i] += shows(&evidence_signals[i], ev);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (shows(&evidence_sections[i], ev)) {
			if (!t->sections[i]++)
				t->first[i] = ev->sequence;
			t->last[i] = ev->sequence;
		}
}

static bool is_built(const struct evidence_kind *kind)
{
	for (size_t i = 1; i < EV_COUNT; i++)
		if (kind->classes[i / 64] >> (i % 64) & 1 && event_classes[i].is_built)
			return true;
	return kind->from != EVIDENCE_FROM_CLASS;
}

/* Traces are switched off unless an event has one; then each event of a run must have one. */
enum evidence_signal evidence_tally_status(const struct evidence_tally *t, size_t signal)
{
	if (signal == SIGNAL_TELEMETRY && t->signals[signal] && t->untraced)
		return EVIDENCE_SIGNAL_MISSING_CORRELATION;
	if (t->signals[signal])
		return EVIDENCE_SIGNAL_EXPORTED;
	if (!is_built(&evidence_signals[signal]))
		return EVIDENCE_SIGNAL_UNSUPPORTED;
	return signal == SIGNAL_TELEMETRY ? EVIDENCE_SIGNAL_NOT_RECORDED
	                                  : EVIDENCE_SIGNAL_NOT_APPLICABLE;
}

struct list_str evidence_tally_gaps(const struct evidence_tally *t, struct arena *mem)
{
	struct list_str gaps = { 0 };

	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		if (evidence_tally_status(t, i) == EVIDENCE_SIGNAL_MISSING_CORRELATION)
			rec_list_str_add(mem, &gaps, evidence_signals[i].name);
	if (t->expired_through)
		rec_list_str_add(mem, &gaps, STR("events_expired"));
	if (t->states[CHAIN_STATE_ERASED])
		rec_list_str_add(mem, &gaps, STR("events_erased"));
	if (t->withheld)
		rec_list_str_add(mem, &gaps, STR("outputs_withheld"));
	if (t->withheld_texts)
		rec_list_str_add(mem, &gaps, STR("texts_withheld"));
	if (t->missing_texts)
		rec_list_str_add(mem, &gaps, STR("texts_missing"));
	if (t->missing_settings)
		rec_list_str_add(mem, &gaps, STR("settings_missing"));
	if (t->expired_outputs)
		rec_list_str_add(mem, &gaps, STR("outputs_expired"));
	return gaps;
}
