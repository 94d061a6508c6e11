/*
 * The input of a turn: text and images.
 *
 * The parts are stored completely behind the input's ref.  An inline image is
 * stored separately, as decoded bytes; part and event name its ref.
 * spec: contracts/control-plane#commands
 */
#include "core/turn/turn.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "base/utf8.h"
#include "core/context/prompt.h"

#define DAY_MS (24 * 60 * 60 * (int64_t)1000)

/*
 * Checks the first bytes: an image that a provider would refuse is refused here, before it costs.
 */
bool turn_input_is_image(struct str data, struct str media_type)
{
	if (str_eq(media_type, STR("image/png")))
		return str_starts(data, STR("\x89PNG\r\n\x1a\n"));
	if (str_eq(media_type, STR("image/jpeg")))
		return str_starts(data, STR("\xff\xd8\xff"));
	if (str_eq(media_type, STR("image/gif")))
		return str_starts(data, STR("GIF8"));
	return str_eq(media_type, STR("image/webp")) && data.len >= 12 &&
	       str_starts(data, STR("RIFF")) && str_starts(str_skip(data, 8), STR("WEBP"));
}

static bool is_image_type(struct str word)
{
	return str_eq(word, STR("image/png")) || str_eq(word, STR("image/jpeg")) ||
	       str_eq(word, STR("image/gif")) || str_eq(word, STR("image/webp"));
}

/*
 * Stores it as a blob; false: it is not base64, or not that kind of image.  Decoded bytes are
 * stored once; neither the event nor the stored parts repeat the base64 text.
 */
static bool keep_inline(struct decision *d, struct str coded, struct rec_input_part *part)
{
	struct buf bytes = { 0 };
	bool ok = base64_read(&bytes, coded) &&
	          turn_input_is_image(buf_str(&bytes), part->media_type);

	if (ok) {
		part->bytes = (int64_t)bytes.len;
		part->ref =
			decision_new_blob(d, part->media_type, arena_keep(d->mem, buf_str(&bytes)));
	}
	buf_done(&bytes);
	return ok;
}

/*
 * An image that the client uploaded for this turn; the engine has compared size and hash with what
 * it stored.  Other refs belong to outputs that an event has already.
 */
static void note_upload(struct decision *d, struct json v, struct rec_input_part *part,
                        struct turn_input *ret)
{
	struct str sha256 = json_str(JSON_GET(v, "sha256"));

	if (!str_starts(part->ref, STR(CATALOG_UPLOAD_PREFIX)) || !str_is(sha256))
		return;
	part->bytes = json_int(JSON_GET(v, "bytes"), 0);
	for (uint32_t i = 0; i < ret->uploads.count; i++)
		if (str_eq(ret->uploads.items[i]->output_ref, part->ref))
			return;
	*(struct rec_output *)rec_list_add(d->mem, &ret->uploads, &rec_output_desc) =
		(struct rec_output){ .output_ref = part->ref,
		                     .owner = OUTPUT_OWNER_TURN,
		                     .media_type = part->media_type,
		                     .encoding = STR("binary"),
		                     .size_bytes = part->bytes,
		                     .sha256 = sha256,
		                     .complete = true,
		                     .truncation = TRUNCATION_NONE,
		                     .redaction = REDACTION_NONE };
}

static bool read_image(struct decision *d, struct json v, struct turn_input *ret,
                       struct json_writer *w)
{
	struct rec_input_part *part = rec_list_add(d->mem, &ret->images, &rec_input_part_desc);
	struct str data = json_str(JSON_GET(v, "data")), ref = json_str(JSON_GET(v, "ref"));

	*part = (struct rec_input_part){ .type = STR("image"),
		                         .media_type = json_str(JSON_GET(v, "mediaType")),
		                         .ref = ref,
		                         .name = json_str(JSON_GET(v, "name")) };
	if (!is_image_type(part->media_type))
		ret->wrong = STR("an image needs a mediaType: image/png, image/jpeg, image/gif or "
		                 "image/webp");
	else if (str_is(data) == str_is(ref))
		ret->wrong = STR("an image needs either data (base64) or ref (of an output)");
	else if (str_is(ref) && !id_is_valid(ref))
		ret->wrong = STR("the ref of an image is not an id");
	else if (str_is(data) && !keep_inline(d, data, part))
		ret->wrong = STR("the data of an image is not base64 of that kind of image");
	if (str_is(ret->wrong))
		return false;
	note_upload(d, v, part, ret);
	rec_write(w, &rec_input_part_desc, part);
	return true;
}

/*
 * The first of three spellings that is present: clients of other protocols name the same member
 * differently.
 */
static struct str first_of(struct json v, const char *a, const char *b, const char *c)
{
	struct str text = json_str(json_get(v, str_from(a)));

	if (!str_is(text))
		text = json_str(json_get(v, str_from(b)));
	return str_is(text) ? text : json_str(json_get(v, str_from(c)));
}

/*
 * Its text, plain or in base64; false: it has content that is no text.  Content with NUL bytes is
 * binary even if it is valid UTF-8.
 */
static bool read_words(struct decision *d, struct json v, struct str *ret)
{
	struct str coded = first_of(v, "data", "blob", "data");
	struct buf bytes = { 0 };
	bool ok;

	*ret = json_str(JSON_GET(v, "text"));
	if (str_is(*ret) || !str_is(coded))
		return true;
	ok = base64_read(&bytes, coded) && utf8_is_valid(buf_str(&bytes)) &&
	     !memchr(buf_str(&bytes).ptr, 0, bytes.len);
	if (ok)
		*ret = arena_keep(d->mem, buf_str(&bytes));
	buf_done(&bytes);
	return ok;
}

/*
 * The model gets it as an ordinary text part; the event records what it was.
 */
static void add_attached(struct decision *d, struct turn_input *ret, struct buf *text,
                         struct json_writer *w, struct rec_input_part part, struct str words)
{
	struct str shown =
		str_is(words) ? prompt_named(d->mem, part.type, part.name, words)
			      : arena_printf(d->mem, "<%.*s name=\"%.*s\"/>", STR_ARG(part.type),
	                                     STR_ARG(prompt_attribute(d->mem, part.name)));

	part.bytes = (int64_t)words.len;
	part.preview = str_is(words) ? utf8_preview(d->mem, words, LIMIT_PREVIEW) : STR_NONE;
	*(struct rec_input_part *)rec_list_add(d->mem, &ret->files, &rec_input_part_desc) = part;
	if (text->len)
		buf_add_char(text, '\n');
	buf_add_str(text, shown);
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", shown);
	JW_KSTR(w, "from", part.type);
	JW_KSTR(w, "name", part.name);
	JW_KOPT(w, "mediaType", part.media_type);
	jw_obj_end(w);
}

/* Only plain turns accept a path (takes_images): its file is read with the context of the turn. */
static bool read_file_part(struct decision *d, struct json v, struct turn_input *ret,
                           struct buf *text, struct json_writer *w)
{
	struct str path = json_str(JSON_GET(v, "path")), words;
	struct rec_input_part part = { .type = STR("file"),
		                       .name = first_of(v, "name", "path", "uri"),
		                       .media_type =
		                               first_of(v, "mediaType", "mimeType", "mimeType") };

	if (!str_is(part.name))
		ret->wrong = STR("a file needs a name or a path");
	else if (!read_words(d, v, &words))
		ret->wrong =
			STR("the data of a file is not base64 of text; put it into the workspace "
		            "and name its path");
	else if (str_is(path) && str_is(words))
		ret->wrong = STR("a file needs either a path or its text");
	else if (str_is(path) && !ret->takes_images)
		ret->wrong = STR("only submit_turn accepts a path; give the text of the file");
	else if (!str_is(path) && !str_is(words))
		ret->wrong = STR("a file needs text, data (base64) or a path in the workspace");
	if (str_is(ret->wrong))
		return false;
	if (str_is(path))
		rec_list_str_add(d->mem, &ret->paths, path);
	add_attached(d, ret, text, w, part, words);
	return true;
}

/* In the form of tool servers: {uri, text}, or the same under the key resource. */
static bool read_resource_part(struct decision *d, struct json v, struct turn_input *ret,
                               struct buf *text, struct json_writer *w, bool is_link)
{
	struct json inner = JSON_GET(v, "resource");
	struct json r = json_type(inner) == JSON_OBJ ? inner : v;
	struct str words = STR_NONE;
	struct rec_input_part part = { .type = STR("resource"),
		                       .name = json_str(JSON_GET(r, "uri")),
		                       .media_type =
		                               first_of(r, "mediaType", "mimeType", "mimeType") };

	if (!str_is(part.name) || !part.name.len)
		ret->wrong = STR("a resource needs a uri");
	else if (!is_link && (!read_words(d, r, &words) || !str_is(words)))
		ret->wrong = STR("a resource needs text, or blob (base64) of text");
	if (str_is(ret->wrong))
		return false;
	add_attached(d, ret, text, w, part, words);
	return true;
}

/*
 * An unknown type is refused with the general message, so that a client notices that a part would
 * be dropped.
 */
static bool read_part(struct decision *d, struct json v, struct turn_input *ret, struct buf *text,
                      struct json_writer *w)
{
	struct str type = json_str(JSON_GET(v, "type")), piece = json_str(JSON_GET(v, "text"));

	if (str_eq(type, STR("image")) && ret->takes_images)
		return read_image(d, v, ret, w);
	if (str_eq(type, STR("file")))
		return read_file_part(d, v, ret, text, w);
	if (str_eq(type, STR("resource")) || str_eq(type, STR("resource_link")))
		return read_resource_part(d, v, ret, text, w, str_eq(type, STR("resource_link")));
	if (!str_eq(type, STR("text")) || !str_is(piece))
		return false;
	if (text->len)
		buf_add_char(text, '\n');
	buf_add_str(text, piece);
	jw_value(w, v);
	return true;
}

static bool read_parts(struct decision *d, struct json v, struct turn_input *ret, struct buf *text,
                       struct json_writer *w)
{
	struct json_iter it = json_iter(v);
	struct json part;
	struct str key;

	if (json_count(v) > LIMIT_INPUT_PARTS) {
		ret->wrong =
			arena_printf(d->mem, "an input has at most %d parts", LIMIT_INPUT_PARTS);
		return false;
	}
	while (json_next(&it, &key, &part))
		if (!read_part(d, part, ret, text, w))
			return false;
	return true;
}

struct str turn_input_text_part(struct decision *d, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("text"));
	JW_KSTR(&w, "text", text);
	jw_obj_end(&w);
	jw_arr_end(&w);
	return arena_keep(d->mem, buf_str(&out));
}

/*
 * Reads the argument `input` of a command.  The command's shape was checked before, so the JSON is
 * well-formed; `wrong` stays absent where the general message of the caller fits.  On false the
 * decision holds blobs of earlier parts, which the refusal drops.
 */
bool turn_input_read(struct decision *d, struct str json_input, struct turn_input *ret)
{
	struct json v;
	struct buf text = { 0 }, parts = { 0 };
	struct json_writer w;
	bool ok = true;

	if (json_read_trusted(d->mem, json_input, &v, NULL) != OK)
		return false;
	jw_init(&w, &parts);
	jw_arr(&w);
	if (json_type(v) == JSON_STR) {
		buf_add_str(&text, json_str(v));
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("text"));
		JW_KSTR(&w, "text", json_str(v));
		jw_obj_end(&w);
	} else {
		ok = json_type(v) == JSON_ARR && read_parts(d, v, ret, &text, &w);
	}
	jw_arr_end(&w);
	ret->text = arena_keep(d->mem, buf_str(&text));
	ret->parts = arena_keep(d->mem, buf_str(&parts));
	buf_done(&text);
	buf_done(&parts);
	/* A turn without text is refused, also one that has images. */
	return ok && str_trim(ret->text).len > 0;
}

/* The event has previews only; the whole input is behind input_ref. */
void turn_input_submit(struct decision *d, const struct turn_input *in, struct ev_turn_submitted *p)
{
	struct rec_input_part *text = rec_list_add(d->mem, &p->input, &rec_input_part_desc);

	*text = (struct rec_input_part){ .type = STR("text"),
		                         .preview = utf8_preview(d->mem, in->text, LIMIT_PREVIEW),
		                         .bytes = (int64_t)in->text.len };
	for (uint32_t i = 0; i < in->images.count; i++)
		*(struct rec_input_part *)rec_list_add(d->mem, &p->input, &rec_input_part_desc) =
			*in->images.items[i];
	for (uint32_t i = 0; i < in->files.count; i++)
		*(struct rec_input_part *)rec_list_add(d->mem, &p->input, &rec_input_part_desc) =
			*in->files.items[i];
	p->input_ref = decision_new_blob(d, STR("application/json"), in->parts);
}

void turn_input_emit_uploads(struct decision *d, const struct turn_input *in,
                             const struct event *submitted)
{
	int64_t days = d->settings->config->output_keep_days;

	for (uint32_t i = 0; i < in->uploads.count; i++) {
		struct rec_output *output = in->uploads.items[i];
		struct event *ev =
			EMIT(d, OUTPUT_SPILLED, output_spilled, .size_bytes = output->size_bytes,
		             .policy = STR("upload"), .complete = true);

		output->owner_id = submitted->turn_id;
		output->expires_at = days ? d->now + days * DAY_MS : 0;
		ev->thread_id = submitted->thread_id;
		ev->turn_id = submitted->turn_id;
		ev->output_ref = output->output_ref;
		ev->output = output;
	}
}
