/* evidence_summary: exports of a session or thread, and what others reported about it. */
#include "core/evidence/evidence.h"
#include "core/view/view_part.h"

/* An entry without a thread is about the whole session. */
static bool is_about(const struct st_evidence *x, const struct st_thread *th)
{
	return !th || !str_is(x->thread_id) || str_eq(x->thread_id, th->thread_id);
}

/* The pack, the replay case and the review of a scope have one id. */
static bool is_first(const struct state *state, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (str_eq(state->s->evidence.items[i]->evidence_id,
		           state->s->evidence.items[at]->evidence_id))
			return false;
	return true;
}

static void write_ids(struct json_writer *w, const struct state *state, const struct st_thread *th)
{
	JW_KEY(w, "evidenceRefs");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->evidence.count; i++)
		if (is_about(state->s->evidence.items[i], th) && is_first(state, i))
			jw_str(w, state->s->evidence.items[i]->evidence_id);
	jw_arr_end(w);
}

static void write_refs(struct json_writer *w, struct str key, struct str kind,
                       const struct state *state, const struct st_thread *th)
{
	jw_key(w, key);
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->evidence.count; i++) {
		const struct st_evidence *x = state->s->evidence.items[i];

		if (is_about(x, th) && str_is(x->ref) && str_eq(x->kind, kind))
			jw_str(w, x->ref);
	}
	jw_arr_end(w);
}

static void write_outcomes(struct json_writer *w, const struct state *state,
                           const struct st_thread *th)
{
	JW_KEY(w, "verificationOutcomes");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->evidence.count; i++) {
		const struct st_evidence *x = state->s->evidence.items[i];

		if (is_about(x, th) && x->outcome && str_eq(x->kind, STR("verification")))
			rec_write(w, &rec_verification_desc, x->outcome);
	}
	jw_arr_end(w);
}

/* Of the newest export. */
static void write_gaps(struct json_writer *w, const struct state *state, const struct st_thread *th)
{
	const struct st_evidence *newest = NULL;

	for (uint32_t i = 0; i < state->s->evidence.count; i++)
		if (is_about(state->s->evidence.items[i], th) &&
		    str_is(state->s->evidence.items[i]->ref))
			newest = state->s->evidence.items[i];
	if (newest)
		view_part_strs(w, STR("knownGaps"), &newest->known_gaps);
	else
		PART_NONE(w, "knownGaps");
}

/* What reviewers reported: their outcome and source, or their text. */
static void write_notes(struct json_writer *w, const struct state *state,
                        const struct st_thread *th)
{
	bool has_any = false;

	for (uint32_t i = 0; i < state->s->evidence.count; i++) {
		const struct st_evidence *x = state->s->evidence.items[i];

		if (!is_about(x, th) || str_eq(x->kind, STR("verification")) ||
		    str_eq(x->kind, STR(EVIDENCE_ACCESS)) || (!str_is(x->note) && !x->outcome))
			continue;
		if (!has_any) {
			JW_KEY(w, "auditNotes");
			jw_arr(w);
		}
		has_any = true;
		jw_str(w, str_is(x->note) ? x->note : x->outcome->status);
	}
	if (has_any)
		jw_arr_end(w);
}

void view_evidence_refs(struct json_writer *w, const struct state *state)
{
	write_ids(w, state, NULL);
}

void view_evidence(struct json_writer *w, const struct state *state, const struct st_thread *th)
{
	jw_obj(w);
	write_ids(w, state, th);
	write_refs(w, STR("packRefs"), STR("pack"), state, th);
	write_refs(w, STR("replayRefs"), STR("replay"), state, th);
	write_refs(w, STR("reviewRefs"), STR("review"), state, th);
	write_outcomes(w, state, th);
	write_gaps(w, state, th);
	if (!th) /* a thread has them in its telemetry */
		view_part_strs(w, STR("traceIds"), &state->s->trace_ids);
	write_notes(w, state, th);
	if (!th)
		JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}
