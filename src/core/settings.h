#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H
/*
 * What decisions may use besides the folded state: an immutable copy of the
 * configuration, stored behind configRef, and the rules in force, stored behind
 * rulesRef.  A turn names those under which it was submitted.
 *
 * struct settings is generated from catalog/settings.json, whose rows say what
 * is recorded and, for the rest, why not.  core/settings_read.h makes settings
 * from a record.
 */
#include "catalog/catalog.h"
#include "core/hook/hook_info.h"
#include "core/routing/model_info.h"
#include "core/tool/tool_info.h"

/* NULL when the settings have no tool of that name. */
const struct tool_info *decision_settings_tool(const struct settings *s, struct str name);
/* Is it offered to models of this provider? */
bool decision_settings_tool_is_for(const struct tool_info *t, struct str provider);
size_t decision_settings_tools_for(const struct settings *s, struct str provider); /* how many */
/* Does a tool server own it that is in this list of names? */
bool decision_settings_tool_is_off(const struct tool_info *t, const struct list_str *servers);
const struct model_info *decision_settings_model(const struct settings *s, struct str provider,
                                                 struct str model);
/* The price at this moment; NULL: unknown. */
const struct model_price *decision_price_at(const struct model_info *m, int64_t now);
const struct hook_info *hook_in_settings(const struct settings *s, struct str ref);

#endif
