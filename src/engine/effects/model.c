/*
 * A request to a model: assembles the conversation, sends it, and passes on the response piece by
 * piece.
 */
#include "base/hash/base64.h"
#include "core/gen/inputs.h"
#include "base/utf8.h"
#include "core/subagent/subagent.h"
#include "core/subagent/sampling.h"
#include "core/context/compact.h"
#include "core/context/prompt.h"
#include "engine/effects/effects.h"
#include "engine/session/apply.h"
#include "engine/session/conversation_cache.h"
#include "engine/session/session_place.h"
#include "engine/settings/project_tools.h"
#include "engine/engine_state.h"

/* Windows end at multiples of this, in ms of the monotonic clock. */
#define BEAT_MS 10
#define RESPONSE_MAX (1u << 20) /* of a response that is checked against a schema, in bytes */

/* ---- pieces ---- */

/* Room for the text in an event: control characters take six bytes each. */
#define DELTA_JSON_MAX (LIMIT_EVENT_BYTES / 2)

/* One event per 16 KiB at most, and no character cut in two, even if the provider did that. */
void model_flush(struct effect_run *x, bool is_end)
{
	struct str text = buf_str(&x->pieces);
	size_t kept = is_end ? 0 : utf8_unfinished(text);
	int64_t chunks;

	text.len -= kept;
	if (!text.len)
		return;
	x->has_sent = true;
	while (text.len) {
		struct str part = utf8_head(text, LIMIT_DELTA_BYTES);
		struct decision *d = apply_begin(x->session, NULL);

		/* Bytes that are no valid character are split at the limit. */
		if (!part.len)
			part = str_head(text, LIMIT_DELTA_BYTES);
		part = jw_head(part, DELTA_JSON_MAX);
		text = str_skip(text, part.len);
		/* Each event counts one chunk; the last one counts the rest. */
		chunks = text.len ? 1 : MAX(x->chunks, 1);
		input_turn_model_pieces(d, x->turn_id, x->object_id, x->piece_kind,
		                        arena_keep(d->mem, part), chunks);
		x->chunks = MAX(x->chunks - chunks, 0);
		apply_end(x->session, d);
	}
	buf_drop(&x->pieces, x->pieces.len - kept);
}

static void on_window(struct clock_timer *t)
{
	struct effect_run *x = OWNER_OF(t, struct effect_run, window);

	x->window_is_open = false;
	/* During a commit the bytes wait for it; effects_durable() continues. */
	if (x->session->in_flight || x->session->slice)
		return;
	if (x->pieces.len) {
		model_flush(x, false);
		model_open_window(x);
	}
}

/*
 * All responses share the same window boundaries: hundreds of them then cause one wake-up and one
 * commit.
 */
void model_open_window(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;
	int64_t window = x->engine->options.config->delta_window_ms;
	int64_t beat = window >= 2 * BEAT_MS ? (c->ops->mono_ms(c) + window) % BEAT_MS : 0;

	x->window_is_open = true;
	x->window.fire = on_window;
	c->ops->start(c, &x->window, window - beat);
}

/*
 * When pieces become events: the first at once, so that the user sees a response begin;
 * later ones when the window closes, when 16 KiB are collected, or when the commit before
 * them is durable.  The buffer is bounded: above the limit the provider is paused.
 */
static void on_piece(void *owner, enum model_piece kind, struct str text)
{
	struct effect_run *x = owner;

	/* Arguments of calls arrive complete with the end. */
	if (kind == PIECE_TOOL_ARGS)
		return;
	if (x->is_summary) {
		/* No subscriber follows it: it is published whole. */
		if (kind == PIECE_TEXT && x->pieces.len + text.len <= LIMIT_SUMMARY_BYTES)
			buf_add_str(&x->pieces, text);
		return;
	}
	if (x->request.output_schema.len && kind == PIECE_TEXT && x->whole.len <= RESPONSE_MAX)
		buf_add_str(&x->whole, text);
	if (x->pieces.len && kind != x->piece_kind)
		model_flush(x, true);
	x->piece_kind = kind;
	buf_add_str(&x->pieces, text);
	x->chunks++;
	if (!x->engine->options.config->delta_window_ms) {
		model_flush(x, false); /* each one separately */
	} else if (!x->has_sent) {
		model_flush(x, false);
		model_open_window(x);
	} else if (x->pieces.len >= LIMIT_DELTA_BYTES && !x->session->in_flight) {
		model_flush(x, false);
	} else if (!x->window_is_open && !x->session->in_flight && !x->session->slice) {
		model_flush(x, false);
		model_open_window(x);
	}
	if (x->pieces.len >= LIMIT_STREAM_BUFFER_BYTES)
		effects_pause(x, PAUSE_BUFFER);
}

/* Makes the text valid UTF-8. */
static struct str utf8_part(struct arena *mem, struct str text)
{
	return arena_keep(mem, utf8_is_valid(text) ? text : STR(""));
}

/* Only the tightest of several limits is reported. */
static struct model_headroom headroom_of(const struct model_end *end)
{
	struct model_headroom tight = { -1, -1, -1 };

	for (size_t i = 0; i < end->limit_count; i++) {
		const struct model_limit *l = &end->limits[i];

		if (l->limit <= 0 || l->remaining < 0 ||
		    (tight.limit > 0 &&
		     tight.left * 100 / tight.limit <= l->remaining * 100 / l->limit))
			continue;
		tight = (struct model_headroom){ l->limit, l->remaining, l->reset_ms };
	}
	return tight;
}

/* Only the last response of a turn has to match the schema. */
static struct str schema_error_of(const struct effect_run *x, const struct model_end *end,
                                  struct arena *mem)
{
	if (!x->request.output_schema.len || x->is_summary || end->failed || end->call_count)
		return STR_NONE;
	if (x->whole.len > RESPONSE_MAX)
		return STR("the output is larger than what is held against its schema");
	return turn_model_output_schema_error(mem, x->request.output_schema, buf_str(&x->whole));
}

static bool has_images(const struct effect_run *x)
{
	for (size_t i = 0; i < x->request.message_count; i++)
		if (x->request.messages[i].image_count)
			return true;
	return false;
}

/* Collected text is written before the end, in the same slice. */
void model_ended(void *owner, const struct model_end *end)
{
	struct effect_run *x = owner;
	struct session *s = x->session;
	struct model_end in = *end;
	struct decision *d;

	if (!x->is_summary)
		model_flush(x, true);
	d = apply_begin(s, NULL);
	in.stop = end->stop ? end->stop : STOP_REASON_END_TURN;
	in.category = end->category ? end->category : ERROR_CATEGORY_UNKNOWN;
	in.text = x->is_summary ? utf8_part(d->mem, buf_str(&x->pieces)) : STR_NONE;
	in.schema_error = schema_error_of(x, end, d->mem);
	in.headroom = headroom_of(end);
	in.refuses_images = end->failed && end->refuses_images && has_images(x);
	input_turn_model_end(d, x->turn_id, x->object_id, &in);
	x->model = NULL;
	effects_end(x);
	apply_end(s, d);
}

static const struct model_sink model_sink = { on_piece, model_ended };

/* ---- the request ---- */

/* One provider may offer the models of several provider names. */
static struct provider *provider_of(struct engine *e, struct str provider, struct str model)
{
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		struct provider *p = e->ports.providers[i];
		const struct model_info *infos;
		size_t count = p->ops->models(p, &infos);

		for (size_t n = 0; n < count; n++)
			if (str_eq(infos[n].provider, provider) && str_eq(infos[n].model, model))
				return p;
	}
	return NULL;
}

/* What the model sees, and a note for each image that it does not. */
static void put_images(struct effect_run *x, const struct assembly_message *message,
                       struct message *m)
{
	struct message_image *images =
		ARENA_ARRAY(x->mem, struct message_image, message->image_count + 1);

	m->images = images;
	for (size_t i = 0; i < message->image_count; i++) {
		const struct assembly_image *image = &message->images[i];

		if (str_is(image->base64))
			images[m->image_count++] =
				(struct message_image){ .media_type = image->media_type,
				                        .base64 = image->base64 };
		else
			m->text = arena_printf(
				x->mem, "%.*s\n[An image stood here: %.*s.]", STR_ARG(m->text),
				STR_ARG(str_is(image->omitted) ? image->omitted
			                                       : STR("it was left out")));
		if (str_is(image->name))
			m->text = arena_printf(x->mem, "%.*s\n<image name=\"%.*s\"/>",
			                       STR_ARG(m->text),
			                       STR_ARG(prompt_attribute(x->mem, image->name)));
	}
}

/* The words of the setting are those of a turn, behind auto. */
static enum effort effort_of(const struct engine *e, const struct st_turn *t)
{
	return t->effort ? t->effort
	                 : (enum effort)(e->options.config->model_effort - EFFORT_SETTING_AUTO);
}

/*
 * The last step: translates the assembled conversation and the tools of the directory into
 * the provider's request.  Everything is copied into the run's arena, which lives until
 * the response has ended.
 */
static void send_request(struct effect_run *x)
{
	struct engine *e = x->engine;
	struct message *messages = ARENA_ARRAY(x->mem, struct message, x->assembly.count + 1);
	struct settings here = e->settings;
	const struct tool_info **offered;
	struct tool_spec *tools;
	size_t offered_count, tool_count = 0;
	const struct st_turn *t = state_turn(x->session->state, x->turn_id, NULL);

	/*
	 * The request ended while the conversation was read; its event is applied, maybe not
	 * durable yet.
	 */
	if (!t || !str_is(t->model_request_id) || !str_eq(t->model_request_id, x->object_id)) {
		effects_end(x);
		return;
	}
	for (size_t i = 0; i < x->assembly.count; i++) {
		const struct assembly_message *message = x->assembly.messages[i];
		struct message *m = &messages[i];

		*m = (struct message){ .role = message->role,
			               .text = message->text,
			               .turn_id = message->turn_id,
			               .peer_message_id = message->peer_message_id,
			               .call_id = message->call_id,
			               .tool_name = message->tool_name,
			               .is_error = message->is_error,
			               .call_count = message->call_count,
			               .state = message->state };
		m->calls = ARENA_ARRAY(x->mem, struct model_call, message->call_count + 1);
		for (size_t n = 0; n < message->call_count; n++)
			m->calls[n] = (struct model_call){ message->calls[n].call_id,
				                           message->calls[n].name,
				                           message->calls[n].args };
		put_images(x, message, m);
	}
	project_tools_fill(e, session_place_cwd(x->session), x->session->id, &here);
	offered_count = turn_tools(x->mem, &here, t, t->provider, &offered);
	tools = ARENA_ARRAY(x->mem, struct tool_spec, offered_count + 1);
	for (size_t i = 0; i < offered_count; i++)
		if (subagent_has_tool(x->session->state, x->thread_id, offered[i]->name))
			tools[tool_count++] =
				(struct tool_spec){ offered[i]->name, offered[i]->description,
				                    offered[i]->input_schema };
	x->request = (struct model_request){
		.request_id = x->object_id,
		.session_id = arena_keep(x->mem, x->session->id),
		.thread_id = x->thread_id,
		.turn_id = x->turn_id,
		.provider = arena_keep(x->mem, t->provider),
		.model = arena_keep(x->mem, t->model),
		.messages = messages,
		.message_count = x->assembly.count,
		.tools = tools,
		.tool_count = x->is_summary ? 0 : tool_count,
		.is_summary = x->is_summary,
		.turn_number = (uint32_t)t->user_turn,
		.request_number = (uint32_t)MAX(t->request_number, 1),
		.attempt = (uint32_t)t->attempt,
		.output_schema = arena_keep(x->mem, t->output_schema),
		.effort = effort_of(e, t),
	};
	x->request.trace = effects_trace(x->mem, t, x->object_id);
	for (size_t i = 0; i < e->settings.model_count; i++)
		if (str_eq(e->settings.models[i].provider, t->provider) &&
		    str_eq(e->settings.models[i].model, t->model))
			x->request.max_output_tokens =
				sampling_max_output(&e->settings.models[i], t);
	x->provider = provider_of(e, t->provider, t->model);
	if (!x->provider) {
		model_ended(x,
		            &(struct model_end){ .failed = true,
		                                 .category = ERROR_CATEGORY_UNAVAILABLE,
		                                 .message = STR("the provider is not configured"),
		                                 .retry_after_ms = -1 });
		return;
	}
	x->model = x->provider->ops->start(x->provider, &x->request, &model_sink, x);
	if (x->engine->is_throttled)
		effects_pause(x, PAUSE_DISK);
}

static void fetch_texts(struct effect_run *x);

/* An incomplete conversation must not be sent: the model would answer another question. */
static bool is_unreadable(const struct store_read *r)
{
	return r->result != OK && r->result != ERR_NOT_FOUND;
}

static void fail_unreadable(struct effect_run *x)
{
	model_ended(x, &(struct model_end){ .failed = true,
	                                    .category = ERROR_CATEGORY_INTERNAL,
	                                    .message = STR("the conversation cannot be read"),
	                                    .retry_after_ms = -1 });
}

/* The first call of a response whose arguments are behind a ref. */
static struct assembly_call *call_to_fetch(struct assembly_message *t)
{
	for (size_t i = 0; i < t->call_count; i++)
		if (!str_is(t->calls[i].args) && str_is(t->calls[i].args_ref))
			return &t->calls[i];
	return NULL;
}

static void call_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct assembly_call *c = call_to_fetch(x->assembly.messages[x->fetching]);
	bool failed = is_unreadable(r);

	c->args = r->result == OK ? arena_keep(x->mem, r->blob.data) : STR("{}");
	port_store_read_done(r);
	if (effects_is_late(x))
		return;
	if (failed)
		fail_unreadable(x);
	else
		fetch_texts(x);
}

/*
 * A text that the runtime stored for all sessions: the system prompt of another version.  No
 * provider accepts a message without text.
 */
static struct str text_of_runtime(struct effect_run *x, struct str ref)
{
	struct store *st = x->engine->ports.store;
	struct str name = arena_printf(x->mem, "blob:%.*s", STR_ARG(ref)), text;

	return st->ops->get_meta(st, x->mem, name, &text, NULL) == OK ? text
	                                                              : STR("(no longer kept)");
}

static void text_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct assembly_message *t = x->assembly.messages[x->fetching];
	bool failed = is_unreadable(r);

	if (r->result == OK)
		t->text = assemble_text(x->mem, t, r->blob.data);
	else if (r->result == ERR_NOT_FOUND)
		t->text = text_of_runtime(x, t->ref);
	port_store_read_done(r);
	if (effects_is_late(x))
		return;
	if (failed) {
		fail_unreadable(x);
		return;
	}
	t->ref = STR_NONE;
	fetch_texts(x);
}

/* ---- images ---- */

static struct assembly_image *image_to_fetch(const struct effect_run *x,
                                             const struct assembly_message *t)
{
	for (size_t i = 0; !x->is_summary && i < t->image_count; i++)
		if (!str_is(t->images[i].base64) && !str_is(t->images[i].omitted))
			return &t->images[i];
	return NULL;
}

static void take_image(struct effect_run *x, struct assembly_image *image, struct str bytes)
{
	struct buf coded = { 0 };

	base64_write(&coded, bytes);
	image->base64 = arena_keep(x->mem, buf_str(&coded));
	buf_done(&coded);
}

static void read_image_page(struct effect_run *x, struct str ref);

/* An output in a separate file, which a tool wrote and which has not been validated yet. */
static void image_page(struct blob_read *b)
{
	struct effect_run *x = b->owner;
	struct assembly_image *image = image_to_fetch(x, x->assembly.messages[x->fetching]);
	bool is_whole = b->result == OK && x->image.len + b->len >= b->size;

	if (b->result != OK)
		image->omitted = STR("it no longer exists");
	else if (!b->sealed)
		image->omitted = STR("it was still being written");
	else if (b->size > LIMIT_IMAGE_BYTES)
		image->omitted = STR("it is too large");
	else if (!x->image.len && x->image_bytes + (int64_t)b->size > ASSEMBLY_IMAGE_BYTES_MAX)
		image->omitted = STR("others were sent instead");
	else
		buf_add(&x->image, b->data, b->len);
	if (is_whole && !str_is(image->omitted)) {
		x->image_bytes += (int64_t)b->size;
		if (turn_input_is_image(buf_str(&x->image), image->media_type))
			take_image(x, image, buf_str(&x->image));
		else
			image->omitted = STR("it is not the kind of image that it was said to be");
	}
	port_blob_read_done(b);
	if (str_is(image->base64) || str_is(image->omitted))
		buf_done(&x->image);
	if (effects_is_late(x) || x->engine->is_closing)
		return; /* nothing is read any more */
	if (str_is(image->base64) || str_is(image->omitted))
		fetch_texts(x);
	else
		read_image_page(x, image->ref);
}

static void read_image_page(struct effect_run *x, struct str ref)
{
	struct blobs *b = x->engine->ports.blobs;

	x->read.owner = x; /* a callback is pending until effects_is_late() */
	x->image_page = (struct blob_read){
		.ref = ref, .offset = x->image.len, .max = 1u << 20, .done = image_page, .owner = x
	};
	b->ops->read(b, &x->image_page);
}

/* A ref that is no small blob is an output in a file; its pages follow. */
static void image_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct assembly_image *image = image_to_fetch(x, x->assembly.messages[x->fetching]);
	bool failed = is_unreadable(r), is_there = r->result == OK;

	if (is_there && turn_input_is_image(r->blob.data, image->media_type))
		take_image(x, image, r->blob.data);
	else if (is_there)
		image->omitted = STR("it is not the kind of image that it was said to be");
	else if (!x->engine->ports.blobs)
		image->omitted = STR("it no longer exists");
	port_store_read_done(r);
	if (effects_is_late(x) || x->engine->is_closing)
		return;
	if (failed)
		fail_unreadable(x);
	else if (!is_there && x->engine->ports.blobs)
		read_image_page(x, image->ref);
	else
		fetch_texts(x);
}

/* Of earlier turns the newest images are sent; a model without vision gets a note for each. */
static void choose_images(struct effect_run *x)
{
	const struct st_turn *t = state_turn(x->session->state, x->turn_id, NULL);
	const struct model_info *m =
		t ? decision_settings_model(&x->engine->settings, t->provider, t->model) : NULL;
	bool sees = m && str_find(m->capabilities, STR("\"vision\"")) >= 0;
	struct str by =
		t ? arena_printf(x->mem, "%.*s/%.*s", STR_ARG(t->provider), STR_ARG(t->model))
		  : STR("");
	size_t left = ASSEMBLY_IMAGES_MAX;
	int64_t room = ASSEMBLY_IMAGE_BYTES_MAX;

	for (size_t i = x->assembly.count; i-- > 0;) {
		struct assembly_message *message = x->assembly.messages[i];

		for (size_t n = message->image_count; n-- > 0;)
			if (!sees)
				message->images[n].omitted = STR("this model does not see images");
			else if (str_eq(message->images[n].refused_by, by))
				message->images[n].omitted = STR("the provider refused it");
			else if (!left || message->images[n].bytes > room)
				message->images[n].omitted = STR("newer ones were sent instead");
			else
				left--, room -= message->images[n].bytes;
	}
}

/*
 * The turn of the last response, if that made calls: it was stopped, and servers want the thoughts
 * before the newest calls back.
 */
static struct str turn_of_last_calls(const struct assembly *a)
{
	for (size_t i = a->count; i-- > 0;)
		if (a->messages[i]->role == ROLE_ASSISTANT)
			return a->messages[i]->call_count ? a->messages[i]->turn_id : STR_NONE;
	return STR_NONE;
}

static void finish_assembly(struct effect_run *x)
{
	x->is_finished = true;
	x->fetching = 0;
	if (x->is_summary)
		assemble_finish_summary(&x->assembly, &x->summed, x->summary_bytes, x->wish);
	else
		assemble_finish(&x->assembly);
	x->thoughts_of = x->is_summary ? STR_NONE : turn_of_last_calls(&x->assembly);
	choose_images(x);
}

/*
 * Of earlier turns it is not needed, unless the last one was stopped during its calls: no provider
 * wants thoughts back once their turn has its answer.
 */
static bool has_state_to_fetch(const struct effect_run *x, const struct assembly_message *t)
{
	return str_is(t->state_ref) && !str_is(t->state) &&
	       (str_eq(t->turn_id, x->turn_id) ||
	        (str_is(x->thoughts_of) && str_eq(t->turn_id, x->thoughts_of)));
}

static void state_blob_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct assembly_message *t = x->assembly.messages[x->fetching];
	bool failed = is_unreadable(r);

	t->state = r->result == OK ? arena_keep(x->mem, r->blob.data) : STR("");
	port_store_read_done(r);
	if (effects_is_late(x))
		return;
	if (failed)
		fail_unreadable(x);
	else
		fetch_texts(x);
}

/*
 * Fetches one missing part after the other: text, arguments of calls, images, and the
 * provider's own state of the current turn.  Each read returns here, and the loop
 * continues at `fetching`.
 */
/* The system prompt is part of the program: no request reads it from the store. */
static void take_prompt(const struct effect_run *x, struct assembly_message *t)
{
	struct str prompt_ref = x->engine->settings.prompt_ref;

	if (!str_is(t->ref) || !str_is(prompt_ref) || !str_eq(t->ref, prompt_ref))
		return;
	t->text = prompt_text_system;
	t->ref = STR_NONE;
}

static void fetch_texts(struct effect_run *x)
{
	if (!x->is_finished && !x->is_summary)
		finish_assembly(x);
	for (; x->fetching < x->assembly.count; x->fetching++) {
		struct assembly_message *t = x->assembly.messages[x->fetching];
		struct assembly_call *c = call_to_fetch(t);
		struct assembly_image *image = image_to_fetch(x, t);

		take_prompt(x, t);
		if (!str_is(t->ref) && !c && !image && !has_state_to_fetch(x, t))
			continue;
		x->read = (struct store_read){ .kind = READ_BLOB,
			                       .key = str_is(t->ref) ? t->ref
			                              : c            ? c->args_ref
			                              : image        ? image->ref
			                                             : t->state_ref,
			                       .done = str_is(t->ref) ? text_read
			                               : c            ? call_read
			                               : image        ? image_read
			                                              : state_blob_read,
			                       .owner = x };
		x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
		return;
	}
	/*
	 * A summary truncates texts, so it needs them first; then the previous summary is fetched.
	 */
	if (!x->is_finished) {
		finish_assembly(x);
		fetch_texts(x);
		return;
	}
	send_request(x);
}

static void read_history(struct effect_run *x);

/* The conversation of a forked thread is read every time. */
static bool may_be_held(const struct effect_run *x)
{
	return !x->is_summary && x->assembly.start.origin_count == 1;
}

/*
 * The cache gets the conversation before fetch_texts() brings it into the form in which it
 * is sent.
 */
static void history_ends(struct effect_run *x)
{
	if (may_be_held(x))
		conversation_cache_were_read(x->session, x->thread_id, (int64_t)x->seq,
		                             &x->assembly);
	fetch_texts(x);
}

/*
 * A run that was cancelled during the read has no session: its events are skipped, and
 * effects_is_late() frees it.
 */
static void history_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	bool more = r->more, failed = is_unreadable(r);

	for (size_t i = 0; x->session && i < r->event_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;

		if (json_read_trusted(mem, bytes_str(r->events[i].body), &doc, NULL) == OK &&
		    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, NULL) == OK)
			assemble_feed(&x->assembly, ev);
	}
	x->read_from = r->scanned;
	port_store_read_done(r);
	if (effects_is_late(x))
		return;
	if (failed)
		fail_unreadable(x);
	else if (more)
		read_history(x);
	else
		history_ends(x);
}

static void read_history(struct effect_run *x)
{
	x->read = (struct store_read){ .kind = READ_EVENTS,
		                       .session = x->session->id,
		                       .after = x->read_from,
		                       .until = x->read_until,
		                       .types = x->types,
		                       .done = history_read,
		                       .owner = x };
	x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
}

/* For a summary: which turns, how much of them, and the instruction. */
static void take_summary_request(struct effect_run *x, const struct st_thread *th,
                                 const struct st_turn *t)
{
	const struct model_info *m =
		decision_settings_model(&x->engine->settings, t->provider, t->model);

	x->is_summary = true;
	x->summed.through = th->compaction->through_sequence;
	if (rec_list_str_find(&th->compaction->affected_turns, t->turn_id) >= 0)
		x->summed.turn_id = arena_keep(x->mem, t->turn_id);
	x->summary_bytes = compact_input_bytes(m, th->compaction);
	x->wish = prompt_text_notes[PROMPT_NOTE_SUMMARISE];
	if (str_is(t->instructions))
		x->wish = arena_printf(x->mem, "%.*s Keep in particular: %.*s", STR_ARG(x->wish),
		                       STR_ARG(t->instructions));
}

/*
 * From the cache if it has the conversation up to this request, otherwise from the log:
 * from the last compaction or the thread's beginning up to the event of the request.
 */
void model_start(struct effect_run *x, const struct st_thread *th, const struct st_turn *t)
{
	struct assembly_start start;

	if (turn_is_compacting(th, t))
		take_summary_request(x, th, t);
	x->thread_id = arena_keep(x->mem, th->thread_id);
	assemble_start_of(th, t, x->session->state, &start);
	assemble_init(&x->assembly, x->mem, &start);
	if (may_be_held(x) && conversation_cache_take(x->session, x->thread_id, (int64_t)x->seq,
	                                              &start, x->mem, &x->assembly)) {
		fetch_texts(x);
		return;
	}
	assemble_types(x->types);
	x->read_from = (uint64_t)start.from - 1;
	x->read_until = x->seq;
	read_history(x);
}

/* After `cancel` the provider calls back no more, so the run can be freed. */
void model_cancel(struct effect_run *x)
{
	if (x->model)
		x->provider->ops->cancel(x->provider, x->model);
	x->model = NULL;
	effects_end(x);
}
