/*
 * Reading, checking and writing plans.
 *
 * One table names the members of the wire form in their order; the reader and
 * the writer both follow it, so what one writes the other reads.
 */
#include "sandbox/sandbox_plan.h"

#include "base/gen/limits.h"
#include "base/jw.h"

#include "base/path/path.h"
#include "sandbox/host_rule.h"

#include <limits.h>

/* Limits that no setting has; the others come from catalog/limits.json. */
#define FILE_BYTES_DEFAULT 4294967296
#define OPEN_FILES_DEFAULT 4096
#define PRIVATE_BYTES_DEFAULT 2147483648

const struct sandbox_limits sandbox_plan_default_limits = {
	.timeout_ms = LIMIT_PROCESS_TIMEOUT_MS,
	.inactivity_ms = LIMIT_PROCESS_IDLE_MS,
	.max_output_bytes = LIMIT_PROCESS_OUTPUT_BYTES,
	.max_processes = LIMIT_PROCESS_COUNT,
	.max_memory_bytes = LIMIT_PROCESS_MEMORY_BYTES,
	.max_file_bytes = FILE_BYTES_DEFAULT,
	.max_open_files = OPEN_FILES_DEFAULT,
	.private_bytes = PRIVATE_BYTES_DEFAULT,
};

static const char *const mode_names[SANDBOX_MODES] = {
	[SANDBOX_READ_ONLY] = "read_only",
	[SANDBOX_WORKSPACE_WRITE] = "workspace_write",
	[SANDBOX_DANGER_FULL_ACCESS] = "danger_full_access",
	[SANDBOX_EXTERNAL] = "external_sandbox",
};
static const char *const network_names[SANDBOX_NETWORKS] = {
	[SANDBOX_NETWORK_OFF] = "off",
	[SANDBOX_NETWORK_RESTRICTED] = "restricted",
	[SANDBOX_NETWORK_FULL] = "full",
};

static bool name_read(struct str name, const char *const *names, int count, int *ret)
{
	for (int i = 0; i < count; i++)
		if (str_is(name) && str_eq(name, str_from(names[i]))) {
			*ret = i;
			return true;
		}
	return false;
}

struct str sandbox_plan_mode_name(enum sandbox_plan_mode m)
{
	return str_from(mode_names[m]);
}

bool sandbox_plan_mode_read(struct str name, enum sandbox_plan_mode *ret)
{
	int i;

	if (!name_read(name, mode_names, SANDBOX_MODES, &i))
		return false;
	*ret = (enum sandbox_plan_mode)i;
	return true;
}

struct str sandbox_plan_network_name(enum sandbox_network n)
{
	return str_from(network_names[n]);
}

bool sandbox_plan_network_read(struct str name, enum sandbox_network *ret)
{
	int i;

	if (!name_read(name, network_names, SANDBOX_NETWORKS, &i))
		return false;
	*ret = (enum sandbox_network)i;
	return true;
}

bool sandbox_plan_shows(const struct sandbox_plan *p, struct str path)
{
	return PATH_UNDER_ANY(path, &p->read_roots) || PATH_UNDER_ANY(path, &p->write_roots);
}

static bool is_root_below(const struct sandbox_plan *p, struct str path, struct str protected)
{
	for (size_t i = 0; i < p->write_roots.count; i++)
		if (path_is_under(path, p->write_roots.at[i]) &&
		    path_is_under(p->write_roots.at[i], protected))
			return true;
	return false;
}

bool sandbox_plan_protects(const struct sandbox_plan *p, struct str path)
{
	for (size_t i = 0; i < p->protected_paths.count; i++)
		if (path_is_under(path, p->protected_paths.at[i]) &&
		    !is_root_below(p, path, p->protected_paths.at[i]))
			return true;
	return false;
}

/* ---- reading ---- */

enum err sandbox_plan_read_strings(struct arena *mem, struct json v, const char *what,
                                   size_t max_count, size_t max_len, struct sandbox_paths *ret,
                                   struct error *e)
{
	struct json_iter it = json_iter(v);
	struct sandbox_paths list = { .count = 0 };
	struct json item;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return fail(e, ERR_INVALID, "%s: expected a list of strings, found %s", what,
		            json_type_name(v));
	if (json_count(v) > max_count)
		return fail(e, ERR_TOO_LARGE, "%s: more than %zu entries", what, max_count);
	list.at = ARENA_ARRAY(mem, struct str, json_count(v) + 1);
	while (json_next(&it, &key, &item)) {
		struct str s = json_str(item);

		if (!str_is(s) || s.len >= max_len || memchr(s.ptr, '\0', s.len))
			return fail(e, ERR_INVALID,
			            "%s[%zu]: not a string without NUL below %zu bytes", what,
			            list.count, max_len);
		list.at[list.count++] = arena_keep(mem, s);
	}
	*ret = list;
	return OK;
}

/* How a member is read and written. */
enum kind {
	K_VERSION,
	K_MODE,
	K_TIER,
	K_PATH,
	K_TEXT,
	K_PATHS,
	K_BOOL,
	K_COUNT,
	K_NETWORK,
	K_LIMITS
};

/* A row of the wire form: its name, its kind, and its offset in the struct. */
struct field {
	const char *name;
	enum kind kind;
	size_t at;
	bool required;
};

#define P(member) offsetof(struct sandbox_plan, member)
#define L(member) offsetof(struct sandbox_limits, member)

static const struct field plan_fields[] = {
	{ "version", K_VERSION, 0, true },
	{ "mode", K_MODE, P(mode), true },
	{ "requestedMode", K_MODE, P(requested_mode), false },
	{ "tier", K_TIER, P(tier), true },
	{ "cwd", K_PATH, P(cwd), true },
	{ "readRoots", K_PATHS, P(read_roots), true },
	{ "writeRoots", K_PATHS, P(write_roots), true },
	{ "privateDirs", K_PATHS, P(private_dirs), false },
	{ "tmpDir", K_PATH, P(tmp_dir), false },
	{ "protectedPaths", K_PATHS, P(protected_paths), false },
	{ "openedPaths", K_PATHS, P(opened_paths), false },
	{ "deniedPaths", K_PATHS, P(denied_paths), false },
	{ "denyRules", K_PATHS, P(deny_rules), false },
	{ "network", K_NETWORK, 0, true },
	{ "unixSockets", K_BOOL, P(unix_sockets), false },
	{ "openat2", K_BOOL, P(openat2), false },
	{ "home", K_PATH, P(home), false },
	{ "user", K_TEXT, P(user), false },
	{ "limits", K_LIMITS, P(limits), false },
};
static const struct field limit_fields[] = {
	{ "timeoutMs", K_COUNT, L(timeout_ms), false },
	{ "inactivityMs", K_COUNT, L(inactivity_ms), false },
	{ "maxOutputBytes", K_COUNT, L(max_output_bytes), false },
	{ "maxProcesses", K_COUNT, L(max_processes), false },
	{ "maxMemoryBytes", K_COUNT, L(max_memory_bytes), false },
	{ "maxFileBytes", K_COUNT, L(max_file_bytes), false },
	{ "maxOpenFiles", K_COUNT, L(max_open_files), false },
	{ "maxCpuS", K_COUNT, L(max_cpu_s), false },
	{ "privateBytes", K_COUNT, L(private_bytes), false },
};

static enum err read_fields(struct arena *mem, struct json v, const char *what,
                            const struct field *fields, size_t count, void *into, struct error *e);

/* The mode is read first, because `loopback` must agree with it in any order of members. */
static enum err read_network(struct arena *mem, struct json v, struct sandbox_plan *p,
                             struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	if (!sandbox_plan_network_read(json_str(JSON_GET(v, "mode")), &p->network))
		return fail(e, ERR_INVALID, "network.mode: expected off, restricted or full");
	while (json_next(&it, &key, &item)) {
		/* says whether the host's loopback is reachable; it must agree with the mode */
		if (str_eq(key, STR("loopback")) && json_type(item) == JSON_BOOL &&
		    json_bool(item, false) == (p->network == SANDBOX_NETWORK_FULL))
			continue;
		if (str_eq(key, STR("allow"))) {
			enum err err = sandbox_plan_read_strings(mem, item, "network.allow",
			                                         HOST_RULES_MAX, HOST_TEXT_MAX + 16,
			                                         &p->allow, e);

			if (err)
				return err;
			continue;
		}
		if (!str_eq(key, STR("mode")))
			return fail(e, ERR_UNSUPPORTED, "network.%.*s: cannot be kept",
			            STR_ARG(key));
	}
	return OK;
}

/*
 * The user's name is written into the sandbox's /etc/passwd, so ':' and line breaks must not be
 * in it.
 */
static bool is_name(struct str s)
{
	if (!s.len || s.len > 32)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') &&
		    !(i && s.ptr[i] >= '0' && s.ptr[i] <= '9') &&
		    !(i && (s.ptr[i] == '-' || s.ptr[i] == '_')))
			return false;
	return true;
}

static enum err read_field(struct arena *mem, struct json v, const struct field *f, char *at,
                           struct error *e)
{
	struct str s = json_str(v);

	switch (f->kind) {
	case K_VERSION:
		if (json_int(v, 0) == 1)
			return OK;
		return fail(e, ERR_UNSUPPORTED, "version: only 1 is known");
	case K_MODE:
		if (sandbox_plan_mode_read(s, (enum sandbox_plan_mode *)at))
			return OK;
		break;
	case K_TIER:
		if (sandbox_tier_read(s, (enum sandbox_tier *)at))
			return OK;
		break;
	case K_PATH:
		if (!path_is_clean(s))
			break;
		*(struct str *)at = arena_keep(mem, s);
		return OK;
	case K_TEXT:
		if (!is_name(s))
			break;
		*(struct str *)at = arena_keep(mem, s);
		return OK;
	case K_PATHS:
		return sandbox_plan_read_strings(mem, v, f->name, SANDBOX_PLAN_PATHS_MAX, PATH_MAX,
		                                 (struct sandbox_paths *)at, e);
	case K_BOOL:
		if (json_type(v) != JSON_BOOL)
			break;
		*(bool *)at = json_bool(v, false);
		return OK;
	case K_COUNT:
		if (json_type(v) != JSON_INT || json_int(v, -1) < 0)
			break;
		*(int64_t *)at = json_int(v, 0);
		return OK;
	case K_NETWORK:
		return read_network(mem, v, (struct sandbox_plan *)at, e);
	case K_LIMITS:
		return read_fields(mem, v, "limits", limit_fields, COUNT_OF(limit_fields), at, e);
	}
	return fail(e, ERR_INVALID, "%s: %s is not what belongs there", f->name, json_type_name(v));
}

/*
 * An unknown member is an error: a restriction that this version does not know could not be
 * enforced.
 */
static enum err read_fields(struct arena *mem, struct json v, const char *what,
                            const struct field *fields, size_t count, void *into, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	if (json_type(v) != JSON_OBJ)
		return fail(e, ERR_INVALID, "%s: expected an object, found %s", what,
		            json_type_name(v));
	while (json_next(&it, &key, &item)) {
		const struct field *f = NULL;

		for (size_t i = 0; i < count && !f; i++)
			if (str_eq(key, str_from(fields[i].name)))
				f = &fields[i];
		if (!f)
			return fail(e, ERR_UNSUPPORTED,
			            "%s: \"%.*s\" is not known, so it could not be kept", what,
			            STR_ARG(str_head(key, 64)));

		enum err err = read_field(mem, item, f, (char *)into + f->at, e);

		if (err)
			return err;
	}
	for (size_t i = 0; i < count; i++)
		if (fields[i].required && !json_is(json_get(v, str_from(fields[i].name))))
			return fail(e, ERR_INVALID, "%s: \"%s\" is missing", what, fields[i].name);
	return OK;
}

enum err sandbox_plan_read(struct arena *mem, struct json v, struct sandbox_plan *ret,
                           struct error *e)
{
	struct sandbox_plan p = { .home = STR("/"), .user = STR("agent") };
	enum err err = read_fields(mem, v, "plan", plan_fields, COUNT_OF(plan_fields), &p, e);

	if (err)
		return err;
	if (!json_is(JSON_GET(v, "requestedMode")))
		p.requested_mode = p.mode;
	err = sandbox_plan_check(&p, e);
	if (err)
		return err;
	*ret = p;
	return OK;
}

/* ---- checking ---- */

static enum err check_list(const struct sandbox_paths *list, const char *what, struct error *e)
{
	for (size_t i = 0; i < list->count; i++)
		if (!path_is_clean(list->at[i]))
			return fail(e, ERR_INVALID,
			            "%s[%zu]: \"%.*s\" is not an absolute, clean path", what, i,
			            STR_ARG(str_head(list->at[i], 200)));
	return OK;
}

/* The proxy listens at the sandbox's own loopback, so there must be one. */
static enum err check_hosts(const struct sandbox_plan *p, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct host_rules rules;

	if (p->allow.count && p->network != SANDBOX_NETWORK_RESTRICTED)
		return fail(e, ERR_INVALID, "network.allow: only with mode restricted");
	return host_rule_read_all(mem, p->allow.at, p->allow.count, &rules, e);
}

/* What needs mounts cannot be promised without them. */
static enum err check_without_namespaces(const struct sandbox_plan *p, struct error *e)
{
	if (p->protected_paths.count)
		return fail(e, ERR_UNSUPPORTED, "protectedPaths cannot be kept in tier %s",
		            sandbox_tier_name(p->tier).ptr);
	if (p->denied_paths.count)
		return fail(e, ERR_UNSUPPORTED, "deniedPaths cannot be kept in tier %s",
		            sandbox_tier_name(p->tier).ptr);
	if (p->deny_rules.count)
		return fail(e, ERR_UNSUPPORTED, "denyRules cannot be kept in tier %s",
		            sandbox_tier_name(p->tier).ptr);
	if (p->private_dirs.count)
		return fail(e, ERR_UNSUPPORTED, "privateDirs cannot be kept in tier %s",
		            sandbox_tier_name(p->tier).ptr);
	if (p->network == SANDBOX_NETWORK_RESTRICTED)
		return fail(e, ERR_UNSUPPORTED, "network restricted cannot be kept in tier %s",
		            sandbox_tier_name(p->tier).ptr);
	return OK;
}

/*
 * Tier none must not look like a sandbox in the log, so everything that it would promise is
 * refused.
 */
static enum err check_no_sandbox(const struct sandbox_plan *p, struct error *e)
{
	if (p->mode != SANDBOX_DANGER_FULL_ACCESS && p->mode != SANDBOX_EXTERNAL)
		return fail(e, ERR_UNSUPPORTED, "mode %s cannot be kept in tier none",
		            sandbox_plan_mode_name(p->mode).ptr);
	if (p->network != SANDBOX_NETWORK_FULL)
		return fail(e, ERR_UNSUPPORTED, "network %s cannot be kept in tier none",
		            sandbox_plan_network_name(p->network).ptr);
	return check_without_namespaces(p, e);
}

/*
 * Called by the maker of plans, by the reader, and again when deny rules are added to a running
 * process.
 */
enum err sandbox_plan_check(const struct sandbox_plan *p, struct error *e)
{
	const struct {
		const struct sandbox_paths *list;
		const char *name;
	} lists[] = {
		{ &p->read_roots, "readRoots" },     { &p->write_roots, "writeRoots" },
		{ &p->private_dirs, "privateDirs" }, { &p->protected_paths, "protectedPaths" },
		{ &p->denied_paths, "deniedPaths" }, { &p->opened_paths, "openedPaths" },
	};
	enum err err;

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		err = check_list(lists[i].list, lists[i].name, e);
		if (err)
			return err;
	}
	/* A writable / would contain every protected path of the machine. */
	for (size_t i = 0; i < p->write_roots.count && p->tier != SANDBOX_NONE; i++)
		if (p->write_roots.at[i].len == 1)
			return fail(e, ERR_INVALID, "writeRoots: / is not a workspace");
	for (size_t i = 0; i < p->protected_paths.count; i++)
		if (!PATH_UNDER_ANY(p->protected_paths.at[i], &p->write_roots))
			return fail(e, ERR_INVALID, "protectedPaths: %s is in no write root",
			            p->protected_paths.at[i].ptr);
	for (size_t i = 0; i < p->opened_paths.count; i++)
		if (!PATH_UNDER_ANY(p->opened_paths.at[i], &p->write_roots) ||
		    PATH_UNDER_ANY(p->opened_paths.at[i], &p->protected_paths))
			return fail(e, ERR_INVALID,
			            "openedPaths: %s is in no write root, or protected",
			            p->opened_paths.at[i].ptr);
	err = check_hosts(p, e);
	if (err)
		return err;
	if (p->tier == SANDBOX_NONE)
		return check_no_sandbox(p, e);
	if (p->mode == SANDBOX_DANGER_FULL_ACCESS || p->mode == SANDBOX_EXTERNAL)
		return fail(e, ERR_INVALID, "mode %s has no sandbox, so no tier but none",
		            sandbox_plan_mode_name(p->mode).ptr);
	if (p->mode == SANDBOX_READ_ONLY && p->write_roots.count)
		return fail(e, ERR_INVALID, "mode read_only has no write roots");
	return sandbox_tier_has_namespaces(p->tier) ? OK : check_without_namespaces(p, e);
}

/* ---- writing ---- */

static void write_items(struct json_writer *w, const struct sandbox_paths *list)
{
	for (size_t i = 0; i < list->count; i++)
		jw_str(w, list->at[i]);
}

static void write_paths(struct json_writer *w, struct str key, const struct sandbox_paths *list)
{
	jw_key(w, key);
	jw_arr(w);
	write_items(w, list);
	jw_arr_end(w);
}

static void write_network(struct json_writer *w, const struct sandbox_plan *p)
{
	jw_obj(w);
	JW_KSTR(w, "mode", sandbox_plan_network_name(p->network));
	if (p->allow.count)
		write_paths(w, STR("allow"), &p->allow);
	JW_KBOOL(w, "loopback", p->network == SANDBOX_NETWORK_FULL);
	jw_obj_end(w);
}

static void write_fields(struct json_writer *w, const struct field *fields, size_t count,
                         const void *from);

static void write_field(struct json_writer *w, const struct field *f, const char *at)
{
	switch (f->kind) {
	case K_VERSION:
		jw_int(w, 1);
		break;
	case K_MODE:
		jw_str(w, sandbox_plan_mode_name(*(const enum sandbox_plan_mode *)at));
		break;
	case K_TIER:
		jw_str(w, sandbox_tier_name(*(const enum sandbox_tier *)at));
		break;
	case K_PATH:
	case K_TEXT:
		jw_str(w, *(const struct str *)at);
		break;
	case K_PATHS:
		jw_arr(w);
		write_items(w, (const struct sandbox_paths *)at);
		jw_arr_end(w);
		break;
	case K_BOOL:
		jw_bool(w, *(const bool *)at);
		break;
	case K_COUNT:
		jw_int(w, *(const int64_t *)at);
		break;
	case K_NETWORK:
		write_network(w, (const struct sandbox_plan *)at);
		break;
	case K_LIMITS:
		write_fields(w, limit_fields, COUNT_OF(limit_fields), at);
		break;
	}
}

static void write_fields(struct json_writer *w, const struct field *fields, size_t count,
                         const void *from)
{
	jw_obj(w);
	for (size_t i = 0; i < count; i++) {
		const struct field *f = &fields[i];
		const char *at = (const char *)from + f->at;

		if ((f->kind == K_PATH || f->kind == K_TEXT) && !str_is(*(const struct str *)at))
			continue;
		jw_key(w, str_from(f->name));
		write_field(w, f, at);
	}
	jw_obj_end(w);
}

void sandbox_plan_write(struct json_writer *w, const struct sandbox_plan *p)
{
	write_fields(w, plan_fields, COUNT_OF(plan_fields), p);
}

static void write_process_limits(struct json_writer *w, const struct sandbox_plan *p, bool tty,
                                 struct str stdin_is)
{
	const struct sandbox_limits *l = &p->limits;

	jw_obj(w);
	JW_KINT(w, "timeoutMs", l->timeout_ms);
	JW_KINT(w, "inactivityMs", l->inactivity_ms);
	JW_KINT(w, "maxOutputBytes", l->max_output_bytes);
	JW_KINT(w, "maxProcesses", l->max_processes);
	if (l->max_memory_bytes)
		JW_KINT(w, "maxMemoryBytes", l->max_memory_bytes);
	if (l->max_file_bytes)
		JW_KINT(w, "maxFileBytes", l->max_file_bytes);
	if (l->private_bytes && p->private_dirs.count)
		JW_KINT(w, "privateBytes", l->private_bytes);
	JW_KBOOL(w, "tty", tty);
	JW_KSTR(w, "stdin", stdin_is);
	jw_obj_end(w);
}

/* The standard's record has no private directories: they are write roots there. */
void sandbox_plan_write_record(struct json_writer *w, const struct sandbox_plan *p, bool tty,
                               struct str stdin_is, struct str environment_ref)
{
	jw_obj(w);
	JW_KSTR(w, "mode", sandbox_plan_mode_name(p->mode));
	JW_KSTR(w, "tier", sandbox_tier_name(p->tier));
	JW_KSTR(w, "requestedMode", sandbox_plan_mode_name(p->requested_mode));
	JW_KSTR(w, "enforcement", STR("exact_or_fail"));
	JW_KSTR(w, "cwd", p->cwd);
	write_paths(w, STR("readRoots"), &p->read_roots);
	JW_KEY(w, "writeRoots");
	jw_arr(w);
	write_items(w, &p->write_roots);
	write_items(w, &p->private_dirs);
	if (str_is(p->tmp_dir))
		jw_str(w, p->tmp_dir);
	jw_arr_end(w);
	write_paths(w, STR("protectedPaths"), &p->protected_paths);
	if (p->deny_rules.count)
		write_paths(w, STR("deniedPaths"), &p->deny_rules);
	if (p->unreported.count)
		write_paths(w, STR("unreported"), &p->unreported);
	JW_KEY(w, "network");
	write_network(w, p);
	JW_KOPT(w, "environmentRef", environment_ref);
	JW_KEY(w, "processLimits");
	write_process_limits(w, p, tty, stdin_is);
	JW_KEY(w, "violationRefs");
	jw_arr(w);
	jw_arr_end(w);
	jw_obj_end(w);
}

/* ---- rules of a call ---- */

/* Rules that cannot be understood deny everything: no plan can be made with this one. */
static void deny_all(struct arena *mem, struct sandbox_paths *ret)
{
	ret->at = ARENA_ARRAY(mem, struct str, 1);
	ret->at[0] = STR("/**");
	ret->count = 1;
}

void sandbox_plan_read_deny_rules(struct arena *mem, struct str text, struct sandbox_paths *ret)
{
	struct json list, v;
	struct json_iter it;
	struct str key;

	*ret = (struct sandbox_paths){ 0 };
	if (!str_is(text))
		return;
	if (json_read(mem, text, &list, NULL) != OK || json_type(list) != JSON_ARR) {
		deny_all(mem, ret);
		return;
	}
	ret->at = ARENA_ARRAY(mem, struct str, json_count(list) + 1);
	it = json_iter(list);
	while (json_next(&it, &key, &v)) {
		if (!json_str(v).len) {
			deny_all(mem, ret);
			return;
		}
		ret->at[ret->count++] = arena_keep(mem, json_str(v));
	}
}
