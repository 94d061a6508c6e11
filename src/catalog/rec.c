/*
 * Readers, writers and copies of records, driven by the generated field tables.
 *
 * All functions walk the same table in the same order, so that what is written
 * can be read back.  Records of a caller are checked strictly (limits, unknown
 * fields); our own are read leniently, so that older logs stay readable.
 */
#include "catalog/rec.h"

#include "base/os/clock.h"
#include "base/os/id.h"
#include "base/gen/limits.h"
#include "base/jw.h"
#include "catalog/gen/config_values.h"

#include <assert.h>
#include <stdio.h>

/* A field of a record by its offset; the catalogue guarantees the type. */
#define AT(type, rec, f) (*(type *)((char *)(rec) + (f)->offset))
#define AT_CONST(type, rec, f) (*(const type *)((const char *)(rec) + (f)->offset))

/* A number without has_x is always present. */
static bool has_number(const void *rec, const struct field *f)
{
	return !f->has_offset || *(const bool *)((const char *)rec + f->has_offset);
}

/*
 * rec.h lists the absent values.  A required list is written even if it is empty, so that
 * readers find the member.
 */
static bool is_present(const void *rec, const struct field *f)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		return AT_CONST(struct str, rec, f).ptr != NULL;
	case FIELD_INT:
	case FIELD_REAL:
	case FIELD_USD:
	case FIELD_BOOL:
		return has_number(rec, f);
	case FIELD_TIME:
		return AT_CONST(int64_t, rec, f) != 0;
	case FIELD_ENUM:
		return AT_CONST(uint32_t, rec, f) != 0;
	case FIELD_REC:
	case FIELD_PAYLOAD:
		return AT_CONST(void *, rec, f) != NULL;
	case FIELD_LIST_STR:
	case FIELD_LIST_ID:
	case FIELD_LIST_INT:
	case FIELD_LIST_JSON:
	case FIELD_LIST_REC:
	case FIELD_DICT:
		return AT_CONST(struct list_rec, rec, f).items != NULL || f->required;
	case FIELD_ARRAY:
	case FIELD_PART:
	case FIELD_NAMES:
		return true;
	}
	return false;
}

/* ---- writing ---- */

/*
 * All lists and dicts begin with the same three members (struct list_rec), so one view
 * serves all.
 */
static void write_list(struct json_writer *w, const struct field *f, const void *rec)
{
	const struct list_rec *l = &AT_CONST(struct list_rec, rec, f);

	jw_arr(w);
	for (uint32_t i = 0; i < l->count; i++) {
		switch (f->type) {
		case FIELD_LIST_REC:
			rec_write(w, f->rec, l->items[i]);
			break;
		case FIELD_LIST_INT:
			jw_int(w, ((const struct list_int *)l)->items[i]);
			break;
		case FIELD_LIST_JSON:
			jw_raw(w, ((const struct list_str *)l)->items[i]);
			break;
		default:
			jw_str(w, ((const struct list_str *)l)->items[i]);
		}
	}
	jw_arr_end(w);
}

static void write_dict(struct json_writer *w, const struct dict *d)
{
	jw_obj(w);
	for (uint32_t i = 0; i < d->count; i++)
		jw_kstr(w, d->items[i].key, d->items[i].value);
	jw_obj_end(w);
}

static size_t array_count(const void *rec, const struct field *f)
{
	return *(const size_t *)((const char *)rec + f->has_offset);
}

static void write_array(struct json_writer *w, const struct field *f, const void *rec)
{
	const char *items = AT_CONST(char *, rec, f);

	jw_arr(w);
	for (size_t i = 0; i < array_count(rec, f); i++)
		rec_write(w, f->rec, items + i * f->rec->size);
	jw_arr_end(w);
}

static void write_names(struct json_writer *w, const struct config_names *names)
{
	jw_arr(w);
	for (size_t i = 0; i < names->count; i++)
		jw_str(w, names->items[i]);
	jw_arr_end(w);
}

/* Money is an integer count of 1e-9 in memory and a decimal on the wire: sums stay exact. */
static void write_field(struct json_writer *w, const struct field *f, const void *rec)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
		jw_str(w, AT_CONST(struct str, rec, f));
		break;
	case FIELD_JSON:
		jw_raw(w, AT_CONST(struct str, rec, f));
		break;
	case FIELD_INT:
		jw_int(w, AT_CONST(int64_t, rec, f));
		break;
	case FIELD_REAL:
		jw_real(w, AT_CONST(double, rec, f));
		break;
	case FIELD_USD:
		jw_nano(w, AT_CONST(int64_t, rec, f));
		break;
	case FIELD_BOOL:
		jw_bool(w, AT_CONST(bool, rec, f));
		break;
	case FIELD_TIME:
		jw_time(w, AT_CONST(int64_t, rec, f));
		break;
	case FIELD_ENUM:
		jw_str(w, enum_word(f->words, AT_CONST(uint32_t, rec, f)));
		break;
	case FIELD_REC:
		rec_write(w, f->rec, AT_CONST(void *, rec, f));
		break;
	case FIELD_PAYLOAD:
		rec_write(w, catalog_payload_of(rec), AT_CONST(void *, rec, f));
		break;
	case FIELD_DICT:
		write_dict(w, &AT_CONST(struct dict, rec, f));
		break;
	case FIELD_ARRAY:
		write_array(w, f, rec);
		break;
	case FIELD_PART:
		rec_write(w, f->rec, &AT_CONST(char, rec, f));
		break;
	case FIELD_NAMES:
		write_names(w, &AT_CONST(struct config_names, rec, f));
		break;
	default:
		write_list(w, f, rec);
	}
}

void rec_write(struct json_writer *w, const struct rec_desc *d, const void *rec)
{
	jw_obj(w);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct field *f = &d->fields[i];

		if (!is_present(rec, f))
			continue;
		jw_name(w, field_name(f));
		write_field(w, f, rec);
	}
	jw_obj_end(w);
}

/* Most texts are shorter, so their buffer is allocated once. */
#define TEXT_BYTES 1024

struct str rec_text(struct arena *mem, const struct rec_desc *d, const void *rec)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	buf_reserve(&out, TEXT_BYTES);
	rec_write(&w, d, rec);
	struct str kept = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return kept;
}

/* ---- reading ---- */

struct reading {
	struct arena *mem;
	enum rec_form form;
	struct error *e;
};

/* Like fail(), with the fault in error.detail. */
static enum err fault(struct error *e, enum rec_fault detail, enum err code)
{
	if (e)
		e->detail = detail;
	return code;
}

static enum err wrong_type(struct reading *r, const struct field *f, struct json v,
                           const char *wanted)
{
	return fault(r->e, REC_FAULT_TYPE,
	             fail(r->e, ERR_INVALID, "%.*s: %s wanted, %s found", STR_ARG(field_name(f)),
	                  wanted, json_type_name(v)));
}

static bool is_list(const struct field *f)
{
	return f->type == FIELD_LIST_STR || f->type == FIELD_LIST_ID || f->type == FIELD_LIST_INT ||
	       f->type == FIELD_LIST_REC || f->type == FIELD_LIST_JSON;
}

/*
 * The bytes of a string, or of each string of a list.  Every field of a caller has a
 * limit: its own, or that of its type.  The `max` of a list counts its items.
 */
static uint32_t max_bytes(const struct field *f, enum rec_form form)
{
	if (f->max && !is_list(f))
		return f->max;
	if (f->type == FIELD_ID || f->type == FIELD_LIST_ID)
		return ID_MAX;
	return form == REC_CALLER ? LIMIT_STR_BYTES : UINT32_MAX;
}

static uint32_t max_json(const struct field *f, enum rec_form form)
{
	if (form == REC_CALLER)
		return f->max ? f->max : LIMIT_JSON_BYTES;
	return form == REC_FOREIGN && f->max ? f->max : UINT32_MAX;
}

static uint32_t max_items(const struct field *f, enum rec_form form)
{
	return f->max ? f->max : form == REC_CALLER ? LIMIT_LIST_ITEMS : UINT32_MAX;
}

/* rec_check() does not look into lists, and REC_FOREIGN accepts what it accepts. */
static bool is_id_checked(const struct field *f, enum rec_form form)
{
	return (f->type == FIELD_ID && (form == REC_CALLER || form == REC_FOREIGN)) ||
	       (f->type == FIELD_LIST_ID && form == REC_CALLER);
}

/* The string points into the document; the limit of a caller's field keeps events bounded. */
static enum err read_str(struct reading *r, const struct field *f, struct json v, struct str *ret)
{
	struct str s = json_str(v);

	if (!str_is(s))
		return wrong_type(r, f, v, "a string");
	if (s.len > max_bytes(f, r->form))
		return fault(r->e, REC_FAULT_LARGE,
		             fail(r->e, ERR_TOO_LARGE,
		                  "%.*s: at most %u bytes are accepted, but %zu were given",
		                  STR_ARG(field_name(f)), max_bytes(f, r->form), s.len));
	if (is_id_checked(f, r->form) && !id_is_valid(s))
		return fault(r->e, REC_FAULT_ID,
		             fail(r->e, ERR_INVALID,
		                  "%.*s: an id begins with a letter or digit and continues with "
		                  "these or "
		                  "_ . : -",
		                  STR_ARG(field_name(f))));
	*ret = s;
	return OK;
}

/* Prefixes the field's path to the message: isolation.tools[2], worker.kind. */
static enum err fail_within(struct error *e, const struct field *f, int64_t at, enum err code)
{
	char inner[sizeof e->message], index[24] = "";
	bool is_quoted;

	if (!code || !e)
		return code;
	memcpy(inner, e->message, sizeof inner);
	is_quoted = inner[0] == '\'';
	if (at >= 0)
		snprintf(index, sizeof index, "[%lld]", (long long)at);
	snprintf(e->message, sizeof e->message, "%s%.*s%s.%s", is_quoted ? "'" : "",
	         STR_ARG(field_name(f)), index, inner + is_quoted);
	return code;
}

static enum err read_sub(struct reading *r, const struct field *f, struct json v, int64_t at,
                         void **ret)
{
	void *sub = arena_alloc(r->mem, f->rec->size);

	if (json_type(v) != JSON_OBJ)
		return wrong_type(r, f, v, "an object");
	enum err code = rec_read(r->mem, v, f->rec, r->form, sub, r->e);

	if (code)
		return fail_within(r->e, f, at, code);
	*ret = sub;
	return OK;
}

/* The count is known from the document, so the items are allocated once. */
static enum err read_list(struct reading *r, const struct field *f, struct json v, void *rec)
{
	struct list_rec *l = &AT(struct list_rec, rec, f);
	size_t count = json_count(v);
	enum err code;

	if (json_type(v) != JSON_ARR)
		return wrong_type(r, f, v, "an array");
	uint32_t most = max_items(f, r->form);

	if (count > most)
		return fault(r->e, REC_FAULT_LARGE,
		             fail(r->e, ERR_TOO_LARGE,
		                  "%.*s: at most %u items are accepted, but %zu were given",
		                  STR_ARG(field_name(f)), most, count));
	size_t item = f->type == FIELD_LIST_REC || f->type == FIELD_LIST_INT ? sizeof(void *)
	                                                                     : sizeof(struct str);
	void *items;

	/* Written the same as one without items: both are the same in memory too. */
	if (!count && f->required)
		return OK;
	items = arena_alloc(r->mem, (count + 1) * item);
	l->items = items;
	l->cap = (uint32_t)count;
	struct json_iter it = json_iter(v);
	struct str key;
	struct json each;

	while (json_next(&it, &key, &each)) {
		switch (f->type) {
		case FIELD_LIST_REC:
			if ((code = read_sub(r, f, each, (int64_t)l->count,
			                     &((void **)items)[l->count])))
				return code;
			break;
		case FIELD_LIST_INT:
			if (json_type(each) != JSON_INT)
				return wrong_type(r, f, each, "an integer");
			((int64_t *)items)[l->count] = json_int(each, 0);
			break;
		case FIELD_LIST_JSON:
			((struct str *)items)[l->count] = json_text(r->mem, each);
			break;
		default:
			if ((code = read_str(r, f, each, &((struct str *)items)[l->count])))
				return code;
		}
		l->count++;
	}
	return OK;
}

/* The count is known before, so the structs are allocated once, side by side. */
static enum err read_array(struct reading *r, const struct field *f, struct json v, void *rec)
{
	size_t count = json_count(v), at = 0;
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	char *items;

	if (json_type(v) != JSON_ARR)
		return wrong_type(r, f, v, "an array");
	items = arena_alloc(r->mem, (count + 1) * f->rec->size);
	while (json_next(&it, &key, &each)) {
		void *item = items + at * f->rec->size;
		enum err code = rec_read(r->mem, each, f->rec, r->form, item, r->e);

		if (code)
			return fail_within(r->e, f, (int64_t)at, code);
		at++;
	}
	AT(char *, rec, f) = items;
	*(size_t *)((char *)rec + f->has_offset) = at;
	return OK;
}

static enum err read_names(struct reading *r, const struct field *f, struct json v, void *rec)
{
	struct config_names *names = &AT(struct config_names, rec, f);
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key, *items;

	if (json_type(v) != JSON_ARR)
		return wrong_type(r, f, v, "an array");
	items = ARENA_ARRAY(r->mem, struct str, json_count(v) + 1);
	names->items = items;
	while (json_next(&it, &key, &each)) {
		enum err code = read_str(r, f, each, &items[names->count]);

		if (code)
			return code;
		names->count++;
	}
	return OK;
}

/* Entries keep the order of the document: writing gives the same bytes. */
static enum err read_dict(struct reading *r, const struct field *f, struct json v, void *rec)
{
	struct dict *d = &AT(struct dict, rec, f);

	if (json_type(v) != JSON_OBJ)
		return wrong_type(r, f, v, "an object");
	if (r->form == REC_CALLER && json_count(v) > LIMIT_DICT_ENTRIES)
		return fault(r->e, REC_FAULT_LARGE,
		             fail(r->e, ERR_TOO_LARGE,
		                  "%.*s: at most %u entries are accepted, but %zu were given",
		                  STR_ARG(field_name(f)), LIMIT_DICT_ENTRIES, json_count(v)));
	if (r->form == REC_FOREIGN && f->max && json_count(v) > f->max)
		return fault(r->e, REC_FAULT_LARGE,
		             fail(r->e, ERR_TOO_LARGE, "%.*s: at most %u entries are accepted",
		                  STR_ARG(field_name(f)), f->max));
	d->cap = (uint32_t)json_count(v);
	d->items = arena_alloc(r->mem, (d->cap + 1) * sizeof *d->items);
	struct json_iter it = json_iter(v);
	struct str key;
	struct json each;

	while (json_next(&it, &key, &each)) {
		if (!str_is(json_str(each)))
			return wrong_type(r, f, each, "strings as members");
		d->items[d->count++] = (struct dict_entry){ key, json_str(each) };
	}
	return OK;
}

/* INT64_MIN means "no integer": json_int() returns it for a real with a fraction. */
static enum err read_number(struct reading *r, const struct field *f, struct json v, void *rec)
{
	enum json_type t = json_type(v);

	if (t != JSON_INT && t != JSON_UINT && t != JSON_REAL)
		return wrong_type(r, f, v, f->type == FIELD_INT ? "an integer" : "a number");
	switch (f->type) {
	case FIELD_INT:
		if (t == JSON_UINT || (t == JSON_REAL && json_int(v, INT64_MIN) == INT64_MIN))
			return wrong_type(r, f, v, "an integer of 64 bits");
		AT(int64_t, rec, f) = json_int(v, 0);
		break;
	case FIELD_USD:
		AT(int64_t, rec, f) = json_nano(v, 0);
		if (r->form == REC_CALLER && AT(int64_t, rec, f) < 0)
			return fault(r->e, REC_FAULT_VALUE,
			             fail(r->e, ERR_INVALID, "%.*s: an amount is not negative",
			                  STR_ARG(field_name(f))));
		break;
	default:
		AT(double, rec, f) = json_real(v, 0);
	}
	return OK;
}

/*
 * Values of a caller are checked against limits here; our own passed rec_check() when they
 * were written.
 */
static enum err read_field(struct reading *r, const struct field *f, struct json v, void *rec)
{
	enum err code = OK;

	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
		return read_str(r, f, v, &AT(struct str, rec, f));
	case FIELD_JSON:
		AT(struct str, rec, f) = json_text(r->mem, v);
		if (AT(struct str, rec, f).len > max_json(f, r->form))
			return fault(r->e, REC_FAULT_LARGE,
			             fail(r->e, ERR_TOO_LARGE,
			                  "%.*s: at most %u bytes are accepted",
			                  STR_ARG(field_name(f)), max_json(f, r->form)));
		return OK;
	case FIELD_INT:
	case FIELD_REAL:
	case FIELD_USD:
		code = read_number(r, f, v, rec);
		break;
	case FIELD_BOOL:
		if (json_type(v) != JSON_BOOL)
			return wrong_type(r, f, v, "true or false");
		AT(bool, rec, f) = json_bool(v, false);
		break;
	case FIELD_TIME:
		if (!str_is(json_str(v)) || !clock_time_read(json_str(v), &AT(int64_t, rec, f)))
			return wrong_type(r, f, v, "an RFC 3339 date-time");
		return OK;
	case FIELD_ENUM:
		AT(uint32_t, rec, f) = rec_enum_read(f->words, json_str(v));
		if (!str_is(json_str(v)))
			return wrong_type(r, f, v, "a string");
		if (!AT(uint32_t, rec, f))
			return fault(r->e, REC_FAULT_VALUE,
			             fail(r->e, ERR_INVALID, "%.*s: '%.*s' is not a word of %s",
			                  STR_ARG(field_name(f)), STR_ARG(json_str(v)),
			                  f->words->name));
		return OK;
	case FIELD_REC:
		return read_sub(r, f, v, -1, &AT(void *, rec, f));
	case FIELD_PAYLOAD: {
		/*
		 * Events are written in the order of the table, so the type has been read before.
		 * Lines of others may lack it or have it later.
		 */
		const struct rec_desc *d = catalog_payload_of(rec);
		void *sub;

		if (!d)
			return fault(r->e, REC_FAULT_MISSING,
			             fail(r->e, ERR_INVALID, "%.*s: no known type before it",
			                  STR_ARG(field_name(f))));
		if (json_type(v) != JSON_OBJ)
			return wrong_type(r, f, v, "an object");
		sub = arena_alloc(r->mem, d->size);
		AT(void *, rec, f) = sub;
		return rec_read(r->mem, v, d, r->form, sub, r->e);
	}
	case FIELD_DICT:
		return read_dict(r, f, v, rec);
	case FIELD_ARRAY:
		return read_array(r, f, v, rec);
	case FIELD_PART:
		return fail_within(r->e, f, -1,
		                   rec_read(r->mem, v, f->rec, r->form, &AT(char, rec, f), r->e));
	case FIELD_NAMES:
		return read_names(r, f, v, rec);
	default:
		return read_list(r, f, v, rec);
	}
	if (!code && f->has_offset)
		*(bool *)((char *)rec + f->has_offset) = true;
	return code;
}

/* Names differ in length more often than not: most comparisons end here, without a call. */
static inline bool is_name(struct str name, struct str key)
{
	return name.len == key.len && str_eq(name, key);
}

/* Members usually come in the order of the table, so the search starts at the hint. */
static const struct field *find_field(const struct rec_desc *d, struct str key, uint32_t *hint,
                                      bool aliases)
{
	for (uint32_t n = 0; n < d->count; n++) {
		uint32_t i = *hint + n < d->count ? *hint + n : *hint + n - d->count;
		const struct field *f = &d->fields[i];

		if (is_name(field_name(f), key) || (aliases && is_name(field_alias(f), key))) {
			*hint = i + 1 < d->count ? i + 1 : 0;
			return f;
		}
	}
	return NULL;
}

/*
 * While reading, `seen` decides and not the value: is_present() counts every required list
 * as present.
 */
static enum err check_required(const struct rec_desc *d, const void *rec, const bool *seen,
                               struct error *e)
{
	for (uint32_t i = 0; i < d->count; i++) {
		const struct field *f = &d->fields[i];

		if (f->required && (seen ? !seen[i] : !is_present(rec, f)))
			return fault(
				e, REC_FAULT_MISSING,
				fail(e, ERR_INVALID, "%.*s is missing", STR_ARG(field_name(f))));
	}
	return OK;
}

/*
 * Three forms of trust: a caller's unknown field is an error, so that a misspelled option
 * is not ignored; our own unknown field comes from a newer version and is skipped.  A
 * field that is given by name and by alias counts as given twice.
 */
enum err rec_read(struct arena *mem, struct json v, const struct rec_desc *d, enum rec_form form,
                  void *ret, struct error *e)
{
	struct reading r = { mem, form, e };
	bool seen[128] = { false };
	uint32_t hint = 0, required = 0;

	assert(d->count <= COUNT_OF(seen));
	memset(ret, 0, d->size);
	if (json_type(v) != JSON_OBJ)
		return fail(e, ERR_INVALID, "%s: an object wanted, %s found", d->name,
		            json_type_name(v));
	struct json_iter it = json_iter(v);
	struct str key;
	struct json each;

	while (json_next(&it, &key, &each)) {
		const struct field *f = find_field(d, key, &hint, form == REC_CALLER);

		if (!f && form == REC_CALLER)
			return fault(e, REC_FAULT_UNKNOWN,
			             fail(e, ERR_UNSUPPORTED, "'%.*s' is not a field of %s",
			                  STR_ARG(key), d->name));
		if (!f)
			continue;
		if (form == REC_CALLER && json_type(each) == JSON_NULL)
			continue; /* a caller's null is absent */
		/* A second type would not fit the payload that was read by the first. */
		if (seen[f - d->fields])
			return fail(e, ERR_INVALID, "%.*s is given twice", STR_ARG(field_name(f)));
		enum err code = read_field(&r, f, each, ret);

		if (code)
			return code;
		/* A time of 0 is written and counts as absent. */
		seen[f - d->fields] = form != REC_FOREIGN || is_present(ret, f);
		required += f->required && seen[f - d->fields];
	}
	return form == REC_OLDER || required == d->required ? OK : check_required(d, ret, seen, e);
}

enum err rec_read_text(struct arena *mem, struct str text, const struct rec_desc *d, void *ret,
                       struct error *e)
{
	struct json doc;
	enum err err = json_read_trusted(mem, text, &doc, e);

	return err ? err : rec_read(mem, doc, d, REC_TRUSTED, ret, e);
}

/* ---- checking ---- */

static size_t size_of(const struct field *f, const void *rec)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		return AT_CONST(struct str, rec, f).len;
	case FIELD_LIST_STR:
	case FIELD_LIST_ID:
	case FIELD_LIST_INT:
	case FIELD_LIST_JSON:
	case FIELD_LIST_REC:
	case FIELD_DICT:
		return AT_CONST(struct list_rec, rec, f).count;
	default:
		return 0;
	}
}

/*
 * For records that the runtime is about to write: what it writes, every later version must
 * be able to read.
 */
enum err rec_check(const struct rec_desc *d, const void *rec, struct error *e)
{
	enum err code = check_required(d, rec, NULL, e);

	for (uint32_t i = 0; !code && i < d->count; i++) {
		const struct field *f = &d->fields[i];

		if (!is_present(rec, f))
			continue;
		uint32_t most = is_list(f) ? max_items(f, REC_TRUSTED) : max_bytes(f, REC_TRUSTED);

		if (size_of(f, rec) > most)
			return fail(e, ERR_TOO_LARGE, "%.*s passes its bound of %u",
			            STR_ARG(field_name(f)), most);
		if (f->type == FIELD_ID && !id_is_valid(AT_CONST(struct str, rec, f)))
			return fail(e, ERR_INVALID, "%.*s does not have the form of an id",
			            STR_ARG(field_name(f)));
		if (f->type == FIELD_REC)
			code = rec_check(f->rec, AT_CONST(void *, rec, f), e);
		if (f->type == FIELD_PAYLOAD)
			code = rec_check(catalog_payload_of(rec), AT_CONST(void *, rec, f), e);
		if (f->type == FIELD_LIST_REC) {
			const struct list_rec *l = &AT_CONST(struct list_rec, rec, f);

			for (uint32_t n = 0; !code && n < l->count; n++)
				code = rec_check(f->rec, l->items[n], e);
		}
	}
	return code;
}

/* ---- copying ---- */

/* An optional list with an array and no items is present; the copy keeps that. */
static void keep_list(struct arena *mem, const struct field *f, void *dst, const void *src)
{
	const struct list_rec *from = &AT_CONST(struct list_rec, src, f);
	struct list_rec *to = &AT(struct list_rec, dst, f);

	*to = (struct list_rec){ 0 };
	if (!from->items || (f->required && !from->count))
		return;
	size_t item = f->type == FIELD_LIST_REC || f->type == FIELD_LIST_INT ? sizeof(void *)
	              : f->type == FIELD_DICT ? sizeof(struct dict_entry)
	                                      : sizeof(struct str);

	to->items = arena_alloc(mem, (from->count + 1) * item);
	to->count = to->cap = from->count;
	for (uint32_t i = 0; i < from->count; i++) {
		switch (f->type) {
		case FIELD_LIST_REC:
			to->items[i] = rec_clone(mem, f->rec, from->items[i]);
			break;
		case FIELD_LIST_INT:
			((int64_t *)to->items)[i] = ((int64_t *)from->items)[i];
			break;
		case FIELD_DICT: {
			const struct dict_entry *entry = &((struct dict_entry *)from->items)[i];

			((struct dict_entry *)to->items)[i] =
				(struct dict_entry){ arena_keep(mem, entry->key),
				                     arena_keep(mem, entry->value) };
			break;
		}
		default:
			((struct str *)to->items)[i] =
				arena_keep(mem, ((struct str *)from->items)[i]);
		}
	}
}

/* The size of the member in the struct; the generated structs use exactly these types. */
static size_t width_of(const struct field *f)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		return sizeof(struct str);
	case FIELD_BOOL:
		return sizeof(bool);
	case FIELD_ENUM:
		return sizeof(uint32_t);
	case FIELD_LIST_STR:
	case FIELD_LIST_ID:
	case FIELD_LIST_INT:
	case FIELD_LIST_JSON:
	case FIELD_LIST_REC:
	case FIELD_DICT:
		return sizeof(struct list_rec);
	default:
		return sizeof(int64_t);
	}
}

/* The bytes are copied first; whatever is a pointer is then replaced by a copy. */
static void keep_field(struct arena *mem, const struct field *f, void *dst, const void *src)
{
	assert(f->type < FIELD_ARRAY);
	memcpy((char *)dst + f->offset, (const char *)src + f->offset, width_of(f));
	if (f->has_offset)
		*(bool *)((char *)dst + f->has_offset) = has_number(src, f);
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		AT(struct str, dst, f) = arena_keep(mem, AT_CONST(struct str, src, f));
		break;
	case FIELD_REC:
		if (AT_CONST(void *, src, f))
			AT(void *, dst, f) = rec_clone(mem, f->rec, AT_CONST(void *, src, f));
		break;
	case FIELD_PAYLOAD:
		if (AT_CONST(void *, src, f))
			AT(void *, dst, f) =
				rec_clone(mem, catalog_payload_of(src), AT_CONST(void *, src, f));
		break;
	case FIELD_LIST_STR:
	case FIELD_LIST_ID:
	case FIELD_LIST_INT:
	case FIELD_LIST_JSON:
	case FIELD_LIST_REC:
	case FIELD_DICT:
		keep_list(mem, f, dst, src);
		break;
	default:
		break;
	}
}

/* Fields that are not in the table do not exist: generated structs have nothing else. */
void rec_keep(struct arena *mem, const struct rec_desc *d, void *dst, const void *src)
{
	for (uint32_t i = 0; i < d->count; i++)
		keep_field(mem, &d->fields[i], dst, src);
}

/* is_present() says yes for an absent required list, which must not replace the one of dst. */
void rec_merge(struct arena *mem, const struct rec_desc *d, void *dst, const void *src)
{
	for (uint32_t i = 0; i < d->count; i++) {
		const struct field *f = &d->fields[i];
		bool is_list = f->type >= FIELD_LIST_STR && f->type <= FIELD_DICT;

		if (is_list ? AT_CONST(struct list_rec, src, f).items != NULL : is_present(src, f))
			keep_field(mem, f, dst, src);
	}
}

void *rec_clone(struct arena *mem, const struct rec_desc *d, const void *src)
{
	void *dst = arena_alloc(mem, d->size);

	rec_keep(mem, d, dst, src);
	return dst;
}

/* ---- lists ---- */

/* An array that was read has cap == count; the first addition moves it into spare room. */
static void grow(struct arena *mem, struct list_rec *l, size_t item)
{
	if (l->items && l->count < l->cap)
		return;
	uint32_t cap = l->cap ? l->cap * 2 : 4;

	l->items = arena_grow(mem, l->items, l->count * item, cap * item);
	l->cap = cap;
}

void *rec_list_add(struct arena *mem, void *list, const struct rec_desc *d)
{
	struct list_rec *l = list;

	grow(mem, l, sizeof(void *));
	return l->items[l->count++] = arena_alloc(mem, d->size);
}

/* The record stays in the arena as waste, and pointers to it stay valid. */
void rec_list_remove(void *list, uint32_t index)
{
	struct list_rec *l = list;

	memmove(&l->items[index], &l->items[index + 1], (l->count - index - 1) * sizeof(void *));
	l->count--;
}

void rec_list_str_insert(struct arena *mem, struct list_str *l, uint32_t at, struct str s)
{
	grow(mem, (struct list_rec *)l, sizeof(struct str));
	memmove(&l->items[at + 1], &l->items[at], (l->count - at) * sizeof(struct str));
	l->items[at] = arena_keep(mem, s);
	l->count++;
}

void rec_list_str_add(struct arena *mem, struct list_str *l, struct str s)
{
	rec_list_str_insert(mem, l, l->count, s);
}

ptrdiff_t rec_list_str_find(const struct list_str *l, struct str s)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (str_eq(l->items[i], s))
			return i;
	return -1;
}

bool rec_list_str_remove(struct list_str *l, struct str s)
{
	ptrdiff_t at = rec_list_str_find(l, s);

	if (at < 0)
		return false;
	memmove(&l->items[at], &l->items[at + 1], (l->count - (size_t)at - 1) * sizeof(struct str));
	l->count--;
	return true;
}

void rec_dict_put(struct arena *mem, struct dict *d, struct str key, struct str value)
{
	grow(mem, (struct list_rec *)d, sizeof(struct dict_entry));
	d->items[d->count++] = (struct dict_entry){ arena_keep(mem, key), arena_keep(mem, value) };
}

struct str rec_dict_get(const struct dict *d, struct str key)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (str_eq(d->items[i].key, key))
			return d->items[i].value;
	return STR_NONE;
}

uint32_t rec_enum_read(const struct enum_desc *d, struct str word)
{
	for (uint32_t i = 1; i < d->count; i++)
		if (d->words[i].len == word.len && str_is(d->words[i]) && str_eq(d->words[i], word))
			return i;
	return 0;
}

/* ---- comparing ---- */

static bool same_list(const struct field *f, const void *a, const void *b, struct str *ret_field)
{
	const struct list_rec *la = &AT_CONST(struct list_rec, a, f);
	const struct list_rec *lb = &AT_CONST(struct list_rec, b, f);

	if (la->count != lb->count)
		return false;
	for (uint32_t i = 0; i < la->count; i++) {
		const struct str *sa = &((const struct list_str *)la)->items[i];
		const struct str *sb = &((const struct list_str *)lb)->items[i];
		const struct dict_entry *ea = &((const struct dict *)la)->items[i];
		const struct dict_entry *eb = &((const struct dict *)lb)->items[i];
		bool is_same;

		switch (f->type) {
		case FIELD_LIST_REC:
			is_same = rec_same(f->rec, la->items[i], lb->items[i], ret_field);
			break;
		case FIELD_LIST_INT:
			is_same = ((const struct list_int *)la)->items[i] ==
			          ((const struct list_int *)lb)->items[i];
			break;
		case FIELD_DICT:
			is_same = str_eq(ea->key, eb->key) && str_eq(ea->value, eb->value);
			break;
		default:
			is_same = str_eq(*sa, *sb);
		}
		if (!is_same)
			return false;
	}
	return true;
}

/* The innermost field that differs is reported: ret_field is set by the deepest call. */
static bool same_field(const struct field *f, const void *a, const void *b, struct str *ret_field)
{
	const void *pa = (const char *)a + f->offset, *pb = (const char *)b + f->offset;

	assert(f->type < FIELD_ARRAY);
	if (is_present(a, f) != is_present(b, f))
		return false;
	if (!is_present(a, f))
		return true;
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_JSON:
		return str_eq(*(const struct str *)pa, *(const struct str *)pb);
	case FIELD_REC:
	case FIELD_PAYLOAD:
		return rec_same(f->type == FIELD_REC ? f->rec : catalog_payload_of(a),
		                *(void *const *)pa, *(void *const *)pb, ret_field);
	case FIELD_LIST_STR:
	case FIELD_LIST_ID:
	case FIELD_LIST_INT:
	case FIELD_LIST_JSON:
	case FIELD_LIST_REC:
	case FIELD_DICT:
		return same_list(f, a, b, ret_field);
	default:
		return memcmp(pa, pb, width_of(f)) == 0;
	}
}

bool rec_same(const struct rec_desc *d, const void *a, const void *b, struct str *ret_field)
{
	for (uint32_t i = 0; i < d->count; i++) {
		*ret_field = STR_NONE;
		if (same_field(&d->fields[i], a, b, ret_field))
			continue;
		if (!str_is(*ret_field))
			*ret_field = field_name(&d->fields[i]);
		return false;
	}
	return true;
}
