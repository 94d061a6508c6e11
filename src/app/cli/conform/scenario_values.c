/* Values of a scenario: names that were kept, paths into replies, and what is expected there. */
#include "app/cli/conform/scenario.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool scenario_values_fail(struct scenario *s, const char *fmt, ...)
{
	char text[400];
	va_list args;

	if (s->result == SCENARIO_PASS) {
		va_start(args, fmt);
		vsnprintf(text, sizeof text, fmt, args);
		va_end(args);
		s->result = SCENARIO_FAIL;
		s->why = arena_keep(s->mem, str_from(text));
	}
	return false;
}

/* ---- names ---- */

void scenario_values_set(struct scenario *s, struct str name, struct str value)
{
	struct str *kept = ARENA_NEW(s->mem, struct str);

	*kept = arena_keep(s->mem, value);
	map_put(&s->values, arena_keep(s->mem, name), kept);
}

void scenario_values_note(struct scenario *s, struct json reply)
{
	struct json_iter it = json_iter(reply);
	struct json value;
	struct str key;

	while (json_type(reply) == JSON_OBJ && json_next(&it, &key, &value))
		if (str_ends(key, STR("Id")) && str_is(json_str(value)))
			scenario_values_set(s, str_head(key, key.len - 2), json_str(value));
}

void scenario_values_answered(struct scenario *s, struct str command, int code)
{
	struct str word = json_str(JSON_GET(s->reply, "code"));

	if (code == THOLE_OK)
		map_put(&s->answered, arena_keep(s->mem, command), s);
	if (code == THOLE_REFUSED)
		map_put(&s->answered,
		        arena_printf(s->mem, "%.*s %.*s", STR_ARG(command), STR_ARG(word)), s);
}

static size_t name_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && (isalnum((unsigned char)s.ptr[n]) || s.ptr[n] == '_'))
		n++;
	return n;
}

struct str scenario_values_fill(struct scenario *s, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	while (str_is(text)) {
		size_t len;
		const struct str *value;

		buf_add_str(&out, str_cut(&text, '$'));
		if (!str_is(text))
			break;
		len = name_length(text);
		value = map_get(&s->values, str_head(text, len));
		if (!value) {
			scenario_values_fail(s, "$%.*s is not known", (int)len, text.ptr);
			return STR_NONE;
		}
		buf_add_str(&out, *value);
		text = str_skip(text, len);
	}
	return arena_keep(s->mem, buf_str(&out));
}

/* ---- paths ---- */

static struct json count_of(struct scenario *s, struct json list)
{
	struct json n = { 0 };
	enum err code = json_read(s->mem, arena_printf(s->mem, "%zu", json_count(list)), &n, NULL);

	return code == OK ? n : (struct json){ 0 };
}

struct json scenario_values_dig(struct scenario *s, struct json v, struct str path)
{
	while (str_is(path) && json_is(v)) {
		struct str part = str_cut(&path, '.');
		uint64_t index;

		if (json_type(v) == JSON_ARR && str_eq(part, STR("length")))
			v = count_of(s, v);
		else if (json_type(v) == JSON_ARR)
			v = str_to_u64(part, &index) ? json_at(v, index) : (struct json){ 0 };
		else
			v = json_type(v) == JSON_OBJ ? json_get(v, part) : (struct json){ 0 };
	}
	return v;
}

/* ---- what is expected ---- */

static struct str unescape(struct arena *mem, struct str s)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < s.len; i++) {
		struct str rest = str_skip(s, i);
		bool is_blank = str_starts(rest, STR("%20")),
		     is_line = str_starts(rest, STR("%0A"));

		buf_add_char(&out, is_blank ? ' ' : is_line ? '\n' : s.ptr[i]);
		i += is_blank || is_line ? 2 : 0;
	}
	return arena_keep(mem, buf_str(&out));
}

/* "!=" is '!' here, "!~" is LACKS. */
#define LACKS '^'

static char operator_at(struct str pair, size_t at)
{
	return pair.ptr[at] == '!' && at + 1 < pair.len && pair.ptr[at + 1] == '~' ? LACKS
	                                                                           : pair.ptr[at];
}

static bool holds(struct str found, char op, struct str wanted)
{
	switch (op) {
	case '=':
		return str_eq(found, wanted);
	case '!':
		return !str_eq(found, wanted);
	case '~':
		return str_find(found, wanted) >= 0;
	case LACKS:
		return str_find(found, wanted) < 0;
	default:
		return strtod(found.ptr, NULL) > strtod(wanted.ptr, NULL);
	}
}

/* path:type, where the type is list, object, text, number or bool. */
static bool is_of_type(struct json v, struct str type)
{
	static const struct {
		const char *word;
		enum json_type type;
	} types[] = {
		{ "list", JSON_ARR },
		{ "object", JSON_OBJ },
		{ "text", JSON_STR },
		{ "bool", JSON_BOOL },
	};

	if (str_eq(type, STR("number")))
		return json_type(v) >= JSON_INT && json_type(v) <= JSON_REAL;
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (str_eq(type, str_from(types[i].word)))
			return json_type(v) == types[i].type;
	return false;
}

static bool agrees(struct json value, struct str found, char op, struct str wanted)
{
	return op == ':' ? is_of_type(value, wanted) : holds(found, op, wanted);
}

static const char *differ_at(struct scenario *s, struct json v, struct str pair)
{
	size_t at = 0, op_len;
	struct str path, found, wanted;
	struct json value;

	while (at < pair.len && !strchr("=~!>:", pair.ptr[at]))
		at++;
	if (at == pair.len)
		return arena_printf(s->mem, "\"%.*s\" compares nothing", STR_ARG(pair)).ptr;
	path = str_head(pair, at);
	op_len = pair.ptr[at] == '!' ? 2 : 1;
	wanted = scenario_values_fill(s, unescape(s->mem, str_skip(pair, at + op_len)));
	value = scenario_values_dig(s, v, path);
	found = json_type(value) == JSON_STR ? arena_keep(s->mem, json_str(value))
	        : json_is(value)             ? json_text(s->mem, value)
	                                     : STR("null");
	if (str_is(wanted) && agrees(value, found, operator_at(pair, at), wanted))
		return NULL;
	return arena_printf(s->mem, "%.*s is %.*s, wanted %.*s%.*s", STR_ARG(path),
	                    STR_ARG(str_head(found, 80)), (int)op_len, pair.ptr + at,
	                    STR_ARG(wanted))
	        .ptr;
}

const char *scenario_values_differ(struct scenario *s, struct json v, struct str checks)
{
	const char *wrong = NULL;

	while (str_is(checks) && !wrong) {
		struct str pair = str_trim(str_cut(&checks, ' '));

		if (pair.len)
			wrong = differ_at(s, v, pair);
	}
	return wrong;
}
