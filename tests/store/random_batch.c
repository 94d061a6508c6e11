/* Random batches: everything that a slice can carry, right and wrong. */
#include "random.h"

static void plan_events(struct run *r, struct slice *sl, struct writer *w)
{
	size_t count = (size_t)(random_chance(r, 3) ? random_any(r, 60) : random_any(r, 5));
	size_t max = random_chance(r, 3) ? 9000 : 200;
	struct str *bodies = ARENA_ARRAY(r->c->mem, struct str, count + 1);

	for (size_t i = 0; i < count; i++) {
		bodies[i] = random_text(r, max);
		if (!str_is(bodies[i]))
			bodies[i] = STR("");
	}
	*sl = *contract_slice_of(r->c, w, bodies, count);
	if (count && random_chance(r, 70)) {
		sl->journal = ARENA_NEW(r->c->mem, struct journal_row);
		*sl->journal = (struct journal_row){ sl->events[0].seq, random_text(r, 10),
			                             random_pool(r, "given", 9) };
		sl->journal_count = 1;
	}
}

static void plan_rows(struct run *r, struct slice *sl)
{
	static const struct str status[] = { { "open", 4 }, { "spilled", 7 }, { "done", 4 } };

	sl->clears_rows = random_chance(r, 3);
	sl->row_count = (size_t)random_any(r, 4);
	sl->rows = ARENA_ARRAY(r->c->mem, struct index_row, sl->row_count + 1);
	for (size_t i = 0; i < sl->row_count; i++)
		sl->rows[i] = (struct index_row){
			.table = (enum index_table)random_any(r, INDEX_TABLES),
			.remove = random_chance(r, 15),
			.key = random_pool(r, "k", 30),
			.status = random_chance(r, 20) ? STR_NONE : status[random_any(r, 3)],
			.parent = random_chance(r, 40) ? STR_NONE : random_pool(r, "p", 3),
			.at = rng_range(&r->w->rng, -3, 8),
			.open = random_chance(r, 50),
			.body = random_word(r, random_chance(r, 5) ? 3000 : 30),
		};
}

static void plan_blobs(struct run *r, struct slice *sl)
{
	sl->blob_count = (size_t)random_any(r, 3);
	sl->blobs = ARENA_ARRAY(r->c->mem, struct blob_row, sl->blob_count + 1);
	for (size_t i = 0; i < sl->blob_count; i++)
		sl->blobs[i] = (struct blob_row){
			.ref = random_pool(r, "in_", 20),
			.media_type = random_word(r, 8),
			.data = random_text(r, 100),
			.is_again = random_chance(r, 20),
		};
}

static void plan_idem(struct run *r, struct slice *sl)
{
	for (uint64_t n = random_any(r, 3); n-- > 0;) {
		struct idem_row *row = ARENA_NEW(r->c->mem, struct idem_row);

		*row = (struct idem_row){
			.next = sl->idem,
			.key = sha256_of(random_pool(r, "idem", 25)),
			.body = sha256_of(random_pool(r, "body", 3)),
			.reply = random_word(r, 40),
			.seq = sl->prev_seq + 1,
			.at = rng_range(&r->w->rng, 0, 1000),
		};
		sl->idem = row;
	}
}

static void plan_moves(struct run *r, struct slice *sl)
{
	sl->move_count = (size_t)random_any(r, 3);
	sl->moves = ARENA_ARRAY(r->c->mem, struct ledger_move, sl->move_count + 1);
	for (size_t i = 0; i < sl->move_count; i++)
		sl->moves[i] = (struct ledger_move){ random_pool(r, "account", 5),
			                             rng_range(&r->w->rng, -50, 50),
			                             rng_range(&r->w->rng, -50, 50) };
}

/* The deletion of a session: the one that the world knows, or another head, or another session. */
static struct pending_op plan_deletion(struct run *r, uint64_t seq)
{
	size_t i;
	struct pending_op op = { .kind = MAINTENANCE_SWEEP,
		                 .seq = seq,
		                 .ref = random_any_session(r, &i) };

	op.last_seq = r->w->sessions[i].seq + (random_chance(r, 15) ? 1 : 0);
	op.last_hash = r->w->sessions[i].hash;
	return op;
}

static void plan_ops(struct run *r, struct slice *sl, uint64_t head)
{
	sl->pending_ops = ARENA_ARRAY(r->c->mem, struct pending_op, 2);
	if (random_chance(r, 15))
		sl->pending_ops[sl->pending_count++] = (struct pending_op){
			.kind = random_chance(r, 50) ? MAINTENANCE_CUT : MAINTENANCE_ERASE,
			.seq = random_any(r, head + 1),
			.ref = random_chance(r, 50) ? STR_NONE : random_pool(r, "in_", 20),
			.is_done = random_chance(r, 30),
		};
	if (sl->event_count && random_chance(r, 6))
		sl->pending_ops[sl->pending_count++] = plan_deletion(r, head);
}

static void plan_snapshot(struct run *r, struct slice *sl, uint64_t head)
{
	bool is_before = sl->prev_seq && random_chance(r, 30);

	if (!head || random_chance(r, 80))
		return;
	sl->snapshot = arena_keep(r->c->mem, random_pool(r, "state", 50));
	sl->snapshot_seq = is_before ? sl->prev_seq : head;
	sl->snapshot_version = random_pool(r, "v", 2);
}

static struct slice *plan_slice(struct run *r, size_t i, struct writer *w)
{
	struct slice *sl = ARENA_NEW(r->c->mem, struct slice);

	w->id = random_session_id(r, i, r->w->sessions[i].generation);
	if (random_chance(r, 3) && r->w->sessions[i].generation)
		w->id = random_session_id(r, i,
		                          (unsigned)random_any(r, r->w->sessions[i].generation));
	if (random_chance(r, 5))
		w->seq += 1 + random_any(r, 2);
	if (random_chance(r, 5))
		w->hash = sha256_of(STR("another"));
	plan_events(r, sl, w);
	plan_rows(r, sl);
	plan_blobs(r, sl);
	plan_idem(r, sl);
	plan_moves(r, sl);
	plan_ops(r, sl, w->seq);
	plan_snapshot(r, sl, w->seq);
	return sl;
}

/* The sessions of one batch differ; later batches continue what earlier ones may have written. */
static struct batch *plan_batch(struct run *r, struct writer ahead[SESSIONS])
{
	struct slice *first = NULL;
	size_t i = (size_t)random_any(r, SESSIONS), count = 1 + (size_t)random_any(r, 3);

	for (size_t n = 0; n < count; n++) {
		size_t at = (i + n) % SESSIONS;
		struct slice *sl = plan_slice(r, at, &ahead[at]);

		sl->next = first;
		first = sl;
	}
	return contract_batch(r->c, first);
}

static bool names(struct run *r, struct str id, size_t *ret)
{
	for (size_t i = 0; i < SESSIONS; i++)
		if (str_eq(id, random_session_id(r, i, r->w->sessions[i].generation))) {
			*ret = i;
			return true;
		}
	return false;
}

/* A slice that was committed moves its session, and may have deleted another. */
static void note_committed(struct run *r, const struct slice *sl)
{
	size_t i;

	if (names(r, sl->session, &i) && sl->event_count) {
		r->w->sessions[i].seq = sl->events[sl->event_count - 1].seq;
		r->w->sessions[i].hash = sl->events[sl->event_count - 1].hash;
	}
	for (size_t n = 0; n < sl->pending_count; n++)
		if (sl->pending_ops[n].kind == MAINTENANCE_SWEEP &&
		    names(r, sl->pending_ops[n].ref, &i)) {
			unsigned generation = r->w->sessions[i].generation;

			memset(&r->w->sessions[i], 0, sizeof r->w->sessions[i]);
			r->w->sessions[i].generation = generation + 1;
		}
}

static void put_batch(struct run *r, struct batch *b)
{
	random_put_int(r, "error", b->error.code);
	for (struct slice *sl = b->first; sl; sl = sl->next) {
		random_put_str(r, "session", sl->session);
		random_put_int(r, "state", sl->state);
		random_put_int(r, "position", (long long)sl->first_position);
		if (sl->state == SLICE_COMMITTED)
			note_committed(r, sl);
	}
	buf_add_c(r->out, "\n");
	contract_batch_done(b);
}

void random_step_batches(struct run *r)
{
	struct writer ahead[SESSIONS];
	struct batch *batches[3];
	size_t count = random_chance(r, 80) ? 1 : 3;

	for (size_t i = 0; i < SESSIONS; i++)
		ahead[i] = (struct writer){ .seq = r->w->sessions[i].seq,
			                    .hash = r->w->sessions[i].hash };
	for (size_t i = 0; i < count; i++)
		batches[i] = plan_batch(r, ahead);
	for (size_t i = 0; i < count; i++)
		contract_submit(r->c, batches[i]);
	contract_wait(r->c, count);
	buf_add_c(r->out, "batches\n");
	for (size_t i = 0; i < count; i++)
		put_batch(r, batches[i]);
}
