/*
 * Collects what must be redacted from the output of tools: patterns of the
 * settings, and values of environment variables whose names suggest a secret.
 */
#include "lib/secrets.h"

#include <stdio.h>
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

		if (names_secret(name) && value.len >= min && value.ptr[0] != '/')
			redact_know(s, value);
	}
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
	*ret = s;
	return OK;
}
