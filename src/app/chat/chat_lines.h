#ifndef APP_CHAT_LINES_H
#define APP_CHAT_LINES_H
/*
 * The order of what the user enters.
 *
 * One message is on its way at a time: the first one makes the session that all
 * others belong to, and a message that is refused returns to the input.  Lines
 * that come faster than answers wait; commands too, because they may need the
 * session or change what follows.
 *
 * ch->later holds the lines that wait: a digit for the delivery, the text, NUL.
 */
#include "base/buf.h"
#include "base/str.h"

struct chat;

enum chat_delivery { CHAT_STEER, CHAT_QUEUE };

/* A line of the user: a message, a command of the chat, or a command of a shell. */
void chat_lines_enter(struct chat *ch, struct str line, enum chat_delivery delivery);
/* Does what waited and can be done now. */
void chat_lines_send(struct chat *ch);

static inline size_t chat_lines_count(const struct buf *later)
{
	size_t count = 0;

	for (size_t i = 0; i < later->len; i++)
		count += !later->ptr[i];
	return count;
}

#endif
