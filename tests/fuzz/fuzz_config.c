/*
 * Any bytes as a file of settings, for the owner and for a project: taken or
 * refused with a sentence, twice the same, and what was refused for a project
 * cannot have changed what it may not touch.
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

static void read_all(const struct config *c)
{
	struct str words[16];

	for (size_t i = 0; i < setting_count; i++) {
		const struct setting *s = &settings[i];

		if (!s->is_built)
			continue;
		switch (s->type) {
		case SETTING_STR:
			(void)config_str(c, s->key.ptr);
			break;
		case SETTING_INT:
			MUST(config_int(c, s->key.ptr) >= s->min);
			MUST(config_int(c, s->key.ptr) <= s->max);
			break;
		case SETTING_BOOL:
			(void)config_bool(c, s->key.ptr);
			break;
		case SETTING_ENUM:
			MUST(config_enum(c, s->key.ptr) != 0);
			break;
		case SETTING_LIST:
			MUST(config_list(c, s->key.ptr, words, 16) <= 16);
			break;
		case SETTING_JSON:
			(void)config_json(c, s->key.ptr);
			break;
		case SETTING_REAL:
			break;
		}
	}
}

static enum err add(struct str text, bool is_project, struct error *e)
{
	struct config *c = config_new();
	enum err code = is_project ? config_add_project(c, STR("file"), text, e)
	                           : config_add(c, STR("file"), text, e);

	read_all(c);
	if (is_project) {
		MUST(config_bool(c, "permission.interactive") || code == OK);
		MUST(!json_count(config_json(c, "providers")));
		MUST(!str_is(config_str(c, "script")));
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
