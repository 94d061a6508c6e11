/*
 * Any bytes as a settings file, of the owner and of a project: accepted or
 * refused with a message, the same result twice, and a refused project file has
 * not changed settings it may not set.
 */
#include "catalog/gen/settings.h"
#include "lib/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void read_all(struct config *c)
{
	const struct config_values *values = config_values(c);

	for (size_t i = 0; i < setting_count; i++) {
		const struct setting *s = &settings[i];
		const void *at = (const char *)values + s->offset;

		if (s->is_built && s->type == SETTING_INT)
			MUST(*(const int64_t *)at >= s->min && *(const int64_t *)at <= s->max);
		/* A setting without a default may be absent. */
		if (s->is_built && s->type == SETTING_ENUM)
			MUST(*(const uint32_t *)at ||
			     !*(const uint32_t *)((const char *)&config_defaults + s->offset));
	}
}

static enum err add(struct str text, bool is_project, struct error *e)
{
	struct config *c = config_new();
	enum err code = is_project ? config_add_project(c, STR("file"), text, e)
	                           : config_add(c, STR("file"), text, e);

	read_all(c);
	if (is_project) {
		MUST(config_values(c)->permission_interactive || code == OK);
		MUST(!json_count(config_values(c)->providers));
		MUST(!str_is(config_values(c)->script));
	}
	config_free(c);
	return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);

	for (int is_project = 0; is_project < 2; is_project++) {
		struct error one = { 0 }, two = { 0 };
		enum err code = add(text, is_project, &one);

		MUST(code == add(text, is_project, &two));
		MUST(!strcmp(one.message, two.message));
		MUST(code == OK || one.message[0]);
	}
	return 0;
}
