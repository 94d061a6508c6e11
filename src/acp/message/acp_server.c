/*
 * Reads the tool servers that an editor names.  An editor is not trusted: every member that is used is checked for
 * its type, and members that the schema does not have are left out.
 */
#include "acp/message/acp_server.h"

#include "base/gen/limits.h"
#include "base/jw.h"

#define NAME_MAX_BYTES 32

static enum err wrong(struct error *e, struct str name, const char *what)
{
	return fail(e, ERR_INVALID, "mcpServers: %.*s: %s", STR_ARG(str_head(name, 64)), what);
}

/* ---- names ---- */

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-';
}

/* Letters, digits and single dashes; every other character becomes a dash. */
static struct str plain_name(struct arena *mem, struct str name)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < name.len && out.len < NAME_MAX_BYTES; i++) {
		bool is_kept = is_plain(name.ptr[i]) ||
		               (name.ptr[i] == '_' && out.len && out.ptr[out.len - 1] != '_');

		if (is_kept)
			buf_add_char(&out, name.ptr[i]);
		else if (out.len && out.ptr[out.len - 1] != '-')
			buf_add_char(&out, '-');
	}
	while (out.len && (out.ptr[out.len - 1] == '-' || out.ptr[out.len - 1] == '_'))
		out.len--;
	return out.len ? arena_keep(mem, buf_str(&out)) : STR("server");
}

static bool is_taken(const struct str *names, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(names[i], name))
			return true;
	return false;
}

static struct str own_name(struct arena *mem, const struct str *names, size_t count,
                           struct str wanted)
{
	struct str plain = plain_name(mem, wanted), name = plain;

	for (unsigned i = 2; is_taken(names, count, name); i++)
		name = arena_printf(mem, "%.*s-%u", STR_ARG(str_head(plain, NAME_MAX_BYTES - 4)),
		                    i);
	return name;
}

/* ---- members ---- */

static enum err add_words(struct json_writer *w, struct json list, struct str name, struct error *e)
{
	struct json_iter it = json_iter(list);
	struct json each;
	struct str key;

	if (json_type(list) != JSON_ARR)
		return wrong(e, name, "args is not a list");
	JW_KEY(w, "args");
	jw_arr(w);
	while (json_next(&it, &key, &each)) {
		if (!str_is(json_str(each)))
			return wrong(e, name, "args has something that is not a string");
		jw_str(w, json_str(each));
	}
	jw_arr_end(w);
	return OK;
}

/* A list of {name, value} as an object; of one name the last value counts. */
static enum err add_pairs(struct json_writer *w, const char *member, struct json list,
                          struct str name, struct error *e)
{
	size_t count = json_count(list);

	if (json_type(list) != JSON_ARR)
		return wrong(e, name, "env and headers are lists");
	jw_key(w, str_from(member));
	jw_obj(w);
	for (size_t i = 0; i < count; i++) {
		struct json pair = json_at(list, i);
		struct str key = json_str(JSON_GET(pair, "name"));
		bool is_again = false;

		if (!key.len || !str_is(json_str(JSON_GET(pair, "value"))))
			return wrong(e, name, "env and headers have names and values");
		for (size_t n = i + 1; n < count && !is_again; n++)
			is_again = str_eq(json_str(JSON_GET(json_at(list, n), "name")), key);
		if (!is_again)
			jw_kstr(w, key, json_str(JSON_GET(pair, "value")));
	}
	jw_obj_end(w);
	return OK;
}

static enum err add_program(struct json_writer *w, struct json v, struct str name, struct error *e)
{
	struct str command = json_str(JSON_GET(v, "command"));
	enum err code;

	if (!command.len)
		return wrong(e, name, "command is missing");
	JW_KSTR(w, "command", command);
	code = add_words(w, JSON_GET(v, "args"), name, e);
	return code ? code : add_pairs(w, "env", JSON_GET(v, "env"), name, e);
}

static enum err add_address(struct json_writer *w, struct json v, struct str name, struct error *e)
{
	struct str url = json_str(JSON_GET(v, "url"));

	if (!url.len)
		return wrong(e, name, "url is missing");
	JW_KSTR(w, "type", json_str(JSON_GET(v, "type")));
	JW_KSTR(w, "url", url);
	return add_pairs(w, "headers", JSON_GET(v, "headers"), name, e);
}

static enum err add_server(struct json_writer *w, struct json v, struct str name, struct error *e)
{
	struct str type = json_str(JSON_GET(v, "type"));
	bool has_address = str_eq(type, STR("http")) || str_eq(type, STR("sse"));
	enum err code;

	if (json_is(JSON_GET(v, "type")) && !has_address && !str_eq(type, STR("stdio")))
		return wrong(e, name, "type is not http, sse or stdio");
	jw_obj(w);
	code = has_address ? add_address(w, v, name, e) : add_program(w, v, name, e);
	if (!code)
		jw_obj_end(w);
	return code;
}

enum err acp_server_write(struct buf *out, struct arena *mem, struct json servers,
                          size_t *ret_count, struct error *e)
{
	size_t count = json_type(servers) == JSON_ARR ? json_count(servers) : 0;
	struct str *names = ARENA_ARRAY(mem, struct str, count + 1);
	struct json_writer w;
	enum err code = OK;

	if (count > LIMIT_SESSION_TOOL_SERVERS)
		return fail(e, ERR_INVALID, "mcpServers has more than %d servers",
		            LIMIT_SESSION_TOOL_SERVERS);
	jw_init(&w, out);
	jw_obj(&w);
	for (size_t i = 0; i < count && !code; i++) {
		struct json v = json_at(servers, i);
		struct str name = json_str(JSON_GET(v, "name"));

		if (!str_is(name))
			return fail(e, ERR_INVALID, "mcpServers: a server has no name");
		names[i] = own_name(mem, names, i, name);
		jw_key(&w, names[i]);
		code = add_server(&w, v, name, e);
	}
	if (code)
		return code;
	jw_obj_end(&w);
	*ret_count = count;
	return OK;
}
