/* Random maintenance, and the synchronous calls. */
#include "random.h"

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* All steps; each names the outputs that the step before found. */
static void step_sweep(struct run *r)
{
	struct store_maintenance u = { .kind = MAINTENANCE_SWEEP,
		                       .keeps_ids = random_chance(r, 30) };
	struct str *all = ARENA_ARRAY(r->c->mem, struct str, 4096), *refs = all;
	size_t count = 0;

	do {
		contract_step(r->c, &u);
		CHECK_INT(u.result, OK);
		refs = &all[count];
		CHECK(count + u.found_count <= 4096);
		for (size_t i = 0; i < u.found_count; i++)
			all[count++] = arena_keep(r->c->mem, u.found[i]);
		arena_free(u.mem);
		u.refs = refs;
		u.ref_count = u.found_count;
	} while (u.more);
	qsort(all, count, sizeof *all, by_text);
	for (size_t i = 0; i < count; i++)
		random_put_str(r, "output", all[i]);
}

static struct str *any_refs(struct run *r, size_t *ret_count)
{
	struct str *refs = ARENA_ARRAY(r->c->mem, struct str, 3);

	*ret_count = (size_t)random_any(r, 3);
	for (size_t i = 0; i < *ret_count; i++)
		refs[i] = random_pool(r, "in_", 20);
	return refs;
}

static void step_session_maintenance(struct run *r, enum maintenance_kind kind)
{
	struct store_maintenance u = { .kind = kind };
	size_t i;
	uint64_t count;

	u.session = random_any_session(r, &i);
	u.seq = random_any(r, r->w->sessions[i].seq + 3);
	if (kind == MAINTENANCE_PACK && random_chance(r, 60))
		u.seq = r->w->sessions[i].seq;
	if (kind == MAINTENANCE_ERASE && random_chance(r, 60)) /* some are erased already */
		u.seq = r->w->sessions[i].seq / 8 * 8;
	u.ref = random_chance(r, 30) ? STR_NONE : random_pool(r, "in_", 20);
	u.body = random_text(r, 20);
	if (kind == MAINTENANCE_ERASE)
		u.refs = any_refs(r, &u.ref_count);
	count = contract_maintain(r->c, &u);
	random_put_int(r, "kind", kind);
	random_put_str(r, "session", u.session);
	random_put_int(r, "result", u.result);
	if (kind != MAINTENANCE_PACK)
		random_put_int(r, "count", (long long)count);
	r->w->sessions[i].is_packed |= kind == MAINTENANCE_PACK;
	r->w->sessions[i].is_uncertain |= kind == MAINTENANCE_ERASE && r->w->sessions[i].is_packed;
}

static void step_purge(struct run *r)
{
	struct store_maintenance u = { .kind = MAINTENANCE_PURGE,
		                       .before = (int64_t)random_any(r, 900) };

	random_put_int(r, "purged", (long long)contract_maintain(r->c, &u));
	random_put_int(r, "result", u.result);
}

void random_step_maintenance(struct run *r)
{
	buf_add_c(r->out, "maintenance");
	switch (random_any(r, 8)) {
	case 0:
	case 1:
	case 2:
		step_session_maintenance(r, MAINTENANCE_PACK);
		break;
	case 3:
		step_session_maintenance(r, MAINTENANCE_CUT);
		break;
	case 4:
	case 5:
		step_session_maintenance(r, MAINTENANCE_ERASE);
		break;
	case 6:
		step_purge(r);
		break;
	default:
		step_sweep(r);
	}
}

/* ---- what is synchronous ---- */

static int by_account(const void *a, const void *b)
{
	return str_cmp(((const struct ledger_move *)a)->account,
	               ((const struct ledger_move *)b)->account);
}

static void step_accounts(struct run *r)
{
	struct ledger_move *moves = NULL;
	size_t count = 0;
	struct error e;

	CHECK_OK(r->c->store->ops->accounts(r->c->store, r->c->mem, &moves, &count, &e), &e);
	if (count)
		qsort(moves, count, sizeof *moves, by_account);
	for (size_t i = 0; i < count; i++) {
		random_put_str(r, "account", moves[i].account);
		random_put_int(r, "spent", moves[i].spent);
		random_put_int(r, "reserved", moves[i].reserved);
	}
}

static int by_op(const void *a, const void *b)
{
	const struct pending_op *x = a, *y = b;
	int order = str_cmp(x->session, y->session);

	if (!order && x->kind != y->kind)
		order = x->kind < y->kind ? -1 : 1;
	return order ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

static void step_pending(struct run *r)
{
	struct pending_op *ops = NULL;
	size_t count = 0;
	struct error e;

	CHECK_OK(r->c->store->ops->pending_ops(r->c->store, r->c->mem, &ops, &count, &e), &e);
	if (count)
		qsort(ops, count, sizeof *ops, by_op);
	for (size_t i = 0; i < count; i++) {
		random_put_str(r, "session", ops[i].session);
		random_put_int(r, "kind", ops[i].kind);
		random_put_int(r, "seq", (long long)ops[i].seq);
		random_put_str(r, "ref", ops[i].ref);
	}
}

static void step_meta(struct run *r)
{
	struct str key = random_pool(r, "key", 4), value = STR_NONE;
	struct error e;

	if (random_chance(r, 50))
		CHECK_OK(r->c->store->ops->set_meta(r->c->store, key, random_pool(r, "value", 9),
		                                    &e),
		         &e);
	random_put_int(r, "result",
	               r->c->store->ops->get_meta(r->c->store, r->c->mem, key, &value, &e));
	random_put_str(r, "value", value);
}

static void step_keep_blob(struct run *r)
{
	struct error e;

	random_put_int(r, "kept",
	               r->c->store->ops->keep_blob(r->c->store, random_pool(r, "shared", 3),
	                                           random_word(r, 5), random_text(r, 30), &e));
}

static void step_stats(struct run *r)
{
	struct store_stats st = contract_stats(r->c);

	random_put_int(r, "events", (long long)st.events);
	random_put_int(r, "sessions", (long long)st.sessions);
	random_put_int(r, "last", (long long)st.last_position);
	random_put_int(r, "waiting", (long long)st.waiting_bytes);
	random_put_int(r, "oldest", st.oldest_waiting_ms);
	random_put_int(r, "bytes", (long long)st.bytes);
	random_put_int(r, "low", st.is_low);
}

void random_step_other(struct run *r)
{
	static void (*const steps[])(struct run * r) = { step_accounts, step_pending, step_meta,
		                                         step_keep_blob, step_stats };

	if (random_chance(r, 8))
		contract_reopen(r->c);
	steps[random_any(r, COUNT_OF(steps))](r);
}
