#ifndef APP_DEMO_H
#define APP_DEMO_H
/*
 * The environment of the demo: a scratch directory with a small repository, a
 * daemon that the demo kills, and client processes of this program and of
 * curl.  demo.c holds the steps.
 *
 *	DIR/repo      where the agent works: total.sh, its test, a README
 *	DIR/data      the daemon's
 *	DIR/key       a secret that the agent must not read
 */
#include "app/cli/cli.h"

#include <sys/types.h>

struct demo {
	struct cli *c;
	const char *dir, *repo, *data, *program;
	bool has_sandbox, has_git, has_curl;
	struct str sandbox; /* its tier, or why there is none */
	bool tells_calls;   /* the kernel reports refused calls; false in a nested sandbox */

	int door; /* a listening socket; a connection to it means that a process escaped */
	int door_port;
	pid_t daemon;
	int64_t began;
	int64_t start_ms; /* of the last start: from exec to the first answer */
	int failures;

	struct str session, action;
};

/* ---- setting up and clearing away ---- */

/* Returns CODE_DONE, or another code after printing the reason. */
int demo_stage_build(struct demo *d);
/* Stops remaining processes and removes the directory. */
void demo_stage_clear(struct demo *d);

bool demo_stage_start(struct demo *d);
void demo_stage_kill(struct demo *d, int signal);

/* ---- other processes ---- */

struct said {
	int code;       /* exit code, 128 + signal */
	struct str out; /* of stdout */
};

/* Runs this program once, shows the command line and passes its output through. */
int demo_stage_type(struct demo *d, const char *const *words);
#define TYPE(d, ...) demo_stage_type(d, (const char *const[]){ __VA_ARGS__, NULL })
/* The same without output on the terminal; returns what the program printed. */
struct said demo_stage_ask(struct demo *d, const char *const *words);
#define ASK(d, ...) demo_stage_ask(d, (const char *const[]){ __VA_ARGS__, NULL })
/* The value at a path of the reply of a call with --json. */
struct json demo_stage_json(struct demo *d, const char *const *words, const char *path);
#define DEMO_JSON(d, path, ...) demo_stage_json(d, (const char *const[]){ __VA_ARGS__, NULL }, path)
/* Answers the action over HTTP with curl.  Returns the HTTP status, 0 without curl. */
int demo_stage_http_answer(struct demo *d, const char *decision);

/* ---- checks ---- */

/* Waits until done(d), for at most ten seconds; returns whether it became true. */
bool demo_stage_wait(struct demo *d, bool (*done)(struct demo *d));
/* Processes on this machine whose command line contains the word. */
int demo_stage_processes(const char *word);
/* Number of the session's events of this class that contain the text. */
int demo_stage_events(struct demo *d, const char *type, const char *text);
/* Number of connections to the listening socket. */
int demo_stage_callers(struct demo *d);
bool demo_stage_file_has(struct demo *d, const char *name, const char *text);
/* Changes one byte of the copied log inside the event with this text; returns its offset, -1: not found. */
long demo_stage_flip(struct demo *d, const char *text, int64_t *ret_sequence);

/* ---- output ---- */

void demo_stage_head(struct demo *d, const char *title);
void demo_stage_say(struct demo *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints a claim with its measurement; a claim that does not hold makes the demo fail. */
void demo_stage_claim(struct demo *d, bool holds, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
