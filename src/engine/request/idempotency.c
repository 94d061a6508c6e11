/*
 * Idempotency: the same command sent twice has one effect.
 *
 * The reply of an accepted command is stored under its key in the commit of its
 * events.  A second command with the key gets that reply, or a conflict when
 * its arguments differ; one that arrives while the first is pending waits for
 * it.  A look-up reads the stored reply and neither waits nor makes others wait.
 */
#include "engine/engine_state.h"

/* Keys belong to a principal and a command: two callers may choose the same key. */
void idempotency_take(struct request *r, struct str key)
{
	struct str name = command_classes[r->command.command].name;
	const struct cmd_submit_turn *turn = r->turn;

	/* A caller's turn id makes the submission as unique as a key does. */
	if (!str_is(key) && turn && str_is(turn->turn_id))
		key = arena_printf(r->mem, "turn:%.*s", STR_ARG(turn->turn_id));
	if (!str_is(key))
		return;
	/* One name may be of two tenants, one after the other: `home` tells them apart. */
	r->key.hash = sha256_of(
		arena_printf(r->mem, "%.*s\n%.*s\n%.*s",
	                     STR_ARG(str_is(r->caller.home) ? r->caller.home : r->caller.principal),
	                     STR_ARG(name), STR_ARG(key)));
	r->key.text = sha256_hex(r->mem, &r->key.hash);
	r->command.key_hash = r->key.text;
}

static void refuse_other(struct request *r)
{
	request_fail(r, ERROR_CODE_IDEMPOTENCY_CONFLICT, "this key was used with another request");
}

static void refuse_unknown(struct request *r)
{
	request_fail(r, ERROR_CODE_NOT_FOUND, "no command had this key");
	request_reply(r);
}

/* A stored reply is sent as it was, even if the object has changed since. */
static void key_read(struct store_read *read)
{
	struct request *r = read->owner;

	if (request_read_failed(read))
		return;
	if (read->result != OK) {
		port_store_read_done(read);
		if (r->is_lookup)
			refuse_unknown(r);
		else
			request_next(r);
		return;
	}
	r->response.reply = arena_keep(r->mem, read->idem.reply);
	r->response.is_replay = r->is_lookup || sha256_eq(&read->idem.body, &r->key.body);
	port_store_read_done(read);
	if (!r->response.is_replay)
		refuse_other(r);
	else if (r->turn)
		r->response.http = 202;
	request_reply(r);
}

/* The first request with a key is in in_flight until it is answered; later ones join its list. */
bool idempotency_check(struct request *r)
{
	struct engine *e = r->engine;
	struct request *first;

	if (!str_is(r->key.text))
		return false;
	first = r->is_lookup ? NULL : map_get(&e->in_flight, r->key.text);
	if (first && first != r) {
		list_add(&first->key.joined, &r->node);
		return true;
	}
	if (!r->is_lookup)
		map_put(&e->in_flight, r->key.text, r);
	r->read = (struct store_read){
		.kind = READ_IDEM, .idem_key = r->key.hash, .done = key_read, .owner = r
	};
	e->ports.store->ops->read(e->ports.store, &r->read);
	return true;
}

/* Copies: the first request's arena is freed with its reply. */
static void response_alike(struct request *r, const struct request *first)
{
	r->response = first->response;
	r->response.detail = arena_keep(r->mem, first->response.detail);
	r->response.extra = arena_keep(r->mem, first->response.extra);
	r->response.reply = arena_keep(r->mem, first->response.reply);
	r->response.is_replay = !first->response.code;
	r->session_id = arena_keep(r->mem, first->session_id);
}

/*
 * Called once per request, before its reply.  The key leaves the map first, so that a
 * request that continues below can take it.
 */
void idempotency_answered(struct request *r)
{
	if (str_is(r->key.text) && map_get(&r->engine->in_flight, r->key.text) == r)
		map_remove(&r->engine->in_flight, r->key.text);
	while (!list_is_empty(&r->key.joined)) {
		struct request *other = LIST_ITEM(r->key.joined.next, struct request, node);
		bool is_same = sha256_eq(&other->key.body, &r->key.body);

		list_remove(&other->node);
		/*
		 * A refused command leaves its key free: a different command is processed by
		 * itself.
		 */
		if (r->response.code && !is_same) {
			request_continue(other);
			continue;
		}
		if (is_same)
			response_alike(other, r);
		else
			refuse_other(other);
		request_reply(other);
	}
}

/*
 * The reply is stored in the slice of the command's events: both exist or neither does.
 * Without a slice the command changed nothing and can simply be repeated.
 */
void idempotency_keep(struct request *r)
{
	struct pending_slice *p = r->session ? r->session->slice : NULL;
	struct arena *mem;
	struct idem_row *row;

	if (!str_is(r->key.text) || !p)
		return;
	mem = r->engine->filling->mem;
	row = ARENA_NEW(mem, struct idem_row);
	*row = (struct idem_row){
		.next = p->slice.idem,
		.key = r->key.hash,
		.body = r->key.body,
		.reply = arena_keep(mem, r->response.reply),
		.seq = r->session->applied,
		.at = clock_steady(r->engine),
	};
	p->slice.idem = row;
}
