/*
 * Programs that copy, pack and unpack files: which of their words are written, and which forms
 * only list.
 *
 * The target of a copy is the last operand or the value of -t.  Where it is a directory, the
 * files that are written have the names of the sources, so "target/name" counts as written as
 * well: a rule on that file applies, and so does the protection of .git and similar.
 *
 * tar is read option by option, in both of its forms, because an option taken for the value of
 * another one would turn an extraction into a listing.  A form that is not understood counts as
 * writing.
 */
#include "policy/shell/programs.h"

/* ---- copies ---- */

#define NAMES_MAX 64 /* sources whose names are followed into the target; more: all of it */

/* The last component: of a/b/ that is b. */
static struct str last_name(struct str path)
{
	size_t start;

	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	for (start = path.len; start && path.ptr[start - 1] != '/'; start--)
		;
	return str_skip(path, start);
}

/* "." and ".." as a source stand for everything in a directory. */
static bool is_real_name(struct str name)
{
	return name.len && !str_eq(name, STR(".")) && !str_eq(name, STR(".."));
}

/* The operands that may be the target: words that expand to nothing leave it to the one before. */
static uint32_t first_target(const struct command *c)
{
	uint32_t k = c->operand_count;

	while (k > 1 && c->w[c->operands[k - 1]].is_many)
		k--;
	return k ? k - 1 : 0;
}

struct copying {
	unsigned source_use, target_use;
	unsigned source_flags; /* of paths */
	bool is_directory;     /* the target certainly is one */
	bool keeps_paths;      /* the target gets more than the last name of a source */
};

static bool is_surely_directory(struct str path)
{
	return str_ends(path, STR("/")) || !is_real_name(last_name(path));
}

/* target/name for one source; a name that is not known may be any below the target. */
static void add_inside_target(struct judge *j, struct command *c, struct act_path target,
                              const struct token *source, const struct copying *how)
{
	bool is_pattern = !source->is_known && source->values && source->values->count == 1 &&
	                  source->values->items[0].kind == VALUE_PATTERN;
	struct str name = last_name(is_pattern ? source->values->items[0].text : source->text);
	bool is_named = (source->is_known || is_pattern) && is_real_name(name) && !how->keeps_paths;
	unsigned flags = target.flags & ACT_PATH_PATTERN;

	if (!how->is_directory && !is_surely_directory(target.given))
		flags |= ACT_PATH_GUESS;
	if (is_named && fits(j, target.path.len + name.len + 1))
		analyze_word_add_text_path(
			j, c,
			arena_printf(j->mem, "%.*s/%.*s", STR_ARG(target.path), STR_ARG(name)),
			target.word, ACT_WRITES,
			flags | (is_pattern ? ACT_PATH_PATTERN : 0) |
				(how->source_flags & ACT_PATH_DEEP));
	else
		analyze_word_add_text_path(j, c, target.path, target.word, ACT_WRITES,
		                           flags | ACT_PATH_DEEP);
}

/* Other options add guesses, which are no targets. */
static bool is_target(const struct act_path *p)
{
	return p->use & ACT_WRITES && !(p->flags & ACT_PATH_GUESS);
}

static bool has_target_option(const struct command *c, uint32_t from)
{
	for (uint32_t i = from; i < c->act->path_count; i++)
		if (is_target(&c->act->paths[i]))
			return true;
	return false;
}

/* Targets are among the paths from `from` to `to`; operands before `sources` are sources. */
static void add_names_in_targets(struct judge *j, struct command *c, uint32_t from, uint32_t to,
                                 uint32_t sources, const struct copying *how)
{
	struct token all = { .is_many = true };

	for (uint32_t t = from; t < to; t++) {
		struct act_path target = c->act->paths[t];

		if (!is_target(&target) || target.flags & (ACT_PATH_UNKNOWN | ACT_PATH_HARMLESS))
			continue;
		if (sources > NAMES_MAX) {
			add_inside_target(j, c, target, &all, how);
			continue;
		}
		for (uint32_t k = 0; k < sources; k++)
			add_inside_target(j, c, target, &c->w[c->operands[k]], how);
	}
}

/* The options have been scanned, and -t has added its directory from `option_from` on. */
static void take_copies(struct judge *j, struct command *c, struct copying how,
                        uint32_t option_from)
{
	uint32_t option_to = c->act->path_count, target = first_target(c), from, sources;
	bool has_option = has_target_option(c, option_from);

	sources = has_option ? c->operand_count : target;
	how.is_directory = has_option || sources > 1;
	for (uint32_t k = 0; k < (has_option ? c->operand_count : c->operand_count - 1); k++)
		analyze_word_add_word_path(j, c, c->operands[k], how.source_use, how.source_flags);
	from = has_option ? option_from : c->act->path_count;
	for (uint32_t k = target; !has_option && k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k],
		                           c->w[c->operands[k]].is_many
		                                   ? how.source_use | how.target_use
		                                   : how.target_use,
		                           0);
	add_names_in_targets(j, c, from, has_option ? option_to : c->act->path_count, sources,
	                     &how);
}

/* One operand: cp fails, unless it is a wildcard whose last match is the target. */
static void take_single(struct judge *j, struct command *c, const struct copying *how)
{
	uint32_t i = c->operands[0];

	analyze_word_add_word_path(
		j, c, i, c->w[i].is_many ? how->source_use | how->target_use : how->source_use,
		how->source_flags);
}

/* "ln target" makes a link of that name in the current directory. */
static void take_single_link(struct judge *j, struct command *c, const struct copying *how)
{
	uint32_t from = c->act->path_count, to;
	struct copying here = *how;

	here.is_directory = true;
	analyze_word_add_current(j, c, ACT_WRITES, 0);
	to = c->act->path_count;
	analyze_word_add_word_path(j, c, c->operands[0], how->source_use, how->source_flags);
	add_names_in_targets(j, c, from, to, 1, &here);
}

static void copy_with(struct judge *j, struct command *c, const struct program *p,
                      struct copying how)
{
	uint32_t from = c->act->path_count;
	bool is_link = str_eq(str_from(p->name), STR("ln"));

	analyze_scan_options(j, c, p, 1);
	if (has_target_option(c, from) || c->operand_count > 1)
		take_copies(j, c, how, from);
	else if (c->operand_count && is_link)
		take_single_link(j, c, &how);
	else if (c->operand_count)
		take_single(j, c, &how);
}

void analyze_files_cp(struct judge *j, struct command *c, const struct program *p)
{
	struct copying how = { .source_use = ACT_READS, .target_use = ACT_WRITES };

	if (analyze_has_flag(c, "rRa", "recursive") || analyze_has_flag(c, "", "archive"))
		how.source_flags = ACT_PATH_DEEP;
	how.keeps_paths = analyze_has_flag(c, "", "parents");
	copy_with(j, c, p, how);
}

/* With -d every operand is a directory that it makes. */
void analyze_files_install(struct judge *j, struct command *c, const struct program *p)
{
	if (!analyze_has_flag(c, "d", "directory")) {
		analyze_files_cp(j, c, p);
		return;
	}
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_WRITES, 0);
}

/* A source disappears with everything in it, so moving counts as deleting a tree. */
void analyze_files_mv(struct judge *j, struct command *c, const struct program *p)
{
	copy_with(j, c, p,
	          (struct copying){ .source_use = ACT_READS | ACT_DELETES,
	                            .target_use = ACT_WRITES,
	                            .source_flags = ACT_PATH_DEEP });
	c->act->effect = STR("move");
	c->act->rollback = STR("move it back; what it replaced has to come from version control");
}

/* ---- rsync and scp ---- */

/* host:path is remote unless a slash precedes the colon; true when it was. */
static bool take_remote(struct judge *j, struct command *c, uint32_t i)
{
	struct str s = c->w[i].text;
	ptrdiff_t at = str_find_char(s, ':');

	if (!c->w[i].is_known)
		return false;
	if (str_starts(s, STR("rsync://")) || str_starts(s, STR("scp://")))
		return analyze_word_add_hosts_of(j, c, i);
	if (at <= 0 || str_find_char(str_head(s, (size_t)at), '/') >= 0)
		return false;
	analyze_word_add_host(j, c, str_head(s, (size_t)at));
	return true;
}

void analyze_files_rsync(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t target;
	bool is_remote = false;

	analyze_scan_options(j, c, p, 1);
	target = first_target(c);
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];

		if (take_remote(j, c, i))
			is_remote = true;
		else
			analyze_word_add_word_path(j, c, i,
			                           k < target ? ACT_READS
			                           : k + 1 < c->operand_count || c->w[i].is_many
			                                   ? ACT_READS | ACT_WRITES
			                                   : ACT_WRITES,
			                           ACT_PATH_DEEP);
	}
	if (is_remote) {
		c->act->flags |= ACT_NETWORK;
		c->act->effect = STR("send");
	}
	/* --delete, --delete-after and the others of that family, --del, --remove-source-files. */
	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_starts_with(c, i, "--del") ||
		    analyze_word_starts_with(c, i, "--rem")) {
			/* what it removes depends on both sides, or is at the source */
			c->act->flags &= ~(unsigned)ACT_COMPLETE;
			c->act->flags |= ACT_DESTRUCTIVE;
			c->act->effect = STR("delete");
		}
}

/* ---- tar ---- */

#define TAR_PLACES_MAX 8

enum tar_mode { TAR_UNKNOWN, TAR_LISTS, TAR_EXTRACTS, TAR_CREATES };

/* The value of an option: the rest of its word, or a word of its own. */
struct tar_value {
	struct str text;
	uint32_t word;
	bool is_word;
};

struct tar {
	struct judge *j;
	struct command *c;
	enum tar_mode mode;
	struct tar_value archives[TAR_PLACES_MAX], dirs[TAR_PLACES_MAX];
	uint32_t archive_count, dir_count;
	bool has_absolute; /* -P: names in the archive are not made relative */
	bool to_stdout;
};

static const char tar_values[] =
	"b C f F g H I K L N T V X file directory files-from exclude-from exclude exclude-ignore "
	"exclude-ignore-recursive exclude-tag exclude-tag-all exclude-tag-under transform xform "
	"strip-components owner owner-map group group-map mode mtime newer newer-mtime after-date "
	"hole-detection level sparse-version add-file sort xattrs-exclude xattrs-include "
	"tape-length blocking-factor record-size format label starting-file suffix pax-option "
	"no-quote-chars quote-chars quoting-style checkpoint-action to-command "
	"use-compress-program info-script new-volume-script rmt-command rsh-command index-file "
	"volno-file listed-incremental";

/* -T: lines that begin with a dash are further options. */
static const char tar_bad[] = "I F T checkpoint-action to-command use-compress-program info-script "
			      "new-volume-script rmt-command rsh-command remove-files files-from";
static const char tar_writes[] = "g index-file volno-file listed-incremental";

/* --list is no shortened --listed-incremental: these are whole names. */
static bool is_tar_option(const char *list, struct str name, bool is_long)
{
	if (is_long &&
	    analyze_is_among("list file sparse exclude newer group owner exclude-tag", name))
		return analyze_is_among(list, name);
	return analyze_in_list(list, name, is_long);
}

static enum tar_mode tar_mode_of(struct str name, bool is_long)
{
	if (!is_long)
		return name.ptr[0] == 't' || name.ptr[0] == 'd' ? TAR_LISTS
		       : name.ptr[0] == 'x'                     ? TAR_EXTRACTS
		       : memchr("cruA", name.ptr[0], 4) != NULL ? TAR_CREATES
		                                                : TAR_UNKNOWN;
	/* A shortened name that fits several modes is an error for tar. */
	if (analyze_in_list("create append update delete concatenate catenate", name, true))
		return TAR_CREATES;
	if (analyze_in_list("extract get", name, true))
		return TAR_EXTRACTS;
	return analyze_in_list("list diff compare", name, true) ? TAR_LISTS : TAR_UNKNOWN;
}

static void add_value_path(struct tar *t, const struct tar_value *v, unsigned use, unsigned flags)
{
	if (str_eq(v->text, STR("-")) && !(flags & ACT_PATH_DEEP))
		return; /* standard input or output */
	if (v->is_word)
		analyze_word_add_word_path(t->j, t->c, v->word, use, flags);
	else
		analyze_word_add_text_path(t->j, t->c, v->text, (int)v->word, use, flags);
}

static void keep_place(struct tar *t, struct tar_value *places, uint32_t *count,
                       const struct tar_value *v)
{
	if (*count == TAR_PLACES_MAX)
		analyze_twist(t->j, t->c, v->word, "is one of too many archives or directories");
	else
		places[(*count)++] = *v;
}

static void take_tar_value(struct tar *t, struct str name, bool is_long, const struct tar_value *v)
{
	uint32_t before = t->c->act->path_count;

	if (v->is_word) {
		t->c->act->words[v->word].flags |= ACT_WORD_VALUE;
		if (t->c->w[v->word].is_many)
			analyze_twist(t->j, t->c, v->word, "may become several words");
	}
	if (is_tar_option("f file", name, is_long))
		keep_place(t, t->archives, &t->archive_count, v);
	else if (is_tar_option("C directory one-top-level", name, is_long))
		keep_place(t, t->dirs, &t->dir_count, v);
	else if (is_tar_option(tar_writes, name, is_long))
		add_value_path(t, v, ACT_WRITES, 0);
	else
		add_value_path(t, v, ACT_READS, ACT_PATH_GUESS);
	if (is_tar_option(tar_writes, name, is_long)) {
		analyze_by_option(t->c, before, v->word);
		analyze_twist(t->j, t->c, v->word, "writes a file");
	}
}

/* Everything about an option but its value. */
static void take_tar_option(struct tar *t, struct str name, bool is_long, uint32_t word)
{
	enum tar_mode mode = tar_mode_of(name, is_long);

	if (is_tar_option(tar_bad, name, is_long))
		analyze_twist(t->j, t->c, word, "makes it do something else");
	t->has_absolute |=
		is_long ? analyze_in_list("absolute-names", name, true) : name.ptr[0] == 'P';
	t->to_stdout |= is_long ? str_eq(name, STR("to-stdout")) : name.ptr[0] == 'O';
	/* Two modes are an error for tar; here the one that writes counts. */
	t->mode = MAX(t->mode, mode);
}

static uint32_t take_tar_long(struct tar *t, uint32_t i)
{
	struct str value = str_skip(t->c->w[i].text, 2), name = str_cut(&value, '=');
	bool takes_word = !str_is(value) && is_tar_option(tar_values, name, true);

	take_tar_option(t, name, true, i);
	if (str_is(value))
		take_tar_value(t, name, true, &(struct tar_value){ value, i, false });
	else if (takes_word && i + 1 < t->c->n)
		take_tar_value(t, name, true,
		               &(struct tar_value){ t->c->w[i + 1].text, i + 1, true });
	return takes_word ? i + 1 : i;
}

/*
 * Letters from `at` on.  In the old form (tar xfC a.tar dir) values are the words that follow,
 * in the order of their letters; otherwise a value is the rest of the cluster or the next word.
 */
static uint32_t take_tar_letters(struct tar *t, uint32_t i, size_t at, bool is_old)
{
	struct str s = t->c->w[i].text;
	uint32_t last = i;

	for (size_t k = at; k < s.len && spend(t->j, LETTER_STEPS); k++) {
		struct str letter = str_of(s.ptr + k, 1);
		bool is_attached = !is_old && k + 1 < s.len;

		take_tar_option(t, letter, false, i);
		if (!is_tar_option(tar_values, letter, false))
			continue;
		if (is_attached) {
			take_tar_value(t, letter, false,
			               &(struct tar_value){ str_skip(s, k + 1), i, false });
			return last;
		}
		if (++last < t->c->n)
			take_tar_value(t, letter, false,
			               &(struct tar_value){ t->c->w[last].text, last, true });
	}
	return last;
}

static void read_tar(struct tar *t)
{
	struct command *c = t->c;

	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known) {
			/* A wildcard may expand to --checkpoint-action=exec=…. */
			if (!c->has_ended && analyze_word_may_lead_dash(&c->w[i]))
				analyze_twist(t->j, c, i, "may turn out to be an option");
			c->operands[c->operand_count++] = i;
		} else if (i == 1 && s.len && s.ptr[0] != '-') {
			i = take_tar_letters(t, i, 0, true);
		} else if (c->has_ended || s.len < 2 || s.ptr[0] != '-') {
			c->operands[c->operand_count++] = i;
		} else if (str_eq(s, STR("--"))) {
			c->has_ended = true;
		} else if (s.ptr[1] == '-') {
			i = take_tar_long(t, i);
		} else {
			i = take_tar_letters(t, i, 1, false);
		}
	}
}

static void add_unpacked_tar(struct tar *t)
{
	for (uint32_t i = 0; i < t->dir_count; i++)
		add_value_path(t, &t->dirs[i], ACT_WRITES, ACT_PATH_DEEP);
	if (!t->dir_count && !t->to_stdout)
		analyze_word_add_current(t->j, t->c, ACT_WRITES, ACT_PATH_DEEP);
}

void analyze_files_tar(struct judge *j, struct command *c, const struct program *p)
{
	struct tar t = { .j = j, .c = c };
	unsigned archive_use;

	(void)p;
	read_tar(&t);
	archive_use =
		t.mode == TAR_LISTS || t.mode == TAR_EXTRACTS ? ACT_READS : ACT_READS | ACT_WRITES;
	for (uint32_t i = 0; i < t.archive_count; i++)
		add_value_path(&t, &t.archives[i], archive_use, 0);
	for (uint32_t i = 1; i < c->n; i++)
		/* An archive with a colon in its name is on another machine. */
		if (c->w[i].is_known && str_find_char(c->w[i].text, ':') > 0)
			analyze_twist(j, c, i, "may be on another machine");
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_READS,
		                           ACT_PATH_GUESS |
		                                   (t.mode == TAR_CREATES ? ACT_PATH_DEEP : 0));
	if (t.mode == TAR_LISTS) {
		analyze_read_only(c);
		return;
	}
	if (t.mode == TAR_EXTRACTS)
		add_unpacked_tar(&t);
	if (t.has_absolute)
		analyze_twist(j, c, 0, "with -P writes anywhere");
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	analyze_set_why(c, t.mode == TAR_EXTRACTS ? STR("tar extracts files")
	                                          : STR("tar writes an archive"));
}

/* ---- zip and others ---- */

/* zip makes NAME.zip of a name without a dot. */
static void add_zip_archive(struct judge *j, struct command *c, uint32_t i)
{
	analyze_word_add_word_path(j, c, i, ACT_READS | ACT_WRITES, 0);
	if (c->w[i].is_known)
		analyze_word_add_text_path(j, c,
		                           arena_printf(j->mem, "%.*s.zip", STR_ARG(c->w[i].text)),
		                           (int)i, ACT_WRITES, ACT_PATH_GUESS);
}

/*
 * The archive is the first operand.  An operand behind an option may be the value of that
 * option, so the search for the archive continues behind it.
 */
void analyze_files_zip(struct judge *j, struct command *c, const struct program *p)
{
	unsigned use = ACT_READS | (analyze_has_flag(c, "m", "move") ? ACT_DELETES : 0);
	unsigned deep = analyze_has_flag(c, "rR", "recurse-paths") ? ACT_PATH_DEEP : 0;
	uint32_t k = 0;

	analyze_scan_options(j, c, p, 1);
	for (bool is_sure = false; k < c->operand_count && !is_sure; k++) {
		add_zip_archive(j, c, c->operands[k]);
		is_sure = !analyze_word_starts_with(c, c->operands[k] - 1, "-");
	}
	for (k = 1; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], use, deep);
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
}

/*
 * unzip takes options before the archive only (and -d, -x behind it); a second dash turns an
 * option off again: "-l --l" extracts.
 */
static bool lists_zip(const struct command *c)
{
	bool lists = false;

	for (uint32_t i = 1; i < c->n && analyze_word_starts_with(c, i, "-"); i++) {
		struct str letters = str_skip(c->w[i].text, 1);

		if (str_find_char(letters, '-') >= 0)
			return false;
		for (size_t k = 0; k < letters.len; k++)
			lists |= memchr("ltZ", letters.ptr[k], 3) != NULL;
	}
	return lists;
}

void analyze_files_unzip(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t from = c->act->path_count, to;

	analyze_scan_options(j, c, p, 1);
	to = c->act->path_count;
	for (uint32_t i = from; i < to; i++) /* the directory of -d */
		if (c->act->paths[i].use & ACT_WRITES)
			c->act->paths[i].flags |= ACT_PATH_DEEP;
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_READS, k ? ACT_PATH_GUESS : 0);
	if (lists_zip(c)) {
		analyze_read_only(c);
		return;
	}
	if (from == to)
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
}

/*
 * 7z, rar, ar: COMMAND ARCHIVE FILE.  ar may have names before its archive (rb NAME), so the
 * first two operands behind the command count as archives.  -o of 7z and a last operand with a
 * slash of rar are directories.
 */
void analyze_files_keyed(struct judge *j, struct command *c, const struct program *p)
{
	bool has_dash = analyze_word_starts_with(c, 1, "-");
	struct str key = c->n > 1 && c->w[1].is_known ? str_skip(c->w[1].text, has_dash) : STR("");
	bool unpacks = key.len && memchr(key.ptr, 'x', key.len);
	uint32_t first = has_dash ? 0 : 1;

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = first; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];
		bool is_dir = c->w[i].is_known && str_ends(c->w[i].text, STR("/"));

		analyze_word_add_word_path(
			j, c, i, k < first + 2 || is_dir ? ACT_READS | ACT_WRITES : ACT_READS,
			is_dir ? ACT_PATH_DEEP : 0);
	}
	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_starts_with(c, i, "-o") && c->w[i].text.len > 2)
			analyze_word_add_text_path(j, c, str_skip(c->w[i].text, 2), (int)i,
			                           ACT_WRITES, ACT_PATH_DEEP);
	if (unpacks || str_starts(key, STR("e")))
		analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
}

/* The names come on standard input; -p copies them below its operand. */
void analyze_files_cpio(struct judge *j, struct command *c, const struct program *p)
{
	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		analyze_word_add_word_path(j, c, c->operands[k], ACT_READS | ACT_WRITES,
		                           ACT_PATH_DEEP);
	analyze_word_add_current(j, c, ACT_WRITES, ACT_PATH_DEEP);
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
}

/* ---- single files ---- */

/* gzip -c, -l and -t do not change the file; lz4 -l compresses it in an old format. */
void analyze_files_compress(struct judge *j, struct command *c, const struct program *p)
{
	bool is_lz4 = str_starts(str_from(p->name), STR("lz4"));
	bool leaves = analyze_has_flag(c, is_lz4 ? "ct" : "clt", "stdout") ||
	              analyze_has_flag(c, "", "list") || analyze_has_flag(c, "", "test");

	analyze_scan_options(j, c, p, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (!analyze_word_is_word(c, c->operands[k], "-"))
			analyze_word_add_word_path(
				j, c, c->operands[k],
				leaves ? ACT_READS : ACT_READS | ACT_DELETES | ACT_WRITES, 0);
	if (leaves || !c->operand_count)
		analyze_read_only(c);
}
