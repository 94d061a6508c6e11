#ifndef APP_CONFORM_H
#define APP_CONFORM_H
/*
 * Findings of a check.  A finding names the place in the document, the rule that
 * it breaks, and what was found there.  All are counted, the first ones kept.
 */
#include "app/cli/cli.h"
#include "base/buf.h"

#define FINDINGS_MAX 50
#define PLACE_MAX 512

struct finding {
	struct str place, rule, text;
};

struct findings {
	struct arena *mem;
	struct finding items[FINDINGS_MAX];
	size_t count;          /* of all, also of those that were not kept */
	char place[PLACE_MAX]; /* where the check is now: steps[3].tool_calls[0] */
	size_t place_len;
};

void conform_find(struct findings *f, const char *rule, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Enters a member or an element; the value is what conform_leave() takes. */
size_t conform_enter(struct findings *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
void conform_leave(struct findings *f, size_t len);

/* A whole document. */
void atif_shape_check(struct findings *f, struct json doc);
void atif_rules_check(struct findings *f, struct json doc, bool is_embedded);

/* Whether a timestamp is one. */
bool atif_time_is(struct str text);

#endif
