#include "slow_store.h"

#include "base/list.h"
#include "base/memory.h"
#include "rng.h"

/* A batch on its way, in our own clothes: the slices are the owner's or a copy. */
struct pass {
	struct list node;
	struct batch batch;
	struct batch *owner; /* NULL: it has its answer already */
	struct arena *mem;   /* of a copy */
	struct slow_store *slow_store;
	int64_t since_ms;
};

struct asked {
	struct list node;
	struct store_read *read;
	void (*done)(struct store_read *r);
};

struct errand {
	struct list node;
	struct store_maintenance *maintenance;
	void (*done)(struct store_maintenance *u);
};

struct slow_store {
	struct store port;
	struct store *inner;
	struct slow_store_options o;
	struct rng rng;
	struct list to_write, written; /* struct pass */
	struct list early;             /* struct pass: to be answered before it is written */
	struct list asked, answered;   /* struct asked */
	struct list errands;           /* struct errand */
	uint64_t next_position;        /* for SLOW_STORE_ACK_EARLY */
	uint64_t held_bytes;
	unsigned in_inner;
	bool is_closing, is_shut;
	bool is_stuck;
	int64_t (*mono_ms)(void *arg);
	void *mono_arg;
};

static struct slow_store *self; /* reads do not know where they went; one at a time is open */

static struct slow_store *slow_store_of(struct store *s)
{
	return OWNER_OF(s, struct slow_store, port);
}

static bool holds(struct slow_store *r)
{
	return !r->is_closing && r->o.hold_percent && rng_percent(&r->rng, r->o.hold_percent);
}

/* ---- batches ---- */

static void on_written(struct batch *b)
{
	struct pass *p = OWNER_OF(b, struct pass, batch);

	p->slow_store->in_inner--;
	list_add(&p->slow_store->written, &p->node);
}

static struct slice *copy_slice(struct arena *mem, const struct slice *sl)
{
	struct slice *c = ARENA_NEW(mem, struct slice);

	*c = *sl;
	c->next = NULL;
	c->session = arena_keep(mem, sl->session);
	c->events = ARENA_ARRAY(mem, struct store_event, sl->event_count + 1);
	for (size_t i = 0; i < sl->event_count; i++) {
		c->events[i] = sl->events[i];
		bytes_ref(c->events[i].body);
	}
	c->rows = ARENA_ARRAY(mem, struct index_row, sl->row_count + 1);
	for (size_t i = 0; i < sl->row_count; i++) {
		c->rows[i] = sl->rows[i];
		c->rows[i].key = arena_keep(mem, sl->rows[i].key);
		c->rows[i].status = arena_keep(mem, sl->rows[i].status);
		c->rows[i].parent = arena_keep(mem, sl->rows[i].parent);
		c->rows[i].body = arena_keep(mem, sl->rows[i].body);
	}
	c->blobs = ARENA_ARRAY(mem, struct blob_row, sl->blob_count + 1);
	for (size_t i = 0; i < sl->blob_count; i++) {
		c->blobs[i].ref = arena_keep(mem, sl->blobs[i].ref);
		c->blobs[i].media_type = arena_keep(mem, sl->blobs[i].media_type);
		c->blobs[i].data = arena_keep(mem, sl->blobs[i].data);
	}
	c->moves = ARENA_ARRAY(mem, struct ledger_move, sl->move_count + 1);
	for (size_t i = 0; i < sl->move_count; i++) {
		c->moves[i] = sl->moves[i];
		c->moves[i].account = arena_keep(mem, sl->moves[i].account);
	}
	c->pending_ops = ARENA_ARRAY(mem, struct pending_op, sl->pending_count + 1);
	for (size_t i = 0; i < sl->pending_count; i++) {
		c->pending_ops[i] = sl->pending_ops[i];
		c->pending_ops[i].ref = arena_keep(mem, sl->pending_ops[i].ref);
	}
	c->idem = NULL;
	for (const struct idem_row *i = sl->idem; i; i = i->next) {
		struct idem_row *row = ARENA_NEW(mem, struct idem_row);

		*row = *i;
		row->reply = arena_keep(mem, i->reply);
		row->next = c->idem;
		c->idem = row;
	}
	c->journal = ARENA_ARRAY(mem, struct journal_row, sl->journal_count + 1);
	for (size_t i = 0; i < sl->journal_count; i++) {
		c->journal[i] = sl->journal[i];
		c->journal[i].key = arena_keep(mem, sl->journal[i].key);
		c->journal[i].body = arena_keep(mem, sl->journal[i].body);
	}
	c->snapshot = arena_keep(mem, sl->snapshot);
	c->snapshot_version = arena_keep(mem, sl->snapshot_version);
	return c;
}

static struct pass *pass_new(struct slow_store *r, struct batch *b)
{
	struct pass *p = memory_zeroed(1, sizeof *p);

	p->slow_store = r;
	p->owner = b;
	p->since_ms = r->mono_ms ? r->mono_ms(r->mono_arg) : 0;
	p->batch = (struct batch){ .first = b->first, .done = on_written, .bytes = b->bytes };
	list_init(&p->node);
	return p;
}

/* The reply is sent now, a copy is written later. */
static void ack_early(struct slow_store *r, struct batch *b)
{
	struct pass *told = pass_new(r, b), *kept = pass_new(r, b);
	struct slice **at = &kept->batch.first;

	kept->owner = NULL;
	kept->mem = arena_new();
	for (struct slice *sl = b->first; sl; sl = sl->next) {
		*at = copy_slice(kept->mem, sl);
		at = &(*at)->next;
		sl->state = SLICE_COMMITTED;
		sl->first_position = r->next_position;
		r->next_position += sl->event_count;
	}
	*at = NULL;
	list_add(&r->early, &told->node);
	list_add(&r->to_write, &kept->node);
}

static void publish_early(struct slow_store *r, const struct batch *b)
{
	for (const struct slice *sl = b->first; sl; sl = sl->next)
		for (size_t i = 0; i < sl->event_count; i++)
			r->o.publish(r->o.owner, sl->session, &sl->events[i]);
}

static void on_submit(struct store *s, struct batch *b)
{
	struct slow_store *r = slow_store_of(s);

	for (struct slice *sl = b->first; sl; sl = sl->next)
		sl->state = SLICE_WAITING;
	r->held_bytes += b->bytes;
	if (r->o.lie == SLOW_STORE_PUBLISH_EARLY)
		publish_early(r, b);
	if (r->o.lie == SLOW_STORE_ACK_EARLY)
		ack_early(r, b);
	else
		list_add(&r->to_write, &pass_new(r, b)->node);
}

static void response_batch(struct pass *p)
{
	struct batch *b = p->owner;

	list_remove(&p->node);
	p->slow_store->held_bytes -= b ? p->batch.bytes : 0;
	if (b)
		b->error = p->batch.error;
	if (p->mem) {
		for (struct slice *sl = p->batch.first; sl; sl = sl->next)
			for (size_t i = 0; i < sl->event_count; i++)
				bytes_unref(sl->events[i].body);
		arena_free(p->mem);
	}
	memory_free(p);
	if (b)
		b->done(b);
}

/* ---- reads ---- */

static void on_answer(struct store_read *r)
{
	LIST_EACH (&self->asked, node) {
		struct asked *a = LIST_ITEM(node, struct asked, node);

		if (a->read != r)
			continue;
		r->done = a->done;
		self->in_inner--;
		list_remove(&a->node);
		list_add(&self->answered, &a->node);
		return;
	}
	assert(!"a read without a request");
}

static void write_next(struct slow_store *r)
{
	struct pass *p = LIST_ITEM(r->to_write.next, struct pass, node);

	list_remove(&p->node);
	r->in_inner++;
	r->inner->ops->submit(r->inner, &p->batch);
}

static void on_read(struct store *s, struct store_read *read)
{
	struct slow_store *r = slow_store_of(s);
	struct asked *a = memory_zeroed(1, sizeof *a);

	/* A liar that forgets its own words is found out too soon: the cut has to do it. */
	while (r->o.lie == SLOW_STORE_ACK_EARLY && !r->is_shut && !list_is_empty(&r->to_write))
		write_next(r);
	a->read = read;
	a->done = read->done;
	if (r->is_shut) {
		read->result = fail(&read->error, ERR_CLOSED, "the store is being closed");
		list_add(&r->answered, &a->node);
		return;
	}
	read->done = on_answer;
	list_add(&r->asked, &a->node);
	r->in_inner++;
	r->inner->ops->read(r->inner, read);
}

static void response_read(struct asked *a)
{
	struct store_read *r = a->read;

	list_remove(&a->node);
	memory_free(a);
	r->done(r);
}

/* ---- maintenance: neither delayed nor misreported ---- */

static void on_errand(struct store_maintenance *u)
{
	LIST_EACH_SAFE (&self->errands, node, tmp) {
		struct errand *c = LIST_ITEM(node, struct errand, node);

		if (c->maintenance != u)
			continue;
		u->done = c->done;
		list_remove(&c->node);
		memory_free(c);
		u->done(u);
		return;
	}
	assert(!"maintenance without a request");
}

static void on_maintenance(struct store *s, struct store_maintenance *u)
{
	struct slow_store *r = slow_store_of(s);
	struct errand *c;

	if (r->is_shut) {
		u->result = fail(&u->error, ERR_CLOSED, "the store is being closed");
		u->done(u);
		return;
	}
	c = memory_zeroed(1, sizeof *c);
	c->maintenance = u;
	c->done = u->done;
	u->done = on_errand;
	list_add(&r->errands, &c->node);
	r->inner->ops->maintenance(r->inner, u);
}

/* ---- the rest of the port ---- */

static void write_some(struct slow_store *r)
{
	while (!list_is_empty(&r->to_write) && !r->is_stuck && !holds(r))
		write_next(r);
}

static size_t response_some(struct slow_store *r)
{
	size_t count = 0;
	/* What is asked for meanwhile waits for the next poll, as with a mailbox. */
	size_t early = 0, batches = 0, reads = 0;

	LIST_EACH (&r->early, node)
		early++;
	LIST_EACH (&r->written, node)
		batches++;
	LIST_EACH (&r->answered, node)
		reads++;
	for (; early; early--, count++)
		response_batch(LIST_ITEM(r->early.next, struct pass, node));
	for (; batches && !holds(r); batches--, count++)
		response_batch(LIST_ITEM(r->written.next, struct pass, node));
	for (; reads && !holds(r); reads--, count++)
		response_read(LIST_ITEM(r->answered.next, struct asked, node));
	return count;
}

static bool is_busy(const struct slow_store *r)
{
	return r->in_inner || (!list_is_empty(&r->to_write) && !r->is_stuck) ||
	       !list_is_empty(&r->early) || !list_is_empty(&r->written) ||
	       !list_is_empty(&r->answered) || !list_is_empty(&r->errands);
}

static size_t on_poll(struct store *s)
{
	struct slow_store *r = slow_store_of(s);
	size_t count;

	write_some(r);
	if (!holds(r))
		r->inner->ops->poll(r->inner);
	count = response_some(r);
	return count ? count : is_busy(r);
}

static enum err on_get_meta(struct store *s, struct arena *mem, struct str key, struct str *ret,
                            struct error *e)
{
	struct slow_store *r = slow_store_of(s);

	if (r->is_shut)
		return fail(e, ERR_CLOSED, "the store is being closed");
	return r->inner->ops->get_meta(r->inner, mem, key, ret, e);
}

static enum err on_set_meta(struct store *s, struct str key, struct str value, struct error *e)
{
	struct slow_store *r = slow_store_of(s);

	if (r->is_shut)
		return fail(e, ERR_CLOSED, "the store is being closed");
	return r->inner->ops->set_meta(r->inner, key, value, e);
}

static enum err on_keep_meta(struct store *s, struct arena *mem, struct str key, struct str value,
                             struct str *ret, struct error *e)
{
	struct slow_store *r = slow_store_of(s);

	if (r->is_shut)
		return fail(e, ERR_CLOSED, "the store is being closed");
	return r->inner->ops->keep_meta(r->inner, mem, key, value, ret, e);
}

static enum err on_keep_blob(struct store *s, struct str ref, struct str media_type,
                             struct str data, struct error *e)
{
	struct slow_store *r = slow_store_of(s);

	if (r->is_shut)
		return fail(e, ERR_CLOSED, "the store is being closed");
	return r->inner->ops->keep_blob(r->inner, ref, media_type, data, e);
}

static enum err on_accounts(struct store *s, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e)
{
	struct slow_store *r = slow_store_of(s);

	return r->inner->ops->accounts(r->inner, mem, ret, ret_count, e);
}

static enum err on_pending_ops(struct store *s, struct arena *mem, struct pending_op **ret,
                               size_t *ret_count, struct error *e)
{
	struct slow_store *r = slow_store_of(s);

	return r->inner->ops->pending_ops(r->inner, mem, ret, ret_count, e);
}

static void on_stats(struct store *s, struct store_stats *ret)
{
	struct slow_store *r = slow_store_of(s);

	if (r->is_shut)
		*ret = (struct store_stats){ 0 };
	else
		r->inner->ops->stats(r->inner, ret);
	ret->waiting_bytes = r->held_bytes;
	if (r->is_stuck && !list_is_empty(&r->to_write))
		ret->oldest_waiting_ms = r->mono_ms(r->mono_arg) -
		                         LIST_ITEM(r->to_write.next, struct pass, node)->since_ms;
}

void slow_store_stick(struct store *s, bool is_stuck, int64_t (*mono_ms)(void *arg), void *arg)
{
	struct slow_store *r = slow_store_of(s);

	r->is_stuck = is_stuck;
	r->mono_ms = mono_ms;
	r->mono_arg = arg;
}

static void on_close(struct store *s)
{
	struct slow_store *r = slow_store_of(s);

	r->is_closing = true;
	r->is_stuck = false;
	write_some(r);
	r->inner->ops->close(r->inner);
	r->is_shut = true;
	while (response_some(r) || !list_is_empty(&r->to_write)) {
		/* What was handed over only now finds the door shut. */
		while (!list_is_empty(&r->to_write)) {
			struct pass *p = LIST_ITEM(r->to_write.next, struct pass, node);

			fail(&p->batch.error, ERR_CLOSED, "the store is being closed");
			for (struct slice *sl = p->batch.first; sl; sl = sl->next)
				sl->state = SLICE_FAILED;
			response_batch(p);
		}
	}
	self = NULL;
	memory_free(r);
}

static const struct store_ops ops = {
	.submit = on_submit,
	.read = on_read,
	.maintenance = on_maintenance,
	.poll = on_poll,
	.get_meta = on_get_meta,
	.set_meta = on_set_meta,
	.keep_meta = on_keep_meta,
	.keep_blob = on_keep_blob,
	.accounts = on_accounts,
	.pending_ops = on_pending_ops,
	.stats = on_stats,
	.close = on_close,
};

/* Positions continue after the last one that exists. */
static void find_position(struct slow_store *r);

struct store *slow_store_open(struct store *inner, const struct slow_store_options *o)
{
	struct slow_store *r = memory_zeroed(1, sizeof *r);

	assert(!self);
	r->port.ops = &ops;
	r->inner = inner;
	r->o = *o;
	r->rng = rng_of(o->seed, 79);
	list_init(&r->to_write);
	list_init(&r->written);
	list_init(&r->early);
	list_init(&r->asked);
	list_init(&r->answered);
	list_init(&r->errands);
	self = r;
	if (o->lie == SLOW_STORE_ACK_EARLY)
		find_position(r);
	return &r->port;
}

struct last {
	struct store_read read;
	uint64_t position;
	bool is_done, more;
};

static void on_page(struct store_read *read)
{
	struct last *l = OWNER_OF(read, struct last, read);

	l->is_done = true;
	l->more = read->more;
	l->position = read->scanned;
	port_store_read_done(read);
}

static void find_position(struct slow_store *r)
{
	struct last l = { .more = true };

	while (l.more) {
		l.is_done = false;
		l.read = (struct store_read){ .kind = READ_ALL,
			                      .after = l.position,
			                      .done = on_page };
		r->inner->ops->read(r->inner, &l.read);
		while (!l.is_done)
			r->inner->ops->poll(r->inner);
	}
	r->next_position = l.position + 1;
}
