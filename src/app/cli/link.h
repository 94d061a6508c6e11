#ifndef APP_LINK_H
#define APP_LINK_H
/*
 * The way to the runtime: the daemon's socket, a daemon started for the
 * purpose, or, with --here, a runtime in this process.
 */
#include "app/cli/cli.h"

/* Sets c->t.  CODE_DONE, or after saying why not. */
int link_open(struct cli *c);
/* The same for what only reads: a directory that we may not write is read from a copy. */
int link_open_to_read(struct cli *c);
/* read_only.c */
bool read_only_is(struct cli *c);
int read_only_prepare(struct cli *c);
/* What thole_open() said, and the exit code for it. */
int tell_open_failure(struct cli *c, const struct thole_error *e);
/* Is somebody listening?  Starts nothing, says nothing. */
bool link_is_up(struct cli *c);
void link_close(struct cli *c);
/* The other side went away: waits a little for it to come back, then starts one. */
int link_again(struct cli *c);

/* ---- parameters ---- */

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
/* A fresh idempotency key: the command can be sent again without harm. */
void params_key(struct cli *c, struct params *p);

/* ---- calls ---- */

/*
 * Sends a command and empties the params.  A code of thole.h; *ret is the
 * reply or the problem, in c->mem.  A connection that breaks is made again,
 * once, when may_repeat.
 */
int link_try(struct cli *c, const char *command, struct params *p, bool may_repeat,
             struct json *ret);
/*
 * The same, but opened when it is not, and what goes wrong is told and becomes
 * an exit code; CODE_DONE: *ret is the reply.
 */
int link_call(struct cli *c, const char *command, struct params *p, struct json *ret);

/* Tells what a call came to. */
int tell_failure(struct cli *c, int thole_code, struct json problem);
/* The exit code for the end of a turn or for a problem. */
int code_of_category(struct str error_category);
int code_of_problem(struct json problem);

/*
 * Walks all rows of a list command, page by page, until visit returns false.
 * only may be NULL, or one more parameter: {"status", "\"pending\""}.
 */
struct filter {
	const char *key;
	const char *json;
};
int link_list(struct cli *c, const char *command, const char *rows_key, const struct filter *only,
              bool (*visit)(void *arg, struct json row), void *arg);

/* The bytes behind an output ref, to stdout; with -f until nothing is added any more. */
int output_print(struct cli *c, struct str output_ref);

/* ---- the console ---- */

struct ref;
/* Where a browser finds it, with a one-time code; absent when the build has none. */
int console_address(struct cli *c, const struct ref *r, struct str *ret);

/* ---- streams ---- */

/* Tells what went wrong and returns NULL; *ret_code is the exit code then. */
struct thole_stream *link_subscribe(struct cli *c, struct params *p, int *ret_code);

#endif
