/*
 * Files that are built into the program, served with their ETag and, where
 * the client accepts it, compressed.
 */
#include "serve/http/assets.h"

#include "serve/http/problem.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define EXTRA_MAX 6
#define ANY_WRAPPER (MAX_WBITS + 32) /* zlib's word for: gzip, find out by its head */

/* Files are stored compressed only; few clients ask for them plain. */
static bool unpack(const struct asset *a, struct buf *out)
{
	z_stream z = {
		.next_in = (Bytef *)(uintptr_t)a->gzip.ptr,
		.avail_in = (uInt)a->gzip.len,
		.avail_out = (uInt)a->plain_len,
	};
	bool is_whole;

	if (inflateInit2(&z, ANY_WRAPPER) != Z_OK)
		return false;
	z.next_out = (Bytef *)buf_reserve(out, a->plain_len);
	is_whole = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;
	inflateEnd(&z);
	out->len = a->plain_len;
	return is_whole;
}

/* A strong ETag names the bytes that are sent, so the compressed ones have another. */
static struct str write_etag(const struct asset *a, bool is_zipped, char out[64])
{
	size_t len = strlen(a->etag) - 1; /* the closing quote */

	snprintf(out, 64, "%.*s%s\"", (int)len, a->etag, is_zipped ? "-gzip" : "");
	return str_from(out);
}

/*
 * Files with a hash in their name never change and are cached for a year.  Others are
 * revalidated by their ETag.
 */
void assets_reply(struct http_request *req, const struct asset *a, const struct http_field *extra,
                  size_t count)
{
	bool is_zipped = http_parse_has_token(http_parse_find(&req->in, STR("accept-encoding")),
	                                      STR("gzip"));
	char etag[64];
	bool is_known;
	struct http_field headers[6 + EXTRA_MAX] = {
		{ STR("Content-Type"), str_from(a->type) },
		{ STR("Cache-Control"),
		  a->is_immutable ? STR("private, max-age=31536000, immutable") : STR("no-cache") },
		{ STR("ETag"), write_etag(a, is_zipped, etag) },
		{ STR("Vary"), STR("Accept-Encoding") },
		HEADER_NO_SNIFF,
	};
	struct buf plain = { 0 };
	size_t n = 5;

	assert(count <= EXTRA_MAX);
	is_known = http_parse_has_token(http_parse_find(&req->in, STR("if-none-match")),
	                                str_from(etag));
	for (size_t i = 0; i < count; i++)
		headers[n++] = extra[i];
	if (is_zipped)
		headers[n++] = (struct http_field){ STR("Content-Encoding"), STR("gzip") };
	if (is_known)
		http_reply(req, 304, headers, n, STR_NONE);
	else if (is_zipped)
		http_reply(req, 200, headers, n, a->gzip);
	else if (unpack(a, &plain))
		http_reply(req, 200, headers, n, buf_str(&plain));
	else
		problem_reply(req, ERROR_CODE_INTERNAL, "the file cannot be unpacked");
	buf_done(&plain);
}
