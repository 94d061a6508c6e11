/*
 * Collects what must be redacted from the output of tools: patterns of the
 * settings, and values of environment variables, and of variables and headers
 * that the settings give tool servers, whose names suggest a secret.
 */
#include "lib/secrets.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ENV_MIN 12 /* shorter values are words, numbers and switches */

/* As a whole word: MONKEY is no key. */
static bool names_secret(struct str name)
{
	static const struct str ends[] = { STR("KEY"),      STR("TOKEN"),  STR("SECRET"),
		                           STR("PASSWORD"), STR("PASSWD"), STR("CREDENTIALS") };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (str_ends(name, ends[i]) &&
		    (name.len == ends[i].len || name.ptr[name.len - ends[i].len - 1] == '_'))
			return true;
	return false;
}

/* A path to a secret is none. */
void secrets_know_environment(struct scrub *s, size_t min)
{
	for (char **at = environ; at && *at; at++) {
		struct str value = str_from(*at), name = str_cut(&value, '=');

		if (names_secret(name) && value.len >= min && !redact_is_path(value))
			redact_know(s, value);
	}
}

/* The names of headers are written X-Api-Key. */
static bool header_names_secret(struct arena *mem, struct str name)
{
	char *upper = (char *)arena_keep(mem, name).ptr;

	for (char *at = upper; *at; at++)
		*at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
	return names_secret(str_from(upper)) || !strcmp(upper, "AUTHORIZATION");
}

/* Variables are in the environment already; only values that are written there are added. */
static void know_value(struct scrub *s, struct str value)
{
	struct str rest = value, scheme = str_cut(&rest, ' ');

	if (str_is(rest) && str_find_char(rest, ' ') < 0 && scheme.len < ENV_MIN)
		value = rest; /* "Bearer abc" */
	if (value.len >= ENV_MIN && !redact_is_path(value) && str_find(value, STR("${")) < 0)
		redact_know(s, value);
}

/* env and headers of one tool server. */
static void know_server(struct scrub *s, struct arena *mem, struct json server)
{
	struct json_iter env = json_iter(JSON_GET(server, "env")),
			 headers = json_iter(JSON_GET(server, "headers"));
	struct json v;
	struct str key;

	while (json_next(&env, &key, &v))
		if (names_secret(key))
			know_value(s, json_str(v));
	while (json_next(&headers, &key, &v))
		if (header_names_secret(mem, key))
			know_value(s, json_str(v));
}

static void know_servers(struct scrub *s, struct json servers)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json_iter it = json_iter(servers);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		know_server(s, mem, v);
}

static enum err add_patterns(struct scrub *s, const struct config_values *values, struct error *e)
{
	for (size_t i = 0; i < values->redact.count; i++) {
		char name[32];
		struct error why;

		snprintf(name, sizeof name, "redact[%zu]", i);
		if (redact_add(s, str_from(name), values->redact.items[i], &why) != OK)
			return fail(e, ERR_INVALID, "%s: %s", name, why.message);
	}
	return OK;
}

enum err secrets_open(const struct config_values *values, struct scrub **ret, struct error *e)
{
	struct scrub *s = redact_new();
	enum err err = add_patterns(s, values, e);

	if (err != OK) {
		redact_free(s);
		return err;
	}
	secrets_know_environment(s, ENV_MIN);
	know_servers(s, values->mcp_servers);
	*ret = s;
	return OK;
}
