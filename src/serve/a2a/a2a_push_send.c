/*
 * The sender: follows the task of a configuration and posts what changes, one after the other.
 * Pieces of a text are not posted one by one; the whole text is, when it is complete.
 */
#include "base/os/log.h"
#include "base/memory.h"
#include "serve/a2a/a2a_push_int.h"
#include "serve/a2a/a2a_place.h"

#include <stdio.h>

#define RESPONSE_MAX 65536
#define WAIT_MAX_MS 60000
#define RETRY_MS 500

static void post(struct a2a_config *c);
static void try_later(struct a2a_config *c);

static struct control *control_of(const struct a2a_config *c)
{
	return c->all->edge->serve->control;
}

static void give_up(struct a2a_config *c, const char *why)
{
	log_line(LOG_WARN, "a2a", "push notifications of %.*s to a peer ended: %s",
	         STR_ARG(c->task_id), why);
	a2a_push_forget(c);
}

/* ---- one notification ---- */

static void delivered(struct a2a_config *c)
{
	buf_done(&c->body);
	c->attempts = 0;
	c->after = c->seen;
	if (c->is_final) {
		a2a_push_forget(c);
		return;
	}
	a2a_push_store_later(c->all, c->id);
	if (c->sub)
		control_of(c)->ops->resume(control_of(c), c->sub);
	else
		try_later(c);
}

static void on_again(struct loop_timer *t)
{
	post(OWNER_OF(t, struct a2a_config, timer));
}

static void later(struct a2a_config *c)
{
	int64_t wait = LIMIT_A2A_PUSH_BASE_MS;

	if (++c->attempts >= LIMIT_A2A_PUSH_ATTEMPTS) {
		give_up(c, "no attempt arrived");
		return;
	}
	for (unsigned i = 1; i < c->attempts; i++)
		wait = MIN(2 * wait, WAIT_MAX_MS);
	loop_timer_start(c->all->edge->serve->loop, &c->timer, wait, on_again);
}

static void on_head(void *owner, const struct http_client_head *h)
{
	((struct a2a_config *)owner)->status = h->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	(void)owner;
	return bytes.len;
}

/* An address that leads elsewhere than it may is not tried again. */
static void on_sent(void *owner, const struct http_client_end *end)
{
	struct a2a_config *c = owner;

	c->call = NULL;
	if (end->result == HTTP_CLIENT_FORBIDDEN || end->result == HTTP_CLIENT_INVALID)
		give_up(c, "its address may not be reached");
	else if (end->result == HTTP_CLIENT_OK && c->status >= 200 && c->status < 300)
		delivered(c);
	else
		later(c);
}

static const struct http_client_sink posting = { .head = on_head, .body = on_body, .end = on_sent };

/* The body is kept for the next attempt; the client takes a copy. */
static void post(struct a2a_config *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct caller owner = { .principal = c->principal, .token = c->token_hash };
	struct http_client_guard guard = { .rules = c->all->edge->opt.rules };
	struct http_client_header headers[4] = {
		{ STR("Content-Type"), STR("application/a2a+json") },
		{ STR("A2A-Version"), STR("1.0") },
	};
	struct http_client_request r = { .method = STR("POST"),
		                         .url = c->url,
		                         .headers = headers,
		                         .header_count = 2,
		                         .total_ms = LIMIT_A2A_PUSH_TIMEOUT_MS,
		                         .response_max = RESPONSE_MAX,
		                         .guard = &guard };
	uint16_t port;

	if (!control_of(c)->ops->is_usable(control_of(c), &owner)) {
		give_up(c, "its token is not valid any more");
		return;
	}
	if (!net_host_of_url(c->url, &guard.host, &port)) {
		give_up(c, "its address is invalid");
		return;
	}
	if (c->scheme.len)
		headers[r.header_count++] = (struct http_client_header){
			STR("Authorization"),
			arena_printf(mem, "%.*s %.*s", STR_ARG(c->scheme), STR_ARG(c->credentials))
		};
	if (c->token.len)
		headers[r.header_count++] =
			(struct http_client_header){ STR("X-A2A-Notification-Token"), c->token };
	buf_add_str(&r.body, buf_str(&c->body));
	c->status = 0;
	c->call = http_client_send(c->all->edge->opt.http_client, &r, &posting, c);
}

/* ---- following ---- */

static const struct a2a_artifact *artifact_of(const struct a2a_task *t, struct str id)
{
	for (uint32_t i = 0; i < t->artifact_count; i++)
		if (str_eq(t->artifacts[i].id, id))
			return &t->artifacts[i];
	return NULL;
}

/* False: the change is a part of one that is still to come. */
static bool complete(const struct a2a_task *t, struct a2a_change *change)
{
	const struct a2a_artifact *a;

	if (change->kind != A2A_CHANGE_ARTIFACT || change->form >= A2A_FORM_CHANGE)
		return change->kind != A2A_CHANGE_NONE;
	if (!change->is_last)
		return false;
	a = artifact_of(t, change->artifact_id);
	if (a) {
		change->form = a->form;
		change->text = buf_str(&a->text);
	}
	change->is_append = false;
	return a != NULL;
}

/* What was delivered before is folded again and not sent again. */
static bool on_event(void *owner, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_config *c = owner;
	struct a2a_change change;
	struct json_writer w;
	struct json event;

	if (c->body.len || c->is_gone)
		return false;
	if (json_read_trusted(mem, str_of(ev->body->data, ev->body->len), &event, NULL) != OK)
		return true;
	a2a_task_event(&c->task, mem, event, &change);
	if (ev->seq <= c->after || !complete(&c->task, &change))
		return true;
	jw_init(&w, &c->body);
	a2a_task_write_change(&w, &c->task, &change);
	c->seen = ev->seq;
	c->is_final = a2a_state_is_final(c->task.state);
	loop_timer_start(c->all->edge->serve->loop, &c->timer, 0, on_again);
	return false;
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	(void)owner;
	(void)from;
	(void)to;
	(void)mode;
	(void)snapshot;
}

static void on_over(struct loop_timer *t)
{
	a2a_push_forget(OWNER_OF(t, struct a2a_config, timer));
}

/* A task that ended while nothing was left to say: its configuration has done its work. */
static void on_caught_up(void *owner, uint64_t seq)
{
	struct a2a_config *c = owner;

	(void)seq;
	if (!c->body.len && (a2a_state_is_final(c->task.state) || !c->task.is_found))
		loop_timer_start(c->all->edge->serve->loop, &c->timer, 0, on_over);
}

static void on_retry(struct loop_timer *t)
{
	a2a_push_send_start(OWNER_OF(t, struct a2a_config, timer));
}

static void try_later(struct a2a_config *c)
{
	loop_timer_start(c->all->edge->serve->loop, &c->timer, RETRY_MS, on_retry);
}

/* At the end of the process the configuration stays; the next one continues. */
static void on_end(void *owner, enum stream_end why)
{
	struct a2a_config *c = owner;

	c->sub = NULL;
	if (why == STREAM_NO_SESSION || why == STREAM_DELETED)
		loop_timer_start(c->all->edge->serve->loop, &c->timer, 0, on_over);
	else if (why == STREAM_UNREADABLE && !c->body.len && !c->call)
		try_later(c);
}

static const struct control_sink sink = {
	.event = on_event, .gap = on_gap, .caught_up = on_caught_up, .end = on_end
};

static bool is_ready(const struct a2a_config *c)
{
	struct control_health health = { 0 };

	control_of(c)->ops->health(control_of(c), &health);
	return health.ready;
}

/*
 * The fold begins with the first event of the session that may be the task's.  A runtime that
 * starts does not know its sessions yet.
 */
void a2a_push_send_start(struct a2a_config *c)
{
	if (!is_ready(c)) {
		try_later(c);
		return;
	}
	if (c->task.mem)
		a2a_task_done(&c->task);
	a2a_task_init(&c->task, c->session_id, c->task_id, c->output_url);
	c->ask = (struct control_stream){
		.session = c->session_id,
		.after = a2a_place_of(c->all->edge, c->session_id, c->task_id),
		.follow = true,
		.reach = c->reach,
		.sink = &sink,
		.owner = c,
	};
	for (size_t i = 0; i < COUNT_OF(c->ask.types); i++)
		c->ask.types[i] = a2a_place_types[i];
	c->sub = control_of(c)->ops->subscribe(control_of(c), &c->ask);
	if (!c->sub)
		try_later(c);
}

void a2a_push_send_stop(struct a2a_config *c)
{
	loop_timer_stop(&c->timer);
	if (c->call)
		http_client_cancel(c->call);
	c->call = NULL;
	if (c->sub)
		control_of(c)->ops->unsubscribe(control_of(c), c->sub);
	c->sub = NULL;
	buf_done(&c->body);
	if (c->task.mem)
		a2a_task_done(&c->task);
}
