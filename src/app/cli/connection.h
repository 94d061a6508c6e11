#ifndef APP_CONNECTION_H
#define APP_CONNECTION_H
/*
 * The way to the runtime: the daemon's socket, a daemon started for the
 * purpose, or, with --here, a runtime in this process.
 */
#include "app/cli/cli.h"
#include "app/cli/params.h"

/* Sets c->t.  CODE_DONE, or after saying why not. */
int connection_open(struct cli *c);
/* The same for what only reads: a directory that we may not write is read from a copy. */
int connection_open_to_read(struct cli *c);
/* read_only.c */
bool read_only_is(struct cli *c);
int read_only_prepare(struct cli *c);
/* What thole_open() said, and the exit code for it. */
int connection_print_open_error(struct cli *c, const struct thole_error *e);
/* Is somebody listening?  Starts nothing, says nothing. */
bool connection_is_up(struct cli *c);
void connection_close(struct cli *c);
/* The other side went away: waits a little for it to come back, then starts one. */
int connection_again(struct cli *c);

/* ---- calls ---- */

/*
 * Sends a command and empties the params.  A code of thole.h; *ret is the
 * reply or the problem, in c->mem.  A connection that breaks is made again,
 * once, when may_repeat.
 */
int connection_try(struct cli *c, const char *command, struct params *p, bool may_repeat,
                   struct json *ret);
/*
 * The same, but opened when it is not, and what goes wrong is told and becomes
 * an exit code; CODE_DONE: *ret is the reply.
 */
int connection_call(struct cli *c, const char *command, struct params *p, struct json *ret);

/* Tells what a call came to. */
int cli_failure_print(struct cli *c, int thole_code, struct json problem);
/* The exit code for the end of a turn or for a problem. */
int cli_failure_code_of_category(struct str error_category);
int cli_failure_code_of_problem(struct json problem);

/*
 * Walks all rows of a list command, page by page, until visit returns false.
 * only may be NULL, or one more parameter: {"status", "\"pending\""}.
 */
struct filter {
	const char *key;
	const char *json;
};
int connection_list(struct cli *c, const char *command, const char *rows_key,
                    const struct filter *only, bool (*visit)(void *arg, struct json row),
                    void *arg);

/* The bytes behind an output ref, to stdout; with -f until nothing is added any more. */
int cli_process_print_output(struct cli *c, struct str output_ref);

/* ---- the console ---- */

struct ref;
/* Where a browser finds it, with a one-time code; absent when the build has none. */
int open_console_address(struct cli *c, const struct ref *r, struct str *ret);

/* ---- streams ---- */

/* Tells what went wrong and returns NULL; *ret_code is the exit code then. */
struct thole_stream *connection_subscribe(struct cli *c, struct params *p, int *ret_code);

#endif
