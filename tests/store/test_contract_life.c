/* The contract of ports/store.h: statistics, the end of a store, and its next start. */
#include "contract.h"

TEST(statistics_count_what_is_durable)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };
	struct store_stats st;

	contract_start(&c);
	st = contract_stats(&c);
	CHECK(!st.events && !st.sessions && !st.last_position && !st.commits && !st.waiting_bytes);
	CHECK(!st.is_low && !st.needs_rebuild);
	contract_append(&c, &a, 3);
	CHECK_INT(contract_commit(&c, contract_slice(&c, &b, 2, 100)), SLICE_COMMITTED);
	st = contract_stats(&c);
	CHECK_INT(st.events, 5);
	CHECK_INT(st.sessions, 2);
	CHECK_INT(st.last_position, 5);
	CHECK_INT(st.commits, 2);
	CHECK_INT(st.bytes, 260);
	CHECK_INT(st.waiting_bytes, 0);
	CHECK_INT(st.oldest_waiting_ms, 0);
	contract_done(&c);
}

TEST(a_batch_without_its_reply_counts_as_waiting)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct batch *b;

	contract_start(&c);
	b = contract_batch(&c, contract_slice(&c, &w, 1, 1000));
	contract_submit(&c, b);
	CHECK_INT(contract_stats(&c).waiting_bytes, 1000);
	contract_wait(&c, 1);
	CHECK_INT(contract_stats(&c).waiting_bytes, 0);
	contract_batch_done(b);
	contract_done(&c);
}

TEST(a_refused_slice_is_no_commit)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a"), .seq = 4 };

	contract_start(&c);
	CHECK_INT(contract_commit(&c, contract_slice(&c, &w, 1, 10)), SLICE_CONFLICT);
	CHECK_INT(contract_stats(&c).commits, 0);
	CHECK_INT(contract_stats(&c).last_position, 0);
	contract_done(&c);
}

TEST(a_rebuild_is_needed_until_the_value_says_that_it_is_not)
{
	struct contract c;
	struct error e;

	contract_start(&c);
	CHECK_OK(c.store->ops->set_meta(c.store, STR("rebuild"), STR("1"), &e), &e);
	CHECK(contract_stats(&c).needs_rebuild);
	contract_reopen(&c);
	CHECK(contract_stats(&c).needs_rebuild);
	CHECK_OK(c.store->ops->set_meta(c.store, STR("rebuild"), STR("0"), &e), &e);
	CHECK(!contract_stats(&c).needs_rebuild);
	contract_done(&c);
}

/* ---- close ---- */

static void count_read(struct store_read *r)
{
	((struct contract *)r->owner)->answered++;
}

static void count_step(struct store_maintenance *u)
{
	((struct contract *)u->owner)->answered++;
}

TEST(close_finishes_and_reports_what_was_accepted)
{
	enum { BATCHES = 50 };
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct batch *batches[BATCHES];
	struct store_read head = {
		.kind = READ_HEAD, .session = w.id, .done = count_read, .owner = &c
	};
	struct store_read list = {
		.kind = READ_INDEX, .table = INDEX_TASK, .done = count_read, .owner = &c
	};
	struct store_maintenance pack = {
		.kind = MAINTENANCE_PACK, .session = w.id, .done = count_step, .owner = &c
	};

	contract_start(&c);
	contract_append(&c, &w, 100);
	c.answered = 0;
	pack.seq = 100;
	for (size_t i = 0; i < BATCHES; i++) {
		batches[i] = contract_batch(&c, contract_slice(&c, &w, 2, 10));
		contract_submit(&c, batches[i]);
	}
	c.store->ops->read(c.store, &head);
	c.store->ops->read(c.store, &list);
	c.store->ops->maintenance(c.store, &pack);
	contract_close(&c);
	CHECK_INT(c.answered, BATCHES + 3);
	for (size_t i = 0; i < BATCHES; i++) {
		CHECK_INT(batches[i]->first->state, SLICE_COMMITTED);
		contract_batch_done(batches[i]);
	}
	CHECK_INT(head.result, OK);
	CHECK_INT(list.result, OK);
	CHECK_INT(pack.result, OK);
	port_store_read_done(&head);
	port_store_read_done(&list);
	contract_open(&c);
	CHECK_INT(contract_stats(&c).events, 200);
	contract_done(&c);
}

struct late {
	struct contract *c;
	struct writer w;
	struct batch *batch;
	struct store_read read;
	struct store_maintenance step;
};

/* Asks once more, from the reply that close() delivers. */
static void ask_late(struct batch *b)
{
	struct late *l = b->owner;

	l->batch = contract_batch(l->c, contract_slice(l->c, &l->w, 1, 10));
	l->read = (struct store_read){
		.kind = READ_HEAD, .session = l->w.id, .done = count_read, .owner = l->c
	};
	l->step = (struct store_maintenance){ .kind = MAINTENANCE_ROOM,
		                              .done = count_step,
		                              .owner = l->c };
	contract_submit(l->c, l->batch);
	l->c->store->ops->read(l->c->store, &l->read);
	l->c->store->ops->maintenance(l->c->store, &l->step);
}

TEST(what_is_asked_while_the_store_closes_fails_with_closed)
{
	struct contract c;
	struct late l = { .c = &c, .w = { .id = STR("sess_a") } };
	struct batch *b;

	contract_start(&c);
	b = contract_batch(&c, contract_slice(&c, &l.w, 1, 10));
	b->owner = &l;
	b->done = ask_late;
	contract_submit(&c, b);
	contract_close(&c);
	CHECK_INT(b->first->state, SLICE_COMMITTED);
	CHECK_INT(c.answered, 3);
	CHECK_INT(l.batch->first->state, SLICE_FAILED);
	CHECK_INT(l.batch->error.code, ERR_CLOSED);
	CHECK_INT(l.read.result, ERR_CLOSED);
	CHECK_INT(l.step.result, ERR_CLOSED);
	port_store_read_done(&l.read);
	contract_batch_done(b);
	contract_batch_done(l.batch);
	contract_done(&c);
}

/* ---- the next start ---- */

TEST(a_store_that_is_opened_again_continues_sequence_and_position)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };
	struct store_read r = { .kind = READ_ALL };
	struct store_maintenance u = { .kind = MAINTENANCE_PACK, .session = a.id };
	struct slice *sl;

	contract_start(&c);
	for (int i = 0; i < 10; i++) {
		contract_append(&c, &b, 1);
		contract_append(&c, &a, 10);
	}
	u.seq = a.seq;
	contract_maintain(&c, &u);
	contract_reopen(&c);
	CHECK_INT(contract_stats(&c).events, 110);
	CHECK_INT(contract_stats(&c).sessions, 2);
	CHECK_INT(contract_stats(&c).last_position, 110);
	CHECK_INT(contract_stats(&c).commits, 0);
	sl = contract_slice(&c, &b, 1, 10);
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	CHECK_INT(sl->first_position, 111);
	contract_append(&c, &a, 1);
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 112);
	for (size_t i = 0; i < r.event_count; i++)
		CHECK_INT(r.events[i].position, i + 1);
	port_store_read_done(&r);
	contract_done(&c);
}

/* ---- bad input ---- */

TEST(input_of_the_wrong_form_has_an_error_and_changes_nothing)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct str value = STR_NONE;
	struct error e = { 0 };

	contract_start(&c);
	CHECK_INT(c.store->ops->set_meta(c.store, STR("key"), STR_NONE, &e), ERR_INVALID);
	CHECK(e.message[0]);
	CHECK_INT(c.store->ops->set_meta(c.store, STR_NONE, STR("x"), &e), ERR_INVALID);
	CHECK_INT(c.store->ops->keep_blob(c.store, STR_NONE, STR_NONE, STR("x"), &e), ERR_INVALID);
	CHECK_INT(c.store->ops->get_meta(c.store, c.mem, STR("key"), &value, &e), ERR_NOT_FOUND);
	contract_append(&c, &w, 1); /* the store lives */
	contract_done(&c);
}

TEST_MAIN()
