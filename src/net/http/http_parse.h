#ifndef NET_HTTP_PARSE_H
#define NET_HTTP_PARSE_H
/*
 * Parses one HTTP/1.1 or 1.0 request: llhttp, our limits, and checks against
 * request smuggling, where two readers see two different requests in the same
 * bytes.  No I/O; no split of the bytes changes what is read, or that it is refused
 * (where two things are wrong, it may change which of them is reported).
 *
 * Refused, beyond what llhttp refuses with no lenience set: any version but
 * 1.0 and 1.1, a missing or repeated Host (in 1.1), a repeated Authorization,
 * Content-Type or Origin, Content-Length together with Transfer-Encoding, a
 * coding other than chunked, or any coding in 1.0, an Expect other than
 * 100-continue, and methods other than the seven below.
 *
 * A target is "/path?query", "http://host/path?query" (whose host must be the
 * Host) or "*".  The path comes decoded; one that holds, before or after
 * decoding, a NUL, a control character, bytes that are not UTF-8, a "." or
 * ".." segment, or an encoded slash or backslash is refused, so that code that
 * compares paths cannot be deceived.
 */
#include "base/gen/limits.h"
#include "base/buf.h"

#define HTTP_LINE_MAX LIMIT_HTTP_TARGET_BYTES /* request line */
#define HTTP_HEAD_MAX LIMIT_HTTP_HEADER_BYTES /* all names and values */
#define HTTP_FIELDS_MAX LIMIT_HTTP_HEADER_LINES
#define HTTP_PARAMS_MAX 64 /* of a query */

struct http_field {
	struct str name, value;
};

/*
 * A request.  All views point into memory of the message.  Field names are as
 * sent; look them up with http_parse_find().
 */
struct http_message {
	struct str method; /* GET HEAD POST PUT DELETE PATCH OPTIONS */
	struct str target; /* as sent */
	struct str path;   /* decoded; "*" for OPTIONS * */
	struct str query;  /* as sent; absent without '?' */
	struct str host;
	struct str body; /* empty when there is none */
	const struct http_field *fields;
	const struct http_field *params; /* of the query, decoded, '+' as space */
	uint16_t field_count, param_count;
	bool is_http_1_0;
	bool wants_continue;   /* Expect: 100-continue */
	bool wants_keep_alive; /* by version and Connection */
	bool wants_upgrade;    /* Connection: upgrade, to any protocol */
	char *text;            /* what the views point into */
	char *body_text;
	char *lists; /* values of headers that were joined */
};

/*
 * The value of the first header of that name, in any case; absent without one.  Accept and
 * tracestate are lists: the values of several are joined.
 */
struct str http_parse_find(const struct http_message *m, struct str name);
/* The value of the first parameter of that name; case-sensitive. */
struct str http_parse_param(const struct http_message *m, struct str name);
/* Whether a comma-separated header contains this token, ignoring case. */
bool http_parse_has_token(struct str value, struct str token);

/* Frees the texts; the struct is empty after. */
void http_parse_message_done(struct http_message *m);

enum http_progress {
	HTTP_WANTS_MORE, /* all bytes are consumed, more are needed */
	HTTP_HAS_HEAD,   /* the head is read: call http_parse_body(), then continue */
	HTTP_HAS_ALL,    /* the message is complete; the rest belongs to the next */
	HTTP_IS_BAD,     /* `status` and `why` are for the reply; the connection must be closed */
};

/* A zeroed struct waits for a request and owns no memory. */
struct http_parser {
	struct http_parse *state;
	int status;
	const char *why; /* static text */
};

/* Takes bytes from the front of *bytes. */
enum http_progress http_parse(struct http_parser *p, struct str *bytes) MUST_USE;
/* Between HTTP_HAS_HEAD and HTTP_HAS_ALL: the head, without a body. */
const struct http_message *http_parse_head(const struct http_parser *p);
/* After HTTP_HAS_HEAD.  False when the body is announced longer than max: status is 413. */
bool http_parse_body(struct http_parser *p, size_t max) MUST_USE;
/* After HTTP_HAS_ALL: the message moves out, and the parser waits for the next. */
void http_parse_take(struct http_parser *p, struct http_message *ret);
/* Whether no byte of a request has come yet. */
static inline bool http_parser_is_idle(const struct http_parser *p)
{
	return !p->state;
}
void http_parse_done(struct http_parser *p);

#endif
