/*
 * drain_node: a caller tells a node to hand its work over and to end.
 *
 *	listed ──► it is this one ──► recorded in its session, and begun
 *	      ├──► it leaves already ──► answered
 *	      ├──► another one ──► sent there
 *	      └──► refused: no such node, or none that could take the work
 */
#include "core/gen/inputs.h"
#include "engine/gen/queries.h"
#include "engine/nodes/node_forward.h"
#include "engine/nodes/node_handover.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"
#include "ports/node_link.h"

#define TRIES_MAX 3

struct drain {
	struct store_nodes_read list;
	struct request *request;
};

static const struct cmd_drain_node *args_of(const struct request *r)
{
	return r->args;
}

static void refuse(struct request *r, enum error_code code, const char *why)
{
	request_fail(r, code, why, STR_ARG(args_of(r)->name));
	request_reply(r);
}

static void write_reply(struct request *r)
{
	struct reply_drain_node reply = { .name = args_of(r)->name,
		                          .drain_s = r->engine->options.config->node_drain_s };

	r->response.reply = rec_text(r->mem, &reply_drain_node_desc, &reply);
}

static void begin(struct session *s, void *arg)
{
	struct request *r = arg;
	struct engine *e = r->engine;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE || !node_handover_can(e)) {
		refuse(r, ERROR_CODE_UNAVAILABLE, "node %.*s writes nothing now");
		return;
	}
	d = apply_begin(s, &r->command);
	input_runtime_events_leaving(d, e->options.version);
	apply_end(s, d);
	r->session = s;
	write_reply(r);
	request_keep(r);
	node_handover_begin(e);
	request_wait(r);
}

static void answer_leaving(struct request *r)
{
	write_reply(r);
	r->response.reply = json_text_add_int(r->mem, r->response.reply, "sequence", 0);
	request_reply(r);
}

static void send(struct request *r, const struct store_node *to)
{
	if (r->forwarded || !str_is(to->address) || !to->address.len || !r->engine->ports.link)
		refuse(r, ERROR_CODE_NODE_UNREACHABLE, "node %.*s has no node.address");
	else if (r->looks++ >= TRIES_MAX)
		refuse(r, ERROR_CODE_NODE_UNREACHABLE, "node %.*s lives and does not answer");
	else
		node_forward_new(r, to);
}

static void choose(struct request *r, const struct store_nodes_read *list)
{
	const struct store_node *named = NULL;
	size_t others = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct store_node *n = &list->nodes[i];

		if (n->state == STORE_NODE_LIVES && str_eq(n->name, args_of(r)->name))
			named = n;
		else if (node_handover_is_free(n))
			others++;
	}
	if (!named)
		refuse(r, ERROR_CODE_NODE_NOT_FOUND,
		       "no node that lives is called %.*s; thole node ls shows them");
	else if (named->is_leaving)
		answer_leaving(r);
	else if (!others)
		refuse(r, ERROR_CODE_NO_OTHER_NODE,
		       "no other node than %.*s lives; to stop it all the same, run there: "
		       "thole serve --stop");
	else if (named->is_self)
		request_job_with(r->engine, session_place_node(r->engine, r->mem), true,
		                 ELSEWHERE_NONE, begin, r);
	else
		send(r, named);
}

/* The list lives in the request, which the reply frees. */
static void listed(struct store_nodes_read *read)
{
	struct request *r = ((struct drain *)read->owner)->request;
	struct store_nodes_read list = *read;

	if (list.result == OK)
		choose(r, &list);
	else
		refuse(r, ERROR_CODE_STORE_UNAVAILABLE,
		       "node %.*s cannot be looked up: the store does not answer");
	port_store_nodes_read_done(&list);
}

void query_drain_node(struct request *r, const struct cmd_drain_node *c)
{
	struct store *st = r->engine->ports.store;
	struct drain *drain;

	(void)c;
	if (!st->nodes) {
		refuse(r, ERROR_CODE_NO_OTHER_NODE,
		       "there is no node %.*s: this daemon has its store for itself; to stop it, "
		       "run: thole serve --stop");
		return;
	}
	drain = ARENA_NEW(r->mem, struct drain);
	drain->request = r;
	drain->list = (struct store_nodes_read){ .done = listed, .owner = drain };
	st->nodes->list(st, &drain->list);
}
