/* Commands, and the guarantees of their replies. */
#include "crash_run_int.h"

#include "base/json.h"
#include "base/map.h"

#include <stdio.h>

static struct sent *sent_new(struct crash_run *t)
{
	if (t->sent_count == t->sent_cap) {
		size_t cap = t->sent_cap ? t->sent_cap * 2 : 64;

		t->sent = arena_grow(t->mem, t->sent, t->sent_count * sizeof *t->sent,
		                     cap * sizeof *t->sent);
		t->sent_cap = cap;
	}
	return t->sent[t->sent_count++] = ARENA_NEW(t->mem, struct sent);
}

static void send_off(struct crash_run *t, struct sent *n)
{
	n->run = t->runs;
	n->response =
		sim_send(t->sim, n->command, n->params.ptr, str_is(n->key) ? n->key.ptr : NULL);
	t->commands++;
	if (t->o.is_loud)
		fprintf(stderr, "> %s %.*s%s%.*s\n", n->command, STR_ARG(str_head(n->params, 300)),
		        str_is(n->key) ? " key " : "", STR_ARG(n->key));
}

struct sent *crash_run_send(struct crash_run *t, const char *command, struct str params,
                            const char *key)
{
	struct sent *n;

	if (!crash_run_lives(t))
		return NULL;
	n = sent_new(t);
	n->command = command;
	n->params = arena_keep(t->mem, params);
	n->key = arena_keep(t->mem, str_from(key));
	send_off(t, n);
	return n;
}

struct sent *crash_run_repeat(struct crash_run *t, const struct sent *first)
{
	struct sent *n;

	if (!crash_run_lives(t))
		return NULL;
	n = sent_new(t);
	n->command = first->command;
	n->params = first->params;
	n->key = first->key;
	n->repeats = first;
	send_off(t, n);
	return n;
}

void crash_run_forget(struct crash_run *t, struct sent *n)
{
	if (!n || !crash_run_lives(t) || !n->response || n->response->is_done)
		return;
	if (t->o.is_loud)
		fprintf(stderr, "- no caller waits for %s\n", n->command);
	sim_forget(t->sim, n->response);
	n->response = NULL;
	n->is_forgotten = true;
}

/* ---- answers ---- */

static struct json body_of(struct crash_run *t, const struct sent *n)
{
	struct json v = { NULL };

	if (json_read_trusted(t->mem, n->body, &v, NULL) != OK)
		crash_run_fail(t, "%s answered what is no JSON", n->command);
	return v;
}

static struct str member(struct crash_run *t, const struct sent *n, const char *key)
{
	struct json v;
	struct str found = json_str(json_get(body_of(t, n), str_from(key)));

	if (str_is(found))
		return found;
	return json_read_trusted(t->mem, n->params, &v, NULL) == OK
	               ? json_str(json_get(v, str_from(key)))
	               : STR_NONE;
}

/* Did it leave events behind?  A command that did not is decided again when it is repeated. */
static bool left_events(struct crash_run *t, const struct sent *n)
{
	struct str key = n->key;
	const struct event *ev;
	struct sha256 hash;

	if (!n->is_answered || n->code)
		return false;
	if (!str_is(key))
		key = arena_printf(t->mem, "turn:%.*s", STR_ARG(member(t, n, "turnId")));
	hash = sha256_of(arena_printf(t->mem, "owner\n%s\n%.*s", n->command, STR_ARG(key)));
	ev = map_get(t->keys, sha256_hex(t->mem, &hash));
	/* Events after its reply are those of a later try. */
	return ev && ev->sequence <= json_int(JSON_GET(body_of(t, n), "sequence"), 0);
}

/* spec: contracts/control-plane#idempotency */
static void check_repeat(struct crash_run *t, const struct sent *n)
{
	const struct sent *first = n->repeats;

	if (!first || !left_events(t, first))
		return;
	if ((n->code == ERROR_CODE_STORAGE_FULL && t->o.may_be_full) ||
	    (n->code == ERROR_CODE_STORE_FAILED && t->o.may_fail))
		return;
	/* A turn's id went with its session; replies to keys stay. */
	if (n->code == ERROR_CODE_SESSION_DELETED && !str_is(n->key))
		return;
	if (n->code || !str_eq(n->body, first->body))
		crash_run_fail(t, "%s %.*s answered %.*s, then %.*s", n->command,
		               STR_ARG(n->params), STR_ARG(str_head(first->body, 300)),
		               STR_ARG(str_head(n->body, 300)));
	else if (!n->is_replay)
		crash_run_fail(t, "%s %.*s is not called a replay", n->command, STR_ARG(n->params));
}

/* Has the model seen what this reply says? */
static void check_promise(struct crash_run *t, const struct sent *n)
{
	struct json v = body_of(t, n);
	int64_t sequence = json_int(JSON_GET(v, "sequence"), 0);
	struct str session = member(t, n, "sessionId"), turn = json_str(JSON_GET(v, "turnId"));
	struct str action = json_str(JSON_GET(v, "actionId"));
	struct str decision = json_str(JSON_GET(v, "decision"));
	struct json winner = JSON_GET(v, "winner");
	struct seen *s;

	if (strcmp(n->command, "delete_session") == 0)
		session = STR("sess_system"); /* which has the event */
	s = str_is(session) ? seen_find(t, session) : NULL;
	if (n->code && !json_is(winner))
		return;
	if (json_is(winner)) { /* a refusal depends on events too */
		action = json_str(JSON_GET(winner, "actionId"));
		decision = json_str(JSON_GET(winner, "decision"));
	}
	if (sequence && (!s || (int64_t)invariant_count(s->log) < sequence))
		crash_run_fail(t, "%s answered sequence %lld of %.*s, which has %zu", n->command,
		               (long long)sequence, STR_ARG(session),
		               s ? invariant_count(s->log) : 0);
	else if (str_is(turn) && !n->code && !map_get(t->turns, turn))
		crash_run_fail(t, "%s answered turn %.*s, which is not there", n->command,
		               STR_ARG(turn));
	if (str_is(action) && str_is(decision)) {
		const struct event *ev = map_get(t->decisions, action);

		if (!ev)
			crash_run_fail(t, "%s said that %.*s was answered, which is not so",
			               n->command, STR_ARG(action));
		else if (!str_eq(approval_decision_word(
					 ((const struct ev_action_resolved *)ev->payload)
						 ->decision),
		                 decision))
			crash_run_fail(t, "%s said that %.*s was answered otherwise", n->command,
			               STR_ARG(action));
	}
}

void answers_check(struct crash_run *t)
{
	for (size_t i = 0; i < t->sent_count && !t->why[0]; i++)
		if (t->sent[i]->is_answered)
			check_promise(t, t->sent[i]);
}

static void look_at(struct crash_run *t, const struct sent *n)
{
	struct str request_id = n->code ? json_str(JSON_GET(body_of(t, n), "requestId")) : STR_NONE;

	if (str_is(request_id) && map_get(t->requests, request_id))
		crash_run_fail(t, "%s %.*s was refused and has left events", n->command,
		               STR_ARG(n->params));
	switch (n->code) {
	case ERROR_CODE_STORE_FAILED:
		if (!t->o.may_fail)
			crash_run_fail(t, "%s answered %.*s", n->command, STR_ARG(n->body));
		break;
	case ERROR_CODE_SESSION_MOVED:
	case ERROR_CODE_UNKNOWN_COMMAND:
	case ERROR_CODE_UNAVAILABLE:
	case ERROR_CODE_INTERNAL:
		crash_run_fail(t, "%s %.*s answered %.*s", n->command, STR_ARG(n->params),
		               STR_ARG(n->body));
		break;
	case ERROR_CODE_STORAGE_FULL:
		if (!t->o.may_be_full)
			crash_run_fail(t, "%s: the disk is not full", n->command);
		break;
	default:
		break;
	}
	check_repeat(t, n);
}

void crash_run_harvest(struct crash_run *t)
{
	bool is_first = true;

	for (size_t i = t->harvested; i < t->sent_count; i++) {
		struct sent *n = t->sent[i];

		if (n->response && n->response->is_done && !n->is_answered) {
			n->is_answered = true;
			n->code = n->response->code;
			t->answers[n->code]++;
			n->is_replay = n->response->is_replay;
			n->body = arena_keep(t->mem, n->response->body);
			if (t->o.is_loud)
				fprintf(stderr, "< %s %.*s\n", n->command,
				        STR_ARG(str_head(n->body, 300)));
			look_at(t, n);
		}
		if (is_first && n->is_answered)
			t->harvested = i + 1;
		else
			is_first = false;
	}
}
