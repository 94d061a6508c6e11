#ifndef APP_SHOWN_EVENT_H
#define APP_SHOWN_EVENT_H
/* Events as the command line reads them. */
#include "app/cli/cli.h"

struct shown_event {
	struct str raw; /* the stored bytes */
	struct json v, payload;
	struct str type, session, thread, turn, action, tool_call;
	int64_t sequence;
	int64_t at; /* wall milliseconds, 0 when it has no time */
};

/* raw must live as long as the fact.  False: it is no event. */
bool shown_event_read(struct arena *mem, struct str raw, struct shown_event *ret);
bool shown_event_is(const struct shown_event *f, const char *type);
struct str shown_event_str(const struct shown_event *f, const char *key); /* of the payload */

/* One line that says what happened; no newline, safe text. */
const char *shown_event_summary(struct arena *mem, const struct shown_event *f);
/* The line of `thole log`, on stdout; its time counts from began_at. */
void shown_event_line_put(struct cli *c, struct arena *mem, const struct shown_event *f,
                          int64_t began_at);
/* A value by its dotted path. */
struct json shown_event_path(struct json v, struct str path);

#endif
