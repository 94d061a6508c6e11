#ifndef APP_MARKDOWN_H
#define APP_MARKDOWN_H
/*
 * Markdown for a terminal, as it streams in.
 *
 * What comes out is only ever added to: nothing that was shown is taken back,
 * so no change of the window's size can garble it.  What cannot be judged yet
 * is held back: the beginning of a line until it is clear what kind of line it
 * is, an opened `code` or **bold** until it is closed (or turns out not to be),
 * a word until it ends, because only then it is known on which line it fits.
 *
 * Known are headings, lists, quotes, rules, tables, fenced code, code, bold and
 * emphasis; anything else is text.  A table is held back until it is over.  Control characters are made visible.
 * Without colour the marks stay, so that nothing said by them is lost.
 *
 * Pure: bytes in, bytes out.
 */
#include "base/buf.h"

enum md_block { MD_START, MD_TEXT, MD_HEADING, MD_VERBATIM, MD_CODE };

struct markdown {
	struct buf *out;
	size_t columns; /* 0: lines are not broken; may change at any time */
	bool color;

	enum md_block block; /* what the current line is; MD_START: not known yet */
	struct buf held;     /* of the current line, not shown yet */
	char before;         /* the character in front of what is held */
	char fence;          /* inside fenced code: its character, else 0 */
	size_t fence_len;

	struct buf table; /* its rows so far, as they came */

	struct buf word; /* with its styles */
	size_t word_width;
	size_t spaces;     /* that stand in front of the word, when it fits */
	size_t column;     /* where the next character stands */
	size_t indent;     /* of further lines of a list item */
	unsigned style;    /* of the text that is added to the word */
	unsigned on_style; /* that is switched on at the end of the word */
};

void markdown_init(struct markdown *m, struct buf *out, size_t columns, bool color);
/* A piece of the text, cut anywhere. */
void markdown_add(struct markdown *m, struct str piece);
/* Something else is to be shown in between: the line is left, the text goes on below. */
void markdown_pause(struct markdown *m);
/* The text is over: what was held is shown, and the line ends. */
void markdown_end(struct markdown *m);
void markdown_done(struct markdown *m);
/* Does the cursor stand at the beginning of a line? */
static inline bool markdown_is_at_start(const struct markdown *m)
{
	return m->column == 0;
}

#endif
