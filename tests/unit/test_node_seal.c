/* Calls between nodes: what is taken, what is refused, and what a call carries. */
#include "node/node_message.h"
#include "node/node_seal.h"

#include "lib/t.h"

#define NOW 1794700800000
#define SELF 7

struct post {
	struct arena *mem;
	struct node_seal sender, taker;
	struct str header, body;
};

static void post_init(struct post *p)
{
	*p = (struct post){ .mem = arena_new(), .body = STR("{\"command\":\"x\"}") };
	node_seal_init(&p->sender, STR("secret"));
	node_seal_init(&p->taker, STR("secret"));
}

static void post_done(struct post *p)
{
	node_seal_done(&p->sender);
	node_seal_done(&p->taker);
	arena_free(p->mem);
}

static void write_at(struct post *p, int64_t time_ms, uint64_t to, struct str nonce)
{
	p->header = node_seal_write(
		&p->sender, p->mem,
		&(struct node_seal_call){
			.from = 3, .to = to, .time_ms = time_ms, .nonce = nonce, .body = p->body });
}

static enum error_code take(struct post *p)
{
	struct node_seal_call c;
	struct str why;

	return node_seal_check(&p->taker, p->mem, p->header, p->body, SELF, NOW, &c, &why);
}

#define NONCE STR("0123456789abcdef")

TEST(a_call_of_this_installation_is_taken)
{
	struct post p;

	post_init(&p);
	write_at(&p, NOW - 14000, SELF, NONCE);
	CHECK_INT(take(&p), 0);
	post_done(&p);
}

TEST(a_call_is_taken_once)
{
	struct post p;

	post_init(&p);
	write_at(&p, NOW, SELF, NONCE);
	CHECK_INT(take(&p), 0);
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_REPEATED);
	write_at(&p, NOW, SELF, STR("another-nonce-of-it"));
	CHECK_INT(take(&p), 0);
	post_done(&p);
}

TEST(an_old_call_and_one_from_the_future_are_refused)
{
	struct post p;

	post_init(&p);
	write_at(&p, NOW - 15001, SELF, NONCE);
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_LATE);
	write_at(&p, NOW + 15001, SELF, NONCE);
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_LATE);
	post_done(&p);
}

TEST(a_call_with_another_secret_is_refused)
{
	struct post p;

	post_init(&p);
	node_seal_done(&p.sender);
	node_seal_init(&p.sender, STR("another secret"));
	write_at(&p, NOW, SELF, NONCE);
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_INVALID);
	post_done(&p);
}

TEST(each_altered_byte_of_a_call_is_found)
{
	struct post p;

	post_init(&p);
	write_at(&p, NOW, SELF, NONCE);
	for (size_t i = 0; i < p.header.len + p.body.len; i++) {
		struct post q = p;
		char *header = (char *)arena_keep(p.mem, p.header).ptr;
		char *body = (char *)arena_keep(p.mem, p.body).ptr;
		char *at = i < p.header.len ? &header[i] : &body[i - p.header.len];

		*at = *at == '1' ? '2' : '1';
		q.header = str_of(header, p.header.len);
		q.body = str_of(body, p.body.len);
		CHECK_INT(take(&q), ERROR_CODE_NODE_CALL_INVALID);
	}
	CHECK_INT(take(&p), 0);
	post_done(&p);
}

TEST(a_header_of_another_form_is_refused)
{
	struct post p;

	post_init(&p);
	p.header = STR_NONE;
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_INVALID);
	p.header = STR("v1,3,7");
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_INVALID);
	write_at(&p, NOW, SELF, STR("short"));
	CHECK_INT(take(&p), ERROR_CODE_NODE_CALL_INVALID);
	post_done(&p);
}

TEST(a_call_for_the_start_before_is_told_to_look_again)
{
	struct post p;

	post_init(&p);
	write_at(&p, NOW, SELF - 1, NONCE);
	CHECK_INT(take(&p), ERROR_CODE_SESSION_MOVED);
	post_done(&p);
}

TEST(an_answer_is_bound_to_its_call_status_result_and_body)
{
	struct post p;

	post_init(&p);

	struct str a = node_seal_answer(&p.taker, p.mem, NONCE, 200, STR("ok,0"), STR("{}"));

	CHECK(str_eq(a, node_seal_answer(&p.sender, p.mem, NONCE, 200, STR("ok,0"), STR("{}"))));
	CHECK(!str_eq(
		a, node_seal_answer(&p.sender, p.mem, STR("other"), 200, STR("ok,0"), STR("{}"))));
	CHECK(!str_eq(a, node_seal_answer(&p.sender, p.mem, NONCE, 202, STR("ok,0"), STR("{}"))));
	CHECK(!str_eq(a, node_seal_answer(&p.sender, p.mem, NONCE, 200, STR("ok,1"), STR("{}"))));
	CHECK(!str_eq(a, node_seal_answer(&p.sender, p.mem, NONCE, 200, STR("ok,0"), STR("[]"))));
	post_done(&p);
}

TEST(a_message_carries_the_caller_and_the_command)
{
	struct arena *mem = arena_new();
	struct str dirs[] = { STR("/a"), STR("/b") };
	struct list_str directories = { .items = dirs, .count = 2 };
	struct rec_channel channel = { .channel_id = STR("chan_1"),
		                       .transport = TRANSPORT_JSON_RPC,
		                       .peer_role = PEER_ROLE_CLIENT };
	struct node_call c = {
		.caller = { .principal = STR("acme/ci"),
		            .via = STR("http"),
		            .channel_id = STR("chan_1"),
		            .trace = { .trace_id = STR("0af7651916cd43dd8448eb211c80319c"),
		                       .is_sampled = true },
		            .scopes = SCOPE_BIT(SCOPE_READ) | SCOPE_BIT(SCOPE_WRITE),
		            .token = STR("hash"),
		            .until_ms = 5,
		            .reach = STR("sess_x"),
		            .home = STR("sess_y"),
		            .directories = &directories },
		.forwarded = { .channel = &channel, .body = sha256_of(STR("body")) },
		.command = STR("submit_turn"),
		.params = STR("{\"input\":\"hello \\\"you\\\"\"}"),
		.key = STR("k1"),
	};
	struct node_message m;
	struct buf out = { 0 };

	node_message_write(&out, &c);
	CHECK(node_message_read(mem, arena_keep(mem, buf_str(&out)), &m));
	CHECK(str_eq(m.call.command, c.command) && str_eq(m.call.params, c.params));
	CHECK(str_eq(m.call.key, c.key) && !m.call.is_lookup);
	CHECK(str_eq(m.call.caller.principal, c.caller.principal));
	CHECK(str_eq(m.call.caller.trace.trace_id, c.caller.trace.trace_id));
	CHECK(m.call.caller.trace.is_sampled);
	CHECK_INT(m.call.caller.scopes, c.caller.scopes);
	CHECK(str_eq(m.call.caller.reach, c.caller.reach));
	CHECK(str_eq(m.call.caller.home, c.caller.home));
	CHECK_INT(m.call.caller.directories->count, 2);
	CHECK(m.call.forwarded == &m.forwarded);
	CHECK(sha256_eq(&m.forwarded.body, &c.forwarded.body));
	CHECK(str_eq(m.forwarded.channel->channel_id, channel.channel_id));
	buf_done(&out);
	arena_free(mem);
}

TEST(what_is_no_message_is_not_read)
{
	static const char *const wrong[] = { "", "{}", "[]", "{\"command\":\"x\"}", "null" };
	struct arena *mem = arena_new();
	struct node_message m;

	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		CHECK(!node_message_read(mem, str_from(wrong[i]), &m));
	arena_free(mem);
}

TEST(a_result_comes_back_as_it_was)
{
	struct arena *mem = arena_new();
	struct control_answer a = { .code = ERROR_CODE_OVERLOADED, .retry_after_ms = 250 }, b;

	CHECK(node_message_read_result(node_message_result(mem, &a), 503, &b));
	CHECK_INT(b.code, ERROR_CODE_OVERLOADED);
	CHECK_INT(b.http, 503);
	CHECK_INT(b.retry_after_ms, 250);
	CHECK(!b.is_replay);
	a = (struct control_answer){ .is_replay = true };
	CHECK(node_message_read_result(node_message_result(mem, &a), 202, &b));
	CHECK_INT(b.code, 0);
	CHECK(b.is_replay);
	CHECK(!node_message_read_result(STR("nothing_known,0"), 500, &b));
	arena_free(mem);
}

TEST_MAIN()
