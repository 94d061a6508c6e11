#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H
/*
 * The interfaces of the runtime: HTTP and event streams on TCP and on a Unix
 * socket, JSON-RPC on the Unix socket, on a WebSocket and on descriptors of the
 * embedding program.  All of them pass calls to the one control and return its
 * replies; none knows what a command means.
 *
 *   TCP  ────────► http ──┬─ POST /v1/commands/{name}, GETs ──► control.call
 *   Unix ─ "GET" ► http ──┼─ GET /v1/events, POST /v1/run ────► control.subscribe
 *     └── "{" ───► rpc    └─ GET /v1/rpc ─► WebSocket ─► rpc
 *   fd   ────────► rpc ── method = command ───────────────────► control.call
 *
 * Everything runs on the loop's thread.  What a call or a subscription refers
 * to (params, key, caller, session and so on) lives here until done or end
 * has come, or until forget or unsubscribe.
 *
 * Stopping: serve_drain(), then the control ends its subscriptions, then the
 * loop turns until serve_connections() is 0 or patience is over, then
 * serve_free().  The control must outlive the serve, the loop both.
 */
#include "mcp_serve/mcp_serve_publish.h"
#include "net/http/http_client.h"
#include "net/loop.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "ports/store.h"
#include "serve/auth/forwarded.h"
#include "webhook/webhook_signature.h"

struct serve;

struct serve_token {
	struct str name;  /* the principal of its bearer */
	struct str token; /* not empty */
	unsigned scopes;  /* SCOPE_BIT(SCOPE_READ) | ... */
};

/* A2A for other agents.  The client and the rules live as long as the serve. */
struct serve_a2a {
	struct str name, description; /* of the agent, for its card */
	struct str url;               /* under which peers reach it; empty: as they ask */
	struct str grpc_url;          /* under which they reach thole-grpc; empty: they do not */
	struct host_rules rules; /* addresses that peers may name although they are not public */
	struct http_client *http_client; /* sends push notifications */
	struct json extensions;          /* the setting a2a.extensions */
	const struct str *direct; /* ids of messages that get a message as their reply, "abc*" */
	size_t direct_count;
	struct signer *signer; /* signs the card; NULL: it is not signed */
};

struct issuers_options; /* serve/auth/issuer_settings.h */

#define SERVE_TRIGGER_EVENTS_MAX 32

/* Deliveries of a webhook become turns.  Texts live as long as the serve. */
struct serve_trigger {
	struct str name;
	enum webhook_scheme scheme;
	struct webhook_secrets secrets;
	struct str prompt;                           /* what the agent does with a delivery */
	struct str cwd, model, mode;                 /* of its turns; absent: as for others */
	bool is_one_session;                         /* all deliveries are turns of one session */
	bool is_task;                                /* a delivery is a task, not a turn */
	struct str events[SERVE_TRIGGER_EVENTS_MAX]; /* types that count; none: all */
	size_t event_count;
};

struct node_seal;

/* Other nodes may send commands here.  The seal lives as long as the serve. */
struct serve_node {
	struct node_seal *seal; /* NULL: there are no other nodes */
	uint64_t incarnation;   /* of this one */
};

/* Everything is copied.  A number of zero means the default. */
struct serve_options {
	const struct str *listen; /* "127.0.0.1:7433", "[::1]:0", "localhost:0", "fd:3" */
	size_t listen_count;
	bool allow_remote;      /* take addresses that other machines can reach */
	struct str socket_path; /* or "fd:3"; absent: no Unix socket */

	struct str token; /* of the owner, for every scope; absent: none */
	const struct serve_token *tokens;
	size_t token_count;

	/*
	 * Host headers that are taken on TCP, "name" (any port) or "name:port".
	 * None given: localhost, 127.0.0.1 and [::1].  Addresses of `listen` that
	 * name one interface are always taken.
	 */
	const struct str *hosts;
	size_t host_count;
	const struct str *origins; /* "https://console.example", exactly */
	size_t origin_count;

	struct str version; /* of the program, for people and for metrics */
	/* Adds what other adapters have for /metrics; may be NULL. */
	void (*more_metrics)(void *owner, struct buf *out);
	void *metrics_owner;
	struct clock *clock; /* for serve_idle_since() and for signing in; may be NULL */
	struct store *store; /* holds the list of paired devices; NULL: none can be paired */
	bool has_openai;     /* clients of the OpenAI APIs are served */
	bool has_mcp;        /* MCP clients are served over TCP too */
	struct mcp_serve_publish publish; /* what they are offered besides our own tools */
	bool has_agui;                    /* front ends that speak AG-UI are served */
	struct credentials *credentials;  /* keys that clients lend; NULL: none are taken */
	const struct serve_a2a *a2a;      /* NULL: peers are not served */
	const struct serve_trigger *triggers;
	size_t trigger_count;
	struct forwarded_options proxies; /* whom to believe about clients; none by default */
	struct serve_node node;
	struct issuers_options *issuers; /* NULL: only tokens of our own are taken */

	size_t body_max;          /* LIMIT_BODY_BYTES; also of a line and of a WebSocket message */
	size_t client_buffer_max; /* LIMIT_SSE_CLIENT_BUFFER_BYTES */
	unsigned connections_max; /* LIMIT_CONNECTIONS, of TCP and of the Unix socket each */
	unsigned peer_max;        /* of them over TCP from one address; 0: no such bound */
	unsigned in_flight_max;   /* LIMIT_REQUESTS_IN_FLIGHT, of one JSON-RPC connection */
	int ping_ms;              /* LIMIT_SSE_PING_S */
	int stall_ms;             /* 60 s: how long a reader may take nothing */
};

/* Listens when it returns.  NULL: e says why; nothing is left behind. */
struct serve *serve_new(struct loop *loop, struct control *control, const struct serve_options *o,
                        struct error *e) MUST_USE;

/*
 * Replaces the owner's token: the one before, its cookies and all devices are refused at once, and
 * what was connected over TCP by then is closed a moment later.
 */
void serve_set_token(struct serve *s, struct str token);

/* The port of the first TCP address; 0 when there is none. */
int serve_port(const struct serve *s);

/*
 * JSON-RPC lines over a connected socket (the C API; via "c_api") or over two
 * descriptors (`thole rpc`; via "stdio").  Who holds the other end is the
 * owner.  The descriptors are the serve's from now on, also after a failure.
 * on_gone, which may be NULL, is called once when the connection has ended,
 * unless serve_free() ended it.
 */
enum err serve_attach_fd(struct serve *s, int fd, void (*on_gone)(void *arg), void *arg,
                         struct error *e) MUST_USE;
enum err serve_attach_stdio(struct serve *s, int in_fd, int out_fd, void (*on_gone)(void *arg),
                            void *arg, struct error *e) MUST_USE;

/* Connections that are open now, of every kind. */
unsigned serve_connections(const struct serve *s);
/* Milliseconds since the last connection was seen, as exact as this is asked often. */
int64_t serve_idle_since(struct serve *s);

/*
 * Takes no further connections and requests.  What is being answered is
 * answered; event streams stay until the control ends them.
 */
void serve_drain(struct serve *s);

/* From now on tokens of that issuer are refused, and its streams end. */
void serve_remove_issuer(struct serve *s, struct str name);
/*
 * From now on tokens of this issuer are accepted, instead of those of the one of the same name.  o
 * lives as long as the serve.  False: there were too many changes since the start.
 */
struct issuer_options;
bool serve_set_issuer(struct serve *s, const struct issuer_options *o);

/* Forgets every call, ends every subscription, closes every connection.  NULL is fine. */
void serve_free(struct serve *s);

#endif
