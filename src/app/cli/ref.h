#ifndef APP_REF_H
#define APP_REF_H
/*
 * From what a person types to what the runtime knows: whole ids, beginnings
 * of ids that only one thing has, and @last for the session that changed
 * last.
 */
#include "app/cli/cli.h"

enum ref_kind { REF_SESSION, REF_THREAD, REF_TURN, REF_TASK, REF_ACTION };

struct ref {
	enum ref_kind kind;
	struct str session, thread, turn, task, action;
	int64_t sequence; /* of the session, when it was seen; 0: not known */
	struct json row;  /* as it was listed */
};

/* CODE_DONE, or after saying why not. */
int ref_find(struct cli *c, const char *text, struct ref *ret);
/* The same for sessions only; an id that none of them has is taken as it is. */
int ref_find_session(struct cli *c, const char *text, struct ref *ret);
/* The same for actions only. */
int ref_find_action(struct cli *c, const char *text, struct ref *ret);
/* The session of the first word, or without one all of them, the runtime's own too, while visit is true. */
int ref_each_session(struct cli *c, bool (*visit)(void *arg, struct str session), void *arg);

#endif
