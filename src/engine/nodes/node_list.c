/* list_nodes: who shares the store. */
#include "engine/gen/queries.h"
#include "engine/nodes/node_place.h"
#include "engine/engine_state.h"

/* The words of the catalogue, for the states of the store. */
static enum node_state state_of(const struct store_node *n)
{
	if (n->state != STORE_NODE_LIVES)
		return n->state == STORE_NODE_ENDED ? NODE_STATE_ENDED : NODE_STATE_DEAD;
	return n->is_leaving ? NODE_STATE_LEAVING : NODE_STATE_LIVES;
}

static void add_allotments(struct arena *mem, struct rec_node *shown, const struct store_node *n)
{
	for (size_t i = 0; i < n->allotment_count; i++) {
		struct rec_allotment *a =
			rec_list_add(mem, &shown->allotments, &rec_allotment_desc);

		*a = (struct rec_allotment){
			.account = arena_keep(mem, n->allotments[i].account),
			.amount = n->allotments[i].amount,
			.want = n->allotments[i].want,
		};
	}
	shown->allotments_left_out = (int64_t)n->allotments_left_out;
	shown->has_allotments_left_out = n->allotments_left_out > 0;
}

static void add_place(struct arena *mem, struct rec_node *shown, struct str text)
{
	const struct rec_node_place *place = node_place_read(mem, text);

	if (!place)
		return;
	shown->labels = place->labels;
	for (uint32_t i = 0; i < place->workspaces.count; i++)
		rec_keep(mem, &rec_node_workspace_desc,
		         rec_list_add(mem, &shown->workspaces, &rec_node_workspace_desc),
		         place->workspaces.items[i]);
}

static void add_node(struct arena *mem, struct reply_list_nodes *reply, const struct store_node *n)
{
	struct rec_node *shown = rec_list_add(mem, &reply->nodes, &rec_node_desc);

	*shown = (struct rec_node){
		.name = arena_keep(mem, n->name),
		.incarnation = (int64_t)n->incarnation,
		.address = n->address.len ? arena_keep(mem, n->address) : STR_NONE,
		.version = arena_keep(mem, n->version),
		.revision = n->rev,
		.state = state_of(n),
		.is_self = n->is_self,
		.sessions = (int64_t)n->sessions,
		.started_at = n->started_ms,
		.heartbeat_age_ms = n->beat_age_ms,
		.clock_off_ms = n->clock_off_ms,
		.has_clock_off_ms = true,
	};
	add_place(mem, shown, n->place);
	add_allotments(mem, shown, n);
}

static void answer(struct request *r, struct reply_list_nodes *reply)
{
	r->response.reply = rec_text(r->mem, &reply_list_nodes_desc, reply);
	request_reply(r);
}

/* Without other nodes every session is this one's. */
static void answer_alone(struct request *r)
{
	struct engine *e = r->engine;
	struct reply_list_nodes reply = { 0 };
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	add_node(r->mem, &reply,
	         &(struct store_node){ .incarnation = 1,
	                               .name = STR("local"),
	                               .version = STR(THOLE_VERSION),
	                               .rev = CATALOG_REV,
	                               .is_self = true,
	                               .started_ms = e->started_ms,
	                               .sessions = st.sessions });
	answer(r, &reply);
}

struct listing {
	struct store_nodes_read read;
	struct request *request;
};

static void listed(struct store_nodes_read *read)
{
	struct request *r = ((struct listing *)read->owner)->request;
	struct reply_list_nodes reply = { .is_shared = true };

	for (size_t i = 0; read->result == OK && i < read->count; i++)
		add_node(r->mem, &reply, &read->nodes[i]);
	if (read->result != OK)
		request_fail(r, ERROR_CODE_STORE_UNAVAILABLE, "%s", read->error.message);
	port_store_nodes_read_done(read);
	if (r->response.code)
		request_reply(r);
	else
		answer(r, &reply);
}

void query_list_nodes(struct request *r, const struct cmd_list_nodes *c)
{
	struct store *st = r->engine->ports.store;
	struct listing *l;

	if (!st->nodes) {
		answer_alone(r);
		return;
	}
	l = ARENA_NEW(r->mem, struct listing);
	l->request = r;
	/* Accounts have names of tenants. */
	l->read = (struct store_nodes_read){
		.with_ended = c->has_with_ended && c->with_ended,
		.with_allotments = r->caller.scopes & SCOPE_BIT(SCOPE_ADMIN),
		.done = listed,
		.owner = l,
	};
	st->nodes->list(st, &l->read);
}
