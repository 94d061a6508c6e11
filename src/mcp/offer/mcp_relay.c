/* Requests of a tool server that the client of a call answers. */
#include "mcp/offer/mcp_relay.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/utf8.h"

#define OWN_KEY "request" /* of a request that has no key: before 2026-07-28 */

static bool is_text(struct str text, const char *word)
{
	return str_is(text) && str_eq(text, str_from(word));
}

bool mcp_relay_takes(const struct rec_call_client *client, struct str method, struct json params)
{
	struct str mode = json_str(JSON_GET(params, "mode"));

	if (!client)
		return false;
	if (is_text(method, "elicitation/create"))
		return client->elicitation && (!str_is(mode) || is_text(mode, "form"));
	return (client->sampling && is_text(method, "sampling/createMessage")) ||
	       (client->roots && is_text(method, "roots/list"));
}

/* One request, as the client gets it. */
static void write_request(struct json_writer *w, struct str method, struct json params)
{
	jw_obj(w);
	JW_KSTR(w, "method", method);
	if (json_is(params)) {
		JW_KEY(w, "params");
		jw_value(w, params);
	}
	jw_obj_end(w);
}

enum err mcp_relay_read(struct arena *mem, struct str method, struct json params,
                        struct mcp_question *q, struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (json_is(params) && json_type(params) != JSON_OBJ)
		return fail(e, ERR_INVALID, "its params are not an object");
	q->is_form = is_text(method, "elicitation/create");
	q->is_sampling = is_text(method, "sampling/createMessage");
	if (q->is_form && mcp_question_read(mem, params, q, e) != OK)
		return e->code;
	if (q->is_sampling && json_type(JSON_GET(params, "messages")) != JSON_ARR)
		return fail(e, ERR_INVALID, "it has no messages");
	jw_init(&w, &out);
	write_request(&w, method, params);
	if (out.len > LIMIT_MCP_RELAY_BYTES)
		return fail(e, ERR_TOO_LARGE, "it is longer than %lld bytes",
		            (long long)LIMIT_MCP_RELAY_BYTES);
	q->relayed = arena_keep(mem, buf_str(&out));
	return OK;
}

/* ---- together ---- */

static struct str key_of(const struct mcp_question *q)
{
	return str_is(q->key) ? q->key : STR(OWN_KEY);
}

/* The form of the response to one request. */
static void write_form(struct json_writer *w, const struct mcp_question *q)
{
	if (q->is_sampling) {
		jw_raw(w, STR("{\"type\":\"object\",\"properties\":{\"role\":{\"type\":\"string\"},"
		              "\"model\":{\"type\":\"string\"},\"content\":{\"type\":"
		              "[\"object\",\"array\"]}},\"required\":[\"role\",\"content\"]}"));
		return;
	}
	if (!q->is_form) {
		jw_raw(w, STR("{\"type\":\"object\",\"properties\":{\"roots\":{\"type\":\"array\","
		              "\"maxItems\":100,\"items\":{\"type\":\"object\",\"properties\":"
		              "{\"uri\":{\"type\":\"string\"}},\"required\":[\"uri\"]}}},"
		              "\"required\":[\"roots\"]}"));
		return;
	}
	jw_raw(w, STR("{\"type\":\"object\",\"properties\":{\"action\":{\"enum\":"
	              "[\"accept\",\"decline\",\"cancel\"]}},\"required\":[\"action\"],"
	              "\"if\":{\"properties\":{\"action\":{\"const\":\"accept\"}}},"
	              "\"then\":{\"required\":[\"content\"],\"properties\":{\"content\":"));
	buf_add_str(w->out, q->schema);
	buf_add_str(w->out, STR("}}}"));
}

static const char *words_of(const struct mcp_question *q)
{
	return q->is_sampling ? "an answer of its model"
	       : q->is_form   ? "an answer of its user"
	                      : "the directories that its user works in";
}

static struct str all_of(struct arena *mem, const struct mcp_question *const *list, size_t count,
                         void (*write)(struct json_writer *w, const struct mcp_question *q))
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	for (size_t i = 0; i < count; i++) {
		jw_key(&w, key_of(list[i]));
		write(&w, list[i]);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

static void write_relayed(struct json_writer *w, const struct mcp_question *q)
{
	jw_raw(w, q->relayed);
}

/* An object with a response for each key; further ones are of no use and do no harm. */
static struct str joined_schema(struct arena *mem, const struct mcp_question *const *list,
                                size_t count)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("object"));
	JW_KEY(&w, "properties");
	jw_raw(&w, all_of(mem, list, count, write_form));
	JW_KEY(&w, "required");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++)
		jw_str(&w, key_of(list[i]));
	jw_arr_end(&w);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

static struct str joined_words(struct arena *mem, const struct mcp_question *const *list,
                               size_t count)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_str(&out, STR("The tool server asks the client that called it for "));
	for (size_t i = 0; i < count; i++)
		buf_printf(&out, "%s%s", i ? ", " : "", words_of(list[i]));
	buf_add_char(&out, '.');
	for (size_t i = 0; i < count; i++)
		if (list[i]->is_form)
			buf_printf(&out, "\n%.*s", STR_ARG(list[i]->message));
	return arena_keep(mem, buf_str(&out));
}

size_t mcp_relay_join(struct arena *mem, const struct list *questions, bool is_together,
                      struct mcp_question *ret)
{
	const struct mcp_question *list[MCP_RELAY_MAX];
	size_t count = 0, bytes = 0;

	LIST_EACH (questions, node) {
		const struct mcp_question *q = LIST_ITEM(node, const struct mcp_question, node);

		if (str_is(q->response) || !str_is(q->relayed))
			continue;
		bytes += q->relayed.len;
		if (!count ||
		    (is_together && count < MCP_RELAY_MAX && bytes <= LIMIT_MCP_ROUND_BYTES))
			list[count++] = q;
	}
	if (!count)
		return 0;
	*ret = *list[0];
	ret->requests = all_of(mem, list, count, write_relayed);
	if (count == 1 && list[0]->is_form)
		return count; /* as a person can answer it, too */
	ret->is_keyed = true;
	ret->message = joined_words(mem, list, count);
	ret->schema = joined_schema(mem, list, count);
	return count;
}

struct str mcp_relay_response(struct arena *mem, const struct mcp_question *q, struct str answer)
{
	struct json v, each;

	if (json_read(mem, answer, &v, NULL) != OK)
		return STR_NONE;
	each = json_get(v, key_of(q));
	return json_type(each) == JSON_OBJ ? json_text(mem, each) : STR_NONE;
}
