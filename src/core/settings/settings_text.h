#ifndef CORE_SETTINGS_SETTINGS_TEXT_H
#define CORE_SETTINGS_SETTINGS_TEXT_H
/*
 * The settings and the rules of a decision as text, which the store keeps under
 * a ref that follows from the bytes: the same settings have the same ref, in
 * every session and after every restart.
 */
#include "core/settings.h"

/* Everything that catalog/settings.json records; never keys, addresses or the rules. */
struct str settings_text(struct arena *mem, const struct settings *s);
/* out_ and this many hex digits of the text's SHA-256. */
#define SETTINGS_TEXT_REF_DIGITS 40
struct str settings_text_ref(struct arena *mem, struct str text);

/* The tools alone: they stay the same when the sandbox becomes known or a price changes. */
struct str settings_text_inventory(struct arena *mem, const struct settings *s);

/* rules: a list in JSON, each with its source; trouble may be absent. */
struct str settings_text_rules(struct arena *mem, struct str rules, struct str trouble);
/* rules: and as many of them. */
struct str settings_text_rules_ref(struct arena *mem, struct str text);

#endif
