#ifndef APP_DEMO_H
#define APP_DEMO_H
/*
 * The demo's stage: a scratch directory with a small repository in it, a
 * daemon that is there to be killed, and other processes of this program and
 * of curl that talk to it.  demo.c is the play.
 *
 *	DIR/repo      where the agent works: total.sh, its test, a README
 *	DIR/data      the daemon's
 *	DIR/key       a secret that is none of the agent's business
 */
#include "app/cli/cli.h"

#include <sys/types.h>

struct demo {
	struct cli *c;
	const char *dir, *repo, *data, *program;
	bool has_sandbox, has_git, has_curl;
	struct str sandbox; /* its tier, or why there is none */
	bool tells_calls; /* the kernel tells which calls it refused: not in a cage inside a cage */

	int door; /* a socket of ours that listens: whoever calls has escaped */
	int door_port;
	pid_t daemon;
	int64_t began;
	int64_t start_ms; /* of the last start: from exec to the first answer */
	int failures;

	struct str session, action;
};

/* ---- setting up and clearing away ---- */

/* CODE_DONE, or after saying why not. */
int demo_stage_build(struct demo *d);
/* Whatever is left is ended and removed. */
void demo_stage_clear(struct demo *d);

bool demo_stage_start(struct demo *d);
void demo_stage_kill(struct demo *d, int signal);

/* ---- other processes ---- */

struct said {
	int code;       /* exit code, 128 + signal */
	struct str out; /* of stdout */
};

/* One call of this program, shown as typed, its output on ours. */
int demo_stage_type(struct demo *d, const char *const *words);
#define TYPE(d, ...) demo_stage_type(d, (const char *const[]){ __VA_ARGS__, NULL })
/* The same, neither shown nor printed: what it said. */
struct said demo_stage_ask(struct demo *d, const char *const *words);
#define ASK(d, ...) demo_stage_ask(d, (const char *const[]){ __VA_ARGS__, NULL })
/* The value at a path of the reply of a call with --json. */
struct json demo_stage_json(struct demo *d, const char *const *words, const char *path);
#define APPROVAL_PROMPT_JSON(d, path, ...)                                                         \
	demo_stage_json(d, (const char *const[]){ __VA_ARGS__, NULL }, path)
/* A decision over HTTP, by a process of its own; the status, 0: there is no curl. */
int demo_stage_http_answer(struct demo *d, const char *decision);

/* ---- looking ---- */

/* Until done(d), for at most ten seconds; whether it became true. */
bool demo_stage_wait(struct demo *d, bool (*done)(struct demo *d));
/* Processes on this machine whose command line contains the word. */
int demo_stage_processes(const char *word);
/* How often the text stands in the session's events of a class. */
int demo_stage_events(struct demo *d, const char *type, const char *text);
/* Connections that came to our door. */
int demo_stage_callers(struct demo *d);
bool demo_stage_file_has(struct demo *d, const char *name, const char *text);
/* One byte of the copied log is changed inside the event that has this text; its place, -1: not found. */
long demo_stage_flip(struct demo *d, const char *text, int64_t *ret_sequence);

/* ---- telling ---- */

void demo_stage_head(struct demo *d, const char *title);
void demo_stage_say(struct demo *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A claim with what was measured; one that does not hold makes the demo fail. */
void demo_stage_claim(struct demo *d, bool holds, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
