#ifndef APP_TURN_H
#define APP_TURN_H
/*
 * Following one turn to its end: show.c says what happens, screen.c puts it on
 * the terminal, ask.c gets the decisions, watch.c holds them together.
 */
#include "app/cli/print/shown_event.h"
#include "app/cli/connection.h"
#include "app/cli/print/markdown.h"

/* ---- what is said ---- */

/* The input of a turn as JSON: the prompt, and the images of the options. */
int image_read_input(struct cli *c, struct str prompt, struct str *ret);

/* ---- what is shown ---- */

/* The answer is the result and goes to stdout, everything else to stderr. */
enum pane { PANE_ANSWER, PANE_ASIDE };

struct sink {
	void (*put)(void *arg, enum pane pane, struct str bytes);
	void *arg;
};

#define SHOW_CALLS 16

/* A tool that has been called and has not ended. */
struct show_call {
	char id[64], name[128], detail[128], progress[256];
	int64_t since; /* wall milliseconds */
};

/*
 * Facts of a turn to bytes for the two panes.  It knows no terminal: what it
 * may use of one (colour, width) is in the cli and in columns.
 */
struct show {
	const struct cli *c;
	struct sink sink;
	size_t columns;    /* of the terminal; may change between facts */
	bool is_silent;    /* --json: the facts themselves are the result */
	bool is_midline;   /* the answer does not stand at the beginning of a line */
	bool is_reasoning; /* the aside is in the middle of reasoning */
	bool has_markdown;
	struct markdown markdown;
	struct buf bytes;     /* of the markdown */
	char request_id[256]; /* the model request whose text stands last */
	int64_t began_at;

	struct show_call calls[SHOW_CALLS];
	size_t call_count;
	char model[96]; /* that was asked and has not said anything yet */
	int64_t asked_at;
	int64_t retry_at; /* the model is asked again then; 0: it does not wait for that */
};

void show_init(struct show *s, const struct cli *c, struct sink sink);
void show_done(struct show *s);
void show_event(struct show *s, struct arena *mem, const struct shown_event *f);
/* Before anything else is written to stderr. */
void show_line(struct show *s);
/* The text so far ends with a newline after this. */
void show_text_end(struct show *s);
void show_end(struct show *s, struct arena *mem, const struct shown_event *f);
/* Is there something that show_live() may tell, now or soon? */
bool show_is_busy(const struct show *s);
/* What is going on at this moment, for one line that is painted over; NULL: nothing to say. */
const char *show_live(const struct show *s, struct arena *mem, int64_t now);

/* ---- the terminal ---- */

/*
 * The two streams, and on a terminal a last line that says what is going on.
 * That line is the only thing that is ever painted over.
 */
struct screen {
	const struct cli *c;
	bool has_live;
	size_t painted; /* columns of the line that stands there, 0: none */
};

void screen_init(struct screen *s, const struct cli *c);
struct sink screen_sink(struct screen *s);
size_t screen_columns(const struct screen *s);
/* NULL: the line goes. */
void screen_live(struct screen *s, const char *text);

/* ---- decisions ---- */

/* One field of an answer. */
struct field {
	struct str name;
	struct str title;
	struct json schema;
	struct json choices; /* an array, or JSON_NONE */
	bool is_required;
};

#define FORM_MAX 16

/* What a question wants to know, read off its schema. */
struct form {
	struct field fields[FORM_MAX];
	size_t count; /* 0: any JSON, as text */
};

void form_read(struct form *f, struct json schema);
/* The JSON value that a person's word stands for in this field; false: it fits none. */
bool form_field_value(struct arena *mem, const struct field *f, struct str word, struct str *ret);
/* The payload for one word, when one field is enough for it. */
bool form_fill(struct arena *mem, const struct form *f, struct str word, struct str *ret);
void form_print(struct cli *c, const struct form *f);

/* The lines that say what to type to decide this. */
void form_decision_hint(struct cli *c, struct json action);

/* Decisions as they come, until the person leaves. */
int approve_watch(struct cli *c);

/* ---- to the end ---- */

struct watch_options {
	struct str session, thread, turn;
	int64_t after;
	int64_t live_from;  /* what happened up to here is shown, and nobody is asked about it */
	int64_t timeout_ms; /* 0: none */
	bool may_ask;       /* there is a person at this terminal */
	bool wait;          /* nobody here, but somebody elsewhere will decide */
	bool is_held;       /* the queue it waits in is held */
};

/* The exit code of the turn. */
int watch_turn(struct cli *c, const struct watch_options *o);

/* Signals are kept for watch_turn from now on; call before anything makes threads. */
void watch_signal_all(struct cli *c);
/* Readable when one has come for the turn. */
int watch_signal_fd(void);
/* From now on there is a turn for the first one. */
void watch_signal_begin(void);

#endif
