#ifndef APP_MARKDOWN_TABLE_H
#define APP_MARKDOWN_TABLE_H
/*
 * Tables inside Markdown: rows that begin with '|', the second of them only of
 * dashes and colons.  Columns can be aligned only when all rows are known, so
 * markdown.c holds them back until another kind of line comes.
 */
#include "app/cli/print/markdown.h"

/* Larger tables are shown as received. */
#define TABLE_BYTES_MAX (64u << 10)
#define TABLE_ROWS_MAX 256
#define TABLE_CELLS_MAX 16

/* Whether this line, which may be incomplete, can be a row. */
bool markdown_table_is_row(struct str line);
/*
 * Writes the rows, each with its newline, with aligned columns: with colour the
 * head is underlined, without colour bars stay.  Rows that form no table, or
 * none that fits, are written as received.
 */
void markdown_table_show(struct str rows, size_t columns, bool color, struct buf *out);

/* markdown.c: adds text without line breaks, styled by its marks; returns its width. */
size_t markdown_spans(struct buf *out, struct str text, bool color, bool is_bold);

#endif
