/*
 * A caller of thole-grpc with arbitrary bytes.  The first byte selects a message; the rest is read as
 * that message.  What is accepted is written and read again with the same result.  The same bytes are
 * fed as frames, in two splits that must agree.
 */
#include "base/json.h"
#include "grpc/grpc_frame.h"
#include "grpc/grpc_route.h"
#include "grpc/grpc_status.h"
#include "proto/proto_read.h"
#include "proto/proto_write.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void convert(const struct proto_message *m, struct str wire)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf json = { 0 }, back = { 0 }, again = { 0 };
	struct json v;

	if (proto_read(m, wire, &json, NULL) != OK)
		return;
	if (json_read(mem, buf_str(&json), &v, NULL) != OK ||
	    proto_write(m, v, &back, NULL) != OK ||
	    proto_read(m, buf_str(&back), &again, NULL) != OK ||
	    !str_eq(buf_str(&json), buf_str(&again)))
		abort();
}

static int feed(struct str bytes, size_t step, struct buf *out)
{
	struct grpc_frame f = { .max = 64 };
	enum grpc_frame_step got = GRPC_FRAME_MORE;

	while (bytes.len && got <= GRPC_FRAME_MESSAGE) {
		struct str piece = str_head(bytes, step);

		bytes = str_skip(bytes, piece.len);
		while (piece.len && got <= GRPC_FRAME_MESSAGE) {
			got = grpc_frame_feed(&f, &piece);
			if (got == GRPC_FRAME_MESSAGE)
				buf_printf(out, "[%.*s]", STR_ARG(buf_str(&f.message)));
		}
	}
	grpc_frame_done(&f);
	return got;
}

static void route(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct grpc_route_http in = { .verb = STR("GET"), .path = text, .body = text };
	struct str request;
	struct grpc_route r;
	struct error e;
	struct grpc_status s;
	int64_t ms;

	for (size_t i = 0; i < proto_method_count; i++)
		if (grpc_route_request(mem, &proto_methods[i], text, &r, &e) == OK &&
		    r.target.ptr[0] != '/')
			abort();
	(void)!grpc_route_find(mem, &in, &request, &e);
	in.verb = STR("POST");
	(void)!grpc_route_find(mem, &in, &request, &e);
	(void)!grpc_status_timeout(text, &ms);
	grpc_status_of_http(mem, 400, text, &s);
	if (!str_eq(grpc_status_decode(mem, grpc_status_encode(mem, text)), text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf whole = { 0 }, cut = { 0 };
	struct str bytes;

	if (!size)
		return 0;
	bytes = str_of((const char *)data + 1, size - 1);
	convert(&proto_messages[data[0] % proto_message_count], bytes);
	if (feed(bytes, size, &whole) != feed(bytes, 1, &cut) ||
	    !str_eq(buf_str(&whole), buf_str(&cut)))
		abort();
	route(bytes);
	return 0;
}
