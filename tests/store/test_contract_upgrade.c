/*
 * The contract of ports/store_nodes.h for nodes of neighbouring versions: who gets a session with
 * newer events, and what all nodes have in common.
 *
 * Node 0 is named "a", node 1 "b", and so on.
 */
#include "nodes_place.h"

#include <stdlib.h>

#define A 0
#define B 1
#define C 2

#define OLD 1
#define NEW 2

static bool is_model(void)
{
	const char *kind = getenv("THOLE_STORE");

	return kind && strcmp(kind, "model-nodes") == 0;
}

/* One node for each revision. */
static void start(struct nodes *p, size_t count, const uint32_t *revs)
{
	nodes_start(p, count);
	for (size_t i = 0; i < count; i++) {
		p->all[i].c.rev = revs[i];
		p->all[i].c.version = revs[i] == NEW ? "1.3.0" : "1.2.3";
		nodes_open(p, i);
	}
}

static enum slice_state commit(struct nodes *p, size_t i, struct writer *w, uint32_t needs_rev)
{
	struct writer before = *w;
	struct slice *sl = contract_slice(&p->all[i].c, w, 2, 20);
	enum slice_state state;

	sl->needs_rev = needs_rev;
	state = contract_commit(&p->all[i].c, sl);
	if (state != SLICE_COMMITTED)
		*w = before;
	return state;
}

static struct writer new_session(struct nodes *p, size_t i, struct str session, uint32_t needs_rev)
{
	struct writer w = { .id = session };

	CHECK_INT(commit(p, i, &w, needs_rev), SLICE_COMMITTED);
	return w;
}

static uint64_t owned_by(struct nodes *p, const char *name)
{
	struct store_nodes_read r = nodes_list(p, A, true);
	uint64_t count = 0;

	for (size_t i = 0; i < r.count; i++)
		if (str_eq(r.nodes[i].name, str_from(name)) && r.nodes[i].state == STORE_NODE_LIVES)
			count = r.nodes[i].sessions;
	port_store_nodes_read_done(&r);
	return count;
}

static struct store_versions versions(struct nodes *p, size_t i)
{
	struct store_versions v;

	nodes_ops(p, i)->versions(p->all[i].c.store, &v);
	return v;
}

static enum err claim_result(struct nodes *p, size_t i, struct str session)
{
	struct store_claim c = nodes_claim(p, i, session);

	port_store_claim_done(&c);
	return c.result;
}

/* ---- sessions ---- */

TEST(a_session_with_newer_events_is_given_to_no_older_node)
{
	static const uint32_t revs[] = { OLD, NEW };
	struct nodes p;
	struct writer x, y;
	struct store_claim c;

	start(&p, 2, revs);
	x = new_session(&p, B, STR("sess_x"), NEW);
	y = new_session(&p, B, STR("sess_y"), 0);
	/* Whatever it needed once it needs. */
	CHECK_INT(commit(&p, B, &x, 0), SLICE_COMMITTED);
	CHECK_INT(claim_result(&p, A, x.id), ERR_BUSY);
	nodes_release(&p, B, x.id);
	nodes_release(&p, B, y.id);
	NODES_UNTIL(&p, owned_by(&p, "b") == 0);
	c = nodes_claim(&p, A, x.id);
	CHECK_INT(c.result, ERR_BUSY);
	CHECK_STR(c.node.name, "b");
	CHECK_STR(c.node.address, "http://b:1");
	port_store_claim_done(&c);
	CHECK_INT(owned_by(&p, "a"), 0);
	CHECK_INT(commit(&p, A, &x, 0), SLICE_FENCED);
	CHECK_INT(claim_result(&p, A, y.id), OK);
	CHECK_INT(commit(&p, A, &y, 0), SLICE_COMMITTED);
	CHECK_INT(claim_result(&p, B, x.id), OK);
	CHECK_INT(commit(&p, B, &x, 0), SLICE_COMMITTED);
	nodes_done(&p);
}

TEST(without_a_newer_node_a_claim_says_so)
{
	static const uint32_t revs[] = { OLD, NEW };
	struct nodes p;
	struct writer x;

	start(&p, 2, revs);
	x = new_session(&p, B, STR("sess_x"), NEW);
	contract_close(&p.all[B].c);
	CHECK_INT(claim_result(&p, A, x.id), ERR_UNSUPPORTED);
	CHECK_INT(commit(&p, A, &x, 0), SLICE_FENCED);
	CHECK_INT(claim_result(&p, A, STR("sess_none")), ERR_NOT_FOUND);
	nodes_open(&p, B);
	CHECK_INT(claim_result(&p, A, x.id), ERR_BUSY);
	CHECK_INT(claim_result(&p, B, x.id), OK);
	nodes_done(&p);
}

TEST(an_older_node_reads_everything_but_the_state_of_such_a_session)
{
	static const uint32_t revs[] = { OLD, NEW };
	struct nodes p;
	struct writer x, y;
	struct store_read r;

	start(&p, 2, revs);
	x = new_session(&p, B, STR("sess_x"), NEW);
	y = new_session(&p, B, STR("sess_y"), 0);
	r = (struct store_read){ .kind = READ_SNAPSHOT,
		                 .session = x.id,
		                 .snapshot_version = STR("1") };
	contract_read(&p.all[A].c, &r);
	CHECK_INT(r.result, ERR_STORE);
	CHECK_INT(r.error.detail, STORE_NEWER);
	port_store_read_done(&r);
	contract_read(&p.all[B].c, &r);
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);
	r.session = y.id;
	contract_read(&p.all[A].c, &r);
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);
	CHECK_INT(nodes_head(&p, A, x.id).seq, x.seq);
	r = (struct store_read){ .kind = READ_EVENTS, .session = x.id };
	contract_read(&p.all[A].c, &r);
	CHECK_INT(r.event_count, x.seq);
	port_store_read_done(&r);
	nodes_done(&p);
}

TEST(orphans_with_newer_events_are_reported_to_newer_nodes_only)
{
	static const uint32_t revs[] = { OLD, NEW, NEW };
	struct nodes p;

	start(&p, 3, revs);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	for (size_t i = 0; i < 2; i++) {
		struct writer w = { .id = i ? STR("sess_new") : STR("sess_old") };
		struct slice *sl = contract_slice(&p.all[C].c, &w, 1, 20);

		sl->needs_rev = i ? NEW : 0;
		nodes_add_open(&p, C, sl, true);
		CHECK_INT(contract_commit(&p.all[C].c, sl), SLICE_COMMITTED);
	}
	nodes_kill(&p, C);
	NODES_UNTIL(&p, nodes_has_orphan(&p, A, "sess_old") &&
	                        nodes_has_orphan(&p, B, "sess_old") &&
	                        nodes_has_orphan(&p, B, "sess_new"));
	CHECK(!nodes_has_orphan(&p, A, "sess_new"));
	CHECK_INT(claim_result(&p, A, STR("sess_old")), OK);
	nodes_poll_for(&p, 1500);
	CHECK(!nodes_has_orphan(&p, A, "sess_new"));
	CHECK_INT(claim_result(&p, B, STR("sess_new")), OK);
	nodes_done(&p);
}

TEST(newer_nodes_share_such_sessions_and_each_has_one_of_them)
{
	static const uint32_t revs[] = { OLD, NEW, NEW };
	struct nodes p;
	size_t of_b = 0;

	start(&p, 3, revs);
	for (size_t i = 0; i < 20; i++) {
		struct str id = arena_printf(p.all[A].c.mem, "sess_%zu", i);

		new_session(&p, B, id, NEW);
		nodes_release(&p, B, id);
	}
	NODES_UNTIL(&p, owned_by(&p, "b") == 0);
	for (size_t i = 0; i < 20; i++) {
		struct str id = arena_printf(p.all[A].c.mem, "sess_%zu", i);
		struct store_claim one = nodes_claim(&p, A, id), two = nodes_claim(&p, A, id);

		CHECK_INT(one.result, ERR_BUSY);
		CHECK_INT(one.node.incarnation, two.node.incarnation);
		of_b += str_eq(one.node.name, STR("b"));
		port_store_claim_done(&one);
		port_store_claim_done(&two);
	}
	CHECK(is_model() || (of_b > 0 && of_b < 20));
	nodes_done(&p);
}

/* ---- what all have in common ---- */

TEST(the_common_revision_rises_when_the_last_older_node_has_ended)
{
	static const uint32_t revs[] = { OLD, NEW };
	struct nodes p;
	struct store_nodes_read r;
	struct error e;

	start(&p, 2, revs);
	r = nodes_list(&p, A, false);
	CHECK_INT(r.nodes[0].rev, OLD);
	CHECK_INT(r.nodes[1].rev, NEW);
	port_store_nodes_read_done(&r);
	NODES_UNTIL(&p, versions(&p, B).common_rev == OLD);
	nodes_poll_for(&p, CONTRACT_LEASE_MS);
	CHECK_INT(versions(&p, A).common_rev, OLD);
	CHECK_INT(versions(&p, B).common_rev, OLD);
	CHECK(versions(&p, A).is_mixed && versions(&p, B).is_mixed);
	CHECK_INT(versions(&p, A).others, 1);
	CHECK_INT(versions(&p, B).others, 1);
	contract_close(&p.all[A].c);
	NODES_UNTIL(&p, versions(&p, B).common_rev == NEW && !versions(&p, B).is_mixed);
	CHECK_INT(versions(&p, B).others, 0);
	if (!is_model()) {
		CHECK_INT(contract_try_open(&p.all[A].c, &e), ERR_STORE);
		CHECK(strstr(e.message, "store_format"));
	}
	p.all[A].c.rev = NEW;
	nodes_open(&p, A);
	NODES_UNTIL(&p, versions(&p, A).common_rev == NEW);
	nodes_done(&p);
}

TEST(a_node_that_was_killed_counts_until_it_is_found_dead)
{
	static const uint32_t revs[] = { OLD, NEW };
	struct nodes p;

	start(&p, 2, revs);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	NODES_UNTIL(&p, versions(&p, B).common_rev == OLD);
	nodes_kill(&p, A);
	nodes_poll_for(&p, CONTRACT_LEASE_MS / 4);
	CHECK_INT(versions(&p, B).common_rev, OLD);
	NODES_UNTIL(&p, versions(&p, B).common_rev == NEW);
	CHECK_INT(nodes_state(&p, B, "a"), STORE_NODE_DEAD);
	nodes_done(&p);
}

/* ---- snapshots ---- */

static void write_snapshot(struct nodes *p, size_t i, struct writer *w, const char *version)
{
	struct slice *sl = contract_slice(&p->all[i].c, w, 1, 20);

	sl->snapshot = str_from(version);
	sl->snapshot_seq = w->seq;
	sl->snapshot_version = str_from(version);
	CHECK_INT(contract_commit(&p->all[i].c, sl), SLICE_COMMITTED);
}

static uint64_t snapshot_of(struct nodes *p, size_t i, struct str session, const char *version)
{
	struct store_read r = { .kind = READ_SNAPSHOT,
		                .session = session,
		                .snapshot_version = str_from(version) };
	uint64_t seq;

	contract_read(&p->all[i].c, &r);
	seq = r.result == OK ? r.snapshot_seq : 0;
	CHECK(r.result != OK || str_eq(r.snapshot, str_from(version)));
	port_store_read_done(&r);
	return seq;
}

TEST(while_two_versions_live_a_session_keeps_the_snapshots_of_both)
{
	static const uint32_t revs[] = { OLD, NEW };
	struct nodes p;
	struct writer w = { .id = STR("sess_x") };
	struct store_claim c;

	if (is_model())
		skip(); /* it may leave the other one out */
	start(&p, 2, revs);
	write_snapshot(&p, A, &w, "23");
	nodes_release(&p, A, w.id);
	do {
		c = nodes_claim(&p, B, w.id);
		port_store_claim_done(&c);
	} while (c.result == ERR_BUSY);
	write_snapshot(&p, B, &w, "24");
	CHECK_INT(snapshot_of(&p, A, w.id, "23"), 1);
	CHECK_INT(snapshot_of(&p, B, w.id, "24"), 2);
	write_snapshot(&p, B, &w, "24");
	CHECK_INT(snapshot_of(&p, A, w.id, "23"), 1);
	CHECK_INT(snapshot_of(&p, B, w.id, "24"), 3);
	contract_close(&p.all[A].c);
	write_snapshot(&p, B, &w, "24");
	CHECK_INT(snapshot_of(&p, B, w.id, "23"), 0);
	CHECK_INT(snapshot_of(&p, B, w.id, "24"), 4);
	nodes_done(&p);
}

TEST_MAIN()
