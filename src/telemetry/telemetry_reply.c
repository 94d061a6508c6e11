/*
 * Reads the answer of a collector (telemetry_reply.h).  It comes from outside:
 * every length is checked, and what is not understood is skipped.
 */
#include "telemetry/telemetry_reply.h"

#include "base/os/clock.h"

#include <stdio.h>

#define PAUSE_MAX_S 3600

struct bytes_left {
	const unsigned char *at, *end;
};

static bool take_varint(struct bytes_left *b, uint64_t *ret)
{
	uint64_t n = 0;

	for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
		unsigned char c = *b->at++;

		n |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*ret = n;
			return true;
		}
	}
	return false;
}

/* One field: a number, or bytes.  False at the end and when it is malformed. */
static bool take_field(struct bytes_left *b, unsigned *ret_number, uint64_t *ret_n,
                       struct bytes_left *ret_bytes)
{
	uint64_t tag, len;

	*ret_bytes = (struct bytes_left){ 0 };
	if (b->at == b->end || !take_varint(b, &tag))
		return false;
	*ret_number = (unsigned)(tag >> 3);
	if ((tag & 7) == 0)
		return take_varint(b, ret_n);
	if ((tag & 7) == 2 && !take_varint(b, &len))
		return false;
	if ((tag & 7) != 2)
		len = (tag & 7) == 1 ? 8 : 4;
	if (len > (uint64_t)(b->end - b->at))
		return false;
	*ret_bytes = (struct bytes_left){ b->at, b->at + len };
	b->at += len;
	return true;
}

static void keep_message(struct telemetry_reply *ret, struct str text)
{
	size_t len = MIN(text.len, sizeof ret->message - 1);

	for (size_t i = 0; i < len; i++)
		ret->message[i] = (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i];
	ret->message[len] = 0;
}

static void read_partial(struct bytes_left b, struct telemetry_reply *ret)
{
	struct bytes_left inner;
	unsigned number;
	uint64_t n = 0;

	while (take_field(&b, &number, &n, &inner)) {
		if (number == 1 && !inner.at)
			ret->rejected = (int64_t)n > 0 ? n : 0;
		else if (number == 2 && inner.at)
			keep_message(ret, str_of((const char *)inner.at,
			                         (size_t)(inner.end - inner.at)));
	}
}

static void read_protobuf(struct str body, struct telemetry_reply *ret)
{
	const unsigned char *at = (const unsigned char *)body.ptr;
	struct bytes_left b = { at, at + body.len }, inner;
	unsigned number;
	uint64_t n;

	while (take_field(&b, &number, &n, &inner))
		if (number == 1 && inner.at)
			read_partial(inner, ret);
}

static void read_json(struct str body, struct telemetry_reply *ret)
{
	static const char *const names[] = { "rejectedSpans", "rejectedLogRecords",
		                             "rejectedDataPoints" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json root, partial;

	if (json_read(mem, body, &root, NULL) != OK)
		return;
	partial = JSON_GET(root, "partialSuccess");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct json v = json_get(partial, str_from(names[i]));
		uint64_t n = 0;

		/* A 64-bit number is a string there; some collectors write a number. */
		if ((json_type(v) == JSON_STR && str_to_u64(json_str(v), &n)) ||
		    (n = json_uint(v, 0)))
			ret->rejected = n;
	}
	if (str_is(json_str(JSON_GET(partial, "errorMessage"))))
		keep_message(ret, json_str(JSON_GET(partial, "errorMessage")));
}

void telemetry_reply_read(struct str body, enum otlp_form form, struct telemetry_reply *ret)
{
	*ret = (struct telemetry_reply){ 0 };
	if (!body.len)
		return;
	if (form == OTLP_JSON)
		read_json(body, ret);
	else
		read_protobuf(body, ret);
}

/* "Wed, 21 Oct 2026 07:28:00 GMT", the one form that HTTP allows to write. */
static bool read_date(struct str s, int64_t *ret_ms)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4] = "", text[32];
	unsigned day, year, hour, minute, second;
	const char *found;

	if (s.len >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", STR_ARG(s));
	if (sscanf(text, "%*3s, %2u %3s %4u %2u:%2u:%2u GMT", &day, month, &year, &hour, &minute,
	           &second) != 6)
		return false;
	found = strlen(month) == 3 ? strstr(months, month) : NULL;
	if (!found || (found - months) % 3)
		return false;
	snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02uZ", year % 10000,
	         (unsigned)(found - months) / 3 + 1, day % 100, hour % 100, minute % 100,
	         second % 100);
	return clock_time_read(str_from(text), ret_ms);
}

int64_t telemetry_reply_pause_ms(struct str retry_after, int64_t now_ms)
{
	uint64_t s = 0;
	int64_t at = 0;

	if (!str_is(retry_after))
		return 0;
	if (str_to_u64(retry_after, &s))
		return (int64_t)MIN(s, (uint64_t)PAUSE_MAX_S) * 1000;
	if (!read_date(retry_after, &at) || at <= now_ms)
		return 0;
	return MIN(at - now_ms, (int64_t)PAUSE_MAX_S * 1000);
}
