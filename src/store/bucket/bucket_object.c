/* The requests that outputs need. */
#include "store/bucket/bucket_object.h"

#include "store/bucket/bucket_answer.h"

#include <stdio.h>
#include <string.h>

#define PROBE_KEY "format"
#define PROBE_CONTENT "thole outputs 1\n"

/* Adds the address, and sends a request that needs nothing else. */
static enum err ask(struct bucket *b, const char *method, struct str key, struct str query,
                    struct bucket_request *r, struct bucket_reply *ret, struct error *e)
{
	CLEANUP(buf_done) struct buf url = { 0 };

	bucket_url_object(&url, &b->place, key, query);
	buf_add_char(&url, '\0');
	r->method = method;
	r->url = str_of(url.ptr, url.len - 1);
	return bucket_send(b, r, ret, e);
}

/* The same without a look at the answer. */
static enum err tell(struct bucket *b, const char *method, struct str key, struct str query,
                     struct bucket_request *r, struct error *e)
{
	struct bucket_reply reply;
	enum err err = ask(b, method, key, query, r, &reply, e);

	buf_done(&reply.text);
	return err;
}

static enum err put_and_ask(struct bucket *b, struct str key, struct str query,
                            const struct bucket_body *body, struct bucket_reply *ret,
                            struct error *e)
{
	struct bucket_request r = { .body = body };

	return ask(b, "PUT", key, query, &r, ret, e);
}

enum err bucket_object_put(struct bucket *b, struct str key, const struct bucket_body *body,
                           struct error *e)
{
	struct bucket_request r = { .body = body };

	return tell(b, "PUT", key, STR_NONE, &r, e);
}

enum err bucket_object_probe(struct bucket *b, struct error *e)
{
	struct str content = STR(PROBE_CONTENT);
	struct bucket_body body = { .text = content, .size = content.len };

	return bucket_object_put(b, STR(PROBE_KEY), &body, e);
}

enum err bucket_object_size(struct bucket *b, struct str key, uint64_t *ret, struct error *e)
{
	struct bucket_request r = { 0 };
	struct bucket_reply reply;
	enum err err = ask(b, "HEAD", key, STR_NONE, &r, &reply, e);

	buf_done(&reply.text);
	if (err == OK)
		*ret = reply.size;
	return err;
}

enum err bucket_object_get(struct bucket *b, struct str key, uint64_t from, size_t max, char *data,
                           size_t *ret_len, struct error *e)
{
	struct bucket_request r = { .from = from, .max = max, .data = data };
	struct bucket_reply reply;
	enum err err = ask(b, "GET", key, STR_NONE, &r, &reply, e);

	buf_done(&reply.text);
	if (err == OK)
		*ret_len = reply.len;
	return err;
}

/* ---- answers with 200 that report a failure all the same ---- */

static enum err look_inside(struct bucket *b, const struct bucket_reply *reply, const char *wanted,
                            struct error *e)
{
	if (str_find(buf_str(&reply->text), str_from(wanted)) >= 0)
		return OK;
	return bucket_answer_error(&b->place, 500, buf_str(&reply->text), &b->is_refused, e);
}

enum err bucket_object_copy(struct bucket *b, struct str from, struct str to, struct error *e)
{
	CLEANUP(buf_done) struct buf source = { 0 };
	struct bucket_request r = { 0 };
	struct bucket_reply reply;
	enum err err;

	buf_printf(&source, "/%.*s/", STR_ARG(b->place.bucket));
	bucket_url_key(&source, &b->place, from);
	r.copy_source = buf_str(&source);
	err = ask(b, "PUT", to, STR_NONE, &r, &reply, e);
	if (err == OK)
		err = look_inside(b, &reply, "<CopyObjectResult", e);
	buf_done(&reply.text);
	return err;
}

/* ---- removal ---- */

/* A page of keys, with their prefix; in mem. */
static enum err list_page(struct bucket *b, struct arena *mem, struct str key_prefix,
                          struct str after, struct str *ret, struct error *e)
{
	CLEANUP(buf_done) struct buf url = { 0 };
	struct bucket_request r = { .method = "GET" };
	struct bucket_reply reply;
	enum err err;

	bucket_url_list(&url, &b->place, key_prefix, after);
	buf_add_char(&url, '\0');
	r.url = str_of(url.ptr, url.len - 1);
	err = bucket_send(b, &r, &reply, e);
	if (err == OK)
		err = look_inside(b, &reply, "<ListBucketResult", e);
	if (err == OK)
		*ret = arena_keep(mem, buf_str(&reply.text));
	buf_done(&reply.text);
	return err;
}

/* The key below our prefix; absent: it is not below it. */
static struct str below(const struct bucket_place *p, struct str key)
{
	return str_starts(key, p->prefix) ? str_skip(key, p->prefix.len) : STR_NONE;
}

static enum err remove_one(struct bucket *b, struct str key, struct error *e)
{
	struct bucket_request r = { 0 };
	enum err err = tell(b, "DELETE", key, STR_NONE, &r, e);

	return err == ERR_NOT_FOUND ? OK : err;
}

/* Removes what the page names.  ret_last: the last key, absent when the page was empty. */
static enum err remove_page(struct bucket *b, struct arena *mem, struct str page,
                            struct str key_prefix, struct str but, struct str *ret_last,
                            struct error *e)
{
	enum err err = OK;
	struct str whole;

	*ret_last = STR_NONE;
	while (err == OK && bucket_answer_next(mem, &page, "Key", &whole)) {
		struct str key = below(&b->place, whole);

		*ret_last = whole;
		if (str_is(key) && str_starts(key, key_prefix) && !str_eq(key, but))
			err = remove_one(b, key, e);
	}
	return err;
}

enum err bucket_object_sweep(struct bucket *b, struct str key_prefix, struct str but,
                             struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str page, last = STR_NONE;
	enum err err;

	do {
		err = list_page(b, mem, key_prefix, last, &page, e);
		if (err == OK)
			err = remove_page(b, mem, page, key_prefix, but, &last, e);
	} while (err == OK && last.len &&
	         str_eq(bucket_answer_text(mem, page, "IsTruncated"), STR("true")));
	return err;
}

/* ---- parts ---- */

enum err bucket_object_begin(struct bucket *b, struct str key, char ret_upload[BUCKET_UPLOAD_MAX],
                             struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct bucket_body none = { .text = STR("") };
	struct bucket_request r = { .body = &none };
	struct bucket_reply reply;
	enum err err = ask(b, "POST", key, STR("uploads="), &r, &reply, e);
	struct str id = STR_NONE;

	if (err == OK)
		id = bucket_answer_text(mem, buf_str(&reply.text), "UploadId");
	if (err == OK && (!id.len || id.len >= BUCKET_UPLOAD_MAX))
		err = bucket_answer_error(&b->place, 500, buf_str(&reply.text), &b->is_refused, e);
	buf_done(&reply.text);
	if (err == OK)
		snprintf(ret_upload, BUCKET_UPLOAD_MAX, "%.*s", STR_ARG(id));
	return err;
}

static void add_upload(struct buf *query, struct str upload)
{
	bucket_url_member(query, "uploadId", upload);
}

enum err bucket_object_part(struct bucket *b, struct str key, struct str upload, int64_t no,
                            const struct bucket_body *body, char ret_etag[BUCKET_ETAG_MAX],
                            struct error *e)
{
	CLEANUP(buf_done) struct buf query = { 0 };
	struct bucket_reply reply;
	char number[24];
	enum err err;

	snprintf(number, sizeof number, "%lld", (long long)no);
	bucket_url_member(&query, "partNumber", str_from(number));
	add_upload(&query, upload);
	err = put_and_ask(b, key, buf_str(&query), body, &reply, e);
	buf_done(&reply.text);
	if (err == OK && !reply.etag[0])
		err = fail(e, ERR_UNAVAILABLE,
		           "object_store_server: the bucket %.*s names no part that it took",
		           STR_ARG(b->place.bucket));
	if (err == OK)
		memcpy(ret_etag, reply.etag, BUCKET_ETAG_MAX);
	return err;
}

static void add_escaped(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '&')
			buf_add_c(out, "&amp;");
		else if (c == '<')
			buf_add_c(out, "&lt;");
		else
			buf_add_char(out, c);
	}
}

static void write_parts(struct buf *out, const struct bucket_part *parts, size_t count)
{
	buf_add_c(out, "<CompleteMultipartUpload>");
	for (size_t i = 0; i < count; i++) {
		buf_printf(out, "<Part><PartNumber>%lld</PartNumber><ETag>",
		           (long long)parts[i].no);
		add_escaped(out, parts[i].etag);
		buf_add_c(out, "</ETag></Part>");
	}
	buf_add_c(out, "</CompleteMultipartUpload>");
}

enum err bucket_object_complete(struct bucket *b, struct str key, struct str upload,
                                const struct bucket_part *parts, size_t count, struct error *e)
{
	CLEANUP(buf_done) struct buf query = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct bucket_body body;
	struct bucket_request r = { .body = &body, .type = STR("application/xml") };
	struct bucket_reply reply;
	enum err err;

	add_upload(&query, upload);
	write_parts(&text, parts, count);
	body = (struct bucket_body){ .text = buf_str(&text), .size = text.len };
	err = ask(b, "POST", key, buf_str(&query), &r, &reply, e);
	if (err == OK)
		err = look_inside(b, &reply, "<CompleteMultipartUploadResult", e);
	buf_done(&reply.text);
	return err;
}

enum err bucket_object_abort(struct bucket *b, struct str key, struct str upload, struct error *e)
{
	CLEANUP(buf_done) struct buf query = { 0 };
	struct bucket_request r = { 0 };
	enum err err;

	add_upload(&query, upload);
	err = tell(b, "DELETE", key, buf_str(&query), &r, e);
	return err == ERR_NOT_FOUND ? OK : err;
}
