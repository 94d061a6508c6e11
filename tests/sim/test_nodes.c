/*
 * Two and three runtimes on one store: commands and streams on any of them, work of a dead one
 * continues elsewhere, and nothing is begun twice.
 */
#include "invariants.h"
#include "rng.h"
#include "sim_nodes.h"

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "core/settings.h"
#include "engine/engine_state.h" /* running_tasks, and which sessions are in memory */
#include "lib/t.h"
#include "ports/store.h"

static const char script[] =
	"{ \"version\": 1, \"tools\": [ { \"name\": \"careful\", \"policy\": \"ask\", "
	"\"result\": { \"text\": \"done\" } } ],"
	"  \"rules\": [ { \"when\": { \"afterTool\": \"careful\" }, \"reply\": { \"text\": "
	"\"allowed\" } },"
	"    { \"when\": { \"text\": \"approve\", \"request\": 1 }, \"reply\": { \"toolCalls\": [ "
	"{ \"name\": \"careful\", \"args\": {} } ] } },"
	"    { \"when\": { \"text\": \"think\", \"request\": 1 }, \"reply\": { \"firstDelayMs\": "
	"5000, "
	"\"text\": \"thought\", \"usage\": { \"input\": 10, \"output\": 290 } } },"
	"    { \"when\": { \"text\": \"ponder\", \"request\": 1 }, \"reply\": { \"firstDelayMs\": "
	"60000, "
	"\"text\": \"pondered\" } },"
	"    { \"when\": { \"text\": \"used up\" }, \"reply\": { \"error\": { \"status\": 429, "
	"\"category\": \"quota\", \"retryable\": false, \"message\": \"no credit\", "
	"\"retryAfterMs\": 600000 } } },"
	"    { \"when\": { \"text\": \"fail\", \"attempt\": 1 }, \"reply\": { \"error\": { "
	"\"status\": 503, \"message\": \"down\" } } } ],"
	"  \"default\": { \"text\": \"hello\", \"usage\": { \"input\": 10, \"output\": 290 } },"
	"  \"maxOutputTokens\": 300, \"price\": { \"inputPerMTok\": 3, \"outputPerMTok\": 15 } }";

/* ---- what happened ---- */

struct begun {
	struct arena *mem;
	struct map at; /* "call" → the node that began it + 1 */
	unsigned count, twice;
};

static void begins(void *owner, unsigned node, struct str what)
{
	struct begun *b = owner;

	b->count++;
	if (map_get(&b->at, what))
		b->twice++;
	map_put(&b->at, arena_keep(b->mem, what), (void *)(uintptr_t)(node + 1));
}

/* Three machines; the third and the first share a directory, and two have labels. */
static const char *const machines[SIM_NODES_MAX] = {
	"{\"name\":\"a\",\"machine\":\"ma\",\"isReached\":true,\"labels\":[\"disk\"],"
	"\"workspaces\":[{\"name\":"
	"\"docs\","
	"\"path\":\"/docs\",\"isShared\":true}]}",
	"{\"name\":\"b\",\"machine\":\"mb\",\"isReached\":true,\"labels\":[\"disk\",\"gpu\"],"
	"\"workspaces\":[{"
	"\"name\":"
	"\"models\",\"path\":\"/models\",\"isShared\":false}]}",
	"{\"name\":\"c\",\"machine\":\"mc\",\"isReached\":true,\"workspaces\":[{\"name\":\"docs\","
	"\"path\":\"/docs\","
	"\"isShared\":true}]}",
};

struct house {
	const char *cwd; /* of sessions that are created; NULL: none is named */
	struct sim_nodes *n;
	struct begun begun;
	struct arena *mem;
};

static void open_house_of(struct house *h, unsigned count, uint64_t seed,
                          const struct sim_options *sim)
{
	struct sim_nodes_options o = {
		.count = count, .seed = seed, .sim = *sim, .begins = begins, .owner = &h->begun
	};

	for (unsigned i = 0; h->cwd && i < SIM_NODES_MAX; i++)
		o.places[i] = machines[i];
	*h = (struct house){ .mem = arena_new(), .cwd = h->cwd };
	h->begun.mem = h->mem;
	h->n = sim_nodes_new(&o);
}

static void open_house_with(struct house *h, unsigned count, uint64_t seed,
                            struct settings_caps caps)
{
	open_house_of(h, count, seed,
	              &(struct sim_options){
			      .script = str_from(script), .version = STR("1"), .caps = caps });
}

static void open_house(struct house *h, unsigned count, uint64_t seed)
{
	open_house_with(h, count, seed, (struct settings_caps){ 0 });
}

static void close_house(struct house *h)
{
	sim_nodes_free(h->n);
	map_done(&h->begun.at);
	arena_free(h->mem);
}

/* ---- reading the shared log ---- */

struct log {
	struct arena *mem;
	struct str lines[4096];
	struct sha256 hashes[4096];
	size_t count;
	bool is_done;
};

static void log_page(struct store_read *r)
{
	struct log *l = r->owner;

	for (size_t i = 0; i < r->event_count && l->count < COUNT_OF(l->lines); i++) {
		l->hashes[l->count] = r->events[i].hash;
		l->lines[l->count++] = arena_keep(l->mem, bytes_str(r->events[i].body));
	}
	l->is_done = !r->more;
	port_store_read_done(r);
}

static struct log *read_log(struct house *h, unsigned node, struct str session)
{
	struct store *st = sim_store(sim_nodes_at(h->n, node));
	struct log *l = ARENA_NEW(h->mem, struct log);

	l->mem = h->mem;
	while (!l->is_done) {
		struct store_read r = { .kind = READ_EVENTS,
			                .session = session,
			                .after = l->count,
			                .done = log_page,
			                .owner = l };

		st->ops->read(st, &r);
		st->ops->poll(st);
	}
	return l;
}

static unsigned count_type(const struct log *l, const char *type)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	unsigned count = 0;

	for (size_t i = 0; i < l->count; i++)
		count += str_find(l->lines[i], arena_printf(mem, "\"type\":\"%s\"", type)) >= 0;
	return count;
}

static bool is_whole(struct house *h, unsigned node, struct str session, enum invariant_rest how)
{
	struct log *l = read_log(h, node, session);
	struct invariants *inv = invariants_new();
	struct error e = { 0 };
	bool is_good = invariants_check(inv, l->lines, l->hashes, l->count, how,
	                                sim_settings(sim_nodes_at(h->n, node)), &e);

	if (!is_good)
		fprintf(stderr, "%.*s: %s\n", STR_ARG(session), e.message);
	invariants_free(inv);
	return is_good;
}

static struct str member(struct house *h, const struct sim_answer *a, const char *key)
{
	struct json v;

	if (json_read_trusted(h->mem, a->body, &v, NULL) != OK)
		return STR_NONE;
	return arena_keep(h->mem, json_str(json_get(v, str_from(key))));
}

static const struct sim_answer *submit(struct house *h, unsigned node, const char *session,
                                       const char *text)
{
	return sim_nodes_call(h->n, node, "submit_turn",
	                      arena_printf(h->mem, "{\"sessionId\":\"%s\",\"input\":\"%s\"%s%s%s}",
	                                   session, text, h->cwd ? ",\"cwd\":\"" : "",
	                                   h->cwd ? h->cwd : "", h->cwd ? "\"" : "")
	                              .ptr,
	                      NULL);
}

static const struct sim_answer *drain(struct house *h, unsigned node, const char *name)
{
	return sim_nodes_call(h->n, node, "drain_node",
	                      arena_printf(h->mem, "{\"name\":\"%s\"}", name).ptr, NULL);
}

static struct str pending_action(struct house *h, unsigned node, const char *session)
{
	struct log *l = read_log(h, node, str_from(session));
	struct str found = STR_NONE;

	for (size_t i = 0; i < l->count; i++) {
		struct json v;

		if (json_read_trusted(h->mem, l->lines[i], &v, NULL) == OK &&
		    str_eq(json_str(JSON_GET(v, "type")), STR("action.required")))
			found = json_str(JSON_GET(v, "actionId"));
	}
	return found;
}

static const struct sim_answer *answer(struct house *h, unsigned node, const char *session,
                                       struct str action)
{
	return sim_nodes_call(h->n, node, "respond_action",
	                      arena_printf(h->mem,
	                                   "{\"sessionId\":\"%s\",\"actionId\":\"%.*s\","
	                                   "\"decision\":\"allow\",\"scope\":\"once\"}",
	                                   session, STR_ARG(action))
	                              .ptr,
	                      NULL);
}

/* ---- streams ---- */

/* What a follower of all sessions saw, or one of a single session: each event once, in order. */
struct seen {
	struct arena *mem;
	struct map next; /* session → the sequence that comes next */
	uint64_t count;
	bool is_torn;
};

static void see(struct seen *seen, struct str line)
{
	struct json v;
	struct str session;
	uint64_t seq, next;

	if (json_read_trusted(seen->mem, line, &v, NULL) != OK)
		abort();
	session = json_str(JSON_GET(v, "sessionId"));
	seq = (uint64_t)json_int(JSON_GET(v, "sequence"), 0);
	next = (uintptr_t)map_get(&seen->next, session) + 1;
	if (seq != next) {
		fprintf(stderr, "%.*s: event %llu instead of %llu\n", STR_ARG(session),
		        (unsigned long long)seq, (unsigned long long)next);
		seen->is_torn = true;
	}
	map_put(&seen->next, arena_keep(seen->mem, session), (void *)(uintptr_t)seq);
	seen->count++;
}

static bool streams_are_whole(struct house *h)
{
	uint64_t count = 0;
	bool is_good = true;

	for (unsigned i = 0; i < SIM_NODES_MAX; i++) {
		struct seen seen = { .mem = h->mem };
		const struct sim_log *log;

		if (!sim_nodes_at(h->n, i))
			continue;
		log = sim_log(sim_nodes_at(h->n, i));
		for (size_t k = 0; k < log->count; k++)
			see(&seen, log->lines[k]);
		map_done(&seen.next);
		if (count && seen.count != count)
			fprintf(stderr, "node %u saw %llu events, another %llu\n", i,
			        (unsigned long long)seen.count, (unsigned long long)count);
		is_good &= !seen.is_torn && (!count || seen.count == count);
		count = seen.count;
	}
	return is_good;
}

struct follower {
	struct seen seen;
	unsigned ended;
};

static bool on_event(void *owner, const struct control_event *ev)
{
	see(&((struct follower *)owner)->seen, bytes_str(ev->body));
	return true;
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	((struct follower *)owner)->seen.is_torn = true;
}

static void on_end(void *owner, enum stream_end why)
{
	((struct follower *)owner)->ended++;
}

static const struct control_sink sink = { .event = on_event, .gap = on_gap, .end = on_end };

/* ---- stories ---- */

TEST(a_command_for_a_session_of_another_node_reaches_its_owner)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 200);

	const struct sim_answer *a = answer(&h, 1, "s", pending_action(&h, 0, "s"));

	CHECK_INT(a->code, 0);
	CHECK_INT(a->http, 200);
	sim_nodes_run(h.n, 200);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "turn.completed"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(a_read_of_a_session_of_another_node_is_answered_by_its_owner)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK(str_eq(member(&h,
	                    sim_nodes_call(h.n, 1, "get_session", "{\"sessionId\":\"s\"}", NULL),
	                    "sessionId"),
	             STR("s")));
	close_house(&h);
}

TEST(a_refusal_comes_back_as_the_owner_wrote_it)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 200);

	const struct sim_answer *a = answer(&h, 1, "s", STR("act_none"));

	CHECK_INT(a->code, ERROR_CODE_ACTION_NOT_FOUND);
	CHECK_INT(a->http, 404);
	CHECK(str_eq(member(&h, a, "code"), STR("action_not_found")));
	close_house(&h);
}

TEST(a_session_at_rest_belongs_to_no_node_and_any_node_continues_it)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 400000);
	sim_nodes_cut(h.n, 0, true); /* so the command cannot be sent there */
	CHECK_INT(submit(&h, 1, "s", "hello")->code, 0);
	sim_nodes_cut(h.n, 0, false);
	sim_nodes_run(h.n, 400000);
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "turn.completed"), 3);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "history.reconstructed"), 0);
	CHECK(is_whole(&h, 0, STR("s"), INVARIANT_OVER));
	close_house(&h);
}

TEST(an_approval_of_a_dead_node_is_answered_on_another_within_two_seconds)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 2000);

	struct str action = pending_action(&h, 1, "s");

	sim_nodes_kill(h.n, 0);
	CHECK_INT(answer(&h, 1, "s", action)->code, ERROR_CODE_NODE_UNREACHABLE);
	sim_nodes_run(h.n, 2000);
	CHECK_INT(answer(&h, 1, "s", action)->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "turn.completed"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(a_model_request_of_a_dead_node_is_lost_once)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "think")->code, 0);
	sim_nodes_run(h.n, 2000);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "task.lost"), 1);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "task.lost"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_LIVE));
	close_house(&h);
}

TEST(a_stalled_node_begins_nothing_and_ends_when_it_wakes)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 2000);

	struct str action = pending_action(&h, 1, "s");

	sim_nodes_stall(h.n, 0, true);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(answer(&h, 1, "s", action)->code, 0);
	sim_nodes_stall(h.n, 0, false);
	sim_nodes_run(h.n, 1000);
	CHECK(!sim_nodes_at(h.n, 0));
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "turn.completed"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(a_command_that_waits_for_an_owner_that_died_is_begun_again_with_its_key)
{
	struct house h = { 0 };
	struct sim_answer *with_key, *without;

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	CHECK_INT(submit(&h, 0, "t", "approve")->code, 0);
	sim_nodes_run(h.n, 2000);
	sim_nodes_stall(h.n, 0, true);
	with_key = sim_send(sim_nodes_at(h.n, 1), "submit_turn",
	                    "{\"sessionId\":\"s\",\"input\":\"hello\"}", "k");
	without = sim_send(sim_nodes_at(h.n, 1), "submit_turn",
	                   "{\"sessionId\":\"t\",\"input\":\"hello\"}", NULL);
	sim_nodes_run(h.n, 4000);
	CHECK(with_key->is_done && without->is_done);
	CHECK_INT(with_key->code, 0);
	CHECK_INT(without->code, ERROR_CODE_NODE_UNREACHABLE);
	sim_nodes_stall(h.n, 0, false);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "turn.submitted"), 2);
	CHECK_INT(count_type(read_log(&h, 1, STR("t")), "turn.submitted"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_REST));
	close_house(&h);
}

TEST(an_unreachable_owner_that_lives_is_named_with_a_time)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 2000);
	sim_nodes_cut(h.n, 0, true);

	const struct sim_answer *a = answer(&h, 1, "s", pending_action(&h, 1, "s"));

	CHECK_INT(a->code, ERROR_CODE_NODE_UNREACHABLE);
	CHECK_INT(a->http, 503);
	CHECK(str_eq(member(&h, a, "node"), STR("a")));
	CHECK(str_find(a->body, STR("\"retryable\":true")) >= 0);
	CHECK(str_find(a->body, STR("\"untilMs\":")) >= 0);
	close_house(&h);
}

/* ---- nodes of two versions ---- */

/* Its next start is a newer program, which has brought a class of events. */
static void upgrade(struct house *h, unsigned node, const char *class)
{
	sim_nodes_stop(h->n, node);
	sim_nodes_set_program(h->n, node, arena_printf(h->mem, "2 %s", class).ptr);
	sim_nodes_start(h->n, node);
	sim_nodes_run(h->n, 2000);
}

static bool has_session(struct house *h, unsigned node, const char *session)
{
	return session_find(sim_engine(sim_nodes_at(h->n, node)), str_from(session));
}

TEST(a_session_with_newer_events_is_continued_by_a_newer_node_only)
{
	struct house h = { 0 };
	const struct sim_answer *a;

	open_house(&h, 2, 1);
	upgrade(&h, 1, "action.required");
	CHECK_INT(submit(&h, 1, "s", "approve")->code, 0);
	CHECK_INT(submit(&h, 1, "plain", "hello")->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK_INT(answer(&h, 0, "s", pending_action(&h, 0, "s"))->code, 0);
	sim_nodes_run(h.n, 400000);
	/* At rest, each without an owner. */
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	CHECK_INT(submit(&h, 0, "plain", "hello")->code, 0);
	CHECK(has_session(&h, 1, "s") && !has_session(&h, 0, "s"));
	CHECK(has_session(&h, 0, "plain") && !has_session(&h, 1, "plain"));
	sim_nodes_run(h.n, 400000);
	sim_nodes_cut(h.n, 1, true);
	CHECK_INT(submit(&h, 0, "s", "hello")->code, ERROR_CODE_NODE_UNREACHABLE);
	sim_nodes_stop(h.n, 1);
	sim_nodes_run(h.n, 2000);
	a = submit(&h, 0, "s", "hello");
	CHECK_INT(a->code, ERROR_CODE_SESSION_NEEDS_NEWER);
	CHECK_INT(a->http, 503);
	CHECK_INT(sim_nodes_call(h.n, 0, "list_sessions", "{}", NULL)->code, 0);
	sim_nodes_start(h.n, 1);
	sim_nodes_run(h.n, 2000);
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "turn.completed"), 3);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	close_house(&h);
}

TEST(the_work_of_a_dead_newer_node_waits_for_one)
{
	struct house h = { 0 };
	struct str action;

	open_house(&h, 2, 1);
	upgrade(&h, 1, "action.required");
	CHECK_INT(submit(&h, 1, "s", "approve")->code, 0);
	CHECK_INT(submit(&h, 1, "plain", "think")->code, 0);
	sim_nodes_run(h.n, 2000);
	action = pending_action(&h, 0, "s");
	sim_nodes_kill(h.n, 1);
	sim_nodes_run(h.n, 5000);
	CHECK(!has_session(&h, 0, "s"));
	CHECK_INT(count_type(read_log(&h, 0, STR("plain")), "task.lost"), 1);
	CHECK_INT(answer(&h, 0, "s", action)->code, ERROR_CODE_SESSION_NEEDS_NEWER);
	/* Not even after a start, which recovers what is open. */
	sim_nodes_stop(h.n, 0);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 2000);
	CHECK(!has_session(&h, 0, "s"));
	sim_nodes_start(h.n, 1);
	sim_nodes_run(h.n, 5000);
	CHECK_INT(answer(&h, 0, "s", action)->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "turn.completed"), 1);
	CHECK_INT(h.begun.twice, 0);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	close_house(&h);
}

TEST(nodes_that_are_upgraded_one_after_the_other_lose_nothing)
{
	static const char *const sessions[] = { "s0", "s1", "s2" };
	struct house h = { 0 };

	open_house(&h, 3, 1);
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(submit(&h, i, sessions[i], "approve")->code, 0);
	sim_nodes_run(h.n, 2000);
	for (unsigned i = 0; i < 3; i++) {
		unsigned next = (i + 1) % 3;
		struct str action = pending_action(&h, next, sessions[i]);

		upgrade(&h, i, "tool.started");
		CHECK_INT(answer(&h, next, sessions[i], action)->code, 0);
		sim_nodes_run(h.n, 1000);
		CHECK_INT(submit(&h, i, sessions[i], "approve")->code, 0);
		sim_nodes_run(h.n, 1000);
		CHECK_INT(
			answer(&h, next, sessions[i], pending_action(&h, next, sessions[i]))->code,
			0);
		sim_nodes_run(h.n, 1000);
	}
	for (unsigned i = 0; i < 3; i++) {
		struct log *l = read_log(&h, 0, str_from(sessions[i]));

		CHECK_INT(count_type(l, "turn.completed"), 2);
		CHECK_INT(count_type(l, "tool.started"), 2);
		CHECK_INT(count_type(l, "task.lost"), 0);
		CHECK(is_whole(&h, 0, str_from(sessions[i]), INVARIANT_OVER));
	}
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(a_key_given_to_both_nodes_has_one_effect)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);

	const char *params = "{\"sessionId\":\"s\",\"input\":\"hello\"}";
	const struct sim_answer *a = sim_nodes_call(h.n, 1, "submit_turn", params, "k1");
	const struct sim_answer *b = sim_nodes_call(h.n, 0, "submit_turn", params, "k1");

	CHECK_INT(a->code, 0);
	CHECK_INT(b->code, 0);
	CHECK(b->is_replay && !a->is_replay);
	CHECK(str_eq(a->body, b->body));
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "turn.submitted"), 2);
	close_house(&h);
}

/* To two nodes before either has decided. */
static void send_to_both(struct house *h, const char *command, const char *first,
                         const char *second, const char *key, const struct sim_answer *ret[2])
{
	ret[0] = sim_send(sim_nodes_at(h->n, 0), command, first, key);
	ret[1] = sim_send(sim_nodes_at(h->n, 1), command, second, key);
	sim_nodes_run(h->n, 1000);
	CHECK(ret[0]->is_done && ret[1]->is_done);
}

static struct str session_of(struct house *h, const struct sim_answer *a)
{
	struct json doc;

	if (a->code)
		printf("# %.*s\n", STR_ARG(a->body));
	CHECK_INT(a->code, 0);
	CHECK_INT(json_read_trusted(h->mem, a->body, &doc, NULL), OK);
	return json_str(JSON_GET(doc, "sessionId"));
}

/* Of its own work, beside those of the nodes and the system. */
static unsigned count_sessions(struct house *h)
{
	const struct sim_answer *a = sim_nodes_call(h->n, 0, "list_sessions", "{}", NULL);
	struct json doc, row;
	struct json_iter it;
	struct str key;
	unsigned count = 0;

	CHECK_INT(json_read_trusted(h->mem, a->body, &doc, NULL), OK);
	it = json_iter(JSON_GET(doc, "sessions"));
	while (json_next(&it, &key, &row))
		count++;
	return count;
}

TEST(a_key_given_to_both_nodes_at_the_same_moment_makes_one_session)
{
	for (unsigned seed = 1; seed <= 20; seed++) {
		const struct sim_answer *a[2];
		struct house h = { 0 };

		open_house(&h, 2, seed);
		send_to_both(&h, "submit_turn", "{\"input\":\"hello\"}", "{\"input\":\"hello\"}",
		             "k1", a);
		CHECK_SAME(session_of(&h, a[0]), session_of(&h, a[1]));
		CHECK(str_eq(a[0]->body, a[1]->body));
		CHECK(a[0]->is_replay != a[1]->is_replay);
		CHECK_INT(count_sessions(&h), 1);
		CHECK_INT(count_type(read_log(&h, 0, session_of(&h, a[0])), "turn.completed"), 1);
		/* With other arguments the second one is refused. */
		send_to_both(&h, "submit_turn", "{\"input\":\"one\"}", "{\"input\":\"two\"}", "k2",
		             a);
		CHECK_INT((a[0]->code == ERROR_CODE_IDEMPOTENCY_CONFLICT) +
		                  (a[1]->code == ERROR_CODE_IDEMPOTENCY_CONFLICT),
		          1);
		CHECK_INT(a[0]->code + a[1]->code, ERROR_CODE_IDEMPOTENCY_CONFLICT);
		CHECK_INT(count_sessions(&h), 2);
		close_house(&h);
	}
}

TEST(an_id_chosen_at_both_nodes_at_the_same_moment_is_given_once)
{
	const struct sim_answer *a[2];
	struct house h = { 0 };

	open_house(&h, 2, 1);
	send_to_both(&h, "create_session", "{\"sessionId\":\"mine\"}", "{\"sessionId\":\"mine\"}",
	             NULL, a);
	CHECK_INT(a[0]->code + a[1]->code, ERROR_CODE_ID_CONFLICT);
	CHECK(!a[0]->code || !a[1]->code);
	/* A turn may use a session that is there already. */
	send_to_both(&h, "submit_turn", "{\"sessionId\":\"ours\",\"input\":\"hello\"}",
	             "{\"sessionId\":\"ours\",\"input\":\"hello\"}", NULL, a);
	CHECK_SAME(session_of(&h, a[0]), STR("ours"));
	CHECK_SAME(session_of(&h, a[1]), STR("ours"));
	sim_nodes_run(h.n, 5000);
	CHECK_INT(count_type(read_log(&h, 0, STR("ours")), "turn.completed"), 2);
	close_house(&h);
}

static void on_purged(struct store_maintenance *u)
{
	*(bool *)u->owner = true;
}

/* Its session has the id that the key would give it again. */
TEST(a_key_that_was_forgotten_makes_another_session)
{
	bool is_done = false;
	struct store_maintenance purge = {
		.kind = MAINTENANCE_PURGE, .before = INT64_MAX, .done = on_purged, .owner = &is_done
	};
	const struct sim_answer *a, *b;
	struct store *st;
	struct house h = { 0 };

	open_house(&h, 2, 1);
	a = sim_nodes_call(h.n, 0, "submit_turn", "{\"input\":\"hello\"}", "k1");
	st = sim_store(sim_nodes_at(h.n, 0));
	st->ops->maintenance(st, &purge);
	while (!is_done)
		st->ops->poll(st);
	b = sim_nodes_call(h.n, 1, "submit_turn", "{\"input\":\"hello\"}", "k1");
	CHECK(!str_eq(session_of(&h, a), session_of(&h, b)));
	CHECK(!b->is_replay);
	CHECK_INT(count_sessions(&h), 2);
	close_house(&h);
}

static const char ci_token[] = "{\"name\":\"ci\",\"scopes\":[\"read\"]}";

static bool is_valid_on(struct house *h, unsigned node, struct str token)
{
	struct control *c = engine_control(sim_engine(sim_nodes_at(h->n, node)));
	struct caller found;

	return c->ops->principal(c, token, &found);
}

TEST(tokens_that_one_node_gives_and_takes_count_on_all_when_it_answers)
{
	struct house h = { 0 };

	open_house(&h, 3, 1);
	for (unsigned round = 0; round < 5; round++) {
		struct str token =
			member(&h, sim_nodes_call(h.n, round % 3, "create_token", ci_token, NULL),
		               "token");

		for (unsigned i = 0; i < 3; i++)
			CHECK(is_valid_on(&h, i, token));
		CHECK_INT(sim_nodes_call(h.n, (round + 1) % 3, "revoke_token", "{\"name\":\"ci\"}",
		                         NULL)
		                  ->code,
		          0);
		for (unsigned i = 0; i < 3; i++)
			CHECK(!is_valid_on(&h, i, token));
	}
	close_house(&h);
}

TEST(a_node_that_stands_still_is_waited_for_until_it_counts_as_dead)
{
	struct house h = { 0 };
	struct str token;
	int64_t since;

	open_house(&h, 3, 1);
	token = member(&h, sim_nodes_call(h.n, 0, "create_token", ci_token, NULL), "token");
	sim_nodes_run(h.n, 2000);
	sim_nodes_stall(h.n, 2, true);
	since = sim_nodes_now(h.n);
	CHECK_INT(sim_nodes_call(h.n, 1, "revoke_token", "{\"name\":\"ci\"}", NULL)->code, 0);
	CHECK(sim_nodes_now(h.n) - since >= 500);
	CHECK(!is_valid_on(&h, 0, token));
	CHECK(!is_valid_on(&h, 1, token));
	/* It ends when it wakes, before it answers a command. */
	sim_nodes_stall(h.n, 2, false);
	sim_nodes_run(h.n, 100);
	CHECK(!sim_nodes_at(h.n, 2) || !is_valid_on(&h, 2, token));
	close_house(&h);
}

/* The id of the first grant that counts in every session, as a node lists them. */
static struct str first_grant(struct house *h, unsigned node)
{
	const struct sim_answer *a = sim_nodes_call(h->n, node, "list_grants", "{}", NULL);
	struct json v;

	if (json_read_trusted(h->mem, a->body, &v, NULL) != OK)
		return STR_NONE;
	return json_str(JSON_GET(json_at(JSON_GET(v, "grants"), 0), "grantId"));
}

TEST(a_grant_for_good_that_one_node_records_counts_on_the_other)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	/* The first node owns the system session. */
	CHECK_INT(sim_nodes_call(h.n, 0, "create_token", "{\"name\":\"ci\",\"scopes\":[\"read\"]}",
	                         NULL)
	                  ->code,
	          0);
	CHECK_INT(submit(&h, 1, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 500);
	CHECK_INT(sim_nodes_call(h.n, 1, "respond_action",
	                         arena_printf(h.mem,
	                                      "{\"sessionId\":\"s\",\"actionId\":\"%.*s\","
	                                      "\"decision\":\"allow\",\"scope\":\"workspace\"}",
	                                      STR_ARG(pending_action(&h, 1, "s")))
	                                 .ptr,
	                         NULL)
	                  ->code,
	          0);
	sim_nodes_run(h.n, 1000);
	for (unsigned i = 0; i < 2; i++) {
		const char *session = i ? "u" : "t";

		CHECK_INT(submit(&h, i, session, "approve")->code, 0);
		sim_nodes_run(h.n, 500);
		CHECK_INT(count_type(read_log(&h, i, str_from(session)), "turn.completed"), 1);
		CHECK_INT(count_type(read_log(&h, i, str_from(session)), "action.required"), 0);
	}
	close_house(&h);
}

TEST(a_grant_for_all_sessions_is_gone_on_every_node_when_its_revocation_is_answered)
{
	struct house h = { 0 };
	struct str grant;

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 1, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 500);
	CHECK_INT(sim_nodes_call(h.n, 1, "respond_action",
	                         arena_printf(h.mem,
	                                      "{\"sessionId\":\"s\",\"actionId\":\"%.*s\","
	                                      "\"decision\":\"allow\",\"scope\":\"workspace\"}",
	                                      STR_ARG(pending_action(&h, 1, "s")))
	                                 .ptr,
	                         NULL)
	                  ->code,
	          0);
	sim_nodes_run(h.n, 1000);
	grant = first_grant(&h, 0);
	CHECK(str_is(grant));
	CHECK_INT(sim_nodes_call(h.n, 0, "revoke_grant",
	                         arena_printf(h.mem, "{\"grantId\":\"%.*s\"}", STR_ARG(grant)).ptr,
	                         NULL)
	                  ->code,
	          0);
	CHECK(!str_is(first_grant(&h, 0)));
	CHECK(!str_is(first_grant(&h, 1)));
	for (unsigned i = 0; i < 2; i++) {
		const char *session = i ? "u" : "t";

		CHECK_INT(submit(&h, i, session, "approve")->code, 0);
		sim_nodes_run(h.n, 500);
		CHECK_INT(count_type(read_log(&h, i, str_from(session)), "action.required"), 1);
	}
	close_house(&h);
}

TEST(a_node_that_is_about_to_end_begins_nothing_and_others_continue_its_work)
{
	struct house h = { 0 };
	struct engine *e;

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "parked", "approve")->code, 0);
	CHECK_INT(submit(&h, 0, "slow", "think")->code, 0);
	CHECK_INT(submit(&h, 0, "backing_off", "fail")->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK_INT(submit(&h, 0, "slow", "hello")->code, 0); /* behind the slow turn */
	e = sim_engine(sim_nodes_at(h.n, 0));
	CHECK(engine_leave(e));
	CHECK(!engine_has_left(e));
	sim_nodes_run(h.n, 200);
	/* What waits is released at once: the other node need not ask this one. */
	sim_nodes_cut(h.n, 0, true);
	CHECK_INT(answer(&h, 1, "parked", pending_action(&h, 1, "parked"))->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK_INT(count_type(read_log(&h, 1, STR("parked")), "turn.completed"), 1);
	CHECK_INT(submit(&h, 0, "refused", "hello")->code, ERROR_CODE_SHUTTING_DOWN);
	sim_nodes_cut(h.n, 0, false);
	/* New work goes to the other node. */
	CHECK_INT(submit(&h, 0, "new", "hello")->http, 202);
	sim_nodes_run(h.n, 300);
	CHECK_INT(count_type(read_log(&h, 1, STR("new")), "turn.completed"), 1);
	CHECK(!engine_has_left(e));
	/* The slow request ends here; the turn behind it begins elsewhere. */
	sim_nodes_run(h.n, 6000);
	CHECK(engine_has_left(e));
	CHECK_INT(count_type(read_log(&h, 1, STR("slow")), "model.completed"), 1);
	sim_nodes_stop(h.n, 0);
	sim_nodes_run(h.n, 8000);
	CHECK_INT(count_type(read_log(&h, 1, STR("slow")), "turn.completed"), 2);
	CHECK_INT(count_type(read_log(&h, 1, STR("backing_off")), "turn.completed"), 1);
	CHECK_INT(count_type(read_log(&h, 1, STR("slow")), "model.failed"), 0);
	CHECK_INT(h.begun.twice, 0);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const all[] = { "parked", "slow", "backing_off" };

		CHECK(is_whole(&h, 1, str_from(all[i]), INVARIANT_OVER));
	}
	close_house(&h);
}

TEST(a_node_is_drained_by_way_of_another_one)
{
	struct house h = { 0 };
	struct engine *e;

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "slow", "think")->code, 0);
	sim_nodes_run(h.n, 200);
	e = sim_engine(sim_nodes_at(h.n, 0));
	CHECK_INT(drain(&h, 1, "x")->code, ERROR_CODE_NODE_NOT_FOUND);
	CHECK_INT(drain(&h, 1, "a")->code, 0);
	CHECK(!engine_has_left(e));
	CHECK_INT(drain(&h, 1, "a")->code, 0); /* again: nothing more happens */
	CHECK_INT(drain(&h, 1, "b")->code, ERROR_CODE_NO_OTHER_NODE);
	sim_nodes_run(h.n, 8000);
	CHECK(engine_has_left(e));
	CHECK_INT(count_type(read_log(&h, 1, STR("slow")), "turn.completed"), 1);
	sim_nodes_stop(h.n, 0);
	CHECK_INT(drain(&h, 1, "a")->code, ERROR_CODE_NODE_NOT_FOUND);
	CHECK_INT(drain(&h, 1, "b")->code, ERROR_CODE_NO_OTHER_NODE);
	CHECK_INT(submit(&h, 1, "slow", "hello")->http, 202);
	close_house(&h);
}

TEST(a_node_without_another_one_stops_as_it_is)
{
	struct house h = { 0 };
	struct engine *e;

	open_house(&h, 1, 1);
	CHECK_INT(submit(&h, 0, "slow", "think")->code, 0);
	sim_nodes_run(h.n, 200);
	e = sim_engine(sim_nodes_at(h.n, 0));
	CHECK(engine_leave(e));
	sim_nodes_run(h.n, 10);
	CHECK(engine_has_left(e));
	close_house(&h);
}

/* ---- limits of providers ---- */

TEST(a_limit_that_a_provider_reports_to_one_node_holds_on_the_others)
{
	struct house h = { 0 };

	open_house(&h, 3, 1);
	CHECK_INT(submit(&h, 1, "before", "hello")->code, 0);
	sim_nodes_run(h.n, 2000);
	CHECK_INT(count_type(read_log(&h, 1, STR("before")), "turn.completed"), 1);
	CHECK_INT(submit(&h, 0, "first", "used up")->code, 0);
	sim_nodes_run(h.n, 2000);
	CHECK_INT(count_type(read_log(&h, 0, STR("first")), "quota.blocked"), 1);
	/* No request is made that the provider would refuse. */
	for (unsigned node = 0; node < 3; node++) {
		const char *name = arena_printf(h.mem, "later_%u", node).ptr;

		CHECK_INT(submit(&h, node, name, "hello")->code, 0);
		sim_nodes_run(h.n, 2000);
		CHECK_INT(count_type(read_log(&h, node, str_from(name)), "model.requested"), 0);
	}
	close_house(&h);
}

/* ---- clocks ---- */

/* Every event has a time of the store's clock. */
static bool times_are_right(struct house *h, unsigned node, const char *session)
{
	struct log *l = read_log(h, node, str_from(session));

	for (size_t i = 0; i < l->count; i++) {
		struct json v;
		int64_t at;

		if (json_read_trusted(h->mem, l->lines[i], &v, NULL) != OK ||
		    !clock_time_read(json_str(JSON_GET(v, "timestamp")), &at) ||
		    at < SIM_NODES_EPOCH_MS || at > SIM_NODES_EPOCH_MS + sim_nodes_now(h->n)) {
			fprintf(stderr, "%.*s\n", STR_ARG(l->lines[i]));
			return false;
		}
	}
	return l->count;
}

TEST(nodes_go_by_the_clock_of_the_store_whatever_their_own_say)
{
	static const int64_t off[] = { 3600000, -3600000, 10LL * 365 * 86400000 };

	for (unsigned i = 0; i < COUNT_OF(off); i++) {
		struct house h = { 0 };

		open_house(&h, 2, i + 1);
		CHECK_INT(submit(&h, 0, "parked", "approve")->code, 0);
		sim_nodes_set_clock(h.n, 1, off[i]); /* while it runs */
		sim_nodes_run(h.n, 2000);
		sim_nodes_kill(h.n, 0);
		sim_nodes_run(h.n, 4000);
		/* The approval has not expired, and is answered on the node that took over. */
		CHECK_INT(answer(&h, 1, "parked", pending_action(&h, 1, "parked"))->code, 0);
		sim_nodes_run(h.n, 200);
		CHECK_INT(count_type(read_log(&h, 1, STR("parked")), "turn.completed"), 1);
		sim_nodes_stop(h.n, 1); /* and from its start */
		sim_nodes_start(h.n, 1);
		sim_nodes_run(h.n, 2000);
		CHECK_INT(submit(&h, 1, "parked", "hello")->http, 202);
		CHECK_INT(submit(&h, 1, "new", "hello")->http, 202);
		sim_nodes_run(h.n, 200);
		CHECK(times_are_right(&h, 1, "parked"));
		CHECK(times_are_right(&h, 1, "new"));
		CHECK(is_whole(&h, 1, STR("parked"), INVARIANT_OVER));
		close_house(&h);
	}
}

TEST(a_node_with_a_wrong_clock_gives_new_work_to_one_with_a_right_one)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 1, "begun", "approve")->code, 0);
	sim_nodes_set_clock(h.n, 1, 60000);
	sim_nodes_run(h.n, 4000);
	CHECK_INT(submit(&h, 1, "new", "approve")->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK(has_session(&h, 0, "new") && !has_session(&h, 1, "new"));
	CHECK(has_session(&h, 1, "begun") && !has_session(&h, 0, "begun"));
	CHECK_INT(answer(&h, 0, "begun", pending_action(&h, 0, "begun"))->code, 0);
	/* Alone it takes everything. */
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 6000);
	CHECK_INT(answer(&h, 1, "new", pending_action(&h, 1, "new"))->code, 0);
	sim_nodes_run(h.n, 200);
	CHECK_INT(count_type(read_log(&h, 1, STR("new")), "turn.completed"), 1);
	sim_nodes_set_clock(h.n, 1, -60000);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 4000);
	CHECK_INT(submit(&h, 1, "later", "approve")->code, 0);
	CHECK(has_session(&h, 1, "later"));
	close_house(&h);
}

TEST(when_all_clocks_differ_from_the_stores_the_nodes_work_as_before)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	sim_nodes_set_clock(h.n, 0, 60000);
	sim_nodes_set_clock(h.n, 1, 60000);
	sim_nodes_run(h.n, 4000);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	CHECK(has_session(&h, 0, "s"));
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 6000);
	CHECK_INT(answer(&h, 1, "s", pending_action(&h, 1, "s"))->code, 0);
	close_house(&h);
}

TEST(a_stream_goes_on_when_another_node_takes_over)
{
	struct house h = { 0 };
	struct follower f = { 0 };

	open_house(&h, 3, 1);
	f.seen.mem = h.mem;
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);

	struct control *c = engine_control(sim_engine(sim_nodes_at(h.n, 1)));

	(void)c->ops->subscribe(
		c, &(struct control_stream){
			   .session = STR("s"), .follow = true, .sink = &sink, .owner = &f });
	sim_nodes_run(h.n, 2000);
	CHECK_INT(f.seen.count, read_log(&h, 1, STR("s"))->count);
	/* The owner writes more, which the other node has to be told. */
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 300);
	CHECK_INT(f.seen.count, read_log(&h, 1, STR("s"))->count);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 2500);
	CHECK_INT(answer(&h, 2, "s", pending_action(&h, 1, "s"))->code, 0);
	sim_nodes_run(h.n, 500);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "turn.completed"), 2);
	CHECK_INT(f.seen.count, read_log(&h, 1, STR("s"))->count);
	CHECK(!f.seen.is_torn);
	CHECK_INT(f.ended, 0);
	CHECK(streams_are_whole(&h));
	map_done(&f.seen.next);
	close_house(&h);
}

TEST(an_owner_whose_heartbeats_are_lost_is_fenced_and_begins_nothing)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 2000);

	struct str action = pending_action(&h, 1, "s");
	unsigned begun = h.begun.count;

	sim_nodes_mute(h.n, 0, true);
	sim_nodes_run(h.n, 1300);
	/* It does not know yet, and decides; what it decided is not accepted. */
	CHECK_INT(answer(&h, 0, "s", action)->code, ERROR_CODE_SESSION_MOVED);
	CHECK_INT(h.begun.count, begun);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(answer(&h, 1, "s", action)->code, 0);
	sim_nodes_mute(h.n, 0, false);
	sim_nodes_run(h.n, 1000);
	CHECK(!sim_nodes_at(h.n, 0));
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(effects_wait_while_the_lease_is_over)
{
	struct house h = { 0 };

	open_house(&h, 1, 1);
	sim_nodes_run(h.n, 1000);
	sim_nodes_mute(h.n, 0, true);
	sim_nodes_run(h.n, 1500);
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(h.begun.count, 0);
	sim_nodes_mute(h.n, 0, false);
	sim_nodes_run(h.n, 500);
	CHECK_INT(h.begun.count, 1);
	CHECK(is_whole(&h, 0, STR("s"), INVARIANT_OVER));
	close_house(&h);
}

/* ---- money ---- */

#define CENT 10000000LL

/* What a sum of all sessions moved, as the store has it. */
static struct ledger_move sum_of(struct house *h, unsigned node, const char *prefix)
{
	struct store *st = sim_store(sim_nodes_at(h->n, node));
	struct ledger_move *rows = NULL, sum = { 0 };
	size_t count = 0;

	CHECK(st->ops->accounts(st, h->mem, &rows, &count, NULL) == OK);
	for (size_t i = 0; i < count; i++)
		if (str_starts(rows[i].account, str_from(prefix))) {
			sum.spent += rows[i].spent;
			sum.reserved += rows[i].reserved;
		}
	return sum;
}

/* Turns in many sessions until the budget of the day ends one of them. */
static void spend_all(struct house *h, unsigned node, const char *prefix)
{
	for (int i = 0; i < 200; i++) {
		char session[16];

		snprintf(session, sizeof session, "%s%d", prefix, i);
		CHECK_INT(submit(h, node, session, "hello")->code, 0);
		sim_nodes_run(h->n, 3000);
		if (count_type(read_log(h, node, str_from(session)), "quota.blocked"))
			return;
	}
	CHECK(!"the budget ends");
}

static void check_spent(struct house *h, unsigned node, int64_t cap)
{
	/* One tenant pays for all of the day. */
	struct ledger_move day = sum_of(h, node, "day:"), tenant = sum_of(h, node, "tenant:");

	/* A request is reckoned at half a cent, and costs less. */
	fprintf(stderr, "%.4f of %.4f cents\n", (double)day.spent / CENT, (double)cap / CENT);
	CHECK(day.spent <= cap && day.spent > cap - CENT / 2);
	CHECK_INT(day.reserved, 0);
	CHECK_INT(tenant.spent, day.spent);
}

static void one_node_spends_all(struct settings_caps caps)
{
	struct house h = { 0 };

	open_house_with(&h, 3, 1, caps);
	/* Each has used a little, and has a part. */
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(submit(&h, i, (const char *[]){ "x", "y", "z" }[i], "hello")->code, 0);
	sim_nodes_run(h.n, 2000);
	spend_all(&h, 1, "s");
	check_spent(&h, 1, 10 * CENT);
	close_house(&h);
}

TEST(any_one_node_can_spend_a_cap_to_its_last_cent)
{
	one_node_spends_all((struct settings_caps){ .day = 10 * CENT, .overrun = 10 });
	one_node_spends_all((struct settings_caps){ .tenant = 10 * CENT, .overrun = 10 });
}

TEST(what_a_dead_node_was_allotted_is_spent_by_another)
{
	struct house h = { 0 };

	open_house_with(&h, 2, 1, (struct settings_caps){ .day = 10 * CENT, .overrun = 10 });
	sim_nodes_run(h.n, 1000);
	CHECK_INT(submit(&h, 0, "x", "think")->code, 0);
	sim_nodes_run(h.n, 1000);
	CHECK(sum_of(&h, 1, "day:").reserved > 0);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	spend_all(&h, 1, "s");
	check_spent(&h, 1, 10 * CENT);
	close_house(&h);
}

/* Both wait for what the other has. */
TEST(two_nodes_that_both_lack_money_do_not_wait_for_each_other)
{
	struct house h = { 0 };

	open_house_with(&h, 2, 1, (struct settings_caps){ .day = 3 * CENT, .overrun = 1 });
	sim_nodes_run(h.n, 1000);
	for (int i = 0; i < 20; i++) {
		char session[16];

		snprintf(session, sizeof session, "s%d", i);
		CHECK_INT(submit(&h, i % 2, session, "think")->code, 0);
	}
	sim_nodes_run(h.n, 120000);
	for (int i = 0; i < 20; i++) {
		char session[16];

		snprintf(session, sizeof session, "s%d", i);

		struct log *l = read_log(&h, 0, str_from(session));

		CHECK_INT(count_type(l, "turn.completed") + count_type(l, "turn.failed"), 1);
	}
	check_spent(&h, 0, 3 * CENT);
	close_house(&h);
}

TEST(the_number_of_requests_at_once_holds_over_all_nodes)
{
	struct house h = { 0 };
	int64_t most = 0;

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	for (int i = 0; i < 120; i++) {
		char session[16];

		snprintf(session, sizeof session, "s%d", i);
		CHECK_INT(submit(&h, (unsigned)i % 3, session, "think")->code, 0);
		most = MAX(most, sum_of(&h, 0, "requests").reserved);
	}
	for (int i = 0; i < 600; i++) {
		sim_nodes_run(h.n, 100);
		most = MAX(most, sum_of(&h, 0, "requests").reserved);
	}
	fprintf(stderr, "at most %lld requests at once\n", (long long)most);
	CHECK_INT(most, sim_settings(sim_nodes_at(h.n, 0))->config->limits_parallel_requests);
	CHECK_INT(sum_of(&h, 0, "requests").reserved, 0);
	CHECK_INT(h.begun.count, 120);
	close_house(&h);
}

TEST(the_parts_that_are_listed_do_not_exceed_the_cap_together)
{
	struct house h = { 0 };
	const struct sim_answer *a;
	struct json doc, node, part;
	struct json_iter nodes, parts;
	struct str key;
	int64_t sum = 0, count = 0;

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	a = sim_nodes_call(h.n, 0, "list_nodes", "{}", NULL);
	CHECK_INT(json_read_trusted(h.mem, a->body, &doc, NULL), OK);
	CHECK(json_bool(JSON_GET(doc, "isShared"), false));
	nodes = json_iter(JSON_GET(doc, "nodes"));
	while (json_next(&nodes, &key, &node)) {
		parts = json_iter(JSON_GET(node, "allotments"));
		while (json_next(&parts, &key, &part))
			if (str_eq(json_str(JSON_GET(part, "account")), STR("requests"))) {
				sum += json_int(JSON_GET(part, "amount"), 0);
				count++;
			}
	}
	CHECK(count > 0);
	CHECK(sum > 0);
	CHECK(sum <= sim_settings(sim_nodes_at(h.n, 0))->config->limits_parallel_requests);
	close_house(&h);
}

/* Its deadline has passed when it asks for the part of another node. */
TEST(a_retry_waits_for_what_other_nodes_hold)
{
	struct house h = { 0 };

	open_house_of(&h, 2, 1,
	              &(struct sim_options){ .script = str_from(script),
	                                     .version = STR("1"),
	                                     .parallel_requests = 2 });
	sim_nodes_run(h.n, 1000);
	CHECK_INT(submit(&h, 1, "f", "fail")->code, 0);
	sim_nodes_run(h.n, 20);
	CHECK_INT(submit(&h, 0, "a", "think")->code, 0);
	CHECK_INT(submit(&h, 0, "b", "think")->code, 0);
	sim_nodes_run(h.n, 10000);
	CHECK_INT(count_type(read_log(&h, 1, STR("f")), "turn.completed"), 1);
	close_house(&h);
}

/* ---- task slots ---- */

static int64_t running_tasks(struct house *h)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < 3; i++)
		if (sim_nodes_at(h->n, i))
			sum += sim_engine(sim_nodes_at(h->n, i))->running_tasks;
	return sum;
}

static void start_tasks(struct house *h, unsigned node, const char *session, int count)
{
	for (int i = 0; i < count; i++)
		CHECK_INT(sim_nodes_call(h->n, node, "create_task",
		                         arena_printf(h->mem,
		                                      "{\"sessionId\":\"%s\",\"taskId\":\"%s-%d\","
		                                      "\"threadId\":\"thr-%s-%d\","
		                                      "\"objective\":\"think\",\"start\":true}",
		                                      session, session, i, session, i)
		                                 .ptr,
		                         NULL)
		                  ->code,
		          0);
}

TEST(tasks_at_once_are_counted_over_all_nodes_and_one_node_may_run_them_all)
{
	struct house h = { 0 };
	int64_t most = 0, alone = 0;

	open_house_of(&h, 3, 1,
	              &(struct sim_options){ .script = str_from(script),
	                                     .version = STR("1"),
	                                     .tasks = { .runtime = 6, .tenant = 5 } });
	sim_nodes_run(h.n, 1000);
	start_tasks(&h, 0, "s0", 12);
	start_tasks(&h, 1, "s1", 12);
	start_tasks(&h, 2, "s2", 12);
	for (int i = 0; i < 1200; i++) {
		sim_nodes_run(h.n, 100);
		most = MAX(most, running_tasks(&h));
	}
	CHECK_INT(most, 5);
	CHECK_INT(running_tasks(&h), 0);
	CHECK_INT(h.begun.count, 36);
	start_tasks(&h, 1, "t", 6);
	start_tasks(&h, 1, "u", 6);
	for (int i = 0; i < 600; i++) {
		sim_nodes_run(h.n, 100);
		alone = MAX(alone, sim_engine(sim_nodes_at(h.n, 1))->running_tasks);
	}
	CHECK_INT(alone, 5);
	CHECK_INT(h.begun.count, 48);
	close_house(&h);
}

TEST(a_tenant_at_its_limit_does_not_keep_another_one_from_free_slots)
{
	struct house h = { 0 };

	open_house_of(&h, 2, 1,
	              &(struct sim_options){ .script = str_from(script),
	                                     .version = STR("1"),
	                                     .tasks = { .runtime = 10, .tenant = 2 } });
	sim_nodes_run(h.n, 1000);
	sim_act_for(sim_nodes_at(h.n, 0), "many");
	for (int i = 0; i < 40; i++)
		start_tasks(&h, 0, arena_printf(h.mem, "s%d", i).ptr, 1);
	sim_act_for(sim_nodes_at(h.n, 0), "few");
	start_tasks(&h, 0, "t", 1);
	sim_nodes_run(h.n, 2000);
	CHECK_INT(running_tasks(&h), 3);
	CHECK_INT(count_type(read_log(&h, 0, STR("t")), "model.requested"), 1);
	close_house(&h);
}

TEST(slots_that_a_dead_node_did_not_use_are_free_and_those_of_its_tasks_are_not)
{
	struct house h = { 0 };

	open_house_of(&h, 2, 1,
	              &(struct sim_options){ .script = str_from(script),
	                                     .version = STR("1"),
	                                     .tasks = { .runtime = 5 } });
	sim_nodes_run(h.n, 1000);
	start_tasks(&h, 0, "s", 2);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(running_tasks(&h), 2);
	sim_nodes_kill(h.n, 0);
	/* What it had begun is lost, and waits for a person. */
	sim_nodes_run(h.n, 3000);
	CHECK_INT(running_tasks(&h), 2);
	start_tasks(&h, 1, "t", 4);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(running_tasks(&h), 5);
	sim_nodes_run(h.n, 20000);
	CHECK_INT(count_type(read_log(&h, 1, STR("t")), "turn.completed"), 4);
	close_house(&h);
}

/* ---- the place of a session ---- */

/* On machines of their own. */
static void open_machines(struct house *h, uint64_t seed, const char *cwd)
{
	*h = (struct house){ .cwd = cwd };
	open_house(h, 3, seed);
}

static unsigned count_text(const struct log *l, const char *text)
{
	unsigned count = 0;

	for (size_t i = 0; i < l->count; i++)
		count += str_find(l->lines[i], str_from(text)) >= 0;
	return count;
}

/* The events that say so; each is a task.waiting and a run.status. */
static unsigned waits_for_node(struct house *h, unsigned node, const char *session)
{
	return count_text(read_log(h, node, str_from(session)), "\"for\":\"node\"") / 2;
}

static unsigned ended(struct house *h, unsigned node, const char *session)
{
	return count_type(read_log(h, node, str_from(session)), "turn.completed");
}

TEST(a_turn_waits_for_the_node_with_the_directory_and_continues_there)
{
	struct house h;

	open_machines(&h, 1, "/work");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 500);
	CHECK_INT(ended(&h, 1, "s"), 1);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(submit(&h, 1, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 20000);
	CHECK_INT(ended(&h, 1, "s"), 1);
	CHECK_INT(waits_for_node(&h, 1, "s"), 1);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(ended(&h, 1, "s"), 2);
	CHECK_INT(waits_for_node(&h, 1, "s"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(what_is_pending_is_answered_on_any_node_and_what_follows_waits)
{
	struct house h;

	open_machines(&h, 1, "/work");
	CHECK_INT(submit(&h, 0, "s", "approve")->code, 0);
	sim_nodes_run(h.n, 500);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	/* The question is what the turn waits for. */
	CHECK_INT(waits_for_node(&h, 1, "s"), 0);
	CHECK_INT(answer(&h, 1, "s", pending_action(&h, 1, "s"))->code, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(waits_for_node(&h, 1, "s"), 1);
	CHECK_INT(count_type(read_log(&h, 1, STR("s")), "tool.completed"), 0);
	CHECK_INT(submit(&h, 2, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 2000);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_REST));
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(ended(&h, 1, "s"), 2);
	CHECK_INT(waits_for_node(&h, 1, "s"), 1);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(a_turn_that_waits_for_a_node_can_be_stopped_or_moved_by_a_person)
{
	struct house h;

	open_machines(&h, 1, "/work");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	CHECK_INT(submit(&h, 0, "t", "hello")->code, 0);
	sim_nodes_run(h.n, 500);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(submit(&h, 1, "s", "hello")->code, 0);
	CHECK_INT(submit(&h, 1, "t", "hello")->code, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(sim_nodes_call(h.n, 1, "interrupt_turn", "{\"sessionId\":\"s\"}", NULL)->code, 0);
	CHECK_INT(sim_nodes_call(h.n, 1, "update_session",
	                         "{\"sessionId\":\"t\",\"placement\":{\"node\":\"c\"}}", NULL)
	                  ->code,
	          0);
	sim_nodes_run(h.n, 5000);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	CHECK_INT(ended(&h, 1, "t"), 2);
	CHECK(is_whole(&h, 1, STR("t"), INVARIANT_OVER));
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(ended(&h, 1, "s"), 1);
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

TEST(a_shared_workspace_is_on_every_node_that_names_it)
{
	struct house h;

	open_machines(&h, 1, "/docs/book");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 500);
	CHECK_INT(count_text(read_log(&h, 0, STR("s")), "\"placement\":{\"workspace\":\"docs\"}"),
	          1);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	/* b does not name it, and c lives. */
	CHECK_INT(submit(&h, 1, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(ended(&h, 1, "s"), 2);
	CHECK_INT(waits_for_node(&h, 1, "s"), 0);
	/* Now no node has it. */
	sim_nodes_kill(h.n, 2);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(submit(&h, 1, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(waits_for_node(&h, 1, "s"), 1);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 3000);
	CHECK_INT(ended(&h, 1, "s"), 3);
	CHECK(is_whole(&h, 1, STR("s"), INVARIANT_OVER));
	close_house(&h);
}

static const struct sim_answer *create(struct house *h, unsigned node, const char *session,
                                       const char *placement)
{
	return sim_nodes_call(
		h->n, node, "create_session",
		arena_printf(h->mem, "{\"sessionId\":\"%s\",\"placement\":%s}", session, placement)
			.ptr,
		NULL);
}

TEST(a_new_session_is_made_where_its_placement_is_met_or_nowhere)
{
	struct house h;
	static const struct {
		const char *placement;
		enum error_code code;
	} cases[] = {
		{ "{\"labels\":[\"gpu\"]}", 0 },
		{ "{\"node\":\"b\"}", 0 },
		{ "{\"workspace\":\"models\"}", 0 },
		{ "{\"workspace\":\"models\",\"labels\":[\"disk\",\"gpu\"]}", 0 },
		{ "{\"labels\":[\"gpu\",\"tape\"]}", ERROR_CODE_PLACEMENT_UNMET },
		{ "{\"node\":\"d\"}", ERROR_CODE_PLACEMENT_UNMET },
		{ "{\"workspace\":\"models\",\"node\":\"a\"}", ERROR_CODE_PLACEMENT_UNMET },
		{ "{\"workspace\":\"nowhere\"}", ERROR_CODE_PLACEMENT_UNMET },
	};

	open_machines(&h, 1, "/work");
	sim_nodes_run(h.n, 1000);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct str id = arena_printf(h.mem, "s%zu", i);

		CHECK_INT(create(&h, 0, id.ptr, cases[i].placement)->code, cases[i].code);
		sim_nodes_run(h.n, 200);
		CHECK_INT(read_log(&h, 0, id)->count > 0, !cases[i].code);
		if (!cases[i].code) {
			struct log *l = read_log(&h, 0, id);

			CHECK(session_find(sim_engine(sim_nodes_at(h.n, 1)), id));
			CHECK(is_whole(&h, 0, id, INVARIANT_OVER));
			CHECK_INT(count_text(l, "\"cwd\":\"/models\""), i == 2 || i == 3);
		}
	}
	close_house(&h);
}

TEST(a_command_for_a_session_at_rest_goes_to_the_node_with_its_directory)
{
	struct house h;

	open_machines(&h, 1, "/work");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 500);
	sim_nodes_stop(h.n, 0);
	/* It is on b for now, which only reads it. */
	CHECK_INT(sim_nodes_call(h.n, 1, "get_session", "{\"sessionId\":\"s\"}", NULL)->code, 0);
	sim_nodes_run(h.n, 1000);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(submit(&h, 1, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 2000);
	CHECK_INT(ended(&h, 1, "s"), 2);
	CHECK_INT(waits_for_node(&h, 1, "s"), 0);
	CHECK(session_find(sim_engine(sim_nodes_at(h.n, 0)), STR("s")));
	CHECK(!session_find(sim_engine(sim_nodes_at(h.n, 1)), STR("s")));
	close_house(&h);
}

TEST(hundreds_of_sessions_that_wait_for_a_node_all_continue_when_it_is_back)
{
	enum { MANY = 300 };
	struct house h;

	open_machines(&h, 1, "/work");
	for (int i = 0; i < MANY; i++)
		CHECK_INT(submit(&h, 0, arena_printf(h.mem, "s%d", i).ptr, "hello")->code, 0);
	sim_nodes_run(h.n, 2000);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 3000);
	for (int i = 0; i < MANY; i++)
		CHECK_INT(submit(&h, 1 + i % 2, arena_printf(h.mem, "s%d", i).ptr, "hello")->code,
		          0);
	sim_nodes_run(h.n, 5000);
	sim_nodes_start(h.n, 0);
	sim_nodes_run(h.n, 10000);
	for (int i = 0; i < MANY; i++)
		CHECK_INT(ended(&h, 1, arena_printf(h.mem, "s%d", i).ptr), 2);
	CHECK_INT(h.begun.twice, 0);
	close_house(&h);
}

/* ---- anything may happen ---- */

struct promise {
	char session[8];
	struct str turn;
};

static void act(struct house *h, struct rng *rng, struct promise *promises, size_t *count)
{
	unsigned node = (unsigned)rng_below(rng, 3);
	char session[8];

	snprintf(session, sizeof session, "s%u", (unsigned)rng_below(rng, 6));
	switch (rng_below(rng, 12)) {
	case 0:
		if (sim_nodes_at(h->n, (node + 1) % 3) || sim_nodes_at(h->n, (node + 2) % 3))
			sim_nodes_kill(h->n, node);
		break;
	case 1:
		if (sim_nodes_at(h->n, (node + 1) % 3) || sim_nodes_at(h->n, (node + 2) % 3))
			sim_nodes_stop(h->n, node);
		break;
	case 2:
		sim_nodes_stall(h->n, node, true);
		break;
	case 3:
		sim_nodes_stall(h->n, node, false);
		break;
	case 4:
		sim_nodes_cut(h->n, node, rng_below(rng, 2));
		break;
	case 5:
		sim_nodes_mute(h->n, node, rng_below(rng, 3) == 0);
		break;
	case 6:
		if (!sim_nodes_at(h->n, node))
			sim_nodes_start(h->n, node);
		break;
	default:
		if (!sim_nodes_at(h->n, node))
			sim_nodes_start(h->n, node);
		if (rng_below(rng, 3) == 0) {
			struct str action = pending_action(h, node, session);

			if (str_is(action))
				(void)answer(h, node, session, action);
			break;
		}
		const struct sim_answer *a =
			submit(h, node, session,
		               (const char *[]){ "hello", "approve", "think" }[rng_below(rng, 3)]);

		if (a->is_done && !a->code) {
			struct promise *p = &promises[(*count)++];

			memcpy(p->session, session, sizeof session);
			p->turn = member(h, a, "turnId");
		}
	}
	sim_nodes_run(h->n, (int64_t)rng_below(rng, 700));
}

static void heal(struct house *h)
{
	for (unsigned i = 0; i < 3; i++) {
		sim_nodes_stall(h->n, i, false);
		sim_nodes_cut(h->n, i, false);
		sim_nodes_mute(h->n, i, false);
	}
	sim_nodes_run(h->n, 2000);
	for (unsigned i = 0; i < 3; i++)
		if (!sim_nodes_at(h->n, i))
			sim_nodes_start(h->n, i);
	sim_nodes_run(h->n, 15000);
}

static void check_cap(struct house *h, int64_t cap)
{
	for (unsigned i = 0; i < 3 && cap; i++)
		if (sim_nodes_at(h->n, i)) {
			struct ledger_move day = sum_of(h, i, "day:");

			CHECK(day.spent + day.reserved <= cap);
			return;
		}
}

static void any_history(uint64_t seed)
{
	struct rng rng = rng_of(seed, 1);
	int64_t cap = seed % 2 ? 0 : 6 * CENT;
	struct house h = { 0 };
	struct promise promises[128];
	size_t count = 0;

	/* Every third time each session belongs to the machine that made it. */
	h = (struct house){ .cwd = seed % 3 ? NULL : "/work" };
	open_house_with(&h, 3, seed, (struct settings_caps){ .day = cap, .overrun = 2 });
	for (int i = 0; i < 60; i++) {
		act(&h, &rng, promises, &count);
		check_cap(&h, cap);
	}
	heal(&h);
	for (unsigned i = 0; i < 6; i++) {
		char session[8];

		snprintf(session, sizeof session, "s%u", i);
		if (!read_log(&h, 0, str_from(session))->count)
			continue;
		CHECK(is_whole(&h, 0, arena_keep(h.mem, str_from(session)), INVARIANT_REST));
	}
	for (size_t i = 0; i < count; i++) {
		struct log *l = read_log(&h, 0, str_from(promises[i].session));
		bool is_there = false;

		for (size_t k = 0; k < l->count; k++)
			is_there |= str_find(l->lines[k], promises[i].turn) >= 0;
		CHECK(is_there);
	}
	CHECK_INT(h.begun.twice, 0);
	CHECK(streams_are_whole(&h));
	close_house(&h);
}

TEST(whatever_happens_to_three_nodes_the_log_is_whole_and_nothing_is_begun_twice)
{
	unsigned from = getenv("THOLE_SEED") ? (unsigned)atoi(getenv("THOLE_SEED")) : 1;
	unsigned to = getenv("THOLE_SEED") ? from : getenv("THOLE_DEEP") ? 1000 : 12;

	for (unsigned seed = from; seed <= to; seed++) {
		fprintf(stderr, "seed %u\n", seed);
		any_history(seed);
	}
	/* A command whose session was looked for by its place went to an owner that was cut off, without end. */
	if (!getenv("THOLE_SEED"))
		any_history(96);
}

/* ---- jobs ---- */

static void create_job(struct house *h, unsigned node, const char *item, int items, int concurrency)
{
	struct buf list = { 0 };

	for (int i = 0; i < items; i++)
		buf_add_str(&list, arena_printf(h->mem, "%s\"%s %d\"", i ? "," : "", item, i));
	CHECK_INT(sim_nodes_call(h->n, node, "create_job",
	                         arena_printf(h->mem,
	                                      "{\"sessionId\":\"s\",\"jobId\":\"job_1\","
	                                      "\"instruction\":\"do\",\"items\":[%.*s],"
	                                      "\"concurrency\":%d,\"maxAttempts\":10}",
	                                      STR_ARG(buf_str(&list)), concurrency)
	                                 .ptr,
	                         NULL)
	                  ->code,
	          0);
	buf_done(&list);
}

/* The sessions in which other nodes worked, each once. */
static size_t work_sessions(struct house *h, const struct log *l, struct str *ret, size_t cap)
{
	size_t count = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct json v;
		struct str id;
		bool is_known = false;

		if (json_read_trusted(h->mem, l->lines[i], &v, NULL) != OK)
			continue;
		id = json_str(JSON_GET(JSON_GET(JSON_GET(v, "payload"), "worker"), "sessionId"));
		for (size_t n = 0; n < count; n++)
			is_known |= str_eq(ret[n], id);
		if (str_is(id) && !is_known && count < cap)
			ret[count++] = arena_keep(h->mem, id);
	}
	return count;
}

static bool has_type(struct str line, const char *type)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	return str_find(line, arena_printf(mem, "\"type\":\"%s\"", type)) >= 0;
}

/* How many items of the job ran at the same time. */
static int most_at_once(const struct log *l)
{
	int now = 0, most = 0;

	for (size_t i = 0; i < l->count; i++) {
		now += has_type(l->lines[i], "job.item.started");
		now -= has_type(l->lines[i], "job.item.completed") ||
		       has_type(l->lines[i], "job.item.failed");
		most = MAX(most, now);
	}
	return most;
}

/* Each item has one output, and nothing of the job is left anywhere. */
static void check_job(struct house *h, unsigned node, unsigned items, int concurrency)
{
	struct log *l = read_log(h, node, STR("s"));
	struct str sessions[64];
	size_t count = work_sessions(h, l, sessions, COUNT_OF(sessions));

	CHECK_INT(count_type(l, "job.completed"), 1);
	CHECK_INT(count_type(l, "job.item.completed"), items);
	CHECK(most_at_once(l) <= concurrency);
	CHECK(is_whole(h, node, STR("s"), INVARIANT_OVER));
	for (size_t i = 0; i < count; i++)
		CHECK(is_whole(h, node, sessions[i], INVARIANT_OVER));
	CHECK_INT(h->begun.twice, 0);
}

TEST(nodes_share_the_items_of_a_job)
{
	struct house h = { 0 };
	struct log *l;

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "think", 60, 6);
	sim_nodes_run(h.n, 90000);
	check_job(&h, 0, 60, 6);
	l = read_log(&h, 0, STR("s"));
	CHECK_INT(most_at_once(l), 6);
	CHECK(count_text(l, "\"workerId\":\"node:b:") >= 12);
	CHECK(count_text(l, "\"workerId\":\"node:c:") >= 12);
	CHECK(count_text(l, "\"workerId\":\"node:") <= 44);
	CHECK_INT(h.begun.count, 60);
	/* Their cost is in the job's. */
	CHECK_INT(count_text(l, "\"costUsd\":0.2628"), 1);
	close_house(&h);
}

TEST(items_that_run_for_long_are_shared_from_the_start)
{
	struct house h = { 0 };
	struct log *l;

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "ponder", 60, 6);
	sim_nodes_run(h.n, 3000);
	l = read_log(&h, 0, STR("s"));
	CHECK_INT(count_type(l, "job.item.started"), 6);
	CHECK_INT(count_text(l, "\"workerId\":\"node:b:"), 2);
	CHECK_INT(count_text(l, "\"workerId\":\"node:c:"), 2);
	close_house(&h);
}

TEST(the_share_of_a_node_that_does_not_ask_is_used_by_the_others)
{
	struct house h;

	/* Only a and c have the directory. */
	open_machines(&h, 1, "/docs/book");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "ponder", 60, 6);
	sim_nodes_kill(h.n, 2);
	sim_nodes_run(h.n, 4000);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "job.item.started"), 6);
	close_house(&h);
}

TEST(a_job_of_one_item_at_a_time_stays_on_its_node)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "think", 4, 1);
	sim_nodes_run(h.n, 30000);
	check_job(&h, 0, 4, 1);
	CHECK_INT(count_text(read_log(&h, 0, STR("s")), "\"workerId\":"), 0);
	close_house(&h);
}

TEST(items_of_a_node_that_died_are_tried_again)
{
	struct house h = { 0 };
	struct log *l;

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "think", 60, 6);
	sim_nodes_run(h.n, 12000);
	CHECK(count_text(read_log(&h, 0, STR("s")), "\"workerId\":\"node:b:") > 0);
	sim_nodes_kill(h.n, 1);
	/* Found by its heartbeats, long before the leases of its items run out. */
	sim_nodes_run(h.n, 4000);
	CHECK(count_text(read_log(&h, 0, STR("s")), "worker_lost") > 0);
	sim_nodes_start(h.n, 1);
	sim_nodes_run(h.n, 120000);
	check_job(&h, 0, 60, 6);
	l = read_log(&h, 0, STR("s"));
	CHECK(h.begun.count > 60);
	CHECK_INT(count_type(l, "job.item.started"), 60 + count_type(l, "job.item.failed"));
	close_house(&h);
}

TEST(items_at_other_nodes_continue_when_the_owner_of_the_job_dies)
{
	struct house h = { 0 };

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "think", 60, 6);
	sim_nodes_run(h.n, 12000);
	sim_nodes_kill(h.n, 0);
	sim_nodes_run(h.n, 150000);
	check_job(&h, 1, 60, 6);
	/* Only what ran on the dead node itself. */
	CHECK(count_type(read_log(&h, 1, STR("s")), "job.item.failed") <= 2);
	close_house(&h);
}

/* Each new owner would give the item another lease. */
TEST(items_of_a_node_that_died_with_the_owner_are_tried_again)
{
	struct house h = { 0 };

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "ponder", 60, 6);
	sim_nodes_run(h.n, 3000);
	CHECK(count_text(read_log(&h, 2, STR("s")), "\"workerId\":\"node:b:") > 0);
	sim_nodes_kill(h.n, 0);
	sim_nodes_kill(h.n, 1);
	sim_nodes_run(h.n, 5000);
	/* Two items of each ran. */
	CHECK_INT(count_text(read_log(&h, 2, STR("s")), "worker_lost"), 2);
	CHECK_INT(count_type(read_log(&h, 2, STR("s")), "job.item.started"), 10);
	close_house(&h);
}

/* Before the first heartbeat of an item its lease is only in the log. */
TEST(items_that_a_node_took_just_before_it_died_are_tried_again)
{
	struct house h = { 0 };

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "ponder", 60, 6);
	sim_nodes_run(h.n, 2500);
	CHECK_INT(count_text(read_log(&h, 0, STR("s")), "\"workerId\":\"node:b:"), 2);
	sim_nodes_kill(h.n, 1);
	sim_nodes_run(h.n, 4000);
	CHECK_INT(count_text(read_log(&h, 0, STR("s")), "worker_lost"), 2);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "job.item.started"), 8);
	close_house(&h);
}

static void create_small_job(struct house *h, const char *job)
{
	CHECK_INT(sim_nodes_call(h->n, 0, "create_job",
	                         arena_printf(h->mem,
	                                      "{\"sessionId\":\"s\",\"jobId\":\"%s\","
	                                      "\"instruction\":\"do\",\"items\":[\"think 1\","
	                                      "\"think 2\",\"think 3\",\"think 4\",\"think 5\","
	                                      "\"think 6\",\"think 7\",\"think 8\"],"
	                                      "\"concurrency\":2}",
	                                      job)
	                                 .ptr,
	                         NULL)
	                  ->code,
	          0);
}

TEST(two_jobs_of_a_session_that_no_other_node_can_help_run_at_their_concurrency)
{
	struct house h;

	/* Only a has the directory. */
	open_machines(&h, 1, "/work");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 1000);
	create_small_job(&h, "job_1");
	create_small_job(&h, "job_2");
	/* Eight items of five seconds, two at a time. */
	sim_nodes_run(h.n, 28000);
	CHECK_INT(count_type(read_log(&h, 0, STR("s")), "job.completed"), 2);
	close_house(&h);
}

TEST(a_job_that_is_cancelled_stops_its_items_on_all_nodes)
{
	struct house h = { 0 };
	struct str sessions[8];
	struct log *l;
	size_t count;

	open_house(&h, 3, 1);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "ponder", 60, 6);
	sim_nodes_run(h.n, 12000);
	CHECK_INT(sim_nodes_call(h.n, 2, "cancel_job", "{\"sessionId\":\"s\",\"jobId\":\"job_1\"}",
	                         NULL)
	                  ->code,
	          0);
	sim_nodes_run(h.n, 20000);
	l = read_log(&h, 0, STR("s"));
	CHECK_INT(count_type(l, "job.cancelled"), 1);
	count = work_sessions(&h, l, sessions, COUNT_OF(sessions));
	CHECK_INT(count, 2);
	for (size_t i = 0; i < count; i++) {
		struct log *work = read_log(&h, 0, sessions[i]);

		CHECK(is_whole(&h, 0, sessions[i], INVARIANT_OVER));
		CHECK(count_type(work, "turn.failed") > 0);
		CHECK_INT(count_type(work, "turn.submitted"),
		          count_type(work, "turn.failed") + count_type(work, "turn.completed"));
	}
	CHECK(is_whole(&h, 0, STR("s"), INVARIANT_OVER));
	close_house(&h);
}

TEST(a_job_with_a_budget_or_rules_of_its_own_stays_on_its_node)
{
	struct house h = { 0 };

	open_house(&h, 2, 1);
	sim_nodes_run(h.n, 1000);
	CHECK_INT(sim_nodes_call(h.n, 0, "create_session",
	                         "{\"sessionId\":\"s\",\"budgetUsd\":100}", NULL)
	                  ->code,
	          0);
	create_job(&h, 0, "think", 12, 4);
	sim_nodes_run(h.n, 30000);
	check_job(&h, 0, 12, 4);
	CHECK_INT(count_text(read_log(&h, 0, STR("s")), "\"workerId\":"), 0);
	close_house(&h);
}

TEST(items_need_the_directory_of_their_session)
{
	struct house h;
	struct log *l;

	/* a and c have it. */
	open_machines(&h, 1, "/docs/book");
	CHECK_INT(submit(&h, 0, "s", "hello")->code, 0);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, "think", 24, 4);
	sim_nodes_run(h.n, 60000);
	check_job(&h, 0, 24, 4);
	l = read_log(&h, 0, STR("s"));
	CHECK_INT(count_text(l, "\"workerId\":\"node:b:"), 0);
	CHECK(count_text(l, "\"workerId\":\"node:c:") > 4);
	close_house(&h);
}

static void any_job_history(uint64_t seed)
{
	struct rng rng = rng_of(seed, 2);
	struct house h = { 0 };

	open_house(&h, 3, seed);
	sim_nodes_run(h.n, 1000);
	create_job(&h, 0, seed % 2 ? "think" : "hello", 60, 6);
	for (int i = 0; i < 30; i++) {
		unsigned node = (unsigned)rng_below(&rng, 3);

		switch (rng_below(&rng, 8)) {
		case 0:
			sim_nodes_kill(h.n, node);
			break;
		case 1:
			sim_nodes_stop(h.n, node);
			break;
		case 2:
		case 3:
			sim_nodes_stall(h.n, node, rng_below(&rng, 2));
			break;
		case 4:
			sim_nodes_cut(h.n, node, rng_below(&rng, 2));
			break;
		case 5:
			sim_nodes_mute(h.n, node, rng_below(&rng, 3) == 0);
			break;
		default:
			if (!sim_nodes_at(h.n, node))
				sim_nodes_start(h.n, node);
		}
		sim_nodes_run(h.n, (int64_t)rng_below(&rng, seed % 2 ? 3000 : 300));
	}
	heal(&h);
	sim_nodes_run(h.n, 300000);
	check_job(&h, 0, 60, 6);
	close_house(&h);
}

TEST(whatever_happens_to_three_nodes_each_item_of_a_job_has_one_output)
{
	unsigned from = getenv("THOLE_SEED") ? (unsigned)atoi(getenv("THOLE_SEED")) : 1;
	unsigned to = getenv("THOLE_SEED") ? from : getenv("THOLE_DEEP") ? 300 : 6;

	for (unsigned seed = from; seed <= to; seed++) {
		fprintf(stderr, "job seed %u\n", seed);
		any_job_history(seed);
	}
}

TEST_MAIN()
