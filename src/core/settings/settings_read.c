/*
 * Reads back what settings_text.c wrote, by the same table, and computes what
 * follows from it: refs, the rules, the compiled schemas of tools.
 */
#include "core/settings/settings_read.h"

#include "core/settings/settings_text.h"
#include "policy/rules.h"
#include "schema/schema.h"

#include <stdlib.h>

enum err settings_read_rules(struct rules *rs, struct str list, struct error *why)
{
	struct str closed =
		STR("{\"rules\":[{\"id\":\"unreadable\",\"effect\":\"deny\",\"tool\":\"*\"}]}");
	enum err code = rules_add_settings(rs, list, why);

	if (!code)
		return OK;
	rs->count = 0;
	if (rules_add(rs, closed, (struct rule_origin){ .source = RULE_HOST_POLICY }, NULL) != OK)
		abort();
	return code;
}

/* JSON of others: checked as a document, and by the table. */
static enum err read_record(struct arena *mem, struct str text, const struct rec_desc *d, void *ret,
                            struct error *e)
{
	struct json doc;
	enum err code = json_read(mem, text, &doc, e);

	return code ? code : rec_read(mem, doc, d, REC_TRUSTED, ret, e);
}

/* The list was in force, so what makes it unreadable now made it unreadable then. */
static enum err take_rules(struct arena *mem, struct str text, struct settings *s, struct error *e)
{
	struct settings_rules in_force;
	struct rules *rs = ARENA_NEW(mem, struct rules);
	struct error ignored;
	enum err code = read_record(mem, text, &settings_rules_desc, &in_force, e);

	if (code)
		return code;
	rs->mem = mem;
	(void)settings_read_rules(rs, in_force.rules, &ignored);
	s->rules = rs;
	s->rules_trouble = in_force.trouble;
	s->rules_ref = settings_text_rules_ref(mem, text);
	return OK;
}

/* The environment names the record that it is part of. */
static void name_record(struct arena *mem, struct str record, struct settings *s)
{
	s->config_ref = settings_text_ref(mem, record);
	s->inventory_ref = settings_text_ref(mem, settings_text_inventory(mem, s));
	if (s->environment)
		((struct rec_execution_environment *)s->environment)->env_ref = s->config_ref;
}

static enum err compile_schemas(struct settings *s, struct error *e)
{
	for (size_t i = 0; i < s->tool_count; i++) {
		struct tool_info *t = (struct tool_info *)&s->tools[i];
		struct schema *schema = NULL;
		enum err code = str_is(t->input_schema) ? schema_compile_text(NULL, t->input_schema,
		                                                              NULL, &schema, e)
		                                        : OK;

		if (code)
			return code;
		t->schema = schema;
	}
	return OK;
}

enum err settings_read(struct arena *mem, struct str record, struct str rules, struct settings *ret,
                       struct error *e)
{
	struct settings s = { 0 };
	enum err code = read_record(mem, record, &settings_desc, &s, e);

	if (!code && str_is(rules))
		code = take_rules(mem, rules, &s, e);
	if (!code)
		code = compile_schemas(&s, e);
	if (code) {
		settings_read_done(&s);
		return code;
	}
	name_record(mem, record, &s);
	*ret = s;
	return OK;
}

/* Tools behind the first that failed have no schema yet. */
void settings_read_done(struct settings *s)
{
	for (size_t i = 0; i < s->tool_count; i++) {
		schema_compile_free((struct schema *)s->tools[i].schema);
		((struct tool_info *)&s->tools[i])->schema = NULL;
	}
}
