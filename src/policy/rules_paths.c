/*
 * Kinds of places (secret, protected, public, inside the workspace), and patterns over paths.
 *
 * Everything works on text.  Whether a name is a link is known to the caller, who passes the
 * written path and the real one; both have to satisfy a rule that allows, and one of them is
 * enough for a rule that denies.
 */
#include "policy/rules_internal.h"

#include "base/gen/protected_paths.h"
#include "base/gen/system_paths.h"

bool rules_paths_next_component(struct str *path, struct str *ret)
{
	while (path->len && path->ptr[0] == '/')
		*path = str_skip(*path, 1);
	if (!path->len)
		return false;

	ptrdiff_t end = str_find_char(*path, '/');

	*ret = end < 0 ? *path : str_head(*path, (size_t)end);
	*path = str_skip(*path, ret->len);
	return true;
}

/* ---- wildcards in one name ---- */

static bool is_wild(char c)
{
	return c == '*' || c == '?' || c == '[';
}

/* Only * and ? are special; a bracket in a rule is a literal character. */
bool rules_paths_glob_word(struct analysis *budget, struct str pattern, struct str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
	unsigned turns = 0;

	while (t < text.len) {
		/* One step of the budget pays for 16 characters. */
		if (!(++turns & 15) && !analysis_spend(budget, 1))
			return false;
		if (p < pattern.len && (pattern.ptr[p] == '?' || pattern.ptr[p] == text.ptr[t]) &&
		    pattern.ptr[p] != '*') {
			p++;
			t++;
		} else if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			from = t;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

/* One step over a pattern: a bracket counts as one unknown character. */
static size_t pattern_step(struct str s, size_t at)
{
	if (s.ptr[at] == '\\' && at + 1 < s.len)
		return 2;
	if (s.ptr[at] == '[') {
		size_t end = at + 1;

		while (end < s.len && s.ptr[end] != ']')
			end++;
		return end < s.len ? end + 1 - at : 1;
	}
	return 1;
}

static bool same_step(struct str a, size_t i, struct str b, size_t k)
{
	char x = a.ptr[i], y = b.ptr[k];

	if (x == '?' || x == '[' || y == '?' || y == '[')
		return true;
	if (x == '\\' && i + 1 < a.len)
		x = a.ptr[i + 1];
	if (y == '\\' && k + 1 < b.len)
		y = b.ptr[k + 1];
	return x == y;
}

/*
 * Row by row over a: which prefixes of b can equal this prefix of a.  Names too long for the
 * row may match: the result is used for deny rules and sensitive places, where doubt counts as
 * a match.
 */
#define MEET_MAX 256

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (is_wild(s.ptr[i]) || s.ptr[i] == '\\')
			return false;
	return true;
}

bool rules_paths_glob_may_meet(struct str a, struct str b)
{
	bool row[MEET_MAX + 1], next[MEET_MAX + 1];

	if (is_plain(a) && is_plain(b))
		return str_eq(a, b);
	if (a.len > MEET_MAX || b.len > MEET_MAX)
		return true;
	memset(row, 0, b.len + 1);
	row[0] = true;
	for (size_t k = 0; k < b.len && b.ptr[k] == '*'; k++)
		row[k + 1] = true;
	for (size_t i = 0; i < a.len; i += a.ptr[i] == '*' ? 1 : pattern_step(a, i)) {
		memset(next, 0, b.len + 1);
		for (size_t k = 0; k <= b.len; k++) {
			if (!row[k] && !next[k])
				continue;
			if (a.ptr[i] == '*') {
				next[k] |= row[k]; /* it matches nothing */
				if (k < b.len && next[k])
					next[k + (b.ptr[k] == '*' ? 1 : pattern_step(b, k))] = true;
				continue;
			}
			if (row[k] && k < b.len && b.ptr[k] == '*') {
				row[k + 1] = true; /* the other matches nothing */
				next[k] = true;    /* or this character */
			} else if (row[k] && k < b.len && same_step(a, i, b, k)) {
				next[k + pattern_step(b, k)] = true;
			}
		}
		memcpy(row, next, b.len + 1);
	}
	for (size_t k = 0; k < b.len; k++)
		if (row[k] && b.ptr[k] == '*')
			row[k + 1] = true;
	return row[b.len];
}

/* ---- patterns over paths ---- */

/* Components of a path that are compared; a deeper one is MAYBE for deny and no match for allow. */
#define DEPTH_MAX 128

struct components {
	struct str items[DEPTH_MAX];
	size_t count;
	bool is_too_deep;
};

static void split_path(struct str path, struct components *ret)
{
	struct str c;

	ret->count = 0;
	ret->is_too_deep = false;
	while (rules_paths_next_component(&path, &c)) {
		if (ret->count == DEPTH_MAX) {
			ret->is_too_deep = true;
			return;
		}
		ret->items[ret->count++] = c;
	}
}

/* ** matches any number of components; a pattern covers everything below its end. */
static bool components_cover(struct analysis *budget, const struct components *p,
                             const struct components *t)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;

	for (;;) {
		if (i == p->count)
			return true;
		if (str_eq(p->items[i], STR("**"))) {
			star = i++;
			from = k;
		} else if (k < t->count &&
		           rules_paths_glob_word(budget, p->items[i], t->items[k])) {
			i++;
			k++;
		} else if (star != SIZE_MAX && from < t->count) {
			i = star + 1;
			k = ++from;
		} else {
			return false;
		}
	}
}

bool rules_paths_covers(struct str pattern, struct str path)
{
	struct components p, t;

	split_path(pattern, &p);
	split_path(path, &t);
	return !p.is_too_deep && !t.is_too_deep && components_cover(NULL, &p, &t);
}

/*
 * For allow rules: every file that the act may touch must be covered.  A recursive act or a
 * wildcard touches names that are not known.  The component "\1" represents them: only a
 * wildcard of the rule matches it.
 */
bool rules_paths_strictly(struct analysis *budget, struct str pattern, const struct act_path *a)
{
	struct components p, t;
	bool has_wild = false;
	size_t plain;

	split_path(pattern, &p);
	split_path(a->path, &t);
	if (a->flags & ACT_PATH_UNKNOWN || p.is_too_deep || t.is_too_deep)
		return false;
	/* A match of a pattern lies below its literal part, under unknown names. */
	for (plain = 0; plain < t.count && !has_wild; plain++)
		for (size_t i = 0; i < t.items[plain].len; i++)
			has_wild |= is_wild(t.items[plain].ptr[i]);
	/* rm -r DIR deletes DIR as well, which a rule on all names in DIR does not cover. */
	if (a->flags & ACT_PATH_DEEP && !has_wild && a->use & (ACT_WRITES | ACT_DELETES) &&
	    !components_cover(budget, &p, &t))
		return false;
	if ((a->flags & ACT_PATH_PATTERN && has_wild) || a->flags & ACT_PATH_DEEP) {
		if (a->flags & ACT_PATH_PATTERN && has_wild)
			t.count = plain - 1;
		if (t.count < DEPTH_MAX)
			t.items[t.count++] = STR("\1");
	}
	if (!analysis_spend(budget, 8 + p.count + t.count) || !components_cover(budget, &p, &t))
		return false;
	/* A link in an allowed directory must not open a place that the rule does not cover. */
	return str_eq(a->real, a->path) || rules_paths_covers(pattern, a->real);
}

/*
 * May pattern p[i..] match t[k..], or a path below it when the act is recursive?  Each **
 * branches, so left bounds the recursion; when it is used up, the result is the safe one.
 */
static bool may_meet(const struct components *p, size_t i, const struct components *t, size_t k,
                     bool is_deep, unsigned *left, struct analysis *budget)
{
	for (;; i++, k++) {
		if (!*left || !analysis_spend(budget, 4))
			return true;
		--*left;
		if (i == p->count)
			return true; /* the pattern covers everything below it */
		if (str_eq(p->items[i], STR("**"))) {
			for (size_t skip = k; skip <= t->count; skip++)
				if (may_meet(p, i + 1, t, skip, is_deep, left, budget))
					return true;
			return false;
		}
		if (k == t->count)
			return is_deep;
		if (!analysis_spend(budget, (p->items[i].len * t->items[k].len) / 16) ||
		    !rules_paths_glob_may_meet(p->items[i], t->items[k]))
			return false;
	}
}

static enum match path_once(struct analysis *budget, struct str pattern, struct str path,
                            unsigned flags, unsigned use)
{
	struct components p, t;
	bool is_deep = flags & ACT_PATH_DEEP;
	unsigned left = 2000;

	split_path(pattern, &p);
	split_path(path, &t);
	if (p.is_too_deep || t.is_too_deep)
		return MATCH_MAYBE;
	if (!analysis_spend(budget, 8 + p.count + t.count))
		return MATCH_MAYBE;
	if (!(flags & ACT_PATH_PATTERN) && components_cover(budget, &p, &t))
		return MATCH_YES;
	if (!(flags & (ACT_PATH_PATTERN | ACT_PATH_DEEP)))
		return MATCH_NO;
	if (!may_meet(&p, 0, &t, 0, is_deep, &left, budget))
		return MATCH_NO;
	/* Deleting a tree also deletes the protected places in it. */
	if (is_deep && use & ACT_DELETES && !(flags & ACT_PATH_PATTERN) && p.count > t.count &&
	    !str_eq(p.items[0], STR("**")))
		return MATCH_YES;
	return MATCH_MAYBE;
}

/* For deny and ask rules: either spelling of the path is enough, since both reach the same file. */
enum match rules_paths_broadly(struct analysis *budget, struct str pattern,
                               const struct act_path *a)
{
	enum match lexical, real;

	if (a->flags & ACT_PATH_UNKNOWN)
		return MATCH_MAYBE;
	lexical = path_once(budget, pattern, a->path, a->flags, a->use);
	if (str_eq(a->real, a->path))
		return lexical;
	real = path_once(budget, pattern, a->real, a->flags, a->use);
	return MAX(lexical, real);
}

/*
 * Lexical, like realpath without links.  dir is already absolute and is ignored for an absolute
 * text.  ".." after a wildcard has no lexical answer, because it depends on the match.
 */
struct str rules_paths_resolve(struct arena *mem, struct str dir, struct str text)
{
	char *out = arena_alloc_raw(mem, dir.len + text.len + 3);
	size_t n = 0;
	bool has_wild = false;

	for (int part = 0; part < 2; part++) {
		struct str rest = part ? text : dir;

		if (!part && str_starts(text, STR("/")))
			continue;
		while (rest.len) {
			struct str c = str_cut(&rest, '/');

			if (!c.len || str_eq(c, STR("."))) {
				continue;
			} else if (str_eq(c, STR(".."))) {
				if (has_wild)
					return STR_NONE;
				while (n && out[n - 1] != '/')
					n--;
				n -= n > 0;
			} else {
				has_wild |= part && (memchr(c.ptr, '*', c.len) ||
				                     memchr(c.ptr, '?', c.len) ||
				                     memchr(c.ptr, '[', c.len));
				out[n++] = '/';
				memcpy(out + n, c.ptr, c.len);
				n += c.len;
			}
		}
	}
	if (!n)
		out[n++] = '/';
	return str_of(out, n);
}

/* ---- places ---- */

static bool is_below(struct str path, struct str dir)
{
	while (dir.len > 1 && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	if (str_eq(dir, STR("/")))
		return true;
	return dir.len && str_starts(path, dir) &&
	       (path.len == dir.len || path.ptr[dir.len] == '/');
}

/* In lower case, because names are compared that way. */
#define NAME(text)                                                                                 \
	{                                                                                          \
		text, sizeof text - 1                                                              \
	}

/* Names of files with keys or tokens, in any directory. */
static const struct str secret_names[] = {
	NAME(".ssh"),
	NAME(".gnupg"),
	NAME(".aws"),
	NAME(".azure"),
	NAME(".kube"),
	NAME(".netrc"),
	NAME("_netrc"),
	NAME(".git-credentials"),
	NAME(".pgpass"),
	NAME(".my.cnf"),
	NAME(".password-store"),
	NAME(".docker"),
	NAME(".pypirc"),
	NAME(".htpasswd"),
	NAME(".vault_pass"),
	NAME(".vault-token"),
	NAME(".bash_history"),
	NAME(".zsh_history"),
	NAME(".sh_history"),
	NAME(".python_history"),
	NAME(".mysql_history"),
	NAME(".psql_history"),
	NAME(".node_repl_history"),
	NAME(".mozilla"),
	NAME(".terraform.d"),
	NAME(".env"),
	NAME(".env.*"),
	NAME(".envrc"),
	NAME("id_rsa"),
	NAME("id_dsa"),
	NAME("id_ecdsa"),
	NAME("id_ed25519"),
	NAME("*.pem"),
	NAME("*.key"),
	NAME("*.p12"),
	NAME("*.pfx"),
	NAME("*.kdbx"),
	NAME("*.keystore"),
	NAME("*.jks"),
	NAME("*.ppk"),
	NAME("*.gpg"),
	NAME("*.asc.key"),
	NAME("credentials"),
	NAME("credentials.json"),
	NAME("master.key"),
	NAME("ssh_host_*_key"),
	NAME("secrets.yml"),
	NAME("secrets.yaml"),
	NAME("secrets.json"),
	NAME(".thole"),
	NAME("keychains"),
	NAME("login.keychain"),
	NAME("login.keychain-db"),
	NAME("kcore"),
	NAME("kmem"),
	NAME("wallet.dat"),
};

/* Names that look like secrets and are none. */
static const struct str open_names[] = {
	NAME(".env.example"), NAME(".env.sample"),   NAME(".env.template"), NAME(".env.dist"),
	NAME(".env.test"),    NAME(".env.defaults"), NAME("id_rsa.pub"),    NAME("*.pub"),
};

/*
 * Files whose content runs later with more rights (catalog/protected_paths.json, also used for
 * sandbox plans).  The sandbox leaves parts of .git writable that ordinary work needs; by name all
 * of it is protected.
 */
static const char *const protected_paths[] = { ".git", PROTECTED_PATHS_TREE, PROTECTED_PATHS_HOME };
static const char *const protected_below_home[] = { PROTECTED_PATHS_BELOW_HOME };

/*
 * A pattern is compared in both spellings: on a file system that ignores case, K*.PEM may match
 * a file that the list names in lower case.
 */
static bool is_one_of(struct str name, struct str lower, const struct str *names, size_t count,
                      bool is_pattern)
{
	for (size_t i = 0; i < count; i++) {
		struct str n = names[i];

		if (is_pattern ? rules_paths_glob_may_meet(n, lower) ||
		                         rules_paths_glob_may_meet(n, name)
		    : n.ptr[0] == '*'
		            ? str_ends(lower, str_skip(n, 1))
		            : n.ptr[0] == lower.ptr[0] && rules_paths_glob_word(NULL, n, lower))
			return true;
	}
	return false;
}

#define NAME_BYTES_MAX 256 /* no file system has longer ones */

static bool is_named(struct str name, const struct str *names, size_t count, bool is_pattern)
{
	char low[NAME_BYTES_MAX];

	if (!name.len || name.len > sizeof low)
		return false;
	for (size_t i = 0; i < name.len; i++)
		low[i] = name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? (char)(name.ptr[i] + 32)
		                                                  : name.ptr[i];
	return is_one_of(name, str_of(low, name.len), names, count, is_pattern);
}

/* A pattern with a few literal letters; * alone says nothing. */
static bool is_telling(struct str pattern)
{
	size_t letters = 0;

	for (size_t i = 0; i < pattern.len; i += pattern_step(pattern, i))
		letters += pattern.ptr[i] != '*' && pattern.ptr[i] != '?' && pattern.ptr[i] != '[';
	return letters >= 3 || (pattern.ptr[0] == '.' && pattern.len > 1) || pattern.ptr[0] == '[';
}

static bool has_wild(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (is_wild(s.ptr[i]))
			return true;
	return false;
}

static bool is_secret_name(struct str name)
{
	bool is_pattern = has_wild(name);

	if (name.len > NAME_BYTES_MAX)
		return true; /* not compared */
	if (is_pattern && !is_telling(name))
		return false;
	if (is_named(name, open_names, COUNT_OF(open_names), false))
		return false;
	if (!is_pattern || name.ptr[0] == '.' || name.ptr[0] == '[')
		return is_named(name, secret_names, COUNT_OF(secret_names), is_pattern);
	/* *.c cannot be .ssh: a glob needs its dot written. */
	for (size_t i = 0; i < COUNT_OF(secret_names); i++)
		if (secret_names[i].ptr[0] != '.' &&
		    rules_paths_glob_may_meet(secret_names[i], name))
			return true;
	return false;
}

/* Passwords and root access. */
static bool is_system_secret(struct str path)
{
	static const char *const names[] = {
		"shadow",  "shadow-",   "gshadow",     "gshadow-",
		"sudoers", "sudoers.d", "krb5.keytab", "ipsec.secrets"
	};
	struct str dir, name;

	if (!rules_paths_next_component(&path, &dir) || !rules_paths_next_component(&path, &name))
		return false;
	if (!rules_paths_glob_may_meet(dir, STR("etc")))
		return false;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (rules_paths_glob_may_meet(str_from(names[i]), name))
			return true;
	return false;
}

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return s.len > 0;
}

/* Other processes, and our own descriptors under another name. */
static bool is_process_secret(struct str path)
{
	static const char *const harmless[] = { "status", "stat",    "statm",     "limits",
		                                "cgroup", "mounts",  "mountinfo", "comm",
		                                "sched",  "uid_map", "gid_map",   "oom_score",
		                                "io" };
	struct str proc, pid, what;

	if (!rules_paths_next_component(&path, &proc) || !rules_paths_next_component(&path, &pid))
		return false;
	if (!is_number(pid) && !str_eq(pid, STR("self")) && !str_eq(pid, STR("thread-self")) &&
	    !has_wild(pid))
		return false;
	if (!rules_paths_next_component(&path, &what))
		return false;
	for (size_t i = 0; i < COUNT_OF(harmless); i++)
		if (str_eq(what, str_from(harmless[i])))
			return false;
	return true;
}

static bool is_harmless_device(struct str path)
{
	static const char *const names[] = { "/dev/null",   "/dev/zero",   "/dev/full",
		                             "/dev/stdin",  "/dev/stdout", "/dev/stderr",
		                             "/dev/random", "/dev/urandom" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(path, str_from(names[i])))
			return true;
	return str_starts(path, STR("/dev/fd/")) && is_number(str_skip(path, 8));
}

static bool is_below_any(struct str path, const char *const *dirs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_below(path, str_from(dirs[i])))
			return true;
	return false;
}

/*
 * Programs, headers and manuals, the kernel's public information, and the parts of /etc that
 * describe the system.  Accounts, logs and settings of services are private.
 */
static bool is_public(struct str path)
{
	static const char *const dirs[] = { SYSTEM_PATHS_PUBLIC };

	return str_eq(path, STR("/")) || is_below_any(path, dirs, COUNT_OF(dirs));
}

static bool is_shared(struct str path)
{
	static const char *const dirs[] = { "/tmp", "/var/tmp", "/dev/shm" };

	return is_below_any(path, dirs, COUNT_OF(dirs));
}

static char lower_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Ignores case; a pattern matches when it may be that name. */
static bool is_same_name(struct str name, struct str given)
{
	if (has_wild(given)) /* *.c cannot be .git: a glob needs its dot written */
		return (given.ptr[0] == '.' || name.ptr[0] != '.') && is_telling(given) &&
		       rules_paths_glob_may_meet(name, given);
	if (name.len != given.len)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (lower_char(name.ptr[i]) != lower_char(given.ptr[i]))
			return false;
	return true;
}

/*
 * Does the path begin with that one, or is it a directory above it?  Replacing .github replaces
 * .github/workflows.
 */
static bool begins_with(struct str path, struct str protected)
{
	struct str name, c;

	while (rules_paths_next_component(&protected, &name)) {
		if (!rules_paths_next_component(&path, &c))
			return true;
		if (!is_same_name(name, c))
			return false;
	}
	return true;
}

static bool begins_with_any(struct str path, const char *const *list, size_t count)
{
	char first;

	while (path.len && path.ptr[0] == '/')
		path = str_skip(path, 1);
	if (!path.len)
		return false;
	first = lower_char(path.ptr[0]);
	for (size_t i = 0; i < count; i++)
		if ((lower_char(list[i][0]) == first || is_wild(path.ptr[0])) &&
		    begins_with(path, str_from(list[i])))
			return true;
	return false;
}

static unsigned flags_of_names(struct str rest)
{
	unsigned flags = 0;
	struct str from = rest, c;

	while (rules_paths_next_component(&rest, &c)) {
		if (is_secret_name(c))
			flags |= ACT_PATH_SECRET | ACT_PATH_PROTECTED;
		if (begins_with_any(from, protected_paths, COUNT_OF(protected_paths)))
			flags |= ACT_PATH_PROTECTED;
		from = rest;
	}
	return flags;
}

/* The user's programs and settings, unless the workspace is there. */
static bool is_users_own(struct str path, struct str home, struct str root)
{
	return home.len > 1 && is_below(path, home) && path.len > home.len &&
	       (!str_is(root) || is_below(home, root)) &&
	       begins_with_any(str_skip(path, home.len), protected_below_home,
	                       COUNT_OF(protected_below_home));
}

/*
 * The kinds of place overlap; rules and modes weigh the flags.  The order matters in two
 * places: the names below a root are examined without the path to it, and shared directories
 * and harmless devices return early, because the later tests would call them personal or
 * secret.
 */
unsigned rules_paths_place(struct str path, struct str home, const struct str *roots,
                           size_t root_count)
{
	unsigned flags = 0;
	struct str rest = path, root = STR_NONE;

	for (size_t i = 0; i < root_count; i++)
		if (is_below(roots[i], path))
			flags |= ACT_PATH_ROOT;
	for (size_t i = 0; i < root_count; i++)
		if (is_below(path, roots[i])) {
			flags |= ACT_PATH_INSIDE;
			root = roots[i];
			/* The path to the root is the user's own choice. */
			rest = roots[i].len < path.len ? str_skip(path, roots[i].len) : STR("");
		}
	flags |= flags_of_names(rest);
	if (is_users_own(path, home, root))
		flags |= ACT_PATH_PROTECTED;
	if (!(flags & ACT_PATH_INSIDE) && is_shared(path) &&
	    !(home.len > 1 && is_below(path, home)))
		return flags | ACT_PATH_SHARED;
	if (is_below(path, STR("/dev")) && !str_eq(path, STR("/dev"))) {
		if (is_harmless_device(path))
			return flags | ACT_PATH_HARMLESS;
		flags |= ACT_PATH_SECRET | ACT_PATH_PROTECTED;
	}
	if (is_below(path, STR("/proc")) && is_process_secret(path))
		flags |= ACT_PATH_SECRET | ACT_PATH_PROTECTED;
	if (is_system_secret(path) || is_below(path, STR("/run/secrets")) ||
	    is_below(path, STR("/var/run/secrets")) || is_below(path, STR("/etc/ssl/private")) ||
	    str_ends(path, STR("/docker.sock")))
		flags |= ACT_PATH_SECRET | ACT_PATH_PROTECTED;
	if (!(flags & ACT_PATH_INSIDE) &&
	    (!is_public(path) || (home.len > 1 && is_below(path, home))))
		flags |= ACT_PATH_PERSONAL;
	return flags;
}

size_t rules_paths_place_steps(struct str path)
{
	size_t steps = 16 + path.len / 4;
	struct str c;

	/* Each component is compared with every name of the lists, a pattern more slowly. */
	while (rules_paths_next_component(&path, &c))
		steps += has_wild(c) ? 2048 + 64 * c.len : 64;
	return steps;
}

/*
 * A link can only make a place worse: it takes "inside" away, adds the flags of its target, and
 * never makes the place harmless.
 */
unsigned rules_paths_place_behind(unsigned flags, struct str real, struct str home,
                                  const struct str *roots, size_t root_count)
{
	unsigned there = rules_paths_place(real, home, roots, root_count);

	if (!(there & ACT_PATH_INSIDE))
		flags &= ~(unsigned)ACT_PATH_INSIDE;
	if (there & ~flags & (ACT_PATH_SECRET | ACT_PATH_PROTECTED))
		flags |= ACT_PATH_LED;
	return flags | (there & ~(unsigned)(ACT_PATH_INSIDE | ACT_PATH_HARMLESS));
}
