#ifndef NET_LISTENER_H
#define NET_LISTENER_H
/*
 * Listening sockets, TCP and Unix.
 *
 * TCP addresses are written "127.0.0.1:8080", "[::1]:8080" or
 * "localhost:8080" (which is 127.0.0.1); port 0 takes a free one, which
 * listener_address() returns.  Other names are refused: a listening address must
 * not depend on a name server.
 *
 * A Unix socket is created with mode 0600 for every umask.  A socket file
 * that is already there is replaced only if no process listens on it; any other
 * kind of file is left alone and is an error.  Closing removes the file if it
 * is still ours.
 *
 * When descriptors run out, connections that wait are accepted on a spare one
 * and closed at once (libuv keeps the spare), so the loop neither spins nor
 * hangs.
 */
#include "net/stream.h"

struct listener;

/* s has no owner yet and does not read: call stream_own(), stream_sniff() or stream_close() now. */
typedef void listener_accept(void *arg, struct stream *s);

enum err listener_tcp(struct loop *l, struct str address, listener_accept *cb, void *arg,
                      struct listener **ret, struct error *e) MUST_USE;
enum err listener_unix(struct loop *l, struct str path, listener_accept *cb, void *arg,
                       struct listener **ret, struct error *e) MUST_USE;

/*
 * A descriptor that the parent process has bound, Unix or TCP as is_unix says.
 * The listener owns it, also when this fails; closing leaves its socket file.
 */
enum err listener_fd(struct loop *l, int fd, bool is_unix, listener_accept *cb, void *arg,
                     struct listener **ret, struct error *e) MUST_USE;

/* "127.0.0.1:40123" with the port that was bound, or the path of the Unix socket. */
struct str listener_address(const struct listener *li);
int listener_port(const struct listener *li); /* 0 for a Unix socket */

/* No more callbacks after this; connections that were accepted live on.  NULL is fine. */
void listener_close(struct listener *li);

#endif
