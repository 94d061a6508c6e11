/*
 * A client of the OpenAI APIs that sends arbitrary bytes.  The first byte selects the API.  A body
 * that is accepted becomes the arguments of a command, which are a JSON object; one that is refused
 * has a reason.  The same bytes as lines of events are folded, and all that is written is JSON.
 */
#include "openai/openai_api_request.h"
#include "openai/openai_api_write.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void must_be_object(struct arena *mem, struct str text)
{
	struct json v;

	MUST(json_read_wrapped(mem, text, &v, NULL) == OK && json_type(v) == JSON_OBJ);
}

static void try_request(struct arena *mem, enum openai_api api, struct str text)
{
	struct openai_api_request r;
	struct json body;

	if (json_read(mem, text, &body, NULL) != OK)
		return;
	if (!openai_api_request_read(mem, api, body, STR_NONE, &r)) {
		MUST(str_is(r.wrong) && r.wrong.len);
		return;
	}
	MUST(r.given_count || str_is(r.params));
	if (str_is(r.params))
		must_be_object(mem, r.params);
	for (size_t i = 0; i < r.given_count; i++)
		MUST(r.given[i].session_id.len && r.given[i].object_id.len);
}

static void on_step(void *owner, enum openai_api_step step, struct openai_api_item *item,
                    struct str piece)
{
	struct openai_api_stream *both = owner;

	openai_api_chat_step(&both[0], step, item, piece);
	openai_api_responses_step(&both[1], step, item, piece);
}

/* Each frame has one line of data, which is JSON. */
static void check_frames(struct arena *mem, struct str frames)
{
	while (str_is(frames) && frames.len) {
		struct str line = str_cut(&frames, '\n');

		if (str_starts(line, STR("data: ")) && !str_eq(line, STR("data: [DONE]")))
			must_be_object(mem, str_skip(line, 6));
		else
			MUST(!line.len || str_starts(line, STR("event: ")) ||
			     str_eq(line, STR("data: [DONE]")));
	}
}

static void try_events(struct arena *mem, struct str lines)
{
	CLEANUP(buf_done) struct buf out = { 0 }, whole = { 0 };
	struct openai_api_turn t;
	struct openai_api_stream both[2] = { { .turn = &t, .out = &out, .shown_after = -1 },
		                             { .turn = &t, .out = &out, .shown_after = -1 } };
	struct json event;

	openai_api_turn_init(&t, STR("s"), STR("t"), 1);
	t.step = on_step;
	t.owner = both;
	while (str_is(lines)) {
		struct str line = str_cut(&lines, '\n');

		if (json_read(mem, line, &event, NULL) == OK)
			openai_api_turn_event(&t, event);
	}
	for (struct openai_api_item *i; (i = openai_api_turn_wants(&t));)
		i->args = STR("{}");
	openai_api_turn_show_calls(&t);
	openai_api_chat_end(&both[0], true);
	openai_api_responses_end(&both[1]);
	check_frames(mem, buf_str(&out));
	openai_api_chat_whole(&whole, &t);
	must_be_object(mem, buf_str(&whole));
	whole.len = 0;
	openai_api_responses_whole(&whole, &t, STR_NONE);
	must_be_object(mem, buf_str(&whole));
	openai_api_turn_done(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text;

	if (size < 1)
		return 0;
	text = str_of((const char *)data + 1, size - 1);
	if (data[0] % 3 < 2)
		try_request(mem, data[0] % 3 ? OPENAI_API_RESPONSES : OPENAI_API_CHAT, text);
	else
		try_events(mem, text);
	return 0;
}
