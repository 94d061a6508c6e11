#include "memory_blobs.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "rng.h"

struct blob {
	struct list node;
	struct buf data;
	struct sha256 hash;
	bool is_sealed;
	size_t ref_len;
	char ref[];
};

struct blob_writer {
	struct list node;
	struct blob *blob;
	bool is_sealing;
	void (*done)(void *owner, const struct blob_sealed *s);
	void *owner;
};

struct face {
	struct blobs port;
	struct memory_blobs *memory_blobs; /* NULL: the power was cut */
	struct list writers;
	struct blob_read *reads, **reads_end;
};

struct memory_blobs {
	struct list blobs;
	struct face *face;
	struct rng rng;
	bool is_broken;
};

static struct face *face_of(struct blobs *b)
{
	return OWNER_OF(b, struct face, port);
}

static struct blob *find(const struct memory_blobs *b, struct str ref)
{
	LIST_EACH (&b->blobs, node) {
		struct blob *x = LIST_ITEM(node, struct blob, node);

		if (str_eq(str_of(x->ref, x->ref_len), ref))
			return x;
	}
	return NULL;
}

static struct blob *blob_new(struct memory_blobs *b, struct str ref)
{
	struct blob *x = memory_zeroed(1, sizeof *x + ref.len + 1);

	memcpy(x->ref, ref.ptr, ref.len);
	x->ref_len = ref.len;
	list_add(&b->blobs, &x->node);
	return x;
}

static void blob_free(struct blob *x)
{
	list_remove(&x->node);
	buf_done(&x->data);
	memory_free(x);
}

/* ---- the port ---- */

static struct blob_writer *on_open(struct blobs *b, struct str ref)
{
	struct face *f = face_of(b);
	struct blob_writer *w = memory_zeroed(1, sizeof *w);

	if (f->memory_blobs) {
		w->blob = find(f->memory_blobs, ref);
		if (!w->blob)
			w->blob = blob_new(f->memory_blobs, ref);
	}
	list_add(&f->writers, &w->node);
	return w;
}

static void on_write(struct blobs *b, struct blob_writer *w, struct str data)
{
	if (face_of(b)->memory_blobs)
		buf_add_str(&w->blob->data, data);
}

static uint64_t on_pending(const struct blobs *b, const struct blob_writer *w)
{
	(void)b;
	(void)w;
	return 0;
}

static void on_seal(struct blobs *b, struct blob_writer *w,
                    void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	(void)b;
	w->is_sealing = true;
	w->done = done;
	w->owner = owner;
}

static void on_recover_seal(struct blobs *b, struct str ref,
                            void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	struct face *f = face_of(b);
	struct blob_writer *w = memory_zeroed(1, sizeof *w);

	w->blob = f->memory_blobs ? find(f->memory_blobs, ref)
	                          : NULL; /* NULL: nothing of it came to the disk */
	list_add(&f->writers, &w->node);
	on_seal(b, w, done, owner);
}

static void on_read(struct blobs *b, struct blob_read *r)
{
	struct face *f = face_of(b);

	r->next = NULL;
	*f->reads_end = r;
	f->reads_end = &r->next;
}

static void seal(struct face *f, struct blob_writer *w)
{
	struct blob_sealed s = { 0 };
	struct str all = f->memory_blobs && w->blob ? buf_str(&w->blob->data) : STR("");

	if (f->memory_blobs && !w->blob) {
		s.result = fail(&s.error, ERR_NOT_FOUND, "there is no such output");
	} else if (!f->memory_blobs || f->memory_blobs->is_broken) {
		s.result = fail(&s.error, ERR_IO, "the blob cannot be sealed");
	} else {
		w->blob->is_sealed = true;
		w->blob->hash = s.hash = sha256_of(all);
	}
	s.size = all.len;
	s.head = utf8_head(all, 2048);
	s.tail = utf8_tail(all, 2048);
	s.is_text = utf8_is_valid(all) && !memchr(all.ptr, 0, all.len);
	list_remove(&w->node);
	if (w->done)
		w->done(w->owner, &s);
	memory_free(w);
}

static void response(struct face *f, struct blob_read *r)
{
	struct blob *x = f->memory_blobs ? find(f->memory_blobs, r->ref) : NULL;

	if (!x) {
		r->result = fail(&r->error, ERR_NOT_FOUND, "there is no such output");
	} else {
		struct str rest = str_skip(buf_str(&x->data), (size_t)r->offset);

		rest = str_head(rest, r->max);
		r->data = memory_alloc(rest.len + 1);
		memcpy(r->data, rest.ptr, rest.len);
		r->len = (uint32_t)rest.len;
		r->size = x->data.len;
		r->sealed = x->is_sealed;
	}
	r->done(r);
}

static size_t on_poll(struct blobs *b)
{
	struct face *f = face_of(b);
	size_t count = 0;
	struct list ready;

	list_init(&ready);
	LIST_EACH_SAFE (&f->writers, node, tmp)
		if (LIST_ITEM(node, struct blob_writer, node)->is_sealing) {
			list_remove(node);
			list_add(&ready, node);
		}
	for (; !list_is_empty(&ready); count++)
		seal(f, LIST_ITEM(ready.next, struct blob_writer, node));
	while (f->reads) {
		struct blob_read *r = f->reads;

		f->reads = r->next;
		if (!f->reads)
			f->reads_end = &f->reads;
		response(f, r);
		count++;
	}
	return count;
}

static void on_remove(struct blobs *b, struct str ref)
{
	struct face *f = face_of(b);
	struct blob *x = f->memory_blobs ? find(f->memory_blobs, ref) : NULL;

	if (!x)
		return;
	list_remove(&x->node);
	buf_done(&x->data);
	memory_free(x);
}

static void on_close(struct blobs *b)
{
	struct face *f = face_of(b);

	while (on_poll(b))
		;
	while (!list_is_empty(&f->writers)) {
		struct blob_writer *w = LIST_ITEM(f->writers.next, struct blob_writer, node);

		list_remove(&w->node);
		memory_free(w);
	}
	if (f->memory_blobs)
		f->memory_blobs->face = NULL;
	memory_free(f);
}

static const struct blob_ops ops = {
	.open = on_open,
	.write = on_write,
	.pending = on_pending,
	.seal = on_seal,
	.recover_seal = on_recover_seal,
	.read = on_read,
	.remove = on_remove,
	.poll = on_poll,
	.close = on_close,
};

/* ---- the memory_blobs ---- */

struct memory_blobs *memory_blobs_new(uint64_t seed)
{
	struct memory_blobs *b = memory_zeroed(1, sizeof *b);

	list_init(&b->blobs);
	b->rng = rng_of(seed, 78);
	return b;
}

void memory_blobs_free(struct memory_blobs *b)
{
	if (!b)
		return;
	while (!list_is_empty(&b->blobs))
		blob_free(LIST_ITEM(b->blobs.next, struct blob, node));
	memory_free(b);
}

struct blobs *memory_blobs_open(struct memory_blobs *b)
{
	struct face *f = memory_zeroed(1, sizeof *f);

	f->port.ops = &ops;
	f->memory_blobs = b;
	list_init(&f->writers);
	f->reads_end = &f->reads;
	b->face = f;
	return &f->port;
}

void memory_blobs_cut(struct memory_blobs *b)
{
	if (b->face)
		b->face->memory_blobs = NULL;
	b->face = NULL;
	LIST_EACH_SAFE (&b->blobs, node, tmp) {
		struct blob *x = LIST_ITEM(node, struct blob, node);

		if (x->is_sealed)
			continue;
		if (rng_percent(&b->rng, 50))
			blob_free(x);
		else
			x->data.len = rng_below(&b->rng, x->data.len + 1);
	}
}

bool memory_blobs_sealed(const struct memory_blobs *b, struct str ref, struct str *ret_data,
                         struct sha256 *ret_hash)
{
	const struct blob *x = find(b, ref);

	if (!x || !x->is_sealed)
		return false;
	*ret_data = buf_str(&x->data);
	*ret_hash = x->hash;
	return true;
}

void memory_blobs_break(struct memory_blobs *b, bool is_broken)
{
	b->is_broken = is_broken;
}
