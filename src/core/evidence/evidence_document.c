/*
 * The documents of a pack: pack.json and replay.json by the schemas of Agent
 * Evidence, manifest.json by that of its export manifest, and the lines of
 * chain.jsonl.  All times are those of events, so that the same scope gives the
 * same bytes.  docs/formats/evidence-pack.md describes the members.
 */
#include "core/evidence/evidence.h"

#include "core/journal/journal.h"

#include <stdio.h>

#define SCHEMA STR("0.1.0") /* of Agent Evidence */
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

/* ---- the id ---- */

static void hash_line(struct sha256_stream *s, struct str text)
{
	sha256_more(s, text);
	sha256_more(s, STR("\n"));
}

static void hash_number(struct sha256_stream *s, int64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)n);
	hash_line(s, str_from(text));
}

/* docs/formats/evidence-pack.md lists the parts. */
struct str evidence_document_id(struct arena *mem, const struct evidence_document *d)
{
	struct sha256_stream s;
	struct sha256 sum;

	sha256_begin(&s);
	hash_line(&s, STR("thole evidence 1"));
	for (size_t i = 0; i < d->file_count; i++) {
		const struct evidence_file *f = &d->files[i];

		hash_line(&s, f->path);
		hash_line(&s, f->role);
		hash_line(&s, f->media_type);
		hash_number(&s, (int64_t)f->size);
		sha256_more(&s, str_of((const char *)f->hash.state, SHA256_BYTES));
	}
	sum = sha256_end(&s);
	return arena_printf(mem, "evd_%.40s", sha256_hex(mem, &sum).ptr);
}

/* ---- parts that several documents have ---- */

static void put_digits(char *to, const struct sha256 *h)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_BYTES; i++) {
		to[2 * i] = digits[h->state[i] >> 4];
		to[2 * i + 1] = digits[h->state[i] & 15];
	}
}

static void write_hash(struct json_writer *w, struct str key, const struct sha256 *h)
{
	char hex[7 + 2 * SHA256_BYTES] = "sha256:";

	put_digits(hex + 7, h);
	jw_kstr(w, key, str_of(hex, sizeof hex));
}

static void write_time(struct json_writer *w, struct str key, int64_t at)
{
	jw_key(w, key);
	jw_time(w, at);
}

static void write_scope(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_scope *s = d->scope;

	JW_KEY(w, "scope");
	jw_obj(w);
	JW_KSTR(w, "kind", evidence_scope_kind(s));
	JW_KSTR(w, "scope_id", evidence_scope_id(s));
	JW_KOPT(w, "runtime_id", d->tally->runtime_id);
	JW_KSTR(w, "session_id", s->session_id);
	JW_KOPT(w, "thread_id", s->thread_id);
	JW_KOPT(w, "turn_id", s->turn_id);
	JW_KOPT(w, "task_id", s->task_id);
	JW_KOPT(w, "job_id", s->job_id);
	if (s->has_exports)
		JW_KBOOL(w, "has_exports", true);
	jw_obj_end(w);
}

static void write_producer(struct json_writer *w, const struct evidence_document *d)
{
	JW_KEY(w, "producer");
	jw_obj(w);
	JW_KSTR(w, "id", str_is(d->tally->runtime_id) ? d->tally->runtime_id : STR("thole"));
	JW_KSTR(w, "type", STR("runtime"));
	JW_KSTR(w, "name", STR("thole"));
	JW_KSTR(w, "version", d->version);
	jw_obj_end(w);
}

static void write_entry(struct json_writer *w, const char *key, const char *status,
                        const char *lacks, const char *reason)
{
	jw_key(w, str_from(key));
	jw_obj(w);
	JW_KSTR(w, "status", str_from(status));
	if (lacks) {
		JW_KEY(w, "missing_facts");
		jw_arr(w);
		jw_obj(w);
		JW_KSTR(w, "details", str_from(lacks));
		JW_KSTR(w, "reason", str_from(reason));
		jw_obj_end(w);
		jw_arr_end(w);
	}
	jw_obj_end(w);
}

/* GAP-19: our word for a signal, in theirs. */
static const char *completeness_of(const struct evidence_tally *t, size_t signal)
{
	switch (evidence_tally_status(t, signal)) {
	case EVIDENCE_SIGNAL_EXPORTED:
		return "complete";
	case EVIDENCE_SIGNAL_NOT_APPLICABLE:
		return "not_applicable";
	case EVIDENCE_SIGNAL_NOT_RECORDED:
		return "not_collected";
	case EVIDENCE_SIGNAL_MISSING_CORRELATION:
		return "unknown";
	default:
		return "missing";
	}
}

static void write_runtime_entry(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;

	if (t->expired_through)
		write_entry(w, "runtime", "partial", "events before the range", "expired");
	else if (t->states[CHAIN_STATE_REDACTED] || t->states[CHAIN_STATE_ERASED])
		write_entry(w, "runtime", "partial", "text of events", "redacted");
	else
		write_entry(w, "runtime", d->is_partial ? "partial" : "complete", NULL, NULL);
}

/* Rules find secrets; whether other text is private they do not say. */
static void write_privacy_entry(struct json_writer *w, const struct evidence_document *d)
{
	if (d->redaction != EVIDENCE_REDACTION_RULES)
		write_entry(w, "privacy", "complete", NULL, NULL);
	else if (d->is_searched)
		write_entry(w, "privacy", "partial",
		            "text was searched for secrets by rules, and is shown otherwise",
		            "not_collected");
	else
		write_entry(w, "privacy", "not_collected", "text was not searched for secrets",
		            "not_collected");
}

static void write_completeness(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;
	bool lacks_outputs =
		t->withheld || t->expired_outputs || t->withheld_texts || t->missing_texts;

	JW_KEY(w, "completeness");
	jw_obj(w);
	write_runtime_entry(w, d);
	write_entry(w, "telemetry", completeness_of(t, SIGNAL_TELEMETRY), NULL, NULL);
	write_entry(w, "sources", "not_applicable", NULL, NULL);
	write_entry(w, "claims", "not_applicable", NULL, NULL);
	write_entry(w, "artifacts", lacks_outputs ? "partial" : completeness_of(t, SIGNAL_ARTIFACT),
	            lacks_outputs ? "stored outputs" : NULL,
	            t->expired_outputs ? "expired" : "unavailable");
	write_entry(w, "verification", completeness_of(t, SIGNAL_VERIFICATION), NULL, NULL);
	write_privacy_entry(w, d);
	write_entry(w, "replay", d->can_replay ? "complete" : "missing", NULL, NULL);
	jw_obj_end(w);
}

/* How often each rule removed something, over all files. */
static void write_rules(struct json_writer *w, const struct evidence_tally *t)
{
	for (size_t i = 0; i < t->rule_count; i++) {
		jw_obj(w);
		JW_KSTR(w, "redaction_id", arena_printf(t->mem, "rule:%zu", i + 1));
		JW_KSTR(w, "target_ref", STR("pack"));
		JW_KSTR(w, "redaction_kind", STR("mask"));
		JW_KSTR(w, "reason", t->rules[i].name);
		JW_KINT(w, "removed", t->rules[i].count);
		jw_obj_end(w);
	}
}

/* One summary by kind; the lines of chain.jsonl name each redacted event. */
static void write_redactions(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;

	JW_KEY(w, "redactions");
	jw_arr(w);
	if (t->states[CHAIN_STATE_REDACTED]) {
		jw_obj(w);
		JW_KSTR(w, "redaction_id", STR("events"));
		JW_KSTR(w, "target_ref", STR("events.jsonl"));
		JW_KSTR(w, "redaction_kind",
		        d->redaction == EVIDENCE_REDACTION_ALL ? STR("withhold") : STR("mask"));
		JW_KSTR(w, "reason", evidence_redaction_word(d->redaction));
		JW_KINT(w, "events", t->states[CHAIN_STATE_REDACTED]);
		JW_KINT(w, "removed", t->removed);
		jw_obj_end(w);
	}
	if (t->states[CHAIN_STATE_ERASED]) {
		jw_obj(w);
		JW_KSTR(w, "redaction_id", STR("erased"));
		JW_KSTR(w, "target_ref", STR("events.jsonl"));
		JW_KSTR(w, "redaction_kind", STR("remove"));
		JW_KSTR(w, "reason", STR("erased by the operator"));
		JW_KINT(w, "events", t->states[CHAIN_STATE_ERASED]);
		jw_obj_end(w);
	}
	if (t->settings_removed) {
		jw_obj(w);
		JW_KSTR(w, "redaction_id", STR("settings"));
		JW_KSTR(w, "target_ref", STR("config"));
		JW_KSTR(w, "redaction_kind", STR("mask"));
		JW_KSTR(w, "reason", evidence_redaction_word(d->redaction));
		JW_KINT(w, "removed", t->settings_removed);
		jw_obj_end(w);
	}
	write_rules(w, t);
	if (t->secret_outputs) {
		jw_obj(w);
		JW_KSTR(w, "redaction_id", STR("outputs"));
		JW_KSTR(w, "target_ref", STR("outputs"));
		JW_KSTR(w, "redaction_kind", STR("withhold"));
		JW_KSTR(w, "reason", STR("secrets"));
		JW_KINT(w, "outputs", t->secret_outputs);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/* ---- pack.json ---- */

static void write_range(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;

	JW_KEY(w, "range");
	jw_obj(w);
	JW_KINT(w, "from_sequence", d->from);
	JW_KINT(w, "to_sequence", d->to);
	write_hash(w, STR("before"), &d->before);
	write_hash(w, STR("head"), &d->head);
	JW_KBOOL(w, "partial", d->is_partial);
	if (t->expired_through)
		JW_KINT(w, "expired_through", t->expired_through);
	JW_KEY(w, "events");
	jw_obj(w);
	for (size_t i = 1; i < CHAIN_STATE_COUNT; i++)
		jw_kint(w, chain_state_word(i), t->states[i]);
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_correlation(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;

	JW_KEY(w, "runtimeCorrelation");
	jw_obj(w);
	JW_KOPT(w, "runtimeId", t->runtime_id);
	JW_KSTR(w, "sessionId", d->scope->session_id);
	JW_KOPT(w, "threadId", t->thread_id);
	JW_KOPT(w, "turnId", t->turn_id);
	JW_KOPT(w, "taskId", t->task_id);
	JW_KOPT(w, "runId", t->run_id);
	if (t->traces.count)
		JW_KSTR(w, "traceId", t->traces.items[0]);
	jw_obj_end(w);
}

static void write_sections(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;

	JW_KEY(w, "sections");
	jw_obj(w);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		jw_key(w, evidence_sections[i].name);
		jw_obj(w);
		JW_KINT(w, "events", t->sections[i]);
		if (t->sections[i]) {
			JW_KINT(w, "first_sequence", t->first[i]);
			JW_KINT(w, "last_sequence", t->last[i]);
		}
		if (d->redaction != EVIDENCE_REDACTION_ALL)
			JW_KOPT(w, "path", evidence_sections[i].view);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static void write_signals(struct json_writer *w, const struct evidence_document *d)
{
	JW_KEY(w, "signals");
	jw_obj(w);
	for (size_t i = 0; i < SIGNAL_COUNT; i++) {
		jw_key(w, evidence_signals[i].name);
		jw_obj(w);
		JW_KSTR(w, "status", evidence_signal_word(evidence_tally_status(d->tally, i)));
		JW_KINT(w, "events", d->tally->signals[i]);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static void write_gaps(struct json_writer *w, const struct evidence_document *d)
{
	struct list_str gaps = evidence_tally_gaps(d->tally, d->tally->mem);

	JW_KEY(w, "known_gaps");
	jw_arr(w);
	for (uint32_t i = 0; i < gaps.count; i++)
		jw_str(w, gaps.items[i]);
	jw_arr_end(w);
}

static void write_telemetry(struct json_writer *w, const struct evidence_document *d)
{
	const struct evidence_tally *t = d->tally;

	JW_KEY(w, "telemetry");
	jw_arr(w);
	for (uint32_t i = 0; i < t->traces.count; i++) {
		jw_obj(w);
		JW_KSTR(w, "trace_id", t->traces.items[i]);
		JW_KSTR(w, "session_id", d->scope->session_id);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_outputs(struct json_writer *w, const struct evidence_tally *t)
{
	JW_KEY(w, "outputs");
	jw_obj(w);
	JW_KINT(w, "included", t->outputs);
	JW_KINT(w, "included_bytes", t->output_bytes);
	JW_KINT(w, "withheld", t->withheld);
	JW_KINT(w, "withheld_bytes", t->withheld_bytes);
	JW_KINT(w, "withheld_secrets", t->secret_outputs);
	JW_KINT(w, "expired", t->expired_outputs);
	jw_obj_end(w);
	JW_KEY(w, "texts");
	jw_obj(w);
	JW_KINT(w, "included", t->texts);
	JW_KINT(w, "included_bytes", t->text_bytes);
	JW_KINT(w, "withheld", t->withheld_texts);
	JW_KINT(w, "missing", t->missing_texts);
	jw_obj_end(w);
	JW_KEY(w, "settings");
	jw_obj(w);
	JW_KINT(w, "missing", t->missing_settings);
	jw_obj_end(w);
}

static const char *status_of(const struct evidence_document *d)
{
	return d->is_partial                              ? "partial"
	       : d->redaction != EVIDENCE_REDACTION_RULES ? "redacted"
	                                                  : "exported";
}

void evidence_document_pack(struct buf *out, const struct evidence_document *d)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "evidence_pack_id", d->evidence_id);
	JW_KSTR(&w, "schema_version", SCHEMA);
	write_scope(&w, d);
	JW_KSTR(&w, "status", str_from(status_of(d)));
	write_time(&w, STR("created_at"), d->tally->first_at);
	write_time(&w, STR("updated_at"), d->tally->last_at);
	write_producer(&w, d);
	JW_KSTR(&w, "layer", history_layer_word(HISTORY_LAYER_EVIDENCE_EXPORT));
	write_range(&w, d);
	write_correlation(&w, d);
	write_sections(&w, d);
	write_signals(&w, d);
	write_gaps(&w, d);
	JW_KSTR(&w, "redaction", evidence_redaction_word(d->redaction));
	write_redactions(&w, d);
	write_outputs(&w, d->tally);
	write_telemetry(&w, d);
	write_completeness(&w, d);
	JW_KSTR(&w, "export_manifest_ref", STR("manifest.json"));
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

/* ---- replay.json ---- */

static void write_expected(struct json_writer *w, const struct evidence_document *d)
{
	JW_KEY(w, "expected_outputs");
	jw_arr(w);
	for (size_t i = 0; i < d->file_count; i++)
		if (str_eq(d->files[i].role, STR("view"))) {
			jw_obj(w);
			JW_KSTR(w, "path", d->files[i].path);
			write_hash(w, STR("hash"), &d->files[i].hash);
			jw_obj_end(w);
		}
	jw_arr_end(w);
}

static void write_file_refs(struct json_writer *w, const char *key, struct str role,
                            const struct evidence_document *d)
{
	jw_key(w, str_from(key));
	jw_arr(w);
	for (size_t i = 0; i < d->file_count; i++)
		if (str_eq(d->files[i].role, role)) {
			jw_obj(w);
			JW_KSTR(w, "kind", role);
			JW_KSTR(w, "uri", d->files[i].path);
			write_hash(w, STR("hash"), &d->files[i].hash);
			JW_KSTR(w, "media_type", d->files[i].media_type);
			jw_obj_end(w);
		}
	jw_arr_end(w);
}

/* Where a person or a grader finds the rest; each is a file of the pack. */
static void write_links(struct json_writer *w)
{
	JW_KSTR(w, "context_ref", STR("views/context.jsonl"));
	JW_KSTR(w, "tool_inventory_ref", STR("events.jsonl#type=tool.catalog.resolved"));
	JW_KSTR(w, "evidence_ref", STR("pack.json"));
	JW_KSTR(w, "review_ref", STR("review.md"));
	JW_KSTR(w, "instructions",
	        STR("Fold the events of input_refs, behind the state of snapshot_refs if there is "
	            "one. "
	            "Each file of expected_outputs must result byte for byte. No model and no "
	            "prose is "
	            "needed. Answers to review_ref are recorded with record_evidence."));
}

static bool has_role(const struct evidence_document *d, struct str role)
{
	for (size_t i = 0; i < d->file_count; i++)
		if (str_eq(d->files[i].role, role))
			return true;
	return false;
}

/* The decisions can be made again if the pack holds what they were given. */
static void write_decide_step(struct json_writer *w, const struct evidence_document *d)
{
	if (!has_role(d, STR("journal")))
		return;
	jw_obj(w);
	JW_KSTR(w, "kind", STR("decide"));
	JW_KINT(w, "decide_version", DECIDE_VERSION);
	JW_KSTR(w, "journal_ref", STR("journal.jsonl"));
	jw_obj_end(w);
}

void evidence_document_replay(struct buf *out, const struct evidence_document *d)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	jw_key(&w, STR("replay_id"));
	jw_str(&w, arena_printf(d->tally->mem, "rpl_%.*s", STR_ARG(str_skip(d->evidence_id, 4))));
	JW_KSTR(&w, "evidence_pack_id", d->evidence_id);
	JW_KSTR(&w, "schema_version", SCHEMA);
	write_scope(&w, d);
	JW_KSTR(&w, "determinism", d->can_replay ? STR("deterministic") : STR("unavailable"));
	write_file_refs(&w, "input_refs", STR("events"), d);
	write_file_refs(&w, "snapshot_refs", STR("floor"), d);
	write_file_refs(&w, "option_refs", STR("config"), d);
	write_links(&w);
	JW_KEY(&w, "replay_steps");
	jw_arr(&w);
	if (d->can_replay) {
		jw_obj(&w);
		JW_KSTR(&w, "kind", STR("fold"));
		JW_KINT(&w, "fold_version", FOLD_VERSION);
		JW_KINT(&w, "to_sequence", d->to);
		jw_obj_end(&w);
	}
	write_decide_step(&w, d);
	jw_arr_end(&w);
	write_expected(&w, d);
	write_time(&w, STR("created_at"), d->tally->last_at);
	write_producer(&w, d);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

/* ---- manifest.json ---- */

static void write_files(struct json_writer *w, const struct evidence_document *d)
{
	JW_KEY(w, "files");
	jw_arr(w);
	for (size_t i = 0; i < d->file_count; i++) {
		jw_obj(w);
		JW_KSTR(w, "path", d->files[i].path);
		JW_KSTR(w, "role", d->files[i].role);
		JW_KSTR(w, "media_type", d->files[i].media_type);
		JW_KINT(w, "size", (int64_t)d->files[i].size);
		write_hash(w, STR("hash"), &d->files[i].hash);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

void evidence_document_manifest(struct buf *out, const struct evidence_document *d)
{
	size_t from = out->len, at;
	struct json_writer w;
	struct sha256 own;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "export_id", d->evidence_id);
	JW_KSTR(&w, "evidence_pack_id", d->evidence_id);
	JW_KSTR(&w, "schema_version", SCHEMA);
	JW_KSTR(&w, "format", STR("thole-evidence-1"));
	write_time(&w, STR("created_at"), d->tally->last_at);
	write_files(&w, d);
	write_completeness(&w, d);
	write_redactions(&w, d);
	JW_KSTR(&w, "self_hash", STR("sha256:" ZEROS));
	jw_obj_end(&w);
	at = out->len - 2 - 2 * SHA256_BYTES; /* before the quote and the brace */
	buf_add_char(out, '\n');
	own = sha256_of(str_of(out->ptr + from, out->len - from));
	put_digits(out->ptr + at, &own);
}

/* ---- chain.jsonl ---- */

void evidence_document_link(struct buf *out, uint64_t sequence, const struct sha256 *digest,
                            enum chain_state state, const struct sha256 *shown)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "sequence", (int64_t)sequence);
	write_hash(&w, STR("digest"), digest);
	JW_KSTR(&w, "state", chain_state_word(state));
	if (shown)
		write_hash(&w, STR("shown"), shown);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}
