/*
 * A command of another node: checked, carried out, answered under seal.
 *
 * What is refused before the control sees it changes nothing.
 */
#include "serve/node/node_edge.h"

#include "base/memory.h"
#include "node/node_message.h"
#include "node/node_seal.h"
#include "serve/http/problem.h"

struct node_op {
	struct arena *mem;
	struct serve *serve;
	struct http_request *req;
	struct node_message message;
	struct str nonce;
};

static void op_free(struct node_op *op)
{
	arena_free(op->mem);
}

static void reply_sealed(struct node_op *op, const struct control_answer *a)
{
	struct str result = node_message_result(op->mem, a);
	struct http_field headers[] = {
		{ STR("Content-Type"), a->code ? PROBLEM_TYPE : STR("application/json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ NODE_SEAL_CODE_HEADER, result },
		{ NODE_SEAL_ANSWER_HEADER, node_seal_answer(op->serve->opt.node.seal, op->mem,
		                                            op->nonce, a->http, result, a->body) },
	};

	http_reply(op->req, a->http, headers, COUNT_OF(headers), a->body);
}

static void on_done(struct control_call *call, const struct control_answer *a)
{
	struct node_op *op = call->owner;

	reply_sealed(op, a);
	op_free(op);
}

/* The other node is gone, or its caller is; the command takes effect nevertheless. */
static void on_closed(struct http_request *req)
{
	struct node_op *op = req->user;

	op->serve->control->ops->forget(op->serve->control, &op->message.call);
	http_reply_abort(req);
	op_free(op);
}

/* A call without a good code is answered without one: its sender is not known. */
static void refuse(struct node_op *op, enum error_code code, struct str why)
{
	struct buf body = { 0 };
	struct control_answer a = { .code = code,
		                    .http = error_infos[code].http,
		                    .retry_after_ms = error_infos[code].retryable ? 1000 : 0 };

	problem_write(&body, code, 0, why);
	a.body = buf_str(&body);
	if (str_is(op->nonce))
		reply_sealed(op, &a);
	else
		problem_reply(op->req, code, "%.*s", STR_ARG(why));
	buf_done(&body);
	op_free(op);
}

void node_edge_open(struct serve *s, struct http_request *req)
{
	struct arena *mem = arena_new();
	struct node_op *op = ARENA_NEW(mem, struct node_op);
	struct node_seal_call call = { 0 };
	struct str why = STR_NONE;
	enum error_code code;

	*op = (struct node_op){ .mem = mem, .serve = s, .req = req };
	code = node_seal_check(s->opt.node.seal, mem, http_parse_find(&req->in, NODE_SEAL_HEADER),
	                       req->in.body, s->opt.node.incarnation,
	                       s->opt.clock->ops->wall_ms(s->opt.clock), &call, &why);
	op->nonce = call.nonce;
	if (code) {
		refuse(op, code, why);
		return;
	}
	if (!node_message_read(mem, arena_keep(mem, req->in.body), &op->message)) {
		refuse(op, ERROR_CODE_INVALID_REQUEST,
		       STR("the body is no call of a node of this version"));
		return;
	}
	op->message.call.done = on_done;
	op->message.call.owner = op;
	req->user = op;
	req->on_closed = on_closed;
	s->control->ops->call(s->control, &op->message.call);
}
