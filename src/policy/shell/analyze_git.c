/*
 * git: which subcommands only read, and which options make them do more.
 *
 * The table says what a subcommand does by itself.  Three things make even a reading subcommand
 * run programs: options (bad_options), settings given with -c, and the settings of the
 * repository, which the caller looks up (look_at_repository).
 */
#include "policy/shell/programs.h"

enum git_kind {
	GIT_LOOKS = 1,   /* changes nothing, whatever its options (except the bad ones) */
	GIT_CHANGES = 2, /* the repository or the working tree */
	GIT_NETWORK = 4,
	GIT_DESTROYS = 8, /* discards work */
	GIT_RUNS = 16,    /* runs other programs by design */
	GIT_LISTS = 32,   /* only reads if all options are listing ones */
	GIT_SECRETS = 64,
};

struct git_command {
	const char *name;
	unsigned kind;
	const char *looks;    /* GIT_LISTS: options and first words that only read */
	const char *destroys; /* options that discard work */
};

/* Sorted by name, for bsearch. */
static const struct git_command git_commands[] = {
	{ "add", GIT_CHANGES, NULL, NULL },
	{ "am", GIT_CHANGES | GIT_RUNS, NULL, NULL },
	{ "annotate", GIT_LOOKS, NULL, NULL },
	{ "apply", GIT_CHANGES, NULL, NULL },
	{ "archive", GIT_LOOKS, NULL, NULL },
	{ "bisect", GIT_CHANGES | GIT_RUNS | GIT_LISTS, "log", NULL },
	{ "blame", GIT_LOOKS, NULL, NULL },
	{ "branch", GIT_CHANGES | GIT_LISTS,
	  "-a -r -v -vv -l --list --all --remotes --verbose --show-current --contains "
	  "--no-contains "
	  "--merged --no-merged --sort --format --column --no-column --color --no-color "
	  "--points-at "
	  "--abbrev --no-abbrev -i --ignore-case -av -avv -ra -rv",
	  "-D -d -M --delete --force -f" },
	{ "cat-file", GIT_LOOKS, NULL, NULL },
	{ "check-attr", GIT_LOOKS, NULL, NULL },
	{ "check-ignore", GIT_LOOKS, NULL, NULL },
	{ "check-mailmap", GIT_LOOKS, NULL, NULL },
	{ "check-ref-format", GIT_LOOKS, NULL, NULL },
	{ "checkout", GIT_CHANGES, NULL, "-f --force -- . -B" },
	{ "cherry", GIT_LOOKS, NULL, NULL },
	{ "cherry-pick", GIT_CHANGES | GIT_RUNS, NULL, "--abort --quit" },
	{ "clean", GIT_CHANGES | GIT_DESTROYS | GIT_LISTS, "-n --dry-run -nd -dn -ndx -nx -ndX",
	  NULL },
	{ "clone", GIT_CHANGES | GIT_NETWORK, NULL, NULL },
	{ "commit", GIT_CHANGES, NULL, "--amend" },
	{ "config", GIT_CHANGES | GIT_LISTS,
	  "--get --get-all --get-regexp --get-urlmatch -l --list --show-origin --show-scope "
	  "--local "
	  "--global --system --name-only -z --null --type --bool --int --path --includes get list",
	  NULL },
	{ "count-objects", GIT_LOOKS, NULL, NULL },
	{ "credential", GIT_SECRETS | GIT_RUNS, NULL, NULL },
	{ "describe", GIT_LOOKS, NULL, NULL },
	{ "diff", GIT_LOOKS, NULL, NULL },
	{ "diff-files", GIT_LOOKS, NULL, NULL },
	{ "diff-index", GIT_LOOKS, NULL, NULL },
	{ "diff-tree", GIT_LOOKS, NULL, NULL },
	{ "fetch", GIT_CHANGES | GIT_NETWORK, NULL, NULL },
	{ "filter-branch", GIT_CHANGES | GIT_DESTROYS | GIT_RUNS, NULL, NULL },
	{ "for-each-ref", GIT_LOOKS, NULL, NULL },
	{ "fsck", GIT_LOOKS, NULL, NULL },
	{ "gc", GIT_CHANGES, NULL, "--prune --aggressive" },
	{ "grep", GIT_LOOKS, NULL, NULL },
	{ "init", GIT_CHANGES, NULL, NULL },
	{ "log", GIT_LOOKS, NULL, NULL },
	{ "ls-files", GIT_LOOKS, NULL, NULL },
	{ "ls-remote", GIT_LOOKS | GIT_NETWORK, NULL, NULL },
	{ "ls-tree", GIT_LOOKS, NULL, NULL },
	{ "merge", GIT_CHANGES | GIT_RUNS, NULL, "--abort --quit" },
	{ "merge-base", GIT_LOOKS, NULL, NULL },
	{ "mv", GIT_CHANGES, NULL, "-f --force" },
	{ "name-rev", GIT_LOOKS, NULL, NULL },
	{ "notes", GIT_CHANGES | GIT_LISTS, "list show", "remove prune" },
	{ "prune", GIT_CHANGES | GIT_DESTROYS, NULL, NULL },
	{ "pull", GIT_CHANGES | GIT_NETWORK, NULL, "-f --force" },
	{ "push", GIT_CHANGES | GIT_NETWORK, NULL,
	  "-f --force --force-with-lease --mirror --delete -d --prune" },
	{ "range-diff", GIT_LOOKS, NULL, NULL },
	{ "rebase", GIT_CHANGES | GIT_RUNS, NULL, "--abort --quit --skip" },
	{ "reflog", GIT_CHANGES | GIT_LISTS, "show list exists", "expire delete drop" },
	{ "remote", GIT_CHANGES | GIT_LISTS, "-v --verbose get-url", "remove rm prune" },
	{ "reset", GIT_CHANGES, NULL, "--hard --merge --keep" },
	{ "restore", GIT_CHANGES | GIT_DESTROYS, NULL, NULL },
	{ "rev-list", GIT_LOOKS, NULL, NULL },
	{ "rev-parse", GIT_LOOKS, NULL, NULL },
	{ "revert", GIT_CHANGES | GIT_RUNS, NULL, "--abort --quit" },
	{ "rm", GIT_CHANGES | GIT_DESTROYS, NULL, NULL },
	{ "shortlog", GIT_LOOKS, NULL, NULL },
	{ "show", GIT_LOOKS, NULL, NULL },
	{ "show-branch", GIT_LOOKS, NULL, NULL },
	{ "show-ref", GIT_LOOKS, NULL, NULL },
	{ "stash", GIT_CHANGES | GIT_LISTS, "list show", "drop clear pop" },
	{ "status", GIT_LOOKS, NULL, NULL },
	{ "submodule", GIT_CHANGES | GIT_NETWORK | GIT_RUNS | GIT_LISTS, "status summary",
	  "deinit" },
	{ "switch", GIT_CHANGES, NULL, "-f --force --discard-changes -C" },
	{ "tag", GIT_CHANGES | GIT_LISTS,
	  "-l --list -n --contains --no-contains --merged --no-merged --points-at --sort --format "
	  "--column --no-column --color -i --ignore-case",
	  "-d --delete -f --force" },
	{ "update-index", GIT_CHANGES, NULL, NULL },
	{ "update-ref", GIT_CHANGES, NULL, "-d --stdin" },
	{ "var", GIT_LOOKS, NULL, NULL },
	{ "verify-pack", GIT_LOOKS, NULL, NULL },
	{ "version", GIT_LOOKS, NULL, NULL },
	{ "whatchanged", GIT_LOOKS, NULL, NULL },
	{ "worktree", GIT_CHANGES | GIT_LISTS, "list", "remove prune" },
};

/* Options of any subcommand that write a file or start a program. */
static const char *const bad_options[] = {
	"--output",
	"--open-files-in-pager",
	"--ext-diff",
	"--upload-pack",
	"--receive-pack",
	"--exec",
	"--exec-path",
	"--config",
	"--template",
	"--textconv",
	"--filters",
	"--edit",
	"--contents",
	"--show-signature",
	"--verify-signatures",
	"--gpg-sign",
	"--strategy",
	"--upload-archive",
	"--paginate",
	"--web",
	"--lost-found",
	"--remote",
	"--editor",
	"--tool",
	"--extcmd",
	"--filter-process",
};

static const struct git_command *find_git(struct str name)
{
	size_t low = 0, high = COUNT_OF(git_commands);

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = str_cmp(name, str_from(git_commands[mid].name));

		if (!order)
			return &git_commands[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* Does a cluster of short options have the letter? */
static bool has_letter_of(struct str s, char letter)
{
	return s.len > 1 && s.ptr[0] == '-' && s.ptr[1] != '-' && memchr(s.ptr, letter, s.len);
}

static char lower_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Keys ignore case.  A key with a dot at its end stands for all of its section. */
static bool is_plain_key(struct str key)
{
	static const char *const keys[] = {
		"color.",        "core.quotepath", "advice.",          "log.date",
		"column.",       "diff.renames",   "core.abbrev",      "status.",
		"user.name",     "user.email",     "core.commentchar", "init.defaultbranch",
		"diff.noprefix", "safe.directory"
	};
	char low[64];

	if (key.len > sizeof low)
		return false;
	for (size_t i = 0; i < key.len; i++)
		low[i] = lower_char(key.ptr[i]);
	key.ptr = low;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct str k = str_from(keys[i]);

		if (str_ends(k, STR(".")) ? str_starts(key, k) : str_eq(key, k))
			return true;
	}
	return false;
}

/*
 * Settings that only change how output looks: -c KEY=VALUE.  A pager is a command line, so only
 * these whole values pass.
 */
static bool is_plain_setting(struct str s)
{
	struct str value = s, key = str_cut(&value, '=');

	if (str_eq(key, STR("core.pager")) || str_starts(key, STR("pager.")))
		return str_eq(value, STR("cat")) ||
		       (str_eq(value, STR("false")) && !str_eq(key, STR("core.pager")));
	return is_plain_key(key);
}

/* -C moves git to another repository, whose settings count.  Unlike cd it follows links. */
static void enter_directory(struct judge *j, struct command *c, struct str dir)
{
	c->flow.dirs[0] = j->place->real ? analyze_word_real(j, c->flow.dirs[0], dir)
	                                 : analyze_word_resolve(j, c->flow.dirs[0], dir);
	c->flow.dir_count = str_is(c->flow.dirs[0]);
}

/* Skips options before the subcommand; returns its index, c->n when there is none. */
static uint32_t skip_global(struct judge *j, struct command *c)
{
	uint32_t i = 1;

	for (; i < c->n; i++) {
		if (!c->w[i].is_known) {
			analyze_opaque(
				c, analyze_explain(j, c, i,
			                           "may turn out to be an option or a subcommand"));
			return c->n;
		}
		if (!analyze_word_starts_with(c, i, "-"))
			break;
		if (analyze_word_is_word(c, i, "-C")) {
			if (i + 1 < c->n) {
				c->act->words[i + 1].flags |= ACT_WORD_VALUE;
				analyze_word_add_word_path(j, c, i + 1, ACT_READS, 0);
				if (!c->w[i + 1].is_known)
					analyze_twist(j, c, i + 1, "may be any repository");
				else if (c->flow.dir_count == 1)
					enter_directory(j, c, c->w[i + 1].text);
				else
					c->flow.dir_count = 0;
			}
			i++;
		} else if (analyze_word_is_word(c, i, "-c")) {
			if (i + 1 < c->n) {
				c->act->words[i + 1].flags |= ACT_WORD_VALUE;
				/*
				 * Many settings name programs (core.pager, diff.external, alias.*),
				 * so only listed ones pass.
				 */
				if (!c->w[i + 1].is_known || !is_plain_setting(c->w[i + 1].text))
					analyze_twist(j, c, i + 1, "may run another program");
			}
			i++;
		} else if (analyze_word_is_word(c, i, "--no-pager") ||
		           analyze_word_is_word(c, i, "-P") ||
		           analyze_word_is_word(c, i, "--no-optional-locks") ||
		           analyze_word_is_word(c, i, "--literal-pathspecs") ||
		           analyze_word_is_word(c, i, "--no-replace-objects") ||
		           analyze_word_is_word(c, i, "--bare") ||
		           analyze_word_is_word(c, i, "--version") ||
		           analyze_word_is_word(c, i, "--help") ||
		           analyze_word_is_word(c, i, "-v") || analyze_word_is_word(c, i, "-h")) {
			continue;
		} else {
			analyze_twist(j, c, i, "changes which repository or program is used");
			if ((analyze_word_is_word(c, i, "--git-dir") ||
			     analyze_word_is_word(c, i, "--work-tree") ||
			     analyze_word_is_word(c, i, "--namespace") ||
			     analyze_word_is_word(c, i, "--exec-path") ||
			     analyze_word_is_word(c, i, "--config-env") ||
			     analyze_word_is_word(c, i, "--super-prefix")))
				i++; /* --git-dir DIR and similar take the next word */
		}
	}
	return MIN(i, c->n);
}

/* The text of -m, -am or --message: one word, whatever its content. */
static bool is_message(const struct command *c, uint32_t i)
{
	struct str before = i ? c->w[i - 1].text : STR("");

	if (c->w[i].is_many || !i || !c->w[i - 1].is_known)
		return false;
	return str_eq(before, STR("--message")) || str_eq(before, STR("-m")) ||
	       str_eq(before, STR("-am")) || str_eq(before, STR("-sm")) ||
	       str_eq(before, STR("-asm"));
}

/* The file of --output and -o; value_at 0: the next word. */
static void add_output(struct judge *j, struct command *c, uint32_t i, size_t value_at)
{
	uint32_t before = c->act->path_count;

	if (value_at)
		analyze_word_add_text_path(j, c, str_skip(c->w[i].text, value_at), (int)i,
		                           ACT_WRITES, 0);
	else if (i + 1 < c->n)
		analyze_word_add_word_path(j, c, i + 1, ACT_WRITES, 0);
	analyze_by_option(c, before, i);
}

/* Placeholders of signatures: git starts gpg to check them. */
static bool shows_signature(struct str word)
{
	return str_find(word, STR("%G")) >= 0 || str_find(word, STR("%(signature")) >= 0;
}

/* sub: options mean different things to different subcommands.  Long ones may be shortened. */
static void check_options(struct judge *j, struct command *c, uint32_t from, struct str sub)
{
	bool has_ended = false;

	for (uint32_t i = from; i < c->n; i++) {
		struct str s = c->w[i].text, name = s;

		if (analyze_word_is_word(c, i, "--"))
			has_ended = true;
		if (!c->w[i].is_known) {
			if (!has_ended && analyze_word_may_lead_dash(&c->w[i]) && !is_message(c, i))
				analyze_twist(j, c, i, "may turn out to be an option");
			continue;
		}
		if (!has_ended && shows_signature(s))
			analyze_twist(j, c, i, "starts a program that checks signatures");
		if (has_ended || s.len < 2 || s.ptr[0] != '-')
			continue;
		name = str_cut(&name, '=');
		if (name.len > 4 && str_starts(STR("--output"), name) &&
		    !str_starts(s, STR("--output-")))
			add_output(j, c, i,
			           str_find_char(s, '=') > 0 ? (size_t)str_find_char(s, '=') + 1
			                                     : 0);
		if (str_eq(sub, STR("archive")) && str_starts(s, STR("-o")))
			add_output(j, c, i, s.len > 2 ? 2 : 0);
		for (size_t k = 0; k < COUNT_OF(bad_options); k++)
			if (name.len > 3 && str_starts(str_from(bad_options[k]), name))
				analyze_twist(j, c, i, "writes a file or starts a program");
		/* git grep -O starts a pager, git archive -o writes a file. */
		if ((str_eq(sub, STR("grep")) && has_letter_of(s, 'O')) ||
		    (str_eq(sub, STR("archive")) && has_letter_of(s, 'o')) ||
		    (str_eq(sub, STR("rebase")) && has_letter_of(s, 'x')) ||
		    ((str_eq(sub, STR("clone")) || str_eq(sub, STR("fetch"))) &&
		     has_letter_of(s, 'u') && !str_eq(s, STR("-u"))) ||
		    (str_eq(sub, STR("clone")) && (has_letter_of(s, 'u') || has_letter_of(s, 'c'))))
			analyze_twist(j, c, i, "writes a file or starts a program");
	}
}

/* HEAD:path, and of the index :path or :0:path. */
static void add_stored_path(struct judge *j, struct command *c, uint32_t i)
{
	struct str s = c->w[i].text;
	ptrdiff_t at = str_find_char(s, ':');

	if (at < 0 || str_find(s, STR("://")) >= 0)
		return;
	s = str_skip(s, (size_t)at + 1);
	if (!at && s.len > 1 && s.ptr[0] >= '0' && s.ptr[0] <= '3' && s.ptr[1] == ':')
		s = str_skip(s, 2);
	analyze_word_add_text_path(j, c, s, (int)i, ACT_READS, ACT_PATH_GUESS);
}

/* Operands may be paths; those that look like one are added. */
static void add_operands(struct judge *j, struct command *c, uint32_t from)
{
	bool has_ended = false;

	for (uint32_t i = from; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (analyze_word_is_word(c, i, "--")) {
			has_ended = true;
			continue;
		}
		if (!c->w[i].is_known) {
			if (has_ended)
				analyze_word_add_word_path(j, c, i, ACT_READS, 0);
			else
				analyze_word_add_guess(j, c, i);
			continue;
		}
		if (analyze_word_starts_with(c, i, "-") && !has_ended) {
			analyze_word_add_guess(j, c, i);
			continue;
		}
		add_stored_path(j, c, i);
		analyze_word_add_text_path(j, c, s, (int)i, ACT_READS,
		                           has_ended || str_starts(s, STR("/")) ||
		                                           str_starts(s, STR(".."))
		                                   ? 0
		                                   : ACT_PATH_GUESS);
	}
}

/* Options with which a bare word is a filter, not a new object. */
static bool is_listing_word(struct str name, const struct git_command *g, bool is_first)
{
	static const char options[] = "-l --list --contains --no-contains --merged --no-merged "
				      "--points-at --show-current --get --get-all --get-regexp "
				      "--get-urlmatch --dry-run -n -nd -dn -ndx -nx -ndX";

	if (name.len > 1 && name.ptr[0] == '-')
		return analyze_is_among(options, name);
	return is_first && analyze_is_among(g->looks, name);
}

static bool is_count(struct str s)
{
	for (size_t i = 2; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return s.len > 2 && str_starts(s, STR("-n"));
}

/* Only listing options and words: the subcommand only reads. */
static bool only_lists(const struct command *c, uint32_t at, const struct git_command *g)
{
	bool is_listing = false, has_dot = false;
	struct str what = str_from(g->name);
	uint32_t operands = 0;

	for (uint32_t i = at + 1; i < c->n; i++) {
		struct str name = c->w[i].text;

		if (!c->w[i].is_known)
			return false;
		if (name.len > 1 && name.ptr[0] == '-') {
			name = str_cut(&name, '=');
			if (is_count(name) && analyze_is_among(g->looks, STR("-n")))
				name = STR("-n");
			if (!analyze_is_among(g->looks, name))
				return false;
		} else {
			operands++;
			has_dot |= str_find_char(name, '.') > 0;
		}
		is_listing |= is_listing_word(name, g, i == at + 1);
	}
	if (str_eq(what, STR("config")))
		return is_listing || (operands == 1 && has_dot);
	/* A bare word without a listing option creates a branch, a tag, a stash. */
	if (operands || str_eq(what, STR("clean")) || str_eq(what, STR("stash")) ||
	    str_eq(what, STR("bisect")))
		return is_listing;
	return true;
}

/* Its output consists only of file names. */
static bool writes_names(const struct command *c, struct str sub)
{
	if (str_eq(sub, STR("ls-files")))
		return true;
	if (str_eq(sub, STR("grep")))
		return analyze_has_flag(c, "lL", "files-with-matches");
	return (str_eq(sub, STR("diff")) || str_eq(sub, STR("ls-tree")) ||
	        str_eq(sub, STR("diff-tree"))) &&
	       analyze_has_flag(c, "", "name-only");
}

/*
 * Does it discard work that git cannot bring back, or rewrite what others have?  The options
 * may be shortened or clustered.
 */
static bool discards_work(struct judge *j, const struct command *c, uint32_t at,
                          const struct git_command *g)
{
	if (g->kind & GIT_DESTROYS)
		return true;
	for (uint32_t i = at + 1; i < c->n; i++) {
		struct str s = c->w[i].text, name = s;

		if (!c->w[i].is_known)
			continue;
		name = str_cut(&name, '=');
		if (analyze_is_among(g->destroys, name))
			return true;
		if (str_starts(name, STR("--")) && name.len > 4) {
			struct str rest = str_from(g->destroys ? g->destroys : "");

			while (str_is(rest)) /* shortened */
				if (str_starts(str_cut(&rest, ' '), name))
					return true;
		} else if (s.len > 2 && s.ptr[0] == '-') {
			for (size_t k = 1; k < s.len && spend(j, LETTER_STEPS); k++) {
				char flag[2] = { '-', s.ptr[k] };

				if (analyze_is_among(g->destroys, str_of(flag, 2)))
					return true;
			}
		}
		/* +branch forces the update, :branch deletes it on the server. */
		if (str_eq(str_from(g->name), STR("push")) && s.len &&
		    (s.ptr[0] == '+' || s.ptr[0] == ':'))
			return true;
	}
	return false;
}

#define REPOSITORY_STEPS 1024 /* reading its settings */

/* A repository may name programs that git runs even for reading, and hooks for other commands. */
static void look_at_repository(struct judge *j, struct command *c)
{
	/* Without a known directory the repository is unknown, and so is what it runs. */
	bool looks = c->act->flags & ACT_READ_ONLY, runs = !c->flow.dir_count;

	if (!j->place->runs_code)
		return;
	for (uint32_t i = 0; i < c->flow.dir_count && !runs; i++)
		runs = !spend(j, REPOSITORY_STEPS) ||
		       j->place->runs_code(j->place->owner, c->flow.dirs[i]) ||
		       (!looks && j->place->runs_hooks &&
		        j->place->runs_hooks(j->place->owner, c->flow.dirs[i]));
	if (!runs)
		return;
	c->act->flags |= ACT_RUNS_CODE;
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	analyze_unsafe(c, STR("execute"),
	               c->flow.dir_count
	                       ? STR("the settings of the repository name programs that git runs")
	                       : STR("which repository it looks at is known only when it runs"));
}

static void analyze_subcommand(struct judge *j, struct command *c);

void analyze_git(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	analyze_subcommand(j, c);
	/*
	 * The settings of the repository may change until it runs, and they can name programs: what
	 * it touches is never completely known.
	 */
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	if (c->n > 1 && !analyze_word_is_word(c, 1, "--version") &&
	    !analyze_word_is_word(c, 1, "version"))
		look_at_repository(j, c);
}

static void analyze_subcommand(struct judge *j, struct command *c)
{
	uint32_t at = skip_global(j, c);
	const struct git_command *g;

	if (at == c->n) {
		/* git, git --version */
		if (!(c->act->flags & ACT_OPAQUE))
			c->act->effect = STR("read");
		return;
	}
	for (uint32_t i = 1; i < at + 2 && i < c->n; i++)
		if (analyze_word_is_word(c, i, "--help") ||
		    (i < at && analyze_word_is_word(c, i, "-h")))
			analyze_unsafe(c, STR("execute"), STR("git --help starts a viewer"));
	g = find_git(c->w[at].text);
	if (!g) {
		c->act->flags |= ACT_RUNS_CODE;
		c->act->flags &= ~(unsigned)ACT_COMPLETE;
		analyze_unsafe(c, STR("execute"),
		               arena_printf(j->mem, "git %.*s may be an alias or another program",
		                            STR_ARG(c->w[at].text)));
		add_operands(j, c, at + 1);
		return;
	}
	check_options(j, c, at + 1, c->w[at].text);
	add_operands(j, c, at + 1);
	if (g->kind & GIT_NETWORK)
		c->act->flags |= ACT_NETWORK;
	/* A remote that is added now is reached by name later. */
	if (str_eq(c->w[at].text, STR("remote")) &&
	    (analyze_word_is_word(c, at + 1, "add") || analyze_word_is_word(c, at + 1, "set-url")))
		c->act->has_unknown_host = true;
	/* "git submodule status" and the like stay on this machine. */
	if (g->kind & GIT_LISTS && only_lists(c, at, g)) {
		c->act->flags &= ~(unsigned)ACT_NETWORK;
		return;
	}
	/* A remote by name (origin) leads to a host that only the repository knows. */
	if (g->kind & GIT_NETWORK) {
		c->act->has_unknown_host = true;
		for (uint32_t i = at + 1; i < c->n; i++)
			if (c->w[i].is_known && analyze_word_add_hosts_of(j, c, i))
				c->act->has_unknown_host = false;
		if (str_find(c->w[at].text, STR("clone")) == 0 || c->act->hosts.count)
			for (uint32_t i = at + 1; i < c->n; i++)
				if (c->w[i].is_known && str_find(c->w[i].text, STR("::")) > 0)
					analyze_twist(j, c, i, "runs a helper program");
	}
	if (writes_names(c, c->w[at].text))
		/* Names that git prints are relative to the directory and may begin with a dash. */
		c->names = analyze_word_one_value(j, STR("."), VALUE_BARE);
	/* The row of the program made the act read-only; everything below takes that back. */
	if (!(g->kind & ~(unsigned)GIT_LOOKS))
		return;
	if (g->kind & GIT_RUNS)
		c->act->flags |= ACT_RUNS_CODE;
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	analyze_unsafe(c, g->kind & GIT_NETWORK ? STR("send") : STR("change"),
	               arena_printf(j->mem, "git %s %s", g->name,
	                            g->kind & GIT_NETWORK   ? "uses the network"
	                            : g->kind & GIT_SECRETS ? "hands out secrets"
	                                                    : "changes the repository"));
	c->act->effect = g->kind & GIT_NETWORK ? STR("send") : STR("change");
	c->act->rollback =
		STR("git reflog shows where branches were; git stash and git restore bring "
	            "back what was committed or stashed");
	if (discards_work(j, c, at, g)) {
		c->act->flags |= ACT_DESTRUCTIVE;
		c->act->effect = STR("delete");
		c->act->rollback =
			STR("git reflog and git fsck --lost-found may find commits; changes "
		            "that were never committed are gone");
	}
}
