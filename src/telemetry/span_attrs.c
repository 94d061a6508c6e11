/* Lists of attributes (span_attrs.h). */
#include "telemetry/span_attrs.h"

#include "base/memory.h"

#include <string.h>

struct str span_attrs_text(const struct span_attrs *list, const struct span_attr *a)
{
	return str_of(list->text.ptr + a->text_at, a->text_len);
}

static struct span_attr *attr_add(struct span_attrs *list, const char *key, enum span_value type)
{
	struct span_attr *a;

	if (list->count == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 16;
		list->items = memory_resize(list->items, list->cap * sizeof *list->items);
	}
	a = &list->items[list->count++];
	*a = (struct span_attr){ .key = key, .type = type };
	return a;
}

void span_attrs_add_text(struct span_attrs *list, const char *key, enum span_value type,
                         struct str text)
{
	struct span_attr *a = attr_add(list, key, type);

	a->text_at = (uint32_t)list->text.len;
	a->text_len = (uint32_t)text.len;
	buf_add_str(&list->text, text);
}

void span_attrs_done(struct span_attrs *list)
{
	memory_free(list->items);
	buf_done(&list->text);
}

/* A member by its dotted path. */
struct json span_attrs_member(struct json v, const char *path)
{
	struct str rest = str_from(path);

	while (str_is(rest))
		v = json_get(v, str_cut(&rest, '.'));
	return v;
}

static void add_value(struct span_attrs *list, const struct span_attr_rule *r, struct json v)
{
	switch (r->type) {
	case SPAN_TEXT:
	case SPAN_LIST_OF_ONE:
		if (json_type(v) == JSON_STR)
			span_attrs_add_text(list, r->key, r->type, json_str(v));
		break;
	case SPAN_INT:
		if (json_type(v) == JSON_INT)
			attr_add(list, r->key, r->type)->number = json_int(v, 0);
		break;
	case SPAN_REAL:
		if (json_is(v))
			attr_add(list, r->key, r->type)->real = json_real(v, 0);
		break;
	case SPAN_BOOL:
		if (json_type(v) == JSON_BOOL)
			attr_add(list, r->key, r->type)->number = json_bool(v, false);
		break;
	}
}

void span_attrs_add_payload(struct span_attrs *list, const struct span_attr_rule *rules,
                            struct json ev)
{
	struct json payload = JSON_GET(ev, "payload");
	/* The name of a tool that does not exist is text of a model. */
	bool is_made_up = str_eq(json_str(JSON_GET(payload, "runtimeOwner")), STR("unknown"));

	for (; rules && rules->path; rules++)
		if (is_made_up && !strcmp(rules->path, "toolName"))
			span_attrs_add_text(list, rules->key, rules->type, STR("unknown"));
		else
			add_value(list, rules, span_attrs_member(payload, rules->path));
}

static bool has_key(const struct span_attrs *list, const char *key)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->items[i].key == key)
			return true;
	return false;
}

/* The end of a span may say again what its begin said; the end counts. */
void span_attrs_drop(struct span_attrs *list, const struct span_attr_rule *rules)
{
	for (; rules && rules->path; rules++)
		for (uint32_t i = 0; i < list->count; i++)
			if (!strcmp(list->items[i].key, rules->key)) {
				memmove(&list->items[i], &list->items[i + 1],
				        (--list->count - i) * sizeof *list->items);
				break;
			}
}

/* The ids of the event; a later event of the span adds those that the first did not have. */
void span_attrs_add_ids(struct span_attrs *list, struct json ev)
{
	for (size_t i = 0; i < span_table_id_count; i++) {
		struct str id = json_str(span_attrs_member(ev, span_table_ids[i].member));

		if (str_is(id) && !has_key(list, span_table_ids[i].key))
			span_attrs_add_text(list, span_table_ids[i].key, SPAN_TEXT, id);
	}
}
