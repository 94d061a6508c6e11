#ifndef NET_STREAM_H
#define NET_STREAM_H
/*
 * A connection: bytes in, bytes out, over TCP, a Unix socket, one end of a
 * socketpair, or a pair of descriptors such as stdin and stdout.
 *
 * Life.  A stream starts open, with reading stopped.  Its owner sets ops and
 * user with stream_own(), calls stream_resume(), and later either
 * stream_close() or stream_finish(), once.  After that only on_closed comes:
 * exactly once, always from the loop, and the stream is gone when it returns.
 * A stream that broke (on_gone) still needs its stream_close().
 *
 * Writing never fails and never blocks: bytes are gathered and go out
 * together at the end of the loop's turn.  What the kernel does not take
 * waits here and counts as pending.  Only the writer bounds it: it checks
 * stream_write_pending() and continues in on_drain.  on_drain comes when
 * pending has been above the low-water mark and falls to it or below.
 * Writing to a stream that is closed or broken does nothing.
 *
 * Memory.  An idle stream owns its struct (some 400 bytes) and no buffer: the
 * loop's one read buffer serves all, and the list of waiting writes is freed
 * when it is empty.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "net/loop.h"

struct stream;

struct stream_ops {
	/* bytes live until this returns */
	void (*on_read)(struct stream *s, struct str bytes);
	/* The peer sends no more, but may still read.  NULL: the same as on_gone. */
	void (*on_eof)(struct stream *s);
	/* The connection broke.  Once. */
	void (*on_gone)(struct stream *s);
	void (*on_drain)(struct stream *s);  /* may be NULL */
	void (*on_closed)(struct stream *s); /* may be NULL */
};

#define STREAM_LOW_WATER 16384 /* unless stream_low_water() says otherwise */

/*
 * A connected socket, of any family, or one end of a pipe.  The stream owns
 * fd from now on, also when this fails.
 */
enum err stream_open_fd(struct loop *l, int fd, struct stream **ret, struct error *e) MUST_USE;

/*
 * Two descriptors as one connection: pipes, terminals, sockets, and also
 * plain files and /dev/null, which the kernel cannot wait for and which are
 * read and written straight away.  Descriptors 0 to 2 are left open at the
 * end, with the flags they had.  After a failure the descriptors are lost.
 */
enum err stream_open_pair(struct loop *l, int in_fd, int out_fd, struct stream **ret,
                          struct error *e) MUST_USE;

/* Connects to the Unix socket at path; ERR_NOT_FOUND when no process listens there. */
enum err stream_open_unix(struct loop *l, struct str path, struct stream **ret,
                          struct error *e) MUST_USE;

/* May be called again to give the stream to another owner, also from on_read. */
void stream_own(struct stream *s, const struct stream_ops *ops, void *user);
void *stream_user(const struct stream *s);
struct loop *stream_loop(const struct stream *s);

void stream_resume(struct stream *s); /* start reading */
void stream_pause(struct stream *s);

/*
 * Calls the current owner's on_read with these bytes, as if they had just
 * arrived: an owner that has read too far passes the rest on.
 */
void stream_deliver(struct stream *s, struct str bytes);

/*
 * Waits for the first byte, at most timeout_ms, and then calls `choose` to
 * select the owner: it examines the byte (which is not consumed), and gives the
 * stream to an owner or closes it.  The new owner reads from that first byte on.
 * A stream that ends or stays silent is closed without calling `choose`.
 */
void stream_sniff(struct stream *s, int timeout_ms,
                  void (*choose)(void *arg, struct stream *s, char first), void *arg);

/* The bytes are copied, small ones together. */
void stream_write(struct stream *s, struct str bytes);
/* Takes another reference; nothing is copied. */
void stream_write_bytes(struct stream *s, struct bytes *b);
/* Bytes that were written but not yet taken by the kernel. */
size_t stream_write_pending(const struct stream *s);
void stream_low_water(struct stream *s, uint32_t bytes);
/* Now instead of at the end of the turn.  Calls no callback. */
void stream_write_flush(struct stream *s);

/* Closes immediately and drops pending output.  Safe to call again, and after stream_finish(). */
void stream_close(struct stream *s);
/* Closes *s without further callbacks and sets it to NULL.  *s may be NULL. */
void stream_abandon(struct stream **s);

/*
 * Sends pending output, ends our side, then discards input until the peer ends
 * its side too, and closes: a peer that is still sending would otherwise lose
 * our last bytes to a reset.  Gives up when pending output has not moved for
 * stall_ms, or linger_ms after our side has ended.
 */
void stream_finish(struct stream *s, int stall_ms, int linger_ms);
bool stream_is_closing(const struct stream *s);

/* The peer of a Unix socket, from the kernel. */
struct stream_cred {
	int64_t pid, uid, gid;
};
bool stream_peer_cred(const struct stream *s, struct stream_cred *ret) MUST_USE;

#define STREAM_PEER_MAX 64
/* "127.0.0.1:5123", "[::1]:5123", "unix" or "stdio", for people. */
void stream_peer_text(const struct stream *s, char out[STREAM_PEER_MAX]);
bool stream_is_unix(const struct stream *s);

#endif
