#ifndef TEXT_FRONT_MATTER_H
#define TEXT_FRONT_MATTER_H
/*
 * The head of a Markdown file between two lines "---", as skills, commands and
 * agents of many tools have it.
 *
 * The format is that of YAML in name only: files in use write values such as
 * `argument-hint: [a] [b]` and `description: Use when: x`, which YAML refuses.
 * So this reads lines "key: value" and nothing of YAML beyond quoted values,
 * folded and literal blocks (">", "|") and lists ("[a, b]", or "- a" lines).
 * Lines that are neither are ignored.
 */
#include "base/arena.h"

struct front_matter {
	struct str head; /* lines of the head; empty: there is none */
	struct str body; /* what follows it */
	bool is_open;    /* a first line "---" without a second one */
};

void front_matter_split(struct str text, struct front_matter *ret);
/* The value of a key in one string; absent: the head has no such key.  Lists are joined by ", ". */
struct str front_matter_get(struct arena *mem, const struct front_matter *f, const char *key);
/* The same as it is written, without quotes: "[a] [b]" and "[a]" stay. */
struct str front_matter_get_line(struct arena *mem, const struct front_matter *f, const char *key);
/* The items of such a string: "a, b" or "a b"; cuts one off.  Commas in parentheses do not split. */
bool front_matter_next_item(struct str *rest, struct str *ret);

#endif
