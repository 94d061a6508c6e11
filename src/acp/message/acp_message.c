/*
 * Reads and writes messages of the Agent Client Protocol.  Editors are not trusted: every member
 * that is used is checked for its type, and what a prompt contains is passed on part by part.
 */
#include "acp/message/acp_message.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/path/path.h"
#include "base/utf8.h"
#include "net/jsonrpc.h"

#define TITLE_MAX 80
#define VERSION_MAX 65535

/* ---- requests of the editor ---- */

static enum err need_object(struct json params, struct error *e)
{
	return json_type(params) == JSON_OBJ ? OK
	                                     : fail(e, ERR_INVALID, "The params are not an object");
}

static bool has_object(struct json v, const char *name)
{
	return json_type(json_get(v, str_from(name))) == JSON_OBJ;
}

static void read_abilities(struct json client, struct acp_client *ret)
{
	struct json session = JSON_GET(client, "session");
	struct json elicitation = JSON_GET(client, "elicitation");

	ret->has_notices = has_object(session, "notices");
	ret->has_compaction = has_object(session, "compaction");
	ret->has_forms = has_object(elicitation, "form");
	ret->has_urls = has_object(elicitation, "url");
	ret->reads_files = json_bool(JSON_GET(JSON_GET(client, "fs"), "readTextFile"), false);
	ret->has_terminal_auth = json_bool(JSON_GET(JSON_GET(client, "auth"), "terminal"), false);
}

enum err acp_message_read_initialize(struct json params, struct acp_client *ret, struct error *e)
{
	struct json info = JSON_GET(params, "clientInfo");
	int64_t version = json_int(JSON_GET(params, "protocolVersion"), -1);
	enum err code = need_object(params, e);

	if (code)
		return code;
	if (version < 0 || version > VERSION_MAX)
		return fail(e, ERR_INVALID, "protocolVersion is not a number from 0 to %d",
		            VERSION_MAX);
	*ret = (struct acp_client){
		.name = json_str(JSON_GET(info, "name")),
		.version = json_str(JSON_GET(info, "version")),
	};
	read_abilities(JSON_GET(params, "clientCapabilities"), ret);
	return OK;
}

enum err acp_message_read_session_id(struct json params, struct str *ret, struct error *e)
{
	struct str id = json_str(JSON_GET(params, "sessionId"));

	if (!id.len || id.len > LIMIT_ID_BYTES)
		return fail(e, ERR_INVALID, "sessionId is missing, too long or not a string");
	*ret = id;
	return OK;
}

/* The protocol requires absolute directories; one with "." or ".." would be ambiguous. */
static enum err read_cwd(struct json params, struct str *ret, struct error *e)
{
	struct str cwd = json_str(JSON_GET(params, "cwd"));

	while (cwd.len > 1 && cwd.ptr[cwd.len - 1] == '/')
		cwd.len--;
	if (!str_eq(cwd, STR("/")) && !path_is_clean(cwd))
		return fail(e, ERR_INVALID, "cwd is not an absolute path");
	*ret = cwd;
	return OK;
}

static enum err read_servers(struct json params, bool is_required, struct json *ret,
                             struct error *e)
{
	struct json servers = JSON_GET(params, "mcpServers");

	if (json_type(servers) != JSON_ARR && (is_required || json_is(servers)))
		return fail(e, ERR_INVALID, "mcpServers is not a list");
	*ret = servers;
	return OK;
}

enum err acp_message_read_place(struct json params, bool names_session, struct acp_place *ret,
                                struct error *e)
{
	struct acp_place place = { 0 };
	enum err code = need_object(params, e);

	if (!code && names_session)
		code = acp_message_read_session_id(params, &place.session_id, e);
	if (!code)
		code = read_cwd(params, &place.cwd, e);
	if (!code)
		code = read_servers(params, !names_session, &place.servers, e);
	if (!code && json_count(JSON_GET(params, "additionalDirectories")))
		code = fail(e, ERR_INVALID, "additionalDirectories is not supported");
	if (!code)
		*ret = place;
	return code;
}

static bool is_text_or_absent(struct json v)
{
	return !json_is(v) || json_type(v) == JSON_NULL || json_type(v) == JSON_STR;
}

enum err acp_message_read_list(struct json params, struct str *ret_cwd, struct str *ret_cursor,
                               struct error *e)
{
	struct json cwd = JSON_GET(params, "cwd"), cursor = JSON_GET(params, "cursor");
	enum err code = OK;

	if (json_is(params))
		code = need_object(params, e);
	if (!code && (!is_text_or_absent(cwd) || !is_text_or_absent(cursor)))
		code = fail(e, ERR_INVALID, "cwd and cursor are strings");
	if (!code && str_is(json_str(cwd)))
		code = read_cwd(params, ret_cwd, e);
	if (!code)
		*ret_cursor = json_str(cursor);
	return code;
}

/* ---- prompts ---- */

static enum err need_text(struct json block, const char *name, struct str *ret, struct error *e)
{
	*ret = json_str(json_get(block, str_from(name)));
	return str_is(*ret) ? OK
	                    : fail(e, ERR_INVALID,
	                           "A part of the prompt has no %s, or it is not a string", name);
}

static void write_text(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

static enum err add_text(struct json_writer *w, struct json block, struct error *e)
{
	struct str text;
	enum err code = need_text(block, "text", &text, e);

	if (!code)
		write_text(w, text);
	return code;
}

static enum err add_image(struct json_writer *w, struct json block, struct error *e)
{
	struct str data, type;
	enum err code = need_text(block, "data", &data, e);

	if (!code)
		code = need_text(block, "mimeType", &type, e);
	if (code)
		return code;
	jw_obj(w);
	JW_KSTR(w, "type", STR("image"));
	JW_KSTR(w, "mediaType", type);
	JW_KSTR(w, "data", data);
	jw_obj_end(w);
	return OK;
}

static enum err add_link(struct json_writer *w, struct json block, struct error *e)
{
	struct str uri;
	enum err code = need_text(block, "uri", &uri, e);

	if (code)
		return code;
	jw_obj(w);
	JW_KSTR(w, "type", STR("resource_link"));
	JW_KSTR(w, "uri", uri);
	jw_obj_end(w);
	return OK;
}

/* Bytes that are no text are refused by the runtime. */
static enum err add_resource(struct json_writer *w, struct json block, struct error *e)
{
	struct json resource = JSON_GET(block, "resource");
	const char *key = json_is(JSON_GET(resource, "blob")) ? "blob" : "text";
	struct str uri, text;
	enum err code = need_text(resource, "uri", &uri, e);

	if (!code)
		code = need_text(resource, key, &text, e);
	if (code)
		return code;
	jw_obj(w);
	JW_KSTR(w, "type", STR("resource"));
	JW_KSTR(w, "uri", uri);
	JW_KOPT(w, "mimeType", json_str(JSON_GET(resource, "mimeType")));
	jw_kstr(w, str_from(key), text);
	jw_obj_end(w);
	return OK;
}

static enum err add_block(struct json_writer *w, struct json block, struct error *e)
{
	static const struct {
		const char *type;
		enum err (*add)(struct json_writer *w, struct json block, struct error *e);
	} kinds[] = {
		{ "text", add_text },
		{ "image", add_image },
		{ "resource_link", add_link },
		{ "resource", add_resource },
	};
	struct str type = json_str(JSON_GET(block, "type"));

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_eq(type, str_from(kinds[i].type)))
			return kinds[i].add(w, block, e);
	if (str_eq(type, STR("audio")))
		return fail(e, ERR_INVALID,
		            "A prompt cannot contain audio; initialize has not offered it");
	return fail(e, ERR_INVALID, "A prompt cannot contain parts of type %.*s",
	            STR_ARG(str_head(type, 32)));
}

/* The first line of the first text, for lists of sessions. */
static struct str title_of(struct arena *mem, struct json prompt)
{
	struct json_iter it = json_iter(prompt);
	struct json block;
	struct str key;

	while (json_next(&it, &key, &block)) {
		struct str text = json_str(JSON_GET(block, "text"));
		struct str line = str_is(text) ? str_trim(text) : STR_NONE;

		line = str_trim(str_cut(&line, '\n'));
		if (line.len)
			return utf8_preview(mem, line, TITLE_MAX);
	}
	return STR_NONE;
}

enum err acp_message_read_prompt(struct arena *mem, struct json params, struct str first,
                                 struct buf *input, struct str *ret_title, struct error *e)
{
	struct json prompt = JSON_GET(params, "prompt"), block;
	struct json_iter it = json_iter(prompt);
	struct json_writer w;
	struct str key;

	if (json_type(prompt) != JSON_ARR || !json_count(prompt))
		return fail(e, ERR_INVALID, "prompt is not a list with at least one part");
	jw_init(&w, input);
	jw_arr(&w);
	if (str_is(first)) {
		write_text(&w, first);
		json_next(&it, &key, &block);
	}
	while (json_next(&it, &key, &block)) {
		enum err code = add_block(&w, block, e);

		if (code)
			return code;
	}
	jw_arr_end(&w);
	*ret_title = title_of(mem, prompt);
	return OK;
}

/* ---- results ---- */

static void write_info(struct json_writer *w, struct str version)
{
	JW_KEY(w, "agentInfo");
	jw_obj(w);
	JW_KSTR(w, "name", STR("thole"));
	JW_KSTR(w, "title", STR("Thole"));
	JW_KSTR(w, "version", version);
	jw_obj_end(w);
}

static void write_empty(struct json_writer *w, const char *key)
{
	jw_key(w, str_from(key));
	jw_obj(w);
	jw_obj_end(w);
}

static void write_capabilities(struct json_writer *w)
{
	JW_KEY(w, "agentCapabilities");
	jw_obj(w);
	JW_KBOOL(w, "loadSession", true);
	JW_KEY(w, "promptCapabilities");
	jw_obj(w);
	JW_KBOOL(w, "image", true);
	JW_KBOOL(w, "audio", false);
	JW_KBOOL(w, "embeddedContext", true);
	jw_obj_end(w);
	JW_KEY(w, "mcpCapabilities");
	jw_obj(w);
	JW_KBOOL(w, "http", true);
	JW_KBOOL(w, "sse", false);
	jw_obj_end(w);
	JW_KEY(w, "sessionCapabilities");
	jw_obj(w);
	write_empty(w, "list");
	write_empty(w, "delete");
	write_empty(w, "resume");
	write_empty(w, "close");
	jw_obj_end(w);
	JW_KEY(w, "auth");
	jw_obj(w);
	write_empty(w, "logout");
	jw_obj_end(w);
	jw_obj_end(w);
}

/* A terminal method is the same program with --setup, in a terminal of the editor. */
static void write_auth_methods(struct json_writer *w, const struct acp_client *client)
{
	JW_KEY(w, "authMethods");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "id", STR(ACP_AUTH_KEYS));
	JW_KSTR(w, "name", STR("Keys of Thole"));
	JW_KSTR(w, "description",
	        STR("Use the keys that Thole has from `thole setup` or from its environment."));
	jw_obj_end(w);
	if (client->has_terminal_auth) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("terminal"));
		JW_KSTR(w, "id", STR(ACP_AUTH_SETUP));
		JW_KSTR(w, "name", STR("Set up Thole"));
		JW_KSTR(w, "description", STR("Choose a provider, a key and a model."));
		JW_KEY(w, "args");
		jw_arr(w);
		jw_str(w, STR("--setup"));
		jw_arr_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

void acp_message_write_initialized(struct buf *out, const struct acp_client *client,
                                   struct str version)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "protocolVersion", ACP_VERSION);
	write_capabilities(&w);
	write_auth_methods(&w, client);
	write_info(&w, version);
	jw_obj_end(&w);
}

void acp_message_write_stopped(struct buf *out, struct str reason)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "stopReason", reason);
	jw_obj_end(&w);
}

/* A session without a directory cannot be opened in an editor, which needs one. */
static bool write_session(struct json_writer *w, struct json row, struct str only_cwd)
{
	struct str cwd = json_str(JSON_GET(row, "cwd"));

	if (!cwd.len || (str_is(only_cwd) && !str_eq(cwd, only_cwd)))
		return false;
	jw_obj(w);
	JW_KSTR(w, "sessionId", json_str(JSON_GET(row, "sessionId")));
	JW_KSTR(w, "cwd", cwd);
	JW_KOPT(w, "title", json_str(JSON_GET(row, "title")));
	JW_KOPT(w, "updatedAt", json_str(JSON_GET(row, "updatedAt")));
	jw_obj_end(w);
	return true;
}

size_t acp_message_write_sessions(struct json_writer *w, struct json page, struct str cwd)
{
	struct json_iter it = json_iter(JSON_GET(page, "sessions"));
	size_t count = 0;
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		count += write_session(w, row, cwd);
	return count;
}

/* ---- errors ---- */

int64_t acp_message_code_of(struct json problem)
{
	struct str code = json_str(JSON_GET(problem, "code"));
	int64_t status = json_int(JSON_GET(problem, "status"), 0);

	if (str_eq(code, STR("session_not_found")) || str_eq(code, STR("session_deleted")))
		return ACP_NOT_FOUND;
	if (status == 400 || status == 413 || status == 422 || str_eq(code, STR("expired_cursor")))
		return JSONRPC_INVALID_PARAMS;
	return status == 409 ? JSONRPC_INVALID_REQUEST : JSONRPC_INTERNAL_ERROR;
}

struct str acp_message_text_of(struct json problem)
{
	struct str detail = json_str(JSON_GET(problem, "detail"));
	struct str title = json_str(JSON_GET(problem, "title"));

	return detail.len ? detail : title.len ? title : STR("The runtime refused the request.");
}

/* ---- questions to the user ---- */

static void write_option(struct json_writer *w, const struct acp_option *o)
{
	jw_obj(w);
	JW_KSTR(w, "optionId", str_from(o->id));
	JW_KSTR(w, "name", str_from(o->name));
	JW_KSTR(w, "kind", str_from(o->kind));
	jw_obj_end(w);
}

void acp_message_write_permission(struct buf *out, const struct acp_permission *p)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", p->session_id);
	JW_KEY(&w, "toolCall");
	jw_obj(&w);
	JW_KSTR(&w, "toolCallId", p->call_id);
	JW_KSTR(&w, "status", STR(ACP_CALL_PENDING));
	JW_KSTR(&w, "title", p->title);
	jw_obj_end(&w);
	JW_KEY(&w, "options");
	jw_arr(&w);
	for (size_t i = 0; i < p->option_count; i++)
		write_option(&w, &p->options[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
}

struct str acp_message_read_selected(struct json result)
{
	struct json outcome = JSON_GET(result, "outcome");

	if (!str_eq(json_str(JSON_GET(outcome, "outcome")), STR("selected")))
		return STR_NONE;
	return json_str(JSON_GET(outcome, "optionId"));
}

void acp_message_write_complete(struct buf *out, struct str id)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "elicitationId", id);
	jw_obj_end(&w);
}

void acp_message_write_cancel(struct buf *out, int64_t request_id)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "requestId", request_id);
	jw_obj_end(&w);
}
