/*
 * The model of a store: the port, its queue and what batches write.
 */
#include "model_store_int.h"

#include "base/memory.h"

static struct model_store *self(struct store *base)
{
	return OWNER_OF(base, struct model_store, base);
}

/* ---- disk ---- */

struct model_disk *model_disk_new(void)
{
	struct model_disk *d = memory_zeroed(1, sizeof *d);

	d->mem = arena_new();
	return d;
}

void model_disk_free(struct model_disk *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->events.count; i++)
		bytes_unref(d->events.at[i].body);
	arena_free(d->mem);
	memory_free(d);
}

struct model_session *model_session_find(struct model_disk *d, struct str id)
{
	for (size_t i = 0; i < d->sessions.count; i++)
		if (str_eq(d->sessions.at[i].id, id))
			return &d->sessions.at[i];
	return NULL;
}

size_t model_session_index(const struct model_disk *d, const struct model_session *s)
{
	return (size_t)(s - d->sessions.at);
}

struct model_event *model_event_find(struct model_disk *d, size_t session, uint64_t seq)
{
	for (size_t i = 0; i < d->events.count; i++)
		if (d->events.at[i].session == session && d->events.at[i].seq == seq)
			return &d->events.at[i];
	return NULL;
}

bool model_is_removed(const struct model_disk *d, size_t session)
{
	return session != MODEL_NO_SESSION && d->sessions.at[session].is_removed;
}

/* ---- one slice ---- */

static bool has_head(const struct model_session *s, uint64_t seq, const struct sha256 *hash)
{
	static const struct sha256 none;

	return (s ? s->head_seq : 0) == seq && sha256_eq(s ? &s->head_hash : &none, hash);
}

/* Before anything of it is written. */
static bool slice_fits(struct model_disk *d, const struct slice *sl)
{
	struct model_session *s = model_session_find(d, sl->session);

	if ((s && s->is_removed) || !has_head(s, sl->prev_seq, &sl->prev_hash))
		return false;
	for (size_t i = 0; i < sl->pending_count; i++) {
		const struct pending_op *op = &sl->pending_ops[i];
		struct model_session *gone = model_session_find(d, op->ref);

		if (op->kind == MAINTENANCE_SWEEP &&
		    (!gone || gone == s || gone->is_removed ||
		     !has_head(gone, op->last_seq, &op->last_hash)))
			return false;
	}
	return true;
}

static struct model_session *session_of(struct model_disk *d, const struct slice *sl)
{
	struct model_session *s = model_session_find(d, sl->session);

	if (s)
		return s;
	MODEL_ADD(d->mem, &d->sessions,
	          (struct model_session){ .id = arena_keep(d->mem, sl->session) });
	return &d->sessions.at[d->sessions.count - 1];
}

static void write_events(struct model_disk *d, struct slice *sl, struct model_session *s)
{
	sl->first_position = sl->event_count ? d->last_position + 1 : 0;
	for (size_t i = 0; i < sl->event_count; i++) {
		const struct store_event *ev = &sl->events[i];

		MODEL_ADD(d->mem, &d->events,
		          (struct model_event){ .session = model_session_index(d, s),
		                                .position = ++d->last_position,
		                                .seq = ev->seq,
		                                .type = ev->type,
		                                .hash = ev->hash,
		                                .body = bytes_ref(ev->body) });
		s->head_seq = ev->seq;
		s->head_hash = ev->hash;
	}
	for (size_t i = 0; i < sl->journal_count; i++)
		MODEL_ADD(d->mem, &d->journal,
		          (struct model_record){
				  model_session_index(d, s),
				  { .seq = sl->journal[i].seq,
		                    .key = arena_keep(d->mem, sl->journal[i].key),
		                    .body = arena_keep(d->mem, sl->journal[i].body) } });
}

static void write_row(struct model_disk *d, size_t session, const struct index_row *row)
{
	struct model_row kept = { session, *row };

	for (size_t i = 0; i < d->rows.count; i++)
		if (d->rows.at[i].row.table == row->table &&
		    str_eq(d->rows.at[i].row.key, row->key)) {
			MODEL_DROP(&d->rows, i);
			break;
		}
	if (row->remove)
		return;
	kept.row.key = arena_keep(d->mem, row->key);
	kept.row.status = arena_keep(d->mem, row->status);
	kept.row.parent = arena_keep(d->mem, row->parent);
	kept.row.body = arena_keep(d->mem, row->body);
	MODEL_ADD(d->mem, &d->rows, kept);
}

static void write_rows(struct model_disk *d, const struct slice *sl, size_t session)
{
	for (size_t i = d->rows.count; sl->clears_rows && i-- > 0;)
		if (d->rows.at[i].session == session)
			MODEL_DROP(&d->rows, i);
	for (size_t i = 0; i < sl->row_count; i++)
		write_row(d, session, &sl->rows[i]);
}

static struct model_blob *blob_find(struct model_disk *d, struct str ref)
{
	for (size_t i = 0; i < d->blobs.count; i++)
		if (str_eq(d->blobs.at[i].row.ref, ref))
			return &d->blobs.at[i];
	return NULL;
}

/* What is there stays, unless only a deleted session has it. */
static void write_blob(struct model_disk *d, const struct blob_row *row, size_t session,
                       uint64_t seq)
{
	struct model_blob *found = blob_find(d, row->ref);
	struct model_blob kept = { session, seq, *row };

	if (row->is_again) {
		if (found && found->session == session)
			found->seq = seq;
		return;
	}
	if (found && !model_is_removed(d, found->session))
		return;
	kept.row.ref = arena_keep(d->mem, row->ref);
	kept.row.media_type = arena_keep(d->mem, row->media_type);
	kept.row.data = arena_keep(d->mem, str_is(row->data) ? row->data : STR(""));
	if (found)
		*found = kept;
	else
		MODEL_ADD(d->mem, &d->blobs, kept);
}

static void write_idem(struct model_store *m, const struct idem_row *row, size_t session)
{
	struct model_disk *d = m->disk;
	struct model_idem kept = { session, *row, m->incarnation };

	kept.row.reply = arena_keep(d->mem, str_is(row->reply) ? row->reply : STR(""));
	for (size_t i = 0; i < d->idem.count; i++)
		if (sha256_eq(&d->idem.at[i].row.key, &row->key)) {
			d->idem.at[i] = kept;
			return;
		}
	MODEL_ADD(d->mem, &d->idem, kept);
}

static void write_snapshot(struct model_disk *d, const struct slice *sl, struct model_session *s)
{
	struct model_event *ev = model_event_find(d, model_session_index(d, s), sl->snapshot_seq);

	if (!str_is(sl->snapshot) || (!ev && sl->snapshot_seq != s->floor_seq))
		return;
	s->snapshot = arena_keep(d->mem, sl->snapshot);
	s->snapshot_version = arena_keep(d->mem, sl->snapshot_version);
	s->snapshot_seq = sl->snapshot_seq;
	s->snapshot_hash = ev ? ev->hash : s->floor_hash;
}

static void write_move(struct model_disk *d, const struct ledger_move *m, uint64_t node)
{
	struct model_account fresh = { { arena_keep(d->mem, m->account), m->spent, m->reserved },
		                       node };

	for (size_t i = 0; i < d->accounts.count; i++)
		if (d->accounts.at[i].node == node &&
		    str_eq(d->accounts.at[i].sum.account, m->account)) {
			d->accounts.at[i].sum.spent += m->spent;
			d->accounts.at[i].sum.reserved += m->reserved;
			return;
		}
	MODEL_ADD(d->mem, &d->accounts, fresh);
}

static void write_pending(struct model_disk *d, const struct pending_op *op, size_t session)
{
	struct model_pending kept = { session, *op };

	for (size_t i = 0; i < d->pending.count; i++) {
		const struct model_pending *p = &d->pending.at[i];

		if (p->session == session && p->op.kind == op->kind && p->op.seq == op->seq) {
			MODEL_DROP(&d->pending, i);
			break;
		}
	}
	if (op->is_done)
		return;
	kept.op.ref = arena_keep(d->mem, op->ref);
	MODEL_ADD(d->mem, &d->pending, kept);
}

static void write_ops(struct model_disk *d, const struct slice *sl, size_t session)
{
	for (size_t i = 0; i < sl->pending_count; i++) {
		const struct pending_op *op = &sl->pending_ops[i];

		if (op->kind == MAINTENANCE_SWEEP)
			model_remove(d, model_session_find(d, op->ref), op->seq);
		else
			write_pending(d, op, session);
	}
}

/* Sessions that the slice deletes are another living node's. */
static bool removes_foreign(const struct model_store *m, const struct slice *sl)
{
	for (size_t i = 0; i < sl->pending_count; i++)
		if (sl->pending_ops[i].kind == MAINTENANCE_SWEEP &&
		    !model_nodes_may_write(m, model_session_find(m->disk, sl->pending_ops[i].ref)))
			return true;
	return false;
}

static void write_slice(struct model_store *m, struct slice *sl)
{
	struct model_disk *d = m->disk;
	struct model_session *s = model_session_find(d, sl->session);
	size_t no;

	if (!model_nodes_may_write(m, s) ||
	    (model_nodes_is_newer(m, s) && has_head(s, sl->prev_seq, &sl->prev_hash))) {
		sl->state = SLICE_FENCED;
		return;
	}
	if (!slice_fits(d, sl) || removes_foreign(m, sl) || model_nodes_took_key(m, sl)) {
		sl->state = SLICE_CONFLICT;
		return;
	}
	s = session_of(d, sl);
	s->owner = m->incarnation;
	s->needs_rev = MAX(s->needs_rev, sl->needs_rev);
	no = model_session_index(d, s);
	write_events(d, sl, s);
	for (size_t i = 0; i < sl->blob_count; i++)
		write_blob(d, &sl->blobs[i], no, s->head_seq);
	for (const struct idem_row *i = sl->idem; i; i = i->next)
		write_idem(m, i, no);
	write_snapshot(d, sl, s);
	for (size_t i = 0; i < sl->move_count; i++)
		write_move(d, &sl->moves[i], m->incarnation);
	write_rows(d, sl, no);
	write_ops(d, sl, no);
	sl->state = SLICE_COMMITTED;
	model_nodes_wrote(m, sl);
}

/* ---- requests ---- */

static void write_batch(struct model_store *m, struct batch *b)
{
	bool is_any = false;

	b->error = (struct error){ 0 };
	for (struct slice *sl = b->first; sl; sl = sl->next) {
		write_slice(m, sl);
		if (sl->state != SLICE_COMMITTED)
			continue;
		is_any = true;
		for (size_t i = 0; i < sl->event_count; i++)
			m->stats.bytes += sl->events[i].body->len;
	}
	m->stats.commits += is_any;
}

static void read_one(struct model_store *m, struct store_read *r)
{
	model_read(m->disk, r);
	if (r->kind != READ_SNAPSHOT ||
	    !model_nodes_is_newer(m, model_session_find(m->disk, r->session)))
		return;
	r->result = fail(&r->error, ERR_STORE, "the session needs a higher revision");
	r->error.detail = STORE_NEWER;
}

static void job_work(struct model_store *m, struct model_job *job)
{
	if (job->kind == MODEL_BATCH)
		write_batch(m, job->batch);
	else if (job->kind == MODEL_READ)
		read_one(m, job->read);
	else if (job->kind == MODEL_CLAIM)
		model_nodes_claim(m, job->claim);
	else if (job->kind == MODEL_NODES)
		model_nodes_list(m, job->nodes);
	else if (job->kind == MODEL_ALLOT)
		model_nodes_allot(m, job->allotment);
	else
		model_maintenance(m->disk, job->maintenance);
	if (job->kind == MODEL_MAINTENANCE && job->maintenance->kind == MAINTENANCE_PACK)
		m->stats.packed += job->maintenance->count;
}

/* A store that another node found dead has ended. */
static void job_refuse(const struct model_store *m, struct model_job *job)
{
	struct error e;

	if (m->is_taken)
		fail(&e, ERR_IO, "another node found this one dead");
	else
		fail(&e, ERR_CLOSED, "the store is being closed");
	e.detail = m->is_taken ? STORE_TAKEN : STORE_LIVES;
	if (job->kind == MODEL_CLAIM) {
		job->claim->result = ERR_UNAVAILABLE;
		job->claim->error = e;
	} else if (job->kind == MODEL_NODES) {
		job->nodes->result = ERR_UNAVAILABLE;
		job->nodes->error = e;
	} else if (job->kind == MODEL_ALLOT) {
		job->allotment->result = ERR_UNAVAILABLE;
		job->allotment->error = e;
	} else if (job->kind == MODEL_READ) {
		job->read->result = e.code;
		job->read->error = e;
	} else if (job->kind == MODEL_MAINTENANCE) {
		job->maintenance->result = e.code;
		job->maintenance->error = e;
	} else {
		job->batch->error = e;
		for (struct slice *sl = job->batch->first; sl; sl = sl->next)
			sl->state = SLICE_FAILED;
	}
}

static void job_answer(struct model_job job)
{
	if (job.kind == MODEL_BATCH)
		job.batch->done(job.batch);
	else if (job.kind == MODEL_READ)
		job.read->done(job.read);
	else if (job.kind == MODEL_CLAIM)
		job.claim->done(job.claim);
	else if (job.kind == MODEL_NODES)
		job.nodes->done(job.nodes);
	else if (job.kind == MODEL_ALLOT)
		job.allotment->done(job.allotment);
	else
		job.maintenance->done(job.maintenance);
}

/* What callbacks submit is for the next call. */
static size_t jobs_do(struct model_store *m, bool refuses)
{
	struct model_job *job = m->first, *next;
	size_t count = 0;

	m->first = NULL;
	m->last = &m->first;
	for (; job; job = next, count++) {
		struct model_job done = *job;

		next = job->next;
		memory_free(job);
		if (refuses || m->is_taken)
			job_refuse(m, &done);
		else
			job_work(m, &done);
		m->stats.waiting_bytes -= done.bytes;
		job_answer(done);
	}
	return count;
}

void model_job_add(struct model_store *m, struct model_job job)
{
	struct model_job *kept = memory_zeroed(1, sizeof *kept);

	*kept = job;
	*m->last = kept;
	m->last = &kept->next;
	m->stats.waiting_bytes += job.bytes;
	if (m->wake)
		m->wake(m->wake_arg);
}

/* ---- the port ---- */

static void model_submit(struct store *base, struct batch *b)
{
	struct model_job job = { .kind = MODEL_BATCH, .batch = b };

	for (struct slice *sl = b->first; sl; sl = sl->next) {
		sl->state = SLICE_WAITING;
		for (size_t i = 0; i < sl->event_count; i++)
			job.bytes += sl->events[i].body->len;
	}
	model_job_add(self(base), job);
}

static void model_ask(struct store *base, struct store_read *r)
{
	model_job_add(self(base), (struct model_job){ .kind = MODEL_READ, .read = r });
}

static void model_maintain(struct store *base, struct store_maintenance *u)
{
	model_job_add(self(base),
	              (struct model_job){ .kind = MODEL_MAINTENANCE, .maintenance = u });
}

static size_t model_poll(struct store *base)
{
	size_t count = self(base)->incarnation ? model_nodes_poll(self(base)) : 0;

	return count + jobs_do(self(base), false);
}

static enum err model_get_meta(struct store *base, struct arena *mem, struct str key,
                               struct str *ret, struct error *e)
{
	struct model_disk *d = self(base)->disk;

	for (size_t i = 0; i < d->meta.count; i++)
		if (str_eq(d->meta.at[i].key, key)) {
			*ret = arena_keep(mem, d->meta.at[i].value);
			return OK;
		}
	return fail(e, ERR_NOT_FOUND, "there is no such value");
}

static enum err model_set_meta(struct store *base, struct str key, struct str value,
                               struct error *e)
{
	struct model_store *m = self(base);
	struct model_disk *d = m->disk;
	struct model_meta kept;

	if (!str_is(key) || !str_is(value))
		return fail(e, ERR_INVALID, "a key and a value are needed");
	if (m->incarnation && d->nodes.at[m->incarnation - 1].state != STORE_NODE_LIVES)
		return fail(e, ERR_UNAVAILABLE, "another node found this one dead");
	kept = (struct model_meta){ arena_keep(d->mem, key), arena_keep(d->mem, value) };
	for (size_t i = 0; i < d->meta.count; i++)
		if (str_eq(d->meta.at[i].key, key)) {
			d->meta.at[i] = kept;
			return OK;
		}
	MODEL_ADD(d->mem, &d->meta, kept);
	return OK;
}

static enum err model_keep_meta(struct store *base, struct arena *mem, struct str key,
                                struct str value, struct str *ret, struct error *e)
{
	enum err err = model_get_meta(base, mem, key, ret, e);

	if (err != ERR_NOT_FOUND)
		return err;
	err = model_set_meta(base, key, value, e);
	return err == OK ? model_get_meta(base, mem, key, ret, e) : err;
}

static enum err model_keep_blob(struct store *base, struct str ref, struct str media_type,
                                struct str data, struct error *e)
{
	if (!str_is(ref))
		return fail(e, ERR_INVALID, "a ref is needed");
	write_blob(self(base)->disk,
	           &(struct blob_row){ .ref = ref, .media_type = media_type, .data = data },
	           MODEL_NO_SESSION, 0);
	return OK;
}

static enum err model_accounts(struct store *base, struct arena *mem, struct ledger_move **ret,
                               size_t *ret_count, struct error *e)
{
	struct model_disk *d = self(base)->disk;

	(void)e;
	*ret = ARENA_ARRAY(mem, struct ledger_move, d->accounts.count + 1);
	*ret_count = 0;
	for (size_t i = 0; i < d->accounts.count; i++) {
		const struct ledger_move *sum = &d->accounts.at[i].sum;
		size_t k = 0;

		while (k < *ret_count && !str_eq((*ret)[k].account, sum->account))
			k++;
		if (k == *ret_count)
			(*ret)[(*ret_count)++].account = arena_keep(mem, sum->account);
		(*ret)[k].spent += sum->spent;
		(*ret)[k].reserved += sum->reserved;
	}
	return OK;
}

static enum err model_pending_ops(struct store *base, struct arena *mem, struct pending_op **ret,
                                  size_t *ret_count, struct error *e)
{
	struct model_disk *d = self(base)->disk;

	(void)e;
	*ret = ARENA_ARRAY(mem, struct pending_op, d->pending.count + 1);
	*ret_count = d->pending.count;
	for (size_t i = 0; i < d->pending.count; i++) {
		const struct model_pending *p = &d->pending.at[i];

		(*ret)[i] = (struct pending_op){
			.session = arena_keep(mem, d->sessions.at[p->session].id),
			.kind = p->op.kind,
			.seq = p->op.seq,
			.ref = arena_keep(mem, p->op.ref),
		};
	}
	return OK;
}

static void model_stats(struct store *base, struct store_stats *ret)
{
	struct model_store *m = self(base);
	struct model_disk *d = m->disk;

	*ret = m->stats;
	ret->last_position = d->last_position;
	for (size_t i = 0; i < d->meta.count; i++)
		if (str_eq(d->meta.at[i].key, STR("rebuild")))
			ret->needs_rebuild = str_eq(d->meta.at[i].value, STR("1"));
	for (size_t i = 0; i < d->sessions.count; i++) {
		const struct model_session *s = &d->sessions.at[i];

		ret->sessions += !s->is_removed;
		ret->events += s->is_removed ? 0 : s->head_seq - s->floor_seq;
	}
}

/* Requests that callbacks make meanwhile are refused; then there are no more. */
static void model_close(struct store *base)
{
	struct model_store *m = self(base);

	jobs_do(m, m->is_taken);
	while (jobs_do(m, true))
		;
	model_nodes_leave(m);
	arena_free(m->mem);
	memory_free(m);
}

static const struct store_ops ops = {
	.submit = model_submit,
	.read = model_ask,
	.maintenance = model_maintain,
	.poll = model_poll,
	.get_meta = model_get_meta,
	.set_meta = model_set_meta,
	.keep_meta = model_keep_meta,
	.keep_blob = model_keep_blob,
	.accounts = model_accounts,
	.pending_ops = model_pending_ops,
	.stats = model_stats,
	.close = model_close,
};

struct store *model_store_open(struct model_disk *d, void (*wake)(void *arg), void *wake_arg)
{
	struct model_store *m = memory_zeroed(1, sizeof *m);

	m->base.ops = &ops;
	m->disk = d;
	m->wake = wake;
	m->wake_arg = wake_arg;
	m->last = &m->first;
	return &m->base;
}

struct store *model_store_open_node(struct model_disk *d, const struct model_node_options *o,
                                    void (*wake)(void *arg), void *wake_arg)
{
	struct store *base = model_store_open(d, wake, wake_arg);
	struct model_store *m = self(base);

	base->nodes = &model_nodes_ops;
	m->mem = arena_new();
	m->node = *o;
	model_nodes_join(m);
	return base;
}

void model_store_kill(struct store *base)
{
	self(base)->is_taken = true;
}

void model_store_mute(struct store *base, bool is_mute)
{
	self(base)->is_mute = is_mute;
}
