/*
 * The values of words: braces, globs, tilde.  Also deceptive characters, and contexts of
 * commands.
 *
 * A value is set only if it is the same in every environment.  Everything else keeps its source
 * text and a flag that says what can happen to it at run time.
 */
#include "policy/shell/parse_internal.h"

#include "base/os/reveal.h"
#include "base/utf8.h"

#include <stdio.h>

/* ---- flags and value ---- */

static bool is_plain(const struct shell_part *p)
{
	return p->kind == SHELL_LITERAL && !p->is_quoted;
}

/* […] is a pattern if its opening bracket is unquoted, whatever the quoting of the rest. */
static bool has_glob(const struct shell_word *w)
{
	bool has_open = false;

	for (const struct shell_part *p = w->parts; p; p = p->next)
		for (size_t i = 0; p->kind == SHELL_LITERAL && i < p->text.len; i++) {
			char c = p->text.ptr[i];

			if (!p->is_quoted && (c == '*' || c == '?'))
				return true;
			if (has_open && c == ']')
				return true;
			has_open |= !p->is_quoted && c == '[';
		}
	return false;
}

/* The caller knows the user's own home; others, and ~ after = or :, are known only at run time. */
static unsigned tilde_flags(const struct shell_word *w)
{
	const struct shell_part *p = w->parts;
	unsigned flags = 0;
	char before = 0;

	if (p && is_plain(p) && p->text.len && p->text.ptr[0] == '~') {
		bool ends_here = p->text.len == 1 && !p->next;

		flags = ends_here || (p->text.len > 1 && p->text.ptr[1] == '/')
		                ? SHELL_TILDE
		                : SHELL_DYNAMIC | SHELL_OPEN;
	}
	for (; p; p = p->next)
		for (size_t i = 0; i < p->text.len; i++) {
			char c = p->text.ptr[i];

			if (is_plain(p) && c == '~' && (before == ':' || before == '='))
				flags |= SHELL_DYNAMIC | SHELL_OPEN;
			before = is_plain(p) ? c : 0;
		}
	return flags;
}

static void set_value(struct reader *r, struct shell_word *w)
{
	size_t len = 0;
	char *out;

	if (w->flags & SHELL_DYNAMIC) {
		w->value = w->raw;
		return;
	}
	if (w->parts && !w->parts->next) {
		w->value = w->parts->text;
		return;
	}
	for (const struct shell_part *p = w->parts; p; p = p->next)
		len += p->text.len;
	out = arena_alloc_raw(r->mem, len + 1);
	w->value = str_of(out, len);
	for (const struct shell_part *p = w->parts; p; p = p->next) {
		if (p->text.len)
			memcpy(out, p->text.ptr, p->text.len);
		out += p->text.len;
	}
}

/* Literal text as a pattern; unknown parts match anything. */
static void set_pattern(struct reader *r, struct shell_word *w)
{
	size_t len = 0, n = 0;
	char *out;

	for (const struct shell_part *p = w->parts; p; p = p->next)
		len += p->kind == SHELL_LITERAL ? 2 * p->text.len : 1;
	out = arena_alloc_raw(r->mem, len + 1);
	for (const struct shell_part *p = w->parts; p; p = p->next) {
		if (p->kind != SHELL_LITERAL) {
			out[n++] = '*';
			continue;
		}
		for (size_t i = 0; i < p->text.len; i++) {
			char c = p->text.ptr[i];

			if (p->is_quoted &&
			    (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\'))
				out[n++] = '\\';
			out[n++] = c;
		}
	}
	w->pattern = str_of(out, n);
}

/* "$@" and "${a[@]}" are several words, quoted or not. */
static bool is_many(const struct shell_part *p)
{
	if (p->kind != SHELL_VARIABLE)
		return false;
	return str_eq(p->text, STR("@")) || p->op == '!' || p->op == '[' || p->op == '@' ||
	       (p->inner && str_find(p->inner->raw, STR("@")) >= 0);
}

/*
 * Only arguments and targets are split and globbed; the value of an assignment and the subject
 * of case are not.
 */
static void set_flags(struct reader *r, struct shell_word *w, enum word_mode mode)
{
	bool splits = mode == WORD_FIRST || mode == WORD_ARG || mode == WORD_TARGET;

	for (const struct shell_part *p = w->parts; p; p = p->next) {
		if (p->is_quoted)
			w->flags |= SHELL_QUOTED;
		if (p->kind == SHELL_LITERAL)
			continue;
		w->flags |= SHELL_DYNAMIC;
		if (splits && (!p->is_quoted || is_many(p)))
			w->flags |= SHELL_SPLITS;
	}
	w->flags |= tilde_flags(w);
	if ((splits || mode == WORD_PATTERN || mode == WORD_MATCH) && has_glob(w))
		w->flags |= SHELL_GLOB;
	set_value(r, w);
	if (w->flags & SHELL_GLOB)
		set_pattern(r, w);
}

/* ---- braces ---- */

/*
 * The algorithm of bash's braces.c, over atoms instead of characters: an atom
 * is an unquoted character, a quoted one (ATOM_QUOTED + c) or the mark of
 * empty quotes.  Only words without expansions come here.
 */
enum { ATOM_QUOTED = 256, ATOM_EMPTY = 512 };

struct atoms {
	const uint16_t *ptr;
	size_t len;
};

struct spread {
	struct reader *r;
	unsigned left; /* words that may still be made */
	bool failed;
};

struct results {
	struct atoms *items;
	size_t count;
};

static struct atoms atoms_cut(struct atoms a, size_t from, size_t to)
{
	return (struct atoms){ a.ptr + from, to - from };
}

static uint16_t atom_at(struct atoms a, size_t i)
{
	return i < a.len ? a.ptr[i] : 0;
}

/*
 * Finds `wanted` at level 0; '}' only after a comma or "..".  False: none.  The name and the
 * odd rules (level, "{}" at the beginning) are those of brace_gobbler() in bash, to give
 * its results.
 */
static bool gobble(struct spread *s, struct atoms a, size_t *at, uint16_t wanted)
{
	unsigned level = 0;
	unsigned commas = wanted == '}' ? 0 : 1;

	for (size_t i = *at; i < a.len && !s->failed; i++) {
		uint16_t c = a.ptr[i];

		s->failed = !analysis_spend(s->r->budget, 1);

		if (c == wanted && !level && commas) {
			/* {} at the beginning is no brace */
			if (c == '{' && !i && atom_at(a, 1) == '}')
				continue;
			*at = i;
			return true;
		}
		if (c == '{')
			level++;
		else if (c == '}' && level)
			level--;
		else if (wanted == '}' && c == ',' && !level)
			commas++;
		else if (wanted == '}' && c == '.' && atom_at(a, i + 1) == '.' &&
		         atom_at(a, i + 2) != '}' && !level)
			commas++;
	}
	*at = a.len;
	return false;
}

static struct results one_result(struct spread *s, struct atoms a)
{
	struct results out = { ARENA_NEW(s->r->mem, struct atoms), 1 };

	out.items[0] = a;
	return out;
}

/*
 * Every left with every right.  The size is checked before anything is allocated: {a,b}{a,b}…
 * doubles with each pair.
 */
static struct results results_product(struct spread *s, struct results left, struct results right)
{
	size_t count = left.count * right.count, bytes = count;
	struct results out = { NULL, 0 };

	for (size_t i = 0; i < left.count; i++)
		bytes += left.items[i].len * right.count;
	for (size_t i = 0; i < right.count; i++)
		bytes += right.items[i].len * left.count;
	if (left.count > s->left || right.count > s->left || count > s->left ||
	    !analysis_fits(s->r->budget, bytes * sizeof(uint16_t))) {
		s->failed = true;
		return left;
	}
	out.items = ARENA_ARRAY(s->r->mem, struct atoms, count + 1);
	for (size_t i = 0; i < left.count; i++)
		for (size_t j = 0; j < right.count; j++) {
			struct atoms a = left.items[i], b = right.items[j];
			uint16_t *joined =
				arena_alloc_raw(s->r->mem, (a.len + b.len + 1) * sizeof *joined);

			if (a.len)
				memcpy(joined, a.ptr, a.len * sizeof *joined);
			if (b.len)
				memcpy(joined + a.len, b.ptr, b.len * sizeof *joined);
			out.items[out.count++] = (struct atoms){ joined, a.len + b.len };
		}
	return out;
}

static void results_append(struct spread *s, struct results *to, struct results more)
{
	if (to->count + more.count > s->left) {
		s->failed = true;
		return;
	}
	to->items = arena_grow(s->r->mem, to->items, to->count * sizeof *to->items,
	                       (to->count + more.count) * sizeof *to->items);
	if (more.count)
		memcpy(to->items + to->count, more.items, more.count * sizeof *more.items);
	to->count += more.count;
}

/* {1..5}, {a..e}: is it a sequence?  One with a step or with many items is left to run time. */
static bool looks_like_sequence(struct atoms a)
{
	for (size_t i = 0; i + 1 < a.len; i++)
		if (a.ptr[i] == '.' && a.ptr[i + 1] == '.')
			return true;
	return false;
}

static bool read_small_number(struct atoms a, size_t from, size_t to, int *ret)
{
	int n = 0;

	/* No sign and no leading zero: those pad. */
	if (from >= to || to - from > 4 || (a.ptr[from] == '0' && to - from > 1))
		return false;
	for (size_t i = from; i < to; i++) {
		if (a.ptr[i] < '0' || a.ptr[i] > '9')
			return false;
		n = n * 10 + (a.ptr[i] - '0');
	}
	*ret = n;
	return true;
}

static struct atoms atoms_of_number(struct reader *r, int n)
{
	char text[16];
	int len = snprintf(text, sizeof text, "%d", n);
	uint16_t *out = arena_alloc_raw(r->mem, (size_t)len * sizeof *out);

	for (int i = 0; i < len; i++)
		out[i] = (unsigned char)text[i];
	return (struct atoms){ out, (size_t)len };
}

static struct results expand_sequence(struct spread *s, struct atoms a)
{
	struct results out = { 0 };
	size_t dots = 0;
	int from, to;

	while (a.ptr[dots] != '.' || atom_at(a, dots + 1) != '.')
		dots++;
	if (!read_small_number(a, 0, dots, &from) || !read_small_number(a, dots + 2, a.len, &to) ||
	    (unsigned)(from > to ? from - to : to - from) >= s->left) {
		s->failed = true;
		return out;
	}
	for (int i = from;; i += from > to ? -1 : 1) {
		results_append(s, &out, one_result(s, atoms_of_number(s->r, i)));
		if (i == to || s->failed)
			return out;
	}
}

static struct results expand_braces(struct spread *s, struct atoms a);

/* The alternatives between commas, each of which may contain braces itself. */
static struct results expand_inside(struct spread *s, struct atoms a)
{
	struct results out = { 0 };
	size_t start = 0;

	for (;;) {
		size_t end = start;
		bool more = gobble(s, a, &end, ',');

		results_append(s, &out, expand_braces(s, atoms_cut(a, start, end)));
		if (!more || s->failed)
			return out;
		start = end + 1;
	}
}

static bool has_comma(struct atoms a)
{
	for (size_t i = 0; i < a.len; i++)
		if (a.ptr[i] == ',' || a.ptr[i] == ATOM_QUOTED + ',')
			return true;
	return false;
}

/*
 * before{inside}after: the results are the product of the three, as in bash.  A brace that does
 * not close is literal, and the search continues after it.
 */
static struct results expand_braces(struct spread *s, struct atoms a)
{
	size_t open = 0, close;
	struct atoms inside;
	struct results out;

	if (s->failed || !parse_enter(s->r)) {
		s->failed = true;
		return one_result(s, a);
	}
	for (;; open++) {
		if (!gobble(s, a, &open, '{')) {
			leave(s->r);
			return one_result(s, a);
		}
		close = open + 1;
		if (gobble(s, a, &close, '}'))
			break;
	}
	inside = atoms_cut(a, open + 1, close);
	out = one_result(s, atoms_cut(a, 0, open));
	/* A comma and dots in one brace: left to run time. */
	if (looks_like_sequence(inside))
		out = has_comma(inside) ? (s->failed = true, out)
		                        : results_product(s, out, expand_sequence(s, inside));
	else
		out = results_product(s, out, expand_inside(s, inside));
	if (!s->failed)
		out = results_product(s, out, expand_braces(s, atoms_cut(a, close + 1, a.len)));
	leave(s->r);
	return out;
}

static struct atoms atoms_of_word(struct reader *r, const struct shell_word *w)
{
	size_t len = 0, n = 0;
	uint16_t *out;

	for (const struct shell_part *p = w->parts; p; p = p->next)
		len += p->text.len + 1;
	out = arena_alloc_raw(r->mem, (len + 1) * sizeof *out);
	for (const struct shell_part *p = w->parts; p; p = p->next) {
		if (p->is_quoted && !p->text.len)
			out[n++] = ATOM_EMPTY;
		for (size_t i = 0; i < p->text.len; i++)
			out[n++] = (uint16_t)((p->is_quoted ? ATOM_QUOTED : 0) +
			                      (unsigned char)p->text.ptr[i]);
	}
	return (struct atoms){ out, n };
}

/* Parts again, one per run of quoted or unquoted atoms. */
static struct shell_word *word_of_atoms(struct reader *r, struct atoms a, struct str raw,
                                        enum word_mode mode)
{
	struct shell_part *first = NULL, **end = &first;
	char *out = arena_alloc_raw(r->mem, a.len + 1);
	size_t n = 0;
	struct shell_word *w;

	for (size_t i = 0; i < a.len;) {
		bool is_quoted = a.ptr[i] >= ATOM_QUOTED;
		size_t start = n;

		for (; i < a.len && (a.ptr[i] >= ATOM_QUOTED) == is_quoted; i++)
			if (a.ptr[i] != ATOM_EMPTY)
				out[n++] = (char)(a.ptr[i] & 0xff);
		*end = parse_word_new_part(r, SHELL_LITERAL, str_of(out + start, n - start));
		(*end)->is_quoted = is_quoted;
		end = &(*end)->next;
	}
	if (!first)
		return NULL; /* empty and unquoted: no word at all */
	w = parse_word_of_part(r, first, raw);
	set_flags(r, w, mode);
	return w;
}

/* Only words with {, } and a separator, all unquoted, can expand. */
static bool may_expand(const struct shell_word *w)
{
	bool open = false, separator = false;
	char before = 0;

	for (const struct shell_part *p = w->parts; p; p = p->next) {
		if (!is_plain(p)) {
			before = 0;
			/* {a,$(b)}: the comma or the dots may come from the expansion. */
			continue;
		}
		for (size_t i = 0; i < p->text.len; i++) {
			char c = p->text.ptr[i];

			open |= c == '{';
			separator |= open && (c == ',' || (c == '.' && before == '.'));
			if (separator && c == '}')
				return true;
			before = c;
		}
	}
	return false;
}

static bool is_literal(const struct shell_word *w)
{
	for (const struct shell_part *p = w->parts; p; p = p->next)
		if (p->kind != SHELL_LITERAL)
			return false;
	return true;
}

/* NULL when braces leave no word, which the caller treats as dynamic. */
static struct shell_word *expand_word(struct reader *r, struct shell_word *w, enum word_mode mode)
{
	struct spread s = { .r = r, .left = SHELL_BRACES_MAX - MIN(r->braced, SHELL_BRACES_MAX) };
	struct results all = expand_braces(&s, atoms_of_word(r, w));
	struct shell_word *first = NULL, **end = &first;

	if (s.failed)
		return NULL;
	r->braced += (unsigned)all.count;
	for (size_t i = 0; i < all.count; i++) {
		if (!analysis_fits(r->budget, all.items[i].len))
			return NULL;
		*end = word_of_atoms(r, all.items[i], w->raw, mode);
		if (*end)
			end = &(*end)->next;
	}
	return first;
}

/*
 * Braces that are not expanded here (in a target, with an expansion inside, too many) make the
 * word dynamic and possibly many words, which no allow rule covers.
 */
struct shell_word *expand_finish_word(struct reader *r, struct shell_word *w, enum word_mode mode,
                                      bool has_extglob)
{
	bool has_braces =
		(mode == WORD_FIRST || mode == WORD_ARG || mode == WORD_TARGET) && may_expand(w);

	set_flags(r, w, mode);
	if (has_extglob) {
		w->flags |= SHELL_GLOB | SHELL_DYNAMIC | SHELL_OPEN;
		set_value(r, w);
		set_pattern(r, w);
	}
	if (has_braces) {
		struct shell_word *words = NULL;

		if (mode != WORD_TARGET && r->dialect == SHELL_BASH && !has_extglob &&
		    is_literal(w))
			words = expand_word(r, w, mode);
		if (words)
			return words;
		w->flags |= SHELL_DYNAMIC | SHELL_SPLITS | SHELL_OPEN;
		set_value(r, w);
	}
	return w;
}

/* ---- deceptive characters ---- */

static bool is_between(uint32_t c, uint32_t from, uint32_t to)
{
	return c >= from && c <= to;
}

static bool is_bidi(uint32_t c)
{
	return is_between(c, 0x202a, 0x202e) || is_between(c, 0x2066, 0x2069) || c == 0x200e ||
	       c == 0x200f || c == 0x061c;
}

static bool is_odd_blank(uint32_t c)
{
	return c == 0x00a0 || c == 0x1680 || is_between(c, 0x2000, 0x200a) || c == 0x2028 ||
	       c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0x85;
}

/* Characters that a prompt has to reveal; blanks in prose and controls are handled separately. */
static bool is_invisible(uint32_t c)
{
	return c > 0x9f && reveal_is_hidden(c) && !is_odd_blank(c);
}

/* Scripts with letters that look Latin, and variants of Latin letters. */
static bool is_lookalike_letter(uint32_t c)
{
	return is_between(c, 0x0370, 0x052f) || is_between(c, 0x0531, 0x058a) ||
	       is_between(c, 0x13a0, 0x13ff) || is_between(c, 0x1d00, 0x1dbf) ||
	       is_between(c, 0x2c60, 0x2c7f) || is_between(c, 0xa4d0, 0xa4ff) ||
	       is_between(c, 0xff01, 0xff5e) || is_between(c, 0x1d400, 0x1d7ff) ||
	       is_between(c, 0x2100, 0x214f) || is_between(c, 0x2460, 0x24ff) ||
	       is_between(c, 0x0250, 0x02af) || is_between(c, 0x10400, 0x1044f);
}

/* Marks that look like those of the shell. */
static bool is_lookalike_mark(uint32_t c)
{
	return is_between(c, 0x2010, 0x2015) || is_between(c, 0x2018, 0x201f) || c == 0x2024 ||
	       c == 0x2044 || c == 0x2215 || c == 0x29f8 || c == 0x2223 || c == 0x2758 ||
	       c == 0xa789 || c == 0x037e || c == 0x01c0 || c == 0x2212 || c == 0x2032 ||
	       c == 0x2033 || c == 0x02b9 || c == 0x02bc || c == 0x2236 || c == 0x223c;
}

static bool is_latin(uint32_t c)
{
	return is_between(c | 32, 'a', 'z');
}

static bool is_emoji(uint32_t c)
{
	return is_between(c, 0x1f000, 0x1faff) || is_between(c, 0x2194, 0x21aa) ||
	       is_between(c, 0x231a, 0x23ff) || is_between(c, 0x25aa, 0x27bf) ||
	       is_between(c, 0x2934, 0x2935) || is_between(c, 0x2b05, 0x2b55) || c == 0x203c ||
	       c == 0x2049 || c == 0x2122 || c == 0x2139 || c == 0x24c2 || c == 0x3030 ||
	       c == 0x303d || c == 0x3297 || c == 0x3299;
}

/*
 * Emoji are joined by joiners and selectors; there they hide nothing.  A digit, # or * becomes one
 * only with the keycap behind the selector.
 */
static bool is_emoji_glue(uint32_t c, uint32_t before, struct str rest)
{
	bool is_selector = c == 0xfe0f || c == 0xfe0e;
	bool is_key = is_between(before, '0', '9') || before == '#' || before == '*';

	if (is_selector && is_key)
		return str_starts(rest, STR("\xe2\x83\xa3"));
	return (is_selector && is_emoji(before)) ||
	       (c == 0x200d && (is_emoji(before) || before == 0xfe0f));
}

static unsigned control_oddity(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || is_between(c, 0x7f, 0x9f) ? SHELL_ODD_CONTROL
	                                                                         : 0;
}

/*
 * Over the whole line: characters that are always deceptive, and deceptive marks or mixed letters
 * outside of quoted prose.
 */
unsigned expand_find_oddities(struct str source)
{
	unsigned odd = 0;
	uint32_t before = 0;

	while (source.len) {
		uint32_t c = (unsigned char)source.ptr[0];
		size_t len = 1;

		if (c >= 0x80) {
			len = utf8_read(source, &c);
			if (!len) {
				odd |= SHELL_ODD_BYTES;
				len = 1;
				c = 0;
			}
			if (is_bidi(c))
				odd |= SHELL_ODD_BIDI;
			if (is_invisible(c) && !is_emoji_glue(c, before, str_skip(source, len)))
				odd |= SHELL_ODD_INVISIBLE;
		}
		odd |= control_oddity(c);
		before = c;
		source = str_skip(source, len);
	}
	return odd;
}

/*
 * Stricter than for a whole line: in the name of a program, a path or a host even one
 * look-alike mark is suspicious, and so is a part between separators that mixes Latin with
 * another script.
 */
unsigned expand_odd_name(struct str s)
{
	unsigned odd = expand_find_oddities(s);
	bool has_latin = false, has_other = false;

	while (s.len) {
		uint32_t c = (unsigned char)s.ptr[0];
		size_t len = c < 0x80 ? 1 : utf8_read(s, &c);

		if (!len)
			return odd | SHELL_ODD_BYTES;
		has_latin |= is_latin(c);
		has_other |= is_lookalike_letter(c);
		if (is_odd_blank(c))
			odd |= SHELL_ODD_INVISIBLE;
		if (is_lookalike_mark(c))
			odd |= SHELL_ODD_LOOKALIKE;
		if (!is_latin(c) && !is_lookalike_letter(c) && c != '-' && c != '_') {
			odd |= has_latin && has_other ? SHELL_ODD_LOOKALIKE : 0;
			has_latin = has_other = false;
		}
		s = str_skip(s, len);
	}
	return odd | (has_latin && has_other ? SHELL_ODD_LOOKALIKE : 0);
}

/* The most dangerous one is reported; one reason is enough for a question. */
struct str expand_shell_oddity_text(unsigned oddities)
{
	if (oddities & SHELL_ODD_CONTROL)
		return STR("it holds control characters");
	if (oddities & SHELL_ODD_BIDI)
		return STR("it holds marks that show text in another order");
	if (oddities & SHELL_ODD_INVISIBLE)
		return STR("it holds characters that cannot be seen");
	if (oddities & SHELL_ODD_LOOKALIKE)
		return STR("it holds letters that look like others");
	return oddities & SHELL_ODD_BYTES ? STR("it is not valid UTF-8") : STR_NONE;
}

/* ---- walking ---- */

struct walk {
	void (*visit)(void *owner, const struct shell_node *n);
	void *owner;
	bool marks;
};

static void walk_node(const struct walk *w, struct shell_node *n, unsigned context);

static void walk_words(const struct walk *w, struct shell_word *word, unsigned context)
{
	for (; word; word = word->next)
		for (struct shell_part *p = word->parts; p; p = p->next) {
			walk_words(w, p->inner, context);
			if (p->body)
				walk_node(w, p->body, context | SHELL_IN_SUBSTITUTION);
		}
}

static unsigned context_inside(const struct shell_node *n)
{
	switch (n->kind) {
	case SHELL_WHILE:
	case SHELL_FOR:
	case SHELL_FOR_NUMBER:
		return SHELL_IN_LOOP;
	case SHELL_FUNCTION:
		return SHELL_IN_FUNCTION;
	case SHELL_PIPE:
		return SHELL_IN_PIPE;
	case SHELL_SUBSHELL:
		return SHELL_IN_SUBSHELL;
	case SHELL_COPROC:
		return SHELL_IN_BACKGROUND;
	default:
		return 0;
	}
}

static void walk_node(const struct walk *w, struct shell_node *n, unsigned context)
{
	if (n->is_background)
		context |= SHELL_IN_BACKGROUND;
	if (w->marks)
		n->context = context;
	/* Substitutions in assignments, words and targets run before the command itself. */
	for (struct shell_assign *a = n->assigns; a; a = a->next)
		walk_words(w, a->value, context);
	walk_words(w, n->words, context);
	for (struct shell_redir *d = n->redirs; d; d = d->next)
		walk_words(w, d->target, context);
	for (struct shell_node *c = n->first; c; c = c->next)
		walk_node(w, c, context | context_inside(n));
	if (w->visit && n->kind == SHELL_SIMPLE)
		w->visit(w->owner, n);
}

void expand_mark_contexts(struct shell_node *root)
{
	struct walk w = { .marks = true };

	walk_node(&w, root, 0);
}

void expand_shell_each(const struct shell_node *root,
                       void (*visit)(void *owner, const struct shell_node *simple), void *owner)
{
	struct walk w = { .visit = visit, .owner = owner };

	if (root)
		walk_node(&w, (struct shell_node *)root, 0);
}
