/* Random reads of every kind. */
#include "random.h"

/* ---- replies as text ---- */

static void put_event(struct run *r, const struct event_row *ev)
{
	random_put_int(r, "position", (long long)ev->position);
	random_put_int(r, "seq", (long long)ev->seq);
	random_put_int(r, "type", ev->type);
	random_put_hash(r, "hash", &ev->hash);
	random_put_str(r, "session", ev->session);
	random_put_str(r, "body", bytes_str(ev->body));
	if (ev->is_erased)
		random_put_hash(r, "digest", &ev->digest);
	buf_add_c(r->out, "\n");
}

static void put_row(struct run *r, const struct index_found *row)
{
	random_put_str(r, "key", row->key);
	random_put_str(r, "session", row->session);
	random_put_str(r, "status", row->status);
	random_put_str(r, "parent", row->parent);
	random_put_str(r, "body", row->body);
	random_put_int(r, "at", row->at);
	random_put_int(r, "open", row->open);
	buf_add_c(r->out, "\n");
}

static void put_removed(struct run *r, const struct store_read *q)
{
	random_put_int(r, "removed", q->is_removed);
	random_put_int(r, "by", (long long)q->removed_by);
	random_put_int(r, "removedSeq", (long long)q->removed_seq);
	random_put_hash(r, "removedHash", &q->removed_hash);
}

static void put_floor(struct run *r, const struct store_read *q)
{
	random_put_int(r, "floor", (long long)q->floor_seq);
	random_put_hash(r, "floorHash", &q->floor_hash);
	random_put_str(r, "floorRef", q->floor_ref);
}

static void put_head(struct run *r, const struct store_read *q)
{
	random_put_int(r, "head", (long long)q->head_seq);
	random_put_hash(r, "headHash", &q->head_hash);
	put_floor(r, q);
	put_removed(r, q);
}

static void put_events(struct run *r, const struct store_read *q)
{
	for (size_t i = 0; i < q->event_count; i++)
		put_event(r, &q->events[i]);
}

static void put_rows(struct run *r, const struct store_read *q)
{
	for (size_t i = 0; i < q->row_count; i++)
		put_row(r, &q->rows[i]);
}

static void put_idem(struct run *r, const struct store_read *q)
{
	random_put_hash(r, "key", &q->idem.key);
	random_put_hash(r, "body", &q->idem.body);
	random_put_str(r, "reply", q->idem.reply);
	random_put_int(r, "seq", (long long)q->idem.seq);
	random_put_int(r, "at", q->idem.at);
	random_put_str(r, "session", q->idem_session);
}

static void put_blob(struct run *r, const struct store_read *q)
{
	random_put_str(r, "ref", q->blob.ref);
	random_put_str(r, "media", q->blob.media_type);
	random_put_str(r, "data", q->blob.data);
	random_put_str(r, "session", q->blob_session);
}

static void put_snapshot(struct run *r, const struct store_read *q)
{
	random_put_str(r, "snapshot", q->snapshot);
	random_put_int(r, "seq", (long long)q->snapshot_seq);
	random_put_hash(r, "hash", &q->snapshot_hash);
	put_floor(r, q);
	put_removed(r, q);
}

/* ---- reads ---- */

static const uint64_t *any_types(struct run *r)
{
	uint64_t *types = ARENA_ARRAY(r->c->mem, uint64_t, 4);

	if (random_chance(r, 60))
		return NULL;
	types[0] = random_any(r, 128);
	return types;
}

static void plan_page(struct run *r, struct store_read *q)
{
	q->max_rows = random_chance(r, 50) ? 0 : (uint32_t)random_any(r, 300);
	q->max_bytes = random_chance(r, 50) ? 0 : (uint32_t)random_any(r, 3000);
}

static void read_events(struct run *r)
{
	struct store_read q = { .kind = READ_EVENTS };
	size_t i;

	plan_page(r, &q);
	q.session = random_any_session(r, &i);
	q.after = random_chance(r, 40) ? 0 : random_any(r, r->w->sessions[i].seq + 3);
	q.until = random_chance(r, 60) ? 0 : random_any(r, r->w->sessions[i].seq + 3);
	q.types = any_types(r);
	q.takes_gaps = random_chance(r, 50);
	contract_read(r->c, &q);
	random_put_int(r, "result", q.result);
	random_put_int(r, "more", q.more);
	random_put_int(r, "scanned", (long long)q.scanned);
	random_put_int(r, "corrupt", q.is_corrupt);
	put_head(r, &q);
	buf_add_c(r->out, "\n");
	put_events(r, &q);
	port_store_read_done(&q);
}

/* To its end: where a page ends is the store's choice. */
static void read_all(struct run *r)
{
	struct store_read q = { .kind = READ_ALL };
	struct store_stats st = contract_stats(r->c);
	bool more = true;

	q.max_rows = random_chance(r, 50) ? 0 : 20 + (uint32_t)random_any(r, 300);
	q.max_bytes = random_chance(r, 50) ? 0 : 3000 + (uint32_t)random_any(r, 30000);
	q.after = st.last_position + 1;
	q.after -= MIN(q.after, random_chance(r, 10) ? q.after : random_any(r, 500));
	q.types = any_types(r);
	while (more) {
		contract_read(r->c, &q);
		put_events(r, &q);
		CHECK_INT(q.result, OK);
		CHECK(!q.is_corrupt && q.event_count <= 256);
		CHECK(!q.max_rows || q.event_count <= q.max_rows);
		CHECK(!q.more || q.scanned > q.after);
		more = q.more;
		q.after = q.scanned;
		port_store_read_done(&q);
	}
}

static void read_head(struct run *r)
{
	size_t i;
	struct store_read q = { .kind = READ_HEAD, .session = random_any_session(r, &i) };

	contract_read(r->c, &q);
	random_put_int(r, "result", q.result);
	put_head(r, &q);
	port_store_read_done(&q);
}

static void read_snapshot(struct run *r)
{
	size_t i;
	struct store_read q = { .kind = READ_SNAPSHOT, .session = random_any_session(r, &i) };

	q.snapshot_version = random_pool(r, "v", 2);
	contract_read(r->c, &q);
	random_put_int(r, "result", q.result);
	put_snapshot(r, &q);
	port_store_read_done(&q);
}

static void plan_filters(struct run *r, struct store_read *q)
{
	static const struct str status[] = { { "open", 4 }, { "spilled", 7 }, { "none", 4 } };
	size_t i;

	if (random_chance(r, 30))
		q->session = random_any_session(r, &i);
	if (random_chance(r, 30))
		q->status = status[random_any(r, 3)];
	if (random_chance(r, 30))
		q->parent = random_pool(r, "p", 4);
	if (q->table != INDEX_USAGE && random_chance(r, 20))
		q->reach = random_chance(r, 50) ? STR("sess_a") : STR("sess_b1");
	if (random_chance(r, 30)) {
		q->from_key = random_pool(r, "k", 31);
		q->from_at = rng_range(&r->w->rng, -4, 9);
	}
	q->open_only = random_chance(r, 30);
	q->at_most = random_chance(r, 60) ? 0 : rng_range(&r->w->rng, -4, 9);
}

static void read_index(struct run *r)
{
	struct store_read q = { .kind = READ_INDEX,
		                .table = (enum index_table)random_any(r, INDEX_TABLES) };

	plan_page(r, &q);
	q.max_rows = random_chance(r, 50) ? 0 : (uint32_t)random_any(r, 6);
	if (random_chance(r, 20))
		q.key = random_pool(r, "k", 31);
	plan_filters(r, &q);
	q.newest_first = random_chance(r, 50);
	q.without_body = random_chance(r, 30);
	contract_read(r->c, &q);
	random_put_int(r, "result", q.result);
	random_put_int(r, "more", q.more);
	buf_add_c(r->out, "\n");
	put_rows(r, &q);
	port_store_read_done(&q);
}

static void read_idem(struct run *r)
{
	struct store_read q = { .kind = READ_IDEM,
		                .idem_key = sha256_of(random_pool(r, "idem", 26)) };

	contract_read(r->c, &q);
	random_put_int(r, "result", q.result);
	put_idem(r, &q);
	port_store_read_done(&q);
}

static void read_blob(struct run *r)
{
	struct store_read q = { .kind = READ_BLOB };

	q.key = random_chance(r, 80) ? random_pool(r, "in_", 21) : random_pool(r, "shared", 4);
	contract_read(r->c, &q);
	random_put_int(r, "result", q.result);
	put_blob(r, &q);
	port_store_read_done(&q);
}

static void read_journal(struct run *r)
{
	struct store_read q = { .kind = READ_JOURNAL };
	size_t i;
	bool more = true;

	q.session = random_any_session(r, &i);
	q.after = random_chance(r, 50) ? 0 : random_any(r, r->w->sessions[i].seq + 1);
	q.until = random_chance(r, 60) ? 0 : random_any(r, r->w->sessions[i].seq + 3);
	while (more) {
		contract_read(r->c, &q);
		for (size_t n = 0; n < q.journal_count && !r->w->sessions[i].is_uncertain; n++) {
			random_put_int(r, "seq", (long long)q.journal[n].seq);
			random_put_str(r, "key", q.journal[n].key);
			random_put_str(r, "body", q.journal[n].body);
		}
		if (!q.more)
			random_put_int(r, "result", q.result);
		CHECK(!q.more || q.scanned > q.after);
		more = q.more;
		q.after = q.scanned;
		port_store_read_done(&q);
	}
}

static void walk_sessions(struct run *r, enum read_kind kind)
{
	struct store_read q = { .kind = kind, .max_rows = (uint32_t)random_any(r, 4) };
	bool more = true;

	while (more) {
		contract_read(r->c, &q);
		CHECK_INT(q.result, OK);
		put_rows(r, &q);
		CHECK(!q.more || q.scanned > q.after);
		more = q.more;
		q.after = q.scanned;
		port_store_read_done(&q);
	}
}

static void read_sessions(struct run *r)
{
	walk_sessions(r, READ_SESSIONS);
}

/* A store may leave events unpacked. */
static void read_loose(struct run *r)
{
	r->is_subset = true;
	walk_sessions(r, READ_LOOSE);
}

void random_step_read(struct run *r)
{
	static const struct {
		const char *name;
		void (*read)(struct run *r);
	} reads[] = {
		{ "events", read_events },     { "events", read_events },
		{ "all", read_all },           { "head", read_head },
		{ "snapshot", read_snapshot }, { "index", read_index },
		{ "index", read_index },       { "index", read_index },
		{ "idem", read_idem },         { "blob", read_blob },
		{ "blob", read_blob },         { "journal", read_journal },
		{ "sessions", read_sessions }, { "loose", read_loose },
	};
	size_t i = (size_t)random_any(r, COUNT_OF(reads));

	buf_printf(r->out, "read %s\n", reads[i].name);
	reads[i].read(r);
}
