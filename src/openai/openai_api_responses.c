/* Responses: numbered events and whole responses. */
#include "base/jw.h"
#include "openai/openai_api_id.h"
#include "openai/openai_api_write.h"

/* ---- items ---- */

static const char *item_status(const struct openai_api_item *i)
{
	return i->has_failed ? "failed" : i->is_done ? "completed" : "in_progress";
}

static void write_text_part(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("output_text"));
	JW_KSTR(w, "text", text);
	JW_KEY(w, "annotations");
	jw_arr(w);
	jw_arr_end(w);
	JW_KEY(w, "logprobs");
	jw_arr(w);
	jw_arr_end(w);
	jw_obj_end(w);
}

static void write_message(struct json_writer *w, const struct openai_api_item *i)
{
	JW_KSTR(w, "type", STR("message"));
	JW_KSTR(w, "status", str_from(item_status(i)));
	JW_KSTR(w, "role", STR("assistant"));
	JW_KEY(w, "content");
	jw_arr(w);
	if (i->is_done)
		write_text_part(w, buf_str(&i->text));
	jw_arr_end(w);
}

/* The arguments are in the event that names them, and in the finished item. */
static void write_call(struct json_writer *w, const struct openai_api_item *i)
{
	JW_KSTR(w, "type", STR("function_call"));
	JW_KSTR(w, "status", str_from(item_status(i)));
	JW_KSTR(w, "call_id", i->call_id);
	JW_KSTR(w, "name", i->name);
	JW_KSTR(w, "arguments", i->is_done ? i->args : STR(""));
}

static void write_ask(struct json_writer *w, const struct openai_api_item *i)
{
	JW_KSTR(w, "type", STR("mcp_approval_request"));
	JW_KSTR(w, "server_label", STR("thole"));
	JW_KSTR(w, "name", i->name);
	JW_KSTR(w, "arguments", buf_str(&i->text));
}

static void write_item(struct json_writer *w, const struct openai_api_item *i)
{
	jw_obj(w);
	JW_KSTR(w, "id", i->id);
	switch (i->kind) {
	case OPENAI_API_MESSAGE:
		write_message(w, i);
		break;
	case OPENAI_API_CALL:
		write_call(w, i);
		break;
	case OPENAI_API_APPROVAL_ASK:
		write_ask(w, i);
		break;
	case OPENAI_API_OWN_CALL:
		JW_KSTR(w, "type", STR("thole:tool_call"));
		JW_KSTR(w, "status", str_from(item_status(i)));
		JW_KSTR(w, "name", i->name);
	}
	jw_obj_end(w);
}

static int64_t index_of(const struct openai_api_turn *t, const struct openai_api_item *item)
{
	int64_t at = 0;

	for (const struct openai_api_item *i = t->items; i && i != item; i = i->next)
		at++;
	return at;
}

/* ---- the response ---- */

static const char *status_of(const struct openai_api_turn *t)
{
	switch (t->end) {
	case OPENAI_API_RUNNING:
		return "in_progress";
	case OPENAI_API_FAILED:
		return "failed";
	case OPENAI_API_CANCELLED:
		return "cancelled";
	default:
		return t->is_cut ? "incomplete" : "completed";
	}
}

static void write_null(struct json_writer *w, const char *key)
{
	jw_key(w, str_from(key));
	jw_null(w);
}

static void write_error(struct json_writer *w, const struct openai_api_turn *t)
{
	JW_KEY(w, "error");
	if (t->end != OPENAI_API_FAILED) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	JW_KSTR(w, "code", str_is(t->error_code) ? t->error_code : STR("server_error"));
	JW_KSTR(w, "message", t->error_message);
	jw_obj_end(w);
}

static void write_cut(struct json_writer *w, const struct openai_api_turn *t)
{
	JW_KEY(w, "incomplete_details");
	if (t->end != OPENAI_API_COMPLETED || !t->is_cut) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	JW_KSTR(w, "reason", STR("max_output_tokens"));
	jw_obj_end(w);
}

static void write_usage(struct json_writer *w, const struct openai_api_turn *t)
{
	JW_KEY(w, "usage");
	if (t->end == OPENAI_API_RUNNING) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	JW_KINT(w, "input_tokens", t->input_tokens);
	JW_KEY(w, "input_tokens_details");
	jw_obj(w);
	JW_KINT(w, "cached_tokens", t->cached_tokens);
	jw_obj_end(w);
	JW_KINT(w, "output_tokens", t->output_tokens);
	JW_KEY(w, "output_tokens_details");
	jw_obj(w);
	JW_KINT(w, "reasoning_tokens", t->reasoning_tokens);
	jw_obj_end(w);
	JW_KINT(w, "total_tokens", t->input_tokens + t->output_tokens);
	jw_obj_end(w);
}

static void write_output(struct json_writer *w, const struct openai_api_turn *t)
{
	JW_KEY(w, "output");
	jw_arr(w);
	for (const struct openai_api_item *i = t->items; i; i = i->next)
		if (i->is_done || i->kind != OPENAI_API_CALL)
			write_item(w, i);
	jw_arr_end(w);
}

/* Members that clients read without asking whether they are there. */
static void write_constants(struct json_writer *w)
{
	write_null(w, "instructions");
	write_null(w, "max_output_tokens");
	JW_KBOOL(w, "parallel_tool_calls", true);
	JW_KBOOL(w, "store", true);
	write_null(w, "temperature");
	write_null(w, "top_p");
	JW_KSTR(w, "tool_choice", STR("auto"));
	JW_KEY(w, "tools");
	jw_arr(w);
	jw_arr_end(w);
	JW_KEY(w, "metadata");
	jw_obj(w);
	jw_obj_end(w);
}

static void write_response(struct json_writer *w, struct openai_api_turn *t, struct str previous_id)
{
	jw_obj(w);
	JW_KSTR(w, "id",
	        openai_api_id_response(t->mem, OPENAI_API_ID_RESPONSE, t->session_id, t->turn_id,
	                               t->first_sequence));
	JW_KSTR(w, "object", STR("response"));
	JW_KINT(w, "created_at", t->created_s);
	JW_KSTR(w, "status", str_from(status_of(t)));
	JW_KSTR(w, "model", t->model);
	JW_KEY(w, "previous_response_id");
	if (str_is(previous_id))
		jw_str(w, previous_id);
	else
		jw_null(w);
	JW_KEY(w, "conversation");
	jw_obj(w);
	JW_KSTR(w, "id", openai_api_id_conversation(t->mem, t->session_id));
	jw_obj_end(w);
	write_error(w, t);
	write_cut(w, t);
	write_output(w, t);
	write_usage(w, t);
	write_constants(w);
	jw_obj_end(w);
}

void openai_api_responses_whole(struct buf *out, struct openai_api_turn *t, struct str previous_id)
{
	struct json_writer w;

	jw_init(&w, out);
	write_response(&w, t, previous_id);
}

/* ---- events ---- */

/* The caller adds the members of its type and calls end_event(). */
static void begin_event(struct openai_api_stream *s, struct json_writer *w, struct buf *json,
                        const char *type)
{
	jw_init(w, json);
	jw_obj(w);
	JW_KSTR(w, "type", str_from(type));
	JW_KINT(w, "sequence_number", s->number);
}

static void end_event(struct openai_api_stream *s, struct json_writer *w, const char *type)
{
	jw_obj_end(w);
	if (s->number++ <= s->shown_after)
		return;
	buf_add_str(s->out, STR("event: "));
	buf_add_str(s->out, str_from(type));
	buf_add_str(s->out, STR("\ndata: "));
	buf_add_str(s->out, buf_str(w->out));
	buf_add_str(s->out, STR("\n\n"));
}

static void send_response(struct openai_api_stream *s, const char *type)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct json_writer w;

	begin_event(s, &w, &json, type);
	JW_KEY(&w, "response");
	write_response(&w, s->turn, s->previous_id);
	end_event(s, &w, type);
}

void openai_api_responses_begin(struct openai_api_stream *s)
{
	send_response(s, "response.created");
	send_response(s, "response.in_progress");
}

void openai_api_responses_end(struct openai_api_stream *s)
{
	const struct openai_api_turn *t = s->turn;

	send_response(s, t->end == OPENAI_API_FAILED      ? "response.failed"
	                 : t->end == OPENAI_API_CANCELLED ? "response.cancelled"
	                 : t->is_cut                      ? "response.incomplete"
	                                                  : "response.completed");
}

static void send_item(struct openai_api_stream *s, const struct openai_api_item *item,
                      const char *type)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct json_writer w;

	begin_event(s, &w, &json, type);
	JW_KINT(&w, "output_index", index_of(s->turn, item));
	JW_KEY(&w, "item");
	write_item(&w, item);
	end_event(s, &w, type);
}

/* text: of the member that has it; NULL: a part is added or ends. */
static void send_piece(struct openai_api_stream *s, const struct openai_api_item *item,
                       const char *type, const char *member, struct str text)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	bool is_text = item->kind == OPENAI_API_MESSAGE;
	struct json_writer w;

	begin_event(s, &w, &json, type);
	JW_KSTR(&w, "item_id", item->id);
	JW_KINT(&w, "output_index", index_of(s->turn, item));
	if (is_text)
		JW_KINT(&w, "content_index", 0);
	if (member) {
		jw_kstr(&w, str_from(member), text);
	} else {
		JW_KEY(&w, "part");
		write_text_part(&w, text);
	}
	if (is_text && member) {
		JW_KEY(&w, "logprobs");
		jw_arr(&w);
		jw_arr_end(&w);
	}
	end_event(s, &w, type);
}

static void step_message(struct openai_api_stream *s, enum openai_api_step step,
                         struct openai_api_item *item, struct str piece)
{
	switch (step) {
	case OPENAI_API_ITEM_BEGINS:
		send_item(s, item, "response.output_item.added");
		send_piece(s, item, "response.content_part.added", NULL, STR(""));
		break;
	case OPENAI_API_ITEM_GROWS:
		send_piece(s, item, "response.output_text.delta", "delta", piece);
		break;
	case OPENAI_API_ITEM_ENDS:
		send_piece(s, item, "response.output_text.done", "text", buf_str(&item->text));
		send_piece(s, item, "response.content_part.done", NULL, buf_str(&item->text));
		send_item(s, item, "response.output_item.done");
	}
}

static void step_call(struct openai_api_stream *s, enum openai_api_step step,
                      struct openai_api_item *item, struct str piece)
{
	switch (step) {
	case OPENAI_API_ITEM_BEGINS:
		send_item(s, item, "response.output_item.added");
		break;
	case OPENAI_API_ITEM_GROWS:
		send_piece(s, item, "response.function_call_arguments.delta", "delta", piece);
		break;
	case OPENAI_API_ITEM_ENDS:
		send_piece(s, item, "response.function_call_arguments.done", "arguments",
		           item->args);
		send_item(s, item, "response.output_item.done");
	}
}

void openai_api_responses_step(struct openai_api_stream *s, enum openai_api_step step,
                               struct openai_api_item *item, struct str piece)
{
	if (item->kind == OPENAI_API_MESSAGE)
		step_message(s, step, item, piece);
	else if (item->kind == OPENAI_API_CALL)
		step_call(s, step, item, piece);
	else
		send_item(s, item,
		          step == OPENAI_API_ITEM_BEGINS ? "response.output_item.added"
		                                         : "response.output_item.done");
}
