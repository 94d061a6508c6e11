#ifndef APP_CHAT_DRAW_H
#define APP_CHAT_DRAW_H
/*
 * The live area below the conversation as rows of text: what streams and runs,
 * queued messages, a prompt, completions, the input and the status line.
 *
 * No row is wider than the terminal less one column, so that no terminal wraps
 * it.  When there are more rows than the terminal has, those at the top go.
 *
 * Pure: the same scene gives the same frame.
 */
#include "app/chat/input/chat_edit.h"
#include "app/chat/screen/chat_view.h"

#define CHAT_ROWS_MAX 256
#define CHAT_MENU_MAX 64
#define CHAT_MENU_ROWS 8

struct chat_menu {
	struct str items[CHAT_MENU_MAX];  /* what is inserted */
	const char *notes[CHAT_MENU_MAX]; /* behind it; may be NULL */
	size_t count, selected;
};

struct chat_scene {
	const struct chat_view *view;
	const struct chat_edit *edit;
	const struct chat_menu *menu; /* NULL: none is open */
	size_t columns, rows;
	int64_t now; /* wall time */
	bool color, is_plain;
	const char *place;   /* directory and branch */
	const char *prompt;  /* the choices of an approval, or what is asked; NULL: none */
	const char *notice;  /* one line about the client itself; NULL: none */
	const char *sending; /* a message that the runtime has not confirmed; NULL: none */
	const char *hint;    /* in an empty input; NULL: none */
};

struct chat_frame {
	struct buf bytes;
	size_t ends[CHAT_ROWS_MAX]; /* of each row in bytes */
	size_t count;
	size_t cursor_row, cursor_column;
};

void chat_draw_frame_done(struct chat_frame *f);
struct str chat_draw_row(const struct chat_frame *f, size_t row);
/* Columns for a row of input. */
size_t chat_draw_input_columns(size_t columns);
void chat_draw(struct chat_frame *f, const struct chat_scene *s, struct arena *mem);

#endif
