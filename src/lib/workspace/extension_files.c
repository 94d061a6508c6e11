/*
 * Finds skills, commands and agents and reads their heads.  Runs on the thread
 * that reads context; the engine decides afterwards which of them are trusted.
 */
#include "lib/workspace/extension_files.h"

#include "base/buf.h"
#include "base/gen/limits.h"
#include "base/hash/sha256.h"
#include "base/path/foreign_file.h"
#include "base/utf8.h"
#include "lib/workspace/workspace_file.h"
#include "text/front_matter.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What one read may cost for the user's folders, and again for a project's: it delays a turn. */
#define ENTRIES_MAX 16384 /* entries of directories that are looked at */
#define BYTES_MAX (16u << 20)
#define PROMPT_MAX 65536    /* of an agent */
#define DEPTH_MAX 4         /* of subfolders */
#define BESIDE_MAX 200      /* files beside a skill that are named, and that trust covers */
#define BESIDE_DEPTH_MAX 16 /* of folders in a skill whose files trust covers */
#define BESIDE_BYTES_MAX ((size_t)4 << 20) /* of one of them, for its hash */
#define DESCRIPTION_MAX 1024
#define NAME_MAX_BYTES 128

enum base { BASE_CONFIG, BASE_HOME, BASE_PROJECT };

/* In the order of precedence: a project cannot replace what the user has. */
static const struct place {
	enum extension_kind kind;
	enum base base;
	const char *dir;
} places[] = {
	{ EXTENSION_KIND_SKILL, BASE_CONFIG, "skills" },
	{ EXTENSION_KIND_SKILL, BASE_HOME, ".agents/skills" },
	{ EXTENSION_KIND_SKILL, BASE_HOME, ".claude/skills" },
	{ EXTENSION_KIND_SKILL, BASE_HOME, ".codex/skills" },
	{ EXTENSION_KIND_SKILL, BASE_PROJECT, ".thole/skills" },
	{ EXTENSION_KIND_SKILL, BASE_PROJECT, ".agents/skills" },
	{ EXTENSION_KIND_SKILL, BASE_PROJECT, ".claude/skills" },
	{ EXTENSION_KIND_SKILL, BASE_PROJECT, ".codex/skills" },
	{ EXTENSION_KIND_SKILL, BASE_PROJECT, ".opencode/skills" },
	{ EXTENSION_KIND_COMMAND, BASE_CONFIG, "commands" },
	{ EXTENSION_KIND_COMMAND, BASE_HOME, ".claude/commands" },
	{ EXTENSION_KIND_COMMAND, BASE_HOME, ".codex/prompts" },
	{ EXTENSION_KIND_COMMAND, BASE_PROJECT, ".thole/commands" },
	{ EXTENSION_KIND_COMMAND, BASE_PROJECT, ".claude/commands" },
	{ EXTENSION_KIND_COMMAND, BASE_PROJECT, ".opencode/command" },
	{ EXTENSION_KIND_COMMAND, BASE_PROJECT, ".opencode/commands" },
	{ EXTENSION_KIND_AGENT, BASE_CONFIG, "agents" },
	{ EXTENSION_KIND_AGENT, BASE_HOME, ".claude/agents" },
	{ EXTENSION_KIND_AGENT, BASE_PROJECT, ".thole/agents" },
	{ EXTENSION_KIND_AGENT, BASE_PROJECT, ".claude/agents" },
	{ EXTENSION_KIND_AGENT, BASE_PROJECT, ".opencode/agent" },
	{ EXTENSION_KIND_AGENT, BASE_PROJECT, ".opencode/agents" },
};

struct budget {
	size_t entries, bytes;
	size_t agents; /* whose prompts are kept */
	size_t texts;  /* bytes of texts that are kept */
	bool is_told;  /* that it is used up */
};

/* One folder while it is read. */
struct folder {
	struct context_read *r;
	const struct sandbox_paths *rules;
	const struct place *place;
	struct str root;    /* of the project; of a user's folder: the folder itself, resolved */
	struct str dir;     /* the folder below the root; "." for a user's */
	struct str shown;   /* its path as the user knows it */
	struct str project; /* the project's root; absent: the folder is the user's */
	size_t count, left_out;
	struct budget *budget;
	struct arena *scratch; /* of one file */
	size_t *cap, *note_cap;
};

static bool is_own(const struct folder *f)
{
	return !str_is(f->project);
}

static void leave_out(struct folder *f, struct str sentence)
{
	struct context_read *r = f->r;

	if (r->left_out_count == *f->note_cap) {
		size_t grown = *f->note_cap ? *f->note_cap * 2 : 4;

		r->left_out =
			arena_grow(r->mem, r->left_out, r->left_out_count * sizeof *r->left_out,
		                   grown * sizeof *r->left_out);
		*f->note_cap = grown;
	}
	r->left_out[r->left_out_count++] = sentence;
}

/* Once: the folders that follow are not read to their end either. */
static void tell_budget(struct folder *f)
{
	if (!f->budget->is_told)
		leave_out(f, arena_printf(f->r->mem,
		                          "From %.*s on files are left out: at most %d entries and "
		                          "%u MiB are read.",
		                          STR_ARG(f->shown), ENTRIES_MAX, BYTES_MAX >> 20));
	f->budget->is_told = true;
}

/* ---- directories ---- */

static int by_name(const void *a, const void *b)
{
	const struct str *x = a, *y = b;

	return str_cmp(str_skip(*x, 1), str_skip(*y, 1));
}

/* The entries below the folder, sorted, each with the letter of its kind in front. */
static size_t list_sorted(struct folder *f, struct str below, struct str **ret)
{
	struct arena *mem = f->r->mem;
	struct str path = below.len
	                          ? arena_printf(mem, "%.*s/%.*s", STR_ARG(f->dir), STR_ARG(below))
	                          : arena_keep(mem, f->dir);
	struct foreign_list list;
	struct str rest;
	size_t count = 0;

	if (!f->budget->entries) {
		tell_budget(f);
		return 0;
	}
	if (foreign_file_list(mem, f->root, path.ptr, f->budget->entries, &list, NULL) != OK)
		return 0;
	if (list.has_more)
		tell_budget(f);
	for (size_t i = 0; i < list.lines.len; i++)
		count += list.lines.ptr[i] == '\n';
	f->budget->entries -= MIN(f->budget->entries, count + 1);
	*ret = ARENA_ARRAY(mem, struct str, count + 1);
	rest = list.lines;
	for (size_t i = 0; i < count; i++)
		(*ret)[i] = str_cut(&rest, '\n');
	qsort(*ret, count, sizeof **ret, by_name);
	return count;
}

/* ---- one file ---- */

/* The text lives until the next file is read. */
static void read_file(struct folder *f, struct str below, struct workspace_file *ret)
{
	struct arena *mem = f->scratch;

	arena_reset(mem);
	if (is_own(f))
		workspace_file_read_own(
			mem, arena_printf(mem, "%.*s/%.*s", STR_ARG(f->root), STR_ARG(below)),
			LIMIT_EXTENSION_BYTES, f->rules, ret);
	else
		workspace_file_read(
			mem, f->root,
			arena_printf(mem, "%.*s/%.*s", STR_ARG(f->dir), STR_ARG(below)).ptr,
			LIMIT_EXTENSION_BYTES, f->rules, ret);
	if (ret->missing != MISSING_REASON_NOT_FOUND)
		f->budget->bytes -= MIN(f->budget->bytes,
		                        str_is(ret->text) ? ret->text.len : LIMIT_EXTENSION_BYTES);
}

static const char *missing_text(enum missing_reason reason)
{
	switch (reason) {
	case MISSING_REASON_DENIED:
		return "A rule denies it, or it is a link that leads out of the project.";
	case MISSING_REASON_TOO_LARGE:
		return "It is larger than 256 KiB.";
	default:
		return "It is not a regular file with UTF-8 text.";
	}
}

/* One line without control characters: it is shown in lists and in the prompt. */
static struct str one_line(struct arena *mem, struct str s, size_t max)
{
	struct str cut = utf8_head(str_trim(s), max);
	char *out = arena_alloc(mem, cut.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < cut.len; i++) {
		char c = (unsigned char)cut.ptr[i] < ' ' || cut.ptr[i] == 0x7f ? ' ' : cut.ptr[i];

		if (c != ' ' || (len && out[len - 1] != ' '))
			out[len++] = c;
	}
	out[len] = 0;
	return str_of(out, len);
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x80 && !(c >= '0' && c <= '9') &&
		    !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && !strchr("._:-", c))
			return false;
	}
	return s.len && s.len <= NAME_MAX_BYTES;
}

static struct str first_line(struct str body)
{
	while (str_is(body)) {
		struct str line = str_trim(str_cut(&body, '\n'));

		while (line.len && line.ptr[0] == '#')
			line = str_skip(line, 1);
		line = str_trim(line);
		if (line.len)
			return line;
	}
	return STR("");
}

static const char *fault_of(const struct context_extension *x, const struct front_matter *m)
{
	if (m->is_open)
		return "Its head begins with --- and has no second --- line.";
	if (!is_name(x->name))
		return "Its name may consist of letters, digits and . _ : - only.";
	if (!x->description.len && x->kind != EXTENSION_KIND_COMMAND)
		return "It has no description.";
	if (str_is(x->tools) && str_find_char(x->tools, ':') >= 0)
		return "Its tools are not a list of names.";
	if (x->kind == EXTENSION_KIND_AGENT && m->body.len > PROMPT_MAX)
		return "Its prompt is larger than 64 KiB.";
	if (!str_trim(m->body).len && x->kind != EXTENSION_KIND_AGENT)
		return "It has no text.";
	return NULL;
}

static struct str notes_of(struct arena *mem, struct arena *scratch,
                           const struct context_extension *x, const struct front_matter *m)
{
	bool has_tools = x->kind != EXTENSION_KIND_AGENT &&
	                 str_is(front_matter_get(scratch, m, "allowed-tools"));
	bool has_lines = x->kind == EXTENSION_KIND_COMMAND && str_find(m->body, STR("!`")) >= 0;

	if (!has_tools && !has_lines)
		return STR_NONE;
	return arena_printf(mem, "%s%s%s",
	                    has_tools ? "allowed-tools is not used; your own permissions apply."
	                              : "",
	                    has_tools && has_lines ? " " : "",
	                    has_lines ? "Its !`command` lines are sent as text and not run." : "");
}

static struct str head_value(struct folder *f, const struct front_matter *m, const char *key,
                             size_t max)
{
	struct str v = front_matter_get(f->scratch, m, key);

	return str_is(v) && str_trim(v).len ? one_line(f->r->mem, v, max) : STR_NONE;
}

static void read_head(struct folder *f, struct context_extension *x, const struct front_matter *m)
{
	struct arena *mem = f->r->mem;
	/* A command is what its file is called; users of other agents type that. */
	struct str name =
		x->kind == EXTENSION_KIND_COMMAND ? STR_NONE : head_value(f, m, "name", 1024);
	struct str model = head_value(f, m, "model", 256);
	const char *fault;

	if (str_is(name))
		x->name = name;
	x->description = head_value(f, m, "description", DESCRIPTION_MAX);
	if (!str_is(x->description))
		x->description = x->kind == EXTENSION_KIND_COMMAND
		                         ? one_line(mem, first_line(m->body), 100)
		                         : STR("");
	x->argument_hint = front_matter_get_line(f->scratch, m, "argument-hint");
	if (str_is(x->argument_hint))
		x->argument_hint = one_line(mem, x->argument_hint, 200);
	x->model = str_is(model) && str_eq(model, STR("inherit")) ? STR_NONE : model;
	x->tools = x->kind == EXTENSION_KIND_AGENT ? head_value(f, m, "tools", 4096) : STR_NONE;
	x->note = notes_of(mem, f->scratch, x, m);
	fault = fault_of(x, m);
	if (fault)
		x->error = str_from(fault);
}

/* ---- what trust covers ---- */

static void hash_part(struct sha256_stream *s, struct str part)
{
	sha256_more(s, part);
	sha256_more(s, str_of("", 1));
}

/* The hash of a skill's other files, and the first of them that it cannot cover. */
struct beside {
	struct folder *f;
	struct sha256_stream *hash;
	size_t count;
	struct str trouble;           /* a sentence; absent: the hash covers all */
	struct context_beside *files; /* room for BESIDE_MAX; NULL: not wanted */
};

/* Absent: it is no text, or there was too much of it. */
static struct str keep_text(struct folder *f, struct str text, size_t max)
{
	if (text.len > MIN(max, f->budget->texts) || !utf8_is_valid(text) ||
	    str_find_char(text, 0) >= 0)
		return STR_NONE;
	f->budget->texts -= text.len;
	return arena_keep(f->r->mem, text);
}

/* From the bytes that are hashed, so that nothing is shown that trust would not cover. */
static void keep_beside(struct beside *b, struct str path, bool is_read, struct str text)
{
	struct context_beside *x = b->files ? &b->files[b->count - 1] : NULL;
	ptrdiff_t at = str_find_char(path, '/');

	if (!x)
		return;
	x->path = str_skip(path, (size_t)(at + 1));
	x->is_read = is_read;
	x->bytes = is_read ? text.len : 0;
	x->text = is_read ? keep_text(b->f, text, LIMIT_TRUST_FILE_BYTES) : STR_NONE;
}

static void not_covered(struct beside *b, struct str path, const char *why)
{
	if (str_is(b->trouble))
		return;
	b->trouble = arena_printf(b->f->r->mem, "%.*s/%.*s %s: trust does not cover it.",
	                          STR_ARG(b->f->shown), STR_ARG(path), why);
	leave_out(b->f, b->trouble);
}

/*
 * One file beside a project's SKILL.md: its name and its whole content, whatever that is.  Links
 * lead to files that are no part of the skill, like a path in its text; only their names count.
 */
static void hash_file(struct beside *b, struct str path, char kind)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct folder *f = b->f;
	struct str full = arena_printf(mem, "%.*s/%.*s", STR_ARG(f->dir), STR_ARG(path));
	size_t max = MIN(f->budget->bytes, BESIDE_BYTES_MAX);
	struct foreign_file file;
	struct error why;
	bool is_read = max && foreign_file_read(mem, f->root, full.ptr, max, &file, &why) == OK;

	hash_part(b->hash, path);
	hash_part(b->hash, is_read ? file.text : STR("(not read)"));
	keep_beside(b, path, is_read, file.text);
	if (is_read)
		f->budget->bytes -= MIN(f->budget->bytes, file.text.len);
	else if (kind == 'f')
		not_covered(b, path, "is too large or cannot be read");
	else
		leave_out(f, arena_printf(f->r->mem,
		                          "%.*s/%.*s is no plain file: trust does not cover it.",
		                          STR_ARG(f->shown), STR_ARG(path)));
}

/* Scripts and texts that a skill names are as much a part of it as its SKILL.md. */
static void hash_beside(struct beside *b, struct str below, int depth)
{
	struct str *entries;
	size_t n = list_sorted(b->f, below, &entries);

	if (b->f->budget->is_told)
		not_covered(b, below, "is one of too many");
	for (size_t i = 0; i < n && !str_is(b->trouble); i++) {
		struct str name = str_skip(entries[i], 1);
		struct str path =
			arena_printf(b->f->r->mem, "%.*s/%.*s", STR_ARG(below), STR_ARG(name));

		if (!depth && str_eq(name, STR("SKILL.md")))
			continue;
		if (entries[i].ptr[0] == 'd' && depth < BESIDE_DEPTH_MAX)
			hash_beside(b, path, depth + 1);
		else if (entries[i].ptr[0] == 'd')
			not_covered(b, path, "is below too many folders");
		else if (b->count++ == BESIDE_MAX)
			not_covered(b, path, "is one of too many files");
		else
			hash_file(b, path, entries[i].ptr[0]);
	}
}

/*
 * The path below the project is part of it: the same text elsewhere is another command.  skill: the
 * name of its folder, whose other files count too; absent for commands and agents.  *ret_trouble:
 * why trust cannot cover all of it; absent: it does.
 */
static void hash_whole(struct folder *f, struct context_extension *x, struct str text,
                       struct str skill, struct str *ret_trouble)
{
	struct sha256_stream s;
	struct beside b = { .f = f, .hash = &s, .trouble = STR_NONE };
	struct sha256 h;

	if (f->r->wants_texts) {
		x->bytes = text.len;
		x->text = keep_text(f, text, LIMIT_EXTENSION_BYTES);
	}
	if (f->r->wants_texts && str_is(skill))
		b.files = ARENA_ARRAY(f->r->mem, struct context_beside, BESIDE_MAX);
	sha256_begin(&s);
	sha256_more(&s, str_skip(x->path, MIN(f->project.len + 1, x->path.len)));
	sha256_more(&s, str_of("", 1));
	sha256_more(&s, text);
	if (str_is(skill))
		hash_beside(&b, skill, 0);
	h = sha256_end(&s);
	*ret_trouble = b.trouble;
	x->beside = b.files;
	x->beside_count = b.files ? MIN(b.count, BESIDE_MAX) : 0;
	x->hash = sha256_hex(f->r->mem, &h);
}

static struct context_extension *extension_add(struct folder *f)
{
	struct context_read *r = f->r;

	if (r->extension_count == *f->cap) {
		size_t grown = *f->cap ? *f->cap * 2 : 16;

		r->extensions = arena_grow(r->mem, r->extensions,
		                           r->extension_count * sizeof *r->extensions,
		                           grown * sizeof *r->extensions);
		*f->cap = grown;
	}
	r->extensions[r->extension_count] = (struct context_extension){ 0 };
	return &r->extensions[r->extension_count++];
}

/* Of one name the first counts. */
static void check_hidden(struct folder *f, struct context_extension *x)
{
	for (size_t i = 0; i + 1 < f->r->extension_count && !str_is(x->error); i++) {
		const struct context_extension *other = &f->r->extensions[i];

		if (other->kind == x->kind && !str_is(other->error) && str_eq(other->name, x->name))
			x->error = arena_printf(f->r->mem, "%.*s has the same name and counts.",
			                        STR_ARG(other->path));
	}
}

static void read_wanted_files(struct folder *f, struct str skill);

/* name: what it is called without a name of its own; below: its file, relative to the folder. */
static void read_one(struct folder *f, struct str name, struct str below)
{
	struct arena *mem = f->r->mem;
	struct context_extension *x;
	struct workspace_file file;
	struct str trouble = STR_NONE;
	struct front_matter m;

	if (f->count == LIMIT_EXTENSIONS_PER_FOLDER) {
		f->left_out++;
		return;
	}
	if (!f->budget->bytes) {
		tell_budget(f);
		return;
	}
	read_file(f, below, &file);
	if (file.missing == MISSING_REASON_NOT_FOUND)
		return;
	f->count++;
	x = extension_add(f);
	x->kind = f->place->kind;
	x->source = is_own(f) ? EXTENSION_SOURCE_USER : EXTENSION_SOURCE_PROJECT;
	x->name = arena_keep(mem, name);
	x->description = STR("");
	x->path = arena_printf(mem, "%.*s/%.*s", STR_ARG(f->shown), STR_ARG(below));
	if (file.missing) {
		x->error = str_from(missing_text(file.missing));
		return;
	}
	if (!is_own(f))
		hash_whole(f, x, file.text, x->kind == EXTENSION_KIND_SKILL ? name : STR_NONE,
		           &trouble);
	front_matter_split(file.text, &m);
	read_head(f, x, &m);
	check_hidden(f, x);
	/* What trust does not cover could change unnoticed, so such a skill is not used. */
	if (!str_is(x->error))
		x->error = trouble;
	if (str_is(x->error))
		return;
	if (x->kind == EXTENSION_KIND_AGENT && f->budget->agents) {
		x->body = arena_keep(mem, str_trim(m.body));
		f->budget->agents--;
	}
	if (!str_eq(x->name, f->r->wanted))
		return;
	x->body = arena_keep(mem, str_trim(m.body));
	if (x->kind == EXTENSION_KIND_SKILL)
		read_wanted_files(f, name);
}

/* ---- the files of a skill ---- */

/* A user's skill may be a link to a folder anywhere; its own files do not lead further. */
static bool skill_folder(struct folder *f, struct str skill, struct folder *ret)
{
	struct arena *mem = f->r->mem;
	char real[PATH_MAX];

	*ret = *f;
	if (!is_own(f)) {
		ret->dir = arena_printf(mem, "%.*s/%.*s", STR_ARG(f->dir), STR_ARG(skill));
		return true;
	}
	if (!realpath(arena_printf(mem, "%.*s/%.*s", STR_ARG(f->root), STR_ARG(skill)).ptr, real))
		return false;
	ret->root = arena_keep(mem, str_from(real));
	ret->dir = STR(".");
	return true;
}

static void name_beside(struct folder *f, struct str below, int depth, size_t *count,
                        struct buf *out)
{
	struct str *entries;
	size_t n = list_sorted(f, below, &entries);

	for (size_t i = 0; i < n && *count < BESIDE_MAX; i++) {
		struct str name = str_skip(entries[i], 1);
		struct str path = arena_printf(f->r->mem, "%.*s%s%.*s", STR_ARG(below),
		                               below.len ? "/" : "", STR_ARG(name));

		if (name.ptr[0] == '.' || str_eq(path, STR("SKILL.md")))
			continue;
		if (entries[i].ptr[0] == 'd' && depth < DEPTH_MAX) {
			name_beside(f, path, depth + 1, count, out);
		} else if (entries[i].ptr[0] == 'f') {
			buf_printf(out, "%.*s\n", STR_ARG(path));
			++*count;
		}
	}
}

static void read_wanted_files(struct folder *f, struct str skill)
{
	struct context_read *r = f->r;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct workspace_file file;
	struct folder in;
	struct str path;
	size_t count = 0;

	if (!skill_folder(f, skill, &in))
		return;
	name_beside(&in, STR(""), 0, &count, &out);
	r->beside = arena_keep(r->mem, buf_str(&out));
	if (!str_is(r->wanted_file))
		return;
	path = workspace_file_resolve(r->mem, STR(""), r->wanted_file);
	if (!str_is(path)) {
		r->file_missing = MISSING_REASON_DENIED;
		return;
	}
	if (!str_eq(in.dir, STR(".")))
		path = arena_printf(r->mem, "%.*s/%.*s", STR_ARG(in.dir), STR_ARG(path));
	workspace_file_read(r->mem, in.root, path.ptr, LIMIT_EXTENSION_BYTES, f->rules, &file);
	r->file_text = file.text;
	r->file_missing = file.missing;
}

/* ---- one folder ---- */

/* A link is followed where the file is opened, which refuses one that leads out of the project. */
static void read_skills(struct folder *f)
{
	struct str *entries;
	size_t n = list_sorted(f, STR(""), &entries);

	for (size_t i = 0; i < n; i++) {
		struct str name = str_skip(entries[i], 1);

		if (entries[i].ptr[0] != 'f' && name.ptr[0] != '.')
			read_one(f, name, arena_printf(f->r->mem, "%.*s/SKILL.md", STR_ARG(name)));
	}
}

/*
 * Subfolders are part of a command's name.  Links to directories are not followed, so a loop cannot
 * be entered.
 */
static void read_markdown(struct folder *f, struct str below, struct str prefix, int depth)
{
	struct arena *mem = f->r->mem;
	struct str *entries;
	size_t n = list_sorted(f, below, &entries);

	for (size_t i = 0; i < n; i++) {
		struct str name = str_skip(entries[i], 1);
		struct str path = arena_printf(mem, "%.*s%s%.*s", STR_ARG(below),
		                               below.len ? "/" : "", STR_ARG(name));
		bool is_command = f->place->kind == EXTENSION_KIND_COMMAND;

		if (name.ptr[0] == '.' || str_eq(name, STR("README.md")))
			continue;
		if (entries[i].ptr[0] == 'd' && depth < DEPTH_MAX)
			read_markdown(f, path,
			              is_command ? arena_printf(mem, "%.*s%.*s:", STR_ARG(prefix),
			                                        STR_ARG(name))
			                         : prefix,
			              depth + 1);
		else if (entries[i].ptr[0] != 'd' && str_ends(name, STR(".md")))
			read_one(f,
			         arena_printf(mem, "%.*s%.*s", STR_ARG(prefix),
			                      STR_ARG(str_head(name, name.len - 3))),
			         path);
	}
}

static void read_folder(struct folder *f)
{
	static const char *const nouns[] = { [EXTENSION_KIND_SKILL] = "skills",
		                             [EXTENSION_KIND_COMMAND] = "commands",
		                             [EXTENSION_KIND_AGENT] = "agents" };

	if (f->place->kind == EXTENSION_KIND_SKILL)
		read_skills(f);
	else
		read_markdown(f, STR(""), STR(""), 0);
	if (f->left_out)
		leave_out(f,
		          arena_printf(f->r->mem, "%.*s: %zu %s are left out; the first %d count.",
		                       STR_ARG(f->shown), f->left_out, nouns[f->place->kind],
		                       LIMIT_EXTENSIONS_PER_FOLDER));
}

/* ---- places ---- */

static void read_own_place(struct folder f, struct str base)
{
	char real[PATH_MAX];

	if (!str_is(base))
		return;
	f.shown = arena_printf(f.r->mem, "%.*s/%s", STR_ARG(base), f.place->dir);
	/* Most of them do not exist, and each turn looks; realpath() is a call per component. */
	if (access(f.shown.ptr, F_OK) != 0 || !realpath(f.shown.ptr, real))
		return;
	f.root = arena_keep(f.r->mem, str_from(real));
	f.dir = STR(".");
	read_folder(&f);
}

/* One call instead of five for a project without such a folder; nothing is followed or opened. */
static bool has_top(struct arena *mem, struct str dir, const char *place)
{
	struct str rest = str_from(place), top = str_cut(&rest, '/');
	struct stat st;

	return lstat(arena_printf(mem, "%.*s/%.*s", STR_ARG(dir), STR_ARG(top)).ptr, &st) == 0;
}

static void read_project_place(struct folder f, struct str dir, struct str project)
{
	if (!has_top(f.scratch, dir, f.place->dir))
		return;
	f.root = dir;
	f.project = project;
	f.dir = str_from(f.place->dir);
	f.shown = arena_printf(f.r->mem, "%.*s/%s", STR_ARG(dir), f.place->dir);
	read_folder(&f);
}

/* The home directory is no project: its folders are the user's. */
static bool is_project(const struct extension_places *p, struct str root)
{
	return root.len > 1 && !(str_is(p->home) && str_eq(p->home, root));
}

void extension_files_read(const struct extension_places *p, struct context_read *r, struct str root,
                          const struct sandbox_paths *rules)
{
	struct budget own = { .entries = ENTRIES_MAX,
		              .bytes = BYTES_MAX,
		              .agents = LIMIT_AGENTS_LISTED,
		              .texts = LIMIT_TRUST_TEXT_BYTES },
		      theirs = own;
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	size_t cap = 0, note_cap = 0;
	bool has_project = is_project(p, root);

	root = arena_keep(r->mem, root);
	if (has_project && !str_is(r->project))
		r->project = root;
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct folder f = { .r = r,
			            .rules = rules,
			            .place = &places[i],
			            .budget = places[i].base == BASE_PROJECT ? &theirs : &own,
			            .scratch = scratch,
			            .cap = &cap,
			            .note_cap = &note_cap };

		if (!(r->kinds & CONTEXT_KIND_BIT(places[i].kind)))
			continue;
		if (places[i].base != BASE_PROJECT)
			read_own_place(f, places[i].base == BASE_HOME ? p->home : p->config_dir);
		else if (has_project) {
			if (r->cwd.len > root.len && is_project(p, r->cwd))
				read_project_place(f, arena_keep(r->mem, r->cwd), root);
			read_project_place(f, root, root);
		}
	}
}
