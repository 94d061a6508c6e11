/* Push configurations: what peers ask for, and the operations on them. */
#include "serve/a2a/a2a_push.h"

#include "a2a/a2a_id.h"
#include "a2a/a2a_input.h"
#include "base/os/id.h"
#include "serve/a2a/a2a_op.h"
#include "serve/a2a/a2a_push_int.h"
#include "serve/a2a/a2a_place.h"

/* ---- the list ---- */

struct a2a_config *a2a_push_make(struct a2a_pushes *all)
{
	struct arena *mem = arena_new_small();
	struct a2a_config *c = ARENA_NEW(mem, struct a2a_config);

	c->mem = mem;
	c->all = all;
	list_init(&c->node);
	list_add(&all->configs, &c->node);
	all->count++;
	return c;
}

static void config_free(struct a2a_config *c)
{
	a2a_push_send_stop(c);
	list_remove(&c->node);
	c->all->count--;
	arena_free(c->mem);
}

void a2a_push_forget(struct a2a_config *c)
{
	c->is_gone = true;
	a2a_push_store_later(c->all, c->id);
	config_free(c);
}

struct a2a_pushes *a2a_push_new(struct a2a_edge *edge, struct error *e)
{
	struct a2a_pushes *all = ARENA_NEW(edge->mem, struct a2a_pushes);

	all->edge = edge;
	list_init(&all->configs);
	if (a2a_push_store_read(all, e) != OK) {
		a2a_push_free(all);
		return NULL;
	}
	LIST_EACH (&all->configs, node)
		a2a_push_send_start(LIST_ITEM(node, struct a2a_config, node));
	return all;
}

void a2a_push_free(struct a2a_pushes *all)
{
	if (!all)
		return;
	a2a_push_store_flush(all);
	while (!list_is_empty(&all->configs))
		config_free(LIST_ITEM(all->configs.next, struct a2a_config, node));
	loop_timer_stop(&all->save);
}

/* ---- what a peer may ask for ---- */

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
			return true;
	return false;
}

static bool refuse(struct a2a_error *e, enum a2a_code code, struct str message)
{
	*e = (struct a2a_error){ .code = code, .message = message };
	return false;
}

bool a2a_push_is_valid(struct a2a_op *op, struct a2a_error *e)
{
	const struct a2a_push *p = &op->in->push;

	if (str_is(p->id) && !id_is_valid(p->id))
		return refuse(e, A2A_INVALID_PARAMS, STR("The id of a configuration is invalid"));
	if (has_control(p->url) || has_control(p->token) || has_control(p->scheme) ||
	    has_control(p->credentials) || str_find_char(p->scheme, ' ') >= 0)
		return refuse(e, A2A_INVALID_PARAMS,
		              STR("Addresses, tokens and credentials are single lines"));
	return a2a_input_is_address(op->mem, p->url, &op->edge->opt.rules, STR("url"), e);
}

/* ---- finding ---- */

/* NULL: this principal has none of that id for that task. */
static struct a2a_config *find_config(struct a2a_op *op, struct str session_id, struct str task_id,
                                      struct str id)
{
	LIST_EACH (&op->edge->pushes->configs, node) {
		struct a2a_config *c = LIST_ITEM(node, struct a2a_config, node);

		if (str_eq(c->id, id) && str_eq(c->task_id, task_id) &&
		    str_eq(c->session_id, session_id) &&
		    str_eq(c->principal, op->caller->principal))
			return c;
	}
	return NULL;
}

static size_t count_of_task(struct a2a_op *op, struct str session_id, struct str task_id)
{
	size_t count = 0;

	LIST_EACH (&op->edge->pushes->configs, node) {
		struct a2a_config *c = LIST_ITEM(node, struct a2a_config, node);

		count += str_eq(c->task_id, task_id) && str_eq(c->session_id, session_id);
	}
	return count;
}

/* ---- adding ---- */

static struct str new_id(struct a2a_op *op)
{
	struct clock *clock = op->edge->serve->opt.clock;
	struct id_source src;
	uint8_t entropy[16];

	clock->ops->entropy(clock, entropy);
	id_source_init(&src, clock->ops->wall_ms(clock), entropy);
	return id_make(op->mem, &src, "push");
}

static void fill(struct a2a_config *c, struct a2a_op *op, struct str session_id, struct str task_id)
{
	const struct a2a_push *p = &op->in->push;
	struct str url = a2a_place_url(op->edge, op->mem, op->req);

	c->id = arena_keep(c->mem, p->id);
	c->session_id = arena_keep(c->mem, session_id);
	c->task_id = arena_keep(c->mem, task_id);
	c->principal = arena_keep(c->mem, op->caller->principal);
	c->reach = arena_keep(c->mem, op->caller->reach);
	c->token_hash = arena_keep(c->mem, op->caller->token);
	c->url = arena_keep(c->mem, p->url);
	c->token = arena_keep(c->mem, p->token);
	c->scheme = arena_keep(c->mem, p->scheme);
	c->credentials = arena_keep(c->mem, p->credentials);
	c->output_url = arena_printf(c->mem, "%.*s/v1/outputs/", STR_ARG(url));
	c->after = op->task.is_found ? op->task.last_sequence : 0;
}

/* One peer does not take the place of others. */
static size_t count_of_peer(const struct a2a_op *op)
{
	size_t count = 0;

	LIST_EACH (&op->edge->pushes->configs, node)
		count += str_eq(LIST_ITEM(node, struct a2a_config, node)->principal,
		                op->caller->principal);
	return count;
}

bool a2a_push_add(struct a2a_op *op, struct str session_id, struct str task_id, struct a2a_error *e)
{
	struct a2a_pushes *all = op->edge->pushes;
	struct a2a_config *c, *old;
	struct error why;

	if (!op->edge->serve->opt.clock)
		return refuse(e, A2A_PUSH_NOT_SUPPORTED, STR_NONE);
	if (!a2a_push_is_valid(op, e))
		return false;
	if (!str_is(op->in->push.id))
		op->in->push.id = new_id(op);
	old = find_config(op, session_id, task_id, op->in->push.id);
	if (!old && (all->count >= LIMIT_A2A_PUSH || count_of_peer(op) >= LIMIT_A2A_PUSH_PER_PEER ||
	             count_of_task(op, session_id, task_id) >= LIMIT_A2A_PUSH_PER_TASK))
		return refuse(e, A2A_TOO_MANY, STR("There are too many push configurations"));
	c = a2a_push_make(all);
	fill(c, op, session_id, task_id);
	/* The old one is not written, and stays if the new one cannot be. */
	if (old)
		list_remove(&old->node);
	if (a2a_push_store_write(all, c->id, &why) != OK) {
		config_free(c);
		if (old)
			list_add(&all->configs, &old->node);
		return refuse(e, A2A_UNAVAILABLE, STR_NONE);
	}
	if (old)
		config_free(old);
	a2a_push_send_start(c);
	return true;
}

/* ---- operations ---- */

/* The token and the credentials are the peer's own: it may see them again. */
static void write_config(struct json_writer *w, struct a2a_op *op, const struct a2a_config *c)
{
	jw_obj(w);
	if (op->in->tenant.len)
		JW_KSTR(w, "tenant", op->in->tenant);
	JW_KSTR(w, "id", c->id);
	JW_KSTR(w, "taskId", a2a_id_make(op->mem, c->session_id, c->task_id));
	JW_KSTR(w, "url", c->url);
	JW_KOPT(w, "token", c->token);
	if (c->scheme.len) {
		JW_KEY(w, "authentication");
		jw_obj(w);
		JW_KSTR(w, "scheme", c->scheme);
		JW_KOPT(w, "credentials", c->credentials);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static void reply_config(struct a2a_op *op, const struct a2a_config *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!c) {
		a2a_op_fail(op, A2A_TASK_NOT_FOUND, STR("There is no such push configuration"));
		return;
	}
	jw_init(&w, &out);
	write_config(&w, op, c);
	a2a_op_reply(op, buf_str(&out));
}

static void create(struct a2a_op *op)
{
	struct str session_id = arena_keep(op->mem, op->task.session_id);
	struct str task_id = arena_keep(op->mem, op->task.task_id);
	struct a2a_error e;

	if (a2a_state_is_final(op->task.state))
		a2a_op_fail(op, A2A_UNSUPPORTED_OPERATION,
		            STR("The task has ended; there is nothing left to report"));
	else if (!a2a_push_add(op, session_id, task_id, &e))
		a2a_op_fail(op, e.code, e.message);
	else
		reply_config(op, find_config(op, session_id, task_id, op->in->push.id));
}

static void list_configs(struct a2a_op *op)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "configs");
	jw_arr(&w);
	LIST_EACH (&op->edge->pushes->configs, node) {
		struct a2a_config *c = LIST_ITEM(node, struct a2a_config, node);

		if (find_config(op, op->task.session_id, op->task.task_id, c->id) == c)
			write_config(&w, op, c);
	}
	jw_arr_end(&w);
	JW_KSTR(&w, "nextPageToken", STR(""));
	jw_obj_end(&w);
	a2a_op_reply(op, buf_str(&out));
}

/* Deleting again is the same as deleting once. */
static void delete_config(struct a2a_op *op)
{
	struct a2a_config *c =
		find_config(op, op->task.session_id, op->task.task_id, op->in->push.id);
	struct error why;

	if (c) {
		c->is_gone = true;
		if (a2a_push_store_write(op->edge->pushes, c->id, &why) != OK) {
			c->is_gone = false;
			a2a_op_fail(op, A2A_UNAVAILABLE, STR_NONE);
			return;
		}
		config_free(c);
	}
	a2a_op_reply(op, STR("{}"));
}

/* The task is folded, so it exists for this caller. */
static void on_task(struct a2a_op *op)
{
	switch (op->in->method) {
	case A2A_CREATE_PUSH_CONFIG:
		create(op);
		return;
	case A2A_LIST_PUSH_CONFIGS:
		list_configs(op);
		return;
	case A2A_DELETE_PUSH_CONFIG:
		delete_config(op);
		return;
	default:
		reply_config(op, find_config(op, op->task.session_id, op->task.task_id,
		                             op->in->push.id));
	}
}

void a2a_push_begin(struct a2a_op *op)
{
	struct str session_id, task_id;
	struct a2a_error e;

	if (op->in->method == A2A_CREATE_PUSH_CONFIG && !a2a_push_is_valid(op, &e))
		a2a_op_fail_field(op, "url", e.message);
	else if (!a2a_id_read(op->in->task_id, &session_id, &task_id))
		a2a_op_fail(op, A2A_TASK_NOT_FOUND, STR_NONE);
	else
		a2a_op_follow(op, session_id, task_id, A2A_WAIT_READ, on_task);
}
