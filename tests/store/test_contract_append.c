/* The contract of ports/store.h: requests and replies, and what batches write. */
#include "contract.h"

#include <pthread.h>

/* ---- requests ---- */

struct note {
	int order, *next;
	pthread_t thread;
	struct contract *c;
};

static void note_reply(struct batch *b)
{
	struct note *n = b->owner;

	n->order = ++*n->next;
	n->thread = pthread_self();
	n->c->answered++;
}

/* Hundreds of batches of many sessions, submitted before the first poll. */
TEST(a_reply_comes_from_poll_on_the_polling_thread_and_in_the_order_of_submission)
{
	enum { BATCHES = 300 };
	struct contract c;
	struct batch *batches[BATCHES];
	struct note notes[BATCHES] = { 0 };
	struct writer ws[3] = { { .id = STR("sess_a") },
		                { .id = STR("sess_b") },
		                { .id = STR("sess_c") } };
	int next = 0;

	contract_start(&c);
	for (int i = 0; i < BATCHES; i++) {
		batches[i] = contract_batch(&c, contract_slice(&c, &ws[i % 3], 2, 10));
		notes[i] = (struct note){ .next = &next, .c = &c };
		batches[i]->owner = &notes[i];
		batches[i]->done = note_reply;
		contract_submit(&c, batches[i]);
		CHECK_INT(next, 0);
	}
	contract_wait(&c, BATCHES);
	for (int i = 0; i < BATCHES; i++) {
		CHECK_INT(notes[i].order, i + 1);
		CHECK(pthread_equal(notes[i].thread, pthread_self()));
		CHECK_INT(batches[i]->first->state, SLICE_COMMITTED);
		CHECK_INT(batches[i]->first->first_position, 2 * i + 1);
		contract_batch_done(batches[i]);
	}
	contract_done(&c);
}

TEST(wake_is_called_when_there_is_something_to_poll_and_poll_counts_replies)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct batch *b;
	size_t count = 0;

	contract_start(&c);
	CHECK_INT(c.store->ops->poll(c.store), 0);
	b = contract_batch(&c, contract_slice(&c, &w, 1, 10));
	contract_submit(&c, b);
	while (count == 0) {
		while (sem_wait(&c.woken) != 0)
			;
		count += c.store->ops->poll(c.store);
	}
	CHECK_INT(count, 1);
	CHECK_INT(c.answered, 1);
	contract_batch_done(b);
	contract_done(&c);
}

struct chain {
	struct contract *c;
	struct writer w;
	struct batch *batches[5];
	size_t count;
};

static void submit_next(struct batch *b)
{
	struct chain *ch = b->owner;

	ch->c->answered++;
	if (ch->count == COUNT_OF(ch->batches))
		return;
	b = contract_batch(ch->c, contract_slice(ch->c, &ch->w, 1, 10));
	b->owner = ch;
	b->done = submit_next;
	ch->batches[ch->count++] = b;
	contract_submit(ch->c, b);
}

TEST(a_callback_may_submit_the_next_request)
{
	struct contract c;
	struct chain ch = { .c = &c, .w = { .id = STR("sess_a") } };
	struct batch first = { .owner = &ch };

	contract_start(&c);
	submit_next(&first);
	contract_wait(&c, COUNT_OF(ch.batches));
	for (size_t i = 0; i < ch.count; i++) {
		CHECK_INT(ch.batches[i]->first->state, SLICE_COMMITTED);
		contract_batch_done(ch.batches[i]);
	}
	contract_done(&c);
}

TEST(a_read_after_the_reply_to_a_batch_sees_that_batch)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };

	contract_start(&c);
	for (int i = 0; i < 200; i++) {
		struct index_row row = { .table = (enum index_table)(i % INDEX_TABLES),
			                 .key = STR("k"),
			                 .at = i };
		struct slice *sl = contract_slice(&c, &w, 1, 10);
		struct store_read head = { .kind = READ_HEAD, .session = w.id };
		struct store_read list = { .kind = READ_INDEX, .table = row.table };

		sl->rows = &row;
		sl->row_count = 1;
		CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
		contract_read(&c, &head);
		CHECK_INT(head.head_seq, i + 1);
		port_store_read_done(&head);
		contract_read(&c, &list);
		CHECK_INT(list.row_count, 1);
		CHECK_INT(list.rows[0].at, i);
		port_store_read_done(&list);
	}
	contract_done(&c);
}

/* ---- events ---- */

TEST(events_come_back_byte_for_byte_with_one_gap_free_sequence_and_chain)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct str bodies[] = { STR(""), STR("a\0b"), STR("\xff\xfe"), STR("{}"), STR("\n") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id };
	struct sha256 hash = { 0 };

	contract_start(&c);
	for (int i = 0; i < 40; i++)
		CHECK_INT(contract_commit(&c, contract_slice_of(&c, &w, bodies, COUNT_OF(bodies))),
		          SLICE_COMMITTED);
	contract_read(&c, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_INT(r.event_count, 200);
	for (size_t i = 0; i < r.event_count; i++) {
		CHECK_SAME(bytes_str(r.events[i].body), bodies[i % COUNT_OF(bodies)]);
		CHECK_INT(r.events[i].seq, i + 1);
		CHECK_INT(r.events[i].type, (i + 1) % 7);
		CHECK(!str_is(r.events[i].session) && !r.events[i].is_erased);
		hash = port_event_row_link(&hash, &r.events[i]);
		CHECK(sha256_eq(&hash, &r.events[i].hash));
	}
	CHECK(sha256_eq(&hash, &r.head_hash) && sha256_eq(&hash, &w.hash));
	port_store_read_done(&r);
	contract_done(&c);
}

TEST(positions_are_one_order_over_all_sessions_without_gap_inside_a_slice)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };
	struct store_read r = { .kind = READ_ALL };

	contract_start(&c);
	for (int i = 0; i < 30; i++) {
		struct slice *one = contract_slice(&c, &a, 3, 10),
			     *two = contract_slice(&c, &b, 2, 10);

		one->next = two;
		contract_commit(&c, one);
		CHECK_INT(one->first_position, 5 * i + 1);
		CHECK_INT(two->first_position, 5 * i + 4);
	}
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 150);
	for (size_t i = 0; i < r.event_count; i++) {
		CHECK_INT(r.events[i].position, i + 1);
		CHECK_SAME(r.events[i].session, i % 5 < 3 ? a.id : b.id);
	}
	port_store_read_done(&r);
	contract_done(&c);
}

/* ---- conflicts ---- */

static uint64_t head_of(struct contract *c, struct str session)
{
	struct store_read r = { .kind = READ_HEAD, .session = session };
	uint64_t seq;

	contract_read(c, &r);
	CHECK(r.result == OK || r.result == ERR_NOT_FOUND);
	seq = r.head_seq;
	port_store_read_done(&r);
	return seq;
}

TEST(a_slice_that_does_not_continue_the_head_is_refused)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") }, wrong;

	contract_start(&c);
	contract_append(&c, &w, 3);
	wrong = (struct writer){ .id = w.id, .seq = 2, .hash = w.hash };
	CHECK_INT(contract_commit(&c, contract_slice(&c, &wrong, 1, 10)), SLICE_CONFLICT);
	wrong = (struct writer){ .id = w.id, .seq = 4, .hash = w.hash };
	CHECK_INT(contract_commit(&c, contract_slice(&c, &wrong, 1, 10)), SLICE_CONFLICT);
	wrong = (struct writer){ .id = w.id, .seq = 3, .hash = sha256_of(STR("x")) };
	CHECK_INT(contract_commit(&c, contract_slice(&c, &wrong, 1, 10)), SLICE_CONFLICT);
	wrong = (struct writer){ .id = w.id };
	CHECK_INT(contract_commit(&c, contract_slice(&c, &wrong, 1, 10)), SLICE_CONFLICT);
	wrong = (struct writer){ .id = STR("sess_new"), .seq = 1 };
	CHECK_INT(contract_commit(&c, contract_slice(&c, &wrong, 1, 10)), SLICE_CONFLICT);
	CHECK_INT(head_of(&c, w.id), 3);
	CHECK_INT(head_of(&c, STR("sess_new")), 0);
	contract_append(&c, &w, 1);
	contract_done(&c);
}

/* Everything that a slice can carry. */
static struct slice *full_slice(struct contract *c, struct writer *w)
{
	static struct index_row row = { .table = INDEX_ID, .key = { "id_1", 4 } };
	static struct blob_row blob = { .ref = { "in_1", 4 }, .data = { "x", 1 } };
	static struct idem_row idem = { .reply = { "{}", 2 }, .at = 5 };
	static struct ledger_move move = { { "day", 3 }, 5, 6 };
	static struct pending_op op = { .kind = MAINTENANCE_CUT, .seq = 1 };
	static struct journal_row journal = { .seq = 1, .body = { "given", 5 } };
	struct slice *sl = contract_slice(c, w, 2, 10);

	sl->rows = &row;
	sl->blobs = &blob;
	sl->idem = &idem;
	sl->moves = &move;
	sl->pending_ops = &op;
	sl->journal = &journal;
	sl->row_count = sl->blob_count = sl->move_count = sl->pending_count = 1;
	sl->journal_count = 1;
	sl->snapshot = STR("state");
	sl->snapshot_seq = 2;
	sl->snapshot_version = STR("v1");
	return sl;
}

static bool finds(struct contract *c, struct store_read r)
{
	bool found;

	contract_read(c, &r);
	found = r.result == OK && (r.kind != READ_INDEX || r.row_count) &&
	        (r.kind != READ_EVENTS || r.event_count) &&
	        (r.kind != READ_JOURNAL || r.journal_count);
	port_store_read_done(&r);
	return found;
}

/* How many of the nine kinds of data a slice left behind. */
static int parts_of(struct contract *c, struct str session)
{
	struct ledger_move *moves;
	struct pending_op *ops;
	size_t move_count = 0, op_count = 0;
	struct error e;

	CHECK_OK(c->store->ops->accounts(c->store, c->mem, &moves, &move_count, &e), &e);
	CHECK_OK(c->store->ops->pending_ops(c->store, c->mem, &ops, &op_count, &e), &e);
	return finds(c, (struct store_read){ .kind = READ_HEAD, .session = session }) +
	       finds(c, (struct store_read){ .kind = READ_EVENTS, .session = session }) +
	       finds(c, (struct store_read){ .kind = READ_JOURNAL, .session = session }) +
	       finds(c, (struct store_read){ .kind = READ_IDEM }) +
	       finds(c, (struct store_read){ .kind = READ_BLOB, .key = STR("in_1") }) +
	       finds(c, (struct store_read){ .kind = READ_INDEX, .table = INDEX_ID }) +
	       finds(c, (struct store_read){ .kind = READ_SNAPSHOT,
	                                     .session = session,
	                                     .snapshot_version = STR("v1") }) +
	       (move_count == 1) + (op_count == 1);
}

TEST(a_slice_is_written_whole_or_not_at_all_and_others_of_its_batch_are_written)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a"), .hash = sha256_of(STR("wrong")) };
	struct writer before = { .id = STR("sess_before") }, after = { .id = STR("sess_after") };
	struct slice *first, *refused, *last;

	contract_start(&c);
	first = contract_slice(&c, &before, 1, 10);
	refused = full_slice(&c, &w);
	last = contract_slice(&c, &after, 1, 10);
	first->next = refused;
	refused->next = last;
	contract_commit(&c, first);
	CHECK_INT(first->state, SLICE_COMMITTED);
	CHECK_INT(refused->state, SLICE_CONFLICT);
	CHECK_INT(last->state, SLICE_COMMITTED);
	CHECK_INT(last->first_position, 2);
	CHECK_INT(parts_of(&c, w.id), 0);
	w = (struct writer){ .id = w.id };
	CHECK_INT(contract_commit(&c, full_slice(&c, &w)), SLICE_COMMITTED);
	CHECK_INT(parts_of(&c, w.id), 9);
	contract_done(&c);
}

TEST(what_follows_a_refused_slice_of_its_session_is_refused)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a"), .seq = 7 };
	struct batch *batches[3];

	contract_start(&c);
	for (size_t i = 0; i < COUNT_OF(batches); i++) {
		batches[i] = contract_batch(&c, contract_slice(&c, &w, 1, 10));
		contract_submit(&c, batches[i]);
	}
	contract_wait(&c, COUNT_OF(batches));
	for (size_t i = 0; i < COUNT_OF(batches); i++) {
		CHECK_INT(batches[i]->first->state, SLICE_CONFLICT);
		contract_batch_done(batches[i]);
	}
	CHECK_INT(contract_stats(&c).events, 0);
	contract_done(&c);
}

TEST(a_slice_without_events_writes_the_rest_and_has_no_position)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct blob_row blob = { .ref = STR("in_1"), .data = STR("x") };
	struct slice *sl;

	contract_start(&c);
	contract_append(&c, &w, 2);
	sl = contract_slice(&c, &w, 0, 0);
	sl->blobs = &blob;
	sl->blob_count = 1;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	CHECK_INT(sl->first_position, 0);
	CHECK(finds(&c, (struct store_read){ .kind = READ_BLOB, .key = STR("in_1") }));
	contract_append(&c, &w, 1);
	contract_done(&c);
}

TEST(rows_without_events_make_no_session_for_readers_and_for_maintenance)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct index_row row = { .table = INDEX_TASK, .key = STR("task_1") };
	struct store_read events = { .kind = READ_EVENTS, .session = w.id };
	struct slice *sl;

	contract_start(&c);
	sl = contract_slice(&c, &w, 0, 0);
	sl->rows = &row;
	sl->row_count = 1;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	CHECK(!finds(&c, (struct store_read){ .kind = READ_HEAD, .session = w.id }));
	CHECK(finds(&c, (struct store_read){ .kind = READ_INDEX, .table = INDEX_TASK }));
	contract_read(&c, &events);
	CHECK_INT(events.result, OK);
	CHECK_INT(events.event_count, 0);
	port_store_read_done(&events);
	for (int kind = MAINTENANCE_PACK; kind <= MAINTENANCE_ERASE; kind++) {
		struct store_maintenance u = { .kind = (enum maintenance_kind)kind,
			                       .session = w.id,
			                       .body = STR("") };

		contract_step(&c, &u);
		CHECK_INT(u.result, ERR_NOT_FOUND);
	}
	contract_done(&c);
}

TEST_MAIN()
