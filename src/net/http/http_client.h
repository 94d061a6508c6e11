#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H
/*
 * Outbound HTTP: a request goes out; a head, bytes and one end come back.
 *
 * A separate thread does the I/O (libcurl, loaded with the first request) and
 * passes what it receives to the loop by mailbox, in batches.  Everything below
 * belongs to the loop's thread, and so do all callbacks; none comes from inside
 * a call.
 *
 *   http_client_send() ──► head ──► body ──► body ... ──► end
 *        │            └── not when no answer came ──┘
 *        └── http_client_cancel(), from anywhere: nothing follows
 *
 * After `end` the call is gone.  Inside a callback a caller may cancel, pause,
 * resume and send; http_client_free() is not for callbacks.
 *
 * Backpressure: at most HTTP_CLIENT_WINDOW bytes of a call are under way between the
 * thread and `body`.  While a call is paused nothing is delivered, not even its
 * end; the thread stops reading when the window is full, and then the peer's
 * sends block.  The stall timer is stopped meanwhile.
 *
 * HTTP/1.1 only (a paused stream must not hold up others), certificates are
 * verified, redirects are not followed, and cookies and .netrc are not used.  A
 * proxy is used only if the options name one, and never for this machine or for
 * guarded addresses.
 */
#include "base/buf.h"
#include "sandbox/host_rule.h"
#include "net/loop.h"

#define HTTP_CLIENT_WINDOW ((size_t)65536)
#define HTTP_CLIENT_HEAD_MAX ((size_t)32768) /* kept bytes of a response's head */

struct http_client;
struct http_client_call;

struct http_client_options {
	struct loop *loop;
	struct str user_agent; /* "thole" when absent */
	struct str ca_file;    /* absent: SSL_CERT_FILE, then the usual system paths */
	struct str proxy;      /* for https://, "http://host:port"; absent: none */
	struct str http_proxy; /* the same for http:// */
	struct str no_proxy; /* hosts without it, with commas between; this machine is always one */
	const char *library; /* for tests: what to load instead of libcurl.so.4 */
};

/* Starts and loads nothing yet.  NULL only when the kernel refuses a descriptor. */
struct http_client *http_client_new(const struct http_client_options *o);
/* Open calls end without callback.  NULL is fine. */
void http_client_free(struct http_client *w);
/* Loads the library now, so that the first request does not wait for it (5 ms). */
void http_client_warm(struct http_client *w);

struct http_client_header {
	struct str name, value;
};

/*
 * For URLs of untrusted origin.  Each resolved address is checked when its
 * socket is created, so the checked address is the one that is connected; no
 * connection is shared with other calls.
 */
struct http_client_guard {
	struct net_host host;    /* of the request's address, read with net_host_of_url() */
	struct host_rules rules; /* that allow addresses which are not public */
};

/* Everything is copied except the body, which is moved.  Times are limits; 0: none. */
struct http_client_request {
	struct str method; /* absent: GET, or POST when there is a body */
	struct str url;    /* http:// or https:// */
	const struct http_client_header *headers;
	size_t header_count;
	struct buf body;
	int64_t connect_ms;    /* name, connection and TLS */
	int64_t first_byte_ms; /* from the start to the first byte of a body */
	int64_t stall_ms;      /* silence from then on */
	int64_t total_ms;
	uint64_t response_max; /* bytes of the body */
	bool is_direct;        /* without a proxy */
	bool is_secret;        /* the body of the request is wiped, too */
	/*
	 * On a new connection.  On a kept one that the peer has closed the library would send the
	 * request again by itself, although the peer may have acted on it.
	 */
	bool is_once;
	const struct http_client_guard *guard; /* NULL: the user configured the address */
};

/* Views live during the callback. */
struct http_client_head {
	int status;
	const struct http_client_header *headers;
	size_t header_count;
};

/* The first header of that name, in any case; absent when there is none. */
struct str http_client_head_get(const struct http_client_head *h, struct str name);

enum http_client_result {
	HTTP_CLIENT_OK,
	HTTP_CLIENT_NO_LIBRARY,
	HTTP_CLIENT_INVALID,   /* the request itself: URL, a line break in a header */
	HTTP_CLIENT_RESOLVE,   /* no address for the name */
	HTTP_CLIENT_FORBIDDEN, /* the guard allows none of its addresses */
	HTTP_CLIENT_CONNECT,
	HTTP_CLIENT_TLS,
	HTTP_CLIENT_UNTRUSTED, /* the certificate */
	HTTP_CLIENT_CUT,       /* the connection broke before the response was complete */
	HTTP_CLIENT_NOT_HTTP,  /* something else listens there */
	HTTP_CLIENT_TOO_LARGE,
	HTTP_CLIENT_TIMEOUT_CONNECT,
	HTTP_CLIENT_TIMEOUT_FIRST_BYTE,
	HTTP_CLIENT_TIMEOUT_STALL,
	HTTP_CLIENT_TIMEOUT_TOTAL,
	HTTP_CLIENT_FAILED, /* anything else */
};

struct http_client_end {
	enum http_client_result result;
	struct str message; /* one sentence on failure; never contains a request header */
	uint64_t bytes;     /* of the body */
};

struct http_client_sink {
	void (*head)(void *owner, const struct http_client_head *h);
	/*
	 * Returns how many bytes it took.  Fewer than all only if the callback
	 * paused the call: the rest comes again after http_client_resume().
	 */
	size_t (*body)(void *owner, struct str bytes);
	void (*end)(void *owner, const struct http_client_end *e);
};

struct http_client_call *http_client_send(struct http_client *w, struct http_client_request *r,
                                          const struct http_client_sink *sink, void *owner);
/* The connection is closed. */
void http_client_cancel(struct http_client_call *c);
/*
 * The caller needs no more of the response: like cancel, but the connection is
 * kept if the last bytes come within a second.
 */
void http_client_release(struct http_client_call *c);
void http_client_pause(struct http_client_call *c);
/* If the head was delivered, `body` is called next, with no bytes if there are none. */
void http_client_resume(struct http_client_call *c);

#endif
