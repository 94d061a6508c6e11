#ifndef APP_TURN_H
#define APP_TURN_H
/*
 * Following one turn to its end: show.c says what happens, ask.c gets the
 * decisions, watch.c holds both together.
 */
#include "app/cli/fact.h"
#include "app/cli/link.h"

/* ---- what is shown ---- */

struct show {
	struct cli *c;
	bool is_json;
	bool has_text;      /* something of the answer was printed */
	bool is_midline;    /* stdout does not stand at the beginning of a line */
	bool is_reasoning;  /* stderr is in the middle of reasoning */
	struct str request; /* the model request whose text stands last */
	char request_id[256];
	int64_t began_at;
};

void show_init(struct show *s, struct cli *c);
void show_fact(struct show *s, struct arena *mem, const struct fact *f);
/* Before anything else is written to stderr. */
void show_line(struct show *s);
/* The text so far ends with a newline after this. */
void show_text_end(struct show *s);
void show_end(struct show *s, struct arena *mem, const struct fact *f);

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
bool field_value(struct arena *mem, const struct field *f, struct str word, struct str *ret);
/* The payload for one word, when one field is enough for it. */
bool form_fill(struct arena *mem, const struct form *f, struct str word, struct str *ret);
void form_print(struct cli *c, const struct form *f);

/* The lines that say what to type to decide this. */
void decision_hint(struct cli *c, struct json action);

/* ---- to the end ---- */

struct watch_options {
	struct str session, thread, turn;
	int64_t after;
	int64_t timeout_ms; /* 0: none */
	bool may_ask;       /* there is a person at this terminal */
	bool wait;          /* nobody here, but somebody elsewhere will decide */
	bool is_held;       /* the queue it waits in is held */
};

/* The exit code of the turn. */
int watch_turn(struct cli *c, const struct watch_options *o);

/* Signals are kept for watch_turn from now on; call before anything makes threads. */
void watch_signals(struct cli *c);

#endif
