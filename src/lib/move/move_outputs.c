/*
 * Large outputs.  A database gets them as pages of chunks, whose last one seals the output;
 * a directory gets files.  The bytes are compared with the hash that the log has for them.
 */
#include "lib/move/move_outputs.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNKS_OF_PAGE (STORE_PAGE_BYTES / STORE_OUTPUT_CHUNK)

struct outputs {
	struct move_end *from, *to;
	struct str progress;
	struct move_result *result;
};

static enum err wrong_hash(struct str ref, struct error *e)
{
	return fail(e, ERR_CORRUPT,
	            "move_damaged: the output %.*s does not have the content that the log says; "
	            "`thole verify` names what is damaged",
	            STR_ARG(ref));
}

/* ---- files ---- */

static void blob_read_done(struct blob_read *r)
{
	*(bool *)r->owner = true;
}

/* Without a thread the work is done when the call returns, and reported by the poll. */
static enum err read_file(struct blobs *b, struct str ref, uint64_t offset, uint32_t max,
                          struct blob_read *ret)
{
	bool is_done = false;

	*ret = (struct blob_read){
		.ref = ref, .offset = offset, .max = max, .done = blob_read_done, .owner = &is_done
	};
	b->ops->read(b, ret);
	while (!is_done)
		b->ops->poll(b);
	return ret->result;
}

static bool is_sealed_file(struct blobs *b, struct str ref)
{
	struct blob_read r;
	bool is_sealed = b && read_file(b, ref, 0, 1, &r) == OK && r.sealed;

	if (b)
		port_blob_read_done(&r);
	return is_sealed;
}

struct sealing {
	bool is_done;
	enum err result;
	struct error error;
	struct sha256 hash;
};

static void seal_done(void *owner, const struct blob_sealed *s)
{
	struct sealing *done = owner;

	*done = (struct sealing){ true, s->result, s->error, s->hash };
}

/* Ends the file of an output; its hash must be this one. */
static enum err seal_file(struct blobs *b, struct blob_writer *w, struct str ref, struct str hash,
                          struct error *e)
{
	struct sealing done = { 0 };

	b->ops->seal(b, w, seal_done, &done);
	while (!done.is_done)
		b->ops->poll(b);
	if (done.result != OK) {
		*e = done.error;
		return done.result;
	}
	if (!str_eq(str_of((const char *)done.hash.state, SHA256_BYTES), hash))
		return wrong_hash(ref, e);
	return OK;
}

/* ---- from a database ---- */

static enum err put_page(struct outputs *o, struct store_page *page, struct error *e)
{
	struct store *s = o->to->store;

	for (size_t i = 0; i < page->rows; i++) {
		const struct store_cell *row = port_store_page_row(page, i);

		o->result->outputs +=
			row[1].number * (int64_t)STORE_OUTPUT_CHUNK + (int64_t)row[2].text.len >=
			row[3].number;
	}
	return s->move->put(s, page, o->progress, e);
}

/* The file that is being written from pages. */
struct writing {
	struct str ref; /* absent: none */
	char text[256];
	struct blob_writer *writer; /* NULL: the target has it already */
};

static enum err write_chunk(struct outputs *o, struct writing *w, const struct store_cell *row,
                            struct error *e)
{
	struct blobs *b = o->to->files;
	enum err err = OK;

	if (!str_eq(w->ref, row[0].text)) {
		snprintf(w->text, sizeof w->text, "%.*s", STR_ARG(row[0].text));
		w->ref = str_from(w->text);
		w->writer = NULL;
		if (!is_sealed_file(b, w->ref)) {
			b->ops->remove(b, w->ref); /* what a killed move has left */
			w->writer = b->ops->open(b, w->ref);
		}
	}
	if (w->writer)
		b->ops->write(b, w->writer, row[2].text);
	if (row[1].number * (int64_t)STORE_OUTPUT_CHUNK + (int64_t)row[2].text.len < row[3].number)
		return OK;
	if (w->writer)
		err = seal_file(b, w->writer, w->ref, row[4].text, e);
	w->writer = NULL;
	o->result->outputs++;
	return err;
}

static enum err write_page(struct outputs *o, struct writing *w, struct store_page *page,
                           struct error *e)
{
	enum err err = OK;

	for (size_t i = 0; err == OK && i < page->rows; i++)
		err = write_chunk(o, w, port_store_page_row(page, i), e);
	return err;
}

static enum err run_database(struct outputs *o, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store *s = o->from->store;
	struct store_page page = { .part = STORE_PART_OUTPUT };
	struct writing w = { 0 };
	size_t rows = 1;
	enum err err = OK;

	for (struct str after = STR_NONE; err == OK && rows;) {
		page.after = after;
		err = s->move->take(s, &page, e);
		rows = page.rows;
		if (err == OK && rows)
			err = o->to->store->move->has_output ? put_page(o, &page, e)
			                                     : write_page(o, &w, &page, e);
		arena_reset(mem);
		after = arena_keep(mem, page.next);
		port_store_page_done(&page);
	}
	/* After an error its bytes stay, and the next move begins it again. */
	if (w.writer)
		o->to->files->ops->seal(o->to->files, w.writer, NULL, NULL);
	return err;
}

/* ---- from files ---- */

/* One file on its way. */
struct copying {
	struct outputs *o;
	struct str ref;
	struct str hash; /* as the log has it, in hex; absent: it has none */
	uint64_t at, size;
	struct sha256_stream sum;
	struct blob_writer *writer; /* to a file */
	struct store_page page;     /* to a database */
};

static bool has_right_hash(const struct copying *c, const struct sha256 *hash)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	return !str_is(c->hash) || str_eq(sha256_hex(mem, hash), c->hash);
}

static enum err send_page(struct copying *c, struct error *e)
{
	enum err err = put_page(c->o, &c->page, e);

	port_store_page_done(&c->page);
	return err;
}

static enum err add_chunk(struct copying *c, struct str data, struct error *e)
{
	struct store_cell *row = port_store_page_add(&c->page);
	uint64_t no = c->at / STORE_OUTPUT_CHUNK;
	struct sha256 hash = { 0 };

	sha256_more(&c->sum, data);
	c->at += data.len;
	if (c->at >= c->size) {
		hash = sha256_end(&c->sum);
		if (!has_right_hash(c, &hash))
			return wrong_hash(c->ref, e);
	}
	row[0].text = arena_keep(c->page.mem, c->ref);
	row[1].number = (int64_t)no;
	row[2].text = arena_keep(c->page.mem, data);
	row[3].number = (int64_t)c->size;
	row[4].text = arena_keep(c->page.mem, str_of((const char *)hash.state, SHA256_BYTES));
	return c->page.rows == CHUNKS_OF_PAGE ? send_page(c, e) : OK;
}

static enum err write_part(struct copying *c, struct str data)
{
	struct blobs *b = c->o->to->files;

	b->ops->write(b, c->writer, data);
	sha256_more(&c->sum, data);
	c->at += data.len;
	return OK;
}

static enum err copy_parts(struct copying *c, struct error *e)
{
	struct blobs *b = c->o->from->files;
	enum err err = OK;

	do {
		struct blob_read r;

		err = read_file(b, c->ref, c->at, STORE_OUTPUT_CHUNK, &r);
		if (err != OK)
			*e = r.error;
		else if (!r.len && c->at < c->size)
			err = wrong_hash(c->ref, e);
		else
			err = c->writer ? write_part(c, str_of(r.data, r.len))
			                : add_chunk(c, str_of(r.data ? r.data : "", r.len), e);
		port_blob_read_done(&r);
	} while (err == OK && c->at < c->size);
	return err;
}

static enum err copy_to_database(struct copying *c, struct error *e)
{
	enum err err;

	c->page.part = STORE_PART_OUTPUT;
	err = copy_parts(c, e);
	if (err == OK && c->page.rows)
		err = send_page(c, e);
	port_store_page_done(&c->page);
	return err;
}

static enum err copy_to_file(struct copying *c, struct error *e)
{
	struct blobs *b = c->o->to->files;
	struct sha256 hash;
	enum err err;

	b->ops->remove(b, c->ref);
	c->writer = b->ops->open(b, c->ref);
	err = copy_parts(c, e);
	if (err != OK) {
		b->ops->seal(b, c->writer, NULL, NULL);
		return err;
	}
	hash = sha256_end(&c->sum);
	err = seal_file(b, c->writer, c->ref, str_of((const char *)hash.state, SHA256_BYTES), e);
	if (err == OK && !has_right_hash(c, &hash))
		err = wrong_hash(c->ref, e);
	c->o->result->outputs += err == OK;
	return err;
}

static enum err copy_file(struct outputs *o, struct str ref, struct str hash, struct error *e)
{
	struct copying c = { .o = o, .ref = ref, .hash = hash };
	struct blob_read r = { 0 };
	enum err err = o->from->files ? read_file(o->from->files, ref, 0, 1, &r) : ERR_NOT_FOUND;
	bool is_sealed = r.sealed;

	c.size = r.size;
	if (err != OK && err != ERR_NOT_FOUND)
		*e = r.error;
	port_blob_read_done(&r);
	if (err == ERR_NOT_FOUND || (err == OK && !is_sealed)) {
		o->result->missing_outputs++;
		return OK;
	}
	if (err != OK)
		return err;
	sha256_begin(&c.sum);
	return o->to->store->move->has_output ? copy_to_database(&c, e) : copy_to_file(&c, e);
}

static enum err end_has(struct move_end *end, struct str ref, bool *ret, struct error *e)
{
	struct store *s = end->store;

	*ret = false;
	if (s->move->has_output)
		return s->move->has_output(s, ref, ret, e);
	return OK;
}

/* An output that the log names: nothing is left to do if it came from the database before. */
static enum err move_named(struct outputs *o, const struct index_found *row, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json doc = { 0 };
	bool is_in_source, is_in_target = false;
	enum err err = end_has(o->from, row->key, &is_in_source, e);

	if (err == OK && !is_in_source)
		err = end_has(o->to, row->key, &is_in_target, e);
	if (err != OK || is_in_source)
		return err;
	if (is_in_target ||
	    (!o->to->store->move->has_output && is_sealed_file(o->to->files, row->key))) {
		o->result->outputs++;
		return OK;
	}
	if (str_is(row->body) && json_read_trusted(mem, row->body, &doc, NULL) != OK)
		doc = (struct json){ 0 };
	return copy_file(o, row->key, json_str(JSON_GET(doc, "sha256")), e);
}

static enum err run_files(struct outputs *o, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str from_key = STR_NONE;
	int64_t from_at = 0;
	bool more = true;
	enum err err = OK;

	while (err == OK && more) {
		struct store_read r = { .kind = READ_INDEX,
			                .table = INDEX_OUTPUT,
			                .status = STR("spilled"),
			                .from_at = from_at,
			                .from_key = from_key };

		err = move_end_read(o->from, &r, e);
		for (size_t i = 0; err == OK && i < r.row_count; i++)
			err = move_named(o, &r.rows[i], e);
		more = err == OK && r.more && r.row_count;
		arena_reset(mem);
		if (more) {
			from_at = r.rows[r.row_count - 1].at;
			from_key = arena_keep(mem, r.rows[r.row_count - 1].key);
		}
		port_store_read_done(&r);
	}
	return err;
}

enum err move_outputs_run(struct move_end *from, struct move_end *to, struct str progress,
                          struct move_result *ret, struct error *e)
{
	struct outputs o = { from, to, progress, ret };
	enum err err = from->store->move->has_output ? run_database(&o, e) : OK;

	return err == OK ? run_files(&o, e) : err;
}
