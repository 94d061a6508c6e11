/*
 * Copies the output of a background process to its output ref.
 *
 *   process ─► supervisor ─► raw file ─► here: redaction ─► the output
 *
 * The raw file exists until the process has ended, so a crash of the runtime
 * loses nothing: the next one starts at its first byte and writes the same
 * output again.  A piece is read when the previous one was passed on, so at
 * most one is in memory.
 */
#include "engine/effects/processes.h"
#include "engine/engine_state.h"

#define PIECE_BYTES 65536

static void add_clean(void *arg, struct str clean)
{
	buf_add_str(arg, clean);
}

/*
 * is_last: no bytes are held back.  Written at a position, not appended: after a crash the
 * same bytes go to the same place.
 */
static void pass_on(struct process_run *x, struct str raw, bool is_last)
{
	struct engine *e = x->engine;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str clean = raw;

	if (e->ports.scrub) {
		redact_feed(e->ports.scrub, &x->scrub, raw, is_last, add_clean, &out);
		clean = buf_str(&out);
	}
	if (clean.len || is_last)
		e->ports.blobs->ops->extend(e->ports.blobs, x->output_ref, x->clean_at, clean,
		                            is_last);
	x->clean_at += clean.len;
}

/* The next runtime continues; this one is about to close its store. */
static bool is_left(const struct engine *e)
{
	return e->is_stopping && e->options.config->process_on_stop != ON_TURN_END_TERMINATE;
}

/*
 * All bytes so far were copied.  After the end of the process this is the end of the
 * output: the bytes that redaction held back follow, and the file is sealed.
 * ERR_NOT_FOUND: there is no raw file, so nothing is missing.
 */
static void output_drained(struct process_run *x, enum err result)
{
	if (!x->has_ended) {
		processes_grown(x);
		return;
	}
	x->is_cut = result != OK && result != ERR_NOT_FOUND;
	if (result == OK)
		pass_on(x, STR(""), true);
	processes_seal(x);
}

/* An empty piece means that everything was read, unless more was reported meanwhile. */
static void on_piece(struct blob_read *r)
{
	struct process_run *x = r->owner;
	enum err result = r->result;
	size_t len = r->len;

	x->is_reading = false;
	if (is_left(x->engine)) {
		port_blob_read_done(r);
		return;
	}
	x->raw_at += len;
	if (len)
		pass_on(x, str_of(r->data, len), false);
	port_blob_read_done(r);
	if (len || (x->is_grown && result == OK))
		process_output_pump(x);
	else
		output_drained(x, result);
}

/* is_grown remembers a report that arrives during a read, whose page may miss the new bytes. */
void process_output_pump(struct process_run *x)
{
	struct blobs *b = x->engine->ports.blobs;

	x->is_grown = true;
	if (x->is_reading || is_left(x->engine))
		return;
	x->is_grown = false;
	x->is_reading = true;
	x->read = (struct blob_read){ .ref = x->output_ref,
		                      .is_raw = true,
		                      .offset = x->raw_at,
		                      .max = PIECE_BYTES,
		                      .done = on_piece,
		                      .owner = x };
	b->ops->read(b, &x->read);
}

/* Only at the current end: elsewhere the bytes would appear in the middle of the output. */
static struct str held_back(const struct engine *e, struct str output_ref, uint64_t size)
{
	LIST_EACH (&e->processes, node) {
		const struct process_run *x = LIST_ITEM(node, struct process_run, node);

		if (str_eq(x->output_ref, output_ref))
			return x->clean_at == size ? redact_glimpse(&x->scrub) : STR("");
	}
	return STR("");
}

struct str process_output_text(const struct engine *e, struct arena *mem, const struct blob_read *r)
{
	struct str held = r->sealed || r->offset + r->len != r->size
	                          ? STR("")
	                          : held_back(e, r->ref, r->size);
	char *text = arena_alloc(mem, r->len + held.len + 1);

	if (r->len)
		memcpy(text, r->data, r->len);
	if (held.len)
		memcpy(text + r->len, held.ptr, held.len);
	return str_of(text, r->len + held.len);
}

/* Raw files that an earlier runtime left of processes whose end is recorded. */
void process_output_sweep(struct engine *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct list_str refs = { 0 };

	if (!e->ports.blobs || !e->ports.blobs->ops->sweep_raw)
		return;
	LIST_EACH (&e->processes, node)
		rec_list_str_add(mem, &refs, LIST_ITEM(node, struct process_run, node)->output_ref);
	e->ports.blobs->ops->sweep_raw(e->ports.blobs, refs.items, refs.count);
}
