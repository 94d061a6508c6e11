#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H
/*
 * Cheap clients: HTTP/1.1 with keep-alive, and JSON-RPC lines.
 *
 * Blocking sockets and no more of either protocol than the daemon speaks.
 * Whatever is not as expected ends the program.
 */
#include "base/buf.h"
#include "bench_fixture.h"

struct http_client {
	int fd;
	struct buf in; /* came, not looked at; from `at` on */
	size_t at;
	/* The body of the answer that is being read. */
	struct buf body; /* decoded; from `taken` on */
	size_t taken, scanned;
	bool is_chunked, is_over;
	size_t left; /* of the body, or of the chunk */
};

void http_client_tcp(struct http_client *w, int port);
void http_client_unix(struct http_client *w, const char *path);
void http_client_close(struct http_client *w);
void http_client_send(struct http_client *w, struct str bytes);

/* ---- HTTP ---- */

/* accept and body may be NULL; a body is JSON. */
void http_send(struct http_client *w, const struct daemon *d, const char *method, const char *path,
               const char *accept, const char *body);
int http_head(struct http_client *w); /* the status; then the body */
/* The next line of the body, without its end; lives until the next call.  False: the body has ended. */
bool http_line(struct http_client *w, struct str *ret);
/* One whole request.  *ret is the body, NUL behind it, until the next call. */
int http_ask(struct http_client *w, const struct daemon *d, const char *method, const char *path,
             const char *body, struct str *ret);
/* A command that must succeed. */
struct str http_command(struct http_client *w, const struct daemon *d, const char *name,
                        const char *params);

/* One value of /metrics: "commits_total". */
double metric(struct http_client *w, const struct daemon *d, const char *name);

/* The string value of "key":"..." in a text of ours; it must be there, unescaped. */
struct str member(struct str json, const char *key);

/* ---- JSON-RPC ---- */

/* The next line; lives until the next call. */
struct str rpc_line(struct http_client *w);
/* One call that must succeed, on a connection with nothing else under way. */
struct str rpc_call(struct http_client *w, const char *method, const char *params);

/*
 * Many calls under way at once over several connections, from one thread.
 * A lane has one call under way; when it is answered, the lane's next is
 * written.  next() writes params (a JSON object); false: no more.
 */
struct load {
	const struct daemon *daemon;
	size_t connections, lanes; /* lanes over all connections; at most 64 for each */
	const char *method;
	bool (*next)(void *arg, size_t lane, struct buf *out);
	void (*response)(void *arg, size_t lane, struct str line); /* or NULL */
	void *arg;
	/* How it went. */
	uint64_t answered, refused;
	char first_refusal[512];
};
void load_run(struct load *l);

/* ---- work ---- */

#define ID_SIZE 48

/* Runs one turn to its end over POST /v1/run; session NULL: a new one.  Gives its id. */
void run_turn(struct http_client *w, const struct daemon *d, const char *session, const char *input,
              char ret_session[ID_SIZE]);

/* Makes sessions with one short turn each, many at once, and waits until all have ended. */
void make_sessions(const struct daemon *d, size_t count, char (*ret_ids)[ID_SIZE]);

/* A new title for each. */
void touch_sessions(const struct daemon *d, size_t count, char (*ids)[ID_SIZE]);

#endif
