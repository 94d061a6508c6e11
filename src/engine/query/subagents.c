/* Queries about child agents: the list, and waiting until some of them are at rest. */
#include "core/subagent/subagent.h"
#include "base/jw.h"
#include "engine/query/query.h"
#include "engine/engine_state.h"

static void write_one(struct json_writer *w, const struct st_subagent *s)
{
	rec_write(w, &rec_subagent_desc, s->record);
}

static void send_reply(struct request *r, struct buf *out)
{
	r->response.reply = arena_keep(r->mem, buf_str(out));
	buf_done(out);
	request_wait(r);
}

/* ---- list ---- */

static bool is_listed(const struct state *w, const struct st_subagent *s,
                      const struct cmd_list_subagents *c)
{
	if (c->status && s->record->status != c->status)
		return false;
	if (!str_is(c->parent_thread_id))
		return true;
	return c->descendants ? subagent_is_under(w, s, c->parent_thread_id)
	                      : str_eq(s->record->parent_thread_id, c->parent_thread_id);
}

/* In the order of their creation; a cursor names the last one shown. */
void query_list_subagents(struct request *r, const struct cmd_list_subagents *c)
{
	const struct state *state = r->session->state;
	const struct st_session *s = state->s;
	uint32_t room = reply_page_size(c->has_limit, c->limit), at = 0;
	struct str last = STR_NONE;
	struct buf out = { 0 };
	struct json_writer w;

	if (!reply_check_least(r, "limit", c->has_limit, c->limit, 1))
		return;
	if (str_is(c->parent_thread_id) && !state_thread(state, c->parent_thread_id)) {
		request_fail(r, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		request_wait(r);
		return;
	}
	if (str_is(c->cursor))
		while (at < s->subagents.count &&
		       !str_eq(s->subagents.items[at++]->record->subagent_id, c->cursor))
			;
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "subagents");
	jw_arr(&w);
	for (; at < s->subagents.count && room; at++) {
		if (!is_listed(state, s->subagents.items[at], c))
			continue;
		write_one(&w, s->subagents.items[at]);
		last = s->subagents.items[at]->record->subagent_id;
		room--;
	}
	jw_arr_end(&w);
	if (at < s->subagents.count)
		JW_KOPT(&w, "nextCursor", last);
	JW_KINT(&w, "sequence", s->sequence);
	jw_obj_end(&w);
	send_reply(r, &out);
}

/* ---- wait ---- */

/* A child agent that has left the state is over, too. */
static bool is_over(const struct state *w, const struct cmd_wait_subagents *c)
{
	uint32_t rest = 0;

	for (uint32_t i = 0; i < c->subagent_ids.count; i++) {
		const struct st_subagent *s = subagent_find(w, c->subagent_ids.items[i]);

		rest += !s || subagent_is_closed(s) || subagent_is_at_rest(w, s);
	}
	return c->all ? rest == c->subagent_ids.count : rest > 0;
}

static void wait_done(struct request *r, bool timed_out)
{
	const struct cmd_wait_subagents *c = r->args;
	const struct state *state = r->session->state;
	struct clock *clock = r->engine->ports.clock;
	struct buf out = { 0 };
	struct json_writer w;

	clock->ops->stop(clock, &r->timer);
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "subagents");
	jw_arr(&w);
	for (uint32_t i = 0; i < c->subagent_ids.count; i++) {
		const struct st_subagent *s = subagent_find(state, c->subagent_ids.items[i]);

		if (s)
			write_one(&w, s);
	}
	jw_arr_end(&w);
	JW_KBOOL(&w, "timedOut", timed_out);
	JW_KINT(&w, "sequence", state->s->sequence);
	jw_obj_end(&w);
	send_reply(r, &out);
}

/* The timeout says nothing about the children. */
static void time_is_up(struct clock_timer *t)
{
	struct request *r = OWNER_OF(t, struct request, timer);

	list_remove(&r->waiter.node);
	wait_done(r, true);
}

/* Checked after commits only, because a reply may show durable states only. */
void subagents_durable(struct session *s)
{
	LIST_EACH_SAFE (&s->watching, node, tmp) {
		struct request *r = LIST_ITEM(node, struct request, waiter.node);

		if (!is_over(s->state, r->args))
			continue;
		list_remove(&r->waiter.node);
		wait_done(r, false);
	}
}

/*
 * The wait holds the session in memory (`watching`) and ends with a commit after which
 * enough children rest, or with the timer.
 */
void query_wait_subagents(struct request *r, const struct cmd_wait_subagents *c)
{
	struct clock *clock = r->engine->ports.clock;
	int64_t most = c->has_timeout_ms ? c->timeout_ms : LIMIT_WAIT_MAX_S * 1000;

	if (most < 0 || most > LIMIT_WAIT_MAX_S * 1000) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "timeoutMs: 0 to %d",
		             LIMIT_WAIT_MAX_S * 1000);
		request_wait(r);
		return;
	}
	for (uint32_t i = 0; i < c->subagent_ids.count; i++)
		if (!subagent_find(r->session->state, c->subagent_ids.items[i])) {
			request_fail(r, ERROR_CODE_SUBAGENT_NOT_FOUND,
			             "%.*s is not a child agent of this session",
			             STR_ARG(c->subagent_ids.items[i]));
			request_wait(r);
			return;
		}
	if (is_over(r->session->state, c) || !most) {
		wait_done(r, !is_over(r->session->state, c));
		return;
	}
	list_add(&r->session->watching, &r->waiter.node);
	r->timer.fire = time_is_up;
	clock->ops->start(clock, &r->timer, most);
}
