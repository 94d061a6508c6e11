#ifndef TEXT_COMMAND_TEXT_H
#define TEXT_COMMAND_TEXT_H
/*
 * The text of a command file with the arguments that the user typed.
 *
 *	$ARGUMENTS   everything behind the name
 *	$1 … $9      one word of it; quotes hold a word together; empty if there are fewer
 *
 * A text without any of these gets the arguments as a last paragraph, so that
 * they are not lost.  What comes from arguments is not expanded again.
 */
#include "base/arena.h"

struct str command_text_expand(struct arena *mem, struct str body, struct str arguments);

#endif
