#ifndef APP_CHAT_SCREEN_H
#define APP_CHAT_SCREEN_H
/*
 * The terminal of a chat: finished text above, the live area at the bottom.
 *
 * Finished text is written once and belongs to the terminal's scrollback from
 * then on.  Only rows of the live area are ever overwritten, and only those
 * that changed, inside one synchronized update.  After a change of size the
 * screen is cleared and the end of the text is written again, because
 * terminals differ in what they do with rows that no longer fit.
 */
#include "app/chat/screen/chat_draw.h"

#include <termios.h>

struct chat_screen {
	int in, out; /* the terminal */
	struct termios before;
	bool has_before, is_raw;
	struct buf bytes; /* to be written */
	struct chat_frame shown;
	size_t at_row;   /* of the cursor in the live area */
	struct buf tail; /* the end of the finished text, for a change of size */
	size_t columns, rows;
};

/* Takes the terminal over; false: it cannot be set up. */
bool chat_screen_open(struct chat_screen *s, int in, int out);
/* Takes the live area off the screen.  The terminal stays taken over, so no key is lost or echoed. */
void chat_screen_clear(struct chat_screen *s);
/* Leaves the live area below the text and gives the terminal back.  For an editor, too. */
void chat_screen_pause(struct chat_screen *s);
bool chat_screen_resume(struct chat_screen *s);
/* Ends the modes that a program may have left when it was killed.  While paused. */
void chat_screen_reset(struct chat_screen *s, bool is_alternate);
void chat_screen_close(struct chat_screen *s);
/* Reads the size; returns whether it has changed. */
bool chat_screen_measure(struct chat_screen *s);

/* Writes finished lines above the frame, and the frame.  The frame's content is kept. */
void chat_screen_put(struct chat_screen *s, struct str finished, struct chat_frame *f);
/* The same after a change of size. */
void chat_screen_repaint(struct chat_screen *s, struct chat_frame *f);
/* Text that something else wrote to the terminal while it was given back. */
void chat_screen_remember(struct chat_screen *s, struct str text);
/* A notification in the form that the terminal knows, and the bell, for a window that is not in focus. */
void chat_screen_notify(struct chat_screen *s, const char *text);

#endif
