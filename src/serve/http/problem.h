#ifndef SERVE_PROBLEM_H
#define SERVE_PROBLEM_H
/*
 * RFC 9457 problems that the faces themselves have to tell, in the same shape
 * as those of the control: {type, title, status, code, category, detail,
 * retryable}.  type is "urn:thole:problem:" and the code.
 */
#include "catalog/catalog.h"
#include "net/http/http_server.h"

/* status 0: the catalogue's.  detail may be absent. */
void problem_write(struct buf *out, enum error_code code, int status, struct str detail);

/* Ends the request. */
void problem_reply(struct http_request *req, enum error_code code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* With one more header. */
void problem_reply_with(struct http_request *req, enum error_code code,
                        const struct http_field *header, struct str detail);

/* For http_handler: what the HTTP server refuses by itself. */
void problem_of_status(void *user, int status, const char *why, struct buf *body,
                       struct str *content_type);

#define PROBLEM_TYPE STR("application/problem+json")
/* Every answer has these two: nothing is stored by browsers, nothing is guessed. */
#define HEADER_NO_STORE                                                                            \
	{                                                                                          \
		STR("Cache-Control"), STR("no-store")                                              \
	}
#define HEADER_NO_SNIFF                                                                            \
	{                                                                                          \
		STR("X-Content-Type-Options"), STR("nosniff")                                      \
	}

#endif
