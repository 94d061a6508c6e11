#ifndef ENGINE_LISTENERS_H
#define ENGINE_LISTENERS_H
/*
 * Listeners: who is called when something happens to a session, to its events
 * and to the store.
 *
 * The lower files of the engine (apply.c, commit.c, session.c, load.c, and
 * those that watch the disk) name an occasion; the table in listeners.c lists
 * the callbacks and their order.  So they do not depend on their users, and a
 * new listener is one line.  Everything happens on the loop thread.  Each
 * member is an array that ends with NULL.
 */
#include "base/str.h"

#include <stddef.h>

struct engine;
struct session;
struct decision;
struct event;
struct slice;
struct pending_slice;
struct due_effect;
struct error;

/* How far the load of a session has come. */
enum load_phase {
	LOAD_BEGINS,    /* nothing was read yet */
	LOAD_READ,      /* its state is loaded; no decision was made yet */
	LOAD_RECOVERED, /* work that an earlier runtime left open has been recorded as lost */
	LOAD_ARRIVES,   /* before the requests that waited for it */
	LOAD_DONE,      /* after them */
	LOAD_MISSING,   /* there is no such session */
	LOAD_BROKEN,    /* it cannot be read */
	LOAD_ELSEWHERE, /* another node owns it */
};

struct listeners {
	/* Before a decision: each adds its part of the decision's input. */
	void (*const *prepare)(struct session *s, struct decision *d);
	/* An event got its sequence; the decision holds the blobs that it names. */
	void (*const *written)(struct session *s, const struct decision *d, const struct event *ev);
	/* Before and after an event changes the state. */
	void (*const *fold)(struct session *s, const struct event *ev);
	void (*const *folded)(struct session *s, const struct event *ev);
	/* No step follows; the decision is the last, empty one. */
	void (*const *stepped)(struct session *s, const struct decision *d);
	/* A decision and everything that follows from it is applied. */
	void (*const *settled)(struct session *s);
	/* The same, when the memory of the decision is free again: other decisions are possible. */
	void (*const *over)(struct engine *e);

	/* The events of a slice are durable. */
	void (*const *published)(struct engine *e, const struct pending_slice *p);
	/* An effect that one of them authorises may start. */
	void (*const *effect_due)(struct session *s, const struct due_effect *due);
	/* Whatever waited for these events continues. */
	void (*const *durable)(struct session *s);
	/* They will never be durable. */
	void (*const *undone)(struct engine *e, const struct slice *slice);
	/* A batch was submitted or completed. */
	void (*const *batch_moved)(struct engine *e);
	/* A batch was completed, with this error or none. */
	void (*const *batch_done)(struct engine *e, const struct error *why);
	void (*const *store_failed)(struct engine *e);
	/* It is unavailable, again and again while it is. */
	void (*const *store_away)(struct engine *e);
	/* The disk is full or has space again; it does not keep up, or does again. */
	void (*const *disk_full)(struct engine *e);
	void (*const *disk_has_room)(struct engine *e);
	void (*const *throttle_changed)(struct engine *e);
	/* The node is about to end: whatever it need not keep is released.  Again and again until then. */
	void (*const *leaving)(struct engine *e);

	void (*const *load)(struct session *s, enum load_phase phase);
	/* A session is dropped with its uncommitted events: before and after it leaves the map. */
	void (*const *drop)(struct session *s);
	void (*const *dropped)(struct session *s);
	/* It has left the map of sessions; and its memory is about to be freed. */
	void (*const *left)(struct session *s);
	void (*const *freed)(struct session *s);

	/* Is context being read for a turn in a directory?  The first true counts. */
	bool (*const *uses_directory)(const struct engine *e, struct str cwd);
	/* The tools of a directory or of a server changed. */
	void (*const *tools_changed)(struct engine *e);
	/* Amounts and limits were read; recovery follows. */
	void (*const *ledger_read)(struct engine *e);
	/* A read that the start waits for has completed. */
	void (*const *start_moved)(struct engine *e);
};

#define LISTENERS_CALL(list, ...)                                                                  \
	do {                                                                                       \
		for (size_t listener_ = 0; (list)[listener_]; listener_++)                         \
			(list)[listener_](__VA_ARGS__);                                            \
	} while (0)

extern const struct listeners listeners_of_engine;

#endif
