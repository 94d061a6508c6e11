/* compact, rollback and fork: boundaries in a thread's history. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

static const char *turns_text(struct cli *c, size_t count)
{
	return arena_printf(c->mem, "%zu turn%s", count, count == 1 ? "" : "s").ptr;
}

static int find(struct cli *c, struct ref *r)
{
	int code = connection_open(c);

	return code ? code : ref_find(c, c->args[0], r);
}

static struct str words_after(struct cli *c, int first)
{
	struct buf out = { 0 };
	struct str text;

	for (int i = first; i < c->arg_count; i++)
		buf_printf(&out, "%s%s", out.len ? " " : "", c->args[i]);
	text = out.len ? arena_keep(c->mem, buf_str(&out)) : STR_NONE;
	buf_done(&out);
	return text;
}

/* ---- compact ---- */

static bool is_over(struct str type)
{
	return str_eq(type, STR("context.compaction.completed")) ||
	       str_eq(type, STR("context.compaction.failed"));
}

static int tell_end(struct cli *c, struct json e)
{
	struct json p = JSON_GET(e, "payload"), tokens = JSON_GET(p, "tokens");

	if (c->opts.json)
		out_json(e);
	if (!str_eq(json_str(JSON_GET(e, "type")), STR("context.compaction.completed"))) {
		out_error(c, "The history is what it was: %s",
		          out_safe(c->mem, json_str(JSON_GET(p, "message"))));
		return CODE_FAILED;
	}
	if (!c->opts.json)
		printf("%s replaced, about %lld tokens before, %lld after\n%s\n",
		       turns_text(c, (size_t)json_int(
					     JSON_GET(p, "turns"),
					     (int64_t)json_count(JSON_GET(p, "affectedTurns")))),
		       (long long)json_int(JSON_GET(tokens, "before"), 0),
		       (long long)json_int(JSON_GET(tokens, "after"), 0),
		       out_safe(c->mem, json_str(JSON_GET(p, "summaryPreview"))));
	return CODE_DONE;
}

/* compact_thread returns when the compaction has begun; its end is an event. */
static int follow(struct cli *c, struct str session, struct str turn)
{
	struct params p;
	struct thole_stream *s;
	char *text;
	size_t len;
	int code = CODE_DONE;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_str(&p, "turnId", turn);
	params_int(&p, "after", 0);
	params_bool(&p, "follow", true);
	s = connection_subscribe(c, &p, &code);
	while (s && thole_next(s, -1, &text, &len) == THOLE_OK) {
		struct str raw = arena_keep(c->mem, str_of(text, len));
		struct json e;

		thole_free(text);
		if (json_read_trusted(c->mem, raw, &e, NULL) == OK &&
		    is_over(json_str(JSON_GET(e, "type")))) {
			code = tell_end(c, e);
			break;
		}
	}
	if (s)
		thole_unsubscribe(s);
	return code;
}

int verb_compact(struct cli *c)
{
	struct params p;
	struct json reply;
	struct ref r;
	int code = find(c, &r);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "threadId", r.thread);
	if (c->opts.has_since)
		params_int(&p, "keepTurns", c->opts.since);
	params_str(&p, "instructions", words_after(c, 1));
	params_key(c, &p);
	code = connection_call(c, "compact_thread", &p, &reply);
	return code ? code : follow(c, r.session, json_str(JSON_GET(reply, "turnId")));
}

/* ---- rollback ---- */

/* A session or thread without a turn means its beginning. */
int verb_rollback(struct cli *c)
{
	struct params p;
	struct json reply;
	struct ref r;
	int code = find(c, &r);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "threadId", r.thread);
	if (str_is(r.turn))
		params_str(&p, "toTurnId", r.turn);
	else
		params_int(&p, "toSequence", 0);
	if (c->opts.all)
		params_bool(&p, "interrupt", true);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "rollback_thread", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s left the history; the log keeps what left\n",
		       turns_text(c, (size_t)json_int(JSON_GET(reply, "removedCount"),
		                                      (int64_t)json_count(
							      JSON_GET(reply, "removedTurns")))));
	return CODE_DONE;
}

/* ---- fork ---- */

/* A turn or --at chooses the point; otherwise the thread is forked where it is. */
int verb_fork(struct cli *c)
{
	struct params p;
	struct json reply;
	struct ref r;
	int code = find(c, &r);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_str(&p, "threadId", r.thread);
	params_str(&p, "turnId", r.turn);
	if (c->opts.has_since)
		params_int(&p, "sequence", c->opts.since);
	params_key(c, &p);
	code = connection_call(c, "fork_thread", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s\n", out_id(c, json_str(JSON_GET(reply, "threadId"))));
	return CODE_DONE;
}
