/*
 * Images that are uploaded in pieces, and the refs of images in the input of a
 * turn (uploads.h).
 *
 * A piece that arrives twice changes nothing, so that a client may send it again
 * when it got no reply.
 */
#include "engine/resources/uploads.h"

#include "base/hash/base64.h"
#include "core/turn/turn.h"
#include "engine/query/query.h"
#include "engine/session/clock.h"
#include "engine/engine_state.h"

/* A principal with one of its tokens; it exists as long as it has uploads. */
struct upload_owner {
	struct list node; /* of engine.upload_owners */
	struct arena *mem;
	struct str principal, token;
	int64_t count, bytes;
};

struct upload {
	struct list node; /* of engine.uploads, the oldest first */
	struct engine *engine;
	struct arena *mem;
	struct upload_owner *owner;
	struct str ref, media_type, sha256;
	struct blob_writer *writer; /* NULL: it is sealed, or being sealed */
	struct request *waiting;    /* for the seal */
	int64_t size;
	int64_t until; /* mono ms */
	bool is_sealed;
};

void uploads_init(struct engine *e)
{
	list_init(&e->uploads);
	list_init(&e->upload_owners);
}

static int64_t now_of(const struct engine *e)
{
	return e->ports.clock->ops->mono_ms(e->ports.clock);
}

/* ---- the table ---- */

static bool is_owner(const struct upload_owner *o, const struct caller *caller)
{
	return str_eq(o->principal, caller->principal) &&
	       str_eq(str_is(o->token) ? o->token : STR(""),
	              str_is(caller->token) ? caller->token : STR(""));
}

/* NULL: the caller has no uploads. */
static struct upload_owner *find_owner(const struct engine *e, const struct caller *caller)
{
	LIST_EACH (&e->upload_owners, node) {
		struct upload_owner *o = LIST_ITEM(node, struct upload_owner, node);

		if (is_owner(o, caller))
			return o;
	}
	return NULL;
}

static struct upload_owner *make_owner(struct engine *e, const struct caller *caller)
{
	struct upload_owner *o = find_owner(e, caller);
	struct arena *mem;

	if (o)
		return o;
	mem = arena_new();
	o = ARENA_NEW(mem, struct upload_owner);
	*o = (struct upload_owner){ .mem = mem,
		                    .principal = arena_keep(mem, caller->principal),
		                    .token = arena_keep(mem, caller->token) };
	list_add(&e->upload_owners, &o->node);
	return o;
}

static void forget(struct upload *u)
{
	struct upload_owner *o = u->owner;

	u->engine->upload_count--;
	o->bytes -= u->size;
	if (!--o->count) {
		list_remove(&o->node);
		arena_free(o->mem);
	}
	list_remove(&u->node);
	arena_free(u->mem);
}

static void drop(struct upload *u)
{
	struct blobs *b = u->engine->ports.blobs;

	if (u->writer)
		b->ops->seal(b, u->writer, NULL, NULL);
	b->ops->remove(b, u->ref);
	forget(u);
}

void uploads_close(struct engine *e)
{
	LIST_EACH (&e->uploads, node) {
		struct upload *u = LIST_ITEM(node, struct upload, node);

		if (u->writer)
			e->ports.blobs->ops->seal(e->ports.blobs, u->writer, NULL, NULL);
		u->writer = NULL;
	}
}

void uploads_free(struct engine *e)
{
	LIST_EACH_SAFE (&e->uploads, node, next)
		forget(LIST_ITEM(node, struct upload, node));
}

/* One that is being stored has a request that waits for it. */
static bool is_removable(const struct upload *u)
{
	return u->writer || u->is_sealed;
}

void uploads_expire(struct engine *e)
{
	LIST_EACH_SAFE (&e->uploads, node, next) {
		struct upload *u = LIST_ITEM(node, struct upload, node);

		if (u->until <= now_of(e) && is_removable(u))
			drop(u);
	}
}

static bool is_of(const struct upload *u, const struct caller *caller)
{
	return is_owner(u->owner, caller);
}

/* NULL: no unused upload has this ref. */
static struct upload *find_upload(const struct engine *e, struct str ref)
{
	LIST_EACH (&e->uploads, node) {
		struct upload *u = LIST_ITEM(node, struct upload, node);

		if (str_eq(u->ref, ref))
			return u;
	}
	return NULL;
}

bool uploads_has(const struct engine *e, struct str ref)
{
	return find_upload(e, ref);
}

bool uploads_is_own(const struct request *r, struct str ref)
{
	const struct upload *u = find_upload(r->engine, ref);

	return u && is_of(u, &r->caller);
}

/*
 * Callers with many tokens must not keep out those with one: the oldest upload of the owner who
 * has the most is removed, unless the caller has as many.
 */
static bool make_room(struct engine *e, int64_t own)
{
	const struct upload_owner *most = NULL;

	LIST_EACH (&e->upload_owners, node) {
		const struct upload_owner *o = LIST_ITEM(node, struct upload_owner, node);

		if (o->count > (most ? most->count : own))
			most = o;
	}
	LIST_EACH (&e->uploads, node) {
		struct upload *u = LIST_ITEM(node, struct upload, node);

		if (u->owner == most && is_removable(u)) {
			drop(u);
			return true;
		}
	}
	return false;
}

static bool has_room(struct request *r, int64_t more, bool is_new)
{
	struct engine *e = r->engine;
	const struct upload_owner *o = find_owner(e, &r->caller);
	int64_t own = (o ? o->count : 0) + is_new;

	if (own <= LIMIT_UPLOADS_PER_PRINCIPAL &&
	    (o ? o->bytes : 0) + more <= LIMIT_UPLOAD_HELD_BYTES &&
	    (!is_new || e->upload_count < LIMIT_UPLOADS || make_room(e, own)))
		return true;
	request_fail(r, ERROR_CODE_TOO_MANY_OPEN,
	             "too many uploads wait for a turn that names them; they are removed after %d "
	             "minutes",
	             LIMIT_UPLOAD_KEEP_S / 60);
	return false;
}

/* ---- upload_output ---- */

static void send_reply(struct request *r, const struct upload *u)
{
	struct reply p;

	reply_begin(&p, r);
	jw_obj(&p.w);
	JW_KSTR(&p.w, "outputRef", u->ref);
	JW_KSTR(&p.w, "mediaType", u->media_type);
	JW_KINT(&p.w, "sizeBytes", u->size);
	JW_KBOOL(&p.w, "complete", u->is_sealed);
	if (u->is_sealed)
		JW_KSTR(&p.w, "sha256", u->sha256);
	jw_obj_end(&p.w);
	reply_end(&p);
}

static void on_sealed(void *owner, const struct blob_sealed *s)
{
	struct upload *u = owner;
	struct request *r = u->waiting;

	u->waiting = NULL;
	if (u->engine->is_closing)
		return; /* the request ends with the engine */
	if (s->result != OK) {
		request_fail(r, ERROR_CODE_STORE_FAILED, "%s", s->error.message);
		request_reply(r);
		drop(u);
		return;
	}
	u->is_sealed = true;
	u->sha256 = sha256_hex(u->mem, &s->hash);
	send_reply(r, u);
}

/* The first piece holds the first bytes, which tell what kind of image it is. */
static struct upload *begin_upload(struct request *r, const struct cmd_upload_output *c,
                                   struct str data)
{
	struct engine *e = r->engine;
	struct id_source ids = clock_ids(e);
	struct arena *mem;
	struct upload *u;

	if (!turn_input_is_image(data, c->media_type)) {
		request_fail(r, ERROR_CODE_INVALID_VALUE,
		             "data: not the beginning of an image of that mediaType; image/png, "
		             "image/jpeg, image/gif and image/webp are accepted");
		return NULL;
	}
	if (!has_room(r, (int64_t)data.len, true))
		return NULL;
	mem = arena_new();
	u = ARENA_NEW(mem, struct upload);
	*u = (struct upload){ .engine = e,
		              .mem = mem,
		              .owner = make_owner(e, &r->caller),
		              .ref = id_make(mem, &ids, "out_upload"),
		              .media_type = arena_keep(mem, c->media_type) };
	u->writer = e->ports.blobs->ops->open(e->ports.blobs, u->ref);
	list_add(&e->uploads, &u->node);
	u->owner->count++;
	e->upload_count++;
	return u;
}

static struct upload *continue_upload(struct request *r, const struct cmd_upload_output *c,
                                      struct str data)
{
	struct upload *u = find_upload(r->engine, c->output_ref);

	if (!u || !is_of(u, &r->caller)) {
		request_fail(r, ERROR_CODE_OUTPUT_NOT_FOUND,
		             "%.*s is no unfinished upload; begin again without outputRef",
		             STR_ARG(c->output_ref));
		return NULL;
	}
	if (c->offset + (int64_t)data.len <= u->size)
		return u; /* it came before */
	if (c->offset != u->size || !u->writer)
		request_fail(r, ERROR_CODE_INVALID_VALUE, "offset: the next byte is %lld",
		             (long long)u->size);
	else if (has_room(r, (int64_t)data.len, false))
		return u;
	return NULL;
}

static void take_piece(struct request *r, struct upload *u, const struct cmd_upload_output *c,
                       struct str data)
{
	struct blobs *b = r->engine->ports.blobs;
	struct blob_writer *w = u->writer;

	u->until = now_of(r->engine) +
	           (c->last || !w ? LIMIT_UPLOAD_KEEP_S : LIMIT_UPLOAD_IDLE_S) * (int64_t)1000;
	if (c->offset + (int64_t)data.len > u->size && data.len) {
		b->ops->write(b, w, data);
		u->size += (int64_t)data.len;
		u->owner->bytes += (int64_t)data.len;
	}
	if (u->waiting) {
		request_fail(r, ERROR_CODE_NOT_READY, "it is being stored; ask again");
		request_reply(r);
	} else if (!c->last || !w) {
		send_reply(r, u);
	} else {
		u->writer = NULL;
		u->waiting = r;
		b->ops->seal(b, w, on_sealed, u);
	}
}

static const char *fault_of(const struct cmd_upload_output *c)
{
	if (c->offset < 0 || (!str_is(c->output_ref) && c->offset))
		return "offset: 0 for the first piece";
	if (str_is(c->output_ref) == str_is(c->media_type))
		return "mediaType for the first piece, outputRef for each further one";
	return NULL;
}

void query_upload_output(struct request *r, const struct cmd_upload_output *c)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	const char *fault = fault_of(c);
	struct upload *u = NULL;

	uploads_expire(r->engine);
	if (!r->engine->ports.blobs)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "this runtime has no place for files");
	else if (r->engine->is_full)
		request_fail(r, ERROR_CODE_STORAGE_FULL, "the disk is full");
	else if (fault)
		request_fail(r, ERROR_CODE_INVALID_VALUE, "%s", fault);
	else if (!base64_read(&data, c->data) || !data.len)
		request_fail(r, ERROR_CODE_INVALID_VALUE, "data: base64 of at least one byte");
	else if (c->offset > LIMIT_IMAGE_BYTES || c->offset + (int64_t)data.len > LIMIT_IMAGE_BYTES)
		request_fail(r, ERROR_CODE_TOO_LARGE, "an image has at most %d MiB",
		             LIMIT_IMAGE_BYTES >> 20);
	else if (str_is(c->output_ref))
		u = continue_upload(r, c, buf_str(&data));
	else
		u = begin_upload(r, c, buf_str(&data));
	if (u)
		take_piece(r, u, c, buf_str(&data));
	else
		request_reply(r);
}

/* ---- the refs of a turn ---- */

/* NULL: the part fits the upload. */
static const char *part_fault(const struct request *r, const struct upload *u, struct json part)
{
	if (!is_of(u, &r->caller) || !u->is_sealed)
		return "there is no such output";
	if (!str_eq(json_str(JSON_GET(part, "mediaType")), u->media_type))
		return "the upload has another mediaType";
	if (!str_eq(json_str(JSON_GET(part, "sha256")), u->sha256) ||
	    json_int(JSON_GET(part, "bytes"), -1) != u->size)
		return "bytes and sha256 have to be those of the reply of upload_output";
	return NULL;
}

/* Refs of other outputs were looked up before (reach.c). */
static const char *ref_fault(const struct request *r, struct json part, struct str ref)
{
	const struct upload *u = find_upload(r->engine, ref);

	if (u)
		return part_fault(r, u, part);
	return str_is(json_str(JSON_GET(part, "sha256")))
	               ? "no upload waits under this ref; it has expired, or a turn has it already"
	               : NULL;
}

/* The next image that is named by its ref; absent: there is none. */
static struct str next_ref(struct json_iter *it, struct json *ret_part)
{
	struct str key;

	while (json_next(it, &key, ret_part))
		if (str_eq(json_str(JSON_GET(*ret_part, "type")), STR("image")) &&
		    str_is(json_str(JSON_GET(*ret_part, "ref"))))
			return json_str(JSON_GET(*ret_part, "ref"));
	return STR_NONE;
}

/* The parts of submit_turn; false: none of them has a ref. */
static bool read_parts(struct request *r, struct json_iter *ret)
{
	const struct cmd_submit_turn *c = r->args;
	struct json parts;

	if (r->command.command != COMMAND_SUBMIT_TURN || str_find(c->input, STR("\"ref\"")) < 0 ||
	    json_read_trusted(r->mem, c->input, &parts, NULL) != OK)
		return false;
	*ret = json_iter(parts);
	return true;
}

static bool refuse_ref(struct request *r, struct str ref, const char *why)
{
	struct session *s = r->session;

	request_fail(r, ERROR_CODE_INVALID_INPUT, "input: the image %.*s: %s", STR_ARG(ref), why);
	/* A session that this command would have created does not exist. */
	if (s && s->is_new && !s->applied) {
		r->session = NULL;
		r->session_id = STR_NONE;
		session_abandon(s, r->response.code);
	}
	request_reply(r);
	return true;
}

/* The last step before the decision, so that no other turn takes the upload in between. */
bool uploads_gather(struct request *r)
{
	struct json_iter it;
	struct json part;
	struct str ref;

	if (!read_parts(r, &it))
		return false;
	while (str_is(ref = next_ref(&it, &part))) {
		const char *why = ref_fault(r, part, ref);

		if (why)
			return refuse_ref(r, ref, why);
	}
	return false;
}

void uploads_accepted(struct request *r)
{
	struct json_iter it;
	struct json part;
	struct str ref;

	if (!read_parts(r, &it))
		return;
	while (str_is(ref = next_ref(&it, &part))) {
		struct upload *u = find_upload(r->engine, ref);

		if (u)
			forget(u);
	}
}
