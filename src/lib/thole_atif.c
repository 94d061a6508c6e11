/*
 * thole_atif(): reads the log of a session through the calls of the C API and
 * feeds the trajectory writer (export/atif).  The same code serves an opened
 * runtime and a connection to a daemon, and runs in the caller's thread.
 */
#include "thole/thole.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/jw.h"
#include "export/atif/atif.h"
#include "lib/secrets.h"
#include "text/redact.h"

#include <stdio.h>
#include <string.h>

struct reading {
	struct thole *t;
	struct str session;
	int (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	struct arena *mem; /* of one event or reply */
	struct thole_error *err;
	struct scrub *scrub;
};

static int refuse(struct thole_error *err, int code, const char *message)
{
	if (err) {
		err->code = code;
		snprintf(err->message, sizeof err->message, "%s", message);
	}
	return code;
}

/* ---- the port of the writer ---- */

static bool write_bytes(void *arg, struct str bytes)
{
	struct reading *r = arg;

	return r->write(r->arg, bytes.ptr, bytes.len) == 0;
}

static void output_params(struct reading *r, struct str ref, size_t offset, struct buf *text)
{
	struct json_writer w;

	jw_init(&w, text);
	jw_obj(&w);
	JW_KSTR(&w, "outputRef", ref);
	JW_KSTR(&w, "sessionId", r->session);
	JW_KINT(&w, "offset", (int64_t)offset);
	jw_obj_end(&w);
	buf_add_char(text, 0);
}

/* One page of an output.  False: it cannot be read, or is no text. */
static bool read_page(struct reading *r, struct str ref, size_t offset, struct buf *out,
                      bool *ret_is_end)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char *reply = NULL;
	struct json v;
	bool is_read;

	output_params(r, ref, offset, &params);
	is_read = thole_call(r->t, "get_output", params.ptr, &reply) == THOLE_OK &&
	          json_read_trusted(mem, str_from(reply), &v, NULL) == OK &&
	          json_is(JSON_GET(v, "text"));
	thole_free(reply);
	if (!is_read)
		return false;
	buf_add_str(out, json_str(JSON_GET(v, "text")));
	*ret_is_end = json_bool(JSON_GET(v, "eof"), true) || !json_str(JSON_GET(v, "text")).len;
	return true;
}

static bool read_output(void *arg, struct str ref, size_t max, struct buf *out)
{
	struct reading *r = arg;
	size_t began = out->len;
	bool is_end = false;

	while (!is_end && out->len - began < max && !out->overflowed)
		if (!read_page(r, ref, out->len - began, out, &is_end))
			return false;
	return true;
}

/* ---- secrets ---- */

/*
 * Whatever has the shape of a key is found.  Of others only those in our own environment are
 * known: a daemon does not tell its keys.
 */
static struct scrub *scrub_open(void)
{
	struct scrub *s = redact_new();

	secrets_know_environment(s, SCRUB_KNOWN_MIN);
	return s;
}

static struct str redact_one(void *arg, struct arena *mem, struct str text)
{
	struct reading *r = arg;

	return redact_text(r->scrub, mem, text, NULL);
}

/* ---- reading the log ---- */

static void subscribe_params(const struct reading *r, struct str thread, struct buf *text)
{
	struct json_writer w;

	jw_init(&w, text);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", r->session);
	JW_KOPT(&w, "threadId", thread);
	JW_KINT(&w, "after", 0);
	JW_KBOOL(&w, "follow", false);
	JW_KEY(&w, "types");
	jw_arr(&w);
	for (size_t i = 0; atif_types[i]; i++)
		jw_str(&w, str_from(atif_types[i]));
	jw_arr_end(&w);
	jw_obj_end(&w);
	buf_add_char(text, 0);
}

static int problem_of(struct reading *r, char *problem)
{
	struct json v;
	struct str detail = STR_NONE;

	if (!problem)
		return refuse(r->err, THOLE_CLOSED, "the runtime has gone");
	if (json_read_trusted(r->mem, str_from(problem), &v, NULL) == OK)
		detail = json_str(JSON_GET(v, "detail"));
	thole_free(problem);
	return refuse(r->err, THOLE_REFUSED,
	              str_is(detail) ? arena_keep(r->mem, detail).ptr : "the session was refused");
}

static int read_events(struct reading *r, struct atif *a, struct thole_stream *s)
{
	char *text;
	size_t len;
	int code;

	while ((code = thole_next(s, -1, &text, &len)) == THOLE_OK) {
		struct json ev;

		arena_reset(r->mem);
		if (json_read_trusted(r->mem, str_of(text, len), &ev, NULL) == OK)
			atif_event(a, ev);
		thole_free(text);
	}
	return code == THOLE_ENDED ? THOLE_OK : refuse(r->err, code, "the log could not be read");
}

static int read_pass(struct reading *r, struct atif *a, struct str thread)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	char *problem = NULL;
	struct thole_stream *s;
	int code;

	subscribe_params(r, thread, &params);
	s = thole_subscribe(r->t, params.ptr, &problem);
	if (!s)
		return problem_of(r, problem);
	code = read_events(r, a, s);
	thole_unsubscribe(s);
	return code;
}

static int read_all(struct reading *r, struct atif *a)
{
	struct atif_pass pass;
	int code = THOLE_OK;

	while (code == THOLE_OK && atif_next_pass(a, &pass))
		code = read_pass(r, a, pass.thread);
	if (code != THOLE_OK)
		return code;
	if (!atif_is_found(a))
		return refuse(r->err, THOLE_IO, "there is no such thread or turn");
	if (!atif_end(a))
		return refuse(r->err, THOLE_IO, "the bytes were not taken");
	return THOLE_OK;
}

int thole_atif(struct thole *t, const char *params,
               int (*write)(void *arg, const char *bytes, size_t len), void *arg,
               struct thole_error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(arena_freep) struct arena *event_mem = arena_new();
	struct reading r = { .t = t, .write = write, .arg = arg, .mem = event_mem, .err = err };
	struct json p;
	struct atif *a;
	int code;

	if (json_read(mem, str_from(params), &p, NULL) != OK ||
	    !str_is(r.session = json_str(JSON_GET(p, "sessionId"))))
		return refuse(err, THOLE_INVALID, "params: expected {\"sessionId\":...}");
	r.scrub = scrub_open();
	a = atif_new(&(struct atif_options){
		.version = str_from(thole_version()),
		.thread = json_str(JSON_GET(p, "threadId")),
		.turn = json_str(JSON_GET(p, "turnId")),
		.port = { .arg = &r,
	                  .read = read_output,
	                  .write = write_bytes,
	                  .redact = redact_one },
	});
	code = read_all(&r, a);
	atif_free(a);
	redact_free(r.scrub);
	return code;
}
