/*
 * What is longer than its event: messages of users, and images of users and tools.  It is behind refs.  The events that
 * follow wait until it is read, so that the editor sees the conversation in its order.
 */
#include "acp/acp_parts.h"

#include "base/memory.h"

#include <stdio.h>

#define INPUT_MAX (4u << 20)  /* of one message; the rest is left out */
#define IMAGE_MAX (12u << 20) /* in base64 */

struct held_message {
	struct acp_reading reading;
	char turn[ACP_ID_MAX];
	char call[ACP_ID_MAX]; /* whose images they are; "": of a user's message */
	char *text;            /* of the call's result; or NULL */
	struct buf parts;      /* the JSON of the input, once it is read; of a call its images */
	struct buf blocks;     /* of a call: images that were read, each with a comma behind it */
	size_t at;             /* the part that is sent next */
};

static struct held_message *held_of(struct acp_reading *r)
{
	return OWNER_OF(r, struct held_message, reading);
}

static void held_free(struct acp_thread *t)
{
	struct held_message *h = held_of(t->hold);

	acp_fetch_stop(&h->reading);
	buf_done(&h->parts);
	buf_done(&h->blocks);
	memory_free(h->text);
	memory_free(h);
	t->hold = NULL;
}

void acp_past_free(struct acp_thread *t)
{
	if (t->hold)
		held_free(t);
}

/* ---- which events ---- */

/* A preview is shorter than the text, or the message has more than text. */
static bool is_cut(struct json payload)
{
	struct json_iter it = json_iter(JSON_GET(payload, "input"));
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part)) {
		struct str preview = json_str(JSON_GET(part, "preview"));
		struct str type = json_str(JSON_GET(part, "type"));

		if (!str_eq(type, STR("text")) ||
		    json_int(JSON_GET(part, "bytes"), 0) > (int64_t)preview.len)
			return true;
	}
	return false;
}

/* ---- sending ---- */

static void send_block(struct acp_thread *t, struct str turn, struct str block)
{
	struct buf params = { 0 };

	acp_update_write_user(&params, str_from(t->id), turn, block);
	acp_peer_notify(t->s, "session/update", &params);
}

static void next_part(struct held_message *h);

static void on_image(struct acp_reading *r, bool is_ok)
{
	struct held_message *h = held_of(r);
	CLEANUP(buf_done) struct buf block = { 0 };
	struct json parts, part;
	struct json_writer w;

	if (json_read_trusted(r->t->s->mem, buf_str(&h->parts), &parts, NULL) != OK)
		return;
	part = json_at(parts, h->at - 1);
	jw_init(&w, &block);
	jw_obj(&w);
	JW_KSTR(&w, "type", is_ok ? STR("image") : STR("text"));
	if (is_ok) {
		JW_KSTR(&w, "mimeType", json_str(JSON_GET(part, "mediaType")));
		JW_KSTR(&w, "data", buf_str(&r->text));
	} else {
		JW_KSTR(&w, "text", STR("[image]"));
	}
	jw_obj_end(&w);
	if (*h->call) {
		buf_add_str(&h->blocks, buf_str(&block));
		buf_add_char(&h->blocks, ',');
	} else {
		send_block(r->t, str_from(h->turn), buf_str(&block));
	}
	next_part(h);
}

static void read_image(struct held_message *h, struct str ref)
{
	buf_done(&h->reading.text);
	snprintf(h->reading.ref, sizeof h->reading.ref, "%.*s", STR_ARG(ref));
	h->reading.offset = 0;
	h->reading.max = IMAGE_MAX;
	h->reading.is_base64 = true;
	h->reading.done = on_image;
	acp_fetch_begin(&h->reading);
}

static void write_text(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

/* A file or resource is shown by its name: the editor has it, or can open it. */
static void write_attached(struct json_writer *w, struct str name)
{
	if (str_find(name, STR("://")) < 0) {
		write_text(w, name);
		return;
	}
	jw_obj(w);
	JW_KSTR(w, "type", STR("resource_link"));
	JW_KSTR(w, "uri", name);
	JW_KSTR(w, "name", name);
	jw_obj_end(w);
}

static void send_part(struct held_message *h, struct json part)
{
	struct str name = json_str(JSON_GET(part, "name"));
	CLEANUP(buf_done) struct buf block = { 0 };
	struct json_writer w;

	jw_init(&w, &block);
	if (json_is(JSON_GET(part, "from")) && name.len)
		write_attached(&w, name);
	else
		write_text(&w, json_str(JSON_GET(part, "text")));
	send_block(h->reading.t, str_from(h->turn), buf_str(&block));
}

/* The whole result of the call, because an update replaces all content. */
static void send_images(struct held_message *h)
{
	struct acp_thread *t = h->reading.t;
	struct buf params = { 0 };

	if (h->blocks.len)
		h->blocks.len--; /* the last comma */
	acp_update_write_images(&params, str_from(t->id), str_from(h->call), str_from(h->text),
	                        arena_printf(t->s->mem, "[%.*s]", STR_ARG(buf_str(&h->blocks))));
	acp_peer_notify(t->s, "session/update", &params);
}

/* The last part ends the hold; the events that waited follow. */
static void next_part(struct held_message *h)
{
	struct acp_thread *t = h->reading.t;
	struct json parts, part;

	if (json_read_trusted(t->s->mem, buf_str(&h->parts), &parts, NULL) != OK)
		parts = (struct json){ 0 };
	while (h->at < json_count(parts)) {
		part = json_at(parts, h->at++);
		if (str_eq(json_str(JSON_GET(part, "type")), STR("image"))) {
			read_image(h, json_str(JSON_GET(part, "ref")));
			return;
		}
		send_part(h, part);
	}
	if (*h->call)
		send_images(h);
	held_free(t);
}

/* What cannot be read any more is shown as the event has it. */
static void on_input(struct acp_reading *r, bool is_ok)
{
	struct held_message *h = held_of(r);
	struct acp_thread *t = r->t;
	struct json parts;

	if (is_ok && json_read(t->s->mem, buf_str(&r->text), &parts, NULL) == OK &&
	    json_type(parts) == JSON_ARR) {
		buf_done(&h->parts);
		h->parts = r->text;
		r->text = (struct buf){ 0 };
	}
	next_part(h);
}

/* The parts of the event, in the form of an input: used if the input cannot be read. */
static void write_previews(struct buf *out, struct json payload)
{
	struct json_iter it = json_iter(JSON_GET(payload, "input"));
	struct json_writer w;
	struct json part;
	struct str key;

	jw_init(&w, out);
	jw_arr(&w);
	while (json_next(&it, &key, &part))
		write_text(&w, json_str(JSON_GET(part, "preview")).len
		                       ? json_str(JSON_GET(part, "preview"))
		                       : STR("[attachment]"));
	jw_arr_end(&w);
}

/* Images of a tool's result follow the update that ends the call. */
void acp_past_hold_images(struct acp_thread *t, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload"), images = JSON_GET(payload, "images");
	struct str text = json_str(JSON_GET(payload, "displayPreview"));
	struct held_message *h;

	if (!str_eq(type, STR("tool.result")) || !json_count(images) || t->hold)
		return;
	h = memory_zeroed(1, sizeof *h);
	h->reading = (struct acp_reading){ .t = t };
	snprintf(h->call, sizeof h->call, "%.*s", STR_ARG(json_str(JSON_GET(event, "toolCallId"))));
	h->text = memory_strndup(text.ptr ? text.ptr : "", text.len);
	buf_add_str(&h->parts, json_text(t->s->mem, images));
	t->hold = &h->reading;
	next_part(h);
}

bool acp_past_hold(struct acp_thread *t, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct str ref = json_str(JSON_GET(payload, "inputRef"));
	struct held_message *h;

	if (!str_eq(type, STR("turn.submitted")) || !ref.len || !acp_update_is_of_person(payload) ||
	    !is_cut(payload))
		return false;
	h = memory_zeroed(1, sizeof *h);
	h->reading = (struct acp_reading){ .t = t, .max = INPUT_MAX, .done = on_input };
	snprintf(h->reading.ref, sizeof h->reading.ref, "%.*s", STR_ARG(ref));
	snprintf(h->turn, sizeof h->turn, "%.*s", STR_ARG(json_str(JSON_GET(event, "turnId"))));
	write_previews(&h->parts, payload);
	t->hold = &h->reading;
	acp_fetch_begin(&h->reading);
	return true;
}
