/*
 * Views of objects outside the conversation: outputs, artifacts, evidence, channels, the
 * environment.
 */
#include "core/view/view_part.h"

#include "base/jw.h"

void view_outputs(struct json_writer *w, const struct state *state, const struct st_thread *th)
{
	const struct st_session *s = state->s;

	jw_arr(w);
	for (uint32_t i = 0; i < s->outputs.count; i++)
		if (!th || view_part_is_only_thread(state) ||
		    view_part_owns_output(th, STR_NONE, s->outputs.items[i]))
			rec_write(w, &rec_output_desc, s->outputs.items[i]);
	jw_arr_end(w);
}

/* Of its latest version; a removed artifact has nothing to validate. */
static enum validation_state validation_of(const struct st_artifact *a)
{
	const struct rec_artifact_version *last =
		a->checkpoints.count ? a->checkpoints.items[a->checkpoints.count - 1] : NULL;

	if (a->validation)
		return a->validation->state;
	return last && last->change == ARTIFACT_CHANGE_DELETED ? VALIDATION_STATE_NOT_APPLICABLE
	                                                       : VALIDATION_STATE_UNCHECKED;
}

/* An unknown number of issues is not zero (GAP-47). */
static enum honesty issues_state(const struct st_artifact *a)
{
	if (a->has_issues)
		return 0;
	return validation_of(a) == VALIDATION_STATE_NOT_APPLICABLE ? HONESTY_NOT_APPLICABLE
	                                                           : HONESTY_UNKNOWN;
}

static void write_validation(struct json_writer *w, const struct st_session *s)
{
	struct rec_validation_counts n = { 0 };

	for (uint32_t i = 0; i < s->artifacts.count; i++) {
		const struct st_artifact *a = s->artifacts.items[i];
		enum validation_state state = validation_of(a);

		n.passed += state == VALIDATION_STATE_PASSED;
		n.failed += state == VALIDATION_STATE_FAILED;
		n.not_applicable += state == VALIDATION_STATE_NOT_APPLICABLE;
		n.unchecked += state == VALIDATION_STATE_UNCHECKED;
		n.issues += a->has_issues ? a->issues : 0;
	}
	JW_KEY(w, "validation");
	rec_write(w, &rec_validation_counts_desc, &n);
}

void view_artifacts(struct json_writer *w, const struct state *state)
{
	const struct st_session *s = state->s;

	jw_obj(w);
	JW_KEY(w, "artifacts");
	jw_arr(w);
	for (uint32_t i = 0; i < s->artifacts.count; i++) {
		const struct st_artifact *a = s->artifacts.items[i];
		struct rec_artifact_row row = {
			.artifact_id = a->artifact_id,
			.version_id = a->version_id,
			.versions = a->version,
			.kind = a->kind,
			.path = a->path,
			.read_ref = a->read_ref,
			.preview_ref = a->preview_ref,
			.diff_ref = a->diff_ref,
			.issues = a->issues,
			.has_issues = a->has_issues,
			.issues_state = issues_state(a),
			.validation = validation_of(a),
			.messages =
				a->validation ? a->validation->messages : (struct list_str){ 0 },
			/* A log that begins at an older floor does not hold it. */
			.owner = str_is(a->owner) ? a->owner : STR("unknown"),
			.task_id = a->task_id,
		};

		row.checkpoints.items = BORROWED(struct rec_artifact_version *, a->checkpoints);
		row.checkpoints.count = a->checkpoints.count;
		rec_write(w, &rec_artifact_row_desc, &row);
	}
	jw_arr_end(w);
	output_view_artifact_refs(w, state);
	write_validation(w, s);
	JW_KINT(w, "sequence", s->sequence);
	jw_obj_end(w);
}

void output_view_artifact_refs(struct json_writer *w, const struct state *state)
{
	JW_KEY(w, "artifactRefs");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->artifacts.count; i++)
		jw_str(w, state->s->artifacts.items[i]->artifact_id);
	jw_arr_end(w);
}

/* ---- peers ---- */

/*
 * Acknowledgements of live connections are known to the engine before an event records them; `want`
 * brings them.
 */
void view_channel(struct json_writer *w, const struct st_channel *c, const struct view_want *want)
{
	struct rec_channel row = *c->record;
	int64_t acked = c->acked;

	for (size_t i = 0; i < want->ack_count; i++)
		if (str_eq(want->acks[i].channel_id, row.channel_id))
			acked = MAX(acked, want->acks[i].sequence);
	row.status = c->status;
	if (acked > row.last_acked_sequence) {
		row.last_acked_sequence = acked;
		row.has_last_acked_sequence = true;
	}
	row.session_id = want->session_id;
	row.has_lag = want->head && row.has_last_acked_sequence;
	if (row.has_lag)
		row.lag = MAX(want->head - row.last_acked_sequence, 0);
	rec_write(w, &rec_channel_desc, &row);
}

/* Forwarded actions that are still pending. */
static void write_forwards(struct json_writer *w, const struct state *state)
{
	JW_KEY(w, "pendingForwards");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->threads.count; i++) {
		const struct st_action *a = NULL;

		while ((a = turn_wait_pending(state->s->threads.items[i], STR_NONE, a)))
			if (a->forwarded_to.count)
				jw_str(w, a->action_id);
	}
	jw_arr_end(w);
}

void output_view_channels(struct json_writer *w, const struct state *state,
                          const struct view_want *want)
{
	if (!state->s->channels.count) {
		JW_KSTR(w, "status", honesty_word(view_part_honesty_of(EV_CHANNEL_CONNECTED)));
		return;
	}
	JW_KEY(w, "channels");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->channels.count; i++)
		view_channel(w, state->s->channels.items[i], want);
	jw_arr_end(w);
	write_forwards(w, state);
}

void view_channels(struct json_writer *w, const struct state *state)
{
	jw_obj(w);
	output_view_channels(w, state, &(const struct view_want){ 0 });
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}
