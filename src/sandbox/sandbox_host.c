/*
 * The description of a machine: its fixed lists of names, and its JSON form in
 * the supervisor's answer to `probe`.
 */
#include "sandbox/sandbox_host.h"

#include "base/gen/protected_paths.h"
#include "base/gen/system_paths.h"
#include "base/jw.h"

#include "base/path/path.h"

static const char *const system_roots[] = { SYSTEM_PATHS_SANDBOX };

/* Files that programs outside run or trust later; the permission rules use the same list. */
static const char *const protected_names[] = { PROTECTED_PATHS_TREE };
static const char *const startup_names[] = { PROTECTED_PATHS_HOME, PROTECTED_PATHS_BELOW_HOME };

/* Credentials below the home directory, denied where a root shows them. */
static const char *const secret_names[] = {
	".ssh",
	".gnupg",
	".aws",
	".azure",
	".config/gcloud",
	".config/gh",
	".docker",
	".kube",
	".netrc",
	".npmrc",
	".pypirc",
	".git-credentials",
	".cargo/credentials.toml",
	".local/share/keyrings",
	".mozilla",
	".config/google-chrome",
	".password-store",
	".bash_history",
};

/* An allow-list: keys are usually in variables, and their names are not known. */
static const char *const env_names[] = { "PATH", "HOME", "LANG", "TERM", "TZ" };

static struct sandbox_paths list_of(struct arena *mem, const char *const *names, size_t count)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, count), count };

	for (size_t i = 0; i < count; i++)
		l.at[i] = str_from(names[i]);
	return l;
}

void sandbox_host_add_names(struct arena *mem, struct sandbox_host *h)
{
	h->protected_names = list_of(mem, protected_names, COUNT_OF(protected_names));
	h->startup_names = list_of(mem, startup_names, COUNT_OF(startup_names));
	h->secret_names = list_of(mem, secret_names, COUNT_OF(secret_names));
	h->env = list_of(mem, env_names, COUNT_OF(env_names));
}

bool sandbox_host_has_protected_part(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(protected_names); i++) {
		struct str rest = str_from(protected_names[i]);

		while (str_is(rest))
			if (str_eq(str_cut(&rest, '/'), name))
				return true;
	}
	return false;
}

bool sandbox_host_is_system(struct str path)
{
	for (size_t i = 0; i < COUNT_OF(system_roots); i++)
		if (str_eq(path, str_from(system_roots[i])))
			return true;
	return path.len == 1 || path_is_under(path, STR("/usr")) ||
	       path_is_under(path, STR("/etc"));
}

/* ---- the answer to `probe` ---- */

struct member {
	const char *name;
	size_t at;
};

#define H(member) offsetof(struct sandbox_host, member)

/* Of `defaults`, in the order in which they are written. */
static const struct member members[] = {
	{ "systemRoots", H(system_roots) },       { "plainRoots", H(plain_roots) },
	{ "toolRoots", H(tool_roots) },           { "ownRoots", H(own_roots) },
	{ "protectedNames", H(protected_names) }, { "startupNames", H(startup_names) },
	{ "secretNames", H(secret_names) },       { "env", H(env) },
};

static enum err read_strings(struct arena *mem, struct json v, const char *what,
                             struct sandbox_paths *ret, struct error *e)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, json_count(v) + 1), 0 };
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return fail(e, ERR_INVALID, "probe: %s is not a list", what);
	while (json_next(&it, &key, &item)) {
		if (!str_is(json_str(item)))
			return fail(e, ERR_INVALID, "probe: %s holds something else than strings",
			            what);
		l.at[l.count++] = arena_keep(mem, json_str(item));
	}
	*ret = l;
	return OK;
}

static enum err read_tiers(struct arena *mem, struct json v, struct sandbox_host *h,
                           struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	while (json_next(&it, &key, &item)) {
		enum sandbox_tier t;
		enum err err;

		/*
		 * a newer supervisor may have more tiers; plans use those that this version knows
		 */
		if (!sandbox_tier_read(json_str(JSON_GET(item, "tier")), &t))
			continue;
		h->has[t] = true;
		err = read_strings(mem, JSON_GET(item, "gaps"), "gaps", &h->gaps[t], e);
		if (err)
			return err;
	}
	return OK;
}

enum err sandbox_host_read(struct arena *mem, struct json v, struct sandbox_host *ret,
                           struct error *e)
{
	struct sandbox_host h = { .reason = arena_keep(mem, json_str(JSON_GET(v, "reason"))),
		                  .tells_refusals =
		                          json_bool(JSON_GET(v, "seccompNotify"), false) };
	struct json d = JSON_GET(v, "defaults");
	enum err err = read_tiers(mem, JSON_GET(v, "tiers"), &h, e);

	for (size_t i = 0; !err && i < COUNT_OF(members); i++)
		err = read_strings(mem, json_get(d, str_from(members[i].name)), members[i].name,
		                   (struct sandbox_paths *)((char *)&h + members[i].at), e);
	if (!err)
		*ret = h;
	return err;
}

static void write_list(struct json_writer *w, const struct sandbox_paths *l)
{
	jw_arr(w);
	for (size_t i = 0; i < l->count; i++)
		jw_str(w, l->at[i]);
	jw_arr_end(w);
}

void sandbox_host_write_tiers(struct json_writer *w, const struct sandbox_host *h)
{
	JW_KEY(w, "tiers");
	jw_arr(w);
	for (int t = SANDBOX_TIERS - 1; t >= SANDBOX_NONE; t--)
		if (h->has[t]) {
			jw_obj(w);
			JW_KSTR(w, "tier", sandbox_tier_name((enum sandbox_tier)t));
			JW_KEY(w, "gaps");
			write_list(w, &h->gaps[t]);
			jw_obj_end(w);
		}
	jw_arr_end(w);
}

void sandbox_host_write_defaults(struct json_writer *w, const struct sandbox_host *h)
{
	JW_KEY(w, "defaults");
	jw_obj(w);
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		jw_key(w, str_from(members[i].name));
		write_list(w, (const struct sandbox_paths *)((const char *)h + members[i].at));
	}
	jw_obj_end(w);
}
