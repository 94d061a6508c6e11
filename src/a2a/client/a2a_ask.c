/*
 * Writes requests.  The id of a JSON-RPC request is the number 1: each has a connection of its own.
 */
#include "a2a/client/a2a_ask.h"

#include "base/jw.h"

static const char *const methods[] = {
	[A2A_ASK_SEND] = "SendMessage",  [A2A_ASK_STREAM] = "SendStreamingMessage",
	[A2A_ASK_GET] = "GetTask",       [A2A_ASK_SUBSCRIBE] = "SubscribeToTask",
	[A2A_ASK_CANCEL] = "CancelTask",
};

static bool is_message(enum a2a_ask_kind k)
{
	return k == A2A_ASK_SEND || k == A2A_ASK_STREAM;
}

/* ids of strangers go into a path: everything but letters and digits is escaped. */
static struct str escape(struct arena *mem, struct str id)
{
	static const char digits[] = "0123456789ABCDEF";
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < id.len; i++) {
		unsigned char c = (unsigned char)id.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '_' || c == '~') {
			buf_add_char(&out, (char)c);
			continue;
		}
		buf_add_char(&out, '%');
		buf_add_char(&out, digits[c >> 4]);
		buf_add_char(&out, digits[c & 15]);
	}
	return arena_keep(mem, buf_str(&out));
}

static void write_message(struct json_writer *w, const struct a2a_ask *ask)
{
	JW_KEY(w, "message");
	jw_obj(w);
	JW_KSTR(w, "messageId", ask->message_id);
	JW_KOPT(w, "contextId", ask->context_id);
	JW_KOPT(w, "taskId", ask->task_id);
	JW_KSTR(w, "role", STR("ROLE_USER"));
	JW_KEY(w, "parts");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "text", ask->text);
	jw_obj_end(w);
	jw_arr_end(w);
	if (ask->depth) {
		JW_KEY(w, "metadata");
		jw_obj(w);
		jw_kint(w, STR(A2A_ASK_DEPTH), ask->depth);
		jw_obj_end(w);
	}
	jw_obj_end(w);
	if (ask->kind != A2A_ASK_SEND)
		return;
	/* Without a stream the task is polled; the reply must not wait for its end. */
	JW_KEY(w, "configuration");
	jw_obj(w);
	JW_KBOOL(w, "returnImmediately", true);
	jw_obj_end(w);
}

static void write_params(struct json_writer *w, const struct a2a_agent *agent,
                         const struct a2a_ask *ask)
{
	jw_obj(w);
	JW_KOPT(w, "tenant", agent->tenant);
	if (is_message(ask->kind))
		write_message(w, ask);
	else
		JW_KSTR(w, "id", ask->task_id);
	jw_obj_end(w);
}

static void write_rpc(const struct a2a_agent *agent, const struct a2a_ask *ask,
                      struct a2a_ask_http *ret)
{
	struct json_writer w;

	jw_init(&w, &ret->body);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KINT(&w, "id", 1);
	JW_KSTR(&w, "method", str_from(methods[ask->kind]));
	JW_KEY(&w, "params");
	write_params(&w, agent, ask);
	jw_obj_end(&w);
	ret->method = STR("POST");
	ret->url = agent->url;
}

static void write_rest(struct arena *mem, const struct a2a_agent *agent, const struct a2a_ask *ask,
                       struct a2a_ask_http *ret)
{
	static const char *const paths[] = {
		[A2A_ASK_SEND] = "/message:send",
		[A2A_ASK_STREAM] = "/message:stream",
		[A2A_ASK_GET] = "",
		[A2A_ASK_SUBSCRIBE] = ":subscribe",
		[A2A_ASK_CANCEL] = ":cancel",
	};
	struct str tenant =
		str_is(agent->tenant)
			? arena_printf(mem, "/%.*s", STR_ARG(escape(mem, agent->tenant)))
			: STR("");
	struct json_writer w;

	ret->url = is_message(ask->kind)
	                   ? arena_printf(mem, "%.*s%.*s%s", STR_ARG(agent->url), STR_ARG(tenant),
	                                  paths[ask->kind])
	                   : arena_printf(mem, "%.*s%.*s/tasks/%.*s%s", STR_ARG(agent->url),
	                                  STR_ARG(tenant), STR_ARG(escape(mem, ask->task_id)),
	                                  paths[ask->kind]);
	ret->method = ask->kind == A2A_ASK_GET || ask->kind == A2A_ASK_SUBSCRIBE ? STR("GET")
	                                                                         : STR("POST");
	jw_init(&w, &ret->body);
	if (is_message(ask->kind)) {
		write_params(&w, agent, ask);
	} else if (ask->kind == A2A_ASK_CANCEL) {
		jw_obj(&w);
		jw_obj_end(&w);
	}
}

void a2a_ask_write(struct arena *mem, const struct a2a_agent *agent, const struct a2a_ask *ask,
                   struct a2a_ask_http *ret)
{
	*ret = (struct a2a_ask_http){ .is_stream = ask->kind == A2A_ASK_STREAM ||
		                                   ask->kind == A2A_ASK_SUBSCRIBE };
	if (agent->binding == A2A_BINDING_JSONRPC)
		write_rpc(agent, ask, ret);
	else
		write_rest(mem, agent, ask, ret);
}
