/*
 * An editor that sends arbitrary bytes.  The first byte selects how the rest is split; for every split
 * the result is the same, and every line that we send is JSON.  The runtime answers each command,
 * by the second byte with a reply or a problem, and sends events of a turn.
 */
#include "acp/acp_session.h"
#include "base/arena.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

#define CALLS 64

struct side {
	struct acp_session *s;
	struct buf seen;
	uint64_t tags[CALLS];
	size_t count;
	int64_t sequence;
};

static void on_send(void *owner, struct str line)
{
	struct side *side = owner;
	struct arena *mem = arena_new();
	struct json v;

	MUST(json_read_wrapped(mem, line, &v, NULL) == OK);
	buf_printf(&side->seen, "> %.*s\n", STR_ARG(line));
	arena_free(mem);
}

static void on_call(void *owner, uint64_t tag, const char *command, struct str params)
{
	struct side *side = owner;
	struct arena *mem = arena_new();
	struct json v;

	MUST(json_read_wrapped(mem, params, &v, NULL) == OK && json_type(v) == JSON_OBJ);
	buf_printf(&side->seen, "< %s %.*s\n", command, STR_ARG(params));
	if (side->count < CALLS)
		side->tags[side->count++] = tag;
	arena_free(mem);
}

static void on_follow(void *owner, struct str session_id, int64_t after)
{
	buf_printf(&((struct side *)owner)->seen, "follow %.*s %lld\n", STR_ARG(session_id),
	           (long long)after);
}

static void on_unfollow(void *owner, struct str session_id)
{
	buf_printf(&((struct side *)owner)->seen, "unfollow %.*s\n", STR_ARG(session_id));
}

static const struct acp_session_ops ops = {
	.send = on_send, .call = on_call, .follow = on_follow, .unfollow = on_unfollow
};

static void reply_all(struct side *side, bool is_ok)
{
	struct arena *mem = arena_new();
	struct json v;

	MUST(json_read(mem,
	               is_ok ? STR("{\"sessionId\":\"s\",\"threadId\":\"t\",\"sequence\":1,"
	                           "\"text\":\"[{}]\",\"base64\":\"AA==\",\"bytes\":4,"
	                           "\"models\":[{\"provider\":\"p\",\"model\":\"m\"}]}")
	                     : STR("{\"code\":\"session_not_found\",\"status\":404}"),
	               &v, NULL) == OK);
	for (size_t i = 0; i < side->count; i++)
		acp_session_replied(side->s, side->tags[i], is_ok, v);
	side->count = 0;
	arena_free(mem);
}

static void send_event(struct side *side, const char *type, unsigned choice)
{
	const char *tool = choice & 4 ? "read_file" : choice & 8 ? "apply_patch" : "shell";
	const char *kind = choice & 16 ? "credential" : choice & 32 ? "structured_input" : "";
	struct arena *mem = arena_new();
	struct json v;

	MUST(json_read(mem,
	               arena_printf(
			       mem,
			       "{\"type\":\"%s\",\"sequence\":%lld,\"threadId\":\"t\",\"turnId\":"
			       "\"u\",\"toolCallId\":\"c\",\"actionId\":\"a\",\"payload\":{"
			       "\"toolName\":\"%s\",\"kind\":\"resume_required\",\"text\":\"x\","
			       "\"safeArgs\":{\"path\":\"p\",\"patch\":\"--- a/p\\n+++ b/p\\n@@ "
			       "\\n-x\\n+y\"},\"images\":[{\"type\":\"image\",\"ref\":\"r\"}],"
			       "\"inputRef\":\"i\",\"input\":[{\"type\":\"file\"}],\"prompt\":"
			       "\"https://p\",\"amountUsd\":1,\"implicit\":false,\"schema\":{"
			       "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
			       "\"enum\":[\"b\"]}}},\"actionType\":\"%s\",\"decisions\":[{"
			       "\"decision\":\"%s\"}]}}",
			       type, (long long)++side->sequence, tool, kind,
			       *kind ? "answer" : "allow"),
	               &v, NULL) == OK);
	acp_session_event(side->s, STR("s"), v);
	arena_free(mem);
}

/* Everything is fed first, so that the split cannot change the order. */
static void run(struct str text, size_t piece, unsigned choice, struct buf *ret)
{
	static const uint8_t entropy[16] = { 1 };
	static const char *const types[] = { "thread.started",  "tool.started",   "sandbox.applied",
		                             "action.required", "run.status",     "model.delta",
		                             "process.output",  "turn.submitted", "task.created",
		                             "cost.recorded",   "tool.result",    "action.resolved",
		                             "turn.failed" };
	struct acp_session_options o = { .version = STR("1"),
		                         .line_max = 4000,
		                         .params_max = 1000 };
	struct side side = { .sequence = 1 };

	id_source_init(&o.ids, 1000, entropy);
	side.s = acp_session_new(&o, &ops, &side);
	for (struct str left = text; left.len;) {
		size_t len = MIN(piece, left.len);
		char *copy = malloc(len);
		bool is_fine;

		MUST(copy);
		memcpy(copy, left.ptr, len);
		is_fine = acp_session_feed(side.s, str_of(copy, len));
		free(copy);
		if (!is_fine)
			break;
		left = str_skip(left, len);
	}
	reply_all(&side, choice % 2);
	for (size_t i = 0; i < COUNT_OF(types); i++)
		send_event(&side, types[i], choice);
	/* The same bytes again: sessions and questions are open now. */
	if (!acp_session_feed(side.s, text))
		buf_add_c(&side.seen, "over\n");
	acp_session_reconnected(side.s);
	reply_all(&side, choice / 2 % 2);
	acp_session_free(side.s);
	*ret = side.seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, pieces;

	if (size < 3)
		return 0;

	struct str text = str_of((const char *)data + 2, size - 2);

	run(text, text.len, data[1], &whole);
	run(text, 1 + data[0] % 64, data[1], &pieces);
	MUST(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}
