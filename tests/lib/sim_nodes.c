/* Several simulations on one store; sim_nodes.h. */
#include "sim_nodes.h"

#include "base/list.h"
#include "base/memory.h"
#include "engine/nodes/node_rev.h"
#include "memory_blobs.h"
#include "ports/node_link.h"

#include <stdio.h>
#include <stdlib.h>

/* No step of time is longer: heartbeats come inside poll(). */
#define STEP_MS 50
#define HOUR_MS 3600000
#define SETTLE_MAX 200000

static const char *const names[SIM_NODES_MAX] = { "a", "b", "c" };

struct member {
	struct sim_nodes *nodes;
	unsigned index;
	struct sim *sim; /* NULL: it does not run */
	struct store *store;
	struct node_link link;
	struct sim_watch watch;
	struct memory_blobs *blobs; /* outputs are on the machine of their node */
	unsigned starts;
	const char *rev; /* of its program; NULL: this one's */
	bool is_stalled, is_cut;
	int64_t off_ms; /* of its wall clock from the store's */
};

/* A command on its way, or its answer. */
struct letter {
	struct list node;
	struct sim_nodes *nodes;
	struct arena *mem;
	struct node_call *call; /* NULL: no request waits for it any more */
	struct member *from, *to;
	struct sim *of; /* the start that it went to */
	struct control_forwarded forwarded;
	struct control_call there;
	struct control_answer answer;
	bool is_under_way, is_answered;
};

struct sim_nodes {
	struct sim_nodes_options o;
	struct model_disk *disk;
	struct member members[SIM_NODES_MAX];
	struct list letters;
	int64_t now;
};

static int64_t store_ms(void *owner)
{
	return ((struct sim_nodes *)owner)->now;
}

/* ---- the link ---- */

/* Where it went may still work on it. */
static void letter_free(struct letter *l)
{
	if (l->is_under_way && !l->is_answered && l->to->sim && l->to->sim == l->of) {
		struct control *c = engine_control(sim_engine(l->of));

		c->ops->forget(c, &l->there);
	}
	list_remove(&l->node);
	arena_free(l->mem);
	memory_free(l);
}

static void link_send(struct node_link *link, struct node_call *c)
{
	struct member *m = OWNER_OF(link, struct member, link);
	struct letter *l = memory_zeroed(1, sizeof *l);

	l->nodes = m->nodes;
	l->mem = arena_new();
	l->call = c;
	l->from = m;
	c->impl = l;
	list_add(&m->nodes->letters, &l->node);
}

static void link_forget(struct node_link *link, struct node_call *c)
{
	if (c->impl)
		((struct letter *)c->impl)->call = NULL;
}

static const struct node_link_ops link_ops = { link_send, link_forget };

static void there_done(struct control_call *call, const struct control_answer *a)
{
	struct letter *l = OWNER_OF(call, struct letter, there);

	l->answer = *a;
	l->answer.title = arena_keep(l->mem, a->title);
	l->answer.body = arena_keep(l->mem, a->body);
	l->is_answered = true;
}

static void letter_return(struct letter *l, enum node_link_result result, const char *why)
{
	struct node_call *c = l->call;

	l->call = NULL;
	if (c && l->from->sim) {
		c->result = result;
		c->answer = l->answer;
		(void)fail(&c->error, ERR_IO, "%s", why);
		c->done(c);
	}
	letter_free(l);
}

static struct member *by_address(struct sim_nodes *n, struct str address)
{
	for (unsigned i = 0; i < n->o.count; i++)
		if (str_eq(address, str_from(names[i])))
			return &n->members[i];
	return NULL;
}

static void letter_deliver(struct letter *l)
{
	struct node_call *c = l->call;
	struct control *control;

	if (!c) {
		letter_free(l);
		return;
	}
	l->to = by_address(l->nodes, c->node.address);
	if (!l->to || !l->to->sim || l->to->is_cut || l->from->is_cut) {
		letter_return(l, NODE_LINK_UNSENT, "it cannot be reached");
		return;
	}
	l->is_under_way = true;
	l->of = l->to->sim;
	l->forwarded = c->forwarded;
	l->there = (struct control_call){ .caller = c->caller,
		                          .command = arena_keep(l->mem, c->command),
		                          .params = arena_keep(l->mem, c->params),
		                          .key = arena_keep(l->mem, c->key),
		                          .is_lookup = c->is_lookup,
		                          .forwarded = &l->forwarded,
		                          .done = there_done };
	control = engine_control(sim_engine(l->to->sim));
	control->ops->call(control, &l->there);
}

/* What a stalled node has to do waits. */
static bool deliver(struct sim_nodes *n)
{
	bool has_moved = false;

	LIST_EACH_SAFE (&n->letters, node, next) {
		struct letter *l = LIST_ITEM(node, struct letter, node);

		if (!l->is_under_way) {
			struct member *to = l->call ? by_address(n, l->call->node.address) : NULL;

			if (to && to->sim && to->is_stalled)
				continue;
			letter_deliver(l);
			has_moved = true;
		} else if (l->of != l->to->sim || l->to->is_cut) {
			letter_return(l, NODE_LINK_UNKNOWN, "it ended before it answered");
			has_moved = true;
		} else if (l->is_answered && !l->from->is_stalled) {
			letter_return(l, NODE_LINK_ANSWERED, "");
			has_moved = true;
		}
	}
	return has_moved;
}

/* ---- members ---- */

static struct store *open_store(void *owner, struct clock *c)
{
	struct member *m = owner;

	m->store = model_store_open_node(
		m->nodes->disk,
		&(struct model_node_options){ .name = str_from(names[m->index]),
	                                      .address = str_from(names[m->index]),
	                                      .place = str_from(m->nodes->o.places[m->index]),
	                                      .rev = node_rev_of_program(),
	                                      .clock = c,
	                                      .now_ms = store_ms,
	                                      .epoch_ms = SIM_NODES_EPOCH_MS,
	                                      .owner = m->nodes },
		NULL, NULL);
	model_store_set_clock_off(m->store, m->off_ms);
	return m->store;
}

static void model_begins(void *owner, const struct model_request *req)
{
	struct member *m = owner;

	if (m->nodes->o.begins)
		m->nodes->o.begins(m->nodes->o.owner, m->index, req->request_id);
}

static void tool_begins(void *owner, struct str call_id)
{
	struct member *m = owner;

	if (m->nodes->o.begins)
		m->nodes->o.begins(m->nodes->o.owner, m->index, call_id);
}

void sim_nodes_start(struct sim_nodes *n, unsigned node)
{
	struct member *m = &n->members[node];
	struct sim_options o = n->o.sim;
	struct error e = { 0 };

	m->nodes = n;
	m->index = node;
	m->link.ops = &link_ops;
	m->is_stalled = m->is_cut = false;
	m->watch = (struct sim_watch){ .open_store = open_store,
		                       .model = model_begins,
		                       .tool = tool_begins };
	if (!m->blobs)
		m->blobs = memory_blobs_new(n->o.seed + node);
	o.memory_blobs = m->blobs;
	o.watch = &m->watch;
	o.watcher = m;
	o.link = &m->link;
	o.starts_only = true;
	o.start_ms = SIM_NODES_EPOCH_MS + n->now + m->off_ms;
	/* Machines of their own. */
	o.boot_ms = (node + 1) * HOUR_MS + n->now;
	o.boot_id = names[node];
	o.seed = n->o.seed * 31 + node * 7 + m->starts++;
	if (m->rev)
		setenv("THOLE_TEST_REV", m->rev, 1);
	else
		unsetenv("THOLE_TEST_REV");
	if (sim_open(&o, &m->sim, &e) != OK) {
		fprintf(stderr, "sim: %s\n", e.message);
		abort();
	}
	sim_nodes_settle(n);
}

void sim_nodes_set_program(struct sim_nodes *n, unsigned node, const char *rev)
{
	n->members[node].rev = rev;
}

/* Its letters first: the engine may not answer them while it ends. */
static void drop_letters(struct sim_nodes *n, struct member *m)
{
	LIST_EACH_SAFE (&n->letters, node, next) {
		struct letter *l = LIST_ITEM(node, struct letter, node);

		if (l->is_under_way && l->to == m && l->from != m)
			letter_return(l, NODE_LINK_UNKNOWN, "it ended before it answered");
	}
}

void sim_nodes_kill(struct sim_nodes *n, unsigned node)
{
	struct member *m = &n->members[node];
	struct sim *s = m->sim;

	if (!s)
		return;
	drop_letters(n, m);
	m->sim = NULL;
	model_store_kill(m->store);
	sim_crash(s);
}

void sim_nodes_stop(struct sim_nodes *n, unsigned node)
{
	struct member *m = &n->members[node];
	struct sim *s = m->sim;

	if (!s)
		return;
	drop_letters(n, m);
	m->sim = NULL;
	sim_free(s);
}

void sim_nodes_stall(struct sim_nodes *n, unsigned node, bool is_stalled)
{
	n->members[node].is_stalled = is_stalled;
}

void sim_nodes_mute(struct sim_nodes *n, unsigned node, bool is_mute)
{
	if (n->members[node].sim)
		model_store_mute(n->members[node].store, is_mute);
}

void sim_nodes_set_clock(struct sim_nodes *n, unsigned node, int64_t by_ms)
{
	struct member *m = &n->members[node];

	m->off_ms += by_ms;
	if (!m->sim)
		return;
	sim_set_wall(m->sim, by_ms);
	model_store_set_clock_off(m->store, m->off_ms);
}

void sim_nodes_cut(struct sim_nodes *n, unsigned node, bool is_cut)
{
	n->members[node].is_cut = is_cut;
}

struct sim *sim_nodes_at(struct sim_nodes *n, unsigned node)
{
	return n->members[node].sim;
}

struct model_disk *sim_nodes_disk(struct sim_nodes *n)
{
	return n->disk;
}

int64_t sim_nodes_now(const struct sim_nodes *n)
{
	return n->now;
}

struct sim_nodes *sim_nodes_new(const struct sim_nodes_options *o)
{
	struct sim_nodes *n = memory_zeroed(1, sizeof *n);

	n->o = *o;
	n->disk = model_disk_new();
	n->now = 1;
	list_init(&n->letters);
	for (unsigned i = 0; i < o->count; i++)
		sim_nodes_start(n, i);
	return n;
}

void sim_nodes_free(struct sim_nodes *n)
{
	for (unsigned i = 0; i < n->o.count; i++) {
		struct member *m = &n->members[i];

		if (m->sim && sim_is_dead(m->sim))
			sim_nodes_kill(n, i);
		else
			sim_nodes_stop(n, i);
	}
	while (!list_is_empty(&n->letters))
		letter_free(LIST_ITEM(n->letters.next, struct letter, node));
	for (unsigned i = 0; i < n->o.count; i++)
		memory_blobs_free(n->members[i].blobs);
	model_disk_free(n->disk);
	memory_free(n);
}

/* ---- the wheel ---- */

/* A node that was found dead ends its process. */
static void bury(struct sim_nodes *n)
{
	for (unsigned i = 0; i < n->o.count; i++)
		if (n->members[i].sim && !n->members[i].is_stalled &&
		    sim_is_dead(n->members[i].sim))
			sim_nodes_kill(n, i);
}

bool sim_nodes_turn(struct sim_nodes *n)
{
	bool has_moved = false;

	for (unsigned i = 0; i < n->o.count; i++)
		if (n->members[i].sim && !n->members[i].is_stalled)
			has_moved |= sim_turn(n->members[i].sim);
	has_moved |= deliver(n);
	bury(n);
	return has_moved;
}

void sim_nodes_settle(struct sim_nodes *n)
{
	int idle = 0;

	for (int turns = 0; idle < 3; turns++) {
		idle = sim_nodes_turn(n) ? 0 : idle + 1;
		if (turns == SETTLE_MAX) {
			fprintf(stderr, "the nodes are busy without end at %lld ms\n",
			        (long long)n->now);
			abort();
		}
	}
}

void sim_nodes_run(struct sim_nodes *n, int64_t ms)
{
	sim_nodes_settle(n);
	while (ms > 0) {
		int64_t step = MIN(ms, STEP_MS);

		for (unsigned i = 0; i < n->o.count; i++)
			if (n->members[i].sim && !n->members[i].is_stalled)
				step = sim_until_next(n->members[i].sim, step);
		step = MAX(step, 1);
		n->now += step;
		ms -= step;
		for (unsigned i = 0; i < n->o.count; i++)
			if (n->members[i].sim)
				sim_pass(n->members[i].sim, step);
		sim_nodes_settle(n);
	}
}

const struct sim_answer *sim_nodes_call(struct sim_nodes *n, unsigned node, const char *command,
                                        const char *params, const char *key)
{
	struct sim *s = sim_nodes_at(n, node);
	struct sim_answer *a = sim_send(s, command, params, key);

	sim_nodes_settle(n);
	for (int i = 0; i < 100 && !a->is_done && sim_nodes_at(n, node) == s; i++)
		sim_nodes_run(n, STEP_MS);
	return a;
}
