/* Moves an export of evidence from stage to stage; evidence_export.h draws them. */
#include "engine/evidence/evidence_export.h"

#include "base/jw.h"
#include "core/gen/inputs.h"
#include "engine/gen/queries.h"
#include "engine/maintenance/damage.h"
#include "engine/retention/floor_text.h"
#include "engine/session/apply.h"

#include <stdio.h>

/* Pages are small, so that other sessions do not wait for one. */
#define PAGE_ROWS 128
#define PAGE_BYTES (96u << 10)

static void find_stored(struct export *x);

static void export_done(void *work)
{
	struct export *x = work;
	struct blobs *blobs = x->engine->ports.blobs;

	evidence_sign_done(x);
	evidence_derive_done(x);
	evidence_count_forget(x);
	list_remove(&x->request->node);
	while (!list_is_empty(&x->behind)) {
		struct request *r = LIST_ITEM(x->behind.next, struct request, node);

		list_remove(&r->node);
		if (!x->engine->is_stopping)
			find_stored(r->work);
	}
	for (size_t i = 0; i < x->part_count; i++)
		buf_done(&x->parts[i].text);
	evidence_keep_drop(&x->keep, &x->keep.chain);
	for (enum derived kind = 0; kind < DERIVED_COUNT; kind++)
		evidence_keep_drop(&x->keep, &x->derive.kept[kind]);
	map_done(&x->keep.texts);
	buf_done(&x->line);
	buf_done(&x->text);
	replay_done(&x->replay);
	redact_stream_done(&x->removed);
	redact_stream_done(&x->found);
	redact_seams_free(x->seams);
	archive_write_free(x->archive);
	if (x->writer) /* it failed: nothing of the file stays */
		blobs->ops->seal(blobs, x->writer, NULL, NULL);
	if (x->writer || (x->is_sealed && !x->is_recorded))
		blobs->ops->remove(blobs, x->pack_ref);
}

void evidence_export_fail(struct export *x, enum error_code code, const char *why)
{
	request_fail(x->request, code, "%s", why);
	request_reply(x->request);
}

void evidence_export_stale(struct export *x)
{
	evidence_export_fail(x, ERROR_CODE_REBUILDING,
	                     "the session was changed by an erasure, by retention or by new rules "
	                     "during the export; try again");
}

/* ---- erasures ---- */

bool evidence_export_is(const struct request *r)
{
	return r->command.command == COMMAND_EXPORT_EVIDENCE ||
	       r->command.command == COMMAND_EXPORT_REPLAY ||
	       r->command.command == COMMAND_EXPORT_REVIEW;
}

void evidence_export_erased(struct engine *e, struct str session)
{
	LIST_EACH (&e->requests, node) {
		struct request *r = LIST_ITEM(node, struct request, all);
		struct export *x = r->work;

		if (x && evidence_export_is(r) && str_eq(r->session_id, session))
			x->is_stale = true;
	}
}

/* An erasure looks for packs in the log: one that is recorded after that would be missed. */
static bool is_erasing(const struct export *x)
{
	LIST_EACH (&x->engine->requests, node) {
		const struct request *r = LIST_ITEM(node, struct request, all);

		if (r->command.command == COMMAND_ERASE_EVENT &&
		    str_eq(r->session_id, x->scope.session_id))
			return true;
	}
	return false;
}

/* ---- passes over the log ---- */

static void pass_page(struct store_read *read);

static void pass_read(struct export *x, struct store_read *page, uint64_t until)
{
	*page = (struct store_read){ .kind = READ_EVENTS,
		                     .session = x->scope.session_id,
		                     .after = x->at,
		                     .until = until,
		                     .max_rows = PAGE_ROWS,
		                     .max_bytes = PAGE_BYTES,
		                     .types = x->pass->types,
		                     .done = pass_page,
		                     .owner = x->request };
	x->engine->ports.store->ops->read(x->engine->ports.store, page);
}

static void pass_rows(struct export *x, struct store_read *read)
{
	for (size_t i = 0; i < read->event_count; i++)
		x->pass->row(x, &read->events[i]);
	port_store_read_done(read);
}

static void pass_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;
	bool more = read->more && read->scanned < read->until;

	if (request_read_failed(read))
		return;
	if (x->is_stale || (read->floor_seq > x->floor && x->stage > EXPORT_START)) {
		port_store_read_done(read);
		evidence_export_stale(x);
		return;
	}
	x->at = read->scanned;
	/* No row ends the export, so the page that is being read has its request when it comes. */
	if (more)
		pass_read(x, read == x->pages ? x->pages + 1 : x->pages, read->until);
	pass_rows(x, read);
	if (!more)
		x->pass->end(x);
}

void evidence_export_pass(struct export *x, const struct export_pass *pass, uint64_t until)
{
	x->at = x->floor;
	x->pass = pass;
	if (until <= x->floor)
		pass->end(x);
	else
		pass_read(x, x->pages, until);
}

/* ---- RECORD ---- */

static void reply_pack(struct export *x)
{
	const struct evidence_document *doc = &x->document;
	struct reply_export_evidence reply = {
		.evidence_id = doc->evidence_id,
		.pack_ref = x->pack_ref,
		.sha256 = x->sha256,
		.size_bytes = x->size,
		.from_sequence = doc->from,
		.to_sequence = doc->to,
		.head_hash = sha256_hex(x->mem, &doc->head),
		.known_gaps = evidence_tally_gaps(&x->tally, x->mem),
		.partial = doc->is_partial,
		.key_id = x->sign.key_id,
	};

	x->request->response.reply = rec_text(x->mem, &reply_export_evidence_desc, &reply);
}

/* The two commands that name one file of the pack differ in the member that has its ref. */
#define REPLY_FILE(x, command, member, file)                                                       \
	rec_text((x)->mem, &reply_##command##_desc,                                                \
	         &(struct reply_##command){ .evidence_id = (x)->document.evidence_id,              \
	                                    .member = (x)->pack_ref,                               \
	                                    .path = STR(file),                                     \
	                                    .sha256 = (x)->sha256,                                 \
	                                    .size_bytes = (x)->size,                               \
	                                    .from_sequence = (x)->document.from,                   \
	                                    .to_sequence = (x)->document.to,                       \
	                                    .partial = (x)->document.is_partial })

static void write_reply(struct export *x)
{
	struct str *reply = &x->request->response.reply;

	switch (x->request->command.command) {
	case COMMAND_EXPORT_REPLAY:
		*reply = REPLY_FILE(x, export_replay, replay_ref, "replay.json");
		break;
	case COMMAND_EXPORT_REVIEW:
		*reply = REPLY_FILE(x, export_review, review_ref, "review.md");
		break;
	default:
		reply_pack(x);
	}
}

static void export_record(struct export *x)
{
	struct request *r = x->request;
	struct evidence_export made = evidence_decide_summary(x->mem, &x->document);
	struct decision *d;

	if (x->is_stale || is_erasing(x)) {
		evidence_export_stale(x);
		return;
	}
	d = apply_begin(r->session, &r->command);
	x->is_recorded = true;

	made.kind = str_from(x->kind);
	made.pack_ref = x->pack_ref;
	made.sha256 = x->sha256;
	made.size = x->size;
	made.is_stored = x->is_stored;
	input_evidence_decide_exported(d, &made);
	apply_end(r->session, d);
	write_reply(x);
	request_keep(r);
	request_wait(r);
}

void evidence_export_sealed(struct export *x)
{
	x->stage = EXPORT_RECORD;
	x->is_sealed = true;
	request_restart(x->request);
}

/* ---- STORED: does the same pack exist? ---- */

/* The export that writes the same pack now; NULL: none does. */
static struct export *writer_of(const struct export *x)
{
	LIST_EACH (&x->engine->requests, node) {
		struct request *r = LIST_ITEM(node, struct request, all);
		struct export *other = r->work;

		if (r != x->request && evidence_export_is(r) && other &&
		    other->stage >= EXPORT_SIGN && str_eq(other->pack_ref, x->pack_ref))
			return other;
	}
	return NULL;
}

static void stored_probed(struct blob_read *b)
{
	struct request *r = b->owner;
	struct export *x = r->work;
	struct blobs *blobs = x->engine->ports.blobs;
	bool is_there = b->result == OK && b->sealed;

	port_blob_read_done(b);
	if (is_there && x->is_stored) {
		x->is_recorded = true; /* by the export that made it */
		evidence_export_sealed(x);
		return;
	}
	if (writer_of(x)) {
		find_stored(x);
		return;
	}
	/* Left by an export that was never recorded, or its file is gone. */
	blobs->ops->remove(blobs, x->pack_ref);
	x->is_stored = false;
	evidence_sign_begin(x);
}

static void take_stored(struct export *x, const struct index_found *row)
{
	struct rec_output *o = ARENA_NEW(x->mem, struct rec_output);

	if (str_eq(row->status, STR("spilled")) &&
	    rec_read_text(x->mem, arena_keep(x->mem, row->body), &rec_output_desc, o, NULL) == OK) {
		x->is_stored = true;
		x->sha256 = o->sha256;
		x->size = o->size_bytes;
	}
}

static void stored_found(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;
	struct blobs *b = x->engine->ports.blobs;

	if (request_read_failed(read))
		return;
	if (read->row_count)
		take_stored(x, &read->rows[0]);
	port_store_read_done(read);
	r->blob_read = (struct blob_read){
		.ref = x->pack_ref, .max = 1, .is_probe = true, .done = stored_probed, .owner = r
	};
	b->ops->read(b, &r->blob_read);
}

static void find_stored(struct export *x)
{
	struct request *r = x->request;
	struct export *other = writer_of(x);

	if (other) {
		list_add(&other->behind, &r->node);
		return;
	}
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_OUTPUT,
		                       .key = x->pack_ref,
		                       .done = stored_found,
		                       .owner = r };
	x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
}

/* What each rule removed, in events, settings and texts. */
static void count_rules(struct export *x)
{
	const struct scrub_rule *rules;
	size_t count = x->engine->ports.scrub ? redact_rules(x->engine->ports.scrub, &rules) : 0;
	struct evidence_rule *found = ARENA_ARRAY(x->mem, struct evidence_rule, count + 1);

	x->tally.rules = found;
	for (size_t i = 0; i < count; i++)
		if (x->removed.counts[i])
			found[x->tally.rule_count++] =
				(struct evidence_rule){ arena_keep(x->mem, rules[i].name),
				                        x->removed.counts[i] };
}

static void export_write(struct export *x)
{
	evidence_write_plan(x);
	find_stored(x);
}

static void export_sign(struct export *x)
{
	x->stage = EXPORT_STORED;
	if (x->is_stale)
		evidence_export_stale(x);
	else
		evidence_sign_find_key(x, export_write);
}

static void export_plan(struct export *x)
{
	x->stage = EXPORT_DERIVE;
	count_rules(x);
	evidence_derive_count(x, export_sign);
}

/* ---- PROBE: which outputs are still there? ---- */

static void probe_next(struct export *x);

/* Starts to read an output as if it were copied: its hash is compared, and secrets are counted. */
static void probe_begin(struct export *x)
{
	x->written.size = 0;
	sha256_begin(&x->written.sum);
	redact_stream_done(&x->found);
	x->found = (struct scrub_stream){ 0 };
}

static void ignore_clean(void *arg, struct str clean)
{
}

static void probe_take(struct export *x, struct str piece, bool is_last)
{
	struct scrub *scrub = x->engine->ports.scrub;

	x->written.size += piece.len;
	sha256_more(&x->written.sum, piece);
	if (scrub)
		redact_feed(scrub, &x->found, piece, is_last, ignore_clean, NULL);
}

static void probe_end(struct export *x, struct export_output *o)
{
	struct sha256 hash, sum = sha256_end(&x->written.sum);

	o->is_expired = !sha256_read_hex(o->sha256, &hash) ||
	                memcmp(hash.state, sum.state, SHA256_BYTES) != 0;
	o->is_withheld = x->found.total > 0;
	x->tally.secret_outputs += o->is_withheld;
	if (!o->is_expired && !o->is_withheld)
		x->fitting += o->size;
	x->asked++;
	probe_begin(x);
}

/* An output that a rule matches now was stored before there was the rule: it is withheld. */
static void output_probed(struct blob_read *b)
{
	struct request *r = b->owner;
	struct export *x = r->work;
	struct export_output *o = &x->outputs[x->asked];
	bool is_good = b->result == OK && b->sealed && b->size == (uint64_t)o->size &&
	               (b->len || !o->size);

	if (!is_good) {
		o->is_expired = true;
		x->asked++;
		probe_begin(x);
	} else {
		probe_take(x, str_of(b->data, b->len), b->offset + b->len == b->size);
		if (x->written.size == b->size)
			probe_end(x, o);
	}
	port_blob_read_done(b);
	probe_next(x);
}

/* Not looked at: it is gone, or it will not be included. */
static bool is_passed_by(const struct export *x, struct export_output *o)
{
	if (!o->is_expired && x->redaction == EVIDENCE_REDACTION_RULES && !x->written.size)
		o->is_withheld = x->fitting + o->size > x->max_bytes;
	return o->is_expired || o->is_withheld || x->redaction != EVIDENCE_REDACTION_RULES;
}

/* Outputs in the order of the log, as far as they fit. */
static void probe_next(struct export *x)
{
	struct request *r = x->request;
	struct blobs *b = x->engine->ports.blobs;

	while (x->asked < x->output_count && is_passed_by(x, &x->outputs[x->asked]))
		x->asked++;
	if (x->asked == x->output_count) {
		export_plan(x);
		return;
	}
	r->blob_read = (struct blob_read){ .ref = x->outputs[x->asked].ref,
		                           .offset = x->written.size,
		                           .max = PAGE_BYTES,
		                           .done = output_probed,
		                           .owner = r };
	b->ops->read(b, &r->blob_read);
}

/* ---- small texts ---- */

static void text_next(struct export *x);

static void plan_text(struct export *x, struct str ref, struct str text)
{
	struct str path = arena_printf(x->mem, "texts/%.*s", STR_ARG(ref));
	struct export_part *part;

	if (x->redaction != EVIDENCE_REDACTION_RULES || !archive_read_path_is_safe(path) ||
	    x->fitting + (int64_t)text.len > x->max_bytes ||
	    x->tally.texts == LIMIT_EVIDENCE_OUTPUTS) {
		x->tally.withheld_texts++;
		return;
	}
	x->fitting += (int64_t)text.len;
	x->tally.texts++;
	x->tally.text_bytes += (int64_t)text.len;
	part = evidence_write_part(x);
	part->source = PART_STORED;
	part->ref = ref;
	evidence_keep_text(&x->keep, ref, text);
	part->file = (struct evidence_file){ path, STR("text"), STR("application/octet-stream"),
		                             text.len, sha256_of(text) };
}

static bool is_elsewhere(const struct export *x, struct str ref)
{
	return evidence_scope_ids_have(&x->spilled, ref) ||
	       rec_list_str_find(&x->configs, ref) >= 0;
}

/* All reads of the batch have come; a failed one fails the export.  False: it did. */
static bool batch_is_good(struct export *x)
{
	struct export_batch *b = &x->batch;
	struct store_read *failed = NULL;

	for (size_t i = 0; i < b->count; i++)
		if (b->reads[i].result != OK && b->reads[i].result != ERR_NOT_FOUND)
			failed = &b->reads[i];
	for (size_t i = 0; failed && i < b->count; i++)
		if (&b->reads[i] != failed)
			port_store_read_done(&b->reads[i]);
	return !failed || !request_read_failed(failed);
}

static void batch_read(struct export *x, void (*done)(struct store_read *read))
{
	struct export_batch *b = &x->batch;
	struct store *st = x->engine->ports.store;
	size_t count = b->count;

	b->open = count;
	for (size_t i = 0; i < count; i++) {
		b->reads[i].done = done;
		b->reads[i].owner = x->request;
		st->ops->read(st, &b->reads[i]);
	}
}

/*
 * A ref without stored bytes names a part of the log, which the events have already; one that has
 * expired, or whose output another scope recorded, is missing.
 */
static void row_read(struct store_read *read)
{
	struct export *x = ((struct request *)read->owner)->work;
	struct export_batch *b = &x->batch;

	if (--b->open || !batch_is_good(x))
		return;
	for (size_t i = 0; i < b->count; i++) {
		struct store_read *found = &b->reads[i];

		for (size_t k = 0; k < found->row_count; k++)
			x->tally.missing_texts += str_eq(found->rows[k].status, STR("expired")) ||
			                          str_eq(found->rows[k].status, STR("spilled"));
		port_store_read_done(found);
	}
	text_next(x);
}

/* The texts of a batch, in its order.  Those that are not stored are looked up as outputs. */
static void text_read(struct store_read *read)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct export *x = ((struct request *)read->owner)->work;
	struct export_batch *b = &x->batch;
	size_t missing = 0;

	if (--b->open || !batch_is_good(x))
		return;
	for (size_t i = 0; i < b->count; i++) {
		struct str ref = b->reads[i].key;
		bool is_there = b->reads[i].result == OK;

		if (is_there)
			plan_text(x, ref, evidence_count_clean(x, mem, b->reads[i].blob.data));
		port_store_read_done(&b->reads[i]);
		if (!is_there)
			b->reads[missing++] = (struct store_read){ .kind = READ_INDEX,
				                                   .table = INDEX_OUTPUT,
				                                   .key = ref };
	}
	b->count = missing;
	if (missing)
		batch_read(x, row_read);
	else
		text_next(x);
}

static void text_next(struct export *x)
{
	struct export_batch *b = &x->batch;

	for (b->count = 0; x->asked < x->refs.count && b->count < COUNT_OF(b->reads); x->asked++)
		if (!is_elsewhere(x, x->refs.items[x->asked]))
			b->reads[b->count++] =
				(struct store_read){ .kind = READ_BLOB,
				                     .key = x->refs.items[x->asked] };
	if (b->count) {
		batch_read(x, text_read);
		return;
	}
	x->asked = 0;
	probe_begin(x);
	probe_next(x);
}

/* ---- CONFIG ---- */

static void config_next(struct export *x);

static void add_text(struct export *x, struct str path, struct str role, struct str text)
{
	struct export_part *part = evidence_write_part(x);

	part->file = (struct evidence_file){ path, role, STR("application/json"), text.len,
		                             sha256_of(text) };
	buf_add_str(&part->text, text);
}

static void take_config_text(struct export *x, struct str ref, struct str text)
{
	struct str clean = evidence_count_clean(x, x->mem, text);
	/* Only the original has the hash that is its name. */
	struct str path = arena_printf(x->mem, "config/%.*s%s.json", STR_ARG(ref),
	                               str_eq(clean, text) ? "" : ".redacted");

	/* The ref of rules has a colon, which a path has not. */
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == ':')
			((char *)path.ptr)[i] = '-';
	if (archive_read_path_is_safe(path))
		add_text(x, path, STR("config"), clean);
	config_next(x);
}

/* Configurations of older logs are stored with the installation. */
static void config_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;
	struct store *st = x->engine->ports.store;
	struct str ref = x->configs.items[x->asked++], text = STR_NONE;

	if (request_read_failed(read))
		return;
	if (read->result == OK)
		text = arena_keep(x->mem, read->blob.data);
	port_store_read_done(read);
	if (!str_is(text) &&
	    st->ops->get_meta(st, x->mem, arena_printf(x->mem, "blob:%.*s", STR_ARG(ref)), &text,
	                      NULL) != OK)
		text = STR_NONE;
	x->tally.missing_settings += !str_is(text);
	if (str_is(text))
		take_config_text(x, ref, text);
	else
		config_next(x);
}

static void config_next(struct export *x)
{
	struct request *r = x->request;

	if (x->asked < x->configs.count && x->redaction == EVIDENCE_REDACTION_RULES) {
		r->read = (struct store_read){ .kind = READ_BLOB,
			                       .key = x->configs.items[x->asked],
			                       .done = config_read,
			                       .owner = r };
		x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
		return;
	}
	x->tally.settings_removed = (int64_t)x->removed.total - x->tally.removed;
	x->asked = 0;
	x->stage = EXPORT_PROBE;
	evidence_journal_count(x, text_next);
}

/* ---- COUNT ---- */

static void refuse_scope(struct export *x)
{
	const struct evidence_scope *s = &x->scope;
	int ids =
		str_is(s->thread_id) + str_is(s->turn_id) + str_is(s->task_id) + str_is(s->job_id);
	char why[512];

	snprintf(why, sizeof why,
	         ids > 1 ? "no event belongs to all of the ids that were given, such as %.*s %.*s"
	                 : "the session has no %.*s %.*s, or its events were removed",
	         STR_ARG(evidence_scope_kind(s)), STR_ARG(evidence_scope_id(s)));
	evidence_export_fail(x,
	                     ids > 1                ? ERROR_CODE_INVALID_VALUE
	                     : str_is(s->turn_id)   ? ERROR_CODE_TURN_NOT_FOUND
	                     : str_is(s->task_id)   ? ERROR_CODE_TASK_NOT_FOUND
	                     : str_is(s->job_id)    ? ERROR_CODE_JOB_NOT_FOUND
	                     : str_is(s->thread_id) ? ERROR_CODE_THREAD_NOT_FOUND
	                                            : ERROR_CODE_EXPIRED,
	                     why);
}

static void count_end(struct export *x)
{
	struct evidence_document *d = &x->document;

	if (!x->matched) {
		refuse_scope(x);
		return;
	}
	x->tally.states[CHAIN_STATE_OUT_OF_SCOPE] = x->mark.out_of_scope;
	x->tally.removed = (int64_t)(x->removed.total - x->removed_before);
	d->to = (int64_t)x->mark.seq;
	d->head = x->mark.head;
	d->can_replay =
		x->redaction != EVIDENCE_REDACTION_ALL && (!x->floor || str_is(x->floor_text));
	x->stage = EXPORT_CONFIG;
	x->asked = 0;
	config_next(x);
}

static const struct export_pass count_pass = { evidence_count_event, count_end, NULL };

static void count_events(struct export *x)
{
	if (x->seams)
		redact_seams_end(x->seams);
	x->removed_before = x->removed.total;
	sha256_begin(&x->events.sum);
	sha256_begin(&x->chain.sum);
	evidence_export_pass(x, &count_pass, x->until);
}

#define TYPE_BIT(type, word) ((type) / 64 == (word) ? 1ull << (type) % 64 : 0)
#define DELTA_BITS(word) (TYPE_BIT(EV_MODEL_DELTA, word) | TYPE_BIT(EV_REASONING_DELTA, word))

static const uint64_t deltas[4] = { DELTA_BITS(0), DELTA_BITS(1), DELTA_BITS(2), DELTA_BITS(3) };
static const struct export_pass seams_pass = { evidence_count_seams, count_events, deltas };

static void count_begin(struct export *x)
{
	struct scrub *scrub = x->engine->ports.scrub;

	x->stage = EXPORT_COUNT;
	if (!scrub || x->redaction != EVIDENCE_REDACTION_RULES) {
		count_events(x);
		return;
	}
	x->seams = redact_seams_new(scrub);
	evidence_export_pass(x, &seams_pass, x->until);
}

/* ---- START: where the log begins ---- */

static void take_floor(struct export *x, struct str text)
{
	if (replay_floor(&x->replay, text, NULL) != OK)
		return;
	x->floor_text = arena_keep(x->mem, text);
	add_text(x, STR("floor.json"), STR("floor"), x->floor_text);
}

static void floor_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;

	if (request_read_failed(read))
		return;
	if (read->result == OK)
		evidence_journal_floor(x, read->blob.data);
	/* It holds text of removed events: only an export of all of it has it. */
	if (read->result == OK && !x->is_narrow && x->redaction == EVIDENCE_REDACTION_RULES)
		take_floor(x, evidence_count_clean(x, x->mem,
		                                   floor_text_public(x->mem, read->blob.data)));
	port_store_read_done(read);
	count_begin(x);
}

static void head_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;
	struct str ref = arena_keep(x->mem, read->floor_ref);

	if (request_read_failed(read))
		return;
	x->floor = read->floor_seq;
	x->link = x->document.before = read->floor_hash;
	x->document.from = (int64_t)x->floor + 1;
	x->tally.expired_through = (int64_t)x->floor;
	if (x->floor)
		evidence_scope_assume(&x->scope);
	port_store_read_done(read);
	if (!x->floor) {
		count_begin(x);
		return;
	}
	r->read = (struct store_read){
		.kind = READ_BLOB, .key = ref, .done = floor_read, .owner = r
	};
	x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
}

static void start_begin(struct export *x)
{
	struct request *r = x->request;

	x->stage = EXPORT_START;
	r->read = (struct store_read){
		.kind = READ_HEAD, .session = x->scope.session_id, .done = head_read, .owner = r
	};
	x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
}

/* ---- LEARN ---- */

static void learn_row(struct export *x, const struct event_row *row)
{
	struct event *ev = replay_read_own(&x->replay, bytes_str(row->body));

	if (ev)
		evidence_scope_learn(&x->scope, ev);
}

static const uint64_t submitted[4] = { [EV_TURN_SUBMITTED / 64] = 1ull << EV_TURN_SUBMITTED % 64 };
static const struct export_pass learn_pass = { learn_row, start_begin, submitted };

/* ---- the command ---- */

/* False: refused. */
static bool check_args(struct request *r, const struct cmd_export_evidence *c, const char *kind)
{
	if (str_is(c->format) && !str_eq(c->format, str_from(kind)))
		request_fail(r, ERROR_CODE_INVALID_VALUE, "format: only %s is offered", kind);
	else if (c->has_max_bytes &&
	         (c->max_bytes < 0 || c->max_bytes > LIMIT_EVIDENCE_OUTPUT_BYTES))
		request_fail(r, ERROR_CODE_INVALID_VALUE, "maxBytes: from 0 to %lld",
		             (long long)LIMIT_EVIDENCE_OUTPUT_BYTES);
	else if (strcmp(kind, "pack") != 0 && c->redact == EVIDENCE_REDACTION_ALL)
		request_fail(r, ERROR_CODE_INVALID_VALUE,
		             "redact: without events there is no %s; rules or content", kind);
	else if (!r->engine->ports.blobs)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "this runtime stores no outputs");
	else if (evidence_journal_check(r, c) && evidence_stamp_check(r, c))
		return true;
	request_reply(r);
	return false;
}

static struct export *export_new(struct request *r, const struct cmd_export_evidence *c,
                                 const char *kind)
{
	struct export *x = ARENA_NEW(r->mem, struct export);

	*x = (struct export){ .request = r, .engine = r->engine, .mem = r->mem, .kind = kind };
	x->redaction = c->redact ? c->redact : EVIDENCE_REDACTION_RULES;
	x->max_bytes =
		c->has_max_bytes ? c->max_bytes : r->engine->options.config->evidence_max_bytes;
	x->scope = (struct evidence_scope){ .mem = r->mem,
		                            .session_id = r->session_id,
		                            .thread_id = c->thread_id,
		                            .turn_id = c->turn_id,
		                            .task_id = c->task_id,
		                            .job_id = c->job_id };
	x->is_narrow = str_is(c->thread_id) || evidence_scope_learns(&x->scope);
	x->tally.mem = x->keep.mem = r->mem;
	list_init(&x->behind);
	list_init(&x->sign.want.node);
	x->sign.stamp_url = c->timestamp_url;
	x->journal.is_wanted = x->scope.has_exports = c->decisions;
	x->sign.is_unwanted = c->has_unsigned_ && c->unsigned_;
	x->until = r->session->applied;
	x->document = (struct evidence_document){ .scope = &x->scope,
		                                  .tally = &x->tally,
		                                  .version = STR(THOLE_VERSION),
		                                  .redaction = x->redaction,
		                                  .is_searched = r->engine->ports.scrub,
		                                  .is_partial = !evidence_scope_is_closed(
							  &x->scope, r->session->state) };
	replay_init(&x->replay);
	return x;
}

static void export_begin(struct request *r)
{
	struct export *x = r->work;

	r->session = NULL; /* it may leave memory now */
	if (evidence_scope_learns(&x->scope))
		evidence_export_pass(x, &learn_pass, x->until);
	else
		start_begin(x);
}

/* Called twice: with the command, and when the archive is sealed. */
static void export_as(struct request *r, const struct cmd_export_evidence *c, const char *kind)
{
	if (r->work) {
		export_record(r->work);
		return;
	}
	if (!check_args(r, c, kind))
		return;
	r->work = export_new(r, c, kind);
	r->work_done = export_done;
	r->then = export_begin; /* when the events that the state has are durable */
	request_wait(r);
}

void query_export_evidence(struct request *r, const struct cmd_export_evidence *c)
{
	export_as(r, c, "pack");
}

/* A pack holds the replay case and the review of its scope: all three have one id. */
void query_export_replay(struct request *r, const struct cmd_export_replay *c)
{
	struct cmd_export_evidence pack = { .thread_id = c->thread_id,
		                            .turn_id = c->turn_id,
		                            .task_id = c->task_id,
		                            .job_id = c->job_id,
		                            .format = c->format,
		                            .redact = c->redact,
		                            .has_unsigned_ = c->has_unsigned_,
		                            .unsigned_ = c->unsigned_ };

	export_as(r, &pack, "replay");
}

void query_export_review(struct request *r, const struct cmd_export_review *c)
{
	struct cmd_export_evidence pack = { .thread_id = c->thread_id,
		                            .turn_id = c->turn_id,
		                            .task_id = c->task_id,
		                            .job_id = c->job_id,
		                            .format = c->format,
		                            .redact = c->redact,
		                            .has_unsigned_ = c->has_unsigned_,
		                            .unsigned_ = c->unsigned_ };

	export_as(r, &pack, "review");
}
