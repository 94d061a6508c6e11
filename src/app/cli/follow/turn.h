#ifndef APP_TURN_H
#define APP_TURN_H
/*
 * Following one turn to its end: show.c turns events into text, screen.c writes
 * it to the terminal, approval_prompt.c asks the user, watch.c is the loop.
 */
#include "app/cli/follow/turn_result.h"
#include "app/cli/print/shown_event.h"
#include "app/cli/connection.h"
#include "app/cli/print/markdown.h"
#include "base/gen/limits.h"

#include <stdio.h>

/* ---- input ---- */

/* Reads the images of the options; needs no connection. */
int image_check(struct cli *c);
/*
 * The input of a turn as JSON: the prompt, and these images.  Large ones are
 * uploaded, so the connection is open.
 */
int image_read_input(struct cli *c, struct str prompt, struct str *ret);
#define IMAGE_BYTES_MAX ((size_t)LIMIT_IMAGE_BYTES) /* of all images of a message */
#define IMAGE_INLINE_MAX ((size_t)700 << 10) /* of those that are part of the command, 1 MiB */
/*
 * Writes one image as a part of an input.  room: bytes that still fit into the command; an image
 * that does not fit is uploaded.  The model reads the last part of the path; absent or empty: the
 * image has no name.  Returns a code of thole.h, and the problem if it was refused.
 */
int image_write(struct cli *c, struct json_writer *w, struct str data, struct str path,
                size_t *room, struct json *ret_problem);
/* The media type, from the first bytes; absent: not supported by models. */
struct str image_kind(struct str data);

/*
 * Submits a message and follows its turn to the end.  *session: NUL-terminated, absent for a new
 * one, whose id it becomes.  Returns the exit code.
 */
int run_message(struct cli *c, struct str text, struct str *session);
/* Can the model of --model be asked?  If not, it says why on stderr. */
int run_check_model(struct cli *c);

/* ---- output ---- */

/* The answer is the result and goes to stdout, everything else to stderr. */
enum pane { PANE_ANSWER, PANE_ASIDE };

struct sink {
	void (*put)(void *arg, enum pane pane, struct str bytes);
	void *arg;
};

#define SHOW_CALLS 16

/* A running tool call. */
struct show_call {
	char id[64], name[128], detail[512], progress[256];
	int64_t since; /* wall milliseconds */
};

/*
 * Turns events of a turn into bytes for the two panes.  This code does not
 * know the terminal: colour comes from the cli, width from columns.
 */
struct show {
	const struct cli *c;
	struct sink sink;
	size_t columns; /* of the terminal; may change between events */
	bool is_silent; /* --json: the events themselves are the result */
	bool folds; /* chat: a call is one line, written when it ends; the caller shows running ones */
	bool hides_reasoning;
	bool is_midline;   /* the answer has an unfinished line */
	bool is_reasoning; /* the aside is in the middle of reasoning */
	bool has_markdown;
	struct markdown markdown;
	struct buf bytes;     /* of the markdown */
	char request_id[256]; /* the model request of the last text */
	int64_t began_at;
	bool tests_failed; /* the last test command of the turn did */

	struct show_call calls[SHOW_CALLS];
	size_t call_count;
	char model[96]; /* that has not answered yet */
	int64_t asked_at;
	int64_t retry_at; /* time of the next attempt; 0: no retry is pending */
};

void show_init(struct show *s, const struct cli *c, struct sink sink);
void show_done(struct show *s);
void show_event(struct show *s, struct arena *mem, const struct shown_event *f);
/* Before anything else is written to stderr. */
void show_line(struct show *s);
/* The text so far ends with a newline after this. */
void show_text_end(struct show *s);
void show_end(struct show *s, struct arena *mem, const struct shown_event *f);
/* Whether show_live() has text, now or soon. */
bool show_is_busy(const struct show *s);
/* The text of the status line at this moment; NULL: none. */
const char *show_live(const struct show *s, struct arena *mem, int64_t now);

/* ---- the terminal ---- */

/*
 * The two streams, and on a terminal a status line below them.  Only that line
 * is ever overwritten.
 */
struct screen {
	const struct cli *c;
	bool has_live;
	size_t painted; /* columns of the visible status line, 0: none */
};

void screen_init(struct screen *s, const struct cli *c);
struct sink screen_sink(struct screen *s);
size_t screen_columns(const struct screen *s);
/* NULL removes the line. */
void screen_live(struct screen *s, const char *text);

/* ---- decisions ---- */

/* Prompts for approvals as they arrive, until the user leaves. */
int approve_watch(struct cli *c);

/* ---- the loop ---- */

struct watch_options {
	struct str session, thread, turn;
	int64_t after;
	int64_t live_from;          /* events up to here are shown and lead to no prompt */
	int64_t timeout_ms;         /* 0: none */
	bool may_ask;               /* a user is at this terminal */
	bool wait;                  /* another client will decide */
	bool is_held;               /* the queue it waits in is held */
	struct turn_result *result; /* collects it; NULL: it is not wanted */
	bool is_queued;             /* behind another turn of its thread */
};

/* Follows the turn and returns its exit code. */
int watch_turn(struct cli *c, const struct watch_options *o);

/* Routes signals to watch_turn(); call before any thread starts. */
void watch_signal_all(struct cli *c);
/* Readable when a signal for the turn has arrived. */
int watch_signal_fd(void);
/* Why it stops the turn, as a word that interrupt_turn knows. */
const char *watch_signal_reason(void);
/* From now on the first signal stops the turn. */
void watch_signal_begin(void);
/* The turn has ended: a signal ends the program. */
void watch_signal_end(void);

#endif
