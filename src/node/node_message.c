/* The body of a call between nodes, in JSON; node_message.h. */
#include "node/node_message.h"

#include "base/json.h"
#include "base/jw.h"

/* ---- writing ---- */

static void write_caller(struct json_writer *w, const struct caller *c)
{
	jw_obj(w);
	JW_KOPT(w, "principal", c->principal);
	JW_KOPT(w, "via", c->via);
	JW_KOPT(w, "channelId", c->channel_id);
	JW_KOPT(w, "traceId", c->trace.trace_id);
	JW_KOPT(w, "parentId", c->trace.parent_id);
	JW_KOPT(w, "traceState", c->trace.state);
	JW_KBOOL(w, "isSampled", c->trace.is_sampled);
	JW_KINT(w, "scopes", (int64_t)c->scopes);
	JW_KOPT(w, "token", c->token);
	JW_KINT(w, "untilMs", c->until_ms);
	JW_KOPT(w, "reach", c->reach);
	JW_KOPT(w, "home", c->home);
	if (c->directories) {
		JW_KEY(w, "directories");
		jw_arr(w);
		for (uint32_t i = 0; i < c->directories->count; i++)
			jw_str(w, c->directories->items[i]);
		jw_arr_end(w);
	}
	jw_obj_end(w);
}

void node_message_write(struct buf *out, const struct node_call *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "command", c->command);
	JW_KSTR(&w, "params", c->params);
	JW_KOPT(&w, "key", c->key);
	JW_KBOOL(&w, "isLookup", c->is_lookup);
	JW_KSTR(&w, "bodyHash", sha256_hex(mem, &c->forwarded.body));
	JW_KEY(&w, "caller");
	write_caller(&w, &c->caller);
	if (c->forwarded.channel) {
		JW_KEY(&w, "channel");
		rec_write(&w, &rec_channel_desc, c->forwarded.channel);
	}
	jw_obj_end(&w);
}

/* ---- reading ---- */

static void read_caller(struct arena *mem, struct json v, struct node_message *ret)
{
	struct json list = JSON_GET(v, "directories");
	struct json_iter it = json_iter(list);
	struct json dir;
	struct str key;

	ret->call.caller = (struct caller){
		.principal = json_str(JSON_GET(v, "principal")),
		.via = json_str(JSON_GET(v, "via")),
		.channel_id = json_str(JSON_GET(v, "channelId")),
		.trace = { .trace_id = json_str(JSON_GET(v, "traceId")),
		           .parent_id = json_str(JSON_GET(v, "parentId")),
		           .state = json_str(JSON_GET(v, "traceState")),
		           .is_sampled = json_bool(JSON_GET(v, "isSampled"), false) },
		.scopes = (unsigned)json_int(JSON_GET(v, "scopes"), 0) & SCOPES_ALL,
		.token = json_str(JSON_GET(v, "token")),
		.until_ms = json_int(JSON_GET(v, "untilMs"), 0),
		.reach = json_str(JSON_GET(v, "reach")),
		.home = json_str(JSON_GET(v, "home")),
	};
	while (json_next(&it, &key, &dir))
		rec_list_str_add(mem, &ret->directories, json_str(dir));
	if (json_is(list))
		ret->call.caller.directories = &ret->directories;
}

static bool read_channel(struct arena *mem, struct json v, struct node_message *ret)
{
	struct rec_channel *channel;

	if (!json_is(v))
		return true;
	channel = ARENA_NEW(mem, struct rec_channel);
	ret->forwarded.channel = channel;
	return rec_read(mem, v, &rec_channel_desc, REC_OLDER, channel, NULL) == OK;
}

bool node_message_read(struct arena *mem, struct str body, struct node_message *ret)
{
	struct json v;

	*ret = (struct node_message){ 0 };
	if (json_read(mem, body, &v, NULL) != OK)
		return false;
	ret->call.command = json_str(JSON_GET(v, "command"));
	ret->call.params = json_str(JSON_GET(v, "params"));
	ret->call.key = json_str(JSON_GET(v, "key"));
	ret->call.is_lookup = json_bool(JSON_GET(v, "isLookup"), false);
	ret->call.forwarded = &ret->forwarded;
	read_caller(mem, JSON_GET(v, "caller"), ret);
	return str_is(ret->call.command) && str_is(ret->call.params) &&
	       str_is(ret->call.caller.principal) &&
	       sha256_read_hex(json_str(JSON_GET(v, "bodyHash")), &ret->forwarded.body) &&
	       read_channel(mem, JSON_GET(v, "channel"), ret);
}

/* ---- results ---- */

struct str node_message_result(struct arena *mem, const struct control_answer *a)
{
	struct str code = a->code ? error_infos[a->code].code : STR("0");

	return arena_printf(mem, "%.*s,%lld%s", STR_ARG(code), (long long)a->retry_after_ms,
	                    a->is_replay ? ",replay" : "");
}

bool node_message_read_result(struct str text, int status, struct control_answer *ret)
{
	struct str rest = text, code = str_cut(&rest, ','), after = str_cut(&rest, ',');

	*ret = (struct control_answer){ .http = status, .is_replay = str_eq(rest, STR("replay")) };
	if (!str_to_i64(after, &ret->retry_after_ms))
		return false;
	if (str_eq(code, STR("0")))
		return true;
	for (size_t i = 1; i < ERROR_CODE_COUNT; i++)
		if (str_eq(error_infos[i].code, code)) {
			ret->code = (enum error_code)i;
			ret->jsonrpc = error_infos[i].jsonrpc;
			ret->title = error_infos[i].title;
		}
	return ret->code;
}
