/*
 * Hooks of a repository: a stranger's programs, asleep until the user trusts
 * the text that names them.  The hash is kept in the store's own table, by the
 * file's path; another text at the same place is another question.
 */
#include "base/log.h"
#include "base/sha256.h"
#include "hooks/hooks_int.h"

static struct str trust_key(struct arena *mem, const struct hook_set *s)
{
	return arena_printf(mem, "hooks:trust:%.*s", STR_ARG(s->o.project_path));
}

static bool is_trusted(const struct hook_set *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->o.store;
	struct str hash;

	return st && st->ops->get_meta(st, mem, trust_key(mem, s), &hash, NULL) == OK &&
	       str_eq(hash, s->project_hash);
}

static enum err read_points(struct hook_set *s, struct json *ret, struct error *e)
{
	struct json doc;
	enum err code = json_read_config(s->mem, arena_keep(s->mem, s->o.project), &doc, e);

	if (!code && json_type(JSON_GET(doc, "hooks")) != JSON_OBJ)
		code = fail(e, ERR_INVALID, "{\"hooks\": {...}} is wanted");
	if (!code)
		*ret = JSON_GET(doc, "hooks");
	return code;
}

/* A stranger's file that is wrong is as if it were not there; it stops nothing. */
void hooks_add_project(struct hook_set *s)
{
	struct sha256 hash;
	struct json points;
	struct error e;

	if (!str_is(s->o.project))
		return;
	hash = sha256_of(s->o.project);
	s->project_hash = sha256_hex(s->mem, &hash);
	if (read_points(s, &points, &e) != OK ||
	    hooks_take(s, points, STR("project"),
	               is_trusted(s) ? STR("hash_recorded") : STR("untrusted"), &e) != OK) {
		log_line(LOG_WARN, "hooks", "%.*s: %s", STR_ARG(s->o.project_path), e.message);
		s->project_hash = STR_NONE;
	}
}

bool hooks_project_of(struct hooks *port, struct str *ret_path, struct str *ret_hash)
{
	const struct hook_set *s = OWNER_OF(port, struct hook_set, port);

	if (!str_is(s->project_hash))
		return false;
	*ret_path = s->o.project_path;
	*ret_hash = s->project_hash;
	return true;
}

enum err hooks_project_trust(struct hooks *port, struct error *e)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->o.store;
	enum err code;

	if (!str_is(s->project_hash) || !st)
		return fail(e, ERR_NOT_FOUND, "the project has no hooks");
	code = st->ops->set_meta(st, trust_key(mem, s), s->project_hash, e);
	for (size_t i = s->own_count; !code && i < s->count; i++)
		s->rows[i].info.trust = STR("hash_recorded");
	hooks_tell(s);
	return code;
}
