/*
 * Hooks of repositories: untrusted programs, inactive until the user trusts the
 * text that declares them.  A directory's file is read when its hooks are first
 * needed, and again by hooks_project_look(); the absence of a file is remembered
 * too.  The store keeps the hash of the trusted text by the file's path; a
 * changed text needs trust again.
 */
#include "base/os/log.h"
#include "base/hash/sha256.h"
#include "hooks/hooks_claude.h"
#include "hooks/hooks_int.h"
#include "ports/store_own.h"

#define HOOKS_FILE ".thole/hooks.json"
#define CLAUDE_FILE ".claude/settings.json" /* where there is no file of our own */
#define CLAUDE_LOCAL_FILE ".claude/settings.local.json"
#define PLACES_MAX 64 /* most recently used; others are read again */

struct hook_place {
	struct list node;
	struct hook_list list;
	struct str cwd, path;
	struct str text; /* absent: there is no file */
	bool is_claude;
	struct str hash; /* absent: no valid file */
};

static struct str trust_key(struct arena *mem, const struct hook_place *p)
{
	return arena_printf(mem, "hooks:trust:%.*s", STR_ARG(p->path));
}

/* Trust belongs to the exact text: the hash is compared, not the path alone. */
static bool is_trusted(const struct hook_set *s, const struct hook_place *p, struct str hash)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = s->o.store;
	struct str known;

	return st && port_store_get_own(st, mem, trust_key(mem, p), &known, NULL) == OK &&
	       str_eq(known, hash);
}

static struct str read_text(const struct hook_set *s, struct arena *mem, struct str cwd,
                            bool *ret_is_claude)
{
	struct str text, shared = STR_NONE, local = STR_NONE;

	*ret_is_claude = false;
	if (!s->o.read_file)
		return STR_NONE;
	if (s->o.read_file(mem, cwd, HOOKS_FILE, &text))
		return text;
	if (!s->o.read_file(mem, cwd, CLAUDE_FILE, &shared))
		shared = STR_NONE;
	if (!s->o.read_file(mem, cwd, CLAUDE_LOCAL_FILE, &local))
		local = STR_NONE;
	text = hooks_claude_text(mem, shared, local);
	*ret_is_claude = str_is(text);
	return text;
}

static enum err read_points(const struct hook_place *p, struct json *ret, struct error *e)
{
	struct arena *mem = p->list.mem;
	struct json doc;
	enum err code = json_read_config(mem, arena_keep(mem, p->text), &doc, e);

	if (!code && json_type(JSON_GET(doc, "hooks")) != JSON_OBJ)
		code = fail(e, ERR_INVALID, "{\"hooks\": {...}} is wanted");
	if (code)
		return code;
	*ret = JSON_GET(doc, "hooks");
	if (p->is_claude) {
		struct str left;

		*ret = hooks_claude_points(mem, *ret, &left);
		hooks_claude_tell(p->path, left);
	}
	return OK;
}

/* An invalid project file counts as missing and stops nothing. */
static void read_hooks(struct hook_set *s, struct hook_place *p)
{
	struct sha256 sum = sha256_of(p->text);
	struct str hash = sha256_hex(p->list.mem, &sum);
	struct json points;
	struct error e;

	hooks_read_list_init(&p->list, p->list.mem);
	if (read_points(p, &points, &e) != OK ||
	    hooks_read_take(s, &p->list, points, STR("project"),
	                    is_trusted(s, p, hash) ? HOOK_TRUST_HASH_RECORDED
	                                           : HOOK_TRUST_UNTRUSTED,
	                    p->path, &e) != OK)
		log_line(LOG_WARN, "hooks", "%.*s: %s", STR_ARG(p->path), e.message);
	else
		p->hash = hash;
	for (size_t i = 0; i < p->list.count; i++)
		p->list.rows[i].is_claude = p->is_claude;
	hooks_read_tell(&p->list);
}

static void place_forget(struct hook_set *s, struct hook_place *p)
{
	s->place_count--;
	list_remove(&p->node);
	arena_free(p->list.mem);
}

static struct hook_place *read_place(struct hook_set *s, struct str cwd)
{
	struct arena *mem = arena_new();
	struct hook_place *p = ARENA_NEW(mem, struct hook_place);

	p->list.mem = mem;
	p->cwd = arena_keep(mem, cwd);
	p->text = read_text(s, mem, p->cwd, &p->is_claude);
	p->path =
		arena_printf(mem, "%.*s/%s", STR_ARG(cwd), p->is_claude ? CLAUDE_FILE : HOOKS_FILE);
	if (str_is(p->text))
		read_hooks(s, p);
	if (s->place_count == PLACES_MAX)
		place_forget(s, LIST_ITEM(s->places.next, struct hook_place, node));
	list_add(&s->places, &p->node);
	s->place_count++;
	return p;
}

static struct hook_place *find_place(const struct hook_set *s, struct str cwd)
{
	LIST_EACH (&s->places, node) {
		struct hook_place *p = LIST_ITEM(node, struct hook_place, node);

		if (str_eq(p->cwd, cwd))
			return p;
	}
	return NULL;
}

/* Moves the place to the end of the list, so that the first is the least recently used. */
static struct hook_place *place_of(struct hook_set *s, struct str cwd)
{
	struct hook_place *p = find_place(s, cwd);

	if (!p)
		return read_place(s, cwd);
	list_remove(&p->node);
	list_add(&s->places, &p->node);
	return p;
}

const struct hook_list *hooks_project_of_place(struct hook_set *s, struct str cwd)
{
	return &place_of(s, cwd)->list;
}

size_t hooks_project_list_at(struct hooks *port, struct str cwd, const struct hook_info **ret)
{
	const struct hook_list *l =
		hooks_project_of_place(OWNER_OF(port, struct hook_set, port), cwd);

	*ret = l->infos;
	return l->count;
}

/* Compares texts, so that an edited file takes effect without a restart. */
void hooks_project_look(struct hooks *port, struct str cwd)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct hook_place *p = find_place(s, cwd);
	bool is_claude;
	struct str now;

	if (!p)
		return; /* it is read when it is needed */
	now = read_text(s, mem, p->cwd, &is_claude);
	if (is_claude != p->is_claude || str_is(now) != str_is(p->text) || !str_eq(now, p->text))
		place_forget(s, p);
}

void hooks_project_forget_places(struct hook_set *s)
{
	while (!list_is_empty(&s->places))
		place_forget(s, LIST_ITEM(s->places.next, struct hook_place, node));
}

bool hooks_project_of(struct hooks *port, struct str cwd, struct str *ret_path,
                      struct str *ret_hash)
{
	const struct hook_place *p = place_of(OWNER_OF(port, struct hook_set, port), cwd);

	if (!str_is(p->hash))
		return false;
	*ret_path = p->path;
	*ret_hash = p->hash;
	return true;
}

enum err hooks_project_trust(struct hooks *port, struct str cwd, struct str hash, struct error *e)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct hook_place *p = place_of(s, cwd);
	struct store *st = s->o.store;
	enum err code;

	/*
	 * The user trusts the text that was shown; if the file has changed since, nothing is
	 * recorded.
	 */
	if (!str_is(p->hash) || !str_eq(p->hash, hash) || !st)
		return fail(e, ERR_NOT_FOUND, "the project has no such hooks any more");
	code = port_store_set_own(st, trust_key(mem, p), p->hash, e);
	for (size_t i = 0; !code && i < p->list.count; i++)
		p->list.rows[i].info.trust = HOOK_TRUST_HASH_RECORDED;
	hooks_read_tell(&p->list);
	return code;
}
