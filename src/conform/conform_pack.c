/*
 * Reads the text of a pack.  Members of a check are a table: a member that the
 * kind does not know is an error, so that a misspelt one is not ignored.
 */
#include "conform/conform_pack.h"

#include <stddef.h>

/* ---- members of checks ---- */

enum member_form { FORM_STR, FORM_INT, FORM_BOOL, FORM_STRS, FORM_SELECT, FORM_SCHEMA };

struct member {
	const char *name;
	enum member_form form;
	size_t offset;
	unsigned kinds;    /* bits of enum check_kind */
	unsigned required; /* the same: where it must be present */
};

#define AT(field) offsetof(struct check, field)
#define K(kind) (1u << CHECK_##kind)

static const char *const kind_names[CHECK_KINDS] = {
	[CHECK_LINE] = "line",         [CHECK_SCHEMA] = "schema",   [CHECK_HAS] = "has",
	[CHECK_EQUAL] = "equal",       [CHECK_SAME] = "same",       [CHECK_DISTINCT] = "distinct",
	[CHECK_UNIQUE] = "unique",     [CHECK_RISES] = "rises",     [CHECK_ORDER] = "order",
	[CHECK_COUNT] = "count",       [CHECK_CLASSES] = "classes", [CHECK_ABSENT] = "absent",
	[CHECK_SCENARIO] = "scenario",
};

#define WITH_ON                                                                                    \
	(K(SCHEMA) | K(HAS) | K(EQUAL) | K(SAME) | K(DISTINCT) | K(UNIQUE) | K(RISES) | K(COUNT))

#define WITH_MEMBERS (K(HAS) | K(EQUAL) | K(DISTINCT) | K(CLASSES))

/* clang-format off */
static const struct member members[] = {
	{ "on", FORM_SELECT, AT(on), WITH_ON, WITH_ON },
	{ "rule", FORM_STR, AT(rule), K(LINE), K(LINE) },
	{ "max", FORM_INT, AT(max), K(LINE) | K(COUNT), 0 },
	{ "min", FORM_INT, AT(min), K(COUNT), 0 },
	{ "schema", FORM_SCHEMA, 0, K(SCHEMA), K(SCHEMA) },
	{ "members", FORM_STRS, AT(members), WITH_MEMBERS | K(SCENARIO), WITH_MEMBERS },
	{ "drives", FORM_STRS, AT(drives), K(SCENARIO), 0 },
	{ "of", FORM_STR, AT(of), K(SAME) | K(UNIQUE) | K(RISES), K(SAME) | K(UNIQUE) | K(RISES) },
	{ "per", FORM_STR, AT(per), K(SAME) | K(RISES) | K(COUNT), K(SAME) | K(COUNT) },
	{ "each", FORM_SELECT, AT(each), K(COUNT), K(COUNT) },
	{ "step", FORM_INT, AT(step), K(RISES), 0 },
	{ "slackMs", FORM_INT, AT(slack_ms), K(RISES), 0 },
	{ "object", FORM_STR, AT(object), K(ORDER), K(ORDER) },
	{ "id", FORM_STR, AT(id), K(ORDER), K(ORDER) },
	{ "opens", FORM_SELECT, AT(opens), K(ORDER), K(ORDER) },
	{ "needs", FORM_SELECT, AT(needs), K(ORDER), 0 },
	{ "closes", FORM_SELECT, AT(closes), K(ORDER), 0 },
	{ "drops", FORM_SELECT, AT(drops), K(ORDER), 0 },
	{ "reopens", FORM_SELECT, AT(reopens), K(ORDER), 0 },
	{ "final", FORM_SELECT, AT(final), K(ORDER), 0 },
	{ "forbids", FORM_SELECT, AT(forbids), K(ORDER), 0 },
	{ "within", FORM_STR, AT(within), K(ORDER), 0 },
	{ "ends", FORM_SELECT, AT(ends), K(ORDER), 0 },
	{ "again", FORM_BOOL, AT(is_repeatable), K(ORDER), 0 },
	{ "name", FORM_STR, AT(name), K(SCENARIO), K(SCENARIO) },
	{ "kind", FORM_STR, 0, ~0u, ~0u },
};
/* clang-format on */

struct reading {
	struct conform_pack *p;
	struct str row; /* id, for messages */
	struct error *e;
};

static enum err wrong(struct reading *r, const char *what, struct str name)
{
	return fail(r->e, ERR_INVALID, "row %.*s: %s \"%.*s\"", STR_ARG(str_head(r->row, 64)), what,
	            STR_ARG(str_head(name, 64)));
}

/* ---- selectors ---- */

static enum err read_where(struct reading *r, struct json where, struct event_selector *into)
{
	struct json_iter it = json_iter(where);
	struct event_condition *c;

	if (json_type(where) != JSON_OBJ)
		return wrong(r, "a condition is an object, not that of", into->pattern);
	into->where = ARENA_ARRAY(r->p->mem, struct event_condition, json_count(where) + 1);
	c = into->where;
	while (json_next(&it, &c->place, &c->value))
		c++;
	into->where_count = (size_t)(c - into->where);
	return OK;
}

static enum err read_selector(struct reading *r, struct json v, struct event_selector *into)
{
	struct str text = json_type(v) == JSON_OBJ ? json_str(JSON_GET(v, "class")) : json_str(v);

	if (!text.len)
		return wrong(r, "a selector is a class or an object with one, not", text);
	into->is_not = text.ptr[0] == '!';
	into->pattern = into->is_not ? str_skip(text, 1) : text;
	return json_type(v) == JSON_OBJ ? read_where(r, JSON_GET(v, "where"), into) : OK;
}

static enum err read_select(struct reading *r, struct json v, struct event_select *into)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	enum err code = OK;

	if (json_type(v) != JSON_ARR || !json_count(v))
		return wrong(r, "selectors are a list, not", json_str(v));
	into->items = ARENA_ARRAY(r->p->mem, struct event_selector, json_count(v));
	while (code == OK && json_next(&it, &key, &each))
		code = read_selector(r, each, &into->items[into->count++]);
	return code;
}

/* ---- other forms ---- */

static enum err read_strs(struct reading *r, struct json v, struct names *into)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_ARR || !json_count(v))
		return wrong(r, "members are a list, not", json_str(v));
	into->items = ARENA_ARRAY(r->p->mem, struct str, json_count(v));
	while (json_next(&it, &key, &each)) {
		if (!json_str(each).len)
			return wrong(r, "a member is a name, not", json_str(each));
		into->items[into->count++] = json_str(each);
	}
	return OK;
}

/* A schema is written in the row, or named by its address in the pack. */
static enum err read_schema(struct reading *r, struct json v, struct check *into)
{
	struct schema_options options = { .assert_formats = true };
	struct error why = { 0 };
	enum err code =
		json_type(v) == JSON_STR
			? schema_compile(r->p->schemas, json_str(v), &options, &into->schema, &why)
			: schema_compile_text(r->p->schemas, json_text(r->p->mem, v), &options,
	                                      &into->schema, &why);

	return code == OK ? OK : wrong(r, why.message, json_str(v));
}

static enum err read_value(struct reading *r, const struct member *m, struct json v,
                           struct check *into)
{
	void *at = (char *)into + m->offset;

	switch (m->form) {
	case FORM_STR:
		if (!json_str(v).len)
			return wrong(r, "text is needed for", str_from(m->name));
		if (m->offset)
			*(struct str *)at = json_str(v);
		return OK;
	case FORM_INT:
		if (json_type(v) != JSON_INT || json_int(v, 0) < 0)
			return wrong(r, "a number is needed for", str_from(m->name));
		*(int64_t *)at = json_int(v, 0);
		return OK;
	case FORM_BOOL:
		*(bool *)at = json_bool(v, false);
		return json_type(v) == JSON_BOOL
		               ? OK
		               : wrong(r, "true or false is needed for", str_from(m->name));
	case FORM_STRS:
		return read_strs(r, v, at);
	case FORM_SELECT:
		return read_select(r, v, at);
	case FORM_SCHEMA:
		return read_schema(r, v, into);
	}
	return OK;
}

/* ---- checks ---- */

static const struct member *find_member(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (str_eq(str_from(members[i].name), name))
			return &members[i];
	return NULL;
}

static enum err read_kind(struct reading *r, struct json v, struct check *into)
{
	struct str name = json_str(JSON_GET(v, "kind"));

	for (unsigned i = 0; i < CHECK_KINDS; i++)
		if (str_eq(name, str_from(kind_names[i]))) {
			into->kind = (enum check_kind)i;
			return OK;
		}
	return wrong(r, "there is no check of kind", name);
}

static enum err need_members(struct reading *r, struct json v, const struct check *c)
{
	for (size_t i = 0; i < COUNT_OF(members); i++)
		if ((members[i].required & 1u << c->kind) &&
		    !json_is(json_get(v, str_from(members[i].name))))
			return wrong(r, "a check lacks", str_from(members[i].name));
	if (c->kind == CHECK_LINE && !str_eq(c->rule, STR("json")) &&
	    !str_eq(c->rule, STR("keys")) && !str_eq(c->rule, STR("size")))
		return wrong(r, "there is no rule of lines", c->rule);
	return OK;
}

static enum err read_check(struct reading *r, struct json v, struct check *into)
{
	struct json_iter it = json_iter(v);
	enum err code = read_kind(r, v, into);
	struct json value;
	struct str key;

	into->max = INT64_MAX;
	while (code == OK && json_next(&it, &key, &value)) {
		const struct member *m = find_member(key);

		code = m && (m->kinds & 1u << into->kind) ? read_value(r, m, value, into)
		                                          : wrong(r, "unknown member", key);
	}
	return code == OK ? need_members(r, v, into) : code;
}

/* ---- rows ---- */

bool conform_pack_has(const struct conform_pack *p, struct str profile)
{
	return json_is(json_get(JSON_GET(p->doc, "profiles"), profile));
}

static enum err read_checks(struct reading *r, struct json v, struct row *into)
{
	struct json_iter it = json_iter(JSON_GET(v, "checks"));
	struct json each;
	struct str key;
	enum err code = OK;

	into->checks = ARENA_ARRAY(r->p->mem, struct check, json_count(JSON_GET(v, "checks")) + 1);
	while (code == OK && json_next(&it, &key, &each))
		code = read_check(r, each, &into->checks[into->check_count++]);
	if (code == OK && !into->check_count)
		return wrong(r, "there are no", STR("checks"));
	return code;
}

static enum err read_row(struct reading *r, struct json v, struct row *into)
{
	static const char *const names[] = {
		"id", "level", "profile", "clause", "statement", "show"
	};
	struct str *const values[] = { &into->id,     &into->level,     &into->profile,
		                       &into->clause, &into->statement, &into->show };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		*values[i] = json_str(json_get(v, str_from(names[i])));
		if (!values[i]->len)
			return wrong(r, "a row lacks", str_from(names[i]));
		r->row = into->id;
	}
	if (!conform_pack_has(r->p, into->profile))
		return wrong(r, "there is no profile", into->profile);
	into->is_optional = json_bool(JSON_GET(v, "optional"), false);
	into->any_is_enough = str_eq(json_str(JSON_GET(v, "shown")), STR("any"));
	return read_checks(r, v, into);
}

static enum err read_rows(struct reading *r)
{
	struct json rows = JSON_GET(r->p->doc, "rows"), each;
	struct json_iter it = json_iter(rows);
	struct str key;
	enum err code = OK;

	if (json_type(rows) != JSON_ARR || !json_count(rows))
		return fail(r->e, ERR_INVALID, "the pack has no rows");
	r->p->rows = ARENA_ARRAY(r->p->mem, struct row, json_count(rows));
	while (code == OK && json_next(&it, &key, &each)) {
		r->row = STR("?");
		code = read_row(r, each, &r->p->rows[r->p->row_count++]);
	}
	return code;
}

static enum err read_schemas(struct conform_pack *p, struct error *e)
{
	struct json_iter it = json_iter(JSON_GET(p->doc, "schemas"));
	struct json each;
	struct str key;
	enum err code = OK;

	while (code == OK && json_next(&it, &key, &each))
		code = schema_set_add(p->schemas, key, json_text(p->mem, each), e);
	return code;
}

enum err conform_pack_read(struct str text, struct conform_pack **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct conform_pack *p = ARENA_NEW(mem, struct conform_pack);
	struct reading r = { .p = p, .e = e };
	enum err code;

	*p = (struct conform_pack){ .mem = mem, .log = arena_new(), .schemas = schema_set_new() };
	code = json_read(mem, text, &p->doc, e);
	if (code == OK && json_int(JSON_GET(p->doc, "format"), 0) != 1)
		code = fail(e, ERR_INVALID,
		            "\"format\" is not 1: this program cannot read the pack");
	if (code == OK)
		code = read_schemas(p, e);
	if (code == OK)
		code = read_rows(&r);
	if (code == OK)
		*ret = p;
	else
		conform_pack_free(p);
	return code;
}

void conform_pack_free(struct conform_pack *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->row_count; i++)
		for (size_t k = 0; k < p->rows[i].check_count; k++) {
			map_done(&p->rows[i].checks[k].known);
			schema_compile_free(p->rows[i].checks[k].schema);
		}
	schema_set_free(p->schemas);
	arena_free(p->log);
	arena_free(p->mem);
}
