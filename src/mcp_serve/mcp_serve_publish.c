/* Reads mcp.publish, and finds and lists what it offers. */
#include "mcp_serve/mcp_serve_publish.h"

#include "mcp_serve/mcp_serve_tool.h"

#define NAME_MAX_BYTES 128 /* of a tool, as the protocol recommends */

/* ---- the setting ---- */

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '-' && c != '_' && c != '.')
			return false;
	}
	return name.len && name.len <= NAME_MAX_BYTES;
}

static enum err read_name(struct arena *mem, const char *what, struct json v, struct str *ret,
                          struct error *e)
{
	if (!str_is(json_str(v)) || !is_name(json_str(v)))
		return fail(e, ERR_INVALID,
		            "mcp.publish: %s: a name of letters, digits, _, - and . is missing",
		            what);
	*ret = arena_keep(mem, json_str(v));
	return OK;
}

static enum err read_server(struct arena *mem, struct json row, struct mcp_serve_published *ret,
                            struct error *e)
{
	return read_name(mem, "servers", row, &ret->server, e);
}

/* A name, or {tool, as}. */
static enum err read_tool(struct arena *mem, struct json row, struct mcp_serve_published *ret,
                          struct error *e)
{
	enum err code;

	if (json_type(row) != JSON_OBJ)
		return read_name(mem, "tools", row, &ret->tool, e);
	if (json_count(row) != 2 || !json_is(JSON_GET(row, "tool")) ||
	    !json_is(JSON_GET(row, "as")))
		return fail(e, ERR_INVALID,
		            "mcp.publish: tools: an entry is a name, or an object with tool and "
		            "as");
	code = read_name(mem, "tools: tool", JSON_GET(row, "tool"), &ret->tool, e);
	return code ? code : read_name(mem, "tools: as", JSON_GET(row, "as"), &ret->as, e);
}

static struct str name_of(const struct mcp_serve_published *p)
{
	return str_is(p->as) ? p->as : p->tool;
}

static bool is_repeated(const struct mcp_serve_published *items, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_is(items[at].server)
		            ? str_is(items[i].server) && str_eq(items[i].server, items[at].server)
		            : str_is(items[i].tool) &&
		                      str_eq(name_of(&items[i]), name_of(&items[at])))
			return true;
	return false;
}

static enum err check_name(const struct mcp_serve_published *items, size_t at, struct error *e)
{
	if (is_repeated(items, at))
		return fail(
			e, ERR_INVALID, "mcp.publish: %.*s is there twice",
			STR_ARG(str_is(items[at].server) ? items[at].server : name_of(&items[at])));
	if (str_is(items[at].tool) && mcp_serve_tool_is_own(name_of(&items[at])))
		return fail(
			e, ERR_INVALID,
			"mcp.publish: %.*s is the name of a tool of this server; give another with "
			"as",
			STR_ARG(name_of(&items[at])));
	return OK;
}

/* Adds the entries of one list. */
static enum err read_list(struct arena *mem, struct json rows,
                          enum err (*read)(struct arena *mem, struct json row,
                                           struct mcp_serve_published *ret, struct error *e),
                          struct mcp_serve_published *items, size_t *count, struct error *e)
{
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key;
	enum err code = OK;

	if (!json_is(rows))
		return OK;
	if (json_type(rows) != JSON_ARR || json_count(rows) > MCP_SERVE_PUBLISH_MAX)
		return fail(e, ERR_INVALID,
		            "mcp.publish: tools and servers are lists of at most %d entries",
		            MCP_SERVE_PUBLISH_MAX);
	while (!code && json_next(&it, &key, &row)) {
		items[*count] = (struct mcp_serve_published){ 0 };
		code = read(mem, row, &items[*count], e);
		if (!code)
			code = check_name(items, (*count)++, e);
	}
	return code;
}

static enum err check_members(struct json setting, struct error *e)
{
	struct json_iter it = json_iter(setting);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (!str_eq(key, STR("tools")) && !str_eq(key, STR("servers")))
			return fail(
				e, ERR_INVALID,
				"mcp.publish: there is no member %.*s; it has tools and servers",
				STR_ARG(str_head(key, 64)));
	return OK;
}

enum err mcp_serve_publish_read(struct arena *mem, struct json setting,
                                struct mcp_serve_publish *ret, struct error *e)
{
	struct mcp_serve_published *items =
		ARENA_ARRAY(mem, struct mcp_serve_published, 2 * MCP_SERVE_PUBLISH_MAX + 1);
	size_t count = 0;
	enum err code = check_members(setting, e);

	if (!code)
		code = read_list(mem, JSON_GET(setting, "tools"), read_tool, items, &count, e);
	if (!code)
		code = read_list(mem, JSON_GET(setting, "servers"), read_server, items, &count, e);
	*ret = (struct mcp_serve_publish){ .items = items, .count = code ? 0 : count };
	return code;
}

/* ---- the tools ---- */

void mcp_serve_publish_names(const struct mcp_serve_publish *p, struct json_writer *w)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	JW_KEY(w, "names");
	jw_arr(w);
	for (size_t i = 0; i < p->count; i++)
		jw_str(w, str_is(p->items[i].tool)
		                  ? p->items[i].tool
		                  : arena_printf(mem, "mcp__%.*s__*", STR_ARG(p->items[i].server)));
	jw_arr_end(w);
}

/* Is the tool one of the server?  Its name alone would not tell: servers are named freely. */
static bool is_of(struct json tool, struct str server)
{
	struct str owner = json_str(JSON_GET(tool, "runtimeOwner"));

	return str_is(owner) && str_starts(owner, STR("mcp:")) &&
	       str_eq(str_skip(owner, 4), server);
}

/* The name under which an entry offers a tool; absent: it does not. */
static struct str offered_name(const struct mcp_serve_published *p, struct json tool)
{
	struct str name = json_str(JSON_GET(tool, "toolName"));
	struct str native = json_str(JSON_GET(tool, "nativeName"));

	if (str_is(p->tool))
		return str_eq(p->tool, name) ? name_of(p) : STR_NONE;
	if (!is_of(tool, p->server) || mcp_serve_tool_is_own(native) ||
	    json_bool(JSON_GET(tool, "isAdded"), false))
		return STR_NONE;
	return str_is(native) ? native : name;
}

struct str mcp_serve_publish_find(const struct mcp_serve_publish *p, struct json tools,
                                  struct str name)
{
	for (size_t i = 0; i < p->count; i++) {
		struct json_iter it = json_iter(tools);
		struct json tool;
		struct str key, offered;

		while (json_next(&it, &key, &tool)) {
			offered = offered_name(&p->items[i], tool);
			if (str_is(offered) && str_eq(offered, name))
				return json_str(JSON_GET(tool, "toolName"));
		}
	}
	return STR_NONE;
}

/*
 * Without the annotations that make clients repeat arguments in headers: those are between a client
 * and the tool server, which gets our requests and not the client's.
 */
static void copy_schema(struct json_writer *w, struct json v)
{
	struct json_iter it = json_iter(v);
	bool is_object = json_type(v) == JSON_OBJ;
	struct json member;
	struct str key;

	if (!is_object && json_type(v) != JSON_ARR) {
		jw_value(w, v);
		return;
	}
	(is_object ? jw_obj : jw_arr)(w);
	while (json_next(&it, &key, &member)) {
		if (is_object && str_eq(key, STR("x-mcp-header")) && json_type(member) == JSON_STR)
			continue;
		if (is_object)
			jw_key(w, key);
		copy_schema(w, member);
	}
	(is_object ? jw_obj_end : jw_arr_end)(w);
}

static void write_schema(struct json_writer *w, const char *key, struct json schema)
{
	if (json_type(schema) != JSON_OBJ)
		return;
	jw_key(w, str_from(key));
	jw_value(w, schema);
}

/* Hints of the owner, as far as they are what the protocol knows. */
static void write_hints(struct json_writer *w, struct json tool)
{
	static const char *const hints[] = { "idempotentHint", "openWorldHint" };
	struct json given = JSON_GET(tool, "annotations"), v;

	JW_KEY(w, "annotations");
	jw_obj(w);
	JW_KOPT(w, "title", json_str(JSON_GET(given, "title")));
	v = JSON_GET(given, "readOnlyHint");
	JW_KBOOL(w, "readOnlyHint",
	         json_bool(JSON_GET(tool, "isReadOnly"), false) || json_bool(v, false));
	JW_KBOOL(w, "destructiveHint", json_bool(JSON_GET(tool, "isDestructive"), false));
	for (size_t i = 0; i < COUNT_OF(hints); i++) {
		v = json_get(given, str_from(hints[i]));
		if (json_type(v) == JSON_BOOL)
			jw_kbool(w, str_from(hints[i]), json_bool(v, false));
	}
	jw_obj_end(w);
}

static void write_tool(struct json_writer *w, struct str name, struct json tool, bool is_modern)
{
	jw_obj(w);
	JW_KSTR(w, "name", name);
	JW_KSTR(w, "description", json_str(JSON_GET(tool, "description")));
	JW_KEY(w, "inputSchema");
	if (json_type(JSON_GET(tool, "inputSchema")) == JSON_OBJ)
		copy_schema(w, JSON_GET(tool, "inputSchema"));
	else
		jw_raw(w, STR("{\"type\":\"object\"}"));
	write_schema(w, "outputSchema", JSON_GET(tool, "outputSchema"));
	write_hints(w, tool);
	if (!is_modern) {
		JW_KEY(w, "execution");
		jw_raw(w, STR("{\"taskSupport\":\"optional\"}"));
	}
	jw_obj_end(w);
}

void mcp_serve_publish_list(const struct mcp_serve_publish *p, struct json tools, bool is_modern,
                            struct json_writer *w)
{
	for (size_t i = 0; i < p->count; i++) {
		struct json_iter it = json_iter(tools);
		struct json tool;
		struct str key, name;

		while (json_next(&it, &key, &tool)) {
			name = offered_name(&p->items[i], tool);
			if (str_is(name) && str_eq(mcp_serve_publish_find(p, tools, name),
			                           json_str(JSON_GET(tool, "toolName"))))
				write_tool(w, name, tool, is_modern);
		}
	}
}
