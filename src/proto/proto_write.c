/* Members are written in the order of the table; defaults of plain fields are left out. */
#include "proto/proto_write.h"

#include "base/hash/base64.h"
#include "proto/proto_time.h"
#include "proto/proto_wire.h"

struct writing {
	struct buf *out;
	struct error *e;
};

static bool wrong(struct writing *w, const char *what, const char *name)
{
	(void)fail(w->e, ERR_INVALID, "%s: %s", name, what);
	return false;
}

static bool write_message(struct writing *w, const struct proto_message *m, struct json v);
static bool write_value(struct writing *w, struct json v);

/* ---- any JSON: Struct, Value, ListValue ---- */

static bool write_struct(struct writing *w, struct json v)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each)) {
		size_t entry = proto_wire_begin(w->out, 1);
		size_t value;

		proto_wire_bytes(w->out, 1, key);
		value = proto_wire_begin(w->out, 2);
		if (!write_value(w, each))
			return false;
		proto_wire_end(w->out, value);
		proto_wire_end(w->out, entry);
	}
	return true;
}

static bool write_values(struct writing *w, struct json v)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each)) {
		size_t value = proto_wire_begin(w->out, 1);

		if (!write_value(w, each))
			return false;
		proto_wire_end(w->out, value);
	}
	return true;
}

static bool write_compound(struct writing *w, struct json v)
{
	bool is_obj = json_type(v) == JSON_OBJ;
	size_t begin = proto_wire_begin(w->out, is_obj ? 5 : 6);

	if (!(is_obj ? write_struct(w, v) : write_values(w, v)))
		return false;
	proto_wire_end(w->out, begin);
	return true;
}

static bool write_value(struct writing *w, struct json v)
{
	switch (json_type(v)) {
	case JSON_NONE:
	case JSON_NULL:
		proto_wire_number(w->out, 1, 0);
		return true;
	case JSON_BOOL:
		proto_wire_number(w->out, 4, json_bool(v, false));
		return true;
	case JSON_INT:
	case JSON_UINT:
	case JSON_REAL:
		proto_wire_double(w->out, 2, json_real(v, 0));
		return true;
	case JSON_STR:
		proto_wire_bytes(w->out, 3, json_str(v));
		return true;
	case JSON_ARR:
	case JSON_OBJ:
		break;
	}
	return write_compound(w, v);
}

/* ---- fields of the table ---- */

/* The alphabet for addresses becomes the usual one, and padding is added. */
static bool read_base64(struct str text, struct buf *out)
{
	CLEANUP(buf_done) struct buf usual = { 0 };

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		buf_add_char(&usual, c == '-' ? '+' : c == '_' ? '/' : c);
	}
	while (usual.len % 4)
		buf_add_char(&usual, '=');
	return base64_read(out, buf_str(&usual));
}

static bool write_bytes(struct writing *w, const struct proto_field *f, struct str text)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };

	if (!str_is(text) || !read_base64(text, &bytes))
		return wrong(w, "no base64", f->json);
	if (bytes.len || f->label || f->oneof)
		proto_wire_bytes(w->out, f->number, buf_str(&bytes));
	return true;
}

static bool write_text(struct writing *w, const struct proto_field *f, struct json v)
{
	struct str text = json_str(v);

	if (!str_is(text))
		return wrong(w, "no text", f->json);
	if (text.len || f->label || f->oneof)
		proto_wire_bytes(w->out, f->number, text);
	return true;
}

static void write_number(struct writing *w, const struct proto_field *f, int64_t n)
{
	if (n || f->label || f->oneof)
		proto_wire_number(w->out, f->number, (uint64_t)n);
}

static bool write_int(struct writing *w, const struct proto_field *f, struct json v)
{
	int64_t n = json_int(v, INT64_MIN);

	if (json_type(v) == JSON_STR && !str_to_i64(json_str(v), &n))
		n = INT64_MIN;
	if (n < INT32_MIN || n > INT32_MAX)
		return wrong(w, "no 32-bit integer", f->json);
	write_number(w, f, n);
	return true;
}

static bool write_bool(struct writing *w, const struct proto_field *f, struct json v)
{
	struct str text = json_str(v);
	bool is_true = str_is(text) ? str_eq(text, STR("true")) : json_bool(v, false);

	if (json_type(v) != JSON_BOOL && !is_true && !(str_is(text) && str_eq(text, STR("false"))))
		return wrong(w, "neither true nor false", f->json);
	write_number(w, f, is_true);
	return true;
}

static bool write_word(struct writing *w, const struct proto_field *f, struct json v)
{
	const struct proto_enum *words = &proto_enums[f->of];
	struct str word = json_str(v);

	for (uint8_t i = 0; str_is(word) && i < words->count; i++)
		if (str_eq(word, str_from(words->words[i]))) {
			write_number(w, f, i);
			return true;
		}
	return str_is(word) ? wrong(w, "an unknown word", f->json) : write_int(w, f, v);
}

static bool write_time(struct writing *w, const struct proto_field *f, struct json v)
{
	struct proto_time t;

	if (!proto_time_read(json_str(v), &t))
		return wrong(w, "no time of RFC 3339", f->json);
	if (t.seconds)
		proto_wire_number(w->out, 1, (uint64_t)t.seconds);
	if (t.nanos)
		proto_wire_number(w->out, 2, (uint64_t)t.nanos);
	return true;
}

static bool write_inner(struct writing *w, const struct proto_field *f, struct json v)
{
	size_t begin = proto_wire_begin(w->out, f->number);
	bool is_done = false;

	if (f->kind == PROTO_VALUE)
		is_done = write_value(w, v);
	else if (f->kind == PROTO_TIME)
		is_done = write_time(w, f, v);
	else if (json_type(v) != JSON_OBJ)
		return wrong(w, "no object", f->json);
	else
		is_done = f->kind == PROTO_STRUCT ? write_struct(w, v)
		                                  : write_message(w, &proto_messages[f->of], v);
	proto_wire_end(w->out, begin);
	return is_done;
}

/* One value of a field. */
static bool write_one(struct writing *w, const struct proto_field *f, struct json v)
{
	switch ((enum proto_kind)f->kind) {
	case PROTO_STR:
		return write_text(w, f, v);
	case PROTO_BYTES:
		return write_bytes(w, f, json_str(v));
	case PROTO_BOOL:
		return write_bool(w, f, v);
	case PROTO_INT32:
		return write_int(w, f, v);
	case PROTO_ENUM:
		return write_word(w, f, v);
	case PROTO_RECORD:
	case PROTO_STRUCT:
	case PROTO_VALUE:
	case PROTO_TIME:
		break;
	}
	return write_inner(w, f, v);
}

static bool write_list(struct writing *w, const struct proto_field *f, struct json v)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return wrong(w, "no list", f->json);
	while (json_next(&it, &key, &each))
		if (!write_one(w, f, each))
			return false;
	return true;
}

/* An entry is a message with the key as field 1 and the value as field 2. */
static bool write_map(struct writing *w, const struct proto_field *f, struct json v)
{
	struct proto_field value = *f;
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	value.number = 2;
	value.label = PROTO_OPTIONAL;
	if (json_type(v) != JSON_OBJ)
		return wrong(w, "no object", f->json);
	while (json_next(&it, &key, &each)) {
		size_t entry = proto_wire_begin(w->out, f->number);

		proto_wire_bytes(w->out, 1, key);
		if (!write_one(w, &value, each))
			return false;
		proto_wire_end(w->out, entry);
	}
	return true;
}

static bool write_field(struct writing *w, const struct proto_field *f, struct json v)
{
	if (f->label == PROTO_LIST)
		return write_list(w, f, v);
	return f->label == PROTO_MAP ? write_map(w, f, v) : write_one(w, f, v);
}

static bool write_message(struct writing *w, const struct proto_message *m, struct json obj)
{
	uint32_t given = 0; /* one bit per oneof */

	for (size_t i = 0; i < m->count; i++) {
		const struct proto_field *f = &m->fields[i];
		struct json v = json_get(obj, str_from(f->json));

		if (!json_is(v))
			v = json_get(obj, str_from(f->name));
		if (!json_is(v) || (json_type(v) == JSON_NULL && f->kind != PROTO_VALUE))
			continue;
		if (f->oneof && given & 1u << f->oneof)
			return wrong(w, "only one of several members may be given", f->json);
		given |= f->oneof ? 1u << f->oneof : 0;
		if (!write_field(w, f, v))
			return false;
	}
	return true;
}

enum err proto_write(const struct proto_message *m, struct json v, struct buf *out, struct error *e)
{
	struct writing w = { out, e };

	if (json_type(v) != JSON_OBJ)
		return fail(e, ERR_INVALID, "%s: no object", m->name);
	return write_message(&w, m, v) ? OK : ERR_INVALID;
}
