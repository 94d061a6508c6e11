/* Asks with one line on the terminal; anything but y or yes is a no. */
#include "app/cli/import/import_ask.h"

#include "app/cli/print/out.h"

#include <stdio.h>
#include <unistd.h>

enum import_answer import_ask(struct cli *c, const char *question, bool has_option)
{
	char line[16];
	size_t len = 0;
	char ch;

	if (has_option)
		return IMPORT_YES;
	if (!c->is_tty_in || !c->is_tty_err)
		return IMPORT_NOT_ASKED;
	fprintf(stderr, "%s [y/N] ", question);
	fflush(stderr);
	while (read(0, &ch, 1) == 1 && ch != '\n')
		if (len < sizeof line - 1)
			line[len++] = ch;
	line[len] = 0;
	return line[0] == 'y' || line[0] == 'Y' ? IMPORT_YES : IMPORT_NO;
}
