#ifndef APP_PARAMS_H
#define APP_PARAMS_H
/* The parameters of a command, written member by member; sending empties them. */
#include "app/cli/cli.h"
#include "base/jw.h"

struct params {
	struct buf text;
	struct json_writer w;
};

void params_begin(struct params *p);
void params_done(struct params *p);
void params_str(struct params *p, const char *key, struct str value);   /* nothing when absent */
void params_cstr(struct params *p, const char *key, const char *value); /* nothing when NULL */
void params_int(struct params *p, const char *key, int64_t value);
void params_bool(struct params *p, const char *key, bool value);
void params_raw(struct params *p, const char *key, struct str json); /* nothing when absent */
void params_words(struct params *p, const char *key,
                  const struct words *list); /* nothing when empty */
/* Where a session belongs, from the options; nothing when there are none. */
void params_placement(struct cli *c, struct params *p, const char *node);
/* Adds a new idempotency key, so that the command can be sent again safely. */
void params_key(struct cli *c, struct params *p);

#endif
