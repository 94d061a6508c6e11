/* Several nodes in one place, and what was reported to them. */
#include "nodes_place.h"

#include <stdio.h>
#include <unistd.h>

static const char *const names[NODES_MAX] = { "a", "b", "c", "d", "e" };
static const char *const addresses[NODES_MAX] = { "http://a:1", "http://b:1", "http://c:1",
	                                          "http://d:1", "http://e:1" };

/* ---- reports ---- */

static void on_moved(void *owner, struct str session, uint64_t seq)
{
	struct node *n = owner;
	struct node_moved *m = NULL;

	for (size_t i = 0; i < n->moved_count; i++)
		if (str_eq(str_from(n->moved[i].id), session))
			m = &n->moved[i];
	if (!m && n->moved_count < NODE_SESSIONS) {
		m = &n->moved[n->moved_count++];
		snprintf(m->id, sizeof m->id, "%.*s", STR_ARG(session));
	}
	if (!m)
		return;
	m->seq = MAX(m->seq, seq);
	m->times++;
}

static void on_position(void *owner, uint64_t position)
{
	struct node *n = owner;

	CHECK(position > n->position);
	n->position = position;
}

static void on_orphaned(void *owner, const struct str *sessions, size_t count)
{
	struct node *n = owner;

	n->orphan_count = 0;
	for (size_t i = 0; i < count && i < NODE_SESSIONS; i++)
		snprintf(n->orphans[n->orphan_count++], sizeof n->orphans[0], "%.*s",
		         STR_ARG(sessions[i]));
}

static void on_wanted(void *owner, struct str account, int64_t amount, bool is_first)
{
	struct node_wanted *w = &((struct node *)owner)->wanted;

	snprintf(w->account, sizeof w->account, "%.*s", STR_ARG(account));
	w->amount = amount;
	w->is_first = is_first;
	w->times++;
}

static void on_all_seen(void *owner, uint64_t seq)
{
	((struct node *)owner)->all_seen = seq;
}

static void on_ended(void *owner)
{
	((struct node *)owner)->ended++;
}

static void on_expelled(void *owner, const char *why)
{
	struct node *n = owner;

	CHECK(strstr(why, "store_taken"));
	n->expelled++;
}

const struct node_moved *nodes_moved(const struct nodes *p, size_t i, const char *session)
{
	static const struct node_moved none;
	const struct node *n = &p->all[i];

	for (size_t k = 0; k < n->moved_count; k++)
		if (strcmp(n->moved[k].id, session) == 0)
			return &n->moved[k];
	return &none;
}

bool nodes_has_orphan(const struct nodes *p, size_t i, const char *session)
{
	const struct node *n = &p->all[i];

	for (size_t k = 0; k < n->orphan_count; k++)
		if (strcmp(n->orphans[k], session) == 0)
			return true;
	return false;
}

/* ---- the place ---- */

static void watch(struct node *n)
{
	struct store_watch w = { .owner = n,
		                 .moved = on_moved,
		                 .position = on_position,
		                 .orphaned = on_orphaned,
		                 .wanted = on_wanted,
		                 .all_seen = on_all_seen,
		                 .ended = on_ended,
		                 .expelled = on_expelled };

	n->moved_count = n->orphan_count = n->expelled = n->ended = 0;
	n->position = n->all_seen = 0;
	n->wanted = (struct node_wanted){ 0 };
	n->c.store->nodes->watch(n->c.store, &w);
}

void nodes_open(struct nodes *p, size_t i)
{
	struct node *n = &p->all[i];

	contract_close(&n->c);
	contract_open(&n->c);
	watch(n);
}

void nodes_start(struct nodes *p, size_t count)
{
	const char *kind = getenv("THOLE_STORE");

	*p = (struct nodes){ .count = count };
	contract_init_node(&p->all[0].c, contract_kind(kind ? kind : "postgres"), names[0],
	                   addresses[0]);
	watch(&p->all[0]);
	for (size_t i = 1; i < count; i++) {
		contract_join(&p->all[i].c, &p->all[0].c, names[i], addresses[i]);
		nodes_open(p, i);
	}
}

void nodes_done(struct nodes *p)
{
	for (size_t i = p->count; i-- > 0;)
		contract_done(&p->all[i].c);
}

void nodes_kill(struct nodes *p, size_t i)
{
	p->all[i].c.kind->kill(&p->all[i].c);
}

void nodes_pause(struct nodes *p, size_t i, bool is_paused)
{
	p->all[i].c.kind->pause(&p->all[i].c, is_paused);
}

void nodes_poll(struct nodes *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->all[i].c.store)
			p->all[i].c.store->ops->poll(p->all[i].c.store);
	usleep(1000);
}

void nodes_poll_for(struct nodes *p, int64_t ms)
{
	int64_t until = clock_mono_ms() + ms;

	while (clock_mono_ms() < until)
		nodes_poll(p);
}

/* ---- requests ---- */

static void note_claim(struct store_claim *c)
{
	c->owner = NULL;
}

struct store_claim nodes_claim(struct nodes *p, size_t i, struct str session)
{
	struct store_claim c = { .session = session, .done = note_claim, .owner = p };

	nodes_ops(p, i)->claim(p->all[i].c.store, &c);
	NODES_UNTIL(p, !c.owner);
	return c;
}

struct writer nodes_head(struct nodes *p, size_t i, struct str session)
{
	struct store_read r = { .kind = READ_HEAD, .session = session };
	struct writer w = { .id = session };

	contract_read(&p->all[i].c, &r);
	w.seq = r.head_seq;
	w.hash = r.head_hash;
	port_store_read_done(&r);
	return w;
}

struct writer nodes_take(struct nodes *p, size_t i, struct str session)
{
	struct store_claim c = nodes_claim(p, i, session);

	CHECK_OK(c.result, &c.error);
	port_store_claim_done(&c);
	return nodes_head(p, i, session);
}

void nodes_release(struct nodes *p, size_t i, struct str session)
{
	nodes_ops(p, i)->release(p->all[i].c.store, session);
}

static void note_list(struct store_nodes_read *r)
{
	r->owner = NULL;
}

static struct store_nodes_read list_with(struct nodes *p, size_t i, bool with_ended,
                                         bool with_allotments)
{
	struct store_nodes_read r = { .with_ended = with_ended,
		                      .with_allotments = with_allotments,
		                      .done = note_list,
		                      .owner = p };

	nodes_ops(p, i)->list(p->all[i].c.store, &r);
	NODES_UNTIL(p, !r.owner);
	CHECK_OK(r.result, &r.error);
	return r;
}

struct store_nodes_read nodes_list(struct nodes *p, size_t i, bool with_ended)
{
	return list_with(p, i, with_ended, false);
}

struct store_nodes_read nodes_list_allotments(struct nodes *p, size_t i)
{
	return list_with(p, i, true, true);
}

void nodes_note_allotment(struct store_allotment *a)
{
	a->owner = NULL;
}

struct store_allotment nodes_allot(struct nodes *p, size_t i, const char *account, int64_t cap,
                                   int64_t keep, int64_t want)
{
	struct store_allotment a = { .account = str_from(account),
		                     .cap = cap,
		                     .keep = keep,
		                     .want = want,
		                     .done = nodes_note_allotment,
		                     .owner = p };

	nodes_ops(p, i)->allot(p->all[i].c.store, &a);
	NODES_UNTIL(p, !a.owner);
	CHECK_OK(a.result, &a.error);
	return a;
}

enum store_node_state nodes_state(struct nodes *p, size_t i, const char *name)
{
	struct store_nodes_read r = nodes_list(p, i, true);
	enum store_node_state state = STORE_NODE_ENDED;
	uint64_t newest = 0;

	for (size_t k = 0; k < r.count; k++)
		if (str_eq(r.nodes[k].name, str_from(name)) && r.nodes[k].incarnation > newest) {
			newest = r.nodes[k].incarnation;
			state = r.nodes[k].state;
		}
	port_store_nodes_read_done(&r);
	return state;
}

void nodes_add_open(struct nodes *p, size_t i, struct slice *sl, bool is_open)
{
	sl->rows = ARENA_NEW(p->all[i].c.mem, struct index_row);
	sl->rows[0] = (struct index_row){
		.table = INDEX_SESSION, .key = sl->session, .at = 1, .open = is_open
	};
	sl->row_count = 1;
}
