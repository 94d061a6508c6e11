/*
 * Reads questions of tool servers.  A server is not trusted: its words are cut, its schema must be
 * the restricted one of the protocol, and its address must not look like another one.
 */
#include "mcp/offer/mcp_question.h"

#include "base/gen/limits.h"
#include "base/utf8.h"
#include "base/util.h"
#include "schema/schema.h"

#include <string.h>

#define URL_MAX 800
#define URL_MESSAGE_MAX 1000
#define NAME_MAX_BYTES 256

/* ---- addresses ---- */

static bool is_port(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return s.len <= 5;
}

/* The host of an address, with its port: up to the path, the query or the fragment. */
static struct str host_of(struct str url)
{
	struct str host = str_skip(url, str_starts(url, STR("https://")) ? 8 : 7);

	for (size_t i = 0; i < host.len; i++)
		if (strchr("/?#", host.ptr[i]))
			return str_head(host, i);
	return host;
}

static bool is_this_machine(struct str host)
{
	static const char *const here[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; i < COUNT_OF(here); i++) {
		struct str name = str_from(here[i]), rest;

		if (!str_starts(host, name))
			continue;
		rest = str_skip(host, name.len);
		if (!rest.len || (rest.ptr[0] == ':' && is_port(str_skip(rest, 1))))
			return true;
	}
	return false;
}

/*
 * https, or http of this machine: another scheme could start a program.  A name before the host
 * (https://bank@evil.org) and a backslash, which browsers read as a slash, are refused, because
 * they make the address look like another one.  So do blanks and other scripts.
 */
bool mcp_question_is_address(struct str url)
{
	bool is_secure = str_starts(url, STR("https://"));
	struct str host;

	if (url.len > URL_MAX || (!is_secure && !str_starts(url, STR("http://"))))
		return false;
	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.ptr[i] <= ' ' || (unsigned char)url.ptr[i] >= 127 ||
		    url.ptr[i] == '\\')
			return false;
	host = host_of(url);
	return host.len && str_find_char(host, '@') < 0 && (is_secure || is_this_machine(host));
}

static enum err read_address(struct arena *mem, struct json params, struct mcp_question *ret,
                             struct error *e)
{
	struct str url = json_str(JSON_GET(params, "url"));
	struct str name = json_str(JSON_GET(params, "elicitationId"));

	if (!str_is(url) || !mcp_question_is_address(url))
		return fail(e, ERR_INVALID, "its address is not one that a person can be shown");
	ret->message =
		arena_printf(mem, "%.*s\nOpen this page of %.*s yourself:\n%.*s",
	                     STR_ARG(utf8_preview_safe(mem, json_str(JSON_GET(params, "message")),
	                                               URL_MESSAGE_MAX)),
	                     STR_ARG(host_of(url)), STR_ARG(url));
	ret->schema = STR("{\"type\":\"object\"}");
	ret->is_login = true;
	if (str_is(name) && name.len && name.len <= NAME_MAX_BYTES)
		ret->name = arena_keep(mem, name);
	return OK;
}

/* ---- forms ---- */

static bool is_one_of(struct str word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(word, str_from(words[i])))
			return true;
	return false;
}

/* A list of texts, or of {"const": text, "title": text}. */
static bool are_choices(struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	if (json_type(list) != JSON_ARR || !json_count(list) ||
	    json_count(list) > LIMIT_FORM_CHOICES)
		return false;
	while (json_next(&it, &key, &v)) {
		if (json_type(v) == JSON_OBJ)
			v = JSON_GET(v, "const");
		if (json_type(v) != JSON_STR)
			return false;
	}
	return true;
}

static bool is_text_field(struct json field)
{
	static const char *const formats[] = { "email", "uri", "date", "date-time" };
	static const char *const lists[] = { "enum", "oneOf", "anyOf" };
	struct json format = JSON_GET(field, "format"), list;

	if (json_is(format) && !is_one_of(json_str(format), formats, COUNT_OF(formats)))
		return false;
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		list = json_get(field, str_from(lists[i]));
		if (json_is(list) && !are_choices(list))
			return false;
	}
	return true;
}

/* A number or a boolean.  Clients show a list of values as choices, whatever its type. */
static bool is_plain_field(struct json field)
{
	struct json list = JSON_GET(field, "enum");

	return json_count(list) <= LIMIT_FORM_CHOICES && !json_is(JSON_GET(field, "oneOf")) &&
	       !json_is(JSON_GET(field, "anyOf"));
}

/* Keywords that lead to other schemas are not part of the restricted form. */
static bool is_flat(struct json field)
{
	static const char *const deep[] = { "properties",  "$ref",  "$dynamicRef",
		                            "allOf",       "not",   "if",
		                            "prefixItems", "$defs", "patternProperties" };

	for (size_t i = 0; i < COUNT_OF(deep); i++)
		if (json_is(json_get(field, str_from(deep[i]))))
			return false;
	return true;
}

/* Several choices of one list. */
static bool is_list_field(struct json field)
{
	struct json items = JSON_GET(field, "items"), list = JSON_GET(items, "enum");

	return is_flat(items) && are_choices(json_is(list) ? list : JSON_GET(items, "anyOf"));
}

static bool is_field(struct json field)
{
	struct str type = json_str(JSON_GET(field, "type"));

	if (json_type(field) != JSON_OBJ || !is_flat(field))
		return false;
	if (str_eq(type, STR("string")))
		return is_text_field(field);
	if (str_eq(type, STR("array")))
		return is_list_field(field);
	return (str_eq(type, STR("number")) || str_eq(type, STR("integer")) ||
	        str_eq(type, STR("boolean"))) &&
	       is_plain_field(field);
}

/* A person cannot fill in a field that is not there. */
static bool are_there(struct json required, struct json fields)
{
	struct json_iter it = json_iter(required);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (!str_is(json_str(v)) || !json_is(json_get(fields, json_str(v))))
			return false;
	return true;
}

/* Beside its fields a form has no other schemas: what they accept is not what a person is shown. */
static bool is_plain(struct json form)
{
	static const char *const deep[] = {
		"$ref",
		"$dynamicRef",
		"allOf",
		"anyOf",
		"oneOf",
		"not",
		"if",
		"then",
		"else",
		"patternProperties",
		"dependentSchemas",
		"propertyNames",
	};

	for (size_t i = 0; i < COUNT_OF(deep); i++)
		if (json_is(json_get(form, str_from(deep[i]))))
			return false;
	return true;
}

static enum err check_fields(struct json schema, struct error *e)
{
	struct json fields = JSON_GET(schema, "properties"), v;
	struct json_iter it = json_iter(fields);
	struct str key;

	if (!str_eq(json_str(JSON_GET(schema, "type")), STR("object")) ||
	    (json_is(fields) && json_type(fields) != JSON_OBJ) ||
	    json_count(fields) > LIMIT_FORM_FIELDS)
		return fail(e, ERR_INVALID, "its form is not an object of at most %d fields",
		            LIMIT_FORM_FIELDS);
	if (!is_plain(schema))
		return fail(e, ERR_INVALID, "its form has schemas besides those of its fields");
	if (!are_there(JSON_GET(schema, "required"), fields))
		return fail(e, ERR_INVALID, "its form requires a field that it does not have");
	while (json_next(&it, &key, &v))
		if (!is_field(v))
			return fail(e, ERR_INVALID,
			            "its field %.*s is no text, number, boolean or choice",
			            STR_ARG(str_head(key, 64)));
	return OK;
}

static enum err read_form(struct arena *mem, struct json params, struct mcp_question *ret,
                          struct error *e)
{
	struct json schema = JSON_GET(params, "requestedSchema");
	CLEANUP(schema_freep) struct schema *compiled = NULL;
	struct error why;

	if (json_type(schema) != JSON_OBJ)
		return fail(e, ERR_INVALID, "it has no form");
	ret->schema = json_text(mem, schema);
	if (ret->schema.len > LIMIT_FORM_BYTES)
		return fail(e, ERR_TOO_LARGE, "its form is longer than %d bytes", LIMIT_FORM_BYTES);
	if (check_fields(schema, e) != OK)
		return ERR_INVALID;
	if (schema_compile_text(NULL, ret->schema, NULL, &compiled, &why) != OK)
		return fail(e, ERR_INVALID, "its form: %s", why.message);
	ret->message = utf8_preview_safe(mem, json_str(JSON_GET(params, "message")),
	                                 LIMIT_FORM_QUESTION_BYTES);
	return OK;
}

enum err mcp_question_read(struct arena *mem, struct json params, struct mcp_question *ret,
                           struct error *e)
{
	struct str mode = json_str(JSON_GET(params, "mode"));

	if (!str_is(mode) || str_eq(mode, STR("form")))
		return read_form(mem, params, ret, e);
	if (str_eq(mode, STR("url")))
		return read_address(mem, params, ret, e);
	return fail(e, ERR_INVALID, "this client does not support its mode");
}
