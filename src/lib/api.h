#ifndef LIB_API_H
#define LIB_API_H
/* Shared by the files of the public API only. */
#include "thole/thole.h"

#include "lib/runtime.h"

#include <pthread.h>

#define API_POOL_MAX 64 /* connections that wait for the next call */

struct conn;

/* The public handle: a runtime in this process, or a daemon behind a socket. */
struct thole {
	struct runtime *runtime; /* NULL: connected */
	char *socket_path;
	pthread_mutex_t lock;
	struct conn *pool[API_POOL_MAX];
	size_t pooled;
};

/* NULL of a connection. */
struct runtime *api_runtime(struct thole *t);

/* Until fd is ready: THOLE_OK, THOLE_TIMEOUT or THOLE_CLOSED. */
int api_wait(struct thole *t, int fd, short events, int timeout_ms);

#endif
