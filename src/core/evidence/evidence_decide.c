/*
 * What is recorded about evidence: an export that the engine has sealed, and
 * outcomes and notes that others report.
 */
#include "core/evidence/evidence.h"

#include "base/utf8.h"
#include "core/runtime_events.h"
#include "core/task/task.h"
#include "core/gen/tables.h"

#define DAY_MS (24 * 60 * 60 * (int64_t)1000)

/* ---- exports ---- */

static void emit_output(struct decision *d, const struct evidence_export *x)
{
	int64_t days = d->settings->config->evidence_keep_days;
	struct event *ev = EMIT(d, OUTPUT_SPILLED, output_spilled, .size_bytes = x->size,
	                        .policy = STR("evidence"), .complete = true);

	ev->output_ref = x->pack_ref;
	ev->output = KEPT(d, struct rec_output, .output_ref = x->pack_ref,
	                  .owner = OUTPUT_OWNER_EVIDENCE, .owner_id = x->evidence_id,
	                  .media_type = STR("application/zstd"), .encoding = STR("binary"),
	                  .size_bytes = x->size, .sha256 = x->sha256, .complete = true,
	                  .truncation = TRUNCATION_NONE, .redaction = REDACTION_NONE,
	                  .expires_at = days ? d->now + days * DAY_MS : 0);
}

static struct str signals_text(struct arena *mem, const struct evidence_tally *t)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		jw_kstr(&w, evidence_signals[i].name,
		        evidence_signal_word(evidence_tally_status(t, i)));
	jw_obj_end(&w);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

struct evidence_export evidence_decide_summary(struct arena *mem,
                                               const struct evidence_document *doc)
{
	const struct list_str *traces = &doc->tally->traces;
	bool has_one = traces->count == 1 && !doc->tally->is_unsampled;

	return (struct evidence_export){ .evidence_id = doc->evidence_id,
		                         .thread_id = doc->scope->thread_id,
		                         .turn_id = doc->scope->turn_id,
		                         .task_id = doc->scope->task_id,
		                         .job_id = doc->scope->job_id,
		                         .head_hash = sha256_hex(mem, &doc->head),
		                         .signals = signals_text(mem, doc->tally),
		                         .known_gaps = evidence_tally_gaps(doc->tally, mem),
		                         .redaction = doc->redaction,
		                         .from = doc->from,
		                         .to = doc->to,
		                         .is_partial = doc->is_partial,
		                         .trace_id = has_one ? traces->items[0] : STR_NONE,
		                         .is_traced = traces->count > 0 };
}

static struct rec_correlation *scope_record(struct decision *d, const struct evidence_export *x)
{
	return KEPT(d, struct rec_correlation, .session_id = d->session_id,
	            .thread_id = x->thread_id, .turn_id = x->turn_id, .task_id = x->task_id);
}

/* An export of one trace is a span of it; an export of several belongs to none. */
static void join_trace(struct decision *d, struct event *ev, const struct evidence_export *x)
{
	if (!str_is(x->trace_id))
		return;
	ev->trace_id = x->trace_id;
	ev->span_id = trace_context_span(d->mem, x->trace_id, x->evidence_id);
}

void evidence_decide_exported(struct decision *d, const struct evidence_export *x)
{
	bool is_replay = str_eq(x->kind, STR("replay")), is_review = str_eq(x->kind, STR("review"));
	bool has_decisions = str_starts(x->pack_ref, STR(CATALOG_DECISIONS_PREFIX));
	struct event *ev;

	if (!x->is_stored) /* first: an erasure looks for outputs, and then for what names them */
		emit_output(d, x);
	ev = EMIT(d, EVIDENCE_CHANGED, evidence_changed, .change = EVIDENCE_CHANGE_EXPORTED,
	          .kind = x->kind, .pack_ref = x->pack_ref,
	          .trace_ref = x->is_traced ? x->pack_ref : STR_NONE,
	          .replay_ref = is_replay ? x->pack_ref : STR_NONE,
	          .review_ref = is_review ? x->pack_ref : STR_NONE, .scope = scope_record(d, x),
	          .has_partial = true, .partial = x->is_partial, .has_from_sequence = true,
	          .from_sequence = x->from, .has_to_sequence = true, .to_sequence = x->to,
	          .head_hash = x->head_hash, .signals = x->signals, .known_gaps = x->known_gaps,
	          .redaction = x->redaction, .sha256 = x->sha256, .has_decisions = has_decisions,
	          .decisions = has_decisions);
	ev->evidence_id = x->evidence_id;
	ev->thread_id = x->thread_id;
	ev->turn_id = x->turn_id;
	ev->task_id = x->task_id;
	ev->job_id = x->job_id;
	join_trace(d, ev, x);
	decision_add_ref(d, ev, STR("pack"), x->pack_ref);
	if (x->is_traced)
		decision_add_ref(d, ev, STR("trace"), x->pack_ref);
	if (is_replay || is_review)
		decision_add_ref(d, ev, x->kind, x->pack_ref);
}

/* ---- reads with scope admin ---- */

void evidence_decide_access(struct decision *d, struct str command, struct str principal,
                            struct str session)
{
	struct event *ev;

	runtime_events_emit_system_session(d, STR("system"), STR("thr_system"));
	ev = EMIT(d, EVIDENCE_CHANGED, evidence_changed, .change = EVIDENCE_CHANGE_OBSERVED,
	          .kind = STR(EVIDENCE_ACCESS), .name = command, .verifier_ref = principal,
	          .note = session);
	ev->evidence_id = decision_new_id(d, "evd");
	ev->thread_id = STR("thr_system");
}

/* ---- outcomes and notes of others ---- */

/* False: refused. */
static bool is_about_something(struct decision *d, const struct cmd_record_evidence *cmd)
{
	if (str_is(cmd->thread_id) && !state_thread(d->w, cmd->thread_id))
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "the session has no thread %.*s",
		                STR_ARG(cmd->thread_id));
	else if (str_is(cmd->turn_id) && !state_turn(d->w, cmd->turn_id, NULL))
		decision_refuse(d, ERROR_CODE_TURN_NOT_FOUND,
		                "the session has no turn %.*s, or it is older than the ones it "
		                "shows; name the thread instead",
		                STR_ARG(cmd->turn_id));
	else if (str_is(cmd->task_id))
		(void)!task_named(d, cmd->task_id);
	return !d->refusal;
}

/* An outcome without a source would be a verdict of the runtime (GAP-23). */
static bool has_its_parts(struct decision *d, const struct cmd_record_evidence *cmd)
{
	const char *missing = NULL;

	if (cmd->kind == EVIDENCE_RECORD_NOTE)
		missing = cmd->note.len ? NULL : "note";
	else
		missing = !cmd->outcome.len        ? "outcome"
		          : !cmd->verifier_ref.len ? "verifierRef"
		                                   : NULL;
	if (missing)
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "%s: a %.*s needs it", missing,
		                STR_ARG(evidence_record_word(cmd->kind)));
	return !missing;
}

/* A word that people and programs read: something visible, and no control characters. */
static bool is_word(struct str text)
{
	bool is_visible = false;

	while (text.len) {
		uint32_t code;
		size_t len = utf8_read(text, &code);

		if (!len || code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		    (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
		    (code >= 0x2066 && code <= 0x2069))
			return false;
		is_visible |= code != ' ' && code != 0xa0;
		text = str_skip(text, len);
	}
	return is_visible;
}

/* False: refused. */
static bool has_good_words(struct decision *d, const struct cmd_record_evidence *cmd)
{
	const char *bad = str_is(cmd->outcome) && !is_word(cmd->outcome)             ? "outcome"
	                  : str_is(cmd->verifier_ref) && !is_word(cmd->verifier_ref) ? "verifierRef"
	                  : str_is(cmd->name) && cmd->name.len && !is_word(cmd->name) ? "name"
	                                                                              : NULL;

	if (bad)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "%s: text with something to see and without control characters",
		                bad);
	return !bad;
}

void decide_record_evidence(struct decision *d, const struct cmd_record_evidence *cmd)
{
	struct str id = decision_new_id(d, "evd");
	struct event *ev;

	if (!has_its_parts(d, cmd) || !has_good_words(d, cmd) || !is_about_something(d, cmd))
		return;
	ev = EMIT(d, EVIDENCE_CHANGED, evidence_changed, .change = EVIDENCE_CHANGE_OBSERVED,
	          .kind = evidence_record_word(cmd->kind), .name = cmd->name,
	          .outcome = cmd->outcome, .verifier_ref = cmd->verifier_ref, .note = cmd->note);
	ev->evidence_id = id;
	ev->thread_id = cmd->thread_id;
	ev->turn_id = cmd->turn_id;
	ev->task_id = cmd->task_id;
	if (cmd->kind == EVIDENCE_RECORD_VERIFICATION) {
		struct ev_evidence_changed *p = (struct ev_evidence_changed *)ev->payload;
		struct rec_verification *v =
			rec_list_add(d->mem, &p->verification_outcomes, &rec_verification_desc);

		v->name = str_is(cmd->name) ? cmd->name : STR("verification");
		v->status = cmd->outcome;
		v->verifier_ref = cmd->verifier_ref;
	}
	d->reply = rec_text(d->mem, &reply_record_evidence_desc,
	                    &(struct reply_record_evidence){ .evidence_id = id });
}
