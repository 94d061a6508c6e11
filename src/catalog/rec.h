#ifndef CATALOG_REC_H
#define CATALOG_REC_H
/*
 * Records: C structs that the catalogue describes, read and written by table.
 *
 * Every record of the catalogue is a generated struct and a generated table
 * of its fields.  The functions here walk that table, so a field can be
 * neither forgotten nor spelled twice: what is written can be read, what is
 * read can be kept, and the order on the wire is the order of the rows.
 *
 * Absent is: a string without pointer, an enum of 0, a time of 0, a NULL
 * record, a list without items, or has_x == false for numbers.
 */
#include "base/json.h"
#include "base/jw.h"

enum field_type {
	FIELD_STR,
	FIELD_ID,
	FIELD_INT,
	FIELD_REAL,
	FIELD_USD,
	FIELD_BOOL,
	FIELD_TIME,
	FIELD_ENUM,
	FIELD_REC,
	FIELD_JSON,
	FIELD_LIST_STR,
	FIELD_LIST_ID,
	FIELD_LIST_INT,
	FIELD_LIST_JSON,
	FIELD_LIST_REC,
	FIELD_DICT,
	FIELD_PAYLOAD,
};

struct enum_desc {
	const char *name;
	const struct str *words; /* [0] is absent */
	uint32_t count;
};

struct rec_desc;

struct field {
	struct str name;  /* camelCase, as on the wire */
	struct str alias; /* snake_case, accepted in commands */
	enum field_type type;
	bool required;
	uint32_t offset;
	uint32_t has_offset; /* of has_x; 0: the value itself tells */
	uint32_t max;        /* bytes of a string or json, items of a list */
	union {
		const struct enum_desc *words;
		const struct rec_desc *rec;
	};
};

struct rec_desc {
	const char *name;
	const struct field *fields;
	uint32_t count;
	uint32_t size; /* of the struct */
};

struct list_str {
	struct str *items;
	uint32_t count, cap;
};
struct list_int {
	int64_t *items;
	uint32_t count, cap;
};
/* Generated lists of records have typed items but this layout. */
struct list_rec {
	void **items;
	uint32_t count, cap;
};
struct dict_entry {
	struct str key, value;
};
struct dict {
	struct dict_entry *items;
	uint32_t count, cap;
};

/* What was wrong with a record, in error.detail. */
enum rec_fault {
	REC_FAULT_NONE,
	REC_FAULT_UNKNOWN, /* a field that there is not */
	REC_FAULT_MISSING,
	REC_FAULT_TYPE,
	REC_FAULT_VALUE,
	REC_FAULT_ID,
	REC_FAULT_LARGE,
};

enum rec_form {
	REC_TRUSTED, /* our own writing: unknown fields are skipped */
	REC_OLDER,   /* our own, perhaps of an older version: what is missing is empty */
	REC_CALLER,  /* a caller's: unknown fields are refused, snake_case is accepted */
};

/* The payload field is found by the class that the type field names. */
const struct rec_desc *catalog_payload_of(const void *event);

void rec_write(struct json_writer *w, const struct rec_desc *d, const void *rec);
struct str rec_text(struct arena *mem, const struct rec_desc *d, const void *rec);

/*
 * Fills ret (zeroed first) from an object.  Strings point into the document.
 * The message names the field; required fields must be there.
 */
enum err rec_read(struct arena *mem, struct json v, const struct rec_desc *d, enum rec_form form,
                  void *ret, struct error *e) MUST_USE;

/*
 * Do both hold the same fields with the same values?  Gives the name of the
 * first field that differs.  For checks: a record that was written and
 * read back has to be the same, or folding it now and later would differ.
 */
bool rec_same(const struct rec_desc *d, const void *a, const void *b,
              struct str *ret_field) MUST_USE;

/* The shape gate: required fields present, bounds kept.  Messages name the field. */
enum err rec_check(const struct rec_desc *d, const void *rec, struct error *e) MUST_USE;

/* A deep copy: everything that dst points at lives in mem. */
void rec_keep(struct arena *mem, const struct rec_desc *d, void *dst, const void *src);
void *rec_clone(struct arena *mem, const struct rec_desc *d, const void *src);
/* Takes over the fields that src has; the others of dst stay. */
void rec_merge(struct arena *mem, const struct rec_desc *d, void *dst, const void *src);

/* Growing lists inside an arena. */
void *rec_list_add(struct arena *mem, void *list, const struct rec_desc *d);
void rec_list_remove(void *list, uint32_t index);
void rec_list_str_add(struct arena *mem, struct list_str *l, struct str s); /* keeps s in mem */
void rec_list_str_insert(struct arena *mem, struct list_str *l, uint32_t at, struct str s);
bool rec_list_str_remove(struct list_str *l, struct str s);
ptrdiff_t rec_list_str_find(const struct list_str *l, struct str s);
void rec_dict_put(struct arena *mem, struct dict *d, struct str key, struct str value);
struct str rec_dict_get(const struct dict *d, struct str key);

/* 0 when the word is not in the enum. */
uint32_t rec_enum_read(const struct enum_desc *d, struct str word);
static inline struct str enum_word(const struct enum_desc *d, uint32_t value)
{
	return value < d->count ? d->words[value] : STR_NONE;
}

#endif
