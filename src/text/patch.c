/*
 * Reads patches in the two forms that models write and applies them to text.
 *
 * A hunk is placed only where its lines match exactly and in one place; every
 * other case is an error that names the line.
 */
#include "text/patch.h"

#include "base/buf.h"
#include "base/util.h"

#include <string.h>

/* ---- reading ---- */

struct reader {
	struct str rest;
	int line;
	struct error *e;
};

/* The line without its line break; false: the text is at its end. */
static bool next_line(struct str *rest, struct str *ret)
{
	ptrdiff_t at;

	if (!rest->len)
		return false;
	at = str_find_char(*rest, '\n');
	*ret = at < 0 ? *rest : str_head(*rest, (size_t)at);
	*rest = at < 0 ? str_skip(*rest, rest->len) : str_skip(*rest, (size_t)at + 1);
	return true;
}

static struct str reader_peek(const struct reader *r)
{
	struct str rest = r->rest, line = STR("");

	(void)next_line(&rest, &line);
	return line;
}

static struct str reader_take(struct reader *r)
{
	struct str line = STR("");

	r->line++;
	(void)next_line(&r->rest, &line);
	return line;
}

static enum err line_error(const struct reader *r, const char *what)
{
	return fail(r->e, ERR_INVALID, "line %d: %s", r->line, what);
}

static enum err add_file(const struct reader *r, struct patch *p, enum patch_kind kind,
                         struct str path, struct patch_file **ret)
{
	path = str_trim(path);
	if (!path.len)
		return line_error(r, "no file is named");
	if (p->count == PATCH_FILES_MAX)
		return line_error(r, "too many files");
	for (size_t i = 0; i < p->count; i++)
		if (str_eq(p->files[i].path, path))
			return line_error(r, "the patch contains this file twice");
	*ret = &p->files[p->count++];
	**ret = (struct patch_file){ .kind = kind, .path = path, .hunks = STR("") };
	return OK;
}

static bool is_envelope_header(const struct reader *r)
{
	return str_starts(reader_peek(r), STR("*** "));
}

/* The lines up to the next header belong to the file. */
static void take_envelope_hunks(struct reader *r, struct patch_file *f)
{
	const char *from = r->rest.ptr;

	while (r->rest.len && !is_envelope_header(r))
		(void)reader_take(r);
	f->hunks = str_of(from, (size_t)(r->rest.ptr - from));
}

/*
 * The form with "*** Begin Patch".  Its hunks are not parsed here: that needs the file's
 * content.
 */
static enum err read_envelope(struct reader *r, struct patch *p)
{
	static const struct {
		const char *word;
		enum patch_kind kind;
	} heads[] = { { "*** Update File: ", PATCH_UPDATE },
		      { "*** Add File: ", PATCH_ADD },
		      { "*** Delete File: ", PATCH_DELETE } };

	(void)reader_take(r);
	while (r->rest.len) {
		struct str line = reader_take(r);
		struct patch_file *f = NULL;

		if (str_eq(str_trim(line), STR("*** End Patch")))
			return p->count ? OK : line_error(r, "the patch is empty");
		for (size_t i = 0; !f && i < COUNT_OF(heads); i++)
			if (str_starts(line, str_from(heads[i].word)) &&
			    add_file(r, p, heads[i].kind, str_skip(line, strlen(heads[i].word)),
			             &f) != OK)
				return ERR_INVALID;
		if (!f)
			return line_error(
				r, str_starts(line, STR("*** Move to:"))
					   ? "moves are not taken: delete the file and add it"
					   : "\"*** Update File: \", Add, Delete or End Patch "
					     "is wanted");
		take_envelope_hunks(r, f);
	}
	return line_error(r, "\"*** End Patch\" is missing");
}

/*
 * "--- " alone may be a removed line that begins with "-- "; only a pair with "+++ " is a
 * header.
 */
static bool is_unified_header(const struct reader *r)
{
	struct reader at = *r;
	struct str line = reader_take(&at);

	return str_starts(line, STR("diff --git ")) ||
	       (str_starts(line, STR("--- ")) && str_starts(reader_peek(&at), STR("+++ ")));
}

/* Behind a hunk the pair may still be a removed and an added line, unless a hunk follows it. */
static bool is_next_header(const struct reader *r)
{
	struct reader at = *r;

	if (!is_unified_header(r))
		return false;
	if (str_starts(reader_take(&at), STR("diff --git ")))
		return true;
	(void)reader_take(&at);
	return str_starts(reader_peek(&at), STR("@@"));
}

/* "3,7": how many lines; 1 if no number is given. */
static bool read_count(struct str range, uint64_t *ret)
{
	struct str count = range;
	uint64_t line;

	range = str_cut(&count, ',');
	*ret = 1;
	return str_to_u64(range, &line) && (!str_is(count) || str_to_u64(count, ret));
}

/* The lines of "@@ -3,7 +3,8 @@" on both sides; false: it has no such numbers. */
static bool read_counts(struct str line, uint64_t *ret_old, uint64_t *ret_new)
{
	struct str rest = str_trim(str_skip(line, 2)), old = str_cut(&rest, ' '),
		   new = str_is(rest) ? str_cut(&rest, ' ') : STR("");

	return str_starts(line, STR("@@")) && str_starts(old, STR("-")) &&
	       str_starts(new, STR("+")) && read_count(str_skip(old, 1), ret_old) &&
	       read_count(str_skip(new, 1), ret_new);
}

/*
 * Takes a hunk by the numbers of its head.  Models count badly, so they hold only if the hunk
 * ends at the next one, at a header or with the patch; false: nothing is taken.
 */
static bool take_counted_hunk(struct reader *r)
{
	struct reader at = *r;
	uint64_t old, new;

	if (!read_counts(reader_take(&at), &old, &new))
		return false;
	while (at.rest.len && (old || new)) {
		struct str line = reader_take(&at);
		char sign = line.len ? line.ptr[0] : ' ';

		if ((sign != '+' && sign != '-' && sign != ' ' && sign != '\\') ||
		    (sign == '+' && !new) || (sign == '-' && !old) ||
		    (sign == ' ' && !(old && new)))
			return false;
		old -= sign == '-' || sign == ' ';
		new -= sign == '+' || sign == ' ';
	}
	while (str_starts(reader_peek(&at), STR("\\")))
		(void)reader_take(&at);
	if (old || new ||
	    (str_trim(at.rest).len && !str_starts(reader_peek(&at), STR("@@")) &&
	     !is_unified_header(&at)))
		return false;
	*r = at;
	return true;
}

static void take_unified_hunks(struct reader *r, struct patch_file *f)
{
	const char *from = r->rest.ptr;

	while (r->rest.len && !is_next_header(r))
		if (!take_counted_hunk(r))
			(void)reader_take(r);
	f->hunks = str_of(from, (size_t)(r->rest.ptr - from));
}

/* "a/src/a.c<TAB>2024-01-01": the name. */
static struct str unified_name(struct str line)
{
	struct str rest = str_skip(line, 4), name = str_trim(str_cut(&rest, '\t'));

	if (str_starts(name, STR("a/")) || str_starts(name, STR("b/")))
		name = str_skip(name, 2);
	return name;
}

static enum err read_unified(struct reader *r, struct patch *p)
{
	while (r->rest.len) {
		struct str old, new;
		struct patch_file *f;
		bool is_new, is_gone;

		while (r->rest.len &&
		       !(is_unified_header(r) && str_starts(reader_peek(r), STR("--- "))))
			(void)reader_take(r); /* free text of the patch's author */
		if (!r->rest.len)
			break;
		old = unified_name(reader_take(r));
		new = unified_name(reader_take(r));
		is_new = str_eq(old, STR("/dev/null"));
		is_gone = str_eq(new, STR("/dev/null"));
		if (!is_new && !is_gone && !str_eq(old, new))
			return line_error(r, "moves are not taken: delete the file and add it");
		if (add_file(r, p,
		             is_new    ? PATCH_ADD
		             : is_gone ? PATCH_DELETE
		                       : PATCH_UPDATE,
		             is_new ? new : old, &f) != OK)
			return ERR_INVALID;
		take_unified_hunks(r, f);
	}
	return p->count ? OK
	                : line_error(r, "neither \"*** Begin Patch\" nor \"--- \" and \"+++ \"");
}

enum err patch_read(struct str text, struct patch *ret, struct error *e)
{
	struct reader r = { .rest = text, .e = e };

	ret->count = 0;
	while (r.rest.len && !str_trim(reader_peek(&r)).len)
		(void)reader_take(&r);
	return str_eq(str_trim(reader_peek(&r)), STR("*** Begin Patch")) ? read_envelope(&r, ret)
	                                                                 : read_unified(&r, ret);
}

/* ---- applying ---- */

struct lines {
	struct str *at;
	size_t count;
	bool has_end; /* the last one ends with a line break */
};

static struct lines split_lines(struct arena *mem, struct str text)
{
	struct lines l = { .has_end = !text.len || text.ptr[text.len - 1] == '\n' };
	size_t most = 1;

	for (size_t i = 0; i < text.len; i++)
		most += text.ptr[i] == '\n';
	l.at = ARENA_ARRAY(mem, struct str, most);
	while (next_line(&text, &l.at[l.count]))
		l.count++;
	return l;
}

struct hunk {
	struct str *old, *new; /* lines that the hunk expects, and their replacement */
	size_t old_count, new_count;
	struct str anchor;           /* the hunk follows this line; absent: none */
	int64_t line;                /* from 1; 0: not given */
	bool old_at_end, new_at_end; /* "no newline at end of file" on that side */
};

struct work {
	struct arena *mem;
	const struct patch_file *f;
	struct lines old;
	size_t at; /* lines before this one are copied */
	struct buf out;
	bool has_end;
	struct error *e;
};

/* "@@ -3,7 +3,8 @@ main" or "@@ main" or "@@" */
static void read_head(struct str line, struct hunk *h)
{
	uint64_t n = 0;
	struct str rest = str_trim(str_skip(line, 2));

	*h = (struct hunk){ .old = h->old, .new = h->new, .anchor = STR_NONE };
	if (str_starts(rest, STR("-")) && str_find(rest, STR(" @@")) >= 0) {
		struct str number = str_skip(rest, 1);

		number = str_cut(&number, ' ');
		number = str_cut(&number, ',');
		if (str_to_u64(number, &n))
			h->line = (int64_t)n;
	} else if (rest.len) {
		h->anchor = rest;
	}
}

static bool fits_at(const struct work *w, const struct hunk *h, size_t at)
{
	if (at + h->old_count > w->old.count)
		return false;
	for (size_t i = 0; i < h->old_count; i++)
		if (!str_eq(w->old.at[at + i], h->old[i]))
			return false;
	return true;
}

static enum err hunk_error(struct work *w, const struct hunk *h, const char *why)
{
	struct str first = h->old_count ? h->old[0] : STR("");

	return fail(w->e, ERR_INVALID, "%.*s: %s: %.*s", STR_ARG(str_head(w->f->path, 200)), why,
	            STR_ARG(str_head(first, 100)));
}

/* Finds the anchor line; blanks around it do not count. */
static bool seek_anchor(const struct work *w, const struct hunk *h, size_t *at)
{
	for (size_t i = *at; i < w->old.count; i++)
		if (str_eq(str_trim(w->old.at[i]), str_trim(h->anchor))) {
			*at = i;
			return true;
		}
	return false;
}

/*
 * Models count lines badly, so the line number is only the first guess: it holds if the lines
 * match there.  Otherwise the lines have to be unique after the previous hunk, or the first
 * match after the anchor counts.
 */
static enum err place_hunk(struct work *w, const struct hunk *h, size_t *ret)
{
	size_t from = w->at, found = 0;

	if (h->line && h->old_count && (size_t)h->line - 1 >= from &&
	    fits_at(w, h, (size_t)h->line - 1)) {
		*ret = (size_t)h->line - 1;
		return OK;
	}
	if (str_is(h->anchor) && !seek_anchor(w, h, &from))
		return fail(w->e, ERR_INVALID, "%.*s: there is no line: %.*s",
		            STR_ARG(str_head(w->f->path, 200)), STR_ARG(str_head(h->anchor, 100)));
	if (!h->old_count) {
		/* A hunk without old lines goes to its line, behind its anchor, or to the end. */
		*ret = h->line             ? MIN((size_t)h->line, w->old.count)
		       : str_is(h->anchor) ? from + 1
		                           : w->old.count;
		return *ret >= w->at ? OK : hunk_error(w, h, "hunks are not in order");
	}
	for (size_t i = from; i < w->old.count; i++) {
		if (!fits_at(w, h, i))
			continue;
		if (!found++)
			*ret = i;
		if (str_is(h->anchor))
			return OK;
	}
	return found == 1 ? OK
	       : found ? hunk_error(w, h, "these lines occur in several places, give more of them")
	               : hunk_error(w, h, "these lines do not stand there");
}

static void put_line(struct work *w, struct str line)
{
	buf_add_str(&w->out, line);
	buf_add_char(&w->out, '\n');
}

/*
 * Copies what lies between the previous hunk and this one, then the new lines.  Hunks are in
 * the order of the file, so no line is visited twice.
 */
static enum err put_hunk(struct work *w, const struct hunk *h)
{
	size_t at = 0;
	enum err err = place_hunk(w, h, &at);

	if (err)
		return err;
	while (w->at < at)
		put_line(w, w->old.at[w->at++]);
	for (size_t i = 0; i < h->new_count; i++)
		put_line(w, h->new[i]);
	w->at = at + h->old_count;
	if (h->new_at_end)
		w->has_end = false;
	else if (h->old_at_end)
		w->has_end = true;
	return OK;
}

static bool is_empty(const struct hunk *h)
{
	return !h->old_count && !h->new_count;
}

/*
 * An empty line is a kept empty line, because editors and models remove the blank at its
 * beginning.
 */
static enum err take_line(struct work *w, struct hunk *h, struct str line, char *last)
{
	char kind = line.len ? line.ptr[0] : ' ';
	struct str text = line.len ? str_skip(line, 1) : line;

	/*
	 * "\ No newline at end of file" refers to the line before it: after '+' to the new side,
	 * after '-' to the old one, after a kept line to both.
	 */
	if (kind == '\\') {
		h->old_at_end |= *last != '+';
		h->new_at_end |= *last != '-';
		return OK;
	}
	if (kind != ' ' && kind != '+' && kind != '-')
		return fail(w->e, ERR_INVALID, "%.*s: a line begins with ' ', '+' or '-': %.*s",
		            STR_ARG(str_head(w->f->path, 200)), STR_ARG(str_head(line, 100)));
	if (kind != '+')
		h->old[h->old_count++] = text;
	if (kind != '-')
		h->new[h->new_count++] = text;
	*last = kind;
	return OK;
}

static enum err put_hunks(struct work *w)
{
	struct lines body = split_lines(w->mem, w->f->hunks);
	struct hunk h = { .old = ARENA_ARRAY(w->mem, struct str, body.count + 1),
		          .new = ARENA_ARRAY(w->mem, struct str, body.count + 1) };
	size_t hunks = 0;
	enum err err = OK;
	char last = ' ';

	for (size_t i = 0; !err && i < body.count; i++) {
		struct str line = body.at[i];

		/* An empty last line belongs to the patch text, not to the file. */
		if (!line.len && i + 1 == body.count)
			break;
		if (!str_starts(line, STR("@@"))) {
			err = take_line(w, &h, line, &last);
			continue;
		}
		if (!is_empty(&h)) {
			err = put_hunk(w, &h);
			hunks++;
		}
		read_head(line, &h);
	}
	if (!err && !is_empty(&h)) {
		err = put_hunk(w, &h);
		hunks++;
	}
	if (!err && !hunks && w->f->kind == PATCH_UPDATE)
		err = fail(w->e, ERR_INVALID, "%.*s: the patch changes nothing",
		           STR_ARG(w->f->path));
	return err;
}

enum err patch_apply(struct arena *mem, const struct patch_file *f, struct str old, struct str *ret,
                     struct error *e)
{
	struct work w = { .mem = mem, .f = f, .old = split_lines(mem, old), .e = e };
	enum err err;

	w.has_end = w.old.has_end;
	err = put_hunks(&w);
	while (!err && w.at < w.old.count)
		put_line(&w, w.old.at[w.at++]);
	if (!err) {
		/* put_line() ends every line; without one at the end of the file, the last is removed. */
		if (w.out.len && !w.has_end)
			w.out.len--;
		*ret = arena_keep(mem, buf_str(&w.out));
	}
	buf_done(&w.out);
	return err;
}
