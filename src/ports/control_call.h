#ifndef PORTS_CONTROL_CALL_H
#define PORTS_CONTROL_CALL_H
/*
 * One command for the control (ports/control.h), and its answer.
 */
#include "base/hash/sha256.h"
#include "catalog/catalog.h"
#include "core/session/caller.h"

struct rec_channel;

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
	bool is_replay;         /* an earlier command with the same key had this reply */
	int64_t retry_after_ms; /* 0: none */
};

/*
 * Of a command that another node was asked and sent here, because this one owns the session.  It
 * is never sent on.
 */
struct control_forwarded {
	const struct rec_channel
		*channel; /* the caller's, which the other node holds; NULL: none */
	/* Of the arguments as the caller gave them: what a repetition of the key is compared with. */
	struct sha256 body;
};

/* Keeps what signing in needs of paired devices.  The first two call nothing of the control. */
struct control_device_watch {
	void *owner;
	/* These devices and offers of codes, instead of those before. */
	void (*taken)(void *owner, const struct rec_paired_device *const *items, size_t count);
	/* One is offered, paired or revoked, perhaps by a decision that is not durable yet. */
	void (*changed)(void *owner, const struct rec_paired_device *device);
	/* How many event streams the device has here. */
	unsigned (*streams)(void *owner, struct str device_id);
	/* Fills in when each was seen last. */
	void (*seen)(void *owner, struct arena *mem, struct rec_device **items, size_t count);
};

struct control_call {
	struct caller caller;
	struct str command, params; /* its name; JSON text of an object, absent: {} */
	struct str key;  /* idempotency key from a header; absent: the one in params, if any */
	struct str what; /* a repetition of the key is about the same; absent: as params */
	bool is_lookup;  /* the key's stored reply or not_found; nothing is carried out */
	const struct control_forwarded *forwarded; /* NULL: this node was asked */
	bool is_own; /* of the runtime itself, not of a client: internal commands are known */
	void (*done)(struct control_call *c, const struct control_answer *a);
	void *owner;
	void *request; /* the engine's */
};

#endif
