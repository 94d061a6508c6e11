/* Messages of A2A between their wire form and ProtoJSON. */
#include "t.h"

#include "base/arena.h"
#include "proto/proto_read.h"
#include "proto/proto_time.h"
#include "proto/proto_wire.h"
#include "proto/proto_write.h"

static const struct proto_message *find(const char *name)
{
	for (size_t i = 0; i < proto_message_count; i++)
		if (!strcmp(proto_messages[i].name, name))
			return &proto_messages[i];
	abort();
}

/* From JSON to the wire and back. */
static enum err round_trip(const char *name, struct str json, struct buf *wire, struct buf *back,
                           struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;
	enum err err = json_read(mem, json, &v, e);

	if (err == OK)
		err = proto_write(find(name), v, wire, e);
	return err == OK ? proto_read(find(name), buf_str(wire), back, e) : err;
}

static void same(const char *name, const char *json)
{
	CLEANUP(buf_done) struct buf wire = { 0 }, back = { 0 };
	struct error e = { 0 };

	if (round_trip(name, str_from(json), &wire, &back, &e) != OK)
		printf("%s: %s\n", json, e.message);
	CHECK(str_eq(buf_str(&back), str_from(json)));
}

TEST(messages_survive_both_conversions)
{
	same("Message",
	     "{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"h\xc3\xa4llo\"},{"
	     "\"raw\":\"AAEC/w==\"},{\"data\":{\"a\":[1,2.5,null,true,\"x\",{}],\"b\":-0.0}}],"
	     "\"metadata\":{\"k\":{\"deep\":[[]]}},\"extensions\":[\"\",\"e\"]}");
	same("Task",
	     "{\"id\":\"t\",\"status\":{\"state\":\"TASK_STATE_WORKING\",\"timestamp\":"
	     "\"2026-11-17T22:00:00.123Z\"},\"artifacts\":[{\"artifactId\":\"a\",\"parts\":[{"
	     "\"text\":\"\"}]}]}");
	same("AgentCard",
	     "{\"name\":\"n\",\"capabilities\":{\"streaming\":false},\"securitySchemes\":{\"b\":{"
	     "\"httpAuthSecurityScheme\":{\"scheme\":\"Bearer\"}},\"o\":{\"oauth2SecurityScheme\":{"
	     "\"flows\":{\"clientCredentials\":{\"tokenUrl\":\"u\",\"scopes\":{\"s\":\"\"}}}}}},"
	     "\"securityRequirements\":[{\"schemes\":{\"b\":{\"list\":[\"x\"]}}}],\"iconUrl\":"
	     "\"\"}");
	same("ListTasksRequest", "{\"status\":\"TASK_STATE_COMPLETED\",\"pageSize\":0,"
	                         "\"statusTimestampAfter\":\"0001-01-01T00:00:00Z\","
	                         "\"includeArtifacts\":false}");
	same("Part", "{\"data\":null}");
}

TEST(the_bytes_are_those_of_other_programs)
{
	static const uint8_t expected[] = {
		0x0a, 0x01, 'm', 0x20, 0x01, 0x2a, 0x03, 0x0a, 0x01, 'x'
	};
	CLEANUP(buf_done) struct buf wire = { 0 }, back = { 0 };
	struct error e;

	CHECK(round_trip("Message",
	                 STR("{\"parts\":[{\"text\":\"x\"}],\"role\":1,\"message_id\":\"m\","
	                     "\"unknown\":{}}"),
	                 &wire, &back, &e) == OK);
	CHECK(wire.len == sizeof expected && !memcmp(wire.ptr, expected, wire.len));
	CHECK_STR(buf_str(&back),
	          "{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"x\"}]}");
}

static enum err read_bytes(const char *name, const void *bytes, size_t len, struct buf *out)
{
	struct error e;

	return proto_read(find(name), str_of(bytes, len), out, &e);
}

#define READ(name, literal, out) read_bytes((name), (literal), sizeof(literal) - 1, (out))

TEST(malformed_bytes_are_refused)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	CHECK(READ("Message",
	           "\x0a\x05"
	           "ab",
	           &out) != OK);                                /* shorter than announced */
	CHECK(READ("Message", "\x0a", &out) != OK);             /* without a length */
	CHECK(READ("Message", "\x0b\x0c", &out) != OK);         /* a group */
	CHECK(READ("Message", "\x02\x01x", &out) != OK);        /* field 0 */
	CHECK(READ("Message", "\x0a\x02\xc3\x28", &out) != OK); /* not UTF-8 */
	CHECK(READ("Message", "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", &out) != OK);
	CHECK(READ("Part", "\x22\x09\x11\0\0\0\0\0\0\xf8\x7f", &out) != OK); /* not a number */
	CHECK(READ("TaskStatus", "\x1a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x10", &out) !=
	      OK);
	CHECK(READ("Task", "\x1a\0\x1a\0", &out) != OK); /* a message twice */
	CHECK(READ("Task", "\x32\x0e\x0a\x05\x0a\x01k\x12\0\x0a\x05\x0a\x01k\x12\0", &out) != OK);
}

TEST(what_is_not_known_is_skipped_and_the_last_scalar_counts)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	CHECK(READ("Message",
	           "\x0a\x01"
	           "a\xf8\x01\x05\x0a\x01"
	           "b\xfd\x01"
	           "abcd\xf9\x01"
	           "abcdefgh",
	           &out) == OK);
	CHECK_STR(buf_str(&out), "{\"messageId\":\"b\"}");
	buf_clear(&out);
	/* The last member of a oneof counts, and a member of it may come again after another. */
	CHECK(READ("Part", "\x0a\x01t\x1a\x01u\x0a\x01v", &out) == OK);
	CHECK_STR(buf_str(&out), "{\"text\":\"v\"}");
	buf_clear(&out);
	/* A wire type that the field does not have is another field. */
	CHECK(READ("Message", "\x08\x05", &out) == OK);
	CHECK_STR(buf_str(&out), "{}");
}

/* A Value inside a list inside a Value, and so on. */
static void nest(struct buf *out, int levels)
{
	if (!levels) {
		proto_wire_number(out, 4, 1);
		return;
	}
	size_t list = proto_wire_begin(out, 6), value = proto_wire_begin(out, 1);

	nest(out, levels - 1);
	proto_wire_end(out, value);
	proto_wire_end(out, list);
}

static enum err read_nested(int levels)
{
	CLEANUP(buf_done) struct buf wire = { 0 }, out = { 0 };
	size_t begin = proto_wire_begin(&wire, 4);

	nest(&wire, levels);
	proto_wire_end(&wire, begin);
	return proto_read(find("Part"), buf_str(&wire), &out, NULL);
}

TEST(nesting_is_bounded)
{
	CHECK(read_nested(LIMIT_JSON_DEPTH - 3) == OK);
	CHECK(read_nested(LIMIT_JSON_DEPTH) != OK);
	CHECK(read_nested(2000) != OK);
}

TEST(wrong_json_is_refused)
{
	static const char *const cases[][2] = {
		{ "Message", "{\"messageId\":1}" },
		{ "Message", "{\"parts\":{}}" },
		{ "Message", "{\"role\":\"ROLE_KING\"}" },
		{ "Message", "{\"metadata\":[]}" },
		{ "Part", "{\"text\":\"a\",\"url\":\"b\"}" },
		{ "Part", "{\"raw\":\"***\"}" },
		{ "ListTasksRequest", "{\"pageSize\":4294967296}" },
		{ "ListTasksRequest", "{\"pageSize\":1.5}" },
		{ "ListTasksRequest", "{\"includeArtifacts\":\"maybe\"}" },
		{ "ListTasksRequest", "{\"statusTimestampAfter\":\"yesterday\"}" },
		{ "AgentCard", "{\"securitySchemes\":[]}" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		CLEANUP(buf_done) struct buf wire = { 0 }, back = { 0 };
		struct error e;

		CHECK(round_trip(cases[i][0], str_from(cases[i][1]), &wire, &back, &e) != OK);
	}
}

TEST(base64_of_either_alphabet_is_read)
{
	CLEANUP(buf_done) struct buf wire = { 0 }, back = { 0 };
	struct error e;

	CHECK(round_trip("Part", STR("{\"raw\":\"_-8\"}"), &wire, &back, &e) == OK);
	CHECK_STR(buf_str(&back), "{\"raw\":\"/+8=\"}");
}

TEST(times_are_exact_in_both_directions)
{
	static const struct {
		const char *text;
		int64_t seconds;
		int32_t nanos;
	} cases[] = { { "1970-01-01T00:00:00Z", 0, 0 },
		      { "2000-02-29T12:30:45.000000001Z", 951827445, 1 },
		      { "1969-12-31T23:59:59.500Z", -1, 500000000 },
		      { "9999-12-31T23:59:59.999999Z", 253402300799, 999999000 },
		      { "0001-01-01T00:00:00Z", -62135596800, 0 } };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct proto_time t;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		CHECK(proto_time_read(str_from(cases[i].text), &t));
		CHECK(t.seconds == cases[i].seconds && t.nanos == cases[i].nanos);
		CHECK(str_eq(proto_time_text(mem, t), str_from(cases[i].text)));
	}
	CHECK(proto_time_read(STR("2026-11-17t01:00:00.5+01:30"), &t));
	CHECK_STR(proto_time_text(mem, t), "2026-11-16T23:30:00.500Z");
	CHECK(!proto_time_read(STR("2025-02-29T00:00:00Z"), &t));
	CHECK(!proto_time_read(STR("2025-01-01T24:00:00Z"), &t));
	CHECK(!proto_time_read(STR("2025-01-01T00:00:00"), &t));
	CHECK(!proto_time_read(STR("2025-01-01T00:00:00.Z"), &t));
	CHECK(!proto_time_read(STR("2025-1-01T00:00:00Z"), &t));
	CHECK(!proto_time_read(STR(""), &t));
	CHECK(!str_is(proto_time_text(mem, (struct proto_time){ INT64_MAX, 0 })));
}

TEST_MAIN()
