#ifndef APP_MARKDOWN_TABLE_H
#define APP_MARKDOWN_TABLE_H
/*
 * Tables inside Markdown: rows that begin with '|', the second of them only of
 * dashes and colons.  Columns can be lined up only when all rows are there, so
 * markdown.c holds them back until something else comes.
 */
#include "app/cli/print/markdown.h"

/* More than this is shown as it came. */
#define TABLE_BYTES_MAX (64u << 10)
#define TABLE_ROWS_MAX 256
#define TABLE_CELLS_MAX 16

/* Could this line be a row?  Its end need not be there. */
bool markdown_table_is_row(struct str line);
/*
 * The rows, each with its newline, lined up: with colour under a line, without
 * between bars.  As they are when they make no table, or none that fits.
 */
void markdown_table_show(struct str rows, size_t columns, bool color, struct buf *out);

/* markdown.c: text without line breaks, with the styles of its marks; the columns it takes. */
size_t markdown_spans(struct buf *out, struct str text, bool color, bool is_bold);

#endif
