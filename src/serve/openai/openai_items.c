/* Items of a conversation: the log of a session is read, one page of it is kept. */
#include "serve/openai/openai_items.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/memory.h"
#include "openai/openai_api_id.h"

#define PAGE_DEFAULT 20

#define IN(word, type) ((type) / 64 == (word) ? (uint64_t)1 << ((type) % 64) : 0)
#define OF_SESSION(word) (IN(word, EV_SESSION_CREATED) | IN(word, EV_SESSION_UPDATED))
#define OF_ITEMS(word)                                                                             \
	(IN(word, EV_TURN_SUBMITTED) | IN(word, EV_MODEL_DELTA) | IN(word, EV_MODEL_COMPLETED) |   \
	 IN(word, EV_MODEL_FAILED) | IN(word, EV_TOOL_STARTED) | IN(word, EV_TOOL_PROGRESS) |      \
	 IN(word, EV_TOOL_RESULT) | IN(word, EV_TOOL_FAILED) | IN(word, EV_ACTION_REQUIRED) |      \
	 IN(word, EV_ACTION_RESOLVED))

#define OF_ROLLBACKS(word) IN(word, EV_HISTORY_ROLLBACK_COMPLETED)

static const uint64_t rollback_types[2] = { OF_ROLLBACKS(0), OF_ROLLBACKS(1) };
static const uint64_t session_types[2] = { OF_SESSION(0), OF_SESSION(1) };
static const uint64_t item_types[2] = { OF_ITEMS(0), OF_ITEMS(1) };

static struct openai_op *op_of(struct turn_op *op)
{
	return OWNER_OF(op, struct openai_op, op);
}

static void read_session(struct openai_op *o, const struct openai_api_page *page,
                         const uint64_t types[2], void (*show)(struct openai_op *o))
{
	o->items = memory_zeroed(1, sizeof *o->items);
	openai_api_items_init(o->items, o->op.session_id, page);
	o->show = show;
	turn_op_read(&o->op, o->op.session_id, types);
}

/* ---- the conversation ---- */

static void show_conversation(struct openai_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "id", openai_api_id_conversation(o->op.mem, o->op.session_id));
	JW_KSTR(&w, "object", STR("conversation"));
	JW_KINT(&w, "created_at", o->created_ms / 1000);
	JW_KEY(&w, "metadata");
	jw_raw(&w, str_is(o->items->metadata) ? o->items->metadata : STR("{}"));
	jw_obj_end(&w);
	openai_op_reply(o, 200, buf_str(&out));
}

void openai_items_show_conversation(struct openai_op *o, int64_t created_ms)
{
	struct openai_api_page none = { 0 };

	o->created_ms = created_ms;
	read_session(o, &none, session_types, show_conversation);
}

/* ---- a page, or one item ---- */

static void write_page(struct openai_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct openai_api_page *page = &o->items->page;

	if (str_is(page->after) && !o->items->has_seen_after) {
		openai_op_fail(o, 400, STR("after: no item of this conversation has this id"),
		               STR("after"), STR("invalid_value"));
		return;
	}
	if (!str_is(page->only)) {
		openai_api_items_write(&out, o->items);
		openai_op_reply(o, 200, buf_str(&out));
	} else if (openai_api_items_write_one(&out, o->items)) {
		openai_op_reply(o, 200, buf_str(&out));
	} else {
		openai_op_fail(o, 404, STR("No item has this id."), STR_NONE, STR("not_found"));
	}
}

static void read_texts(struct openai_op *o);

static void text_read(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct json reply;
	struct str text = STR_NONE;

	if (!a->code && json_read_trusted(op->mem, a->body, &reply, NULL) == OK)
		text = json_str(JSON_GET(reply, "text"));
	openai_api_items_give(openai_api_items_wants(o->items), text);
	read_texts(o);
}

static void read_texts(struct openai_op *o)
{
	struct openai_api_listed *item = openai_api_items_wants(o->items);
	struct json_writer w;

	if (!item) {
		write_page(o);
		return;
	}
	o->op.params.len = 0;
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "outputRef", item->ref);
	JW_KSTR(&w, "sessionId", o->op.session_id);
	JW_KINT(&w, "length", LIMIT_CALL_INPUT_BYTES);
	jw_obj_end(&w);
	turn_op_call(&o->op, "get_output", STR_NONE, text_read);
}

static void read_items(struct openai_op *o)
{
	o->show = read_texts;
	turn_op_read(&o->op, o->op.session_id, item_types);
}

/* What a rollback removed is known before the first item is. */
static void read_page(struct openai_op *o, const struct openai_api_page *page)
{
	read_session(o, page, rollback_types, read_items);
}

static bool refuse_query(struct openai_op *o, const char *name, const char *why)
{
	openai_op_fail(o, 400, arena_printf(o->op.mem, "%s: %s", name, why), str_from(name),
	               STR("invalid_value"));
	return false;
}

/* False: the query is refused, and the request was answered. */
static bool read_query(struct openai_op *o, struct openai_api_page *ret)
{
	struct str limit = openai_op_query(o, "limit"), order = openai_op_query(o, "order");
	int64_t count = PAGE_DEFAULT;

	if (str_is(limit) && (!str_to_i64(limit, &count) || count < 1 || count > LIMIT_OPENAI_PAGE))
		return refuse_query(
			o, "limit",
			arena_printf(o->op.mem, "a number from 1 to %d", LIMIT_OPENAI_PAGE).ptr);
	if (str_is(order) && !str_eq(order, STR("asc")) && !str_eq(order, STR("desc")))
		return refuse_query(o, "order", "asc or desc");
	*ret = (struct openai_api_page){ .limit = (size_t)count,
		                         .is_ascending = str_is(order) && str_eq(order, STR("asc")),
		                         .after = openai_op_query(o, "after") };
	return true;
}

static void open_list(struct openai_op *o)
{
	struct openai_api_page page;

	if (str_eq(o->op.req->in.method, STR("POST")))
		openai_op_fail(o, 400,
		               STR("items: send them as input of the next response; the log keeps "
		                   "words together with the turn that reads them."),
		               STR("items"), STR("invalid_value"));
	else if (read_query(o, &page))
		read_page(o, &page);
}

static void open_item(struct openai_op *o, struct str item_id)
{
	struct openai_api_page page = { .limit = 1, .is_ascending = true, .only = item_id };

	if (str_eq(o->op.req->in.method, STR("DELETE")))
		openai_op_fail(o, 409,
		               STR("The log of a conversation has no gaps. Delete the "
		                   "conversation, or continue an earlier response with "
		                   "previous_response_id."),
		               STR_NONE, STR("item_not_alone"));
	else
		read_page(o, &page);
}

bool openai_items_open(struct openai_op *o, struct str conversation_id, struct str rest)
{
	struct str items = str_cut(&rest, '/'), method = o->op.req->in.method, session_id;
	bool is_list = !str_is(rest);
	bool is_change = str_eq(method, is_list ? STR("POST") : STR("DELETE"));

	if (!str_eq(items, STR("items")) || (!is_list && !rest.len) ||
	    (!is_change && !str_eq(method, STR("GET"))))
		return false;
	if (!openai_api_id_read_conversation(conversation_id, &session_id)) {
		openai_op_fail(o, 404, STR("No conversation has this id."), STR_NONE,
		               STR("not_found"));
		return true;
	}
	o->op.session_id = arena_keep(o->op.mem, session_id);
	if (is_list)
		open_list(o);
	else
		open_item(o, rest);
	return true;
}
