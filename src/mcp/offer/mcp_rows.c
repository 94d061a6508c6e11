/* Reads rows of lists, and the arguments that a person gives to a prompt. */
#include "mcp/offer/mcp_rows.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "mcp/mcp_message.h"

#include <string.h>

#define ID_MAX 2048
#define NAME_MAX_BYTES 64
#define TITLE_MAX 120
#define DESCRIPTION_MAX 500
#define MEDIA_TYPE_MAX 100

struct str mcp_rows_method(enum mcp_rows_kind kind)
{
	return kind == MCP_ROWS_RESOURCES   ? STR("resources/list")
	       : kind == MCP_ROWS_TEMPLATES ? STR("resources/templates/list")
	                                    : STR("prompts/list");
}

struct str mcp_rows_member(enum mcp_rows_kind kind)
{
	return kind == MCP_ROWS_RESOURCES   ? STR("resources")
	       : kind == MCP_ROWS_TEMPLATES ? STR("resourceTemplates")
	                                    : STR("prompts");
}

/* ---- rows ---- */

/* One line without control characters, so that a row cannot imitate another one. */
static struct str one_line(struct arena *mem, struct json v, size_t max)
{
	struct str text = str_is(json_str(v)) ? json_str(v) : STR("");
	char *at;

	text = utf8_preview(mem, text, max);
	at = (char *)arena_keep(mem, text).ptr;
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)at[i] < ' ' || at[i] == 127)
			at[i] = ' ';
	return str_of(at, text.len);
}

/* Control characters could not be typed, and would not be shown as they are. */
static bool is_id(struct str id, size_t max)
{
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.ptr[i] < ' ' || id.ptr[i] == 127)
			return false;
	return id.len && id.len <= max;
}

/* A prompt is called by its name, so a blank would end it. */
static bool is_word(struct str name)
{
	return is_id(name, NAME_MAX_BYTES) && str_find_char(name, ' ') < 0 && utf8_is_valid(name);
}

static enum err read_arguments(struct arena *mem, struct json list, struct mcp_row *ret,
                               struct error *e)
{
	struct json_iter it = json_iter(list);
	struct mcp_argument *all;
	struct json v;
	struct str key;

	if (!json_is(list))
		return OK;
	if (json_type(list) != JSON_ARR || json_count(list) > MCP_ROWS_ARGUMENTS_MAX)
		return fail(e, ERR_INVALID, "its arguments are not a list of at most %d",
		            MCP_ROWS_ARGUMENTS_MAX);
	all = ARENA_ARRAY(mem, struct mcp_argument, json_count(list) + 1);
	while (json_next(&it, &key, &v)) {
		struct str name = json_str(JSON_GET(v, "name"));

		if (!str_is(name) || !is_word(name))
			return fail(e, ERR_INVALID, "an argument has no name of one word");
		all[ret->argument_count++] = (struct mcp_argument){
			.name = arena_keep(mem, name),
			.description = one_line(mem, JSON_GET(v, "description"), TITLE_MAX),
			.is_required = json_bool(JSON_GET(v, "required"), false),
		};
	}
	ret->arguments = all;
	return OK;
}

enum err mcp_rows_read(struct arena *mem, enum mcp_rows_kind kind, struct json v,
                       struct mcp_row *ret, struct error *e)
{
	struct str id = json_str(kind == MCP_ROWS_RESOURCES   ? JSON_GET(v, "uri")
	                         : kind == MCP_ROWS_TEMPLATES ? JSON_GET(v, "uriTemplate")
	                                                      : JSON_GET(v, "name"));
	struct json title = JSON_GET(v, "title"), type = JSON_GET(v, "mimeType");

	*ret = (struct mcp_row){ .size = -1 };
	if (!str_is(id) || !(kind == MCP_ROWS_PROMPTS ? is_word(id) : is_id(id, ID_MAX)))
		return fail(e, ERR_INVALID, "it has no usable name");
	ret->id = arena_keep(mem, id);
	ret->title = one_line(mem, json_is(title) ? title : JSON_GET(v, "name"), TITLE_MAX);
	ret->description = one_line(mem, JSON_GET(v, "description"), DESCRIPTION_MAX);
	if (str_is(json_str(type)))
		ret->media_type = one_line(mem, type, MEDIA_TYPE_MAX);
	ret->size = json_int(JSON_GET(v, "size"), -1);
	return kind == MCP_ROWS_PROMPTS ? read_arguments(mem, JSON_GET(v, "arguments"), ret, e)
	                                : OK;
}

size_t mcp_rows_bytes(const struct mcp_row *r)
{
	size_t bytes = sizeof *r + r->id.len + r->title.len + r->description.len;

	for (size_t i = 0; i < r->argument_count; i++)
		bytes += sizeof r->arguments[i] + r->arguments[i].name.len +
		         r->arguments[i].description.len;
	return bytes + r->media_type.len;
}

/* ---- prompts ---- */

struct str mcp_rows_hint(struct arena *mem, const struct mcp_row *prompt)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < prompt->argument_count; i++)
		buf_printf(&out, "%s%c%.*s%c", i ? " " : "",
		           prompt->arguments[i].is_required ? '<' : '[',
		           STR_ARG(prompt->arguments[i].name),
		           prompt->arguments[i].is_required ? '>' : ']');
	return arena_keep(mem, buf_str(&out));
}

/* The next word; quotes hold blanks together and are removed. */
static struct str next_word(struct arena *mem, struct str *rest)
{
	struct str text = str_trim(*rest);
	CLEANUP(buf_done) struct buf word = { 0 };
	char quote = 0;
	size_t i = 0;

	for (; i < text.len && (quote || !strchr(" \t\n", text.ptr[i])); i++) {
		char c = text.ptr[i];

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		else
			buf_add_char(&word, c);
	}
	*rest = str_skip(text, i);
	return arena_keep(mem, buf_str(&word));
}

/* The argument that name=... names; the count: none. */
static size_t named_argument(const struct mcp_row *prompt, struct str word)
{
	int64_t at = str_find_char(word, '=');

	for (size_t i = 0; at > 0 && i < prompt->argument_count; i++)
		if (str_eq(prompt->arguments[i].name, str_head(word, (size_t)at)))
			return i;
	return prompt->argument_count;
}

static size_t next_free(const struct mcp_row *prompt, const struct str *values, size_t from)
{
	while (from < prompt->argument_count && str_is(values[from]))
		from++;
	return from;
}

static void assign_words(struct arena *mem, const struct mcp_row *prompt, struct str rest,
                         struct str *values)
{
	size_t count = prompt->argument_count;

	while (str_trim(rest).len) {
		struct str before = str_trim(rest), word = next_word(mem, &rest);
		size_t named = named_argument(prompt, word), at = next_free(prompt, values, 0);

		if (named < count) {
			values[named] = str_skip(word, (size_t)str_find_char(word, '=') + 1);
		} else if (at < count && next_free(prompt, values, at + 1) == count &&
		           str_trim(rest).len) {
			values[at] = before; /* the last one takes the rest */
			return;
		} else if (at < count) {
			values[at] = word;
		}
	}
}

enum err mcp_rows_write_get(struct arena *mem, const struct mcp_row *prompt, struct str text,
                            struct str *ret, struct error *e)
{
	struct str *values = ARENA_ARRAY(mem, struct str, prompt->argument_count + 1);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	assign_words(mem, prompt, text, values);
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "name", prompt->id);
	JW_KEY(&w, "arguments");
	jw_obj(&w);
	for (size_t i = 0; i < prompt->argument_count; i++) {
		if (str_is(values[i])) {
			jw_key(&w, prompt->arguments[i].name);
			jw_str(&w, values[i]);
		} else if (prompt->arguments[i].is_required) {
			return fail(e, ERR_INVALID, "the argument %.*s is missing: %.*s",
			            STR_ARG(prompt->arguments[i].name),
			            STR_ARG(mcp_rows_hint(mem, prompt)));
		}
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	*ret = arena_keep(mem, buf_str(&out));
	return OK;
}

/* Words of an assistant are marked, so that the model does not take them for the person's. */
void mcp_rows_prompt_text(struct buf *out, struct json messages)
{
	struct json_iter it = json_iter(messages);
	struct json v;
	struct str key;

	while (json_type(messages) == JSON_ARR && json_next(&it, &key, &v)) {
		CLEANUP(buf_done) struct buf text = { 0 };

		mcp_message_part_text(&text, JSON_GET(v, "content"));
		if (!text.len)
			continue;
		if (out->len)
			buf_add_c(out, "\n\n");
		if (str_eq(json_str(JSON_GET(v, "role")), STR("assistant")))
			buf_add_c(out, "[an earlier answer of the assistant]\n");
		buf_add_str(out, buf_str(&text));
	}
}
