#ifndef APP_CHAT_SHELL_TEXT_H
#define APP_CHAT_SHELL_TEXT_H
/*
 * What a command wrote to its terminal, as plain text for a model.
 *
 * Colours and motions are left out.  A line that was written again, such as a
 * bar that shows progress, is kept as it was last.  What was on the alternate
 * screen, where editors and pagers work, is left out.
 *
 * Pure: bytes in, text out, in pieces of any size.
 */
#include "base/buf.h"

struct chat_shell_text {
	struct buf text; /* the beginning of the output, without control characters */
	size_t max;      /* of its bytes */
	bool is_cut;     /* there was more */

	enum {
		SHELL_PLAIN,
		SHELL_ESCAPE,
		SHELL_CSI,
		SHELL_OSC,
		SHELL_OSC_ESCAPE,
		SHELL_SKIP
	} state;
	char params[32]; /* of the sequence that is read */
	size_t param_count;
	bool is_returned;  /* the cursor is at the beginning of the line */
	bool is_alternate; /* the alternate screen is shown */
};

void chat_shell_text_add(struct chat_shell_text *t, struct str bytes);
void chat_shell_text_done(struct chat_shell_text *t);

#endif
