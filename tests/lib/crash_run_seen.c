/* What the model is sent, and keeps. */
#include "crash_run_int.h"

#include "base/map.h"
#include "memory_blobs.h"

#include <stdio.h>

struct seen *seen_find(struct crash_run *t, struct str id)
{
	for (size_t i = 0; i < t->session_count; i++)
		if (str_eq(t->sessions[i]->id, id))
			return t->sessions[i];
	return NULL;
}

struct seen *seen_of(struct crash_run *t, struct str id)
{
	struct seen *s = seen_find(t, id);

	if (s)
		return s;
	if (t->session_count == t->session_cap) {
		size_t cap = t->session_cap ? t->session_cap * 2 : 8;

		t->sessions =
			arena_grow(t->mem, t->sessions, t->session_count * sizeof *t->sessions,
		                   cap * sizeof *t->sessions);
		t->session_cap = cap;
	}
	s = ARENA_NEW(t->mem, struct seen);
	s->id = arena_keep(t->mem, id);
	s->log = invariant_log_new(t->invariants);
	t->sessions[t->session_count++] = s;
	return s;
}

/* What later checks look up by id. */
static void note(struct crash_run *t, const struct event *ev)
{
	struct str key = STR_NONE;

	switch (ev->type) {
	case EV_TURN_SUBMITTED:
		map_put(t->turns, ev->turn_id, (void *)ev);
		break;
	case EV_ACTION_RESOLVED:
		map_put(t->decisions, ev->action_id, (void *)ev);
		break;
	case EV_MODEL_REQUESTED:
		key = ev->model_request_id;
		break;
	case EV_SANDBOX_APPLIED:
		key = ev->tool_call_id;
		break;
	case EV_TOOL_PROGRESS:
		if (((const struct ev_tool_progress *)ev->payload)->kind ==
		    TOOL_PROGRESS_KIND_DISPATCHED)
			key = ev->tool_call_id;
		break;
	default:
		break;
	}
	if (str_is(key))
		map_put(t->marks, key, (void *)ev);
}

/* spec: contracts/control-plane#idempotency — the first event of a command carries its record. */
static void note_command(struct crash_run *t, const struct event *ev)
{
	const struct event *first;

	if (!ev->command || !str_is(ev->request_id)) /* what a rule does is no request */
		return;
	first = map_put(t->requests, ev->request_id, (void *)ev);
	if (first)
		crash_run_fail(t, "%.*s: two commands in one request", STR_ARG(ev->request_id));
	if (!str_is(ev->command->key_hash))
		return;
	first = map_put(t->keys, ev->command->key_hash, (void *)ev);
	if (first)
		crash_run_fail(t, "one key, two commands: %.*s %lld and %.*s %lld",
		               STR_ARG(first->session_id), (long long)first->sequence,
		               STR_ARG(ev->session_id), (long long)ev->sequence);
}

static void note_floor(struct seen *s, const struct event *ev)
{
	const struct ev_snapshot_updated *p = ev->payload;

	if (ev->type == EV_SNAPSHOT_UPDATED && p->has_removed_through)
		s->floor = MAX(s->floor, (uint64_t)p->removed_through);
}

/* The session is gone with this event: all that was seen of it was durable before. */
static void note_removal(struct crash_run *t, const struct event *ev)
{
	const struct ev_session_updated *p = ev->payload;
	struct seen *s;

	if (ev->type != EV_SESSION_UPDATED || !p->removed)
		return;
	s = seen_find(t, p->removed->session_id);
	if (!s)
		return;
	if (s->is_deleted || (int64_t)invariant_count(s->log) > p->removed->last_sequence)
		crash_run_fail(t, "%.*s was deleted at %lld, and %zu events were seen of it%s",
		               STR_ARG(s->id), (long long)p->removed->last_sequence,
		               invariant_count(s->log), s->is_deleted ? ", twice" : "");
	s->is_deleted = true;
}

static void check_spilled(struct crash_run *t, const struct event *ev)
{
	const struct ev_output_spilled *p = ev->payload;
	struct sha256 hash, said;
	struct str data;

	if (ev->type != EV_OUTPUT_SPILLED || !ev->output)
		return;
	if (!p->complete) {
		map_put(t->partial, ev->output_ref, (void *)ev);
		return;
	}
	if (!memory_blobs_sealed(t->memory_blobs, ev->output_ref, &data, &hash))
		crash_run_fail(t, "%.*s %lld names %.*s, which is not sealed",
		               STR_ARG(ev->session_id), (long long)ev->sequence,
		               STR_ARG(ev->output_ref));
	else if ((int64_t)data.len != p->size_bytes ||
	         !sha256_read_hex(ev->output->sha256, &said) || !sha256_eq(&said, &hash))
		crash_run_fail(t, "%.*s is not what event %lld says of it", STR_ARG(ev->output_ref),
		               (long long)ev->sequence);
}

static struct str tail(struct str id)
{
	return str_skip(id, id.len - MIN(id.len, 6));
}

/* One line of a loud crash run: where, what, and about whom. */
static void tell(const struct event *ev)
{
	const struct {
		const char *name;
		struct str id;
	} ids[] = { { "turn", ev->turn_id },     { "task", ev->task_id },
		    { "run", ev->run_id },       { "action", ev->action_id },
		    { "item", ev->job_item_id }, { "child", ev->subagent_id } };

	fprintf(stderr, "    %.*s %lld %.*s", STR_ARG(tail(ev->session_id)),
	        (long long)ev->sequence, STR_ARG(event_type_word(ev->type)));
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		if (str_is(ids[i].id))
			fprintf(stderr, " %s %.*s", ids[i].name, STR_ARG(tail(ids[i].id)));
	if (ev->status)
		fprintf(stderr, " %.*s", STR_ARG(status_word(ev->status)));
	if (str_is(ev->status_reason))
		fprintf(stderr, " (%.*s)", STR_ARG(str_head(ev->status_reason, 80)));
	fputc('\n', stderr);
}

void seen_event(struct crash_run *t, struct str session, uint64_t seq, struct str body)
{
	struct seen *s = seen_of(t, session);
	struct error e;

	if (t->why[0])
		return;
	if (seq > invariant_count(s->log) && s->is_deleted)
		crash_run_fail(t, "%.*s was deleted, and has event %llu", STR_ARG(session),
		               (unsigned long long)seq);
	if (seq <= invariant_count(s->log)) {
		if (!str_eq(invariant_line(s->log, seq - 1), body))
			crash_run_fail(t, "%.*s %llu was seen as %.*s and is now %.*s",
			               STR_ARG(session), (unsigned long long)seq,
			               STR_ARG(str_head(invariant_line(s->log, seq - 1), 200)),
			               STR_ARG(str_head(body, 200)));
		return;
	}
	if (!invariant_feed(s->log, arena_keep(t->mem, body), NULL, &e)) {
		crash_run_fail(t, "invariant: %s", e.message);
		return;
	}
	t->events++;
	t->classes[invariant_event(s->log, seq - 1)->type]++;
	note(t, invariant_event(s->log, seq - 1));
	note_command(t, invariant_event(s->log, seq - 1));
	note_floor(s, invariant_event(s->log, seq - 1));
	note_removal(t, invariant_event(s->log, seq - 1));
	check_spilled(t, invariant_event(s->log, seq - 1));
	if (t->o.is_loud)
		tell(invariant_event(s->log, seq - 1));
}

void seen_followed(void *owner, const struct control_event *ev)
{
	struct crash_run *t = owner;
	struct seen *s = seen_of(t, ev->session);

	if (ev->seq != s->again + 1 && !(ev->seq > s->again && ev->seq <= s->floor + 1))
		crash_run_fail(t, "the follower got %.*s %llu after %zu", STR_ARG(ev->session),
		               (unsigned long long)ev->seq, s->again);
	s->again = ev->seq;
	seen_event(t, ev->session, ev->seq, bytes_str(ev->body));
}

void seen_early(void *owner, struct str session, const struct store_event *ev)
{
	struct crash_run *t = owner;

	if (t->sim && !sim_is_dead(t->sim))
		seen_event(t, session, ev->seq, bytes_str(ev->body));
}

static void begins(struct crash_run *t, struct str id, const char *what)
{
	if (map_get(t->started, id))
		crash_run_fail(t, "%s %.*s was begun twice", what, STR_ARG(id));
	map_put(t->started, arena_keep(t->mem, id), (void *)what);
}

static size_t answers_to(const struct model_request *req, size_t from, struct str call_id)
{
	size_t count = 0;

	for (size_t i = from; i < req->message_count && req->messages[i].role == ROLE_TOOL; i++)
		count += str_eq(req->messages[i].call_id, call_id);
	return count;
}

/* Required by every provider: each call has its result before any other message. */
static void check_conversation(struct crash_run *t, const struct model_request *req)
{
	static const char *const roles[] = { [ROLE_SYSTEM] = "system",
		                             [ROLE_USER] = "user",
		                             [ROLE_ASSISTANT] = "assistant",
		                             [ROLE_TOOL] = "tool" };
	const struct message *m = req->messages;
	size_t pending = 0, first = 0;

	while (first < req->message_count && m[first].role == ROLE_SYSTEM)
		first++;
	for (size_t i = 0; i < req->message_count; i++) {
		if (m[i].role == ROLE_TOOL && !pending--) {
			crash_run_fail(t, "%.*s is sent a result that no call asked for",
			               STR_ARG(req->request_id));
			return;
		}
		if (m[i].role != ROLE_TOOL && pending) {
			crash_run_fail(t, "%.*s is sent a call without its result",
			               STR_ARG(req->request_id));
			return;
		}
		if (m[i].role != ROLE_ASSISTANT && !str_is(m[i].text))
			crash_run_fail(
				t, "%.*s is sent a message without text, the %zu. of %zu, of %s",
				STR_ARG(req->request_id), i + 1, req->message_count,
				roles[m[i].role]);
		for (size_t n = 0; n < m[i].call_count; n++)
			if (!str_is(m[i].calls[n].call_id) ||
			    answers_to(req, i + 1, m[i].calls[n].call_id) != 1)
				crash_run_fail(t, "%.*s is sent a call that is not answered once",
				               STR_ARG(req->request_id));
		pending += m[i].call_count;
	}
	if (pending || first == req->message_count || m[first].role != ROLE_USER ||
	    m[req->message_count - 1].role == ROLE_ASSISTANT)
		crash_run_fail(t,
		               "%.*s is sent %zu messages from %s to %s, which is no conversation",
		               STR_ARG(req->request_id), req->message_count,
		               req->message_count ? roles[m[0].role] : "none",
		               req->message_count ? roles[m[req->message_count - 1].role] : "none");
}

void seen_model(void *owner, const struct model_request *req)
{
	begins(owner, req->request_id, "request");
	check_conversation(owner, req);
}

void seen_tool(void *owner, struct str call_id)
{
	begins(owner, call_id, "call");
}

void check_marks(struct crash_run *t)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(t->started, &i, &slot);)
		if (!map_get(t->marks, slot->key))
			crash_run_fail(t, "%s %.*s was begun, and its mark is gone",
			               (char *)slot->value, STR_ARG(slot->key));
}
