#ifndef APP_MARKDOWN_H
#define APP_MARKDOWN_H
/*
 * Markdown for a terminal, as it streams in.
 *
 * Output is only appended, never rewritten, so a change of the window's size
 * cannot garble it.  Text whose meaning is not yet known is held back: the
 * beginning of a line until the kind of line is clear, an opened `code` or
 * **bold** until it is closed (or turns out not to be), a word until it ends,
 * because only then its width is known.
 *
 * Known are headings, lists, quotes, rules, tables, fenced code, code, bold and
 * emphasis; anything else is text.  A table is held back until it ends.  Control
 * characters are made visible.  Without colour the marks stay, so that no
 * meaning is lost.
 *
 * Pure: bytes in, bytes out.
 */
#include "base/buf.h"

enum md_block { MD_START, MD_TEXT, MD_HEADING, MD_VERBATIM, MD_CODE };

struct markdown {
	struct buf *out;
	size_t columns; /* 0: lines are not broken; may change at any time */
	bool color;

	enum md_block block; /* kind of the current line; MD_START: not known yet */
	struct buf held;     /* part of the current line, not yet written */
	char before;         /* the character before the held text */
	char fence;          /* inside fenced code: its character, else 0 */
	bool is_apart;       /* the line before is empty */
	bool is_indented;    /* the line before is indented code */
	bool is_item;        /* the lines belong to an item of a list */
	size_t fence_len;

	struct buf table; /* its rows so far, as received */

	struct buf word; /* with its styles */
	size_t word_width;
	size_t spaces;     /* before the word, if it fits on this line */
	size_t column;     /* of the next character */
	size_t indent;     /* of further lines of a list item */
	unsigned style;    /* of the text that is added to the word */
	unsigned on_style; /* that is switched on at the end of the word */
};

void markdown_init(struct markdown *m, struct buf *out, size_t columns, bool color);
/* Adds a piece of the text, which may be cut anywhere. */
void markdown_add(struct markdown *m, struct str piece);
/* Ends the line so that other output can follow; the text continues below it. */
void markdown_pause(struct markdown *m);
/* Ends the text: writes what was held and ends the line. */
void markdown_end(struct markdown *m);
void markdown_done(struct markdown *m);
/* Whether the cursor is at the beginning of a line. */
static inline bool markdown_is_at_start(const struct markdown *m)
{
	return m->column == 0;
}

#endif
