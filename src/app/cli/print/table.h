#ifndef APP_TABLE_H
#define APP_TABLE_H
/* Rows of cells for a terminal or a pipe. */
#include "app/cli/print/out.h"

#define TABLE_COLUMNS 8

struct table {
	struct cli *c;
	size_t columns, rows, cap;
	const char **cells;
	enum tone *tones; /* one per row */
	bool folds;       /* the last cell continues on further lines instead of being cut */
};

/* Heads are words, NULL at the end.  The last column takes the room that is left. */
void table_begin(struct table *t, struct cli *c, const char *const *heads);
/* Cells are kept as they are: make them safe first. */
void table_row(struct table *t, enum tone tone, const char *const *cells);
void table_print(struct table *t, FILE *out);

#endif
