/*
 * Requests to an object store.
 *
 * libcurl 7.88 signs method, path, query, Host, the date and the headers that it is given.  The path
 * and the query are signed as they are sent, which is right for S3.  Three of its limits shape what
 * is sent: a header without a value would be signed and not sent, so there is none ("Expect:");
 * headers are sorted as lines, so no name may be the beginning of another one; and the body is hashed
 * only if it is in memory, so x-amz-content-sha256 is always given.
 */
#include "store/bucket/bucket.h"

#include "base/hash/sha256.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "store/bucket/bucket_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECT_MS 5000L
/* Silence that ends a request; copies of the server take long without a byte. */
#define SILENCE_S 60L
/* How long a request may last when the bucket is being closed. */
#define CLOSE_MS 3000
#define TEXT_MOST ((size_t)4 << 20)
#define PIECE ((size_t)64 << 10)
#define COPY_MOST ((uint64_t)5 << 30)

/* One request while libcurl works on it. */
struct transfer {
	struct bucket *b;
	const struct bucket_request *r;
	struct bucket_reply *reply;
	uint64_t sent;      /* of the body */
	uint64_t received;  /* of the answer */
	bool is_enough;     /* everything that was asked for is there */
	int64_t closing_ms; /* since then the bucket is being closed; 0: it is not */
	char error[CURL_ERROR_SIZE];
};

/* ---- what libcurl calls ---- */

static size_t on_send(char *into, size_t one, size_t count, void *arg)
{
	struct transfer *t = arg;
	const struct bucket_body *body = t->r->body;
	size_t len = body ? (size_t)MIN((uint64_t)one * count, body->size - t->sent) : 0;
	ssize_t got = 0;

	if (!len)
		return 0;
	if (str_is(body->text)) {
		memcpy(into, body->text.ptr + t->sent, len);
		got = (ssize_t)len;
	} else {
		got = pread(body->fd, into, len, (off_t)(body->from + t->sent));
		if (got <= 0)
			return CURL_READFUNC_ABORT;
	}
	t->sent += (uint64_t)got;
	return (size_t)got;
}

/* A kept connection that broke: the body is sent again on a new one. */
static int on_seek(void *arg, curl_off_t offset, int origin)
{
	struct transfer *t = arg;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > t->r->body->size)
		return CURL_SEEKFUNC_FAIL;
	t->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static void take_etag(struct transfer *t, struct str line)
{
	struct str value = line, name = str_cut(&value, ':');

	value = str_trim(value);
	if (name.len == 4 && !strncasecmp(name.ptr, "etag", 4) && value.len < BUCKET_ETAG_MAX)
		snprintf(t->reply->etag, sizeof t->reply->etag, "%.*s", STR_ARG(value));
}

static size_t on_header(char *line, size_t one, size_t len, void *arg)
{
	(void)one;
	take_etag(arg, str_of(line, len));
	return len;
}

static long status_of(struct transfer *t)
{
	long status = 0;

	t->b->curl.easy_getinfo(t->b->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static size_t take_text(struct transfer *t, struct str data)
{
	if (t->reply->text.len + data.len > TEXT_MOST)
		return 0;
	buf_add_str(&t->reply->text, data);
	return data.len;
}

/* A server may send all of an object instead of a range: the bytes in front of it are passed over. */
static size_t on_receive(char *data, size_t one, size_t len, void *arg)
{
	struct transfer *t = arg;
	struct bucket_reply *reply = t->reply;
	long status = status_of(t);
	struct str rest = str_of(data, len);

	(void)one;
	if (!t->r->data || (status != 200 && status != 206))
		return take_text(t, rest);
	if (status == 200 && t->received < t->r->from)
		rest = str_skip(rest, (size_t)MIN((uint64_t)len, t->r->from - t->received));
	t->received += len;
	rest = str_head(rest, t->r->max - reply->len);
	if (rest.len)
		memcpy(t->r->data + reply->len, rest.ptr, rest.len);
	reply->len += rest.len;
	t->is_enough = reply->len == t->r->max;
	return t->is_enough && status == 200 ? 0 : len;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct transfer *t = arg;

	(void)a, (void)b, (void)c, (void)d;
	if (!atomic_load(&t->b->is_closing))
		return 0;
	if (!t->closing_ms)
		t->closing_ms = clock_mono_ms();
	return clock_mono_ms() - t->closing_ms > CLOSE_MS;
}

/* ---- what is sent ---- */

/* False: the file cannot be read. */
static bool hash_body(const struct bucket_body *body, struct sha256 *ret)
{
	struct sha256_stream stream;
	char *piece;
	uint64_t at = 0;
	ssize_t got = 0;

	if (!body || str_is(body->text)) {
		*ret = sha256_of(body ? body->text : STR(""));
		return true;
	}
	sha256_begin(&stream);
	piece = memory_alloc(PIECE);
	while (at < body->size) {
		got = pread(body->fd, piece, MIN(PIECE, body->size - at), (off_t)(body->from + at));
		if (got <= 0)
			break;
		sha256_more(&stream, str_of(piece, (size_t)got));
		at += (uint64_t)got;
	}
	memory_free(piece);
	*ret = sha256_end(&stream);
	return at == body->size;
}

static void add_header(struct bucket *b, struct curl_slist **list, const char *name,
                       struct str value)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_reserve(&line, strlen(name) + value.len + 3);
	buf_printf(&line, "%s: %.*s", name, STR_ARG(value));
	buf_add_char(&line, '\0');
	*list = b->curl.slist_append(*list, line.ptr);
	explicit_bzero(line.ptr, line.cap);
}

static void wipe_headers(struct bucket *b, struct curl_slist *list)
{
	for (struct curl_slist *l = list; l; l = l->next)
		explicit_bzero(l->data, strlen(l->data));
	b->curl.slist_free_all(list);
}

static struct curl_slist *headers_of(struct bucket *b, const struct bucket_request *r,
                                     const struct bucket_keys *keys, const struct sha256 *hash)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct curl_slist *list = NULL;

	add_header(b, &list, "x-amz-content-sha256", sha256_hex(mem, hash));
	if (r->body)
		add_header(b, &list, "content-type",
		           str_is(r->type) ? r->type : STR("application/octet-stream"));
	if (str_is(r->copy_source))
		add_header(b, &list, "x-amz-copy-source", r->copy_source);
	if (keys->token[0])
		add_header(b, &list, "x-amz-security-token", str_from(keys->token));
	return list;
}

static void set_proxy(struct bucket *b, struct str url)
{
	const struct bucket_options *o = &b->options;
	struct str proxy = str_starts(url, STR("https:")) ? o->proxy : o->http_proxy;
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	/* An empty text keeps libcurl from looking in the environment; it copies both. */
	b->curl.easy_setopt(b->easy, CURLOPT_PROXY, proxy.len ? proxy.ptr : "");
	b->curl.easy_setopt(b->easy, CURLOPT_NOPROXY,
	                    arena_printf(mem, "localhost,127.0.0.1,::1%s%.*s",
	                                 o->no_proxy.len ? "," : "", STR_ARG(o->no_proxy))
	                            .ptr);
}

static void set_options(struct transfer *t)
{
	const struct libcurl *curl = &t->b->curl;
	CURL *easy = t->b->easy;

	curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl->easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	curl->easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	curl->easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (t->b->ca_file)
		curl->easy_setopt(easy, CURLOPT_CAINFO, t->b->ca_file);
	curl->easy_setopt(easy, CURLOPT_CAPATH, NULL);
	curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl->easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl->easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, SILENCE_S);
	curl->easy_setopt(easy, CURLOPT_USERAGENT, "thole");
	curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->error);
	curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl->easy_setopt(easy, CURLOPT_HEADERDATA, t);
	curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_receive);
	curl->easy_setopt(easy, CURLOPT_WRITEDATA, t);
	curl->easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	curl->easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl->easy_setopt(easy, CURLOPT_XFERINFODATA, t);
}

/* The body of a POST is text; that of a PUT is read as it is sent. */
static void set_body(struct transfer *t)
{
	const struct libcurl *curl = &t->b->curl;
	const struct bucket_request *r = t->r;
	CURL *easy = t->b->easy;

	if (!strcmp(r->method, "POST")) {
		struct str text = r->body ? r->body->text : STR("");

		curl->easy_setopt(easy, CURLOPT_POST, 1L);
		curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)text.len);
		curl->easy_setopt(easy, CURLOPT_POSTFIELDS, text.ptr);
	} else if (!strcmp(r->method, "PUT")) {
		curl->easy_setopt(easy, CURLOPT_UPLOAD, 1L);
		curl->easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
		                  (curl_off_t)(r->body ? r->body->size : 0));
		curl->easy_setopt(easy, CURLOPT_READFUNCTION, on_send);
		curl->easy_setopt(easy, CURLOPT_READDATA, t);
		curl->easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
		curl->easy_setopt(easy, CURLOPT_SEEKDATA, t);
	} else if (!strcmp(r->method, "HEAD")) {
		curl->easy_setopt(easy, CURLOPT_NOBODY, 1L);
	} else if (strcmp(r->method, "GET") != 0) {
		curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, r->method);
	}
}

/* A range is no header of the list, so it is not signed; libcurl copies all texts but the body. */
static void set_request(struct transfer *t, const struct bucket_keys *keys,
                        struct curl_slist *headers)
{
	const struct libcurl *curl = &t->b->curl;
	CURL *easy = t->b->easy;
	char text[160];

	curl->easy_setopt(easy, CURLOPT_URL, t->r->url.ptr);
	curl->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	snprintf(text, sizeof text, "aws:amz:%.*s:s3", STR_ARG(t->b->place.region));
	curl->easy_setopt(easy, CURLOPT_AWS_SIGV4, text);
	curl->easy_setopt(easy, CURLOPT_USERNAME, keys->access_key);
	curl->easy_setopt(easy, CURLOPT_PASSWORD, keys->secret_key);
	if (t->r->data) {
		snprintf(text, sizeof text, "%llu-%llu", (unsigned long long)t->r->from,
		         (unsigned long long)(t->r->from + t->r->max - 1));
		curl->easy_setopt(easy, CURLOPT_RANGE, text);
	}
	set_proxy(t->b, t->r->url);
	set_body(t);
}

/* ---- sending ---- */

static enum err unreachable(struct transfer *t, CURLcode code, struct error *e)
{
	struct bucket *b = t->b;

	if (code == CURLE_ABORTED_BY_CALLBACK && t->closing_ms)
		return fail(e, ERR_UNAVAILABLE,
		            "object_store_unreachable: the store was closed while the bucket %.*s "
		            "did not answer",
		            STR_ARG(b->place.bucket));
	return fail(e, ERR_UNAVAILABLE,
	            "object_store_unreachable: the bucket %.*s at %.*s does not answer: %s. Check "
	            "object_store.endpoint and the network",
	            STR_ARG(b->place.bucket), STR_ARG(b->place.shown),
	            t->error[0] ? t->error : b->curl.easy_strerror(code));
}

static void take_size(struct transfer *t)
{
	curl_off_t size = -1;

	t->b->curl.easy_getinfo(t->b->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
	t->reply->size = size > 0 ? (uint64_t)size : 0;
}

static enum err perform(struct transfer *t, struct error *e)
{
	CURLcode code = t->b->curl.easy_perform(t->b->easy);

	t->reply->status = status_of(t);
	take_size(t);
	if (code == CURLE_OK || t->is_enough) {
		t->b->answered++;
		return OK;
	}
	return unreachable(t, code, e);
}

/* easy_reset() keeps the connection and forgets user and password. */
static enum err exchange(struct transfer *t, const struct bucket_keys *keys, struct error *e)
{
	struct bucket *b = t->b;
	struct curl_slist *headers;
	struct sha256 hash;
	enum err err;

	if (!hash_body(t->r->body, &hash))
		return fail_errno(e, ERR_IO, "a file of an output cannot be read");
	headers = headers_of(b, t->r, keys, &hash);
	set_options(t);
	set_request(t, keys, headers);
	err = perform(t, e);
	b->curl.easy_reset(b->easy);
	wipe_headers(b, headers);
	return err;
}

static enum err no_keys(struct bucket *b, struct error *e)
{
	struct error why = *e;

	b->is_refused = why.code != ERR_UNAVAILABLE;
	return fail(e, ERR_UNAVAILABLE, "object_store_credentials: %s", why.message);
}

enum err bucket_send(struct bucket *b, const struct bucket_request *r, struct bucket_reply *ret,
                     struct error *e)
{
	struct transfer t = { .b = b, .r = r, .reply = ret };
	struct bucket_keys keys = { 0 };
	enum err err;

	*ret = (struct bucket_reply){ 0 };
	b->is_refused = false;
	if (b->options.keys(b->options.keys_arg, &keys, e) != OK)
		err = no_keys(b, e);
	else
		err = exchange(&t, &keys, e);
	explicit_bzero(&keys, sizeof keys);
	if (err == OK && (ret->status < 200 || ret->status > 299))
		err = bucket_answer_error(&b->place, ret->status, buf_str(&ret->text),
		                          &b->is_refused, e);
	return err;
}

/* ---- opening ---- */

static void keep_options(struct bucket *b, const struct bucket_options *o)
{
	b->options = *o;
	b->options.settings = (struct bucket_settings){ 0 };
	b->options.ca_file = arena_keep(b->mem, o->ca_file);
	b->options.proxy = arena_keep(b->mem, o->proxy);
	b->options.http_proxy = arena_keep(b->mem, o->http_proxy);
	b->options.no_proxy = arena_keep(b->mem, o->no_proxy);
	if (!b->options.copy_max)
		b->options.copy_max = COPY_MOST;
}

/* A libcurl that cannot sign would send requests without a signature. */
static enum err load(struct bucket *b, struct error *e)
{
	struct error why;

	if (libcurl_load(NULL, &b->curl, &why) != OK)
		return fail(e, ERR_UNSUPPORTED, "object_store_library: %s", why.message);
	b->easy = b->curl.easy_init();
	if (b->curl.easy_setopt(b->easy, CURLOPT_AWS_SIGV4, "aws:amz") != CURLE_OK)
		return fail(e, ERR_UNSUPPORTED,
		            "object_store_library: libcurl cannot sign requests; 7.88 or later is "
		            "needed");
	b->curl.easy_reset(b->easy);
	return OK;
}

enum err bucket_open(struct bucket *b, const struct bucket_options *o, struct error *e)
{
	enum err err;

	*b = (struct bucket){ .mem = arena_new_small() };
	keep_options(b, o);
	err = bucket_url_place(b->mem, &o->settings, &b->place, e);
	if (err == OK)
		err = load(b, e);
	if (err != OK) {
		bucket_close(b);
		return err;
	}
	b->ca_file = libcurl_ca_file(b->options.ca_file);
	return OK;
}

void bucket_close(struct bucket *b)
{
	if (b->easy)
		b->curl.easy_cleanup(b->easy);
	free(b->ca_file);
	arena_free(b->mem);
	*b = (struct bucket){ 0 };
}
