/* Sends one request to the collector (telemetry_post.h). */
#include "telemetry/telemetry_post.h"

#include <zlib.h>

#define RESPONSE_MAX (16u << 20) /* a collector answers with a few bytes */
#define HEADERS_MAX 40

/* False: zlib has no memory; the body is sent as it is. */
static bool gzip(struct str from, struct buf *to)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)from.ptr, .avail_in = (uInt)from.len };
	bool is_done;

	/* 15 + 16: the largest window, with the head of gzip. */
	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	z.avail_out = (uInt)deflateBound(&z, from.len);
	z.next_out = (Bytef *)buf_reserve(to, z.avail_out);
	is_done = deflate(&z, Z_FINISH) == Z_STREAM_END;
	to->len += is_done ? z.total_out : 0;
	deflateEnd(&z);
	return is_done;
}

struct http_client_call *telemetry_post(const struct telemetry_options *o, enum otlp_signal signal,
                                        struct str body, const struct http_client_sink *sink,
                                        void *owner)
{
	struct http_client_header headers[HEADERS_MAX];
	struct http_client_request r = { .url = o->urls[signal],
		                         .headers = headers,
		                         .total_ms = o->timeout_ms,
		                         .response_max = RESPONSE_MAX };

	headers[r.header_count++] =
		(struct http_client_header){ STR("Content-Type"),
		                             o->form == OTLP_JSON ? STR("application/json")
		                                                  : STR("application/x-protobuf") };
	if (o->is_gzipped && gzip(body, &r.body))
		headers[r.header_count++] =
			(struct http_client_header){ STR("Content-Encoding"), STR("gzip") };
	else
		buf_add_str(&r.body, body);
	for (size_t i = 0; i < o->header_count && r.header_count < HEADERS_MAX; i++)
		headers[r.header_count++] = o->headers[i];
	return http_client_send(o->http_client, &r, sink, owner);
}

struct str telemetry_post_address(struct arena *mem, const struct telemetry_options *o,
                                  enum otlp_signal signal)
{
	struct str rest = o->urls[signal], scheme = STR("");
	ptrdiff_t at = str_find(rest, STR("://")), slash;

	if (at >= 0) {
		scheme = str_head(rest, (size_t)at + 3);
		rest = str_skip(rest, (size_t)at + 3);
	}
	rest = str_cut(&rest, '?');
	slash = str_find_char(rest, '/');
	for (size_t i = slash < 0 ? rest.len : (size_t)slash; i-- > 0;)
		if (rest.ptr[i] == '@') {
			rest = str_skip(rest, i + 1);
			break;
		}
	return arena_printf(mem, "%.*s%.*s", STR_ARG(scheme), STR_ARG(rest));
}
