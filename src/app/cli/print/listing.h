#ifndef APP_LISTING_H
#define APP_LISTING_H
/*
 * `thole NOUN ls`: all rows of a list command, as JSON, as ids alone (-q), or
 * as a table.
 */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"

struct listing {
	const char *command, *rows; /* list_jobs, jobs */
	const char *id;             /* the field that names a row: jobId */
	const char *const *heads;   /* of the table, NULL at the end */
	const char *none;           /* "no jobs" */
	const struct filter *only;  /* may be NULL */
	const void *arg;            /* for the two below */
	bool (*is_wanted)(const struct listing *l, struct cli *c,
	                  struct json row); /* NULL: all are */
	/* Fills a row of the table, safe to print. */
	enum tone (*cells)(struct cli *c, struct json row, const char **ret);
};

int listing_show(struct cli *c, const struct listing *l);

/* Sends a command that makes something: its reply with --json, else the id of what was made. */
int listing_make(struct cli *c, const char *command, struct params *p, const char *id);

#endif
