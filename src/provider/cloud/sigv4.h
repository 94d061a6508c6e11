#ifndef PROVIDER_SIGV4_H
#define PROVIDER_SIGV4_H
/*
 * AWS Signature Version 4: the headers that prove who sent a request.  Pure.
 *
 * The signature covers method, path, query, the listed headers, Host and the
 * body.  Every service but S3 signs the path as it is sent, encoded once more.
 * libcurl's CURLOPT_AWS_SIGV4 does not do so before 8.x, hence this code
 * (docs/decisions/0025-cloud-credentials.md).
 */
#include "base/arena.h"
#include "net/http/http_client.h"

struct sigv4_keys {
	struct str access_key, secret_key;
	struct str token; /* of temporary credentials; absent: none */
};

struct sigv4_request {
	struct str method;
	struct str url; /* as it is sent: its path is encoded */
	struct str region, service;
	const struct http_client_header *headers; /* signed too; each goes out as it stands here */
	size_t header_count;
	struct str body;
	int64_t now_ms; /* wall clock */
};

#define SIGV4_HEADERS 3 /* X-Amz-Date, Authorization, X-Amz-Security-Token */

/* Headers to be sent with the request; their values are in mem.  Returns how many there are. */
size_t sigv4_sign(struct arena *mem, const struct sigv4_request *r, const struct sigv4_keys *k,
                  struct http_client_header ret[SIGV4_HEADERS]);

/* Adds text with every byte but letters, digits and -_.~ encoded; keep: further bytes that stay. */
void sigv4_encode(struct buf *out, struct str text, const char *keep);

#endif
