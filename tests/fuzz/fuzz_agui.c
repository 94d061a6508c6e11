/*
 * A front end that sends arbitrary bytes.  The first byte selects what they are: a RunAgentInput,
 * or events of a turn by lines.  What is accepted becomes the arguments of a command, what is
 * refused has a reason, and all that is written is JSON.
 */
#include "agui/agui_input.h"
#include "agui/agui_run.h"

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

static void try_input(struct arena *mem, struct str text)
{
	struct str action, turn;
	enum agui_interrupt kind;
	struct agui_input in;
	struct json body;

	if (json_read(mem, text, &body, NULL) != OK)
		return;
	if (!agui_input_read(mem, body, &in)) {
		MUST(str_is(in.wrong) && in.wrong.len);
		return;
	}
	MUST(in.is_read || in.given_count || str_is(in.input));
	for (size_t i = 0; i < in.given_count; i++)
		if (agui_run_read_interrupt(in.given[i].id, &action, &turn, &kind))
			MUST(action.len && turn.len);
	if (str_is(in.input)) {
		must_be_object(mem, agui_input_params(mem, &in, STR("sess_1"), true));
		must_be_object(mem, agui_input_params(mem, &in, STR("sess_1"), false));
	}
}

static void check_frames(struct arena *mem, struct str frames)
{
	while (str_is(frames) && frames.len) {
		struct str line = str_cut(&frames, '\n');

		if (line.len) {
			MUST(str_starts(line, STR("data: ")));
			must_be_object(mem, str_skip(line, 6));
		}
	}
}

static void try_events(struct arena *mem, struct str lines)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct agui_run r = { .mem = mem,
		              .out = &out,
		              .thread_id = STR("t"),
		              .run_id = STR("r"),
		              .turn_id = STR("t") };
	struct json event = { 0 };

	agui_run_begin(&r);
	while (str_is(lines)) {
		struct str line = str_cut(&lines, '\n');

		if (json_read(mem, line, &event, NULL) == OK)
			agui_run_event(&r, event);
	}
	for (struct agui_call *c; (c = agui_run_wants(&r));)
		c->args = STR("{}");
	if (r.end == AGUI_RUN_CALLS)
		agui_run_finish_calls(&r);
	if (r.end)
		agui_run_state(&r, event, STR("sess_1"), event);
	agui_run_close(&r);
	check_frames(mem, buf_str(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text;

	if (size < 1)
		return 0;
	text = str_of((const char *)data + 1, size - 1);
	if (data[0] % 2)
		try_events(mem, text);
	else
		try_input(mem, text);
	return 0;
}
