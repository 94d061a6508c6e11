/*
 * The response of a tool server with an address, of arbitrary bytes.  The first byte selects the
 * kind of response, the second how the rest is split; for every split the lines are the same.  The
 * bytes are also read as a line to send, as the schema of a tool and as the body of an error.
 */
#include "mcp/mcp_http_message.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void on_line(void *arg, struct str line)
{
	MUST(line.len > 1 && str_find_char(line, '\n') == (ptrdiff_t)line.len - 1);
	buf_add_str(arg, line);
}

static void run(struct str text, size_t piece, bool is_stream, struct buf *ret)
{
	struct mcp_http_reader r = { .max = 2000 };
	bool is_fine = true;

	mcp_http_message_begin(&r, is_stream ? STR("text/event-stream") : STR("application/json"));
	while (text.len && is_fine) {
		size_t len = MIN(piece, text.len);
		char *copy = malloc(len);

		MUST(copy);
		memcpy(copy, text.ptr, len);
		is_fine = mcp_http_message_feed(&r, str_of(copy, len), on_line, ret);
		free(copy);
		text = str_skip(text, len);
	}
	mcp_http_message_end(&r, on_line, ret);
	mcp_http_message_done(&r);
}

/* Every header that is sent is one that HTTP allows, whatever the schema and the arguments are. */
static void check_headers(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct http_client_header at[MCP_HTTP_HEADERS_MAX];
	struct mcp_http_context c = { .version = STR("2025-11-25") };
	struct mcp_http_line line;
	struct json schema;
	struct error e;
	size_t count;

	mcp_http_message_read_line(mem, text, &line);
	if (json_read(mem, text, &schema, &e) != OK)
		return;
	line.name = text;
	line.version = STR("2026-07-28");
	line.method = STR("tools/call");
	line.args = json_get(schema, STR("arguments"));
	if (mcp_http_message_check_schema(schema, &e) != OK)
		return;
	count = mcp_http_message_headers(mem, &c, &line, schema, at);
	MUST(count <= MCP_HTTP_HEADERS_MAX);
	for (size_t i = 0; i < count; i++) {
		MUST(mcp_http_message_is_header_value(at[i].value));
		MUST(at[i].name.len && mcp_http_message_is_header_value(at[i].name));
	}
}

static void check_refusal(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json v;
	struct error e;

	mcp_http_message_write_refusal(&out, 1, 400, text);
	MUST(json_read_wrapped(mem, buf_str(&out), &v, &e) == OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = { 0 }, pieces = { 0 };

	if (size < 3)
		return 0;

	struct str text = str_of((const char *)data + 2, size - 2);

	run(text, text.len, data[0] & 1, &whole);
	run(text, 1 + data[1] % 64, data[0] & 1, &pieces);
	MUST(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	check_headers(text);
	check_refusal(text);
	return 0;
}
