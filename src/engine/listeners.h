#ifndef ENGINE_LISTENERS_H
#define ENGINE_LISTENERS_H
/*
 * Who hears what happens to a session, to its events and to the store.
 *
 * The lower files of the engine (apply.c, commit.c, session.c, load.c, and
 * those that watch the disk) name an occasion; the one table in listeners.c
 * says who is called, and in which order.  So they do not know who depends on
 * them, and a new listener is one line.  All of it happens on the loop.
 *
 * Each member is an array that ends with NULL.
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

/* How far a session has come on its way from the store into memory. */
enum load_phase {
	LOAD_BEGINS,    /* nothing was read yet */
	LOAD_READ,      /* its state is there; nothing was decided yet */
	LOAD_RECOVERED, /* what an earlier runtime left open has been recorded as lost */
	LOAD_ARRIVES,   /* before the requests that waited for it */
	LOAD_DONE,      /* behind them */
	LOAD_MISSING,   /* there is no such session */
	LOAD_BROKEN,    /* it cannot be read */
};

struct listeners {
	/* A decision is about to be made: each adds its part of what the decision sees. */
	void (*const *prepare)(struct session *s, struct decision *d);
	/* An event got its sequence; the outcome holds the blobs that it names. */
	void (*const *written)(struct session *s, const struct decision *d, const struct event *ev);
	/* Before and after an event changes the state. */
	void (*const *fold)(struct session *s, const struct event *ev);
	void (*const *folded)(struct session *s, const struct event *ev);
	/* Nothing more follows; the outcome is the last, empty one. */
	void (*const *stepped)(struct session *s, const struct decision *d);
	/* A decision and all that follows from it is applied. */
	void (*const *settled)(struct session *s);
	/* The same, when the memory of the decision is free again: others may decide. */
	void (*const *over)(struct engine *e);

	/* The events of a slice are on disk. */
	void (*const *published)(struct engine *e, const struct pending_slice *p);
	/* An effect that one of them authorises may begin. */
	void (*const *effect_due)(struct session *s, const struct due_effect *due);
	/* What waited for these events goes ahead. */
	void (*const *durable)(struct session *s);
	/* They never will be on disk. */
	void (*const *undone)(struct engine *e, const struct slice *slice);
	/* A batch was handed over or answered. */
	void (*const *batch_moved)(struct engine *e);
	/* It was answered, with that error or none. */
	void (*const *batch_done)(struct engine *e, const struct error *why);
	void (*const *store_failed)(struct engine *e);
	/* The disk is full, or has room again; it does not keep up, or does again. */
	void (*const *disk_full)(struct engine *e);
	void (*const *disk_has_room)(struct engine *e);
	void (*const *throttle_changed)(struct engine *e);

	void (*const *load)(struct session *s, enum load_phase phase);
	/* A session is dropped with what it has not committed: before and after it leaves the map. */
	void (*const *drop)(struct session *s);
	void (*const *dropped)(struct session *s);
	/* It is no longer in the map of sessions; and its memory is about to be freed. */
	void (*const *left)(struct session *s);
	void (*const *freed)(struct session *s);

	/* Whether something is read for a turn in a directory; the first yes counts. */
	bool (*const *uses_directory)(const struct engine *e, struct str cwd);
	/* The tools of a directory or of a server changed. */
	void (*const *tools_changed)(struct engine *e);
	/* Amounts and limits were read; recovery comes next. */
	void (*const *ledger_read)(struct engine *e);
	/* Something that the start waits for was read. */
	void (*const *start_moved)(struct engine *e);
};

#define LISTENERS_CALL(list, ...)                                                                  \
	do {                                                                                       \
		for (size_t listener_ = 0; (list)[listener_]; listener_++)                         \
			(list)[listener_](__VA_ARGS__);                                            \
	} while (0)

extern const struct listeners listeners_of_engine;

#endif
