#ifndef NET_LOOP_UV_H
#define NET_LOOP_UV_H
/*
 * Private to loop.c, stream.c, listener.c and watch.c: the libuv loop, the one
 * read buffer, and the list of streams to flush.
 */
#include "net/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

#define LOOP_READ_SIZE 65536

struct loop {
	uv_loop_t uv;
	uv_prepare_t prepare;
	uv_idle_t again;  /* active: do not sleep */
	uv_timer_t alarm; /* ends the wait: for the first timer, or of loop_run_once() */
	uv_async_t async;
	atomic_bool stopping;
	bool is_again;

	struct list hooks;
	struct list hooks_seen; /* during a turn: hooks that have run */

	struct loop_timer **heap;
	size_t heap_count, heap_cap;
	uint64_t heap_order;
	int64_t limit_ms; /* when loop_run_once() must return; -1: no limit */

	pthread_mutex_t lock; /* of the two lists below and of is_sent */
	struct list sent;
	struct list waking; /* taken from sent, still to be called */

	struct list signals;

	/* Streams with gathered writes; stream.c sets flush with the first of them. */
	struct list dirty;
	void (*flush)(struct loop *l);
	/*
	 * Bytes are read here and delivered in the same callback, so that an idle
	 * connection owns no buffer.
	 */
	char *read_buf;
};

/* The next wait does not sleep. */
void loop_again(struct loop *l);

/* loop_free() calls these for each open handle. */
void stream_close_handle(uv_handle_t *h);
void listener_close_handle(uv_handle_t *h);
void watch_close_handle(uv_handle_t *h);

/*
 * The data pointer of a handle that is not the loop's own points to one of
 * these (as first member of a struct), so that loop_free() knows its kind.
 */
enum handle_kind { HANDLE_STREAM, HANDLE_LISTENER, HANDLE_WATCH };
struct handle_owner {
	enum handle_kind kind;
};

#endif
