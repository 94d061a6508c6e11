/* The table of codes, and both forms of an error. */
#include "grpc/grpc_status.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "proto/proto_read.h"
#include "proto/proto_wire.h"
#include "proto/proto_write.h"

#define TYPE_PREFIX "type.googleapis.com/google.rpc."
#define TIMEOUT_MAX_MS ((int64_t)366 * 86400 * 1000)
#define DETAILS_MAX 4096
#define MESSAGE_MAX 1024 /* bytes of a message of an error; callers bound their headers */

static const struct {
	const char *word;
	int http;
} codes[GRPC_CODES] = {
	[GRPC_OK] = { "OK", 200 },
	[GRPC_CANCELLED] = { "CANCELLED", 499 },
	[GRPC_UNKNOWN] = { "UNKNOWN", 500 },
	[GRPC_INVALID_ARGUMENT] = { "INVALID_ARGUMENT", 400 },
	[GRPC_DEADLINE_EXCEEDED] = { "DEADLINE_EXCEEDED", 504 },
	[GRPC_NOT_FOUND] = { "NOT_FOUND", 404 },
	[GRPC_ALREADY_EXISTS] = { "ALREADY_EXISTS", 409 },
	[GRPC_PERMISSION_DENIED] = { "PERMISSION_DENIED", 403 },
	[GRPC_RESOURCE_EXHAUSTED] = { "RESOURCE_EXHAUSTED", 429 },
	[GRPC_FAILED_PRECONDITION] = { "FAILED_PRECONDITION", 400 },
	[GRPC_ABORTED] = { "ABORTED", 409 },
	[GRPC_OUT_OF_RANGE] = { "OUT_OF_RANGE", 400 },
	[GRPC_UNIMPLEMENTED] = { "UNIMPLEMENTED", 501 },
	[GRPC_INTERNAL] = { "INTERNAL", 500 },
	[GRPC_UNAVAILABLE] = { "UNAVAILABLE", 503 },
	[GRPC_DATA_LOSS] = { "DATA_LOSS", 500 },
	[GRPC_UNAUTHENTICATED] = { "UNAUTHENTICATED", 401 },
};

/* Section 5.4 of the specification of A2A, version 1.0.1. */
static const struct {
	const char *reason;
	enum grpc_code code;
} reasons[] = {
	{ "TASK_NOT_FOUND", GRPC_NOT_FOUND },
	{ "TASK_NOT_CANCELABLE", GRPC_FAILED_PRECONDITION },
	{ "PUSH_NOTIFICATION_NOT_SUPPORTED", GRPC_FAILED_PRECONDITION },
	{ "UNSUPPORTED_OPERATION", GRPC_FAILED_PRECONDITION },
	{ "CONTENT_TYPE_NOT_SUPPORTED", GRPC_INVALID_ARGUMENT },
	{ "INVALID_AGENT_RESPONSE", GRPC_INTERNAL },
	{ "EXTENDED_AGENT_CARD_NOT_CONFIGURED", GRPC_FAILED_PRECONDITION },
	{ "EXTENSION_SUPPORT_REQUIRED", GRPC_FAILED_PRECONDITION },
	{ "VERSION_NOT_SUPPORTED", GRPC_FAILED_PRECONDITION },
};

static enum grpc_code code_of_http(int http)
{
	switch (http) {
	case 404:
		return GRPC_UNIMPLEMENTED; /* an unknown task is an error of A2A and has its reason */
	case 408:
		return GRPC_DEADLINE_EXCEEDED;
	case 413:
	case 431:
		return GRPC_RESOURCE_EXHAUSTED;
	case 409:
		return GRPC_ABORTED;
	case 502:
		return GRPC_UNAVAILABLE;
	default:
		break;
	}
	for (int c = GRPC_CANCELLED; c < GRPC_CODES; c++)
		if (codes[c].http == http && c != GRPC_UNKNOWN)
			return (enum grpc_code)c;
	return http >= 500 ? GRPC_INTERNAL : http >= 400 ? GRPC_INVALID_ARGUMENT : GRPC_UNKNOWN;
}

static enum grpc_code code_of_word(struct str word, enum grpc_code otherwise)
{
	for (int c = GRPC_CANCELLED; str_is(word) && c < GRPC_CODES; c++)
		if (str_eq(word, str_from(codes[c].word)))
			return (enum grpc_code)c;
	return otherwise;
}

static enum grpc_code code_of_reason(struct json details, enum grpc_code otherwise)
{
	struct json_iter it = json_iter(details);
	struct json each;
	struct str key;

	while (json_type(details) == JSON_ARR && json_next(&it, &key, &each)) {
		struct str reason = json_str(JSON_GET(each, "reason"));

		for (size_t i = 0; str_is(reason) && i < COUNT_OF(reasons); i++)
			if (str_eq(reason, str_from(reasons[i].reason)))
				return reasons[i].code;
	}
	return otherwise;
}

static const struct proto_message *find_detail(struct str type)
{
	if (!str_is(type) || !str_starts(type, STR(TYPE_PREFIX)))
		return NULL;
	type = str_skip(type, sizeof TYPE_PREFIX - 1);
	for (size_t i = 0; i < proto_message_count; i++)
		if (str_eq(type, str_from(proto_messages[i].name)))
			return &proto_messages[i];
	return NULL;
}

/* One google.protobuf.Any; a kind that the table does not have is left out. */
static void write_detail(struct buf *out, struct json v)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	struct str type = json_str(JSON_GET(v, "@type"));
	const struct proto_message *m = find_detail(type);
	size_t begin;

	if (!m || proto_write(m, v, &value, NULL) != OK)
		return;
	begin = proto_wire_begin(out, 3);
	proto_wire_bytes(out, 1, type);
	proto_wire_bytes(out, 2, buf_str(&value));
	proto_wire_end(out, begin);
}

static struct str details_of(struct arena *mem, const struct grpc_status *s, struct json details)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(details);
	struct json each;
	struct str key;

	if (json_type(details) != JSON_ARR || !json_count(details))
		return STR_NONE;
	proto_wire_number(&out, 1, s->code);
	proto_wire_bytes(&out, 2, s->message);
	while (json_next(&it, &key, &each))
		write_detail(&out, each);
	return out.len > DETAILS_MAX ? STR_NONE : arena_keep(mem, buf_str(&out));
}

/* AIP-193, or a problem of RFC 9457, which the routes below A2A answer with. */
static struct str message_of(struct json body, struct json error)
{
	struct str message = json_str(JSON_GET(error, "message"));

	if (!str_is(message))
		message = json_str(JSON_GET(body, "detail"));
	if (!str_is(message))
		message = json_str(JSON_GET(body, "title"));
	return message;
}

static void fill_status(struct arena *mem, int http, struct json body, struct grpc_status *ret)
{
	struct json error = JSON_GET(body, "error"), details = JSON_GET(error, "details");
	struct str message = message_of(body, error);

	*ret = (struct grpc_status){ .code = code_of_word(json_str(JSON_GET(error, "status")),
		                                          code_of_http(http)) };
	ret->code = code_of_reason(details, ret->code);
	ret->message = str_is(message)
	                       ? utf8_head(message, MESSAGE_MAX)
	                       : arena_printf(mem, "The runtime answered with status %d.", http);
	ret->details = details_of(mem, ret, details);
}

void grpc_status_of_http(struct arena *mem, int http, struct str body, struct grpc_status *ret)
{
	struct json v = { 0 };

	if (json_read_wrapped(mem, body, &v, NULL) != OK || json_type(v) != JSON_OBJ)
		v = (struct json){ 0 };
	fill_status(mem, http, v, ret);
}

bool grpc_status_of_item(struct arena *mem, struct str item, struct grpc_status *ret)
{
	struct json v = { 0 };

	if (json_read_wrapped(mem, item, &v, NULL) != OK ||
	    json_type(JSON_GET(v, "error")) != JSON_OBJ)
		return false;
	fill_status(mem, (int)json_int(JSON_GET(JSON_GET(v, "error"), "code"), 500), v, ret);
	return true;
}

/* ---- the other direction ---- */

/* A google.protobuf.Any as an object with its type. */
static void read_detail(struct json_writer *w, struct str any)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct str type = STR_NONE, value = STR("");
	const struct proto_message *m;
	struct proto_item item;

	while (proto_wire_next(&any, &item) == PROTO_WIRE_ITEM)
		if (item.type == PROTO_WIRE_BYTES)
			*(item.number == 1 ? &type : &value) = item.bytes;
	m = find_detail(type);
	if (!m || proto_read(m, value, &text, NULL) != OK)
		return;
	jw_obj(w);
	JW_KSTR(w, "@type", type);
	/* The object's own members, without its braces. */
	if (text.len > 2) {
		buf_add_char(w->out, ',');
		buf_add(w->out, text.ptr + 1, text.len - 2);
	}
	jw_obj_end(w);
}

static void read_details(struct json_writer *w, struct str status)
{
	struct proto_item item;

	while (proto_wire_next(&status, &item) == PROTO_WIRE_ITEM)
		if (item.number == 3 && item.type == PROTO_WIRE_BYTES)
			read_detail(w, item.bytes);
}

void grpc_status_to_item(const struct grpc_status *s, struct buf *out)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KINT(&w, "code", codes[s->code].http);
	JW_KSTR(&w, "status", str_from(codes[s->code].word));
	JW_KSTR(&w, "message", utf8_head(s->message, MESSAGE_MAX));
	if (str_is(s->details)) {
		JW_KEY(&w, "details");
		jw_arr(&w);
		read_details(&w, s->details);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
}

int grpc_status_to_http(const struct grpc_status *s, struct buf *out)
{
	grpc_status_to_item(s, out);
	return codes[s->code].http;
}

/* ---- header values ---- */

struct str grpc_status_encode(struct arena *mem, struct str message)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < message.len; i++) {
		uint8_t c = (uint8_t)message.ptr[i];

		if (c < ' ' || c > '~' || c == '%')
			buf_printf(&out, "%%%02X", c);
		else
			buf_add_char(&out, (char)c);
	}
	return arena_keep(mem, buf_str(&out));
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct str grpc_status_decode(struct arena *mem, struct str text)
{
	char *out = arena_alloc(mem, text.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		bool is_escape = text.ptr[i] == '%' && i + 2 < text.len &&
		                 hex(text.ptr[i + 1]) >= 0 && hex(text.ptr[i + 2]) >= 0;

		out[len++] = is_escape ? (char)(hex(text.ptr[i + 1]) << 4 | hex(text.ptr[i + 2]))
		                       : text.ptr[i];
		i += is_escape ? 2 : 0;
	}
	return str_of(out, len);
}

enum grpc_code grpc_status_code(struct str text)
{
	uint64_t n;

	return str_is(text) && text.len <= 2 && str_to_u64(text, &n) && n < GRPC_CODES
	               ? (enum grpc_code)n
	               : GRPC_UNKNOWN;
}

bool grpc_status_timeout(struct str text, int64_t *ret_ms)
{
	static const char units[] = "HMSmun";
	static const int64_t ns[] = { 3600000000000, 60000000000, 1000000000, 1000000, 1000, 1 };
	const char *unit;
	uint64_t n;

	if (text.len < 2 || text.len > 9 || text.ptr[0] < '0' || text.ptr[0] > '9' ||
	    !str_to_u64(str_head(text, text.len - 1), &n))
		return false;
	unit = memchr(units, text.ptr[text.len - 1], sizeof units - 1);
	if (!unit)
		return false;
	if (ns[unit - units] >= 1000000)
		*ret_ms = (int64_t)n * (ns[unit - units] / 1000000);
	else
		*ret_ms = ((int64_t)n * ns[unit - units] + 999999) / 1000000;
	*ret_ms = MIN(*ret_ms, TIMEOUT_MAX_MS);
	return true;
}
