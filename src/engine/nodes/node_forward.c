/*
 * Commands for sessions of other nodes; node_forward.h.
 *
 *	elsewhere ──► sent ──► answered: the owner's reply, as it is
 *	    │           │
 *	    │           ├─ not reached: refused, with the time until which the owner counts as alive
 *	    │           ├─ the owner died meanwhile: begun again, if that is safe
 *	    │           └─ it lost the session meanwhile: this node looks again
 *	    └─ was sent here by another node, or has no caller: refused
 */
#include "engine/nodes/node_forward.h"

#include "base/memory.h"
#include "engine/nodes/nodes.h"
#include "engine/request/channel.h"
#include "engine/request/task_lookup.h"
#include "engine/resources/channels.h"
#include "engine/resources/metrics.h"
#include "engine/retention/removal.h"
#include "engine/engine_state.h"
#include "ports/node_link.h"

/* A session that moves while it is asked for comes to rest soon. */
#define LOOKS_MAX 3
#define LOOK_AGAIN_MS 50
/* The store gathers what is released. */
#define RELEASE_MS 300

/* ---- refusals ---- */

static void refuse_moved(struct request *r, const struct store_node *node)
{
	request_fail(r, ERROR_CODE_SESSION_MOVED, "node %.*s owns session %.*s now",
	             STR_ARG(node->name), STR_ARG(r->session_id));
	request_reply(r);
}

/* The owner counts as alive until its last heartbeat is older than the lease. */
static void refuse_unreached(struct request *r, const struct store_node *node, const char *why)
{
	struct clock *c = r->engine->ports.clock;
	int64_t left = MAX(r->engine->options.config->node_lease_ms - node->beat_age_ms, 0);

	request_fail(r, ERROR_CODE_NODE_UNREACHABLE,
	             "node %.*s owns the session, and %s; it counts as alive until its heartbeats "
	             "stop for %lld ms, and then another node takes over",
	             STR_ARG(node->name), why, (long long)r->engine->options.config->node_lease_ms);
	r->response.retry_after_ms = MAX(left, 100);
	r->response.extra =
		arena_printf(r->mem, "{\"node\":\"%.*s\",\"untilMs\":%lld}", STR_ARG(node->name),
	                     (long long)(c->ops->wall_ms(c) + left));
	request_reply(r);
}

/* By the next try it counts as dead, or can be reached. */
static void refuse_chosen(struct request *r, const struct store_node *node, const char *why)
{
	request_fail(r, ERROR_CODE_NODE_UNREACHABLE,
	             "node %.*s has what the placement asks for, and cannot be reached: %s",
	             STR_ARG(node->name), why);
	r->response.retry_after_ms = r->engine->options.config->node_lease_ms;
	request_reply(r);
}

/* ---- the call ---- */

struct forward {
	struct node_call call;
	struct request *request;
	struct str session;      /* absent: the other node does not own it yet */
	bool is_given;           /* it is to take the session, and does not own it either */
	int64_t began_ms;        /* mono */
	struct owner_look *look; /* NULL: none is under way */
};

/* Is the owner the same still?  It outlives the request, which may be answered meanwhile. */
struct owner_look {
	struct store_claim claim;
	struct engine *engine;
	struct forward *forward; /* NULL: the request is answered */
	char session[];
};

/* ---- an owner that does not answer ---- */

static void contact_ends(struct forward *f)
{
	struct request *r = f->request;

	r->engine->ports.clock->ops->stop(r->engine->ports.clock, &r->timer);
	if (f->look)
		f->look->forward = NULL;
	f->look = NULL;
	r->sent = NULL;
}

/*
 * The owner before has lost the session: what it committed is there, and nothing follows.  A read
 * is begun again, and so is a command with a key, which tells whether it was carried out.
 */
static void owner_lost(struct forward *f)
{
	struct request *r = f->request;
	struct node_link *link = r->engine->ports.link;

	link->ops->forget(link, &f->call);
	contact_ends(f);
	if (str_is(r->key.text) || !command_classes[r->command.command].mutates) {
		request_repeat(r);
		return;
	}
	request_fail(r, ERROR_CODE_NODE_UNREACHABLE,
	             "node %.*s owned the session and died before it answered; the command may "
	             "have been carried out",
	             STR_ARG(f->call.node.name));
	request_reply(r);
}

static void watch_owner(struct forward *f);

static void looked(struct store_claim *c)
{
	struct owner_look *look = c->owner;
	struct engine *e = look->engine;
	struct forward *f = look->forward;
	bool is_same =
		c->result == ERR_BUSY && (!f || c->node.incarnation == f->call.node.incarnation);
	bool is_known = c->result == OK || c->result == ERR_NOT_FOUND || c->result == ERR_BUSY;

	if (c->result == OK && c->is_orphan)
		recovery_orphans(e, &c->session, 1);
	port_store_claim_done(c);
	memory_free(look);
	if (!f)
		return;
	f->look = NULL;
	if (is_same || !is_known)
		watch_owner(f);
	else
		owner_lost(f);
}

static void on_watch(struct clock_timer *t)
{
	struct request *r = OWNER_OF(t, struct request, timer);
	struct forward *f = OWNER_OF(r->sent, struct forward, call);
	struct store *st = r->engine->ports.store;
	struct owner_look *look = memory_zeroed(1, sizeof *look + f->session.len + 1);

	memcpy(look->session, f->session.ptr, f->session.len);
	look->engine = r->engine;
	look->forward = f;
	look->claim = (struct store_claim){ .session = str_of(look->session, f->session.len),
		                            .done = looked,
		                            .owner = look };
	f->look = look;
	st->nodes->claim(st, &look->claim);
}

/* A node that stands still takes connections and answers none. */
static void watch_owner(struct forward *f)
{
	struct request *r = f->request;
	struct clock *c = r->engine->ports.clock;

	if (!str_is(f->session))
		return;
	r->timer.fire = on_watch;
	c->ops->start(c, &r->timer, r->engine->options.config->node_lease_ms / 2);
}

/* ---- the answer ---- */

static void look_again(struct clock_timer *t)
{
	request_restart(OWNER_OF(t, struct request, timer));
}

/* The owner has bound it in the session; what it acknowledges, and its end, are noted here. */
static void bind_channel(struct request *r)
{
	struct json reply;

	if (!command_classes[r->command.command].mutates || !str_is(r->session_id))
		return;
	if (r->command.command != COMMAND_RECONNECT_CHANNEL)
		channel_bound(r->engine, r->caller.channel_id, r->session_id);
	else if (json_read_trusted(r->mem, r->response.reply, &reply, NULL) == OK)
		channel_resumed(r->engine, r->caller.channel_id, r->session_id,
		                json_int(JSON_GET(reply, "fromSequence"), 1) - 1);
}

static void take_answer(struct request *r, const struct control_answer *a)
{
	r->response = (struct request_answer){ .code = a->code,
		                               .reply = arena_keep(r->mem, a->body),
		                               .http = a->http,
		                               .is_replay = a->is_replay,
		                               .is_final = true,
		                               .retry_after_ms = a->retry_after_ms };
	/* Nothing was carried out there, and another node owns the session by now. */
	if (a->code == ERROR_CODE_SESSION_MOVED && r->looks++ < LOOKS_MAX) {
		r->response = (struct request_answer){ 0 };
		r->timer.fire = look_again;
		r->engine->ports.clock->ops->start(r->engine->ports.clock, &r->timer,
		                                   LOOK_AGAIN_MS);
		return;
	}
	if (a->code && task_lookup_refused(r))
		return;
	if (!a->code)
		bind_channel(r);
	if (!a->code && r->then) {
		void (*then)(struct request * r) = r->then;

		r->then = NULL;
		then(r);
		return;
	}
	request_reply(r);
}

static const char *outcome_of(enum node_link_result result)
{
	return result == NODE_LINK_ANSWERED  ? "answered"
	       : result == NODE_LINK_UNSENT  ? "unreachable"
	       : result == NODE_LINK_REFUSED ? "refused"
	                                     : "unknown";
}

static void answered(struct node_call *c)
{
	struct forward *f = c->owner;
	struct request *r = f->request;
	struct store_node node = c->node;

	metrics_forwarded(r->engine, outcome_of(c->result), f->began_ms);
	contact_ends(f);
	if (c->result == NODE_LINK_UNSENT && !str_is(f->session) && request_placement(r)) {
		refuse_chosen(r, &node, c->error.message);
		return;
	}
	/* Another node is tried, or the session is decided here. */
	if (c->result == NODE_LINK_UNSENT && (!str_is(f->session) || f->is_given)) {
		request_restart(r);
		return;
	}
	switch (c->result) {
	case NODE_LINK_ANSWERED:
		take_answer(r, &c->answer);
		break;
	case NODE_LINK_UNSENT:
		refuse_unreached(r, &node, c->error.message);
		break;
	case NODE_LINK_REFUSED:
		request_fail(r, ERROR_CODE_NODE_REFUSED,
		             "node %.*s owns the session and refused the call of this node: %s",
		             STR_ARG(node.name), c->error.message);
		request_reply(r);
		break;
	case NODE_LINK_UNKNOWN:
		request_fail(r, ERROR_CODE_NODE_UNREACHABLE,
		             "node %.*s owns the session and did not answer: %s; the command may "
		             "have been carried out, so repeat it with the same key",
		             STR_ARG(node.name), c->error.message);
		request_reply(r);
		break;
	}
}

/* The owner gets what the caller said; of a search for a task, what was found. */
static struct str params_of(struct request *r)
{
	bool is_found = r->command.command == COMMAND_CLAIM_TASK && r->work;

	return is_found ? rec_text(r->mem, command_classes[r->command.command].args, r->args)
	                : r->params;
}

static struct store_node keep_node(struct arena *mem, const struct store_node *n)
{
	struct store_node kept = *n;

	kept.name = arena_keep(mem, n->name);
	kept.address = arena_keep(mem, n->address);
	kept.version = arena_keep(mem, n->version);
	return kept;
}

static void send_now(struct request *r)
{
	struct node_link *link = r->engine->ports.link;
	struct clock *c = r->engine->ports.clock;

	OWNER_OF(r->sent, struct forward, call)->began_ms = c->ops->mono_ms(c);
	link->ops->send(link, r->sent);
	watch_owner(OWNER_OF(r->sent, struct forward, call));
}

static void on_send(struct clock_timer *t)
{
	send_now(OWNER_OF(t, struct request, timer));
}

static struct forward *send_away(struct request *r, struct str session,
                                 const struct store_node *node, int64_t delay_ms)
{
	struct engine *e = r->engine;
	struct forward *f = ARENA_NEW(r->mem, struct forward);

	f->request = r;
	f->session = str_is(session) ? arena_keep(r->mem, session) : STR_NONE;
	f->call = (struct node_call){
		.node = keep_node(r->mem, node),
		.caller = r->caller,
		.forwarded = { .channel = r->command.channel, .body = r->key.body },
		.command = command_classes[r->command.command].name,
		.params = params_of(r),
		.key = r->key.given,
		.is_lookup = r->is_lookup,
		.done = answered,
		.owner = f,
	};
	if (r->command.channel)
		f->call.forwarded.channel =
			rec_clone(r->mem, &rec_channel_desc, r->command.channel);
	r->sent = &f->call;
	if (delay_ms) {
		r->timer.fire = on_send;
		e->ports.clock->ops->start(e->ports.clock, &r->timer, delay_ms);
	} else {
		send_now(r);
	}
	return f;
}

void node_forward(struct request *r, struct str session, const struct store_node *node)
{
	struct engine *e = r->engine;

	bool is_removal = r->command.command == COMMAND_DELETE_SESSION && r->work;

	/* The channel is connected here: its token is checked, and it is enrolled, before. */
	if (!r->forwarded && !channels_admit(r)) {
		request_reply(r);
		return;
	}
	/* The owner of the system session deletes: it has to own this one, too. */
	if (is_removal)
		removal_yield(r);
	/* Only the node that begins a turn of another node's job waits for its end. */
	if (r->forwarded || !str_is(r->params) || e->is_stopping ||
	    r->command.command == COMMAND_WORK_JOB_ITEM)
		refuse_moved(r, node);
	else if (!e->ports.link || !str_is(node->address))
		refuse_unreached(r, node, "it has no address for other nodes (node.address)");
	else
		send_away(r, session, node, is_removal ? RELEASE_MS : 0);
}

void node_forward_given(struct request *r, const struct store_node *to)
{
	send_away(r, r->session_id, to, RELEASE_MS)->is_given = true;
}

void node_forward_new(struct request *r, const struct store_node *to)
{
	send_away(r, STR_NONE, to, 0);
}
