#ifndef SUPERVISOR_REATTACH_H
#define SUPERVISOR_REATTACH_H
/*
 * How the next daemon finds a supervisor whose first one is gone: a socket
 * and a secret in the data directory, both for the user alone.
 */
#include "base/arena.h"
#include "base/err.h"
#include "supervisor/event_loop.h"

#define REATTACH_SECRET_BYTES 32
#define REATTACH_SOCKET "hand.sock"
#define REATTACH_SECRET "hand.secret"

struct reattach {
	struct event_loop *loop;
	struct event_loop_watch listener;
	struct event_loop_watch guest; /* a client that has not sent the secret yet */
	struct alarm late;
	struct str socket_path, secret_path;
	int dir_fd; /* the directory, even if it was renamed since */
	uint64_t socket_inode;
	char secret[2 * REATTACH_SECRET_BYTES + 1];
	/* A client that sent the secret; true takes ownership of the descriptor. */
	bool (*attached)(struct reattach *d, int fd);
};

/* mem keeps the paths. */
enum err reattach_open(struct reattach *d, struct event_loop *l, struct arena *mem, const char *dir,
                       bool (*attached)(struct reattach *d, int fd), struct error *e) MUST_USE;
/* False: the directory or the socket was removed, or replaced: no daemon can come. */
bool reattach_socket_is_valid(const struct reattach *d);
/* Removes socket and secret, if they are still ours.  A zeroed struct is fine. */
void reattach_close(struct reattach *d);

/* A directory of this user that no other user can enter. */
bool reattach_is_private(const char *path);

#endif
