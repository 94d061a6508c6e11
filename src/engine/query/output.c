/*
 * Reads outputs by their ref.
 *
 * A ref names stored bytes (a small blob beside the log, a large one in the
 * blob directory), or a part of the log that is assembled when it is read: the
 * text of a message, the input of a model, an earlier state.  Callers see no
 * difference.
 */
#include "base/hash/base64.h"
#include "base/jw.h"
#include "base/utf8.h"
#include "core/context/assemble.h"
#include "core/subagent/sampling.h"
#include "core/view/view.h"
#include "engine/effects/effects.h"
#include "engine/effects/processes.h"
#include "engine/query/query.h"
#include "engine/resources/holders.h"
#include "engine/engine_state.h"

#define READ_MAX (256u << 10)

/* State of one get_output while pages arrive; lives in the request. */
struct output_job {
	const struct cmd_get_output *cmd;
	struct str kind, session, media;
	struct str record; /* of an output in the blob directory, from its event */
	struct str step_id, request_id, thread_id;
	uint64_t from, until;
	struct buf text;
	struct assembly assembly;
	struct state *state;
	struct json body;
	/* Of a message: it continues the one before, the next text begins another one, ... */
	bool goes_on, is_new, is_aside;
	bool is_end_known; /* of a file that is read from its end */
	size_t whole;      /* bytes of the complete parts */
	struct str turn_id;
};

/* A negative offset counts from the end. */
static int64_t offset_of(const struct cmd_get_output *c, int64_t size)
{
	if (!c->has_offset)
		return 0;
	return c->offset >= 0 ? c->offset : MAX(size + c->offset, 0);
}

static int64_t length_of(const struct cmd_get_output *c)
{
	return c->has_length && c->length > 0 ? MIN(c->length, (int64_t)READ_MAX) : READ_MAX;
}

static void put_record(struct request *r, struct json_writer *w, struct str media, int64_t size,
                       bool is_complete, bool is_text)
{
	jw_obj(w);
	JW_KSTR(w, "outputRef", ((struct cmd_get_output *)r->args)->output_ref);
	JW_KSTR(w, "owner", STR("runtime"));
	JW_KSTR(w, "mediaType", media);
	JW_KSTR(w, "encoding", is_text ? STR("utf-8") : STR("binary"));
	JW_KINT(w, "sizeBytes", size);
	JW_KBOOL(w, "complete", is_complete);
	JW_KSTR(w, "truncation", STR("none"));
	JW_KSTR(w, "redaction", STR("none"));
	jw_obj_end(w);
}

/*
 * size: of the whole output; data: the part from offset on.  The record of the event is
 * shown for a complete output; otherwise the size is not final, and the record holds what
 * is known so far.
 */
static void send_part(struct request *r, struct str media, int64_t size, int64_t offset,
                      struct str data, bool is_complete)
{
	const struct output_job *j = r->work;
	struct buf out = { 0 }, coded = { 0 };
	struct json_writer w;
	bool is_text = utf8_is_valid(data);

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "output");
	if (str_is(j->record) && is_complete)
		jw_raw(&w, j->record);
	else
		put_record(r, &w, media, size, is_complete, is_text);
	JW_KINT(&w, "offset", offset);
	JW_KINT(&w, "bytes", (int64_t)data.len);
	if (is_text) {
		JW_KSTR(&w, "text", data);
	} else {
		base64_write(&coded, data);
		JW_KSTR(&w, "base64", buf_str(&coded));
	}
	JW_KBOOL(&w, "eof", is_complete && offset + (int64_t)data.len >= size);
	jw_obj_end(&w);
	r->response.reply = arena_keep(r->mem, buf_str(&out));
	buf_done(&out);
	buf_done(&coded);
	request_reply(r);
}

static void send_whole(struct request *r, struct str media, struct str all)
{
	const struct cmd_get_output *c = r->args;
	size_t from = MIN((size_t)offset_of(c, (int64_t)all.len), all.len);
	struct str part = str_head(str_skip(all, from), (size_t)length_of(c));

	/* Pages of text do not split characters. */
	if (utf8_is_valid(all) && part.len < all.len - from)
		part = str_head(part, part.len - utf8_unfinished(part));
	send_part(r, media, (int64_t)all.len, (int64_t)from, part, true);
}

static void not_found(struct request *r)
{
	request_fail(r, ERROR_CODE_OUTPUT_NOT_FOUND, "there is no output %.*s, or it has expired",
	             STR_ARG(((struct cmd_get_output *)r->args)->output_ref));
	request_reply(r);
}

/* ---- parts of the log ---- */

static void scan_log(struct request *r);

/*
 * The conversation as it was assembled for that request, with refs in place of large
 * texts: a reader fetches those one by one.
 */
static void write_request(struct output_job *j, struct buf *out)
{
	static const char *roles[] = { [ROLE_SYSTEM] = "system",
		                       [ROLE_USER] = "user",
		                       [ROLE_ASSISTANT] = "assistant",
		                       [ROLE_TOOL] = "tool" };
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "messages");
	jw_arr(&w);
	for (size_t i = 0; i < j->assembly.count; i++) {
		const struct assembly_message *t = j->assembly.messages[i];

		jw_obj(&w);
		JW_KSTR(&w, "role", str_from(roles[t->role]));
		JW_KSTR(&w, "text", t->text);
		JW_KOPT(&w, "ref", t->ref);
		JW_KOPT(&w, "tag", t->tag);
		JW_KOPT(&w, "name", t->name);
		JW_KOPT(&w, "callId", t->call_id);
		JW_KOPT(&w, "toolName", t->tool_name);
		if (t->image_count) {
			JW_KEY(&w, "images");
			jw_arr(&w);
			for (size_t n = 0; n < t->image_count; n++) {
				jw_obj(&w);
				JW_KSTR(&w, "mediaType", t->images[n].media_type);
				JW_KSTR(&w, "ref", t->images[n].ref);
				JW_KOPT(&w, "name", t->images[n].name);
				jw_obj_end(&w);
			}
			jw_arr_end(&w);
		}
		if (t->call_count) {
			JW_KEY(&w, "calls");
			jw_arr(&w);
			for (size_t n = 0; n < t->call_count; n++) {
				jw_obj(&w);
				JW_KSTR(&w, "callId", t->calls[n].call_id);
				JW_KSTR(&w, "name", t->calls[n].name);
				JW_KOPT(&w, "args", t->calls[n].args);
				jw_obj_end(&w);
			}
			jw_arr_end(&w);
		}
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
}

/* Frees what is not in the request's memory. */
static void job_done(struct output_job *j)
{
	buf_done(&j->text);
	assemble_done(&j->assembly);
	state_free(j->state);
}

/* The whole output is assembled before a part is returned, because offsets count its bytes. */
static void scan_done(struct request *r, struct output_job *j)
{
	struct buf out = { 0 };

	if (str_eq(j->kind, STR("model_input"))) {
		assemble_finish(&j->assembly);
		write_request(j, &out);
		j->media = STR("application/json");
	} else if (str_eq(j->kind, STR("snapshot"))) {
		struct json_writer w;

		jw_init(&w, &out);
		view_session(&w, j->state, &r->engine->settings);
		j->media = STR("application/json");
	} else {
		buf_add_str(&out, buf_str(&j->text));
		j->media = STR("text/plain");
	}
	struct str all = arena_keep(r->mem, buf_str(&out));

	buf_done(&out);
	job_done(j);
	send_whole(r, j->media, all);
}

/*
 * The last message of a turn; with the parts before it when the response was cut off and continued.
 */
static void take_message(struct output_job *j, const struct event *ev)
{
	if (!str_is(ev->turn_id) || !str_eq(ev->turn_id, j->turn_id))
		return;
	if (ev->type == EV_MODEL_REQUESTED) {
		j->is_aside = sampling_is_aside(ev->payload);
		j->is_new = !j->goes_on;
		j->whole = j->text.len;
	} else if (ev->type == EV_MODEL_COMPLETED && !j->is_aside) {
		j->goes_on = turn_answer_is_cut(ev->payload);
	} else if (ev->type == EV_MODEL_FAILED && !j->is_new) {
		j->text.len = MIN(j->text.len, j->whole); /* its text is requested again */
	} else if (ev->type == EV_MODEL_DELTA) {
		if (j->is_new) {
			buf_clear(&j->text);
			j->whole = 0;
		}
		j->is_new = false;
		buf_add_str(&j->text, ((const struct ev_model_delta *)ev->payload)->text);
	}
}

/* Three kinds of output are assembled from events: a state, the input of a request, and text. */
static void take_event(struct output_job *j, const struct event *ev)
{
	if (j->state) {
		state_fold(j->state, ev);
		return;
	}
	if (str_eq(j->kind, STR("model_input"))) {
		assemble_feed(&j->assembly, ev);
		return;
	}
	if (str_eq(j->kind, STR("message_text"))) {
		take_message(j, ev);
		return;
	}
	if (!str_is(ev->step_id) || !str_eq(ev->step_id, j->step_id))
		return;
	if (ev->type == EV_MODEL_DELTA)
		buf_add_str(&j->text, ((const struct ev_model_delta *)ev->payload)->text);
	else if (ev->type == EV_REASONING_DELTA)
		buf_add_str(&j->text, ((const struct ev_reasoning_delta *)ev->payload)->text);
}

/* Events that retention removed cannot be assembled any more; expired is the honest reply. */
static void scan_page(struct store_read *read)
{
	struct request *r = read->owner;
	struct output_job *j = r->work;
	bool more = read->more;

	if (read->result != OK) {
		job_done(j);
		if (request_read_failed(read))
			return;
		port_store_read_done(read);
		not_found(r);
		return;
	}
	if (read->floor_seq > j->from) {
		port_store_read_done(read);
		job_done(j);
		request_fail(r, ERROR_CODE_EXPIRED, "the events that it was made of were removed");
		request_reply(r);
		return;
	}
	for (size_t i = 0; i < read->event_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;

		if (json_read_trusted(mem, bytes_str(read->events[i].body), &doc, NULL) == OK &&
		    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) == OK)
			take_event(j, ev);
	}
	j->from = read->scanned;
	port_store_read_done(read);
	if (more)
		scan_log(r);
	else
		scan_done(r, j);
}

static void scan_log(struct request *r)
{
	struct output_job *j = r->work;

	r->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = j->session,
		                       .after = j->from,
		                       .until = j->until,
		                       .done = scan_page,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* The row of such a ref holds the range of the log and the ids to look for. */
static bool begin_scan(struct request *r, const struct index_found *row)
{
	struct output_job *j = r->work;
	struct json body;

	if (json_read_trusted(r->mem, row->body, &body, NULL) != OK)
		return false;
	j->kind = arena_keep(r->mem, row->status);
	j->session = arena_keep(r->mem, row->session);
	j->thread_id = arena_keep(r->mem, row->parent);
	j->step_id = json_str(JSON_GET(body, "stepId"));
	j->turn_id = json_str(JSON_GET(body, "turnId"));
	j->from = (uint64_t)json_int(JSON_GET(body, "from"), 1) - 1;
	j->until = (uint64_t)json_int(JSON_GET(body, "sequence"), 0);
	if (str_eq(j->kind, STR("model_input"))) {
		struct assembly_start start;

		assemble_start_read(r->mem, body, j->thread_id, &start);
		assemble_init(&j->assembly, r->mem, &start);
	}
	if (str_eq(j->kind, STR("snapshot"))) {
		j->state = state_new();
		j->until--;
	}
	return true;
}

/* ---- resolving a ref ---- */

static void read_file(struct request *r, int64_t offset, int64_t max);

/* An output that its event reports as stored is missing, which is not the same as expired. */
static void file_failed(struct request *r, struct blob_read *b)
{
	const struct output_job *j = r->work;
	bool is_gone = b->result == ERR_NOT_FOUND;

	if (is_gone && !str_is(j->record)) {
		port_blob_read_done(b);
		not_found(r);
		return;
	}
	if (b->result == ERR_UNAVAILABLE)
		request_fail(r, ERROR_CODE_STORE_UNAVAILABLE, "%s", b->error.message);
	else if (is_gone)
		request_fail(
			r, ERROR_CODE_OUTPUT_MISSING,
			"%.*s was kept, but its file is gone from blobs/; a backup may have it",
			STR_ARG(((struct cmd_get_output *)r->args)->output_ref));
	else
		request_fail(r, ERROR_CODE_SESSION_UNREADABLE, "%s", b->error.message);
	port_blob_read_done(b);
	request_reply(r);
}

/*
 * An offset from the end needs the size: the first read learns it, the second one returns
 * the part.
 */
static void file_read(struct blob_read *b)
{
	struct request *r = b->owner;
	const struct cmd_get_output *c = r->args;
	struct output_job *j = r->work;

	if (b->result != OK) {
		file_failed(r, b);
		return;
	}
	if (c->has_offset && c->offset < 0 && !j->is_end_known) {
		/* Its size is known now. */
		int64_t size = (int64_t)b->size;

		j->is_end_known = true;
		port_blob_read_done(b);
		read_file(r, offset_of(c, size), length_of(c));
		return;
	}
	struct str data = process_output_text(r->engine, r->mem, b);
	int64_t size = (int64_t)(b->size + data.len - b->len), offset = (int64_t)b->offset;

	if (b->offset + b->len < b->size &&
	    utf8_is_valid(str_head(data, data.len - utf8_unfinished(data))))
		data = str_head(data, data.len - utf8_unfinished(data));
	bool sealed = b->sealed;

	port_blob_read_done(b);
	send_part(r, STR("text/plain"), size, offset, data, sealed);
}

static void read_file(struct request *r, int64_t offset, int64_t max)
{
	struct blobs *b = r->engine->ports.blobs;

	r->blob_read = (struct blob_read){ .ref = ((struct cmd_get_output *)r->args)->output_ref,
		                           .offset = (uint64_t)offset,
		                           .max = (uint32_t)max,
		                           .done = file_read,
		                           .owner = r };
	b->ops->read(b, &r->blob_read);
}

/*
 * The row tells what a ref is: `spilled` is a file with its record, `expired` had a
 * retention time that is over, anything else is a part of the log.  Without a row only a
 * file can exist, of a running call.
 */
static void row_read(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_get_output *c = r->args;
	struct blobs *b = r->engine->ports.blobs;
	bool is_part = read->result == OK && read->row_count &&
	               !str_eq(read->rows[0].status, STR("spilled"));

	bool has_row = read->result == OK && read->row_count;

	if (request_read_failed(read))
		return;
	if (is_part && str_eq(read->rows[0].status, STR("expired"))) {
		port_store_read_done(read);
		request_fail(r, ERROR_CODE_EXPIRED, "%.*s was kept for as long as it had to be",
		             STR_ARG(c->output_ref));
		request_reply(r);
		return;
	}
	bool can_scan = is_part && begin_scan(r, &read->rows[0]);

	if (read->result == OK && read->row_count && !is_part)
		((struct output_job *)r->work)->record = arena_keep(r->mem, read->rows[0].body);

	port_store_read_done(read);
	if (can_scan)
		scan_log(r);
	else if (b && !is_part && (has_row || !str_is(r->caller.reach)))
		read_file(r, MAX(offset_of(c, 0), 0), length_of(c));
	else
		not_found(r);
}

/*
 * The session that a small blob was written with; settings belong to none.  Lists of tools are
 * stored once by their content: who knows such a ref knows the list.
 */
static bool is_readable(const struct request *r, struct str session)
{
	const struct cmd_get_output *c = r->args;

	return !str_is(session) || holders_reaches(&r->caller, session) ||
	       str_starts(c->output_ref, STR("catalog_"));
}

static void small_read(struct store_read *read)
{
	struct request *r = read->owner;
	const struct cmd_get_output *c = r->args;
	struct store *st = r->engine->ports.store;
	struct str text;

	if (read->result == OK && !is_readable(r, read->blob_session)) {
		port_store_read_done(read);
		not_found(r);
		return;
	}
	if (read->result == OK) {
		struct str media = arena_keep(r->mem, read->blob.media_type);
		struct str data = arena_keep(r->mem, read->blob.data);

		port_store_read_done(read);
		send_whole(r, media, data);
		return;
	}
	if (request_read_failed(read))
		return;
	port_store_read_done(read);
	/* Configurations are stored with the installation. */
	if (!str_is(r->caller.reach) &&
	    st->ops->get_meta(st, r->mem, arena_printf(r->mem, "blob:%.*s", STR_ARG(c->output_ref)),
	                      &text, NULL) == OK) {
		send_whole(r, STR("application/json"), text);
		return;
	}
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_OUTPUT,
		                       .key = c->output_ref,
		                       .reach = r->caller.reach,
		                       .done = row_read,
		                       .owner = r };
	st->ops->read(st, &r->read);
}

/*
 * In the order in which most refs are found: the memory of a running call, small blobs,
 * the record of settings, the log, and files.
 */
void query_get_output(struct request *r, const struct cmd_get_output *c)
{
	struct output_job *j = ARENA_NEW(r->mem, struct output_job);
	struct str so_far;

	if (str_starts(c->output_ref, STR(CATALOG_DECISIONS_PREFIX)) &&
	    !(r->caller.scopes & SCOPE_BIT(SCOPE_ADMIN))) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "a pack with decisions needs the scope admin: it holds balances of "
		             "the installation");
		request_reply(r);
		return;
	}
	j->cmd = c;
	r->work = j;
	if (effects_peek(r, c->output_ref, &so_far)) {
		int64_t from = MIN(offset_of(c, (int64_t)so_far.len), (int64_t)so_far.len);

		send_part(r, STR("text/plain"), (int64_t)so_far.len, from,
		          str_skip(so_far, (size_t)from), false);
		return;
	}
	r->read = (struct store_read){
		.kind = READ_BLOB, .key = c->output_ref, .done = small_read, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}
