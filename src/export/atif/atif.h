#ifndef EXPORT_ATIF_H
#define EXPORT_ATIF_H
/*
 * Trajectories: what an agent did, as ATIF-v1.7 of Harbor.
 *
 * A trajectory is one JSON document of steps: user, agent, system.  It is made
 * from the log of a session alone.  The caller feeds events in order and gets
 * bytes; an event is not kept longer than the step that it belongs to, so
 * memory does not grow with the length of the log.
 *
 * A document embeds the trajectories of its subagents behind its own steps, and
 * their events lie between its own.  So the log is read once per subagent:
 *
 *	a = atif_new(&options);
 *	while (atif_next_pass(a, &pass))
 *		for each event of the session, or only of pass.thread if it is there:
 *			atif_event(a, event);
 *	is_written = atif_end(a);
 *
 * The first pass is over the whole session.  Texts that an event only refers to
 * are asked of the source when their step is written.
 *
 * spec: agent-runtime-checklist#BEN-04, BEN-09, BEN-10; docs/decisions/0030
 */
#include "base/buf.h"
#include "base/json.h"

struct atif;

/* Where texts behind refs are, and where the bytes go; on the caller's thread. */
struct atif_port {
	void *arg;
	/* Adds up to max bytes of a stored output; false: it cannot be read (any more). */
	bool (*read)(void *arg, struct str output_ref, size_t max, struct buf *out);
	/* False: the bytes could not be taken, and nothing more is written. */
	bool (*write)(void *arg, struct str bytes);
	/* A text without secrets, in mem or the same bytes if it has none; NULL: texts stay as they are. */
	struct str (*redact)(void *arg, struct arena *mem, struct str text);
};

struct atif_options {
	struct str version; /* of the agent, which is Thole */
	struct str thread;  /* absent: the first thread of the session */
	struct str turn;    /* only this turn of the thread; absent: all */
	struct atif_port port;
};

/* The options are copied, their strings too. */
struct atif *atif_new(const struct atif_options *o);
void atif_free(struct atif *a);

/* The classes of events that a trajectory is made of, NULL at the end; others may be left out. */
extern const char *const atif_types[];

/* Is the class one of these? */
bool atif_takes(struct str type);

struct atif_pass {
	struct str thread; /* absent: all events of the session; lives until the next pass */
};

/* Ends the pass before.  False: there is nothing more to read. */
bool atif_next_pass(struct atif *a, struct atif_pass *ret);
/* A stored envelope, or {"gap":...} where events are missing; need not live longer than the call. */
void atif_event(struct atif *a, struct json ev);
/* After the last pass: whether there is such a thread, and turn. */
bool atif_is_found(const struct atif *a);
/* True if everything was written and the thread was found. */
bool atif_end(struct atif *a);

#endif
