/*
 * Unpacks records (rec_pack.h), driven by the same tables as rec.c.
 *
 * The bytes may come from anywhere: every length and count is checked against
 * what is left of them.
 */
#include "catalog/rec_pack.h"

#define AT(type, rec, f) (*(type *)((char *)(rec) + (f)->offset))
#define DEPTH_MAX 24

static uint64_t broken(struct rec_unpacker *u)
{
	u->is_broken = true;
	u->at = u->in.len;
	return 0;
}

uint64_t rec_unpack_uint(struct rec_unpacker *u)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64 && u->at < u->in.len; shift += 7) {
		uint8_t byte = (uint8_t)u->in.ptr[u->at++];

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
	return broken(u);
}

int64_t rec_unpack_int(struct rec_unpacker *u)
{
	uint64_t n = rec_unpack_uint(u);

	return (int64_t)(n >> 1 ^ (~(n & 1) + 1));
}

const char *rec_unpack_bytes(struct rec_unpacker *u, size_t len)
{
	const char *at = u->in.ptr + u->at;

	if (len > u->in.len - u->at) {
		broken(u);
		return NULL;
	}
	u->at += len;
	return at;
}

struct str rec_unpack_str(struct rec_unpacker *u)
{
	uint64_t n = rec_unpack_uint(u);
	const char *at;
	struct str s;

	if (!n)
		return STR_NONE;
	if (n % 2) {
		at = rec_unpack_bytes(u, n / 2);
		return at ? str_of(at, n / 2) : STR_NONE;
	}
	if (u->refer && u->refer(u, n / 2 - 1, &s))
		return s;
	broken(u);
	return STR_NONE;
}

/* Every item takes a byte or more, so a count above the rest of the bytes is a fault. */
static size_t unpack_count(struct rec_unpacker *u)
{
	uint64_t count = rec_unpack_uint(u);

	return count > u->in.len - u->at ? (size_t)broken(u) : (size_t)count;
}

static void *unpack_new(struct rec_unpacker *u, const struct rec_desc *d)
{
	void *rec = arena_alloc(u->mem, d->size);

	rec_unpack(u, d, rec);
	return rec;
}

static size_t item_size(const struct field *f)
{
	switch (f->type) {
	case FIELD_LIST_REC:
		return sizeof(void *);
	case FIELD_LIST_INT:
		return sizeof(int64_t);
	case FIELD_DICT:
		return sizeof(struct dict_entry);
	default:
		return sizeof(struct str);
	}
}

static void unpack_list(struct rec_unpacker *u, const struct field *f, void *rec)
{
	struct list_rec *l = &AT(struct list_rec, rec, f);
	size_t count = unpack_count(u);

	/* One more than needed: an empty list has items too, unlike an absent one. */
	l->items = arena_alloc(u->mem, (count + 1) * item_size(f));
	l->count = l->cap = (uint32_t)count;
	for (size_t i = 0; i < count && !u->is_broken; i++) {
		switch (f->type) {
		case FIELD_LIST_REC:
			l->items[i] = unpack_new(u, f->rec);
			break;
		case FIELD_LIST_INT:
			((struct list_int *)l)->items[i] = rec_unpack_int(u);
			break;
		case FIELD_DICT:
			((struct dict *)l)->items[i].key = rec_unpack_str(u);
			((struct dict *)l)->items[i].value = rec_unpack_str(u);
			break;
		default:
			((struct list_str *)l)->items[i] = rec_unpack_str(u);
		}
	}
}

static void unpack_array(struct rec_unpacker *u, const struct field *f, void *rec)
{
	size_t count = unpack_count(u);
	char *items = arena_alloc(u->mem, (count + 1) * f->rec->size);

	for (size_t i = 0; i < count && !u->is_broken; i++)
		rec_unpack(u, f->rec, items + i * f->rec->size);
	AT(char *, rec, f) = items;
	*(size_t *)((char *)rec + f->has_offset) = count;
}

static void unpack_number(struct rec_unpacker *u, const struct field *f, void *rec)
{
	const char *bytes;

	if (f->type == FIELD_REAL && (bytes = rec_unpack_bytes(u, sizeof(double))))
		memcpy(&AT(double, rec, f), bytes, sizeof(double));
	else if (f->type == FIELD_BOOL)
		AT(bool, rec, f) = !f->has_offset || rec_unpack_uint(u);
	else if (f->type != FIELD_REAL)
		AT(int64_t, rec, f) = rec_unpack_int(u);
	if (f->has_offset)
		*(bool *)((char *)rec + f->has_offset) = true;
}

static void unpack_enum(struct rec_unpacker *u, const struct field *f, void *rec)
{
	uint64_t word = rec_unpack_uint(u);

	if (word > UINT8_MAX * 4 || (f->words && word >= f->words->count))
		word = broken(u);
	AT(uint32_t, rec, f) = (uint32_t)word;
}

static void unpack_field(struct rec_unpacker *u, const struct field *f, void *rec)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		AT(struct str, rec, f) = rec_unpack_str(u);
		break;
	case FIELD_INT:
	case FIELD_USD:
	case FIELD_TIME:
	case FIELD_REAL:
	case FIELD_BOOL:
		unpack_number(u, f, rec);
		break;
	case FIELD_ENUM:
		unpack_enum(u, f, rec);
		break;
	case FIELD_REC:
		AT(void *, rec, f) = unpack_new(u, f->rec);
		break;
	case FIELD_PART:
		rec_unpack(u, f->rec, &AT(char, rec, f));
		break;
	case FIELD_ARRAY:
		unpack_array(u, f, rec);
		break;
	default:
		unpack_list(u, f, rec);
	}
}

void rec_unpack(struct rec_unpacker *u, const struct rec_desc *d, void *ret)
{
	const char *bits = rec_unpack_bytes(u, (d->count + 7) / 8);

	memset(ret, 0, d->size);
	if (!bits || u->depth == DEPTH_MAX) {
		broken(u);
		return;
	}
	u->depth++;
	for (uint32_t i = 0; i < d->count && !u->is_broken; i++)
		if ((uint8_t)bits[i / 8] >> i % 8 & 1)
			unpack_field(u, &d->fields[i], ret);
	u->depth--;
}
