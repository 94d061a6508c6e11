/*
 * Reads the items of jobs.
 *
 * A job's input is lines of JSON behind a ref.  Memory holds where each line
 * begins, and the text itself when it is small; both can be read again at any
 * time.  An item begins when its text is loaded: instruction and item are the
 * input of its turn.
 */
#include "engine/effects/job_feed.h"

#include "core/gen/inputs.h"
#include "base/memory.h"
#include "core/job/job.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

/* Files are scanned in pages of this size; an item longer than the second limit is cut there. */
#define PAGE (256u << 10)
#define LINE_MAX_BYTES (1u << 20)

struct source {
	struct engine *engine;
	struct session *session; /* the session it is read for; NULL: for a request */
	struct request *request;
	struct arena *mem;
	struct str job_id, ref, instruction_ref, instruction;
	struct str data; /* the whole input, when it is a small blob */
	bool is_file, is_ready, is_reading, is_gone;
	uint64_t *offsets; /* of lines; one more than there are */
	size_t count, cap;
	uint64_t at; /* how far the file was scanned */
	bool in_line;
	struct store_read read;
	struct blob_read blob;
	int64_t index; /* of the item that is being read from the file */
};

static void source_free(struct source *s)
{
	memory_free(s->offsets);
	arena_free(s->mem);
	memory_free(s);
}

static void add_offset(struct source *s, uint64_t at)
{
	if (s->count == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->offsets = memory_resize(s->offsets, s->cap * sizeof *s->offsets);
	}
	s->offsets[s->count++] = at;
}

/* Empty lines are no items. */
static void scan_lines(struct source *s, struct str piece)
{
	for (size_t i = 0; i < piece.len; i++, s->at++) {
		if (piece.ptr[i] == '\n') {
			s->in_line = false;
		} else if (!s->in_line) {
			add_offset(s, s->at);
			s->in_line = true;
		}
	}
}

static void source_ready(struct source *s);
static void source_broken(struct source *s, const char *why);
static void finish_session_source(struct source *src, const char *why);

/* ---- opening ---- */

static void scan_file(struct source *s);

/* Only offsets are kept: eight bytes per item, whatever the size of the input. */
static void file_page(struct blob_read *b)
{
	struct source *s = b->owner;
	bool is_end = b->result == OK && b->offset + b->len >= b->size;

	if (b->result != OK) {
		port_blob_read_done(b);
		source_broken(s, "the items cannot be read, or have expired");
		return;
	}
	scan_lines(s, str_of(b->data ? b->data : "", b->len));
	port_blob_read_done(b);
	if (!is_end && s->count <= LIMIT_JOB_ITEMS) {
		scan_file(s);
		return;
	}
	source_ready(s);
}

static void scan_file(struct source *s)
{
	struct blobs *b = s->engine->ports.blobs;

	s->blob = (struct blob_read){
		.ref = s->ref, .offset = s->at, .max = PAGE, .done = file_page, .owner = s
	};
	b->ops->read(b, &s->blob);
}

/* A small input is a blob beside the log, a large one a file. */
static void input_found(struct store_read *read)
{
	struct source *s = read->owner;

	if (read->result == OK) {
		s->data = arena_keep(s->mem, read->blob.data);
		port_store_read_done(read);
		scan_lines(s, s->data);
		source_ready(s);
		return;
	}
	port_store_read_done(read);
	if (!s->engine->ports.blobs) {
		source_broken(s, "there is no such output");
		return;
	}
	s->is_file = true;
	scan_file(s);
}

static void read_lines(struct source *s)
{
	s->read = (struct store_read){
		.kind = READ_BLOB, .key = s->ref, .done = input_found, .owner = s
	};
	s->engine->ports.store->ops->read(s->engine->ports.store, &s->read);
}

static void instruction_found(struct store_read *read)
{
	struct source *s = read->owner;

	if (read->result != OK) {
		port_store_read_done(read);
		source_broken(s, "the instruction cannot be read");
		return;
	}
	s->instruction = arena_keep(s->mem, read->blob.data);
	port_store_read_done(read);
	read_lines(s);
}

static struct source *source_new(struct engine *e, struct str ref)
{
	struct source *s = memory_zeroed(1, sizeof *s);

	s->engine = e;
	s->mem = arena_new();
	s->ref = arena_keep(s->mem, ref);
	return s;
}

/* ---- one item ---- */

static struct str line_at(const struct source *s, struct str text)
{
	ptrdiff_t end = str_find_char(text, '\n');

	return str_trim(end >= 0 ? str_head(text, (size_t)end) : text);
}

static void begin_item(struct session *s, struct source *src, int64_t index, struct str line)
{
	struct decision *d = apply_begin(s, NULL);
	struct str text =
		arena_printf(d->mem, "%.*s\n\n%.*s", STR_ARG(src->instruction), STR_ARG(line));

	input_job_run_item(d, src->job_id, index, text);
	apply_end(s, d);
}

/*
 * The session was held by `readers`; it may have been dropped nevertheless.  An item that
 * cannot be read ends its job, as input that cannot be read does.  An item that could not
 * begin (no free thread) is tried again with the session's next events, not at once.
 */
static void item_read(struct blob_read *b)
{
	struct source *src = b->owner;
	struct session *s = src->session;
	uint64_t before = s->applied;

	if (b->result != OK || s->phase != SESSION_LIVE) {
		port_blob_read_done(b);
		finish_session_source(src, "an item cannot be read, or has expired");
		return;
	}
	src->is_reading = false;
	s->readers--;
	begin_item(s, src, src->index, line_at(src, str_of(b->data ? b->data : "", b->len)));
	port_blob_read_done(b);
	if (s->applied != before)
		job_feed_run(s);
}

/* Reads up to the next item's offset, which includes empty lines between them; line_at() cuts. */
static void read_item(struct session *s, struct source *src, int64_t index)
{
	struct blobs *b = src->engine->ports.blobs;
	uint64_t from = src->offsets[index];
	uint64_t to = (size_t)index + 1 < src->count ? src->offsets[index + 1] : src->at;

	src->index = index;
	src->is_reading = true;
	s->readers++;
	src->blob = (struct blob_read){ .ref = src->ref,
		                        .offset = from,
		                        .max = (uint32_t)MIN(to - from, LINE_MAX_BYTES),
		                        .done = item_read,
		                        .owner = src };
	b->ops->read(b, &src->blob);
}

/* ---- feeding ---- */

void job_feed_forget(struct session *s)
{
	struct source *src = s->source;

	if (!src || src->is_reading)
		return; /* the pending read frees it */
	s->source = NULL;
	source_free(src);
}

static void open_source(struct session *s, const struct st_job *j)
{
	struct source *src = source_new(s->engine, j->input_ref);

	src->session = s;
	src->job_id = arena_keep(src->mem, j->record->job_id);
	src->instruction_ref = arena_keep(src->mem, j->record->instruction_ref);
	src->is_reading = true;
	s->source = src;
	s->readers++;
	src->read = (struct store_read){ .kind = READ_BLOB,
		                         .key = src->instruction_ref,
		                         .done = instruction_found,
		                         .owner = src };
	s->engine->ports.store->ops->read(s->engine->ports.store, &src->read);
}

/* Starts the items that may begin.  Called whenever events of the session become durable. */
void job_feed_run(struct session *s)
{
	const struct st_job *j;
	struct source *src = s->source;
	int64_t index;

	if (s->is_feeding || s->phase != SESSION_LIVE || (src && src->is_reading) ||
	    s->engine->is_stopping || s->engine->is_leaving)
		return;
	s->is_feeding = true;
	while ((j = job_run_next(s->state, &index))) {
		uint64_t before = s->applied;

		if (src && !str_eq(src->job_id, j->record->job_id)) {
			job_feed_forget(s);
			src = NULL;
		}
		if (!src) {
			/* The input of a job is readable when its creation is durable. */
			if (s->applied == s->durable)
				open_source(s, j);
			break;
		}
		if ((size_t)index >= src->count) {
			struct decision *d = apply_begin(s, NULL);

			input_job_run_broken(d, src->job_id,
			                     STR("there are fewer items than were counted"));
			apply_end(s, d);
			break;
		}
		/* The read continues in item_read(); one item is read at a time. */
		if (src->is_file) {
			read_item(s, src, index);
			break;
		}
		begin_item(s, src, index, line_at(src, str_skip(src->data, src->offsets[index])));
		/* The decision wrote nothing, so the same item would come again. */
		if (s->applied == before)
			break;
	}
	if (!j)
		job_feed_forget(s);
	s->is_feeding = false;
}

void job_feed_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_DONE)
		job_feed_run(s);
}

/* ---- counting before a job is created ---- */

/* The source is open, or broken for the reason given; a broken one ends its job. */
static void finish_session_source(struct source *src, const char *why)
{
	struct session *s = src->session;

	src->is_reading = false;
	s->readers--;
	if (s->phase != SESSION_LIVE) {
		s->source = NULL;
		source_free(src);
		session_release(s);
		return;
	}
	if (why) {
		struct decision *d = apply_begin(s, NULL);

		input_job_run_broken(d, src->job_id, str_from(why));
		job_feed_forget(s);
		apply_end(s, d);
		return;
	}
	job_feed_run(s);
}

static void source_ready(struct source *s)
{
	struct request *r = s->request;

	s->is_ready = true;
	if (!r) {
		finish_session_source(s, NULL);
		return;
	}
	r->found.item_count = (int64_t)s->count;
	source_free(s);
	request_restart(r); /* its session may have left memory in between */
}

static void source_broken(struct source *s, const char *why)
{
	struct request *r = s->request;

	if (!r) {
		finish_session_source(s, why);
		return;
	}
	request_fail(r, ERROR_CODE_OUTPUT_NOT_FOUND, "inputRef: %s", why);
	source_free(s);
	request_reply(r);
}

/*
 * The decision needs the number of items for the job's progress.  Items in the command
 * itself are counted without a read.
 */
bool job_feed_gather(struct request *r)
{
	const struct cmd_create_job *c = r->args;
	struct source *s;

	if (r->command.command != COMMAND_CREATE_JOB || r->found.is_counted)
		return false;
	r->found.is_counted = true;
	r->found.item_count = c->items.count;
	if (!str_is(c->input_ref) || c->items.count)
		return false;
	s = source_new(r->engine, c->input_ref);
	s->request = r;
	read_lines(s);
	return true;
}
