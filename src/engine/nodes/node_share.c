/*
 * Brings grants to the owner of the system session.
 *
 *	claim ──► it is this node's by now: recorded here
 *	  │
 *	  └─ elsewhere ──► sent ──► recorded there
 *	       ▲             │
 *	       └── a moment ─┘ not reached
 */
#include "engine/nodes/node_share.h"

#include "base/os/log.h"
#include "core/gen/inputs.h"
#include "engine/nodes/nodes.h"
#include "engine/resources/grants.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"
#include "ports/node_link.h"

/* No command of the catalogue: only nodes send it. */
#define COMMAND_NAME STR("share_grant")
#define AGAIN_MS 500
#define TRIES_MAX 20

struct node_share {
	struct list node;
	struct engine *engine;
	struct arena *mem;
	struct ev_policy_changed *change;
	struct store_claim claim;
	struct node_call call;
	struct clock_timer timer;
	unsigned tries;
	bool is_claiming, is_sent;
};

static void look(struct node_share *sh);

static void share_free(struct node_share *sh)
{
	struct engine *e = sh->engine;

	e->ports.clock->ops->stop(e->ports.clock, &sh->timer);
	list_remove(&sh->node);
	arena_free(sh->mem);
}

static void on_timer(struct clock_timer *t)
{
	look(OWNER_OF(t, struct node_share, timer));
}

static void try_again(struct node_share *sh)
{
	struct engine *e = sh->engine;

	if (++sh->tries == TRIES_MAX || e->is_stopping || e->has_failed) {
		log_line(LOG_WARN, "engine",
		         "a grant beyond its session was not recorded: the owner of sess_system "
		         "cannot be reached; the next such call asks again");
		share_free(sh);
		return;
	}
	sh->timer.fire = on_timer;
	e->ports.clock->ops->start(e->ports.clock, &sh->timer, AGAIN_MS);
}

static void sent(struct node_call *c)
{
	struct node_share *sh = c->owner;

	sh->is_sent = false;
	if (c->result == NODE_LINK_ANSWERED && !c->answer.code)
		share_free(sh);
	else
		try_again(sh);
}

static void send_to(struct node_share *sh, const struct store_node *node)
{
	struct engine *e = sh->engine;

	sh->call = (struct node_call){
		.node = { .incarnation = node->incarnation,
		          .name = arena_keep(sh->mem, node->name),
		          .address = arena_keep(sh->mem, node->address) },
		.caller = { .principal = STR("runtime"), .via = STR("node") },
		.command = COMMAND_NAME,
		.params = rec_text(sh->mem, &ev_policy_changed_desc, sh->change),
		.done = sent,
		.owner = sh,
	};
	sh->is_sent = true;
	e->ports.link->ops->send(e->ports.link, &sh->call);
}

static void claimed(struct store_claim *c)
{
	struct node_share *sh = c->owner;
	struct engine *e = sh->engine;

	sh->is_claiming = false;
	if (c->result == ERR_BUSY && e->ports.link && str_is(c->node.address)) {
		send_to(sh, &c->node);
	} else if (c->result == OK || c->result == ERR_NOT_FOUND) {
		if (c->is_orphan)
			recovery_orphans(e, &c->session, 1);
		grants_share(e, sh->change);
		share_free(sh);
	} else {
		try_again(sh);
	}
	port_store_claim_done(c);
}

static void look(struct node_share *sh)
{
	struct store *st = sh->engine->ports.store;

	sh->is_claiming = true;
	sh->claim = (struct store_claim){ .session = NODE_SYSTEM, .done = claimed, .owner = sh };
	st->nodes->claim(st, &sh->claim);
}

void node_share(struct engine *e, const struct ev_policy_changed *change)
{
	struct arena *mem;
	struct node_share *sh;

	if (!e->nodes || e->is_closing || e->has_failed)
		return;
	mem = arena_new();
	sh = ARENA_NEW(mem, struct node_share);
	sh->mem = mem;
	sh->engine = e;
	sh->change = rec_clone(mem, &ev_policy_changed_desc, change);
	list_add(&e->nodes->shares, &sh->node);
	look(sh);
}

/* A pending claim reports when the store is closed, which comes before this. */
void node_share_free(struct engine *e)
{
	while (!list_is_empty(&e->nodes->shares)) {
		struct node_share *sh = LIST_ITEM(e->nodes->shares.next, struct node_share, node);

		if (sh->is_sent)
			e->ports.link->ops->forget(e->ports.link, &sh->call);
		share_free(sh);
	}
}

/* ---- the other side ---- */

bool node_share_take(struct engine *e, struct control_call *call)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct ev_policy_changed *change = ARENA_NEW(mem, struct ev_policy_changed);
	struct control_answer a = { .http = 200, .body = STR("{}") };
	struct json v;

	if (!call->forwarded || !str_eq(call->command, COMMAND_NAME))
		return false;
	if (json_read(mem, call->params, &v, NULL) != OK ||
	    rec_read(mem, v, &ev_policy_changed_desc, REC_OLDER, change, NULL) != OK)
		a = (struct control_answer){ .code = ERROR_CODE_INVALID_REQUEST,
			                     .http = error_infos[ERROR_CODE_INVALID_REQUEST].http,
			                     .body = STR("{}") };
	else
		grants_share(e, change);
	call->done(call, &a);
	return true;
}
