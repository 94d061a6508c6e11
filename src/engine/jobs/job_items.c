/* The items of jobs: where they begin, and their texts; job_items.h. */
#include "engine/jobs/job_items.h"

#include "base/memory.h"
#include "engine/engine_state.h"

/* Files are scanned in pages of this size; an item longer than the second limit is cut there. */
#define PAGE (256u << 10)
#define LINE_MAX_BYTES (1u << 20)

struct job_items *job_items_new(struct engine *e, struct str ref)
{
	struct job_items *it = memory_zeroed(1, sizeof *it);

	it->engine = e;
	it->mem = arena_new();
	it->ref = arena_keep(it->mem, ref);
	return it;
}

void job_items_free(struct job_items *it)
{
	memory_free(it->offsets);
	arena_free(it->mem);
	memory_free(it);
}

static void add_offset(struct job_items *it, uint64_t at)
{
	if (it->count == it->cap) {
		it->cap = it->cap ? 2 * it->cap : 256;
		it->offsets = memory_resize(it->offsets, it->cap * sizeof *it->offsets);
	}
	it->offsets[it->count++] = at;
}

/* Empty lines are no items. */
static void scan_lines(struct job_items *it, struct str piece)
{
	for (size_t i = 0; i < piece.len; i++, it->at++) {
		if (piece.ptr[i] == '\n') {
			it->in_line = false;
		} else if (!it->in_line) {
			add_offset(it, it->at);
			it->in_line = true;
		}
	}
}

static void open_ends(struct job_items *it, const char *why)
{
	it->is_busy = false;
	it->is_open = !why;
	it->opened(it, why);
}

/* ---- opening ---- */

static void scan_file(struct job_items *it);

/* Only offsets are kept: eight bytes per item, whatever the size of the input. */
static void file_page(struct blob_read *b)
{
	struct job_items *it = b->owner;
	bool is_end = b->result == OK && b->offset + b->len >= b->size;

	it->is_unavailable = b->result == ERR_UNAVAILABLE;
	if (b->result != OK) {
		port_blob_read_done(b);
		open_ends(it, "the items cannot be read, or have expired");
		return;
	}
	scan_lines(it, str_of(b->data ? b->data : "", b->len));
	port_blob_read_done(b);
	if (!is_end && it->count <= LIMIT_JOB_ITEMS)
		scan_file(it);
	else
		open_ends(it, NULL);
}

static void scan_file(struct job_items *it)
{
	struct blobs *b = it->engine->ports.blobs;

	it->blob = (struct blob_read){
		.ref = it->ref, .offset = it->at, .max = PAGE, .done = file_page, .owner = it
	};
	b->ops->read(b, &it->blob);
}

/* A small input is a blob beside the log, a large one a file. */
static void input_found(struct store_read *read)
{
	struct job_items *it = read->owner;

	if (read->result == OK) {
		it->data = arena_keep(it->mem, read->blob.data);
		port_store_read_done(read);
		scan_lines(it, it->data);
		open_ends(it, NULL);
		return;
	}
	port_store_read_done(read);
	if (!it->engine->ports.blobs) {
		open_ends(it, "there is no such output");
		return;
	}
	it->is_file = true;
	scan_file(it);
}

static void read_blob(struct job_items *it, struct str ref, void (*done)(struct store_read *read))
{
	struct store *st = it->engine->ports.store;

	it->read = (struct store_read){ .kind = READ_BLOB, .key = ref, .done = done, .owner = it };
	st->ops->read(st, &it->read);
}

static void instruction_found(struct store_read *read)
{
	struct job_items *it = read->owner;

	if (read->result != OK) {
		port_store_read_done(read);
		open_ends(it, "the instruction cannot be read");
		return;
	}
	it->instruction = arena_keep(it->mem, read->blob.data);
	port_store_read_done(read);
	read_blob(it, it->ref, input_found);
}

void job_items_open(struct job_items *it, struct str instruction_ref)
{
	it->is_busy = true;
	if (!str_is(instruction_ref)) {
		read_blob(it, it->ref, input_found);
		return;
	}
	it->instruction_ref = arena_keep(it->mem, instruction_ref);
	read_blob(it, it->instruction_ref, instruction_found);
}

/* ---- one item ---- */

static struct str text_of(const struct job_items *it, struct arena *mem, struct str from)
{
	ptrdiff_t end = str_find_char(from, '\n');
	struct str line = str_trim(end >= 0 ? str_head(from, (size_t)end) : from);

	return arena_printf(mem, "%.*s\n\n%.*s", STR_ARG(it->instruction), STR_ARG(line));
}

static void item_read(struct blob_read *b)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct job_items *it = b->owner;
	struct str text = STR_NONE;

	it->is_unavailable = b->result == ERR_UNAVAILABLE;
	if (b->result == OK)
		text = text_of(it, mem, str_of(b->data ? b->data : "", b->len));
	port_blob_read_done(b);
	it->is_busy = false;
	it->arrived(it, it->index, text);
}

/* Reads up to the next item's offset, which includes empty lines between them; text_of() cuts. */
static void read_item(struct job_items *it, int64_t index)
{
	struct blobs *b = it->engine->ports.blobs;
	uint64_t from = it->offsets[index];
	uint64_t to = (size_t)index + 1 < it->count ? it->offsets[index + 1] : it->at;

	it->index = index;
	it->is_busy = true;
	it->blob = (struct blob_read){ .ref = it->ref,
		                       .offset = from,
		                       .max = (uint32_t)MIN(to - from, LINE_MAX_BYTES),
		                       .done = item_read,
		                       .owner = it };
	b->ops->read(b, &it->blob);
}

bool job_items_text(struct job_items *it, struct arena *mem, int64_t index, struct str *ret)
{
	if (it->is_file) {
		read_item(it, index);
		return false;
	}
	*ret = text_of(it, mem, str_skip(it->data, it->offsets[index]));
	return true;
}
