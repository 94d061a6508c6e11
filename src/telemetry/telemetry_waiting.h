#ifndef TELEMETRY_WAITING_H
#define TELEMETRY_WAITING_H
/*
 * Events that a sender was given and has not read yet.
 *
 * Events arrive while a turn runs and its client waits.  Reading them there would make each turn
 * longer, so they wait a moment, by reference, and are read many at a time.  The list is short:
 * the log is the queue.
 */
#include "ports/control.h"

#include <assert.h>

#define TELEMETRY_WAITING_MAX 256
#define TELEMETRY_WAITING_BYTES (256u << 10)

struct telemetry_waiting {
	struct control_event
		items[TELEMETRY_WAITING_MAX + 1]; /* a ring, without session and name */
	size_t first, count, bytes;
};

/* Takes a reference.  One more than "full" fits: a stream that pauses has accepted its event. */
static inline void telemetry_waiting_add(struct telemetry_waiting *w,
                                         const struct control_event *ev)
{
	assert(w->count < COUNT_OF(w->items));
	w->items[(w->first + w->count++) % COUNT_OF(w->items)] =
		(struct control_event){ .body = bytes_ref(ev->body),
		                        .seq = ev->seq,
		                        .position = ev->position,
		                        .type = ev->type };
	w->bytes += bytes_str(ev->body).len;
}

static inline bool telemetry_waiting_is_full(const struct telemetry_waiting *w)
{
	return w->count >= TELEMETRY_WAITING_MAX || w->bytes >= TELEMETRY_WAITING_BYTES;
}

/* Moves the first one out, and the caller releases its body.  False: there is none. */
static inline bool telemetry_waiting_next(struct telemetry_waiting *w, struct control_event *ret)
{
	if (!w->count)
		return false;
	*ret = w->items[w->first];
	w->first = (w->first + 1) % COUNT_OF(w->items);
	w->count--;
	w->bytes -= bytes_str(ret->body).len;
	return true;
}

static inline void telemetry_waiting_drop(struct telemetry_waiting *w)
{
	struct control_event ev;

	while (telemetry_waiting_next(w, &ev))
		bytes_unref(ev.body);
}

#endif
