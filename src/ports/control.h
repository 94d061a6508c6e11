#ifndef PORTS_CONTROL_H
#define PORTS_CONTROL_H
/*
 * The one door to the runtime: every face (HTTP, JSON-RPC, the C API) comes
 * through here, and none has a write of its own.
 *
 * All functions are called on the loop thread, and all callbacks come on it.
 * A callback may call back into the control, except where said otherwise.
 *
 * An answer is given when it can no longer be taken back: after the facts
 * that it rests on are durable, refusals and reads included.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "core/caller.h"

#define SCOPE_BIT(scope) (1u << (scope))
#define SCOPES_ALL                                                                                 \
	(SCOPE_BIT(SCOPE_READ) | SCOPE_BIT(SCOPE_WRITE) | SCOPE_BIT(SCOPE_APPROVE) |               \
	 SCOPE_BIT(SCOPE_ADMIN))

/*
 * body is the reply object, or, when code is not 0, an RFC 9457 problem:
 * {type, title, status, code, category, detail, retryable, retryAfterMs?, ids...}.
 * Both live until done returns.
 */
struct control_answer {
	enum error_code code; /* 0: accepted */
	int http;             /* 200, 202, or the problem's status */
	int jsonrpc;          /* the problem's JSON-RPC error number */
	struct str title;     /* of the problem */
	struct str body;
	bool is_replay;         /* the same answer was given before, to the same key */
	int64_t retry_after_ms; /* 0: none */
};

struct control_call {
	struct caller caller;
	struct str command; /* its name */
	struct str params;  /* JSON text of an object; absent: {} */
	struct str key;     /* idempotency key from a header; absent: the one in params, if any */
	void (*done)(struct control_call *c, const struct control_answer *a);
	void *owner;
	void *request; /* the engine's */
};

/* One event on its way to a reader. */
struct control_event {
	struct bytes *body; /* stored envelope, or record of a form; take a reference to keep it */
	struct str session;
	uint64_t seq;
	uint64_t position;
	enum event_type type;
	struct str name; /* of the class in the stream's form; absent: the type's own */
};

enum stream_end {
	STREAM_CAUGHT_UP, /* follow was false and everything was delivered */
	STREAM_SHUTDOWN,
	STREAM_STORE_FAILED,
	STREAM_NO_SESSION,
	STREAM_UNREADABLE, /* what follows cannot be read; it may succeed later */
};

struct control_corrupt {
	struct str session; /* absent: it is not known, and from and to are 0 */
	uint64_t from, to;
	uint64_t place;
};

struct control_sink {
	/* Returns false when it has taken this one but wants no more until control.resume(). */
	bool (*event)(void *owner, const struct control_event *ev);
	/*
	 * Events (from, to] are gone; snapshot is the JSON of the session as it stands.  When
	 * from + 1 is above to, that is where the reader thought it was, ahead of the log.
	 * It goes on behind `to`.
	 */
	void (*gap)(void *owner, uint64_t from, uint64_t to, struct str recovery_mode,
	            struct str snapshot);
	/*
	 * The events from..to of a session are damaged on disk and are left out; the stream
	 * goes on behind `place`, its own cursor.  May be NULL.
	 */
	void (*corrupt)(void *owner, const struct control_corrupt *c);
	/* Everything durable so far has been delivered (once, before following). May be NULL. */
	void (*caught_up)(void *owner, uint64_t seq);
	/* Nothing follows; the subscription is gone. */
	void (*end)(void *owner, enum stream_end why);
};

struct control_stream {
	struct str session;   /* absent: all that the caller may read */
	uint64_t after;       /* sequence, or position when session is absent */
	uint64_t types[2];    /* bit set of event classes; all zero: every class */
	struct str thread;    /* deliver only events of this thread, when present */
	struct str turn;      /* deliver only events of this turn, when present */
	enum event_form form; /* deliver them in this form, and only what it has words for */
	bool follow;
	const struct control_sink *sink;
	void *owner;
};

struct control_health {
	bool ready;
	struct str reason;      /* why not */
	uint64_t session_bytes; /* that live sessions hold */
	/* Sessions that had open work at the start, and those that are not recovered yet. */
	uint64_t recovery_total, recovery_left;
	uint64_t live_sessions, live_effects, subscriptions, pending_calls;
	uint64_t commands, refusals, events, commits, waiting_bytes, last_commit_us;
	uint64_t hook_runs, hook_failures, hook_ms;
	uint64_t stored_events, stored_bytes, wal_bytes, event_bytes;
	uint64_t last_position; /* of the last durable event: reading after it is what comes */
	int64_t started_ms;
	struct str runtime_id, version;
};

/* A connection that wants to be more than a reader: it is enrolled as a channel. */
struct control_enrol {
	struct caller caller;
	enum transport transport;
	enum peer_role role;
	const struct str *capabilities;
	size_t capability_count;
	struct str native_protocol;
	struct str channel_id;   /* to be again who one was before; absent: somebody new */
	struct str resume_token; /* the proof of it */
};

/* An enrolled connection.  The strings live until leave(). */
struct control_channel {
	struct str id;
	struct str resume_token;
};

struct subscription;
struct control;
struct control_ops {
	void (*call)(struct control *c, struct control_call *call);
	/* The caller went away: done will not be called.  The command itself goes on. */
	void (*forget)(struct control *c, struct control_call *call);
	/* Nothing is delivered from inside subscribe(). */
	struct subscription *(*subscribe)(struct control *c, const struct control_stream *s);
	void (*resume)(struct control *c, struct subscription *s);
	void (*unsubscribe)(struct control *c, struct subscription *s);
	void (*health)(struct control *c, struct control_health *ret);
	/*
	 * NULL when the resume token does not fit the channel, or that channel is connected
	 * now.  The facts follow: in the system session at once, and in each session that the
	 * channel's commands touch.
	 */
	struct control_channel *(*enrol)(struct control *c, const struct control_enrol *e);
	void (*leave)(struct control *c, struct control_channel *ch, enum disconnect_cause cause);
	/* The last event of that session that the channel has acknowledged; 0: none. */
	uint64_t (*acked)(struct control *c, const struct control_channel *ch, struct str session);
	/* Somebody without a valid token was refused; via is a word of ours.  May be NULL. */
	void (*stranger)(struct control *c, struct str via);
};
struct control {
	const struct control_ops *ops;
};

#endif
