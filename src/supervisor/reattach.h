#ifndef SUPERVISOR_REATTACH_H
#define SUPERVISOR_REATTACH_H
/*
 * How the next daemon finds a supervisor whose first one is gone: a socket
 * and a secret in the data directory, both for the user alone.
 */
#include "base/arena.h"
#include "base/err.h"
#include "supervisor/event_loop.h"

#define DOOR_SECRET_BYTES 32
#define DOOR_SOCKET "hand.sock"
#define DOOR_SECRET "hand.secret"

struct door {
	struct loop *loop;
	struct watch listener;
	struct watch guest; /* a connection that has not said who it is */
	struct alarm late;
	struct str socket_path, secret_path;
	int dir_fd; /* where they are, whatever it is called by now */
	uint64_t socket_inode;
	char secret[2 * DOOR_SECRET_BYTES + 1];
	/* Somebody with the secret; true takes the descriptor over. */
	bool (*attached)(struct door *d, int fd);
};

/* mem keeps the paths. */
enum err door_open(struct door *d, struct loop *l, struct arena *mem, const char *dir,
                   bool (*attached)(struct door *d, int fd), struct error *e) MUST_USE;
/* False: the directory or the socket was removed, or another one stands there.  Nobody will come. */
bool door_is_there(const struct door *d);
/* Removes socket and secret, if they are still ours.  A zeroed door is fine. */
void door_close(struct door *d);

/* A directory that belongs to us and is closed to everybody else. */
bool door_is_private(const char *path);

#endif
