#ifndef GRPC_FRAME_H
#define GRPC_FRAME_H
/*
 * Messages inside the data of a stream: a flag, a length of four bytes, and the message.  No split
 * of the bytes changes what is read.  No I/O.
 */
#include "base/buf.h"

enum grpc_frame_step {
	GRPC_FRAME_MORE,      /* all bytes are taken */
	GRPC_FRAME_MESSAGE,   /* message holds one, until the next call */
	GRPC_FRAME_TOO_LARGE, /* announced longer than max */
	GRPC_FRAME_COMPRESSED,
	GRPC_FRAME_BAD, /* another flag */
};

#define GRPC_FRAME_HEAD 5

/* A zeroed struct with max set is ready. */
struct grpc_frame {
	size_t max;
	struct buf message;
	size_t size; /* of the message that is being read */
	uint8_t head[GRPC_FRAME_HEAD];
	uint8_t head_len;
	bool is_complete; /* message was given out */
};

/* Takes bytes from the front of *bytes.  After an error nothing more may be fed. */
enum grpc_frame_step grpc_frame_feed(struct grpc_frame *f, struct str *bytes) MUST_USE;
/* Whether the bytes so far end between messages. */
bool grpc_frame_is_whole(const struct grpc_frame *f);
void grpc_frame_done(struct grpc_frame *f);

/* Leaves room for the head; what is written to out until grpc_frame_end() is the message. */
size_t grpc_frame_begin(struct buf *out);
void grpc_frame_end(struct buf *out, size_t begin);

#endif
