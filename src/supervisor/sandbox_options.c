/*
 * The options of sandbox-run, read into a profile.  Paths are made canonical
 * here, because a plan takes no others.
 */
#include "supervisor/sandbox_options.h"

#include "sandbox/host_rule.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
	"usage: thole-supervisor sandbox-run [OPTION...] -- COMMAND [ARGUMENT...]\n"
	"\n"
	"  --profile P       read_only, workspace_write (default) or danger_full_access\n"
	"  -C, --cwd DIR     the workspace (default: the current directory)\n"
	"  --write DIR       another writable directory; may be repeated, as all below\n"
	"  --read PATH       another readable path\n"
	"  --deny-read PATH  not readable, although inside\n"
	"  --deny PATTERN    not readable, resolved when it starts: * and ? in a name, ** for any\n"
	"                    number of names; write:PATTERN: not writable\n"
	"  --protect PATH    not writable, although inside\n"
	"  --env NAME=VALUE  a variable; else only PATH HOME LANG TERM TZ are passed on\n"
	"  --net MODE        off, restricted (default: a loopback of its own) or full\n"
	"  --allow-host HOST a host that is reached through a proxy, with --net restricted:\n"
	"                    NAME, *.NAME, ADDRESS or ADDRESS/BITS, and :PORT or :*\n"
	"  --unix-sockets    allow Unix sockets with a path\n"
	"  --tier T          this tier or none\n"
	"  --fail-closed     refuse anything weaker than namespaces+landlock+seccomp\n"
	"  --timeout S       seconds; 0 for none (default 120)\n"
	"  --memory BYTES, --processes N, --private BYTES\n"
	"                    limits of the whole tree and of its private directories\n"
	"  --file-size BYTES one file that it writes, by its apparent size (default 4G)\n"
	"  --output BYTES    what is kept of its output\n"
	"                    K, M, G or T behind a number of bytes: times 1024 and so on\n"
	"  --parent PID      end the command when this process, which started the program, ends\n"
	"  --tty             give it a terminal\n"
	"  --json            the result as one JSON line on descriptor 3 if open, else on stderr\n"
	"  --plan            print the plan and do nothing\n";

/*
 * `what` may come from the command line or from a file name, so control characters are replaced
 * before a terminal shows them.  fmt must contain exactly one %s.
 */
void sandbox_options_die(int code, const char *fmt, const char *what)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	utf8_add_safe(&text, str_from(what), false);
	buf_add_char(&text, '\0');
	fprintf(stderr, fmt, text.ptr);
	exit(code);
}

static void add_item(struct sandbox_options *o, struct sandbox_paths *l, struct str item)
{
	l->at = arena_grow(o->mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = item;
}

/*
 * For roots: a plan names a root by its canonical path, and a root that does not exist cannot be
 * mounted.
 */
static struct str real_path(struct sandbox_options *o, const char *path)
{
	char full[PATH_MAX];

	if (!realpath(path, full))
		sandbox_options_die(125, "thole-supervisor: there is no %s\n", path);
	return arena_keep(o->mem, str_from(full));
}

/* Need not exist: what is protected or denied may come later. */
static struct str full_path(struct sandbox_options *o, const char *path)
{
	char full[PATH_MAX];
	struct str p = str_from(path);

	if (realpath(path, full))
		p = str_from(full);
	else if (path[0] != '/')
		p = arena_printf(o->mem, "%s/%s", o->profile.cwd.ptr, path);
	if (!path_is_clean(p))
		sandbox_options_die(125, "thole-supervisor: %s is not a clean path\n", path);
	return arena_keep(o->mem, p);
}

/* A pattern is meant from the workspace unless it is absolute or begins with double stars. */
static struct str full_rule(struct sandbox_options *o, const char *text)
{
	struct str rule = str_from(text);
	const char *front = "";

	if (str_starts(rule, STR(SANDBOX_PLAN_DENY_WRITE))) {
		front = SANDBOX_PLAN_DENY_WRITE;
		rule = str_skip(rule, sizeof SANDBOX_PLAN_DENY_WRITE - 1);
	}
	if (str_starts(rule, STR("/")))
		return arena_printf(o->mem, "%s%.*s", front, STR_ARG(rule));
	if (str_starts(rule, STR("**")))
		return arena_printf(o->mem, "%s/%.*s", front, STR_ARG(rule));
	return arena_printf(o->mem, "%s%s/%.*s", front, o->profile.cwd.ptr, STR_ARG(rule));
}

/*
 * A number with an optional unit.  The comparison with INT64_MAX >> shift excludes an overflow of
 * the shift.
 */
static int64_t read_number(const char *text)
{
	int64_t n;

	static const char units[] = "KMGT";
	struct str digits = str_from(text);
	const char *unit = digits.len ? strchr(units, digits.ptr[digits.len - 1]) : NULL;

	int shift = unit && *unit ? (int)(10 * (unit - units + 1)) : 0;

	if (shift)
		digits.len--;
	if (!str_to_i64(digits, &n) || n < 0 || n > INT64_MAX >> shift)
		sandbox_options_die(2, "thole-supervisor: %s is not a number\n", text);
	return n << shift;
}

/*
 * The four functions below split the options by the kind of their value.  Each returns false for
 * a name that it does not know (or a value that is invalid), so sandbox_options_read() tries them
 * in turn.
 */
static bool read_word_option(struct sandbox_options *o, const char *name, const char *value)
{
	struct str v = str_from(value);

	if (!strcmp(name, "--profile")) {
		/*
		 * Both spellings are accepted: read-only, as other programs write it, and
		 * read_only, as in the plan.
		 */
		char *text = memory_strdup(value);

		for (char *c = text; text && *c; c++)
			if (*c == '-')
				*c = '_';
		bool ok = sandbox_plan_mode_read(str_from(text), &o->profile.mode) &&
		          o->profile.mode != SANDBOX_EXTERNAL;

		free(text);
		return ok;
	}
	if (!strcmp(name, "--net"))
		return sandbox_plan_network_read(v, &o->profile.network);
	if (!strcmp(name, "--tier"))
		return o->profile.has_tier = sandbox_tier_read(v, &o->profile.tier);
	if (!strcmp(name, "--allow-host")) {
		struct str hosts[HOST_RULES_MAX];
		size_t count = host_rule_expand(&v, 1, hosts);

		for (size_t i = 0; i < count; i++)
			add_item(o, &o->profile.allow, hosts[i]);
		return true;
	}
	if (!strcmp(name, "--env")) {
		add_item(o, &o->env, v);
		return str_find_char(v, '=') > 0;
	}
	return false;
}

static bool read_quantity_option(struct sandbox_options *o, const char *name, const char *value)
{
	struct sandbox_limits *l = &o->limits;
	int64_t *to = !strcmp(name, "--timeout")     ? &l->timeout_ms
	              : !strcmp(name, "--memory")    ? &l->max_memory_bytes
	              : !strcmp(name, "--processes") ? &l->max_processes
	              : !strcmp(name, "--private")   ? &l->private_bytes
	              : !strcmp(name, "--output")    ? &l->max_output_bytes
	              : !strcmp(name, "--file-size") ? &l->max_file_bytes
	              : !strcmp(name, "--parent")    ? &o->parent
	                                             : NULL;

	if (!to)
		return false;
	*to = read_number(value);
	if (to != &l->timeout_ms)
		return true;
	if (*to > INT64_MAX / 1000)
		return false;
	*to *= 1000;
	return true;
}

static bool read_path_option(struct sandbox_options *o, const char *name, const char *value)
{
	if (!strcmp(name, "--write"))
		add_item(o, &o->profile.write, real_path(o, value));
	else if (!strcmp(name, "--read"))
		add_item(o, &o->profile.read, real_path(o, value));
	else if (!strcmp(name, "--deny-read"))
		add_item(o, &o->profile.deny, full_path(o, value));
	else if (!strcmp(name, "--protect"))
		add_item(o, &o->profile.protect, full_path(o, value));
	else if (!strcmp(name, "--deny"))
		add_item(o, &o->profile.deny_rules, full_rule(o, value));
	else
		return false;
	return true;
}

static bool read_flag_option(struct sandbox_options *o, const char *name)
{
	bool *to = !strcmp(name, "--fail-closed")    ? &o->profile.is_fail_closed
	           : !strcmp(name, "--unix-sockets") ? &o->profile.unix_sockets
	           : !strcmp(name, "--json")         ? &o->json
	           : !strcmp(name, "--plan")         ? &o->plan_only
	           : !strcmp(name, "--tty")          ? &o->pty
	                                             : NULL;

	if (to)
		*to = true;
	return to;
}

static bool is_cwd(const char *name)
{
	return !strcmp(name, "-C") || !strcmp(name, "--cwd");
}

/* Relative paths are meant from the workspace only where they need not exist, so it comes first. */
static void find_cwd(struct sandbox_options *o, int argc, char **argv)
{
	const char *dir = ".";

	for (int i = 0; i + 1 < argc && strcmp(argv[i], "--"); i++)
		if (is_cwd(argv[i]))
			dir = argv[i + 1];
	o->profile.cwd = real_path(o, dir);
}

/*
 * Ends the process on an invalid option (exit code 2) or on a path that does not exist (125);
 * nothing has been started yet.
 */
void sandbox_options_read(struct sandbox_options *o, struct arena *mem, int argc, char **argv)
{
	*o = (struct sandbox_options){ .mem = mem,
		                       .limits = sandbox_plan_default_limits,
		                       .profile = { .mode = SANDBOX_WORKSPACE_WRITE,
		                                    .network = SANDBOX_NETWORK_RESTRICTED } };

	int i = 0;

	find_cwd(o, argc, argv);
	for (; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(usage, stdout);
			exit(0);
		}
		if (read_flag_option(o, argv[i]))
			continue;
		if (argv[i][0] != '-')
			break; /* the command; -- is for those that begin with a dash */
		if (i + 1 >= argc)
			sandbox_options_die(
				2, "thole-supervisor: %s is no option, or lacks its value\n",
				argv[i]);
		if (!is_cwd(argv[i]) && !read_quantity_option(o, argv[i], argv[i + 1]) &&
		    !read_path_option(o, argv[i], argv[i + 1]) &&
		    !read_word_option(o, argv[i], argv[i + 1]))
			sandbox_options_die(2, "thole-supervisor: %s: no such option or value\n",
			                    argv[i]);
		i++;
	}
	i += i < argc && !strcmp(argv[i], "--");
	for (; i < argc; i++)
		add_item(o, &o->argv, str_from(argv[i]));
	if (!o->argv.count && !o->plan_only) {
		fputs(usage, stderr);
		exit(2);
	}
}
