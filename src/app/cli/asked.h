#ifndef APP_ASKED_H
#define APP_ASKED_H
/*
 * What somebody has to know to decide: what the tool would be given, why it
 * asks, and what it really reaches.
 */
#include "app/cli/out.h"

struct asked {
	struct str args;  /* what the tool would be given, JSON, or absent */
	struct str why;   /* the reason of the decision to ask, or absent */
	struct str leads; /* where it goes outside of the workspace, or absent */
};

/* From a permission.evaluated; what it says lives in mem. */
void asked_judged(struct asked *a, struct arena *mem, struct json event);
/* As the facts have it last, of an action of list_actions. */
void asked_find(struct asked *a, struct cli *c, struct json action);
/* Some lines, indented. */
void asked_print(const struct asked *a, FILE *out, bool color, struct arena *mem,
                 struct json action);

#endif
