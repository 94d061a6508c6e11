/*
 * Sends a reply: headers, data, trailers.  A call that fails before it has data gets its trailers
 * as its only headers, as gRPC asks.  While the caller reads slowly, call->out stays full and the
 * runtime's side is paused (grpc_call.c).
 */
#include "grpc/grpc_int.h"

#include "base/hash/base64.h"
#include "base/memory.h"

#define NV(field, text, size)                                                                      \
	((nghttp2_nv){ (uint8_t *)(field), (uint8_t *)(text), strlen(field), (size),               \
	               NGHTTP2_NV_FLAG_NONE })
#define NV_TEXT(field, text) NV(field, text, strlen(text))

static const char *const trailer_names[] = { "grpc-status", "grpc-message",
	                                     "grpc-status-details-bin" };

static size_t add_trailers(const struct grpc_call *call, nghttp2_nv *nv)
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(trailer_names); i++)
		if (call->trailers[i])
			nv[count++] = NV_TEXT(trailer_names[i], call->trailers[i]);
	return count;
}

static size_t add_head(const struct grpc_call *call, nghttp2_nv *nv)
{
	size_t count = 0;

	nv[count++] = NV_TEXT(":status", "200");
	nv[count++] = NV_TEXT("content-type", "application/grpc");
	nv[count++] = NV_TEXT("grpc-accept-encoding", "identity");
	if (call->extensions)
		nv[count++] = NV_TEXT("a2a-extensions", call->extensions);
	if (call->challenge)
		nv[count++] = NV_TEXT("www-authenticate", call->challenge);
	return count;
}

/* Trailers follow the data; without NO_END_STREAM the data would be the end. */
static void send_trailers(struct grpc_call *call, nghttp2_session *session, uint32_t *flags)
{
	nghttp2_nv nv[COUNT_OF(trailer_names)];

	*flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
	nghttp2_submit_trailer(session, call->stream_id, nv, add_trailers(call, nv));
}

static void drop_sent(struct grpc_call *call)
{
	if (call->out_at < call->out.len)
		return;
	call->conn->server->held -= MIN(call->held, call->out.cap);
	call->held -= MIN(call->held, call->out.cap);
	buf_done(&call->out);
	call->out_at = 0;
	if (call->is_paused) {
		call->is_paused = false;
		http_client_resume(call->asked);
	}
}

static ssize_t read_out(nghttp2_session *session, int32_t stream_id, uint8_t *to, size_t length,
                        uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct grpc_call *call = source->ptr;
	size_t count = MIN(length, call->out.len - call->out_at);

	if (count)
		memcpy(to, call->out.ptr + call->out_at, count);
	call->out_at += count;
	drop_sent(call);
	if (call->state == GRPC_CALL_ENDING && !call->out.len)
		send_trailers(call, session, flags);
	else if (!count)
		return NGHTTP2_ERR_DEFERRED;
	return (ssize_t)count;
}

void grpc_reply_begin(struct grpc_call *call)
{
	nghttp2_data_provider provider = { .source.ptr = call, .read_callback = read_out };
	nghttp2_nv nv[8];

	if (call->is_begun)
		return;
	call->is_begun = true;
	nghttp2_submit_response(call->conn->session, call->stream_id, nv, add_head(call, nv),
	                        &provider);
	grpc_int_mark(call->conn);
}

void grpc_reply_more(struct grpc_call *call)
{
	grpc_reply_begin(call);
	nghttp2_session_resume_data(call->conn->session, call->stream_id);
	grpc_int_mark(call->conn);
}

/* Padding may be left out, and gRPC asks for that. */
static char *base64_text(struct str bytes)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	base64_write(&text, bytes);
	while (text.len && text.ptr[text.len - 1] == '=')
		text.len--;
	return memory_strndup(text.ptr, text.len);
}

static void set_trailers(struct grpc_call *call, const struct grpc_status *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str message = grpc_status_encode(mem, s->message);

	call->trailers[0] = memory_strdup(arena_printf(mem, "%d", (int)s->code).ptr);
	if (message.len)
		call->trailers[1] = memory_strndup(message.ptr, message.len);
	if (s->details.len)
		call->trailers[2] = base64_text(s->details);
}

static void end_at_once(struct grpc_call *call)
{
	nghttp2_nv nv[8 + COUNT_OF(trailer_names)];
	size_t count = add_head(call, nv);

	count += add_trailers(call, nv + count);
	call->is_begun = true;
	nghttp2_submit_response(call->conn->session, call->stream_id, nv, count, NULL);
}

void grpc_reply_end(struct grpc_call *call, const struct grpc_status *s)
{
	call->state = GRPC_CALL_ENDING;
	set_trailers(call, s);
	if (call->is_begun || call->out.len)
		grpc_reply_more(call);
	else
		end_at_once(call);
	grpc_int_mark(call->conn);
}

void grpc_reply_refuse(struct grpc_call *call, const char *http_status)
{
	nghttp2_nv nv[] = { NV_TEXT(":status", http_status) };

	call->state = GRPC_CALL_ENDING;
	call->is_begun = true;
	nghttp2_submit_response(call->conn->session, call->stream_id, nv, COUNT_OF(nv), NULL);
	grpc_int_mark(call->conn);
}
