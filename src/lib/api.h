#ifndef LIB_API_H
#define LIB_API_H
/* Shared by the files of the public API, and by nobody else. */
#include "lib/runtime.h"

/* NULL of a connection. */
struct runtime *api_runtime(struct thole *t);

/* Until fd is ready: THOLE_OK, THOLE_TIMEOUT or THOLE_CLOSED; steps a runtime of the caller's own loop. */
int api_wait(struct thole *t, int fd, short events, int timeout_ms);

#endif
