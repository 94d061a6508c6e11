/*
 * Makes the trajectory and the trace of a pack (evidence_derive.h).
 */
#include "engine/evidence/evidence_export.h"

#include "base/memory.h"

/* Texts that are kept for steps that are not written yet. */
#define TEXTS_BYTES (8u << 20)
#define PAGE_ROWS 128

struct derive_text {
	struct derive_text *next;
	struct buf ref, text;
};

static void feed(struct export *x);
static void next_pass(struct export *x);
static void run_end(struct export *x, bool is_whole);

/* ---- texts ---- */

static void drop_text(struct export_derive *v)
{
	struct derive_text *t = v->texts;

	v->texts = t->next;
	if (!v->texts)
		v->last_text = &v->texts;
	v->text_bytes -= t->text.len;
	buf_done(&t->ref);
	buf_done(&t->text);
	memory_free(t);
}

static void keep_text(struct export_derive *v, struct str ref, struct str text)
{
	struct derive_text *t = memory_zeroed(1, sizeof *t);

	buf_add_str(&t->ref, ref);
	buf_add_str(&t->text, text);
	*v->last_text = t;
	v->last_text = &t->next;
	v->text_bytes += t->text.len;
	while (v->text_bytes > TEXTS_BYTES && v->texts->next)
		drop_text(v);
}

/*
 * Only what the pack has: what was withheld or left out is not in its trajectory either.  Absent:
 * it has to be read first.
 */
static struct str find_text(const struct export *x, struct str ref)
{
	const struct kept_text *kept = evidence_keep_find(&x->keep, ref);
	const struct derive_text *t = x->derive.texts;

	if (kept && str_is(kept->text))
		return kept->text;
	while (t && !str_eq(buf_str(&t->ref), ref))
		t = t->next;
	return t ? buf_str(&t->text) : STR_NONE;
}

/* The next text that the event names, behind those that were read; absent: there is none. */
static struct str next_ref(struct export *x, struct str body)
{
	struct str ref;

	do
		ref = evidence_keep_next_ref(body, &x->derive.ref_at);
	while (str_is(ref) && (!evidence_keep_find(&x->keep, ref) || str_is(find_text(x, ref))));
	return ref;
}

static void text_read(struct store_read *read)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct request *r = read->owner;
	struct export *x = r->work;

	if (request_read_failed(read))
		return;
	if (read->result == OK)
		keep_text(&x->derive, read->blob.ref,
		          evidence_count_clean(x, mem, read->blob.data));
	port_store_read_done(read);
	feed(x);
}

static void read_text(struct export *x, struct str ref)
{
	struct request *r = x->request;

	x->derive.text_read =
		(struct store_read){ .kind = READ_BLOB, .key = ref, .done = text_read, .owner = r };
	x->engine->ports.store->ops->read(x->engine->ports.store, &x->derive.text_read);
}

/* ---- the port of the trajectory ---- */

static bool on_read(void *arg, struct str ref, size_t max, struct buf *out)
{
	struct export *x = arg;
	struct str text = find_text(x, ref);

	buf_add_str(out, str_head(text, max));
	return str_is(text);
}

static bool on_write(void *arg, struct str bytes)
{
	struct export *x = arg;

	x->derive.put(x, bytes);
	return true;
}

/* A secret may be divided between two pieces of a message, and whole in the step. */
static struct str on_redact(void *arg, struct arena *mem, struct str text)
{
	return evidence_count_clean(arg, mem, text);
}

static void on_trace(void *arg, struct str bytes)
{
	struct export *x = arg;

	x->derive.put(x, bytes);
}

/* ---- one event ---- */

static bool is_shown(const struct export *x, const struct event_row *row)
{
	return x->states[row->seq - x->floor - 1] != CHAIN_STATE_OUT_OF_SCOPE;
}

static void feed_row(struct export *x, const struct event_row *row)
{
	struct export_derive *v = &x->derive;
	struct export_form form;
	struct json ev;

	arena_reset(v->row_mem);
	evidence_count_again(x, row, &form);
	if (!str_is(form.text) || json_read_trusted(v->row_mem, form.text, &ev, NULL) != OK)
		return;
	if (str_is(v->only) && !str_eq(json_str(JSON_GET(ev, "threadId")), v->only))
		return;
	if (v->trace)
		x->engine->ports.traces->event(v->trace, row->type, row->seq, ev);
	else
		atif_event(v->trajectory, ev);
}

/* ---- pages ---- */

static void page_read(struct store_read *read);

static void read_page(struct export *x)
{
	struct export_derive *v = &x->derive;

	v->page = (struct store_read){ .kind = READ_EVENTS,
		                       .session = x->scope.session_id,
		                       .after = v->seq,
		                       .until = x->mark.seq,
		                       .max_rows = PAGE_ROWS,
		                       .types = v->trace ? NULL : v->types,
		                       .done = page_read,
		                       .owner = x->request };
	v->at = v->ref_at = 0;
	x->engine->ports.store->ops->read(x->engine->ports.store, &v->page);
}

static void page_read(struct store_read *read)
{
	struct request *r = read->owner;
	struct export *x = r->work;

	if (request_read_failed(read))
		return;
	x->is_stale |= read->floor_seq > x->floor;
	if (x->is_stale)
		run_end(x, false);
	else
		feed(x);
}

/* Returns when a text has to be read first; then it is called again. */
static void feed(struct export *x)
{
	struct export_derive *v = &x->derive;
	bool more;

	for (; v->at < v->page.event_count; v->at++, v->ref_at = 0) {
		const struct event_row *row = &v->page.events[v->at];
		struct str ref = STR_NONE;

		if (!is_shown(x, row))
			continue;
		if (!v->trace)
			ref = next_ref(x, bytes_str(row->body));
		if (str_is(ref)) {
			read_text(x, ref);
			return;
		}
		feed_row(x, row);
	}
	v->seq = v->page.scanned;
	more = v->page.more && v->seq < x->mark.seq;
	port_store_read_done(&v->page);
	v->page = (struct store_read){ 0 };
	if (more)
		read_page(x);
	else
		next_pass(x);
}

/* ---- passes ---- */

/* is_whole: everything was fed; otherwise the export is stale, and its owner ends it. */
static void run_end(struct export *x, bool is_whole)
{
	struct export_derive *v = &x->derive;

	v->is_there[v->kind] =
		is_whole && (v->trace ? x->engine->ports.traces->end(v->trace)
	                              : atif_is_found(v->trajectory) && atif_end(v->trajectory));
	evidence_derive_done(x);
	v->end(x);
}

/* The events before the first one are gone: the trajectory says so. */
static void feed_gap(struct export *x)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json gap;

	if (x->floor && json_read_trusted(mem, STR("{\"gap\":{}}"), &gap, NULL) == OK)
		atif_event(x->derive.trajectory, gap);
}

static void next_pass(struct export *x)
{
	struct export_derive *v = &x->derive;
	struct atif_pass pass = { 0 };

	if (v->trace || !atif_next_pass(v->trajectory, &pass)) {
		run_end(x, true);
		return;
	}
	v->only = pass.thread;
	v->seq = x->floor;
	feed_gap(x);
	read_page(x);
}

/* A job runs in many threads; a trajectory has one.  Without a traced event there is no span. */
static bool has_document(const struct export *x, enum derived kind)
{
	if (x->document.is_partial || x->redaction == EVIDENCE_REDACTION_ALL)
		return false;
	return kind == DERIVED_TRACE ? x->engine->ports.traces && x->tally.traces.count
	                             : !str_is(x->scope.job_id);
}

/* Events of other classes are not read from the store. */
static void choose_types(struct export_derive *v)
{
	memset(v->types, 0, sizeof v->types);
	for (unsigned type = 1; type < EV_COUNT; type++)
		if (atif_takes(event_type_word(type)))
			v->types[type / 64] |= 1ull << type % 64;
}

static void run(struct export *x, enum derived kind)
{
	struct export_derive *v = &x->derive;

	v->kind = kind;
	v->last_text = &v->texts;
	v->seq = x->floor;
	v->only = STR_NONE;
	v->row_mem = arena_new();
	choose_types(v);
	if (kind == DERIVED_TRACE) {
		v->trace = x->engine->ports.traces->open(
			&(struct trace_target){ on_trace, x, x->engine->runtime_id });
		read_page(x);
		return;
	}
	v->trajectory = atif_new(&(struct atif_options){
		.version = x->document.version,
		.thread = x->is_narrow ? v->thread : STR_NONE,
		.turn = x->scope.turn_id,
		.port = { .arg = x, .read = on_read, .write = on_write, .redact = on_redact },
	});
	next_pass(x);
}

/* ---- counting ---- */

static void count_piece(struct export *x, struct str data)
{
	struct export_derive *v = &x->derive;
	struct export_stream *s = &v->counted[v->kind];

	s->size += data.len;
	sha256_more(&s->sum, data);
	evidence_keep_add(&x->keep, &v->kept[v->kind], data);
}

static void count_next(struct export *x, enum derived kind);

static void count_done(struct export *x)
{
	count_next(x, x->derive.kind + 1);
}

static void count_next(struct export *x, enum derived kind)
{
	while (kind < DERIVED_COUNT && !has_document(x, kind))
		kind++;
	if (kind == DERIVED_COUNT) {
		x->derive.counted_all(x);
		return;
	}
	sha256_begin(&x->derive.counted[kind].sum);
	run(x, kind);
}

void evidence_derive_count(struct export *x, void (*then)(struct export *x))
{
	x->derive.put = count_piece;
	x->derive.end = count_done;
	x->derive.counted_all = then;
	count_next(x, 0);
}

void evidence_derive_write(struct export *x, enum derived kind,
                           void (*put)(struct export *x, struct str data),
                           void (*end)(struct export *x))
{
	x->derive.put = put;
	x->derive.end = end;
	run(x, kind);
}

void evidence_derive_done(struct export *x)
{
	struct export_derive *v = &x->derive;

	if (v->trace)
		x->engine->ports.traces->free(v->trace);
	atif_free(v->trajectory);
	arena_free(v->row_mem);
	v->row_mem = NULL;
	v->trace = NULL;
	v->trajectory = NULL;
	while (v->texts)
		drop_text(v);
	port_store_read_done(&v->page);
	v->page = (struct store_read){ 0 };
}
