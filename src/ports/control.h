#ifndef PORTS_CONTROL_H
#define PORTS_CONTROL_H
/*
 * The only entrance to the runtime.  Every transport (HTTP, JSON-RPC, the C
 * API) uses it, and no transport writes by another way.
 *
 * All functions are called on the loop thread, and all callbacks come on it.  A
 * callback may call back into the control, except where a comment forbids it.
 *
 * A reply is sent when it can no longer be taken back: after the events that it
 * rests on are durable.  This holds for refusals and reads too.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "ports/control_call.h"
#include "ports/control_metric.h"

/* One event for a subscriber. */
struct control_event {
	/* stored envelope, or its record in an export format; take a reference to keep it */
	struct bytes *body;
	struct str session;
	uint64_t seq;
	uint64_t position;
	enum event_type type;
	struct str name; /* class name in the stream's format; absent: the event type */
};

enum stream_end {
	STREAM_CAUGHT_UP, /* follow was false and every event was delivered */
	STREAM_SHUTDOWN,
	STREAM_STORE_FAILED,
	STREAM_NO_SESSION,
	STREAM_DELETED,    /* the session, before or during the stream */
	STREAM_UNREADABLE, /* the following events cannot be read; a later try may succeed */
	STREAM_REVOKED,    /* the caller's token was revoked or has expired */
	STREAM_TOO_MANY,   /* the caller has as many streams as it may */
};

struct control_corrupt {
	struct str session; /* absent: unknown, and from and to are 0 */
	uint64_t from, to;
	uint64_t place;
};

struct control_sink {
	/* Returns false to accept this event and pause until control.resume(). */
	bool (*event)(void *owner, const struct control_event *ev);
	/*
	 * Retention removed the events (from, to]; snapshot is the JSON of the session's current
	 * state.  The stream continues behind `to`. from + 1 above to: the cursor was ahead of the
	 * log.
	 */
	void (*gap)(void *owner, uint64_t from, uint64_t to, struct str recovery_mode,
	            struct str snapshot);
	/*
	 * The events from..to of a session are damaged on disk and are left out.  The stream
	 * continues behind `place`, its own cursor.  May be NULL.
	 */
	void (*corrupt)(void *owner, const struct control_corrupt *c);
	/* Every durable event has been delivered; called once, before following.  May be NULL. */
	void (*caught_up)(void *owner, uint64_t seq);
	/* The stream ends here; the subscription is freed. */
	void (*end)(void *owner, enum stream_end why);
};

/* A new word of `types` has to reach serve/stream/filter.c and engine/session/fanout.c, too. */
_Static_assert(EV_COUNT <= 2 * 64, "control_stream.types holds every event class");

struct control_stream {
	struct str session;      /* absent: all sessions that the caller may read */
	uint64_t after;          /* sequence, or position when session is absent */
	uint64_t types[2];       /* bit set of event classes; all zero: every class */
	struct str thread, turn; /* absent: all */
	enum event_form form; /* export format; events without a counterpart in it are left out */
	bool follow;
	struct str reach, token; /* of the caller; positions are those that it was shown */
	int64_t until_ms;        /* when the caller's token expires; 0: never, or the token says */
	const struct control_sink *sink;
	void *owner;
};

struct control_health {
	bool ready;
	struct str reason;       /* why the runtime is not ready */
	struct str waits;        /* what waits although it is ready; absent: nothing */
	bool is_away, is_behind; /* the store is unavailable; it lacks acknowledged events */
	uint64_t session_bytes;  /* held by live sessions */
	/* Sessions with open work at the start, and how many of them are not recovered yet. */
	uint64_t recovery_total, recovery_left;
	uint64_t live_sessions, live_effects, subscriptions, pending_calls;
	uint64_t commands, refusals, events, commits, waiting_bytes, last_commit_us;
	uint64_t hook_runs, hook_failures, hook_ms;
	uint64_t stored_events, stored_bytes, wal_bytes, event_bytes;
	/* of the last durable event; a stream after it delivers only new events */
	uint64_t last_position;
	int64_t started_ms;
	struct str runtime_id, version;
};

/* A request to enrol a connection as a channel. */
struct control_enrol {
	struct caller caller;
	enum transport transport;
	enum peer_role role;
	const struct str *capabilities;
	size_t capability_count;
	struct str native_protocol, card_ref; /* card_ref: of an agent; may be absent */
	bool is_outside;         /* a tool server that no sandbox of this machine contains */
	struct str channel_id;   /* of a channel to resume; absent: a new channel */
	struct str resume_token; /* proves that the caller owned that channel */
	bool is_proven;          /* the transport knows that it did; no resume token is needed */
};

/* Whom an issuer of the settings vouches for. */
struct control_bearer {
	struct str issuer;       /* its name in auth.issuers */
	struct str name, tenant; /* of the principal; tenant: absent without one */
	enum session_reach sessions;
	const struct list_str *directories; /* NULL: as for a named token without any */
};

/* An enrolled connection.  The strings live until leave(). */
struct control_channel {
	struct str id, resume_token;
};

struct subscription;
struct control;
struct control_ops {
	void (*call)(struct control *c, struct control_call *call);
	/* The caller disconnected: done is not called.  The command itself continues. */
	void (*forget)(struct control *c, struct control_call *call);
	struct subscription *(*subscribe)(struct control *c, const struct control_stream *s);
	void (*resume)(struct control *c, struct subscription *s);
	void (*unsubscribe)(struct control *c, struct subscription *s);
	void (*health)(struct control *c, struct control_health *ret);
	/* The figures since the start, one entry per metric; they live until the next event. */
	void (*metrics)(struct control *c, struct control_metric ret[METRIC_COUNT]);
	/*
	 * Returns NULL when the resume token is invalid or the channel is connected already.  The
	 * events follow: one in the system session at once, and one in each session that the
	 * channel's commands touch.
	 */
	struct control_channel *(*enrol)(struct control *c, const struct control_enrol *e);
	void (*leave)(struct control *c, struct control_channel *ch, enum disconnect_cause cause);
	/* The last event that it has acknowledged; 0: none. */
	uint64_t (*acked)(struct control *c, const struct control_channel *ch, struct str session);
	/* A caller without a valid token was refused; address: of another machine.  May be NULL. */
	void (*stranger)(struct control *c, struct str via, struct str address);
	/* Who holds a named token; false: none is valid.  Strings live as long as the control. */
	bool (*principal)(struct control *c, struct str token, struct caller *ret);
	/*
	 * The bearer of a token that an issuer signed, which the transport has checked.  Fills all but
	 * via, scopes and until_ms; false: there are too many.  Strings live as long as the control.
	 */
	bool (*admit)(struct control *c, const struct control_bearer *b, struct caller *ret);
	/* An issuer in the settings: streams of its bearers end.  url: absent if removed.  May be NULL. */
	void (*issuer_changed)(struct control *c, struct str name, struct str url,
	                       enum issuer_change change);
	/* Once, before the start; NULL at the end.  May be NULL. */
	void (*watch_devices)(struct control *c, const struct control_device_watch *w);
	/* Is the caller's token, if it has one, still valid? */
	bool (*is_usable)(struct control *c, const struct caller *caller);
	/*
	 * Of several nodes one acts on a session from outside the engine: does this one own it now?
	 * May be NULL: it owns all.
	 */
	bool (*owns)(struct control *c, struct str session);
	/* The end of the log of all sessions, as it is shown to callers with that reach. */
	uint64_t (*last_place)(struct control *c, struct str reach);
};
struct control {
	const struct control_ops *ops;
};

#endif
