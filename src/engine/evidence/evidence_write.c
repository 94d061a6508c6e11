/*
 * Plans the files of a pack and writes its archive.  The manifest comes first,
 * so a reader knows what to expect before it reads it.
 */
#include "engine/evidence/evidence_export.h"

#define COPY_BYTES (64u << 10)
/* What is in memory is compressed in portions of this size, so that other sessions do not wait. */
#define BURST_BYTES (128u << 10)

/* ---- the plan ---- */

struct export_part *evidence_write_part(struct export *x)
{
	if (x->part_count == x->part_cap) {
		size_t cap = x->part_cap ? x->part_cap * 2 : 32;

		x->parts = arena_grow(x->mem, x->parts, x->part_count * sizeof *x->parts,
		                      cap * sizeof *x->parts);
		x->part_cap = cap;
	}
	x->parts[x->part_count] = (struct export_part){ 0 };
	return &x->parts[x->part_count++];
}

/* kept: the file, if it stayed in memory; NULL: it never does. */
static void plan_stream(struct export *x, struct str path, struct str role, enum part_source source,
                        const struct export_stream *s, struct kept_file *kept)
{
	struct export_part *part = evidence_write_part(x);
	struct sha256_stream sum = s->sum;
	bool is_kept = kept && evidence_keep_take(&x->keep, kept, s->size, &part->text);

	part->source = is_kept ? PART_TEXT : source;
	part->file = (struct evidence_file){ path, role, STR("application/x-ndjson"), s->size,
		                             sha256_end(&sum) };
}

static struct str media_of(struct str path)
{
	return str_ends(path, STR(".jsonl")) ? STR("application/x-ndjson")
	       : str_ends(path, STR(".md"))  ? STR("text/markdown")
	                                     : STR("application/json");
}

static void plan_view(struct export *x, size_t view)
{
	struct export_part *part = evidence_write_part(x);
	struct str path = replay_view_path(view);

	replay_view_write(&part->text, &x->replay, view);
	part->file = (struct evidence_file){ path, STR("view"), media_of(path), part->text.len,
		                             sha256_of(buf_str(&part->text)) };
}

static void plan_derived(struct export *x, enum derived kind)
{
	static const char *const paths[] = { "trajectory.json", "trace.json" };
	static const char *const roles[] = { "trajectory", "trace" };
	struct export_part *part;

	if (!x->derive.is_there[kind])
		return;
	plan_stream(x, str_from(paths[kind]), str_from(roles[kind]), PART_DERIVED,
	            &x->derive.counted[kind], &x->derive.kept[kind]);
	part = &x->parts[x->part_count - 1];
	part->derived = kind;
	part->file.media_type = STR("application/json");
}

static bool is_planned(const struct export *x, struct str path)
{
	for (size_t i = 0; i < x->part_count; i++)
		if (str_eq(x->parts[i].file.path, path))
			return true;
	return false;
}

/* The same bytes are included once. */
static void plan_output(struct export *x, const struct export_output *o)
{
	struct str path = arena_printf(x->mem, "outputs/%.*s", STR_ARG(o->sha256));
	struct evidence_tally *t = &x->tally;
	struct sha256 hash;

	if (o->is_expired) {
		t->expired_outputs++;
	} else if (o->is_withheld || x->redaction != EVIDENCE_REDACTION_RULES ||
	           t->text_bytes + t->output_bytes + o->size > x->max_bytes ||
	           t->outputs == LIMIT_EVIDENCE_OUTPUTS || !sha256_read_hex(o->sha256, &hash)) {
		t->withheld++;
		t->withheld_bytes += o->size;
	} else if (!is_planned(x, path)) {
		struct export_part *part = evidence_write_part(x);

		t->outputs++;
		t->output_bytes += o->size;
		part->source = PART_OUTPUT;
		part->ref = o->ref;
		part->file = (struct evidence_file){ path, STR("output"),
			                             STR("application/octet-stream"),
			                             (uint64_t)o->size, hash };
	}
}

static const struct evidence_file *files_of(struct export *x)
{
	struct evidence_file *files = ARENA_ARRAY(x->mem, struct evidence_file, x->part_count + 1);

	for (size_t i = 0; i < x->part_count; i++)
		files[i] = x->parts[i].file;
	return files;
}

/* A document in front of those that were planned before. */
static void plan_document(struct export *x, const char *path, const char *role,
                          void (*write)(struct buf *out, const struct evidence_document *d))
{
	struct export_part part = { 0 };

	x->document.files = files_of(x);
	x->document.file_count = x->part_count;
	write(&part.text, &x->document);
	part.file = (struct evidence_file){ str_from(path), str_from(role), STR("application/json"),
		                            part.text.len, sha256_of(buf_str(&part.text)) };
	evidence_write_part(x);
	memmove(x->parts + 1, x->parts, (x->part_count - 1) * sizeof *x->parts);
	x->parts[0] = part;
}

/* The same document with the id of the pack, which has the length of the one before. */
static void write_again(struct export *x, struct export_part *part,
                        void (*write)(struct buf *out, const struct evidence_document *d))
{
	buf_clear(&part->text);
	write(&part->text, &x->document);
	part->file.hash = sha256_of(buf_str(&part->text));
}

/* The id follows from all files, and two of them hold it. */
static void plan_documents(struct export *x)
{
	struct evidence_document *d = &x->document;

	d->evidence_id = STR(EVIDENCE_NO_ID);
	plan_document(x, "replay.json", "replay", evidence_document_replay);
	plan_document(x, "pack.json", "pack", evidence_document_pack);
	d->files = files_of(x);
	d->file_count = x->part_count;
	d->evidence_id = evidence_document_id(x->mem, d);
	write_again(x, &x->parts[0], evidence_document_pack);
	write_again(x, &x->parts[1], evidence_document_replay);
	plan_document(x, "manifest.json", "manifest", evidence_document_manifest);
}

void evidence_write_plan(struct export *x)
{
	struct evidence_document *d = &x->document;

	plan_stream(x, STR("chain.jsonl"), STR("chain"), PART_CHAIN, &x->mark.chain,
	            &x->keep.chain);
	plan_stream(x, STR("events.jsonl"), STR("events"), PART_EVENTS, &x->mark.events, NULL);
	if (x->journal.is_wanted)
		plan_stream(x, STR("journal.jsonl"), STR("journal"), PART_JOURNAL,
		            &x->journal.stream, NULL);
	for (size_t i = 0; d->can_replay && i < replay_view_count(); i++)
		plan_view(x, i);
	for (enum derived kind = 0; kind < DERIVED_COUNT; kind++)
		plan_derived(x, kind);
	for (size_t i = 0; i < x->output_count; i++)
		plan_output(x, &x->outputs[i]);
	plan_documents(x);
	x->pack_ref = arena_printf(x->mem, "%s%.*s",
	                           x->journal.is_wanted ? CATALOG_DECISIONS_PREFIX
	                                                : CATALOG_EXPORT_PREFIX,
	                           STR_ARG(str_skip(d->evidence_id, 4)));
	x->pack_ref = evidence_sign_ref(x, x->pack_ref);
}

/* ---- the archive ---- */

static void write_next(struct export *x);

/* More than was counted is not written: the archive has announced the size. */
static void put_data(struct export *x, struct str data)
{
	const struct export_part *part = &x->parts[x->part_at - 1];

	if (x->is_stale || data.len > part->file.size - x->written.size) {
		x->is_stale = true;
		return;
	}
	x->written.size += data.len;
	sha256_more(&x->written.sum, data);
	archive_write_data(x->archive, data);
}

/* Is the part that was written the one that was counted? */
static bool part_is_whole(struct export *x)
{
	const struct export_part *part = x->part_at ? &x->parts[x->part_at - 1] : NULL;
	struct sha256_stream sum = x->written.sum;
	struct sha256 hash;

	if (!part)
		return true;
	hash = sha256_end(&sum);
	return !x->is_stale && x->written.size == part->file.size &&
	       memcmp(hash.state, part->file.hash.state, SHA256_BYTES) == 0;
}

static void take_bytes(void *arg, struct str bytes)
{
	struct export *x = arg;
	struct blobs *b = x->engine->ports.blobs;

	b->ops->write(b, x->writer, bytes);
}

static void on_sealed(void *owner, const struct blob_sealed *s)
{
	struct request *r = owner;
	struct export *x = r->work;

	if (s->result != OK) {
		evidence_export_fail(x,
		                     s->result == ERR_INVALID ? ERROR_CODE_OVERLOADED
		                                              : ERROR_CODE_STORE_FAILED,
		                     s->error.message);
		return;
	}
	x->sha256 = sha256_hex(x->mem, &s->hash);
	x->size = (int64_t)s->size;
	evidence_export_sealed(x);
}

static void write_end(struct export *x)
{
	struct blobs *b = x->engine->ports.blobs;
	struct blob_writer *writer = x->writer;

	archive_write_end(x->archive);
	x->stage = EXPORT_SEAL;
	x->writer = NULL;
	b->ops->seal(b, writer, on_sealed, x->request);
}

/* ---- parts ---- */

static void row_of_events(struct export *x, const struct event_row *row)
{
	struct export_form form;

	evidence_count_again(x, row, &form);
	if (str_is(form.text)) {
		put_data(x, form.text);
		put_data(x, STR("\n"));
	}
}

static void row_of_chain(struct export *x, const struct event_row *row)
{
	bool is_shown = x->states[row->seq - x->floor - 1] == CHAIN_STATE_REDACTED ||
	                x->states[row->seq - x->floor - 1] == CHAIN_STATE_ERASED;
	struct sha256 digest = row->is_erased ? row->digest : sha256_of(bytes_str(row->body));
	struct export_form form;

	evidence_count_again(x, row, &form);
	buf_clear(&x->line);
	evidence_document_link(&x->line, row->seq, &digest, form.state,
	                       is_shown && str_is(form.text) ? &form.shown : NULL);
	put_data(x, buf_str(&x->line));
}

static const struct export_pass events_pass = { row_of_events, write_next, NULL };
static const struct export_pass chain_pass = { row_of_chain, write_next, NULL };

/* The output may have been removed since it was looked for. */
static void output_copied(struct blob_read *b)
{
	struct request *r = b->owner;
	struct export *x = r->work;
	const struct export_part *part = &x->parts[x->part_at - 1];
	bool is_good = b->result == OK && b->len && b->size == part->file.size;

	if (is_good) {
		put_data(x, str_of(b->data, b->len));
		x->output_at += b->len;
	}
	port_blob_read_done(b);
	if (!is_good)
		evidence_export_stale(x);
	else
		write_next(x);
}

static void copy_output(struct export *x, const struct export_part *part)
{
	struct request *r = x->request;
	struct blobs *b = x->engine->ports.blobs;

	r->blob_read = (struct blob_read){ .ref = part->ref,
		                           .offset = x->output_at,
		                           .max = COPY_BYTES,
		                           .done = output_copied,
		                           .owner = r };
	b->ops->read(b, &r->blob_read);
}

static void stored_read(struct store_read *read)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct request *r = read->owner;
	struct export *x = r->work;

	if (request_read_failed(read))
		return;
	if (read->result == OK)
		put_data(x, evidence_count_clean(x, mem, read->blob.data));
	port_store_read_done(read);
	write_next(x);
}

static void copy_stored(struct export *x, const struct export_part *part)
{
	struct request *r = x->request;

	r->read = (struct store_read){
		.kind = READ_BLOB, .key = part->ref, .done = stored_read, .owner = r
	};
	x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
}

/* ---- what is in memory ---- */

static void paused(struct store_read *read)
{
	struct request *r = read->owner;

	if (request_read_failed(read))
		return;
	port_store_read_done(read);
	write_next(r->work);
}

/* Returns to the loop; a read that costs little brings the export back. */
static void pause_writing(struct export *x)
{
	struct request *r = x->request;

	x->burst = 0;
	r->read = (struct store_read){
		.kind = READ_HEAD, .session = x->scope.session_id, .done = paused, .owner = r
	};
	x->engine->ports.store->ops->read(x->engine->ports.store, &r->read);
}

/* The bytes of a part that is in memory; absent: it is read or made. */
static struct str memory_of(const struct export *x, const struct export_part *part)
{
	const struct kept_text *kept;

	if (part->source == PART_TEXT)
		return buf_str(&part->text);
	kept = part->source == PART_STORED ? evidence_keep_find(&x->keep, part->ref) : NULL;
	return kept ? kept->text : STR_NONE;
}

static void copy_memory(struct export *x, struct export_part *part)
{
	struct str rest = str_skip(memory_of(x, part), x->output_at);
	struct str piece = str_head(rest, BURST_BYTES - x->burst);

	put_data(x, piece);
	x->output_at += piece.len;
	x->burst += piece.len;
	if (x->output_at == part->file.size)
		buf_done(&part->text);
}

/* ---- part after part ---- */

static bool is_copying(const struct export *x)
{
	const struct export_part *part = x->part_at ? &x->parts[x->part_at - 1] : NULL;

	return part && !x->is_stale && x->output_at < part->file.size &&
	       (part->source == PART_OUTPUT || str_is(memory_of(x, part)));
}

/* A part that is not in memory; it calls write_next() at its end. */
static void write_part(struct export *x, struct export_part *part)
{
	switch (part->source) {
	case PART_EVENTS:
		evidence_export_pass(x, &events_pass, x->mark.seq);
		break;
	case PART_CHAIN:
		evidence_export_pass(x, &chain_pass, x->mark.seq);
		break;
	case PART_JOURNAL:
		evidence_journal_write(x, put_data, write_next);
		break;
	case PART_DERIVED:
		evidence_derive_write(x, part->derived, put_data, write_next);
		break;
	case PART_STORED:
		copy_stored(x, part);
		break;
	case PART_TEXT:
	case PART_OUTPUT:
		break; /* copied piece by piece */
	}
}

/* False: the rest comes later. */
static bool copy_next(struct export *x, struct export_part *part)
{
	bool is_memory = part->source != PART_OUTPUT && x->burst < BURST_BYTES;

	if (is_memory)
		copy_memory(x, part);
	else if (part->source == PART_OUTPUT)
		copy_output(x, part);
	else
		pause_writing(x);
	return is_memory;
}

/* False: it is read or made, and the rest comes later. */
static bool part_begin(struct export *x, struct export_part *part)
{
	archive_write_file(x->archive, part->file.path, part->file.size, x->tally.last_at);
	x->written.size = x->output_at = 0;
	sha256_begin(&x->written.sum);
	if (part->source == PART_OUTPUT || str_is(memory_of(x, part)))
		return true;
	write_part(x, part);
	return false;
}

static void write_next(struct export *x)
{
	bool is_here = true;

	while (is_here) {
		if (is_copying(x)) {
			is_here = copy_next(x, &x->parts[x->part_at - 1]);
		} else if (!part_is_whole(x)) {
			evidence_export_stale(x);
			return;
		} else if (x->part_at == x->part_count) {
			write_end(x);
			return;
		} else {
			is_here = part_begin(x, &x->parts[x->part_at++]);
		}
	}
}

void evidence_write_begin(struct export *x)
{
	struct blobs *b = x->engine->ports.blobs;

	x->stage = EXPORT_WRITE;
	x->writer = b->ops->open(b, x->pack_ref);
	x->archive = archive_write_new(take_bytes, x);
	write_next(x);
}
