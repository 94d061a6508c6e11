#ifndef APP_FACT_H
#define APP_FACT_H
/* Events as the command line reads them. */
#include "app/cli/cli.h"

struct fact {
	struct str raw; /* the stored bytes */
	struct json v, payload;
	struct str type, session, thread, turn, action, tool_call;
	int64_t sequence;
	int64_t at; /* wall milliseconds, 0 when it has no time */
};

/* raw must live as long as the fact.  False: it is no event. */
bool fact_read(struct arena *mem, struct str raw, struct fact *ret);
bool fact_is(const struct fact *f, const char *type);
struct str fact_str(const struct fact *f, const char *key); /* of the payload */

/* One line that says what happened; no newline, safe text. */
const char *fact_summary(struct arena *mem, const struct fact *f);
/* The line of `thole log`, on stdout; its time counts from began_at. */
void fact_put_line(struct cli *c, struct arena *mem, const struct fact *f, int64_t began_at);
/* A value by its dotted path. */
struct json json_path(struct json v, struct str path);

#endif
