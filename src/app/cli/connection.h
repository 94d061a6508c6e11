#ifndef APP_CONNECTION_H
#define APP_CONNECTION_H
/*
 * The connection to the runtime: the socket of a running daemon, of a daemon
 * that the client starts, or, with --here, a runtime in this process.
 */
#include "app/cli/cli.h"
#include "app/cli/params.h"

/* Sets c->t.  Returns CODE_DONE, or another code after printing the reason. */
int connection_open(struct cli *c);
/* The same for verbs that only read: a directory without write access is read from a copy. */
int connection_open_to_read(struct cli *c);
/* Opens a throw-away copy of c->data with a runtime that only reads. */
int connection_open_copy(struct cli *c);
/* read_only.c */
bool read_only_is(struct cli *c);
int read_only_prepare(struct cli *c);
/* Prints the error of thole_open() and returns its exit code. */
int connection_print_open_error(struct cli *c, const struct thole_error *e);
/* Whether a daemon listens on the socket.  Starts nothing, prints nothing. */
bool connection_is_up(struct cli *c);
void connection_close(struct cli *c);
/* Reconnects after the daemon has gone: waits briefly for it to return, then starts one. */
int connection_again(struct cli *c);

/* ---- calls ---- */

/*
 * Sends a command and empties the params.  Returns a code of thole.h; *ret is
 * the reply or the problem, in c->mem.  With may_repeat a broken connection is
 * opened again once.
 */
int connection_try(struct cli *c, const char *command, struct params *p, bool may_repeat,
                   struct json *ret);
/*
 * The same, but opens the connection if needed, prints errors and returns an
 * exit code; CODE_DONE: *ret is the reply.
 */
int connection_call(struct cli *c, const char *command, struct params *p, struct json *ret);

/* Prints why a call failed and returns the exit code. */
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
/* --label, as a filter; ret must live as long as the result.  NULL: none was given. */
const struct filter *connection_label_filter(struct cli *c, struct filter *ret);
int connection_list(struct cli *c, const char *command, const char *rows_key,
                    const struct filter *only, bool (*visit)(void *arg, struct json row),
                    void *arg);

/* Prints the bytes of an output ref; with -f until the output is complete. */
int cli_process_print_output(struct cli *c, struct str output_ref);

/* ---- the console ---- */

struct ref;
/* The address of the console with a one-time code; absent when the build has no console. */
int open_console_address(struct cli *c, const struct ref *r, struct str *ret);

/* ---- streams ---- */

/* On failure prints the error, sets *ret_code and returns NULL. */
struct thole_stream *connection_subscribe(struct cli *c, struct params *p, int *ret_code);

#endif
