#ifndef NET_STREAM_UV_H
#define NET_STREAM_UV_H
/* What the stream*.c files and listener.c share. */
#include "net/loop_uv.h"
#include "net/stream.h"

#include <sys/socket.h>
#include <sys/un.h>

/* One run of bytes that waits to be written. */
struct piece {
	struct bytes *shared; /* NULL: `own` is */
	char *own;
	uint32_t start, len; /* the part still to be written */
	uint32_t cap;        /* of own */
};

struct out {
	uint32_t first, count, cap;
	struct piece pieces[];
};

/* A write that libuv has, because the kernel would not take it. */
struct flight {
	uv_write_t req;
	struct stream *s;
	size_t len;
};

struct finish {
	struct loop_timer timer;
	uv_shutdown_t req;
	struct stream *s;
	int stall_ms, linger_ms;
	size_t last_pending;
	bool has_shut;
};

/* The two ends of stream_open_pair(). */
struct pair {
	union side {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_pipe_t pipe;
		uv_tcp_t tcp;
		uv_tty_t tty;
		uv_idle_t idle; /* a plain file, read once per turn */
	} in, out;
	int in_file, out_file; /* plain files, or -1 */
	int in_fd, out_fd;
	int in_flags, out_flags; /* to be restored */
};

struct stream {
	struct handle_owner owner; /* first: loop_free() looks here */
	bool is_unix : 1;
	bool is_reading : 1;
	bool is_eof : 1;
	bool is_broken : 1;
	bool is_gone_said : 1;
	bool is_above : 1; /* pending has passed the low-water mark */
	bool is_closing : 1;
	uint8_t open_handles;
	uint32_t low_water;
	struct loop *loop;
	const struct stream_ops *ops;
	void *user;
	struct list dirty;
	size_t pending;
	struct out *out;       /* NULL: nothing waits */
	struct flight *flight; /* NULL: libuv has nothing of ours */
	struct finish *finish;
	struct pair *pair;
	uv_stream_t *to; /* NULL: a plain file */
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} h;
};

struct stream *stream_new(struct loop *l);
/* Initialises s->h as a TCP or Unix socket of the loop. */
int stream_init_socket(struct stream *s, bool is_unix);
/* Takes one waiting connection from a listening socket; NULL when that failed. */
struct stream *stream_accept(struct loop *l, uv_stream_t *server, bool is_unix);

/* stream_write.c */
void stream_write_push(struct stream *s);  /* writes what the kernel takes; no callbacks */
void stream_write_touch(struct stream *s); /* look at it again at the end of the turn */
void stream_write_drop(struct stream *s);
/* stream.c: what is due after a push */
void stream_settle(struct stream *s);

/*
 * The address of a Unix socket.  A path that does not fit goes by way of its
 * directory, whose descriptor comes back in *ret_dir and must be closed after
 * the address was used (-1: none).
 */
enum err stream_open_unix_address(struct str path, struct sockaddr_un *ret, int *ret_dir,
                                  struct error *e) MUST_USE;

#endif
