#ifndef CATALOG_REC_H
#define CATALOG_REC_H
/*
 * Records: C structs that the catalogue describes, read and written by table.
 *
 * Every record of the catalogue is a generated struct and a generated table of
 * its fields.  The functions here walk that table, so no field is forgotten or
 * spelled in two ways: everything written can be read and copied, and the order
 * on the wire is the order of the rows.
 *
 * These values are absent: a string without pointer, an enum of 0, a time of 0,
 * a NULL record, a list without items, or has_x == false for numbers.
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
	/* Of settings records and of inputs alone; rec_keep(), rec_same() and rec_check() do not know them. */
	FIELD_ARRAY, /* a pointer to structs, and a size_t at has_offset */
	FIELD_PART,  /* a struct inside the struct */
	FIELD_NAMES, /* struct config_names */
};

struct enum_desc {
	const char *name;
	const struct str *words; /* [0] is absent */
	uint32_t count;
};

struct rec_desc;

/* Half as large as with strings in it, and without a relocation at every start of the program. */
struct field {
	uint16_t name_at, alias_at; /* in rec_field_names: see field_name() */
	uint8_t name_len, alias_len;
	uint8_t type; /* enum field_type */
	bool required;
	uint32_t offset;
	/* of has_x, or of the count of an array; 0: the value shows whether it is present */
	uint32_t has_offset;
	uint32_t max; /* bytes of a string or json, items of a list */
	union {
		const struct enum_desc *words;
		const struct rec_desc *rec;
	};
};

/* The names of all fields, one after the other. */
extern const char rec_field_names[];

/* camelCase, as on the wire */
static inline struct str field_name(const struct field *f)
{
	return str_of(rec_field_names + f->name_at, f->name_len);
}

/* snake_case, accepted in commands */
static inline struct str field_alias(const struct field *f)
{
	return str_of(rec_field_names + f->alias_at, f->alias_len);
}

struct rec_desc {
	const char *name;
	const struct field *fields;
	uint16_t count, required; /* fields; those that must be there */
	uint32_t size;            /* of the struct */
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

/* The fault of a record, in error.detail. */
enum rec_fault {
	REC_FAULT_NONE,
	REC_FAULT_UNKNOWN, /* an unknown field */
	REC_FAULT_MISSING,
	REC_FAULT_TYPE,
	REC_FAULT_VALUE,
	REC_FAULT_ID,
	REC_FAULT_LARGE,
};

enum rec_form {
	REC_TRUSTED, /* written by this version: unknown fields are skipped */
	REC_OLDER,   /* written by us, maybe an older version: missing fields are empty */
	REC_CALLER,  /* a caller's: unknown fields are refused, snake_case is accepted */
	REC_FOREIGN, /* maybe written by others: unknown fields are skipped, rec_check() holds */
};

/* The payload's table, chosen by the class in the type field. */
const struct rec_desc *catalog_payload_of(const void *event);

void rec_write(struct json_writer *w, const struct rec_desc *d, const void *rec);
struct str rec_text(struct arena *mem, const struct rec_desc *d, const void *rec);

/*
 * Fills ret (zeroed first) from an object.  Strings point into the document.
 * The message names the field; required fields must be there.
 */
enum err rec_read(struct arena *mem, struct json v, const struct rec_desc *d, enum rec_form form,
                  void *ret, struct error *e) MUST_USE;
/* The same from JSON text that this program wrote; strings live in mem or in the text. */
enum err rec_read_text(struct arena *mem, struct str text, const struct rec_desc *d, void *ret,
                       struct error *e) MUST_USE;

/*
 * Do both records have the same fields with the same values?  Returns the name of the first field
 * that differs.  Used to check that a record survives writing and reading; otherwise folding it now
 * and after a restart would differ.
 */
bool rec_same(const struct rec_desc *d, const void *a, const void *b,
              struct str *ret_field) MUST_USE;

/* The shape check: required fields are present, limits hold.  Messages name the field. */
enum err rec_check(const struct rec_desc *d, const void *rec, struct error *e) MUST_USE;

/* A deep copy: everything that dst points at lives in mem. */
void rec_keep(struct arena *mem, const struct rec_desc *d, void *dst, const void *src);
void *rec_clone(struct arena *mem, const struct rec_desc *d, const void *src);
/* Copies the fields that src has; the other fields of dst stay. */
void rec_merge(struct arena *mem, const struct rec_desc *d, void *dst, const void *src);

/* Growing lists inside an arena. */
void *rec_list_add(struct arena *mem, void *list, const struct rec_desc *d);
void rec_list_remove(void *list, uint32_t index);
void rec_list_str_add(struct arena *mem, struct list_str *l, struct str s); /* copies s into mem */
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
