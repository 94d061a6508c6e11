/*
 * Writes the settings by the table of the catalogue, so that a member of struct
 * settings is in the text or says why not (catalog/settings.json).
 */
#include "core/settings/settings_text.h"

#include "base/hash/sha256.h"

/* 160 bits: a ref is in every turn, so it is shorter than the hash. */
static struct str ref_of(struct arena *mem, const char *prefix, struct str text)
{
	struct sha256 hash = sha256_of(text);

	return arena_printf(mem, "%s%.*s", prefix, SETTINGS_TEXT_REF_DIGITS,
	                    sha256_hex(mem, &hash).ptr);
}

/* The environment refers to the record that it is part of, so its ref cannot be in the text. */
struct str settings_text(struct arena *mem, const struct settings *s)
{
	struct rec_execution_environment env;
	struct settings written = *s;

	if (s->environment) {
		env = *s->environment;
		env.env_ref = STR("self");
		written.environment = &env;
	}
	return rec_text(mem, &settings_desc, &written);
}

struct str settings_text_ref(struct arena *mem, struct str text)
{
	return ref_of(mem, "out_", text);
}

struct str settings_text_inventory(struct arena *mem, const struct settings *s)
{
	return rec_text(mem, &settings_inventory_desc,
	                &(const struct settings_inventory){ .tools = s->tools,
	                                                    .tool_count = s->tool_count });
}

struct str settings_text_rules(struct arena *mem, struct str rules, struct str trouble)
{
	return rec_text(mem, &settings_rules_desc,
	                &(const struct settings_rules){ .rules = rules, .trouble = trouble });
}

struct str settings_text_rules_ref(struct arena *mem, struct str text)
{
	return ref_of(mem, "rules:", text);
}
