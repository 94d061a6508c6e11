#ifndef STORE_BUCKET_H
#define STORE_BUCKET_H
/*
 * One request to an object store at a time, with libcurl: it is signed (AWS Signature Version 4),
 * sent, and waited for.
 *
 * A bucket belongs to one thread, which waits.  A connection is kept between requests.  Redirects
 * are not followed: a signature belongs to one address.  Secrets are read for each request and wiped
 * behind it; no message contains one.
 */
#include "base/os/libcurl.h"
#include "store/bucket/bucket_url.h"

#include <stdatomic.h>

#define BUCKET_ETAG_MAX 128

/* What signs requests.  Wiped by the caller of the function that fills it. */
struct bucket_keys {
	char access_key[256], secret_key[256];
	char token[4096]; /* of temporary credentials; empty: none */
};

struct bucket_options {
	struct bucket_settings settings;
	/*
	 * Finds the credentials, on the bucket's thread.  ERR_NOT_FOUND or ERR_INVALID: there are none
	 * that can be used; ERR_UNAVAILABLE: not now.  The message says where they were looked for, and
	 * no part of them.
	 */
	enum err (*keys)(void *arg, struct bucket_keys *ret, struct error *e);
	void *keys_arg;
	struct str ca_file, proxy, http_proxy,
		no_proxy;  /* as those of struct http_client_options */
	uint64_t copy_max; /* bytes that one request copies; 0: 5 GiB, the bound of the wire */
};

struct bucket {
	struct bucket_options options; /* strings in mem */
	struct bucket_place place;
	struct arena *mem;
	struct libcurl curl;
	CURL *easy;
	char *ca_file;
	bool is_refused;   /* the last failure does not pass by itself */
	uint64_t answered; /* requests */
	/* Set by another thread: requests end within seconds. */
	atomic_bool is_closing;
};

/* Bytes that are sent: of memory, or of a file. */
struct bucket_body {
	struct str text; /* absent: of the file */
	int fd;
	uint64_t from, size;
};

struct bucket_request {
	const char *method;
	struct str url;
	const struct bucket_body *body; /* NULL: none */
	struct str type;                /* of the body; absent: bytes */
	struct str copy_source;         /* absent: none */
	/* GET: this many bytes from there; 0: all, which is text and has a bound */
	uint64_t from;
	size_t max;
	char *data; /* max bytes, for a range */
};

struct bucket_reply {
	long status;
	char etag[BUCKET_ETAG_MAX]; /* with its quotes; empty: none */
	uint64_t size;              /* HEAD: of the object */
	size_t len;                 /* of data */
	struct buf text;            /* what is no range; buf_done() */
};

/* Checks the settings and loads libcurl.  Nothing is sent. */
enum err bucket_open(struct bucket *b, const struct bucket_options *o, struct error *e) MUST_USE;
void bucket_close(struct bucket *b); /* one that is zeroed is fine */
/*
 * ERR_UNAVAILABLE: no answer, or one of those that bucket_answer.h calls so; is_refused says whether
 * that passes.  ERR_NOT_FOUND and ERR_CORRUPT as there.
 */
enum err bucket_send(struct bucket *b, const struct bucket_request *r, struct bucket_reply *ret,
                     struct error *e) MUST_USE;

#endif
