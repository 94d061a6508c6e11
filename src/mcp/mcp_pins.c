/*
 * Trust and pins in the store's meta table: the hash of a trusted project file, and the hash of
 * each tool's definition at first sight.
 *
 * A server can change the description of a tool after a user has approved it, and thereby what
 * the model does with it.  A changed definition is marked, and only a grant for that definition
 * covers it.
 */
#include "base/os/log.h"
#include "base/jw.h"
#include "mcp/mcp_int.h"
#include "ports/store_own.h"

static struct str pins_key(struct arena *mem, const struct mcp_server *s)
{
	/* the same name in another project is another server */
	return arena_printf(mem, "mcp:pin:%.*s:%.*s",
	                    STR_ARG(s->c.is_project ? s->set->o.project_path : STR("")),
	                    STR_ARG(s->c.name));
}

/* A changed tool keeps its old pin until the user trusts it, so a restart does not accept it. */
static void write_pins(struct mcp_server *s, struct arena *mem, struct json known)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct store *st = s->set->o.store;
	struct json_iter it = json_iter(known);
	struct json_writer w;
	struct json v;
	struct str key;
	struct error e;

	jw_init(&w, &out);
	jw_obj(&w);
	for (size_t i = 0; i < s->offer_count; i++)
		jw_kstr(&w, s->offers[i].tool.name,
		        s->offers[i].is_changed ? json_str(json_get(known, s->offers[i].tool.name))
		                                : sha256_hex(mem, &s->offers[i].tool.hash));
	/* Pins of tools that are not offered now are kept, within limits. */
	for (size_t left = LIMIT_MCP_TOOLS; left && json_next(&it, &key, &v); left--) {
		bool is_offered = false;

		for (size_t i = 0; i < s->offer_count && !is_offered; i++)
			is_offered = str_eq(s->offers[i].tool.name, key);
		if (!is_offered)
			jw_kstr(&w, key, json_str(v));
	}
	jw_obj_end(&w);
	if (port_store_set_own(st, pins_key(mem, s), buf_str(&out), &e) != OK)
		log_line(LOG_WARN, "mcp", "%.*s: its tools cannot be pinned: %s",
		         STR_ARG(s->c.name), e.message);
}

/* False: there may be pins, but they cannot be read. */
static bool read_pins(struct mcp_server *s, struct arena *mem, struct json *ret)
{
	struct store *st = s->set->o.store;
	struct str text;
	struct error e;
	enum err code = port_store_get_own(st, mem, pins_key(mem, s), &text, &e);

	*ret = (struct json){ 0 };
	if (code == ERR_NOT_FOUND)
		return true;
	if (code == OK && json_read(mem, text, ret, &e) == OK)
		return true;
	log_line(LOG_WARN, "mcp", "%.*s: the record of its tools cannot be read: %s",
	         STR_ARG(s->c.name), e.message);
	return false;
}

/* Without a readable record every tool counts as changed: none is accepted unseen. */
void mcp_pins_compare(struct mcp_server *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json known;
	bool is_read = read_pins(s, mem, &known), has_new = false;

	for (size_t i = 0; i < s->offer_count; i++) {
		struct mcp_offer *o = &s->offers[i];
		struct str pinned = json_str(json_get(known, o->tool.name));

		o->is_changed = !is_read ||
		                (str_is(pinned) && !str_eq(pinned, sha256_hex(mem, &o->tool.hash)));
		has_new |= !str_is(pinned);
	}
	if (is_read && has_new)
		write_pins(s, mem, known);
}

void mcp_pins_renew(struct mcp_server *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	struct json known;

	/* A record that cannot be read is replaced: a person has just decided about the tools. */
	(void)!read_pins(s, mem, &known);
	for (size_t i = 0; i < s->offer_count; i++)
		s->offers[i].is_changed = false;
	write_pins(s, mem, known);
}

static struct str program_key(struct arena *mem, const struct mcp_server *s)
{
	return arena_printf(mem, "mcp:program:%.*s:%.*s",
	                    STR_ARG(s->c.is_project ? s->set->o.project_path : STR("")),
	                    STR_ARG(s->c.name));
}

/* Only for programs with more rights than the agent.  The first content that is seen is trusted. */
enum err mcp_pins_check_program(struct mcp_server *s, struct str hash, struct str file,
                                struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->set->o.store;
	struct str known;
	enum err code = port_store_get_own(st, mem, program_key(mem, s), &known, e);

	if (code == ERR_NOT_FOUND)
		return port_store_set_own(st, program_key(mem, s), hash, e);
	if (code != OK)
		return code;
	if (str_eq(known, hash))
		return OK;
	return fail(
		e, ERR_INVALID,
		"%.*s is not what it was when it was recorded, so the server is not started. If "
		"you changed it, run: thole mcp trust %.*s",
		STR_ARG(str_head(file, 200)), STR_ARG(s->c.name));
}

enum err mcp_pins_trust_program(struct mcp_server *s, struct str hash, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->set->o.store;

	return port_store_set_own(st, program_key(mem, s), hash, e);
}

static struct str trust_key(struct arena *mem, const struct mcp_set *s)
{
	return arena_printf(mem, "mcp:trust:%.*s", STR_ARG(s->o.project_path));
}

/* Trust belongs to the exact text of .mcp.json; every edit needs it again. */
bool mcp_pins_project_is_trusted(struct mcp_set *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->o.store;
	struct str hash;

	return port_store_get_own(st, mem, trust_key(mem, s), &hash, NULL) == OK &&
	       str_eq(hash, s->project_hash);
}

enum err mcp_pins_project_trust(struct mcp_set *s, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->o.store;

	return port_store_set_own(st, trust_key(mem, s), s->project_hash, e);
}
