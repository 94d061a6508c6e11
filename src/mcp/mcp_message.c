/*
 * Writes and reads messages of the Model Context Protocol.  Servers are not trusted: names,
 * descriptions and schemas are checked and bounded here.
 *
 * Two generations are spoken: 2025-11-25 and before begin with `initialize`; 2026-07-28 begins
 * with `server/discover` and repeats its metadata in every request.
 */
#include "mcp/mcp_message.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "schema/schema.h"
#include "base/utf8.h"
#include "ports/tool.h"

#define META "io.modelcontextprotocol/"
#define NAME_MAX_BYTES 128
#define FILE_NAME_MAX 255
#define DESCRIPTION_MAX 16384
#define SCHEMA_MAX 65536
#define ANNOTATIONS_MAX 2048

struct str mcp_message_version_text(enum mcp_version v)
{
	return v == MCP_2026_07_28   ? STR("2026-07-28")
	       : v == MCP_2025_11_25 ? STR("2025-11-25")
	                             : STR_NONE;
}

/* All versions before 2026-07-28 are spoken like the last of them. */
enum mcp_version mcp_message_version_read(struct str text)
{
	static const char *const old[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

	if (str_eq(text, STR("2026-07-28")))
		return MCP_2026_07_28;
	for (size_t i = 0; i < COUNT_OF(old); i++)
		if (str_eq(text, str_from(old[i])))
			return MCP_2025_11_25;
	return MCP_VERSION_NONE;
}

/* ---- params ---- */

static void write_info(struct json_writer *w, const struct mcp_client *c)
{
	jw_obj(w);
	JW_KSTR(w, "name", c->name);
	JW_KSTR(w, "version", c->version);
	jw_obj_end(w);
}

#define TASK_TTL_MS ((int64_t)24 * 3600 * 1000) /* how long a server is to keep a task */

/* The client capabilities that we offer. */
static void write_capabilities(struct json_writer *w, enum mcp_version v,
                               const struct mcp_client *c, const struct rec_call_client *only)
{
	jw_obj(w);
	if (only ? only->elicitation : true) {
		JW_KEY(w, "elicitation");
		jw_raw(w, only ? STR("{\"form\":{}}") : STR("{\"form\":{},\"url\":{}}"));
	}
	if (only ? only->roots : str_is(c->root)) {
		JW_KEY(w, "roots");
		jw_raw(w, STR("{}"));
	}
	if ((only ? only->sampling : c->has_sampling) || c->has_models) {
		JW_KEY(w, "sampling");
		jw_raw(w, STR("{}"));
	}
	if (v == MCP_2026_07_28) {
		JW_KEY(w, "extensions");
		jw_raw(w, STR("{\"" META "tasks\":{}}"));
	}
	jw_obj_end(w);
}

/* The caller may want more than the runtime does. */
static struct str log_level_of(const struct mcp_client *c, const struct mcp_call_text *call)
{
	uint32_t own = str_is(c->log_level) ? rec_enum_read(&enum_tool_log_level, c->log_level) : 0;

	if (!call || !call->client || !call->client->log_level ||
	    (own && own < (uint32_t)call->client->log_level))
		return c->log_level;
	return tool_log_level_word(call->client->log_level);
}

/*
 * The newer protocol has no session: every request carries version, client and capabilities.
 * call: NULL is none.
 */
static void write_meta(struct json_writer *w, enum mcp_version v, const struct mcp_client *c,
                       const struct mcp_call_text *call)
{
	if (v != MCP_2026_07_28 && !call)
		return;
	JW_KEY(w, "_meta");
	jw_obj(w);
	if (v == MCP_2026_07_28) {
		JW_KSTR(w, META "protocolVersion", mcp_message_version_text(v));
		JW_KEY(w, META "clientInfo");
		write_info(w, c);
		JW_KEY(w, META "clientCapabilities");
		write_capabilities(w, v, c, call ? call->client : NULL);
		JW_KOPT(w, META "logLevel", log_level_of(c, call));
	}
	if (call) {
		JW_KINT(w, "progressToken", call->token);
		JW_KOPT(w, "traceparent", call->trace.parent);
		JW_KOPT(w, "tracestate", call->trace.state);
	}
	jw_obj_end(w);
}

void mcp_message_write_plain(struct buf *out, enum mcp_version v, const struct mcp_client *c)
{
	mcp_message_write_list(out, v, c, STR_NONE);
}

void mcp_message_write_list(struct buf *out, enum mcp_version v, const struct mcp_client *c,
                            struct str cursor)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	write_meta(&w, v, c, NULL);
	JW_KOPT(&w, "cursor", cursor);
	jw_obj_end(&w);
}

void mcp_message_write_initialize(struct buf *out, const struct mcp_client *c)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "protocolVersion", mcp_message_version_text(MCP_2025_11_25));
	JW_KEY(&w, "capabilities");
	write_capabilities(&w, MCP_2025_11_25, c, NULL);
	JW_KEY(&w, "clientInfo");
	write_info(&w, c);
	jw_obj_end(&w);
}

void mcp_message_write_listen(struct buf *out, const struct mcp_client *c,
                              const struct mcp_listen *l)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	write_meta(&w, MCP_2026_07_28, c, NULL);
	JW_KEY(&w, "notifications");
	jw_obj(&w);
	if (l->tools)
		JW_KBOOL(&w, "toolsListChanged", true);
	if (l->resources)
		JW_KBOOL(&w, "resourcesListChanged", true);
	if (l->prompts)
		JW_KBOOL(&w, "promptsListChanged", true);
	if (l->uri_count) {
		JW_KEY(&w, "resourceSubscriptions");
		jw_arr(&w);
		for (size_t i = 0; i < l->uri_count; i++)
			jw_str(&w, l->uris[i]);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
}

/* The members of an object that this program wrote. */
static void write_members(struct json_writer *w, struct str object)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v, each;
	struct str key;

	if (json_read(mem, object, &v, NULL) != OK)
		return;

	struct json_iter it = json_iter(v);

	while (json_next(&it, &key, &each)) {
		jw_key(w, key);
		jw_raw(w, json_text(mem, each));
	}
}

void mcp_message_write_call(struct buf *out, enum mcp_version v, const struct mcp_client *c,
                            const struct mcp_call_text *call)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	write_meta(&w, v, c, call);
	if (str_is(call->params)) {
		write_members(&w, call->params);
	} else {
		JW_KSTR(&w, "name", call->tool);
		JW_KEY(&w, "arguments");
		jw_raw(&w, call->args.len ? call->args : STR("{}"));
		if (call->wants_task && v == MCP_2025_11_25) {
			JW_KEY(&w, "task");
			jw_obj(&w);
			JW_KINT(&w, "ttl", TASK_TTL_MS);
			jw_obj_end(&w);
		}
	}
	if (str_is(call->responses)) {
		JW_KEY(&w, "inputResponses");
		jw_raw(&w, call->responses);
	}
	JW_KOPT(&w, "requestState", call->state);
	jw_obj_end(&w);
}

void mcp_message_write_one(struct buf *out, struct str key, struct str value)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	jw_key(&w, key);
	jw_str(&w, value);
	jw_obj_end(&w);
}

void mcp_message_write_cancelled(struct buf *out, int64_t id, struct str reason)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "requestId", id);
	JW_KSTR(&w, "reason", reason);
	jw_obj_end(&w);
}

/* Everything else is escaped, so that a blank or # in a directory name does not end the URI. */
static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       memchr("-._~/", c, 5);
}

static void add_uri(struct buf *out, struct str path)
{
	buf_add_c(out, "file://");
	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		if (is_plain(c))
			buf_add_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

void mcp_message_write_roots(struct buf *out, const struct mcp_client *c)
{
	CLEANUP(buf_done) struct buf uri = { 0 };
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "roots");
	jw_arr(&w);
	if (str_is(c->root)) {
		add_uri(&uri, c->root);
		jw_obj(&w);
		JW_KSTR(&w, "uri", buf_str(&uri));
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
}

/* action is accept, decline or cancel; only an accepted answer has content. */
void mcp_message_write_elicited(struct buf *out, struct str action, struct str content)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "action", action);
	if (str_is(content)) {
		JW_KEY(&w, "content");
		jw_raw(&w, content);
	}
	jw_obj_end(&w);
}

/* ---- tools ---- */

/* Compiled here once, so that a call with this schema cannot fail for a reason of the schema. */
static enum err check_schema(struct arena *mem, struct json v, struct mcp_tool *ret,
                             struct error *e)
{
	struct schema *compiled = NULL;
	struct error why;

	if (json_type(v) != JSON_OBJ || !str_eq(json_str(JSON_GET(v, "type")), STR("object")))
		return fail(e, ERR_INVALID, "its inputSchema is not that of an object");
	ret->input_schema = json_text(mem, v);
	if (ret->input_schema.len > SCHEMA_MAX)
		return fail(e, ERR_TOO_LARGE, "its inputSchema is longer than %d bytes",
		            SCHEMA_MAX);
	if (schema_compile_text(NULL, ret->input_schema, NULL, &compiled, &why) != OK)
		return fail(e, ERR_INVALID, "its inputSchema: %s", why.message);
	schema_compile_free(compiled);
	return OK;
}

/* A schema that does not compile is ignored. */
static struct str read_output_schema(struct arena *mem, struct json v)
{
	struct str text = json_type(v) == JSON_OBJ ? json_text(mem, v) : STR_NONE;
	CLEANUP(schema_freep) struct schema *compiled = NULL;
	struct error why;

	if (!str_is(text) || text.len > SCHEMA_MAX ||
	    schema_compile_text(NULL, text, NULL, &compiled, &why) != OK)
		return STR_NONE;
	return text;
}

enum err mcp_message_read_tool(struct arena *mem, struct json v, struct mcp_tool *ret,
                               struct error *e)
{
	struct str description = json_str(JSON_GET(v, "description"));
	struct json hints = JSON_GET(v, "annotations");
	struct str task = json_str(JSON_GET(JSON_GET(v, "execution"), "taskSupport"));

	*ret = (struct mcp_tool){ .name = json_str(JSON_GET(v, "name")) };
	if (!ret->name.len || ret->name.len > NAME_MAX_BYTES)
		return fail(e, ERR_INVALID, "its name is not one of 1 to %d bytes", NAME_MAX_BYTES);
	for (size_t i = 0; i < ret->name.len; i++)
		if ((unsigned char)ret->name.ptr[i] < ' ' || ret->name.ptr[i] == 127)
			return fail(e, ERR_INVALID, "its name holds control characters");
	ret->needs_task = str_eq(task, STR("required"));
	ret->takes_task = ret->needs_task || str_eq(task, STR("optional"));
	ret->name = arena_keep(mem, ret->name);
	ret->description =
		utf8_preview(mem, str_is(description) ? description : STR(""), DESCRIPTION_MAX);
	if (json_is(hints) && json_type(hints) != JSON_OBJ)
		return fail(e, ERR_INVALID, "its annotations are not an object");
	if (json_is(hints))
		ret->annotations = json_text(mem, hints);
	if (ret->annotations.len > ANNOTATIONS_MAX)
		return fail(e, ERR_TOO_LARGE, "its annotations are longer than %d bytes",
		            ANNOTATIONS_MAX);
	ret->is_destructive = json_bool(JSON_GET(hints, "destructiveHint"), false);
	/* The whole definition, in canonical form: a new order of members is no change. */
	ret->hash = sha256_of(json_text_canonical(mem, v));
	ret->output_schema = read_output_schema(mem, JSON_GET(v, "outputSchema"));
	return check_schema(mem, JSON_GET(v, "inputSchema"), ret, e);
}

/* ---- results ---- */

static void add_resource(struct buf *out, struct json r)
{
	struct str text = json_str(JSON_GET(r, "text")), uri = json_str(JSON_GET(r, "uri"));

	if (str_is(text)) {
		buf_add_str(out, text);
		return;
	}
	buf_printf(out, "[resource %.*s]", STR_ARG(str_head(uri, 512)));
}

/* Images and audio are named with their size; their bytes do not go into the text for the model. */
void mcp_message_part_text(struct buf *out, struct json part)
{
	struct str type = json_str(JSON_GET(part, "type"));
	struct str data = json_str(JSON_GET(part, "data"));

	if (str_eq(type, STR("text")))
		buf_add_str(out, json_str(JSON_GET(part, "text")));
	else if (str_eq(type, STR("resource")))
		add_resource(out, JSON_GET(part, "resource"));
	else if (str_eq(type, STR("resource_link")))
		add_resource(out, part);
	else
		buf_printf(out, "[%.*s %.*s, %zu bytes in base64]", STR_ARG(str_head(type, 32)),
		           STR_ARG(str_head(json_str(JSON_GET(part, "mimeType")), 128)), data.len);
}

/* The frame of a PNG: its header with a size, and its end. */
static bool is_png(struct str d)
{
	static const char zero[4] = { 0 };

	return str_starts(d, STR("\x89PNG\r\n\x1a\n")) && d.len >= 45 &&
	       !memcmp(d.ptr + 12, "IHDR", 4) && memcmp(d.ptr + 16, zero, 4) &&
	       memcmp(d.ptr + 20, zero, 4) && !memcmp(d.ptr + d.len - 8, "IEND", 4);
}

static bool is_webp(struct str d)
{
	const unsigned char *p = (const unsigned char *)d.ptr;

	return str_starts(d, STR("RIFF")) && d.len >= 30 && !memcmp(d.ptr + 8, "WEBP", 4) &&
	       (size_t)(p[4] | p[5] << 8 | p[6] << 16) + ((size_t)p[7] << 24) + 8 <= d.len + 1;
}

/*
 * By its first and last bytes: a server may claim anything, and a provider refuses a request with
 * what is no image, with every later request of the conversation.
 */
static struct str image_type(struct str data)
{
	if (is_png(data))
		return STR("image/png");
	if (str_starts(data, STR("\xff\xd8\xff")) && data.len >= 100 &&
	    str_find(data, STR("\xff\xd9")) >= 0)
		return STR("image/jpeg");
	if (str_starts(data, STR("GIF8")) && data.len >= 26 && data.ptr[data.len - 1] == 0x3b)
		return STR("image/gif");
	if (is_webp(data))
		return STR("image/webp");
	return STR_NONE;
}

/* The base64 text of an image, of audio, or of a resource; absent: the part is not binary. */
static struct str part_data(struct json part)
{
	struct str data = json_str(JSON_GET(part, "data"));

	if (!str_is(data))
		data = json_str(JSON_GET(part, "blob"));
	return str_is(data) ? data : json_str(JSON_GET(JSON_GET(part, "resource"), "blob"));
}

static struct str part_member(struct json part, const char *name)
{
	struct str value = json_str(json_get(part, str_from(name)));

	return str_is(value) ? value
	                     : json_str(json_get(JSON_GET(part, "resource"), str_from(name)));
}

/* A media type goes into headers of HTTP: only printable characters. */
static struct str media_type_of(struct json part, struct str bytes)
{
	struct str type = image_type(bytes), claimed = part_member(part, "mimeType");

	if (str_is(type))
		return type;
	if (!str_is(claimed) || !claimed.len || claimed.len > 127)
		return STR("application/octet-stream");
	for (size_t i = 0; i < claimed.len; i++)
		if (claimed.ptr[i] <= ' ' || (unsigned char)claimed.ptr[i] >= 127)
			return STR("application/octet-stream");
	return claimed;
}

/* Who saves a file under its name must not end elsewhere, on no system. */
static bool is_file_name(struct str name)
{
	if (!str_is(name) || !name.len || name.len > FILE_NAME_MAX || str_eq(name, STR(".")) ||
	    str_eq(name, STR("..")))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == '/' || name.ptr[i] == '\\' ||
		    name.ptr[i] == 127)
			return false;
	return true;
}

/* The last part of its address, as the name of a file; absent: it has none that is fit. */
static struct str file_name_of(struct arena *mem, struct json part)
{
	struct str uri = part_member(part, "uri"), name = part_member(part, "name");

	if (!str_is(name) && str_is(uri)) {
		name = uri;
		for (size_t i = 0; i < uri.len; i++)
			if (uri.ptr[i] == '/')
				name = str_skip(uri, i + 1);
	}
	return is_file_name(name) ? arena_keep(mem, name) : STR_NONE;
}

/* An address has neither blanks nor control characters. */
static bool is_web_address(struct str uri)
{
	for (size_t i = 0; i < uri.len; i++)
		if ((unsigned char)uri.ptr[i] <= ' ' || uri.ptr[i] == 127)
			return false;
	return str_starts(uri, STR("https://")) || str_starts(uri, STR("http://"));
}

/* A link that a browser could follow.  The runtime does not. */
static bool read_link(struct arena *mem, struct json part, struct tool_part *ret)
{
	struct str uri = json_str(JSON_GET(part, "uri"));

	if (!str_eq(json_str(JSON_GET(part, "type")), STR("resource_link")) || !str_is(uri) ||
	    uri.len > LIMIT_A2A_URL_BYTES || !is_web_address(uri))
		return false;
	*ret = (struct tool_part){ .media_type = arena_keep(mem, media_type_of(part, STR(""))),
		                   .name = file_name_of(mem, part),
		                   .url = arena_keep(mem, uri) };
	return true;
}

static size_t decoded_max(struct str base64)
{
	size_t pad = str_ends(base64, STR("==")) ? 2 : str_ends(base64, STR("=")) ? 1 : 0;

	return base64.len / 4 * 3 - (base64.len >= 4 ? pad : 0);
}

size_t mcp_message_parts(struct arena *mem, struct json content, struct tool_part **ret)
{
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;
	size_t count = 0, total = 0;

	*ret = ARENA_ARRAY(mem, struct tool_part, LIMIT_RESULT_PARTS);
	while (json_type(content) == JSON_ARR && count < LIMIT_RESULT_PARTS &&
	       json_next(&it, &key, &part)) {
		CLEANUP(buf_done) struct buf bytes = { 0 };
		struct str data = part_data(part);

		if (read_link(mem, part, &(*ret)[count])) {
			count++;
			continue;
		}
		if (!str_is(data) || decoded_max(data) > LIMIT_IMAGE_BYTES - total ||
		    !base64_read(&bytes, data) || !bytes.len)
			continue;
		total += bytes.len;
		(*ret)[count++] = (struct tool_part){
			.media_type = arena_keep(mem, media_type_of(part, buf_str(&bytes))),
			.bytes = arena_keep(mem, buf_str(&bytes)),
			.name = file_name_of(mem, part),
			.is_image = str_is(image_type(buf_str(&bytes))),
		};
	}
	return count;
}

bool mcp_message_binary(struct buf *out, struct json content, struct str *ret_media_type)
{
	struct str data = part_data(json_at(content, 0));

	if (json_type(content) != JSON_ARR || json_count(content) != 1)
		return false;
	if (!str_is(data) || !base64_read(out, data)) {
		buf_clear(out);
		return false;
	}
	*ret_media_type = image_type(buf_str(out));
	return true;
}

void mcp_message_resource_text(struct buf *out, struct json contents)
{
	struct json_iter it = json_iter(contents);
	struct json part;
	struct str key;

	while (json_type(contents) == JSON_ARR && json_next(&it, &key, &part)) {
		if (out->len && out->ptr[out->len - 1] != '\n')
			buf_add_char(out, '\n');
		add_resource(out, part);
	}
}

void mcp_message_content_text(struct buf *out, struct json content)
{
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;

	while (json_type(content) == JSON_ARR && json_next(&it, &key, &part)) {
		if (out->len && out->ptr[out->len - 1] != '\n')
			buf_add_char(out, '\n');
		mcp_message_part_text(out, part);
	}
}
