#ifndef SERVE_A2A_PUSH_INT_H
#define SERVE_A2A_PUSH_INT_H
/* What the files of push notifications share. */
#include "a2a/a2a_task.h"
#include "net/http/http_client.h"
#include "serve/a2a/a2a_edge.h"

/* Configurations are kept in this many values, so that a change writes few of them. */
#define A2A_PUSH_SHELVES 64

struct a2a_config {
	struct list node;
	struct a2a_pushes *all;
	struct arena *mem;
	struct str id, session_id, task_id, principal, reach, token_hash; /* whose it is */
	struct str url, token, scheme, credentials, output_url;
	uint64_t after, seen; /* delivered up to here; the event that is being delivered */
	/* of its follower */
	struct subscription *sub;
	struct control_stream ask;
	struct a2a_task task;
	struct http_client_call *call;
	struct loop_timer timer; /* the next attempt, or its end */
	struct buf body;
	int status; /* of the response under way */
	unsigned attempts;
	bool is_final; /* nothing follows what is being sent */
	bool is_gone;
};

struct a2a_pushes {
	struct a2a_edge *edge;
	struct list configs;
	size_t count;
	struct loop_timer save;
	uint64_t dirty; /* shelves to be written, one bit each */
};

/* ---- a2a_push_store.c ---- */

enum err a2a_push_store_read(struct a2a_pushes *all, struct error *e) MUST_USE;
/* Writes the shelf of a configuration now. */
enum err a2a_push_store_write(struct a2a_pushes *all, struct str id, struct error *e) MUST_USE;
/* Writes it within a second. */
void a2a_push_store_later(struct a2a_pushes *all, struct str id);
/* Writes what waits to be written. */
void a2a_push_store_flush(struct a2a_pushes *all);

/* ---- a2a_push_send.c ---- */

void a2a_push_send_start(struct a2a_config *c);
void a2a_push_send_stop(struct a2a_config *c);

/* ---- a2a_push.c ---- */

struct a2a_config *a2a_push_make(struct a2a_pushes *all);
/* Removes it everywhere. */
void a2a_push_forget(struct a2a_config *c);

#endif
