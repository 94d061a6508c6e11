#ifndef SERVE_CORS_H
#define SERVE_CORS_H
/*
 * What browsers want to see before a page of another origin may speak a foreign protocol.  Which
 * origins may ask was checked before (auth_place): the setting `origins` lists them.
 */
#include "net/http/http_server.h"

/* Adds up to CORS_HEADERS_MAX headers for a request with an origin. */
#define CORS_HEADERS_MAX 3
size_t cors_headers(const struct http_request *req, struct http_field *headers, size_t count);
/* Answers the request that a browser sends first. */
void cors_preflight(struct http_request *req);

#endif
