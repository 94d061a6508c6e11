/* Checks, sorts and compares labels. */
#include "core/session/labels.h"

static struct str key_of(struct str label)
{
	return str_cut(&label, '=');
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-' || c == '/';
}

/* A value is any text of one line without control characters. */
static bool is_label(struct str label)
{
	struct str value = label, key = str_cut(&value, '=');

	if (!key.len || key.len > LIMIT_LABEL_KEY_BYTES ||
	    (str_is(value) && value.len > LIMIT_LABEL_VALUE_BYTES))
		return false;
	for (size_t i = 0; i < key.len; i++)
		if (!is_key_char(key.ptr[i]))
			return false;
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] < 0x20 || value.ptr[i] == 0x7f)
			return false;
	return true;
}

/* Into the place of its order; one with the same key is replaced. */
static void insert(struct decision *d, struct list_str *to, struct str label)
{
	uint32_t at = 0;

	while (at < to->count && str_cmp(key_of(to->items[at]), key_of(label)) < 0)
		at++;
	if (at < to->count && str_eq(key_of(to->items[at]), key_of(label))) {
		to->items[at] = label;
		return;
	}
	rec_list_str_add(d->mem, to, label);
	for (uint32_t i = to->count - 1; i > at; i--)
		to->items[i] = to->items[i - 1];
	to->items[at] = label;
}

bool labels_take(struct decision *d, const struct list_str *given, struct list_str *ret)
{
	struct list_str out = { 0 };

	if (given->count > LIMIT_LABELS) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "labels: at most %d", LIMIT_LABELS);
		return false;
	}
	for (uint32_t i = 0; i < given->count; i++) {
		if (!is_label(given->items[i])) {
			decision_refuse(d, ERROR_CODE_INVALID_VALUE,
			                "labels: %.*s is not key=value (a key has letters, digits "
			                "and . _ - /, at most %d; a value at most %d bytes)",
			                STR_ARG(str_head(given->items[i], 100)),
			                LIMIT_LABEL_KEY_BYTES, LIMIT_LABEL_VALUE_BYTES);
			return false;
		}
		insert(d, &out, given->items[i]);
	}
	/* An empty list that was given removes all labels; an absent one changes nothing. */
	*ret = out;
	if (given->items && !out.items)
		ret->items = given->items;
	return true;
}

static bool has_label(const struct list_str *has, struct str wanted)
{
	for (uint32_t i = 0; i < has->count; i++)
		if (str_eq(has->items[i], wanted) ||
		    (str_find_char(wanted, '=') < 0 && str_eq(key_of(has->items[i]), wanted)))
			return true;
	return false;
}

bool labels_fit(const struct list_str *has, const struct list_str *wanted)
{
	for (uint32_t i = 0; i < wanted->count; i++)
		if (!has_label(has, wanted->items[i]))
			return false;
	return true;
}
