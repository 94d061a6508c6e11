/* Chat Completions: chunks and whole completions. */
#include "base/jw.h"
#include "openai/openai_api_id.h"
#include "openai/openai_api_write.h"

/* What the API has no word for is said as text, because the answer ends there. */
static struct str question_text(struct arena *mem, const struct openai_api_item *item)
{
	return arena_printf(
		mem,
		"Waiting for a decision: %.*s Answer it with `thole approve %.*s` or in "
		"the console; the work then continues.",
		STR_ARG(buf_str(&item->text)), STR_ARG(item->call_id));
}

static const char *finish_reason(const struct openai_api_turn *t)
{
	return t->end == OPENAI_API_CALLS ? "tool_calls" : t->is_cut ? "length" : "stop";
}

static void write_usage(struct json_writer *w, const struct openai_api_turn *t)
{
	jw_obj(w);
	JW_KINT(w, "prompt_tokens", t->input_tokens);
	JW_KINT(w, "completion_tokens", t->output_tokens);
	JW_KINT(w, "total_tokens", t->input_tokens + t->output_tokens);
	JW_KEY(w, "prompt_tokens_details");
	jw_obj(w);
	JW_KINT(w, "cached_tokens", t->cached_tokens);
	jw_obj_end(w);
	JW_KEY(w, "completion_tokens_details");
	jw_obj(w);
	JW_KINT(w, "reasoning_tokens", t->reasoning_tokens);
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_head(struct json_writer *w, const struct openai_api_turn *t, const char *object)
{
	jw_obj(w);
	JW_KSTR(w, "id",
	        openai_api_id_response(t->mem, OPENAI_API_ID_CHAT, t->session_id, t->turn_id,
	                               t->first_sequence));
	JW_KSTR(w, "object", str_from(object));
	JW_KINT(w, "created", t->created_s);
	JW_KSTR(w, "model", t->model);
}

static void write_call(struct json_writer *w, const struct openai_api_item *item)
{
	JW_KSTR(w, "id", item->call_id);
	JW_KSTR(w, "type", STR("function"));
	JW_KEY(w, "function");
	jw_obj(w);
	JW_KSTR(w, "name", item->name);
	JW_KSTR(w, "arguments", item->args);
	jw_obj_end(w);
}

/* ---- chunks ---- */

static void frame(struct openai_api_stream *s, struct str json)
{
	buf_add_str(s->out, STR("data: "));
	buf_add_str(s->out, json);
	buf_add_str(s->out, STR("\n\n"));
}

/* The caller adds the members of the delta and calls end_chunk(). */
static void begin_chunk(struct openai_api_stream *s, struct json_writer *w)
{
	write_head(w, s->turn, "chat.completion.chunk");
	JW_KEY(w, "choices");
	jw_arr(w);
	jw_obj(w);
	JW_KINT(w, "index", 0);
	JW_KEY(w, "delta");
	jw_obj(w);
	if (!s->has_begun)
		JW_KSTR(w, "role", STR("assistant"));
	s->has_begun = true;
}

static void end_chunk(struct openai_api_stream *s, struct json_writer *w, const char *finish)
{
	jw_obj_end(w);
	JW_KEY(w, "finish_reason");
	if (finish)
		jw_str(w, str_from(finish));
	else
		jw_null(w);
	jw_obj_end(w);
	jw_arr_end(w);
	jw_obj_end(w);
	frame(s, buf_str(w->out));
}

static void send_text(struct openai_api_stream *s, struct str text)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	begin_chunk(s, &w);
	JW_KSTR(&w, "content", text);
	end_chunk(s, &w, NULL);
}

static void send_call(struct openai_api_stream *s, const struct openai_api_item *item)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	begin_chunk(s, &w);
	JW_KEY(&w, "tool_calls");
	jw_arr(&w);
	jw_obj(&w);
	JW_KINT(&w, "index", (int64_t)s->calls++);
	write_call(&w, item);
	jw_obj_end(&w);
	jw_arr_end(&w);
	end_chunk(s, &w, NULL);
}

void openai_api_chat_step(struct openai_api_stream *s, enum openai_api_step step,
                          struct openai_api_item *item, struct str piece)
{
	if (item->kind == OPENAI_API_MESSAGE && step == OPENAI_API_ITEM_GROWS)
		send_text(s, piece);
	else if (item->kind == OPENAI_API_CALL && step == OPENAI_API_ITEM_ENDS)
		send_call(s, item);
	else if (item->kind == OPENAI_API_APPROVAL_ASK && step == OPENAI_API_ITEM_BEGINS)
		send_text(s, question_text(s->turn->mem, item));
}

static void send_usage(struct openai_api_stream *s)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	write_head(&w, s->turn, "chat.completion.chunk");
	JW_KEY(&w, "choices");
	jw_arr(&w);
	jw_arr_end(&w);
	JW_KEY(&w, "usage");
	write_usage(&w, s->turn);
	jw_obj_end(&w);
	frame(s, buf_str(&json));
}

void openai_api_chat_end(struct openai_api_stream *s, bool wants_usage)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct openai_api_turn *t = s->turn;
	struct json_writer w;

	if (t->end == OPENAI_API_FAILED || t->end == OPENAI_API_CANCELLED) {
		openai_api_error_write(&json, t->error_message, "server_error", STR_NONE,
		                       t->error_code);
		frame(s, buf_str(&json));
	} else {
		jw_init(&w, &json);
		begin_chunk(s, &w);
		end_chunk(s, &w, finish_reason(t));
		if (wants_usage)
			send_usage(s);
	}
	buf_add_str(s->out, STR("data: [DONE]\n\n"));
}

/* ---- whole ---- */

static void write_content(struct json_writer *w, struct openai_api_turn *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (struct openai_api_item *i = t->items; i; i = i->next)
		if (i->kind == OPENAI_API_MESSAGE)
			buf_add_str(&text, buf_str(&i->text));
		else if (i->kind == OPENAI_API_APPROVAL_ASK)
			buf_add_str(&text, question_text(t->mem, i));
	JW_KEY(w, "content");
	if (text.len || t->end != OPENAI_API_CALLS)
		jw_str(w, buf_str(&text));
	else
		jw_null(w);
}

static void write_calls(struct json_writer *w, struct openai_api_turn *t)
{
	JW_KEY(w, "tool_calls");
	jw_arr(w);
	for (struct openai_api_item *i = t->items; i; i = i->next)
		if (i->kind == OPENAI_API_CALL) {
			jw_obj(w);
			write_call(w, i);
			jw_obj_end(w);
		}
	jw_arr_end(w);
}

void openai_api_chat_whole(struct buf *out, struct openai_api_turn *t)
{
	struct json_writer w;

	jw_init(&w, out);
	write_head(&w, t, "chat.completion");
	JW_KEY(&w, "choices");
	jw_arr(&w);
	jw_obj(&w);
	JW_KINT(&w, "index", 0);
	JW_KEY(&w, "message");
	jw_obj(&w);
	JW_KSTR(&w, "role", STR("assistant"));
	write_content(&w, t);
	JW_KEY(&w, "refusal");
	jw_null(&w);
	if (t->end == OPENAI_API_CALLS)
		write_calls(&w, t);
	jw_obj_end(&w);
	JW_KEY(&w, "logprobs");
	jw_null(&w);
	JW_KSTR(&w, "finish_reason", str_from(finish_reason(t)));
	jw_obj_end(&w);
	jw_arr_end(&w);
	JW_KEY(&w, "usage");
	write_usage(&w, t);
	jw_obj_end(&w);
}
