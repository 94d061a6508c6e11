/*
 * What one event of a Responses answer means.
 *
 * Events carry a number and are taken in its order.  What stands in a final
 * item (response.output_item.done, response.completed) counts: it completes
 * text and calls that came in fragments, or not at all.
 */
#include "provider/openai/openai_responses.h"

#include "base/utf8.h"

#define ITEMS_MAX 256 /* of one answer; more is no answer */
#define HELD_MAX 8    /* events that wait for one before them */

/* What was said of one item, by its place in the output. */
struct said {
	struct buf text;
	bool is_whole;  /* its final form was taken */
	bool is_opaque; /* a thought that is kept */
};

struct held_event {
	int64_t number;
	struct buf event, json;
};

/*
 *    early event ──► held ──► taken in order ──► last event: everything that is held
 *
 * Items are found by their place in the output (output_index).
 */
struct responses_state {
	struct said *items[ITEMS_MAX];
	int64_t last; /* number of the event taken last, plus one; 0: none yet */
	struct held_event held[HELD_MAX];
	size_t held_count;
	bool has_items; /* some output was delivered before the end */
};

static struct responses_state *state_of(struct response *a)
{
	return response_part_dialect_state(a, sizeof(struct responses_state));
}

/*
 * NULL for an index outside the bound: the text is still delivered, but not compared
 * with a final item.
 */
static struct said *said_at(struct response *a, int64_t index)
{
	struct responses_state *s = state_of(a);

	if (index < 0 || index >= ITEMS_MAX)
		return NULL;
	if (!s->items[index])
		s->items[index] = ARENA_NEW(response_keep(a), struct said);
	s->has_items = true;
	return s->items[index];
}

/* ---- text ---- */

static void add_text(struct response *a, int64_t index, struct str text, bool is_refusal)
{
	struct said *said = said_at(a, index);

	if (said)
		buf_add_str(&said->text, text);
	if (is_refusal)
		response_part_refuse(a, text);
	else
		response_part_piece(a, PIECE_TEXT, text);
}

/* The same but for blanks: servers trim. */
static bool is_same_text(struct str a, struct str b)
{
	for (;;) {
		while (a.len && strchr(" \t\r\n", a.ptr[0]))
			a = str_skip(a, 1);
		while (b.len && strchr(" \t\r\n", b.ptr[0]))
			b = str_skip(b, 1);
		if (!a.len || !b.len)
			return a.len == b.len;
		if (a.ptr[0] != b.ptr[0])
			return false;
		a = str_skip(a, 1);
		b = str_skip(b, 1);
	}
}

static struct str content_text(struct response *a, struct json content, bool *ret_refuses)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part)) {
		struct str refusal = json_str(JSON_GET(part, "refusal"));

		buf_add_str(&out, json_str(JSON_GET(part, "text")));
		buf_add_str(&out, refusal);
		*ret_refuses |= refusal.len > 0;
	}
	return arena_keep(response_mem(a), buf_str(&out));
}

/* Delivers the text that did not come in fragments.  Delivered text cannot be withdrawn. */
static void end_message(struct response *a, int64_t index, struct json item)
{
	struct said *said = said_at(a, index);
	bool refuses = false;
	struct str whole = content_text(a, JSON_GET(item, "content"), &refuses);
	struct str told = said ? buf_str(&said->text) : STR("");

	if (!said || said->is_whole || !whole.len)
		return;
	said->is_whole = true;
	if (!told.len)
		response_part_text(a);
	if (str_starts(whole, told)) {
		struct str rest = arena_keep(response_mem(a), str_skip(whole, told.len));

		if (rest.len)
			add_text(a, index, rest, refuses);
	} else if (!is_same_text(whole, told)) {
		response_part_fail_protocol(a, true,
		                            "the text of the stream is not that of its final item");
	}
}

/* ---- items ---- */

static struct response_call *begin_call(struct response *a, int64_t index, struct json item)
{
	struct response_call *c = response_part_call_find(a, index);

	said_at(a, index);
	if (!c)
		c = response_part_call(a, index);
	if (!c)
		return NULL;
	response_part_call_id(a, c, json_str(JSON_GET(item, "call_id")));
	response_part_call_name(a, c, json_str(JSON_GET(item, "name")));
	return c;
}

static void end_call(struct response *a, int64_t index, struct str args)
{
	struct response_call *c = response_part_call_find(a, index);

	if (c && args.len)
		response_part_call_args_whole(a, c, args);
}

static bool is_kind(struct json item, const char *kind)
{
	return str_eq(json_str(JSON_GET(item, "type")), str_from(kind));
}

static void begin_item(struct response *a, int64_t index, struct json item)
{
	if (is_kind(item, "function_call"))
		begin_call(a, index, item);
	else if (is_kind(item, "message"))
		response_part_text(a);
}

/* Reasoning without encrypted content is dropped: the server stores nothing, so its id alone is useless. */
static void end_thought(struct response *a, int64_t index, struct json item)
{
	struct said *said;

	if (!json_str(JSON_GET(item, "encrypted_content")).len)
		return;
	said = said_at(a, index);
	if (said && !said->is_opaque)
		response_part_opaque(a, item);
	if (said)
		said->is_opaque = true;
}

static void end_item(struct response *a, int64_t index, struct json item)
{
	if (is_kind(item, "function_call")) {
		begin_call(a, index, item);
		end_call(a, index, json_str(JSON_GET(item, "arguments")));
	} else if (is_kind(item, "message")) {
		end_message(a, index, item);
	} else if (is_kind(item, "reasoning")) {
		end_thought(a, index, item);
	}
}

/* Delivers the reasoning summary, if no output was delivered before. */
static void deliver_summary(struct response *a, struct json item)
{
	struct json_iter it = json_iter(JSON_GET(item, "summary"));
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part))
		response_part_piece(a, PIECE_REASONING, json_str(JSON_GET(part, "text")));
}

/*
 * The last event repeats all items; those that were delivered before are recognised and
 * not delivered again.
 */
static void end_items(struct response *a, struct json output)
{
	bool is_first = !state_of(a)->has_items;
	struct json_iter it = json_iter(output);
	struct json item;
	struct str key;

	for (int64_t i = 0; json_next(&it, &key, &item); i++) {
		if (is_first)
			deliver_summary(a, item);
		end_item(a, i, item);
	}
}

/* ---- the end ---- */

static void read_usage(struct response *a, struct json v)
{
	struct json in = JSON_GET(v, "input_tokens_details");

	if (json_type(v) != JSON_OBJ || json_int(JSON_GET(v, "input_tokens"), -1) < 0 ||
	    json_int(JSON_GET(v, "output_tokens"), -1) < 0)
		return;
	response_part_usage(
		a, (struct model_usage){
			   .input = response_part_tokens(v, STR("input_tokens")),
			   .cached_input = response_part_tokens(in, STR("cached_tokens")),
			   .cache_written = response_part_tokens(in, STR("cache_write_tokens")),
			   .output = response_part_tokens(v, STR("output_tokens")),
			   .reasoning = response_part_tokens(JSON_GET(v, "output_tokens_details"),
	                                                     STR("reasoning_tokens")),
		   });
}

/* An answer that is not complete is no answer, unless the reason says what to do with it. */
static void end_incomplete(struct response *a, struct json response)
{
	struct str reason = json_str(JSON_GET(JSON_GET(response, "incomplete_details"), "reason"));

	if (str_eq(reason, STR("max_output_tokens")) || str_eq(reason, STR("content_filter")))
		response_part_finish(a, reason);
	else
		response_part_fail_protocol(
			a, true,
			arena_printf(response_mem(a), "the answer is incomplete (%.*s)",
		                     STR_ARG(reason.len ? utf8_head(reason, 80)
		                                        : STR("no reason given")))
				.ptr);
}

/*
 * The response as a whole; of a stream the type of its last event says how it ended.
 * Usage comes first: a failed response may have a cost.
 */
static void read_response(struct response *a, struct str type, struct json response)
{
	struct json error = JSON_GET(response, "error");
	struct str status = json_str(JSON_GET(response, "status"));

	if (str_eq(type, STR("response.incomplete")) ||
	    (str_eq(type, STR("response.failed")) && !status.len))
		status = str_skip(type, strlen("response."));
	read_usage(a, JSON_GET(response, "usage"));
	if (json_type(error) == JSON_OBJ) {
		response_part_fail_by(a, error);
		return;
	}
	end_items(a, JSON_GET(response, "output"));
	if (str_eq(status, STR("incomplete")))
		end_incomplete(a, response);
	else
		response_part_finish(a, status.len || !type.len ? status : STR("completed"));
}

/* ---- events ---- */

/*
 * Reasoning sets has_items although it belongs to no item: its summary must not be
 * delivered a second time at the end.
 */
static void read_delta(struct response *a, struct str type, int64_t index, struct json delta)
{
	struct response_call *c;

	if (str_eq(type, STR("response.output_text.delta"))) {
		add_text(a, index, json_str(delta), false);
	} else if (str_eq(type, STR("response.refusal.delta"))) {
		add_text(a, index, json_str(delta), true);
	} else if (str_eq(type, STR("response.reasoning_summary_text.delta")) ||
	           str_eq(type, STR("response.reasoning_text.delta"))) {
		state_of(a)->has_items = true;
		response_part_piece(a, PIECE_REASONING, json_str(delta));
	} else if (str_eq(type, STR("response.function_call_arguments.delta"))) {
		c = response_part_call_find(a, index);
		if (c)
			response_part_call_args(a, c, delta);
	}
}

static bool is_last(struct str type)
{
	return str_eq(type, STR("response.completed")) ||
	       str_eq(type, STR("response.incomplete")) || str_eq(type, STR("response.failed"));
}

static struct str type_of(struct str event, struct json doc)
{
	struct str type = json_str(JSON_GET(doc, "type"));

	return type.len ? type : event;
}

static void take_event(struct response *a, struct str event, struct json doc)
{
	struct str type = type_of(event, doc);
	int64_t index = json_int(JSON_GET(doc, "output_index"), -1);

	if (str_ends(type, STR(".delta"))) {
		read_delta(a, type, index, JSON_GET(doc, "delta"));
	} else if (str_eq(type, STR("response.output_item.added"))) {
		begin_item(a, index, JSON_GET(doc, "item"));
	} else if (str_eq(type, STR("response.function_call_arguments.done"))) {
		end_call(a, index, json_str(JSON_GET(doc, "arguments")));
	} else if (str_eq(type, STR("response.output_item.done"))) {
		end_item(a, index, JSON_GET(doc, "item"));
	} else if (is_last(type)) {
		read_response(a, type, JSON_GET(doc, "response"));
		response_part_conclude(a);
	} else if (str_eq(type, STR("error"))) {
		response_part_fail_by(a, doc);
	}
	/* The others say again what these have said. */
}

/* ---- their order ---- */

static void free_held(struct held_event *h)
{
	buf_done(&h->event);
	buf_done(&h->json);
}

static void take_held(struct response *a, size_t i)
{
	struct responses_state *s = state_of(a);
	struct held_event h = s->held[i];
	struct json doc;

	s->held[i] = s->held[--s->held_count];
	s->last = MAX(s->last, h.number + 1);
	/* Its pieces are views of the document, which lives until they have been delivered. */
	if (json_read_trusted(response_mem(a), arena_keep(response_mem(a), buf_str(&h.json)), &doc,
	                      NULL) == OK)
		take_event(a, arena_keep(response_mem(a), buf_str(&h.event)), doc);
	free_held(&h);
}

static size_t first_held(const struct responses_state *s)
{
	size_t first = 0;

	for (size_t i = 1; i < s->held_count; i++)
		if (s->held[i].number < s->held[first].number)
			first = i;
	return first;
}

/* Takes the held events that are next in order; at the end all of them. */
static void take_due(struct response *a, bool is_end)
{
	struct responses_state *s = state_of(a);

	while (s->held_count && !response_is_over(a)) {
		size_t first = first_held(s);

		if (!is_end && s->held[first].number > s->last)
			return;
		take_held(a, first);
	}
}

static bool is_early(const struct responses_state *s, int64_t number)
{
	/* The first event has 0 or 1; numbers that do not grow say nothing. */
	return number > MAX(s->last, 1);
}

static void hold_event(struct response *a, int64_t number, struct str event, struct json doc)
{
	struct responses_state *s = state_of(a);
	struct held_event *h = &s->held[s->held_count++];

	*h = (struct held_event){ .number = number };
	buf_add_str(&h->event, event);
	buf_add_str(&h->json, json_text(response_mem(a), doc));
}

/*
 * Events may arrive out of order.  One whose number is ahead is held until those before
 * it have come, or until HELD_MAX wait, or until the last event.
 */
static void on_event(struct response *a, struct str event, struct json doc)
{
	struct responses_state *s = state_of(a);
	int64_t number = json_int(JSON_GET(doc, "sequence_number"), -1);

	if (number >= 0 && is_early(s, number) && !is_last(type_of(event, doc))) {
		/* A gap that does not close was never meant to: a proxy left something out. */
		if (s->held_count == HELD_MAX)
			take_due(a, true);
		hold_event(a, number, event, doc);
		if (s->held_count == HELD_MAX)
			take_due(a, true);
		return;
	}
	/* The last event contains the whole response, so nothing is waited for. */
	if (is_last(type_of(event, doc)))
		take_due(a, true);
	s->last = MAX(s->last, number + 1);
	take_event(a, event, doc);
	take_due(a, false);
}

static void on_eof(struct response *a)
{
	take_due(a, true);
}

static void on_free(void *state)
{
	struct responses_state *s = state;

	for (size_t i = 0; i < s->held_count; i++)
		free_held(&s->held[i]);
	for (size_t i = 0; i < ITEMS_MAX; i++)
		if (s->items[i])
			buf_done(&s->items[i]->text);
}

static void on_whole(struct response *a, struct json doc)
{
	read_response(a, STR_NONE, doc);
}

static const struct finish_word finishes[] = {
	{ STR("completed"), STOP_REASON_END_TURN },
	{ STR("max_output_tokens"), STOP_REASON_MAX_TOKENS },
	{ STR("content_filter"), STOP_REASON_REFUSAL },
	{ STR("failed"), 0, ERROR_CATEGORY_SERVER_ERROR },
	{ STR("cancelled"), 0, ERROR_CATEGORY_SERVER_ERROR },
};

const struct dialect openai_responses_event_dialect = {
	.word = STR("responses"),
	.accept = STR("text/event-stream"),
	.path = openai_responses_body_path,
	.write = openai_responses_body_write,
	.on_event = on_event,
	.on_eof = on_eof,
	.on_free = on_free,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
