/*
 * Packs records (rec_pack.h), driven by the same tables as rec.c.
 *
 * A plain number of 0 and a plain false are not written: their bit is clear.
 */
#include "catalog/rec_pack.h"

#define AT_CONST(type, rec, f) (*(const type *)((const char *)(rec) + (f)->offset))

void rec_pack_done(struct rec_packer *p)
{
	buf_done(&p->out);
	buf_done(&p->spans);
}

void rec_pack_clear(struct rec_packer *p)
{
	buf_clear(&p->out);
	buf_clear(&p->spans);
}

size_t rec_pack_number(struct buf *out, uint64_t n)
{
	char bytes[10];
	size_t len = 0;

	for (; n > 0x7f; n >>= 7)
		bytes[len++] = (char)(n | 0x80);
	bytes[len++] = (char)n;
	buf_add(out, bytes, len);
	return len;
}

void rec_pack_uint(struct rec_packer *p, uint64_t n)
{
	rec_pack_number(&p->out, n);
}

void rec_pack_int(struct rec_packer *p, int64_t n)
{
	rec_pack_number(&p->out, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

void rec_pack_str(struct rec_packer *p, struct str s)
{
	struct rec_span span = { p->out.len, s.len };

	if (!str_is(s)) {
		rec_pack_uint(p, 0);
		return;
	}
	if (s.len >= REC_SPAN_MIN)
		buf_add(&p->spans, &span, sizeof span);
	rec_pack_uint(p, 2 * (uint64_t)s.len + 1);
	buf_add_str(&p->out, s);
}

static bool has_number(const void *rec, const struct field *f, bool otherwise)
{
	return f->has_offset ? *(const bool *)((const char *)rec + f->has_offset) : otherwise;
}

static size_t array_count(const void *rec, const struct field *f)
{
	return *(const size_t *)((const char *)rec + f->has_offset);
}

static bool is_present(const void *rec, const struct field *f)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		return AT_CONST(struct str, rec, f).ptr != NULL;
	case FIELD_INT:
	case FIELD_USD:
		return has_number(rec, f, AT_CONST(int64_t, rec, f) != 0);
	case FIELD_REAL:
		return has_number(rec, f, true);
	case FIELD_BOOL:
		return has_number(rec, f, AT_CONST(bool, rec, f));
	case FIELD_TIME:
		return AT_CONST(int64_t, rec, f) != 0;
	case FIELD_ENUM:
		return AT_CONST(uint32_t, rec, f) != 0;
	case FIELD_REC:
		return AT_CONST(void *, rec, f) != NULL;
	case FIELD_ARRAY:
		return array_count(rec, f) != 0;
	case FIELD_PART:
		return true;
	case FIELD_PAYLOAD:
		return false;
	default:
		return AT_CONST(struct list_rec, rec, f).items != NULL;
	}
}

static void pack_list(struct rec_packer *p, const struct field *f, const void *rec)
{
	const struct list_rec *l = &AT_CONST(struct list_rec, rec, f);

	rec_pack_uint(p, l->count);
	for (uint32_t i = 0; i < l->count; i++) {
		switch (f->type) {
		case FIELD_LIST_REC:
			rec_pack(p, f->rec, l->items[i]);
			break;
		case FIELD_LIST_INT:
			rec_pack_int(p, ((const struct list_int *)l)->items[i]);
			break;
		case FIELD_DICT:
			rec_pack_str(p, ((const struct dict *)l)->items[i].key);
			rec_pack_str(p, ((const struct dict *)l)->items[i].value);
			break;
		default:
			rec_pack_str(p, ((const struct list_str *)l)->items[i]);
		}
	}
}

static void pack_array(struct rec_packer *p, const struct field *f, const void *rec)
{
	const char *items = AT_CONST(char *, rec, f);
	size_t count = array_count(rec, f);

	rec_pack_uint(p, count);
	for (size_t i = 0; i < count; i++)
		rec_pack(p, f->rec, items + i * f->rec->size);
}

static void pack_field(struct rec_packer *p, const struct field *f, const void *rec)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		rec_pack_str(p, AT_CONST(struct str, rec, f));
		break;
	case FIELD_INT:
	case FIELD_USD:
	case FIELD_TIME:
		rec_pack_int(p, AT_CONST(int64_t, rec, f));
		break;
	case FIELD_REAL:
		buf_add(&p->out, &AT_CONST(double, rec, f), sizeof(double));
		break;
	case FIELD_BOOL:
		if (f->has_offset)
			rec_pack_uint(p, AT_CONST(bool, rec, f));
		break;
	case FIELD_ENUM:
		rec_pack_uint(p, AT_CONST(uint32_t, rec, f));
		break;
	case FIELD_REC:
		rec_pack(p, f->rec, AT_CONST(void *, rec, f));
		break;
	case FIELD_PART:
		rec_pack(p, f->rec, &AT_CONST(char, rec, f));
		break;
	case FIELD_ARRAY:
		pack_array(p, f, rec);
		break;
	default:
		pack_list(p, f, rec);
	}
}

void rec_pack(struct rec_packer *p, const struct rec_desc *d, const void *rec)
{
	uint8_t bits[16] = { 0 };

	for (uint32_t i = 0; i < d->count; i++)
		if (is_present(rec, &d->fields[i]))
			bits[i / 8] |= (uint8_t)(1u << i % 8);
	buf_add(&p->out, bits, (d->count + 7) / 8);
	for (uint32_t i = 0; i < d->count; i++)
		if (bits[i / 8] >> i % 8 & 1)
			pack_field(p, &d->fields[i], rec);
}
