/*
 * Keeps the beginning and the end of a response body and the headers that help
 * to diagnose it.  The end is a ring, so memory stays within `max`.
 */
#include "provider/raw.h"

#include "base/jw.h"
#include "base/utf8.h"

#include <string.h>
#include <strings.h>

static bool starts_with(struct str name, struct str prefix)
{
	return name.len >= prefix.len && !strncasecmp(name.ptr, prefix.ptr, prefix.len);
}

/*
 * A list of names to keep, not of names to drop: a cookie or an unknown header may hold
 * a secret.
 */
static bool is_kept(struct str name)
{
	static const struct str prefixes[] = {
		STR("x-ratelimit-"),   STR("anthropic-ratelimit-"),
		STR("x-request-id"),   STR("request-id"),
		STR("retry-after"),    STR("x-should-retry"),
		STR("content-type"),   STR("openai-processing-ms"),
		STR("openai-version"), STR("cf-ray"),
		STR("date"),           STR("location"),
		STR("x-amzn-"),
	};

	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		if (starts_with(name, prefixes[i]))
			return true;
	return false;
}

static size_t length_until(struct str s, const char *stops)
{
	size_t len = 0;

	while (len < s.len && !strchr(stops, s.ptr[len]))
		len++;
	return len;
}

struct str raw_address(struct str url)
{
	ptrdiff_t at = str_find(url, STR("//"));
	struct str host;

	url = str_head(url, length_until(url, "?#"));
	if (at < 0 || (size_t)at + 2 > url.len)
		return url;
	host = str_skip(url, (size_t)at + 2);
	for (size_t i = length_until(host, "/"); i-- > 0;)
		if (host.ptr[i] == '@')
			return str_skip(host, i + 1);
	return url;
}

static struct str kept_value(const struct http_client_header *h)
{
	return starts_with(h->name, STR("location")) ? raw_address(h->value) : h->value;
}

void raw_head(struct raw *r, const struct http_client_head *h)
{
	struct json_writer w;

	r->status = h->status;
	buf_clear(&r->headers);
	jw_init(&w, &r->headers);
	jw_obj(&w);
	for (size_t i = 0; i < h->header_count && r->headers.len < 4096; i++)
		if (is_kept(h->headers[i].name))
			jw_kstr(&w, h->headers[i].name, str_head(kept_value(&h->headers[i]), 512));
	jw_obj_end(&w);
}

/* Fills the buffer first, then overwrites it in a circle; tail_at is the oldest byte. */
static void add_tail(struct raw *r, struct str bytes, size_t size)
{
	if (bytes.len > size)
		bytes = str_skip(bytes, bytes.len - size);
	while (bytes.len) {
		size_t room = r->tail.len < size ? size - r->tail.len : size - r->tail_at;
		struct str part = str_head(bytes, room);

		if (r->tail.len < size) {
			buf_add_str(&r->tail, part);
		} else {
			memcpy(r->tail.ptr + r->tail_at, part.ptr, part.len);
			r->tail_at = (r->tail_at + part.len) % size;
		}
		bytes = str_skip(bytes, part.len);
	}
}

/* Three quarters of the bound are for the beginning, the rest for the end. */
void raw_add(struct raw *r, struct str bytes)
{
	size_t head_max = r->max - r->max / 4, tail_max = r->max / 4;
	struct str first = str_head(bytes, head_max - r->head.len);

	r->bytes += (int64_t)bytes.len;
	r->head.max = head_max; /* so that it does not double past it */
	buf_add_str(&r->head, first);
	if (tail_max)
		add_tail(r, str_skip(bytes, first.len), tail_max);
}

void raw_write(const struct raw *r, struct buf *out)
{
	int64_t left_out = r->bytes - (int64_t)r->head.len - (int64_t)r->tail.len;
	CLEANUP(buf_done) struct buf tail = { 0 };
	struct json_writer w;

	/* What is whole is said in one piece. */
	if (!left_out)
		buf_add_str(&tail, buf_str(&r->head));
	buf_add_str(&tail, str_skip(buf_str(&r->tail), r->tail_at));
	buf_add_str(&tail, str_head(buf_str(&r->tail), r->tail_at));

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "status", r->status);
	if (r->headers.len) {
		JW_KEY(&w, "headers");
		jw_raw(&w, buf_str(&r->headers));
	}
	JW_KINT(&w, "bytes", r->bytes);
	if (left_out) {
		JW_KSTR(&w, "head", buf_str(&r->head));
		JW_KINT(&w, "leftOut", left_out);
		JW_KSTR(&w, "tail", buf_str(&tail));
	} else {
		JW_KSTR(&w, "body", buf_str(&tail));
	}
	jw_obj_end(&w);
}

void raw_done(struct raw *r)
{
	buf_done(&r->headers);
	buf_done(&r->head);
	buf_done(&r->tail);
}
