#ifndef AGUI_MESSAGES_H
#define AGUI_MESSAGES_H
/*
 * The messages of a thread, folded from the events of its session: what a front end that opens the
 * thread has to show.  Pure.
 *
 * Ids are those that the same messages have in runs, so a front end that has seen some of them keeps
 * them.  The newest messages count: agui_messages of them, and agui_messages_bytes of text.
 */
#include "base/buf.h"
#include "base/json.h"

enum agui_message_kind {
	AGUI_MESSAGE_USER,
	AGUI_MESSAGE_ASSISTANT,
	AGUI_MESSAGE_CALL,
	AGUI_MESSAGE_RESULT,
};

struct agui_message {
	struct arena *mem;
	enum agui_message_kind kind;
	uint64_t sequence; /* of its first event */
	struct str id, call_id, name, turn_id;
	struct buf text; /* words, arguments or output */
	struct str ref;  /* where the whole text is stored; absent: text is all of it */
	bool is_parts;   /* ... as a list of parts, in JSON */
};

struct agui_messages {
	struct arena *mem;
	struct str thread_id; /* the first of the session */
	struct agui_message **list;
	size_t count, bytes;
	uint64_t sequence;           /* of the event that is folded */
	struct agui_message *text;   /* that grows; NULL: none */
	struct agui_message *broken; /* what a failed request wrote, until the next one writes */
};

void agui_messages_init(struct agui_messages *m);
void agui_messages_done(struct agui_messages *m);
/* An event of the session, in order. */
void agui_messages_event(struct agui_messages *m, struct json event);
/* The newest message whose text is stored elsewhere; NULL: none. */
struct agui_message *agui_messages_wants(const struct agui_messages *m);
/* What was stored; absent: it cannot be read any more, and the beginning has to do. */
void agui_messages_give(struct agui_messages *m, struct agui_message *message, struct str text);
/* MESSAGES_SNAPSHOT, as a server-sent event. */
void agui_messages_write(struct buf *out, const struct agui_messages *m);

#endif
