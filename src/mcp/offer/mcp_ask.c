/*
 * Prompts, completions and resources for people.  Each is one request with a deadline; a question
 * that the server asks meanwhile is cancelled, because no turn could show it.
 */
#include "mcp/offer/mcp_ask.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "mcp/mcp_int.h"

#include <string.h>

#define ASKS_MAX 32             /* open ones of a server */
#define WATCH "resources/watch" /* no method of the protocol */
#define VALUES_MAX 100
#define VALUE_MAX 200
#define MESSAGE_MAX 500

struct mcp_ask {
	struct list node; /* of its server */
	struct mcp_call call;
	struct mcp_server *server;
	struct tool_ask *ask;
	struct arena *mem;
	struct loop_timer timer;
	enum err code; /* of an end that is reported from the loop */
	bool is_watch; /* it waits for a change of resources */
	struct json uris;
	uint64_t after; /* the last change that the caller knows */
};

static void ask_free(struct mcp_ask *x)
{
	loop_timer_stop(&x->timer);
	list_remove(&x->node);
	if (x->is_watch)
		x->server->offered.watch_count--;
	else
		x->server->offered.ask_count--;
	arena_free(x->mem);
}

static void ask_end(struct mcp_ask *x, enum err code)
{
	struct tool_ask *a = x->ask;

	loop_timer_stop(&x->timer);
	list_remove(&x->node);
	list_init(&x->node);
	a->done(a, code);
	ask_free(x);
}

static void on_later(struct loop_timer *t)
{
	struct mcp_ask *x = OWNER_OF(t, struct mcp_ask, timer);

	ask_end(x, x->code);
}

static void fail_later(struct mcp_ask *x, enum err code, struct str why)
{
	x->ask->message = arena_keep(x->mem, why);
	x->code = code;
	loop_timer_start(x->server->set->o.loop, &x->timer, 0, on_later);
}

static void on_time(struct loop_timer *t)
{
	struct mcp_ask *x = OWNER_OF(t, struct mcp_ask, timer);

	mcp_protocol_cancel(x->server->connection, &x->call, STR("it took too long"));
	x->ask->message = arena_printf(x->mem, "the tool server %.*s did not answer in time",
	                               STR_ARG(x->server->c.name));
	ask_end(x, ERR_TIMEOUT);
}

/* ---- answers ---- */

static enum err take_prompt(struct mcp_ask *x, struct json result)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	mcp_rows_prompt_text(&text, JSON_GET(result, "messages"));
	if (!text.len || text.len > LIMIT_INPUT_BYTES || !utf8_is_valid(buf_str(&text))) {
		x->ask->message = text.len ? STR("its text is longer than a message may be")
		                           : STR("the prompt has no text");
		return ERR_INVALID;
	}
	x->ask->text = arena_keep(x->mem, buf_str(&text));
	return OK;
}

/* Only values of one line that a person can see as they are. */
static bool is_value(struct str v)
{
	for (size_t i = 0; i < v.len; i++)
		if ((unsigned char)v.ptr[i] < ' ' || v.ptr[i] == 127)
			return false;
	return v.len && v.len <= VALUE_MAX && utf8_is_valid(v);
}

static enum err take_values(struct mcp_ask *x, struct json result)
{
	struct json list = JSON_GET(JSON_GET(result, "completion"), "values"), v;
	struct str *values = ARENA_ARRAY(x->mem, struct str, VALUES_MAX), key;
	struct json_iter it = json_iter(list);

	while (json_type(list) == JSON_ARR && x->ask->value_count < VALUES_MAX &&
	       json_next(&it, &key, &v))
		if (is_value(json_str(v)))
			values[x->ask->value_count++] = arena_keep(x->mem, json_str(v));
	x->ask->values = values;
	return OK;
}

/* Binary contents are named, not shown. */
static enum err take_resource(struct mcp_ask *x, struct json result)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	mcp_message_resource_text(&text, JSON_GET(result, "contents"));
	if (text.len > LIMIT_MCP_RESOURCE_BYTES) {
		x->ask->message = STR("the resource is longer than it may be");
		return ERR_TOO_LARGE;
	}
	x->ask->text = arena_keep(x->mem, buf_str(&text));
	mcp_offers_follow(x->server, x->ask->name);
	return OK;
}

static enum err take_whole(struct mcp_ask *x, struct json result)
{
	x->ask->text = json_text(x->mem, result);
	if (x->ask->text.len <= LIMIT_MCP_RESOURCE_BYTES)
		return OK;
	x->ask->message = STR("the result is longer than it may be");
	return ERR_TOO_LARGE;
}

static enum err take_result(struct mcp_ask *x, struct json result)
{
	switch (x->ask->kind) {
	case TOOL_ASK_PROMPT:
		return take_prompt(x, result);
	case TOOL_ASK_COMPLETION:
		return take_values(x, result);
	case TOOL_ASK_RESOURCE:
		return take_resource(x, result);
	default:
		return take_whole(x, result);
	}
}

static void ask_answered(struct mcp_call *c, const struct mcp_result *r)
{
	struct mcp_ask *x = OWNER_OF(c, struct mcp_ask, call);
	enum err code;

	if (r->is_lost || r->is_refused) {
		x->ask->message = arena_printf(
			x->mem, "the tool server %.*s refused: %.*s", STR_ARG(x->server->c.name),
			STR_ARG(utf8_preview(x->mem, str_head(r->message, 4 * MESSAGE_MAX),
		                             MESSAGE_MAX)));
		code = r->is_lost ? ERR_IO : ERR_INVALID;
		x->ask->server_code = r->is_lost ? 0 : r->code;
	} else {
		code = take_result(x, r->whole);
	}
	ask_end(x, code);
}

/* ---- changes of resources ---- */

/* True: its end is on its way. */
static bool end_watch(struct mcp_ask *x, bool is_due)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!mcp_offers_changes(x->server, x->uris, x->after, &out) && !is_due)
		return false;
	x->ask->text = arena_keep(x->mem, buf_str(&out));
	x->code = OK;
	loop_timer_start(x->server->set->o.loop, &x->timer, 0, on_later);
	return true;
}

static void on_watch_time(struct loop_timer *t)
{
	end_watch(OWNER_OF(t, struct mcp_ask, timer), true);
}

/* Without a number the caller learns the one of now: what follows is a change. */
static void watch(struct mcp_ask *x)
{
	struct mcp_server *s = x->server;
	struct json params = { 0 }, after;

	if (!mcp_protocol_abilities(s->connection)->has_subscribe) {
		fail_later(x, ERR_NOT_FOUND,
		           STR("the tool server does not report changes of its resources"));
		return;
	}
	if (json_read(x->mem, str_is(x->ask->arguments) ? x->ask->arguments : STR("{}"), &params,
	              NULL) != OK ||
	    json_count(JSON_GET(params, "uris")) > LIMIT_MCP_SUBSCRIPTIONS) {
		fail_later(x, ERR_INVALID, STR("uris is a list of at most 64 addresses"));
		return;
	}
	after = JSON_GET(params, "after");
	x->uris = JSON_GET(params, "uris");
	x->after = json_is(after) ? json_uint(after, 0) : s->offered.changes;
	if (!mcp_offers_watch(s, x->uris)) {
		x->uris = (struct json){ 0 };
		fail_later(
			x, ERR_FULL,
			STR("clients watch as many resources of the tool server as may be, or an "
		            "address is too long"));
		return;
	}
	if (!end_watch(x, !json_is(after)))
		loop_timer_start(s->set->o.loop, &x->timer, LIMIT_MCP_WATCH_MS, on_watch_time);
}

void mcp_ask_changed(struct mcp_server *s)
{
	LIST_EACH_SAFE (&s->offered.asks, node, next) {
		struct mcp_ask *x = LIST_ITEM(node, struct mcp_ask, node);

		if (x->is_watch && json_is(x->uris))
			end_watch(x, false);
	}
}

/* ---- requests ---- */

/* Without the blanks before it, and with those behind the last word: then a new word begins. */
static struct str last_word(struct str text)
{
	size_t at = text.len;

	while (at && !strchr(" \t\n", text.ptr[at - 1]))
		at--;
	return str_skip(text, at);
}

static size_t count_words(struct str text)
{
	size_t count = 0;
	bool is_inside = false;

	for (size_t i = 0; i < text.len; i++) {
		bool is_blank = strchr(" \t\n", text.ptr[i]) != NULL;

		count += !is_blank && !is_inside;
		is_inside = !is_blank;
	}
	return count;
}

/* The argument of the last word: by its name, or by its place. */
static const struct mcp_argument *wanted_argument(const struct mcp_row *prompt, struct str text,
                                                  struct str *ret_value)
{
	struct str word = last_word(text);
	int64_t equals = str_find_char(word, '=');
	size_t place = count_words(text) - (word.len > 0);

	*ret_value = word;
	for (size_t i = 0; equals > 0 && i < prompt->argument_count; i++)
		if (str_eq(prompt->arguments[i].name, str_head(word, (size_t)equals))) {
			*ret_value = str_skip(word, (size_t)equals + 1);
			return &prompt->arguments[i];
		}
	return place < prompt->argument_count ? &prompt->arguments[place] : NULL;
}

static void write_completion(struct mcp_ask *x, const struct mcp_row *prompt,
                             const struct mcp_argument *argument, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "ref");
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("ref/prompt"));
	JW_KSTR(&w, "name", prompt->id);
	jw_obj_end(&w);
	JW_KEY(&w, "argument");
	jw_obj(&w);
	JW_KSTR(&w, "name", argument->name);
	JW_KSTR(&w, "value", value);
	jw_obj_end(&w);
	jw_obj_end(&w);
	x->call.method = STR("completion/complete");
	x->call.params = arena_keep(x->mem, buf_str(&out));
}

static enum err prepare_prompt(struct mcp_ask *x, struct error *e)
{
	const struct mcp_row *prompt = mcp_offers_find(x->server, MCP_ROWS_PROMPTS, x->ask->name);
	const struct mcp_argument *argument;
	struct str value;

	if (!prompt)
		return fail(e, ERR_NOT_FOUND, "the tool server %.*s has no prompt %.*s",
		            STR_ARG(x->server->c.name), STR_ARG(str_head(x->ask->name, 64)));
	if (x->ask->kind == TOOL_ASK_PROMPT) {
		x->call.method = STR("prompts/get");
		return mcp_rows_write_get(x->mem, prompt,
		                          str_is(x->ask->arguments) ? x->ask->arguments : STR(""),
		                          &x->call.params, e);
	}
	argument = wanted_argument(prompt, str_is(x->ask->arguments) ? x->ask->arguments : STR(""),
	                           &value);
	if (!argument || !mcp_protocol_abilities(x->server->connection)->has_completions)
		return OK; /* nothing completes it */
	write_completion(x, prompt, argument, value);
	return OK;
}

static enum err prepare_resource(struct mcp_ask *x, struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!mcp_protocol_abilities(x->server->connection)->has_resources)
		return fail(e, ERR_NOT_FOUND, "the tool server %.*s has no resources",
		            STR_ARG(x->server->c.name));
	mcp_message_write_one(&out, STR("uri"), x->ask->name);
	x->call.method = STR("resources/read");
	x->call.params = arena_keep(x->mem, buf_str(&out));
	return OK;
}

static enum err prepare_relay(struct mcp_ask *x, struct error *e)
{
	const struct mcp_abilities *can = mcp_protocol_abilities(x->server->connection);
	struct str method = x->ask->name;
	bool is_offered = str_starts(method, STR("resources/")) ? can->has_resources
	                  : str_starts(method, STR("prompts/")) ? can->has_prompts
	                                                        : can->has_completions;

	if (!is_offered)
		return fail(e, ERR_NOT_FOUND, "the tool server %.*s does not offer %.*s",
		            STR_ARG(x->server->c.name), STR_ARG(method));
	x->call.method = method;
	x->call.params = str_is(x->ask->arguments) ? x->ask->arguments : STR("{}");
	return OK;
}

static enum err prepare(struct mcp_ask *x, struct error *e)
{
	switch (x->ask->kind) {
	case TOOL_ASK_RESOURCE:
		return prepare_resource(x, e);
	case TOOL_ASK_RELAY:
		return prepare_relay(x, e);
	default:
		return prepare_prompt(x, e);
	}
}

static void ask_send(struct mcp_ask *x)
{
	struct mcp_server *s = x->server;
	struct error e;
	enum err code;

	if (s->state != MCP_READY || !s->connection || !mcp_protocol_is_ready(s->connection) ||
	    loop_timer_is_running(&s->end)) {
		fail_later(x, ERR_IO,
		           arena_printf(x->mem, "the tool server %.*s does not run",
		                        STR_ARG(s->c.name)));
		return;
	}
	if (x->is_watch ? s->offered.watch_count > LIMIT_MCP_WATCHES
	                : s->offered.ask_count > ASKS_MAX) {
		fail_later(x, ERR_FULL, STR("the tool server has too many requests to answer"));
		return;
	}
	if (x->is_watch) {
		watch(x);
		return;
	}
	code = prepare(x, &e);
	if (code || !str_is(x->call.method)) {
		fail_later(x, code, code ? str_from(e.message) : STR(""));
		return;
	}
	/* A list asks for nothing, so it says nothing about who uses the connection. */
	if (!str_ends(x->call.method, STR("/list")))
		x->call.caller = arena_keep(x->mem, x->ask->caller);
	loop_timer_start(s->set->o.loop, &x->timer,
	                 x->ask->kind == TOOL_ASK_COMPLETION ? LIMIT_MCP_COMPLETE_MS
	                                                     : LIMIT_MCP_ASK_MS,
	                 on_time);
	mcp_protocol_call(s->connection, &x->call);
}

bool mcp_ask_start(struct toolset *port, struct tool_ask *a)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);

	for (size_t i = 0; i < set->server_count && !set->is_stopped; i++) {
		struct mcp_server *s = &set->servers[i];
		struct arena *mem;
		struct mcp_ask *x;

		if (!str_eq(s->c.name, a->server))
			continue;
		mem = arena_new();
		x = ARENA_NEW(mem, struct mcp_ask);
		*x = (struct mcp_ask){ .server = s, .ask = a, .mem = mem };
		x->call.is_aside = x->call.is_repeatable = true;
		x->call.ended = ask_answered;
		if (a->client)
			x->call.client = rec_clone(mem, &rec_call_client_desc, a->client);
		x->is_watch = a->kind == TOOL_ASK_RELAY && str_eq(a->name, STR(WATCH));
		a->text = a->message = STR("");
		a->value_count = 0;
		list_add(&s->offered.asks, &x->node);
		if (x->is_watch)
			s->offered.watch_count++;
		else
			s->offered.ask_count++;
		ask_send(x);
		return true;
	}
	return false;
}

size_t mcp_ask_prompts(struct toolset *port, struct arena *mem, const struct tool_prompt **ret)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);
	struct tool_prompt *all;
	size_t total = 0, count = 0;

	for (size_t i = 0; i < set->server_count; i++)
		total += set->servers[i].offered.lists[MCP_ROWS_PROMPTS].count;
	all = ARENA_ARRAY(mem, struct tool_prompt, total + 1);
	for (size_t i = 0; i < set->server_count; i++) {
		const struct mcp_server *s = &set->servers[i];
		const struct mcp_offers_list *l = &s->offered.lists[MCP_ROWS_PROMPTS];

		for (size_t n = 0; n < l->count && s->state == MCP_READY; n++)
			all[count++] = (struct tool_prompt){
				.server = s->c.name,
				.name = arena_keep(mem, l->rows[n].id),
				.description = arena_keep(mem, l->rows[n].description.len
				                                       ? l->rows[n].description
				                                       : l->rows[n].title),
				.hint = mcp_rows_hint(mem, &l->rows[n]),
			};
	}
	*ret = all;
	return count;
}

/* ---- the end ---- */

void mcp_ask_lose_all(struct mcp_server *s, struct str why)
{
	while (!list_is_empty(&s->offered.asks)) {
		struct mcp_ask *x = LIST_ITEM(s->offered.asks.next, struct mcp_ask, node);

		if (s->connection && x->call.is_open)
			mcp_protocol_cancel(s->connection, &x->call, STR("over"));
		if (!x->ask->message.len)
			x->ask->message = arena_printf(x->mem, "the tool server %.*s ended: %.*s",
			                               STR_ARG(s->c.name),
			                               STR_ARG(str_head(why, MESSAGE_MAX)));
		ask_end(x, ERR_IO);
	}
}

void mcp_ask_drop_all(struct mcp_server *s)
{
	while (!list_is_empty(&s->offered.asks)) {
		struct mcp_ask *x = LIST_ITEM(s->offered.asks.next, struct mcp_ask, node);

		if (s->connection && x->call.is_open)
			mcp_protocol_cancel(s->connection, &x->call, STR("over"));
		ask_free(x);
	}
}
