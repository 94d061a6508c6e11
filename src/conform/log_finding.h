#ifndef CONFORM_LOG_FINDING_H
#define CONFORM_LOG_FINDING_H
/* An event of a log as the checks see it, and what they find. */
#include "conform/conform_pack.h"

struct log_event {
	struct conform_pack *p;
	struct json v;
	struct str type, session; /* may be absent: nothing is certain */
	struct log_spot spot;     /* strings live as long as the event */
	bool is_partial;          /* events of this session before this one are not in the log */
	int64_t lost;             /* lines of this file so far that could not be read */
};

/* A finding here.  Of several, the one that is first in the logs is kept. */
void log_finding_add(struct conform_pack *p, struct check *c, const struct log_spot *spot,
                     const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Whether a comes before b in the logs. */
bool log_finding_is_earlier(const struct log_spot *a, const struct log_spot *b);
/* A copy whose strings live in mem. */
struct log_spot log_finding_spot(struct arena *mem, const struct log_spot *spot);
/* The key of an id within its session, in the memory of the log. */
struct str log_finding_key(const struct log_event *e, struct str id);

/*
 * The text without canaries: a report is read by others.  A text that was cut may end in the
 * beginning of one, so a beginning of CANARY_HEAD bytes is replaced too.
 */
#define CANARY_HEAD 8
struct str log_finding_mask(struct arena *mem, struct str text, struct str const *canaries,
                            size_t count);

#endif
