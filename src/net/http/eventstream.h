#ifndef NET_EVENTSTREAM_H
#define NET_EVENTSTREAM_H
/*
 * Messages of application/vnd.amazon.eventstream, the binary framing of AWS
 * streams.  No I/O.
 *
 *   total length │ length of headers │ CRC ║ headers │ payload │ CRC of all
 *        4       │         4         │  4  ║                   │     4
 *
 * Numbers are big-endian.  Both checksums are verified, so a damaged message is
 * never delivered.
 */
#include "base/buf.h"

struct eventstream_message {
	struct str message_type; /* :message-type: event, exception, error */
	struct str event_type;   /* :event-type or :exception-type; of an error its :error-code */
	struct str error;        /* :error-message */
	struct str payload;
};

/* A zeroed struct with max set is ready. */
struct eventstream {
	size_t max;         /* bytes of one message */
	struct buf message; /* what has come of it */
	const char *trouble;
};

enum eventstream_step {
	EVENTSTREAM_MORE,    /* all bytes are used up */
	EVENTSTREAM_MESSAGE, /* views live until the next call */
	EVENTSTREAM_BAD,     /* trouble says why; nothing can follow */
};

/* Takes bytes up to the end of the next message; wherever they are cut, messages are the same. */
enum eventstream_step eventstream_next(struct eventstream *s, struct str *bytes,
                                       struct eventstream_message *ret);
void eventstream_done(struct eventstream *s);

#endif
