#ifndef NET_WIRE_H
#define NET_WIRE_H
/*
 * Outbound HTTP: a request goes out; a head, bytes and one end come back.
 *
 * A thread of its own talks to the world (libcurl, loaded when the first
 * request leaves), and hands what it hears to the loop by mailbox, in batches.
 * Everything below belongs to the loop's thread, and so do all callbacks; none
 * comes from inside a call.
 *
 *   wire_send() ──► head ──► body ──► body ... ──► end
 *        │            └── not when no answer came ──┘
 *        └── wire_cancel(), from anywhere: nothing follows
 *
 * After `end` the call is gone.  Inside a callback a caller may cancel, pause,
 * resume and send; wire_free() is not for callbacks.
 *
 * Backpressure: at most WIRE_WINDOW bytes of a call are under way between the
 * thread and `body`.  While a call is paused nothing of it is delivered, its
 * end included; the thread stops reading when the window is full, and then the
 * peer's sends block.  The stall timer rests meanwhile.
 *
 * HTTP/1.1 only (a paused stream must not hold up others), certificates are
 * verified, redirects are not followed, cookies and .netrc are not looked at,
 * proxies of the environment are not used.
 */
#include "base/buf.h"
#include "sandbox/host_rule.h"
#include "net/loop.h"

#define WIRE_WINDOW ((size_t)65536)
#define WIRE_HEAD_MAX ((size_t)32768) /* bytes of an answer's head that are kept */

struct wire;
struct wire_call;

struct wire_options {
	struct loop *loop;
	struct str user_agent; /* "thole" when absent */
	struct str ca_file;    /* absent: SSL_CERT_FILE, then where systems keep it */
	struct str proxy;      /* http://host:port; absent: none */
	const char *library;   /* for tests: what to load instead of libcurl.so.4 */
};

/* Nothing is started or loaded yet.  NULL only when the kernel refuses a descriptor. */
struct wire *wire_new(const struct wire_options *o);
/* Calls that are still there end silently.  NULL is fine. */
void wire_free(struct wire *w);
/* Loads the library now, so that the first request does not wait for it (5 ms). */
void wire_warm(struct wire *w);

struct wire_header {
	struct str name, value;
};

/*
 * For addresses that strangers name.  Each address that the name leads to is
 * judged when its socket is made, so what was judged is what is dialled; no
 * connection is shared with other calls.
 */
struct wire_guard {
	struct net_host host;    /* of the request's address, read with net_host_of_url() */
	struct host_rules rules; /* that open addresses which are not public */
};

/* All is copied but the body, which is moved.  Times are bounds; 0 is none. */
struct wire_request {
	struct str method; /* absent: GET, or POST when there is a body */
	struct str url;    /* http:// or https:// */
	const struct wire_header *headers;
	size_t header_count;
	struct buf body;
	int64_t connect_ms;    /* name, connection and TLS */
	int64_t first_byte_ms; /* from the start to the first byte of a body */
	int64_t stall_ms;      /* silence from then on */
	int64_t total_ms;
	uint64_t response_max;          /* bytes of the body */
	const struct wire_guard *guard; /* NULL: the address is the user's own word */
};

/* Views live during the callback. */
struct wire_head {
	int status;
	const struct wire_header *headers;
	size_t header_count;
};

/* The first header of that name, in any case; absent when there is none. */
struct str wire_head_get(const struct wire_head *h, struct str name);

enum wire_result {
	WIRE_OK,
	WIRE_NO_LIBRARY,
	WIRE_INVALID,   /* the request itself: URL, a line break in a header */
	WIRE_RESOLVE,   /* no address for the name */
	WIRE_FORBIDDEN, /* by the guard: no address of it may be reached */
	WIRE_CONNECT,
	WIRE_TLS,
	WIRE_UNTRUSTED, /* the certificate */
	WIRE_CUT,       /* the connection broke before the answer was whole */
	WIRE_NOT_HTTP,  /* something else listens there */
	WIRE_TOO_LARGE,
	WIRE_TIMEOUT_CONNECT,
	WIRE_TIMEOUT_FIRST_BYTE,
	WIRE_TIMEOUT_STALL,
	WIRE_TIMEOUT_TOTAL,
	WIRE_FAILED, /* anything else */
};

struct wire_end {
	enum wire_result result;
	struct str message; /* one sentence unless all went well; never holds a header of ours */
	uint64_t bytes;     /* of the body */
};

struct wire_sink {
	void (*head)(void *owner, const struct wire_head *h);
	/*
	 * Returns how many bytes it took.  Less than all is only for those who
	 * paused the call: the rest comes again after wire_resume().
	 */
	size_t (*body)(void *owner, struct str bytes);
	void (*end)(void *owner, const struct wire_end *e);
};

struct wire_call *wire_send(struct wire *w, struct wire_request *r, const struct wire_sink *sink,
                            void *owner);
/* The connection is closed. */
void wire_cancel(struct wire_call *c);
/*
 * The answer is complete for the caller, its last bytes are of no interest:
 * like cancel, but the connection is kept if those come within a second.
 */
void wire_release(struct wire_call *c);
void wire_pause(struct wire_call *c);
/* If the head was delivered, `body` is called next, with no bytes if there are none. */
void wire_resume(struct wire_call *c);

#endif
