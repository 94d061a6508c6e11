#ifndef TEXT_MARKDOWN_IMPORTS_H
#define TEXT_MARKDOWN_IMPORTS_H
/*
 * Imports of an instruction file: words that begin with "@" and name another
 * file, as in "see @docs/style.md".  Code spans and fenced blocks hold examples
 * and no imports.  An "@" inside a word, as in an address, is none either.
 */
#include "base/str.h"

struct markdown_imports {
	struct str rest; /* lines that follow */
	struct str line; /* the rest of the current line */
	char before;     /* the character before it */
	char fence;      /* of the open block; 0: none is open */
	size_t fence_len;
};

void markdown_imports_begin(struct markdown_imports *m, struct str text);
/* The next path as it is written, without punctuation at its end; false: no more. */
bool markdown_imports_next(struct markdown_imports *m, struct str *ret);

#endif
