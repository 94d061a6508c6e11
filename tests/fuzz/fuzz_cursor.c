/*
 * Any bytes as a position: a cursor of a list, a position in the log, a byte
 * range, a trace.  An accepted one is the same when it is written and read
 * again; any other is refused without reading past its end.
 */
#include "engine/request/cursor.h"
#include "base/hash/trace_context.h"
#include "serve/http/content_negotiation.h"
#include "serve/stream/filter.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check_list(struct arena *mem, struct str text)
{
	int64_t at = 0, again = 0;
	struct str key = STR_NONE, same = STR_NONE;

	if (!cursor_read(text, &at, &key)) {
		MUST(!str_is(key) && at == 0);
		return;
	}
	MUST(cursor_read(cursor_text(mem, at, key), &again, &same));
	MUST(again == at && str_eq(key, same));
}

static void check_position(struct arena *mem, struct str text)
{
	uint64_t position, again;

	if (!cursor_read_position(text, &position))
		return;
	MUST(cursor_read_position(cursor_position_text(mem, position), &again));
	MUST(again == position);
}

static void check_after(struct str text, bool is_one_session)
{
	char out[CURSOR_MAX];
	uint64_t after, again;

	if (!filter_read_after(text, is_one_session, &after))
		return;
	filter_write_after(out, is_one_session, after);
	MUST(filter_read_after(str_from(out), is_one_session, &again));
	MUST(again == after);
}

static void check_range(struct str text)
{
	struct range r;

	if (!content_negotiation_range(text, &r))
		return;
	MUST(r.count == -1 || r.count > 0);
	MUST(r.first >= 0 || r.first == -r.count);
	MUST(r.first < 0 || r.count < 0 || r.first <= INT64_MAX - r.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = str_of((const char *)data, size);
	struct trace_context trace;
	uint64_t types[2] = { 0 };

	check_list(mem, text);
	check_position(mem, text);
	check_after(text, true);
	check_after(text, false);
	check_range(text);
	trace_context_read(text, text, &trace);
	MUST(!str_is(trace.trace_id) || (trace.trace_id.len == 32 && trace.parent_id.len == 16));
	MUST(!str_is(trace.state) || trace.state.len <= LIMIT_TRACE_STATE_BYTES);
	if (!filter_add_type(types, text))
		MUST(!types[0] && !types[1]);
	else
		MUST(types[0] || types[1]);
	return 0;
}
