/* Parts of messages become parts of an input, one by one. */
#include "a2a/a2a_input.h"

#include "base/gen/limits.h"
#include "base/hash/base64.h"
#include "base/utf8.h"

#define FIELD STR("message.parts")

static bool refuse_part(struct a2a_error *e, enum a2a_code code, struct str message)
{
	*e = (struct a2a_error){ .code = code, .field = FIELD, .message = message };
	return false;
}

/* Names and addresses stay on a line and inside their quotes. */
static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] <= 0x20 || s.ptr[i] == 0x7f || s.ptr[i] == '"' ||
		    s.ptr[i] == '<')
			return true;
	return false;
}

/* ---- addresses ---- */

static bool is_local_name(const struct net_host *h)
{
	struct str name = str_from(h->text);

	return str_eq(name, STR("localhost")) || str_ends(name, STR(".localhost"));
}

bool a2a_input_is_address(struct arena *mem, struct str url, const struct host_rules *rules,
                          struct str field, struct a2a_error *e)
{
	struct net_host host;
	uint16_t port;
	bool is_public;

	*e = (struct a2a_error){ .code = A2A_INVALID_PARAMS, .field = field };
	if (has_control(url) || !net_host_of_url(url, &host, &port)) {
		e->message = STR("The address is not one of http or https, or its host is invalid");
		return false;
	}
	is_public = host.is_address ? address_kind(&host.address) == ADDRESS_PUBLIC
	                            : !is_local_name(&host);
	if (is_public || host_rule_find(rules, &host, port))
		return true;
	e->message =
		arena_printf(mem,
	                     "The address leads to %s, which is not a public host; the setting "
	                     "peers.allow_hosts permits it",
	                     host.text);
	return false;
}

/* ---- parts ---- */

static bool is_image(struct str type)
{
	return str_eq(type, STR("image/png")) || str_eq(type, STR("image/jpeg")) ||
	       str_eq(type, STR("image/gif")) || str_eq(type, STR("image/webp"));
}

static void write_words(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

static void write_file(struct json_writer *w, struct str name, struct str type, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("file"));
	JW_KSTR(w, "name", name);
	JW_KOPT(w, "mediaType", type);
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

/* ProtoJSON writes bytes in either alphabet of base64; ours is the first. */
static struct str plain_base64(struct arena *mem, struct str coded)
{
	char *out = arena_alloc_raw(mem, coded.len + 4);
	size_t len = 0;

	for (size_t i = 0; i < coded.len; i++)
		out[len++] = coded.ptr[i] == '-' ? '+' : coded.ptr[i] == '_' ? '/' : coded.ptr[i];
	while (len % 4)
		out[len++] = '=';
	return str_of(out, len);
}

static bool write_raw(struct arena *mem, struct json_writer *w, struct json part, struct str coded,
                      struct a2a_error *e)
{
	struct str type = json_str(JSON_GET(part, "mediaType"));
	struct str name = json_str(JSON_GET(part, "filename"));
	struct buf bytes = { 0 };
	struct str words;

	coded = plain_base64(mem, coded);
	if (!base64_read(&bytes, coded)) {
		buf_done(&bytes);
		return refuse_part(e, A2A_INVALID_PARAMS, STR("raw is not base64"));
	}
	words = arena_keep(mem, buf_str(&bytes));
	buf_done(&bytes);
	if (is_image(type)) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("image"));
		JW_KSTR(w, "mediaType", type);
		JW_KSTR(w, "data", coded);
		jw_obj_end(w);
		return true;
	}
	if (!words.len || !utf8_is_valid(words) || memchr(words.ptr, 0, words.len))
		return refuse_part(e, A2A_CONTENT_TYPE_NOT_SUPPORTED,
		                   STR("A file must be text or an image (PNG, JPEG, GIF, WebP)"));
	write_file(w, name.len ? name : STR("file"), type, words);
	return true;
}

static bool write_url(struct arena *mem, struct json_writer *w, struct json part, struct str url,
                      const struct host_rules *rules, struct a2a_error *e)
{
	struct str name = json_str(JSON_GET(part, "filename"));

	if (url.len > LIMIT_A2A_URL_BYTES)
		return refuse_part(e, A2A_INVALID_PARAMS, STR("The address is too long"));
	if (!a2a_input_is_address(mem, url, rules, FIELD, e))
		return false;
	jw_obj(w);
	JW_KSTR(w, "type", STR("resource_link"));
	JW_KSTR(w, "uri", url);
	JW_KOPT(w, "name", name.len ? name : STR_NONE);
	JW_KOPT(w, "mediaType", json_str(JSON_GET(part, "mediaType")));
	jw_obj_end(w);
	return true;
}

/* Exactly one content, and names that stay on a line. */
static bool check_part(struct json part, struct a2a_error *e)
{
	static const char *const contents[] = { "text", "raw", "url", "data" };
	static const char *const names[] = { "filename", "mediaType" };
	unsigned count = 0;

	if (json_type(part) != JSON_OBJ)
		return refuse_part(e, A2A_INVALID_PARAMS, STR("A part must be an object"));
	for (size_t i = 0; i < COUNT_OF(contents); i++) {
		struct json v = json_get(part, str_from(contents[i]));

		count += json_is(v);
		if (json_is(v) && i < 3 && !str_is(json_str(v)))
			return refuse_part(e, A2A_INVALID_PARAMS,
			                   STR("text, raw and url are strings"));
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct json v = json_get(part, str_from(names[i]));
		struct str s = json_str(v);

		if (json_is(v) && (!str_is(s) || s.len > LIMIT_ID_BYTES || has_control(s)))
			return refuse_part(e, A2A_INVALID_PARAMS,
			                   STR("filename and mediaType are short lines of text"));
	}
	return count == 1 ||
	       refuse_part(e, A2A_INVALID_PARAMS, STR("A part has one of text, raw, url and data"));
}

static bool write_part(struct arena *mem, struct json_writer *w, struct json part,
                       const struct host_rules *rules, struct a2a_error *e)
{
	struct str text = json_str(JSON_GET(part, "text")), raw = json_str(JSON_GET(part, "raw"));
	struct str url = json_str(JSON_GET(part, "url")), name;

	if (!check_part(part, e))
		return false;
	if (str_is(raw))
		return write_raw(mem, w, part, raw, e);
	if (str_is(url))
		return write_url(mem, w, part, url, rules, e);
	if (str_is(text)) {
		write_words(w, text);
		return true;
	}
	name = json_str(JSON_GET(part, "filename"));
	write_file(w, name.len ? name : STR("data.json"), STR("application/json"),
	           json_text(mem, JSON_GET(part, "data")));
	return true;
}

static bool has_words(const struct a2a_message *m)
{
	struct json_iter it = json_iter(m->parts);
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part))
		if (str_trim(json_str(JSON_GET(part, "text"))).len)
			return true;
	return false;
}

/* A turn needs words: a message without any says so itself. */
bool a2a_input_write(struct arena *mem, struct json_writer *w, const struct a2a_message *m,
                     const struct host_rules *rules, struct a2a_error *e)
{
	struct json_iter it = json_iter(m->parts);
	struct json part;
	struct str key;
	bool ok = true;

	jw_arr(w);
	if (!has_words(m))
		write_words(w, STR("The message has no text; see what is attached."));
	while (ok && json_next(&it, &key, &part)) {
		struct str text = json_str(JSON_GET(part, "text"));

		if (str_is(text) && !str_trim(text).len && check_part(part, e))
			continue; /* blank */
		ok = write_part(mem, w, part, rules, e);
	}
	jw_arr_end(w);
	return ok;
}

void a2a_input_write_answer(struct json_writer *w, const struct a2a_message *m)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	struct json_iter it = json_iter(m->parts);
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part)) {
		struct json data = JSON_GET(part, "data");

		if (json_type(data) == JSON_OBJ) {
			jw_value(w, data);
			return;
		}
		if (words.len)
			buf_add_char(&words, '\n');
		buf_add_str(&words, json_str(JSON_GET(part, "text")));
	}
	jw_str(w, buf_str(&words));
}
