/*
 * GET /v1/outputs/{ref}: the bytes of a stored output, whole or a range of
 * them, read page by page with get_output so that none is ever whole in
 * memory.
 *
 *   CALL ──page──► write ──drained──► CALL ... ──last page──► end
 *
 * Of an output that still grows, the bytes so far are returned.
 */
#include "base/os/id.h"
#include "base/jw.h"
#include "base/memory.h"
#include "serve/http/content_negotiation.h"
#include "serve/http/api_call.h"
#include "serve/http/problem.h"
#include "serve/serve_int.h"

#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE 262144

struct output {
	struct serve *serve;
	struct http_request *req;
	struct loop_timer timer;
	struct caller caller; /* its views are ours or the serve's */
	struct str ref;
	int64_t next; /* offset of the next page */
	int64_t left; /* bytes still to give; -1: all there are */
	bool is_range, is_head, has_begun;
	char text[]; /* ref */
};

/* One page, decoded. */
struct page {
	struct json record;
	struct str bytes;
	int64_t offset;
	bool is_last;
};

static void output_free(struct output *o)
{
	loop_timer_stop(&o->timer);
	free(o);
}

/* ---- reading a page ---- */

/* get_output returns bytes that are no text as base64. */
static bool decode_base64(struct arena *mem, struct str base64, struct str *ret)
{
	struct base64_decode_ctx ctx;
	size_t len = BASE64_DECODE_LENGTH(base64.len);
	uint8_t *out = arena_alloc_raw(mem, len + 1);

	base64_decode_init(&ctx);
	if (!base64_decode_update(&ctx, &len, out, base64.len, base64.ptr) ||
	    !base64_decode_final(&ctx))
		return false;
	*ret = str_of((const char *)out, len);
	return true;
}

static bool read_page(struct arena *mem, struct str body, struct page *ret)
{
	struct json v;
	struct error e;

	if (json_read_trusted(mem, body, &v, &e) != OK)
		return false;
	ret->record = JSON_GET(v, "output");
	ret->offset = json_int(JSON_GET(v, "offset"), -1);
	ret->is_last = json_bool(JSON_GET(v, "eof"), false);
	ret->bytes = json_str(JSON_GET(v, "text"));
	if (json_is(JSON_GET(v, "base64")) &&
	    !decode_base64(mem, json_str(JSON_GET(v, "base64")), &ret->bytes))
		return false;
	if (!str_is(ret->bytes))
		ret->bytes = STR("");
	return ret->offset >= 0;
}

/* ---- answering ---- */

/* How many bytes will follow from `offset` on; -1 when that is not known. */
static int64_t total_of(const struct output *o, const struct page *p)
{
	int64_t size = json_int(JSON_GET(p->record, "sizeBytes"), -1);
	int64_t rest = p->is_last ? (int64_t)p->bytes.len : size >= 0 ? size - p->offset : -1;

	if (rest < 0)
		return -1;
	return o->left < 0 ? rest : MIN(o->left, rest);
}

/* The size of the whole output; -1 while it is not known. */
static int64_t whole_size(const struct page *p)
{
	return json_bool(JSON_GET(p->record, "complete"), false)
	               ? json_int(JSON_GET(p->record, "sizeBytes"), -1)
	               : -1;
}

static void write_range(char out[80], const struct page *p, int64_t count)
{
	int64_t size = whole_size(p);

	snprintf(out, 80, "bytes %lld-%lld/", (long long)p->offset,
	         (long long)(p->offset + count - 1));
	if (size >= 0)
		snprintf(out + strlen(out), 80 - strlen(out), "%lld", (long long)size);
	else
		strcat(out, "*");
}

/* Content-Range tells the client what it may ask for (RFC 9110). */
static void refuse_range(struct output *o, const struct page *p)
{
	char range[80];
	struct http_field header = { STR("Content-Range"), STR_NONE };

	snprintf(range, sizeof range, "bytes */%lld", (long long)whole_size(p));
	header.value = str_from(range);
	if (whole_size(p) >= 0)
		problem_reply_with(o->req, ERROR_CODE_RANGE_NOT_SATISFIABLE, &header,
		                   STR("it begins past the end"));
	else
		problem_reply(o->req, ERROR_CODE_RANGE_NOT_SATISFIABLE, "it begins past the end");
}

/* Whether this page completes the reply. */
static bool is_all(const struct output *o, const struct page *p)
{
	return p->is_last || (o->is_range && o->left <= (int64_t)p->bytes.len);
}

/*
 * The first page: the whole answer, or its beginning.  True: the request is ended.
 *
 * Outputs are written by tools and may be hostile.  The headers keep a browser from
 * rendering one as a page of this origin: no sniffing, no scripts, and saved instead of
 * shown.
 */
static bool output_begin(struct output *o, const struct page *p)
{
	struct str type = json_str(JSON_GET(p->record, "mediaType"));
	char range[80];
	struct http_field headers[] = {
		{ STR("Content-Type"), type.len ? type : STR("application/octet-stream") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("Content-Security-Policy"), STR("default-src 'none'; sandbox") },
		{ STR("Content-Disposition"), STR("attachment") },
		{ STR("Accept-Ranges"), STR("bytes") },
		{ STR("Content-Range"), STR_NONE },
	};
	size_t count = COUNT_OF(headers) - !o->is_range;

	if (o->is_range) {
		/* Content-Length must hold: without a known size only this page is sent. */
		o->left = total_of(o, p);
		if (o->left < 0)
			o->left = (int64_t)p->bytes.len;
		write_range(range, p, o->left);
		headers[count - 1].value = str_from(range);
	}
	o->has_begun = true;
	if (is_all(o, p))
		http_reply(o->req, o->is_range ? 206 : 200, headers, count,
		           o->is_range ? str_head(p->bytes, (size_t)o->left) : p->bytes);
	else
		http_reply_stream_begin(o->req, o->is_range ? 206 : 200, headers, count);
	return is_all(o, p);
}

static void send_call(struct output *o);

/* ---- between two pages the request is ours; during a call it is the call's ---- */

static void on_closed(struct http_request *req)
{
	output_free(req->user);
	http_reply_abort(req);
}

static void on_drain(struct http_request *req)
{
	send_call(req->user);
}

static void on_again(struct loop_timer *t)
{
	send_call(OWNER_OF(t, struct output, timer));
}

static void wait_for_reader(struct output *o)
{
	o->req->user = o;
	o->req->on_closed = on_closed;
	o->req->on_drain = on_drain;
	/* A large page is waited for by on_drain; a small one is not. */
	if (http_reply_pending(o->req) <= o->serve->low_water)
		loop_timer_start(o->serve->loop, &o->timer, 0, on_again);
}

/* False: that was the last of it. */
static bool write_page(struct output *o, const struct page *p)
{
	struct str bytes = p->bytes;

	if (o->left >= 0) {
		bytes = str_head(bytes, (size_t)MIN(o->left, (int64_t)bytes.len));
		o->left -= (int64_t)bytes.len;
	}
	http_reply_stream_write(o->req, bytes);
	o->next = p->offset + (int64_t)bytes.len;
	return bytes.len && !p->is_last && o->left != 0 && !o->is_head;
}

/*
 * A page without bytes in answer to a range begins past the end.  Later pages are
 * written until the announced length is reached.
 */
static void on_page(struct output *o, const struct page *p)
{
	if (!o->has_begun && o->is_range && !p->bytes.len) {
		refuse_range(o, p);
		output_free(o);
		return;
	}
	if (!o->has_begun && output_begin(o, p)) {
		output_free(o);
		return;
	}
	if (write_page(o, p)) {
		wait_for_reader(o);
		return;
	}
	/* Announced bytes are missing: abort, so that the client notices the truncation. */
	if (o->left > 0 && !o->is_head)
		http_reply_abort(o->req);
	else
		http_reply_stream_end(o->req);
	output_free(o);
}

/* An error after the reply has begun can only be shown by aborting it. */
static void output_finish(struct api_call *c, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct output *o = c->user;
	struct page p = { 0 };

	if (!a->code && read_page(mem, a->body, &p)) {
		on_page(o, &p);
		return;
	}
	if (o->has_begun)
		http_reply_abort(o->req);
	else if (a->code)
		api_call_answer(o->req, a);
	else
		problem_reply(o->req, ERROR_CODE_INTERNAL, "the page could not be read");
	output_free(o);
}

static void output_drop(struct api_call *c)
{
	output_free(c->user);
}

/* ---- asking ---- */

/*
 * One page at a time: the next is requested when the client has read the last, so that
 * memory is bounded by PAGE per download.
 */
static void send_call(struct output *o)
{
	struct api_call *c = api_call_new(o->serve, o->req, &o->caller, STR("get_output"));
	struct json_writer w;

	loop_timer_stop(&o->timer);
	jw_init(&w, &c->params);
	jw_obj(&w);
	JW_KSTR(&w, "outputRef", o->ref);
	JW_KINT(&w, "offset", o->next);
	JW_KINT(&w, "length", o->left < 0 ? PAGE : MIN(o->left, (int64_t)PAGE));
	jw_obj_end(&w);
	c->user = o;
	c->finish = output_finish;
	c->drop = output_drop;
	api_call_send(c);
}

void http_output_open(struct serve *s, struct http_request *req, const struct caller *caller,
                      struct str ref)
{
	struct range range = { .first = 0, .count = -1 };
	struct output *o;

	if (!id_is_valid(ref) || req->in.param_count) {
		problem_reply(req,
		              id_is_valid(ref) ? ERROR_CODE_UNKNOWN_FIELD : ERROR_CODE_INVALID_ID,
		              "a ref, and no query; a part is asked for by the header Range");
		return;
	}
	o = memory_zeroed(1, sizeof *o + ref.len);
	memcpy(o->text, ref.ptr, ref.len);
	o->serve = s;
	o->req = req;
	o->ref = str_of(o->text, ref.len);
	o->caller = *caller;
	/* the request's text is freed when the reply begins */
	o->caller.trace = (struct trace_context){ 0 };
	o->is_head = str_eq(req->in.method, STR("HEAD"));
	o->is_range = content_negotiation_range(http_parse_find(&req->in, STR("range")), &range);
	o->next = range.first;
	o->left = range.count;
	send_call(o);
}
