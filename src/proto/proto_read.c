/*
 * One pass over a message finds the last place of each field; lists and maps are then walked
 * separately.  Members are written in the order of the table.
 */
#include "proto/proto_read.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "base/map.h"
#include "base/utf8.h"
#include "proto/proto_time.h"
#include "proto/proto_wire.h"

#include <math.h>

/* Integers that a double represents without gaps. */
#define EXACT_MAX 9007199254740992.0

enum value_field {
	VALUE_NULL = 1,
	VALUE_NUMBER,
	VALUE_STR,
	VALUE_BOOL,
	VALUE_STRUCT,
	VALUE_LIST,
};

struct reading {
	struct json_writer w;
	struct arena *mem;
	struct error *e;
};

static bool wrong(struct reading *r, const char *what, const char *name)
{
	(void)fail(r->e, ERR_INVALID, "%s: %s", name, what);
	return false;
}

static bool read_message(struct reading *r, const struct proto_message *m, struct str wire);
static bool read_value(struct reading *r, struct str wire, const char *name);

static bool has_room(struct reading *r, const char *name)
{
	return r->w.depth < LIMIT_JSON_DEPTH - 1 || wrong(r, "nested too deeply", name);
}

static enum proto_wire_type wire_type(enum proto_kind kind)
{
	return kind == PROTO_BOOL || kind == PROTO_INT32 || kind == PROTO_ENUM ? PROTO_WIRE_VARINT
	                                                                       : PROTO_WIRE_BYTES;
}

static bool write_text(struct reading *r, struct str text, const char *name)
{
	if (!utf8_is_valid(text))
		return wrong(r, "text that is not UTF-8", name);
	jw_str(&r->w, text);
	return true;
}

static bool write_number(struct reading *r, uint64_t bits, const char *name)
{
	double n;

	memcpy(&n, &bits, sizeof n);
	if (!isfinite(n))
		return wrong(r, "a number that JSON cannot have", name);
	if (n == floor(n) && fabs(n) < EXACT_MAX && !(n == 0 && signbit(n)))
		jw_int(&r->w, (int64_t)n);
	else
		jw_real(&r->w, n);
	return true;
}

/* Key and value of an entry of a map; the last of each counts. */
struct entry {
	struct str key, value;
	bool has_value;
};

static bool read_entry(struct reading *r, struct str wire, struct entry *ret, const char *name)
{
	enum proto_wire_step step;
	struct proto_item item;

	*ret = (struct entry){ STR(""), STR(""), false };
	while ((step = proto_wire_next(&wire, &item)) == PROTO_WIRE_ITEM) {
		if (item.type == PROTO_WIRE_BYTES && item.number == 1)
			ret->key = item.bytes;
		else if (item.type == PROTO_WIRE_BYTES && item.number == 2) {
			ret->value = item.bytes;
			ret->has_value = true;
		}
	}
	if (step == PROTO_WIRE_BAD)
		return wrong(r, "malformed entry", name);
	return utf8_is_valid(ret->key) || wrong(r, "key that is not UTF-8", name);
}

/* Field 1 of a Struct. */
static bool read_struct_entry(struct reading *r, struct str wire, struct map *keys,
                              const char *name)
{
	struct entry entry;

	if (!read_entry(r, wire, &entry, name))
		return false;
	if (map_put(keys, entry.key, r))
		return wrong(r, "a key comes twice", name);
	jw_key(&r->w, entry.key);
	return read_value(r, entry.value, name);
}

static bool read_struct(struct reading *r, struct str wire, const char *name)
{
	CLEANUP(map_done) struct map keys = { 0 };
	enum proto_wire_step step;
	struct proto_item item;

	if (!has_room(r, name))
		return false;
	jw_obj(&r->w);
	while ((step = proto_wire_next(&wire, &item)) == PROTO_WIRE_ITEM)
		if (item.number == 1 && item.type == PROTO_WIRE_BYTES &&
		    !read_struct_entry(r, item.bytes, &keys, name))
			return false;
	jw_obj_end(&r->w);
	return step == PROTO_WIRE_END || wrong(r, "malformed object", name);
}

static bool read_values(struct reading *r, struct str wire, const char *name)
{
	enum proto_wire_step step;
	struct proto_item item;

	if (!has_room(r, name))
		return false;
	jw_arr(&r->w);
	while ((step = proto_wire_next(&wire, &item)) == PROTO_WIRE_ITEM)
		if (item.number == 1 && item.type == PROTO_WIRE_BYTES &&
		    !read_value(r, item.bytes, name))
			return false;
	jw_arr_end(&r->w);
	return step == PROTO_WIRE_END || wrong(r, "malformed list", name);
}

static bool is_value_item(const struct proto_item *item)
{
	static const uint8_t types[] = {
		[VALUE_NULL] = PROTO_WIRE_VARINT,  [VALUE_NUMBER] = PROTO_WIRE_FIXED64,
		[VALUE_STR] = PROTO_WIRE_BYTES,    [VALUE_BOOL] = PROTO_WIRE_VARINT,
		[VALUE_STRUCT] = PROTO_WIRE_BYTES, [VALUE_LIST] = PROTO_WIRE_BYTES
	};

	return item->number >= VALUE_NULL && item->number <= VALUE_LIST &&
	       item->type == types[item->number];
}

static bool write_value(struct reading *r, const struct proto_item *item, const char *name)
{
	switch ((enum value_field)item->number) {
	case VALUE_NULL:
		jw_null(&r->w);
		return true;
	case VALUE_NUMBER:
		return write_number(r, item->value, name);
	case VALUE_STR:
		return write_text(r, item->bytes, name);
	case VALUE_BOOL:
		jw_bool(&r->w, item->value != 0);
		return true;
	case VALUE_STRUCT:
		return read_struct(r, item->bytes, name);
	case VALUE_LIST:
		return read_values(r, item->bytes, name);
	}
	return false;
}

/* All members are one oneof: the last one counts.  A value without any is null. */
static bool read_value(struct reading *r, struct str wire, const char *name)
{
	struct proto_item item, last = { .number = VALUE_NULL };
	enum proto_wire_step step;

	while ((step = proto_wire_next(&wire, &item)) == PROTO_WIRE_ITEM)
		if (is_value_item(&item))
			last = item;
	if (step == PROTO_WIRE_BAD)
		return wrong(r, "malformed value", name);
	return write_value(r, &last, name);
}

static bool read_time(struct reading *r, struct str wire, const char *name)
{
	struct proto_time t = { 0 };
	enum proto_wire_step step;
	struct proto_item item;
	struct str text;

	while ((step = proto_wire_next(&wire, &item)) == PROTO_WIRE_ITEM) {
		if (item.type == PROTO_WIRE_VARINT && item.number == 1)
			t.seconds = (int64_t)item.value;
		else if (item.type == PROTO_WIRE_VARINT && item.number == 2)
			t.nanos = (int32_t)item.value;
	}
	text = proto_time_text(r->mem, t);
	if (step == PROTO_WIRE_BAD || !str_is(text))
		return wrong(r, "malformed time", name);
	jw_str(&r->w, text);
	return true;
}

static void write_word(struct reading *r, const struct proto_enum *words, uint64_t value)
{
	int32_t number = (int32_t)value;

	if (number >= 0 && number < words->count)
		jw_str(&r->w, str_from(words->words[number]));
	else
		jw_int(&r->w, number);
}

static void write_bytes(struct reading *r, struct str bytes)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	base64_write(&text, bytes);
	jw_str(&r->w, buf_str(&text));
}

/* One value of a field. */
static bool write_item(struct reading *r, const struct proto_field *f,
                       const struct proto_item *item)
{
	switch ((enum proto_kind)f->kind) {
	case PROTO_STR:
		return write_text(r, item->bytes, f->json);
	case PROTO_BYTES:
		write_bytes(r, item->bytes);
		return true;
	case PROTO_BOOL:
		jw_bool(&r->w, item->value != 0);
		return true;
	case PROTO_INT32:
		jw_int(&r->w, (int32_t)item->value);
		return true;
	case PROTO_ENUM:
		write_word(r, &proto_enums[f->of], item->value);
		return true;
	case PROTO_RECORD:
		return has_room(r, f->json) && read_message(r, &proto_messages[f->of], item->bytes);
	case PROTO_STRUCT:
		return read_struct(r, item->bytes, f->json);
	case PROTO_VALUE:
		return read_value(r, item->bytes, f->json);
	case PROTO_TIME:
		return read_time(r, item->bytes, f->json);
	}
	return false;
}

static bool write_entry(struct reading *r, const struct proto_field *f, struct str wire,
                        struct map *keys)
{
	struct proto_item item = { .type = PROTO_WIRE_BYTES };
	struct entry entry;

	if (!read_entry(r, wire, &entry, f->json))
		return false;
	if (map_put(keys, entry.key, r))
		return wrong(r, "a key comes twice", f->json);
	jw_key(&r->w, entry.key);
	item.bytes = entry.value;
	return write_item(r, f, &item);
}

static bool write_map(struct reading *r, const struct proto_field *f, struct str wire)
{
	CLEANUP(map_done) struct map keys = { 0 };
	struct proto_item item;

	if (!has_room(r, f->json))
		return false;
	jw_obj(&r->w);
	while (proto_wire_next(&wire, &item) == PROTO_WIRE_ITEM)
		if (item.number == f->number && item.type == PROTO_WIRE_BYTES &&
		    !write_entry(r, f, item.bytes, &keys))
			return false;
	jw_obj_end(&r->w);
	return true;
}

static bool write_list(struct reading *r, const struct proto_field *f, struct str wire)
{
	struct proto_item item;

	if (!has_room(r, f->json))
		return false;
	jw_arr(&r->w);
	while (proto_wire_next(&wire, &item) == PROTO_WIRE_ITEM)
		if (item.number == f->number && item.type == PROTO_WIRE_BYTES &&
		    !write_item(r, f, &item))
			return false;
	jw_arr_end(&r->w);
	return true;
}

/* What a pass over a message finds of one field. */
struct found {
	struct proto_item last;
	size_t count;
	bool is_replaced; /* a later member of its oneof counts */
};

static bool is_default(const struct proto_field *f, const struct proto_item *item)
{
	if (f->label != PROTO_ONE || f->oneof)
		return false;
	/* Of a longer varint the low 32 bits count, but for truth. */
	if (wire_type(f->kind) == PROTO_WIRE_VARINT)
		return f->kind == PROTO_BOOL ? !item->value : !(int32_t)item->value;
	return (f->kind == PROTO_STR || f->kind == PROTO_BYTES) && !item->bytes.len;
}

static bool is_compound(const struct proto_field *f)
{
	return f->kind == PROTO_RECORD || f->kind == PROTO_STRUCT || f->kind == PROTO_VALUE ||
	       f->kind == PROTO_TIME;
}

static bool write_field(struct reading *r, const struct proto_field *f, const struct found *found,
                        struct str wire)
{
	if (!found->count || found->is_replaced || is_default(f, &found->last))
		return true;
	if (f->label < PROTO_LIST && found->count > 1 && is_compound(f))
		return wrong(r, "a message comes twice", f->json);
	jw_key(&r->w, str_from(f->json));
	if (f->label == PROTO_LIST)
		return write_list(r, f, wire);
	if (f->label == PROTO_MAP)
		return write_map(r, f, wire);
	return write_item(r, f, &found->last);
}

static void note_item(const struct proto_message *m, struct found *found,
                      const struct proto_item *item)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct proto_field *f = &m->fields[i];

		if (f->number == item->number &&
		    item->type == (f->label == PROTO_MAP ? PROTO_WIRE_BYTES : wire_type(f->kind))) {
			bool begins_again = found[i].is_replaced;

			found[i] = (struct found){ *item, begins_again ? 1 : found[i].count + 1,
				                   false };
			for (size_t k = 0; f->oneof && k < m->count; k++)
				if (k != i && m->fields[k].oneof == f->oneof)
					found[k].is_replaced = true;
		}
	}
}

static bool read_message(struct reading *r, const struct proto_message *m, struct str wire)
{
	struct found found[PROTO_FIELDS_MAX] = { 0 };
	enum proto_wire_step step;
	struct proto_item item;
	struct str rest = wire;

	while ((step = proto_wire_next(&rest, &item)) == PROTO_WIRE_ITEM)
		note_item(m, found, &item);
	if (step == PROTO_WIRE_BAD)
		return wrong(r, "malformed message", m->name);
	jw_obj(&r->w);
	for (size_t i = 0; i < m->count; i++)
		if (!write_field(r, &m->fields[i], &found[i], wire))
			return false;
	jw_obj_end(&r->w);
	return true;
}

enum err proto_read(const struct proto_message *m, struct str wire, struct buf *out,
                    struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct reading r = { .mem = mem, .e = e };

	jw_init(&r.w, out);
	return read_message(&r, m, wire) ? OK : ERR_INVALID;
}
