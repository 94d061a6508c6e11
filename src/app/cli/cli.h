#ifndef APP_CLI_H
#define APP_CLI_H
/*
 * The command line: one file per verb, and what they share.
 *
 * A verb is a row of the table in verbs.c: its name, its options, and a
 * function from the parsed words to an exit code.  Verbs use the runtime through
 * connection.h, which uses only thole.h.  Results go to stdout, everything else
 * to stderr (out.h).
 */
#include "app/cli/opt.h"
#include "app/cli/paths.h"
#include "app/cli/verbs.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "thole/thole.h"

/* Exit codes.  Scripts rely on these. */
enum code {
	CODE_DONE = 0,
	CODE_FAILED = 1,
	CODE_USAGE = 2,
	CODE_CONFIG = 3,   /* settings or credentials */
	CODE_DECISION = 4, /* an approval is pending; nothing was assumed */
	CODE_DENIED = 5,
	CODE_BUDGET = 6,
	CODE_PROVIDER = 7,
	CODE_SANDBOX = 8,
	CODE_STORE = 70, /* the log cannot be written */
	CODE_TIMEOUT = 124,
	CODE_INTERRUPTED = 130,
};

/* ---- one call of the program ---- */

struct cli {
	const struct verb *verb;
	const struct verb *verbs; /* all of them; ends with a row without name */
	struct opts opts;
	char **args; /* the words that are no options */
	int arg_count;
	struct arena *mem; /* lives as long as the program */

	bool is_tty_out, is_tty_err, is_tty_in;
	bool color_out, color_err;
	size_t columns; /* of the terminal; 0: out_columns() asks it */

	struct str *images; /* the bytes of opts.images (verbs/image.c) */
	struct str piped;   /* text of stdin beside the message (verbs/run.c); absent: none */

	/* paths.c */
	const char *data; /* absolute */
	const char *socket;
	bool is_temporary; /* data goes when the program ends */
	bool only_reads;   /* data is a copy */
	/* where a daemon that is started works; NULL: in its data directory */
	const char *daemon_dir;
	const char *daemon_listen; /* of a daemon that this client starts; NULL: its socket only */

	/* remote/ */
	bool is_remote;         /* socket leads to another machine */
	const char *remote_dir; /* where sessions work there, unless -C names another */
	const char *remote_tmp; /* private, for sockets of ssh; NULL: none of ours */
	bool remote_is_again, remote_is_quiet;

	/* connection.c */
	struct thole *t;
	void (*before_again)(
		void *arg); /* lets readers of t release it before it is replaced; NULL: no readers */
	void *before_again_arg;
	bool has_said_start;
	struct str problem; /* JSON: the last refusal that was printed; absent: none */
	/* contentHash of what `hooks ls` and `trust --list` showed last; absent: nothing to trust */
	struct str shown_hash;
};

#endif
