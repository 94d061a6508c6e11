#ifndef NET_HTTP_PARSE_H
#define NET_HTTP_PARSE_H
/*
 * One HTTP/1.1 or 1.0 request from bytes: llhttp, our bounds, and the checks
 * that keep two readers of the same bytes from seeing two different requests.
 * No I/O; no split of the bytes changes what is read, or that it is refused
 * (where two things are wrong, it may change which of them is told).
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
 * ".." segment, or an encoded slash or backslash is refused, so that whoever
 * compares paths cannot be led around.
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
 * What was asked.  All views point into memory of the message.  Field names
 * are as sent; look them up with http_parse_find().
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
	bool wants_upgrade;    /* Connection: upgrade, to whatever */
	char *text;            /* what the views point into */
	char *body_text;
};

/* The value of the first header of that name, in any case; absent without one. */
struct str http_parse_find(const struct http_message *m, struct str name);
/* The value of the first parameter of that name, in this very case. */
struct str http_parse_param(const struct http_message *m, struct str name);
/* Does a comma-separated header contain this token, in any case? */
bool http_parse_has_token(struct str value, struct str token);

/* Frees the texts; the struct is empty after. */
void http_parse_message_done(struct http_message *m);

enum http_progress {
	HTTP_WANTS_MORE, /* all bytes are taken, more are needed */
	HTTP_HAS_HEAD,   /* the head is read: call http_parse_body(), then go on */
	HTTP_HAS_ALL,    /* the message is whole; what is left belongs to the next */
	HTTP_IS_BAD,     /* `status` and `why` say what to answer; the connection is lost */
};

/* A zeroed struct waits for a request, and takes no memory while it does. */
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
/* Has no byte of a request come yet? */
static inline bool http_parser_is_idle(const struct http_parser *p)
{
	return !p->state;
}
void http_parse_done(struct http_parser *p);

#endif
