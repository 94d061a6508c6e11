/* thole_verify_pack() and its neighbours: evidence packs, without a runtime. */
#include "thole/thole.h"

#include "base/buf.h"
#include "base/os/clock.h"
#include "core/settings/settings_change.h"
#include "evidence/pack_decide.h"
#include "evidence/pack_signature.h"
#include "evidence/pack_verify.h"
#include "lib/timezones.h"
#include "policy/rules.h"

#include <stdio.h>

static int pack_failed(struct thole_error *err, enum err code, const struct error *why)
{
	int public = code == ERR_IO ? THOLE_IO : THOLE_INVALID;

	if (err) {
		err->code = public;
		snprintf(err->message, sizeof err->message, "%s", why->message);
	}
	return public;
}

static int report(enum err (*check)(const char *path, struct buf *out, bool *ret_is_fine,
                                    struct error *e),
                  const char *path, char **ret, struct thole_error *err)
{
	struct buf out = { 0 };
	bool is_fine = false;
	struct error why;
	enum err code;

	*ret = NULL;
	code = check(path, &out, &is_fine, &why);
	if (code != OK) {
		buf_done(&out);
		return pack_failed(err, code, &why);
	}
	*ret = buf_take(&out, NULL);
	return is_fine ? THOLE_OK : THOLE_REFUSED;
}

int thole_verify_pack(const char *path, char **ret, struct thole_error *err)
{
	return report(pack_verify, path, ret, err);
}

int thole_verify_signed_pack(const char *path, const char *keys, char **ret,
                             struct thole_error *err)
{
	struct proof_keys given;
	struct pack_trust trust = { &given, clock_wall_ms() };
	struct buf out = { 0 };
	bool is_fine = false;
	struct error why;
	enum err code = proof_key_read_all(str_from(keys), &given, &why);

	*ret = NULL;
	if (code == OK)
		code = pack_verify_trust(path, &trust, &out, &is_fine, &why);
	if (code != OK) {
		buf_done(&out);
		return pack_failed(err, code, &why);
	}
	*ret = buf_take(&out, NULL);
	return is_fine ? THOLE_OK : THOLE_REFUSED;
}

int thole_replay_pack(const char *path, char **ret, struct thole_error *err)
{
	return report(pack_replay, path, ret, err);
}

int thole_extract_pack(const char *file, const char *dir, struct thole_error *err)
{
	struct error why;
	enum err code = pack_extract(file, dir, &why);

	return code == OK ? THOLE_OK : pack_failed(err, code, &why);
}

/* ---- decisions ---- */

/*
 * Functions of the outside.  The journal has their answers, so these are never asked; that they
 * are there shows that the runtime had them.
 */
static struct str no_path(void *owner, struct arena *mem, struct str path)
{
	return STR_NONE;
}

static bool no_dir(void *owner, struct str dir)
{
	return false;
}

static enum err no_sandbox(const struct settings *s, struct arena *mem, struct str tool,
                           struct str args, struct str cwd, const struct rec_sandbox_override *more,
                           struct tool_sandbox *ret, struct error *e)
{
	return fail(e, ERR_UNSUPPORTED, "a pack has no sandbox");
}

static void add_functions(struct settings *s, void *owner)
{
	s->real = no_path;
	s->digest = no_path;
	s->runs_code = no_dir;
	s->runs_hooks = no_dir;
	s->bind = no_sandbox;
	s->zone = timezones_find;
	s->zone_owner = owner;
}

/* A file with rules is one of rules; every other one is a configuration. */
static enum err read_with(struct arena *mem, const char *text, struct pack_decide_options *ret,
                          struct error *e)
{
	struct settings_change *change;
	struct rules *rules;
	struct json file;
	enum err code;

	if (!text)
		return OK;
	code = json_read(mem, str_from(text), &file, e);
	if (code != OK)
		return code;
	if (json_is(JSON_GET(file, "rules"))) {
		rules = ARENA_NEW(mem, struct rules);
		rules->mem = mem;
		ret->rules = rules;
		return rules_add(rules, str_from(text), (struct rule_origin){ .source = RULE_USER },
		                 e);
	}
	code = settings_change_read(mem, file, &change, e);
	ret->change = change;
	return code;
}

int thole_decide_pack(const char *path, const char *with, char **ret, struct thole_error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct timezones *zones = timezones_new();
	struct pack_decide_options options = { .add_functions = add_functions, .owner = zones };
	struct buf out = { 0 };
	bool is_same = false;
	struct error why;
	enum err code = read_with(mem, with, &options, &why);

	*ret = NULL;
	if (code == OK)
		code = pack_decide(path, &options, &out, &is_same, &why);
	timezones_free(zones);
	if (code != OK) {
		buf_done(&out);
		return pack_failed(err, code, &why);
	}
	*ret = buf_take(&out, NULL);
	return is_same ? THOLE_OK : THOLE_REFUSED;
}
