/*
 * ECMA-262 patterns (u flag) on PCRE2.
 *
 * A pattern is rewritten piece by piece into one that PCRE2 reads the same way,
 * and whatever ECMA-262 does not have is refused, so an untrusted pattern
 * cannot use PCRE2's own language (verbs, recursion, callouts, inline options,
 * \C, \K, ...).  What differs and is rewritten:
 *
 *   \d \w \b       ASCII: left as they are, PCRE2_UCP stays off
 *   \s \S          white space of Unicode: spelled out
 *   .              all but \n \r U+2028 U+2029: spelled out
 *   \v \0 \xhh \uhhhh \u{h} \cX      to \x{h}; surrogate pairs become one character
 *   \1 \k<name>    to \g{1} \k{name}
 *   [ in a class   escaped, it would begin [:alpha:]
 *   {              escaped unless it begins a quantifier
 *   \p{Letter}     to \p{L}: PCRE2 knows only the short names of categories
 *
 * PCRE2's match limit starts again at every starting position, so it does not
 * bound the work on a long subject.  The pattern is therefore compiled with a
 * callout before every item, and the callout pays for each in steps.
 */
#include "schema/schema_parts.h"

#include "base/utf8.h"
#include "base/memory.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define HEAP_KIB 16384   /* of backtracking memory in one match */
#define DEPTH_MAX 100000 /* of nested backtracking */
#define BYTES_PER_STEP 64

struct schema_pattern {
	pcre2_code *code;
	size_t reach; /* bytes that may be compared between two callouts */
};

struct schema_matcher {
	pcre2_match_context *context;
	pcre2_match_data *data;
};

/* ---- from ECMA-262 to PCRE2 ---- */

struct rewriting {
	struct str in;
	size_t at;
	struct buf out;
	size_t reach;
	bool in_class;
	const char *fault; /* of the first thing that is not ECMA-262 */
};

#define SPACE                                                                                      \
	"\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"       \
	"\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACE                                                                                   \
	"\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"           \
	"\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"             \
	"\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

static int peek(const struct rewriting *r, size_t ahead)
{
	return r->at + ahead < r->in.len ? (unsigned char)r->in.ptr[r->at + ahead] : -1;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int hex_of(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Moving to the end stops every loop. */
static void refuse_pattern(struct rewriting *r, const char *fault)
{
	if (!r->fault)
		r->fault = fault;
	r->at = r->in.len;
}

static void add_char(struct rewriting *r, unsigned code)
{
	if (code > 0x10ffff)
		refuse_pattern(r, "a character above U+10FFFF");
	else
		buf_printf(&r->out, "\\x{%x}", code);
}

/* Exactly `count` hex digits at the position, or -1; moves behind them. */
static int read_hex(struct rewriting *r, size_t count)
{
	int code = 0;

	for (size_t i = 0; i < count; i++) {
		int digit = hex_of(peek(r, i));

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	r->at += count;
	return code;
}

/* Behind "\u". */
static void rewrite_unicode(struct rewriting *r)
{
	int code = 0;

	if (peek(r, 0) == '{' && hex_of(peek(r, 1)) >= 0) {
		r->at++;
		while (hex_of(peek(r, 0)) >= 0 && code <= 0x10ffff)
			code = code * 16 + read_hex(r, 1);
		if (peek(r, 0) != '}')
			refuse_pattern(r, "\\u{ without }");
		r->at++;
		add_char(r, (unsigned)code);
		return;
	}
	code = read_hex(r, 4);
	if (code < 0) {
		refuse_pattern(r, "\\u without four hexadecimal digits");
		return;
	}
	/* With the u flag a surrogate pair written as two escapes is one character. */
	if (code >= 0xd800 && code < 0xdc00 && peek(r, 0) == '\\' && peek(r, 1) == 'u') {
		struct rewriting ahead = *r;
		int low;

		ahead.at += 2;
		low = read_hex(&ahead, 4);
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			r->at = ahead.at;
		}
	}
	add_char(r, (unsigned)code);
}

/* ECMA-262 has long names beside the short ones. */
static struct str short_category(struct str name)
{
	static const char *const categories[][2] = {
		{ "Letter", "L" },
		{ "Cased_Letter", "L&" },
		{ "LC", "L&" },
		{ "Uppercase_Letter", "Lu" },
		{ "Lowercase_Letter", "Ll" },
		{ "Titlecase_Letter", "Lt" },
		{ "Modifier_Letter", "Lm" },
		{ "Other_Letter", "Lo" },
		{ "Mark", "M" },
		{ "Combining_Mark", "M" },
		{ "Nonspacing_Mark", "Mn" },
		{ "Spacing_Mark", "Mc" },
		{ "Enclosing_Mark", "Me" },
		{ "Number", "N" },
		{ "Decimal_Number", "Nd" },
		{ "digit", "Nd" },
		{ "Letter_Number", "Nl" },
		{ "Other_Number", "No" },
		{ "Punctuation", "P" },
		{ "punct", "P" },
		{ "Connector_Punctuation", "Pc" },
		{ "Dash_Punctuation", "Pd" },
		{ "Open_Punctuation", "Ps" },
		{ "Close_Punctuation", "Pe" },
		{ "Initial_Punctuation", "Pi" },
		{ "Final_Punctuation", "Pf" },
		{ "Other_Punctuation", "Po" },
		{ "Symbol", "S" },
		{ "Math_Symbol", "Sm" },
		{ "Currency_Symbol", "Sc" },
		{ "Modifier_Symbol", "Sk" },
		{ "Other_Symbol", "So" },
		{ "Separator", "Z" },
		{ "Space_Separator", "Zs" },
		{ "Line_Separator", "Zl" },
		{ "Paragraph_Separator", "Zp" },
		{ "Other", "C" },
		{ "Control", "Cc" },
		{ "cntrl", "Cc" },
		{ "Format", "Cf" },
		{ "Surrogate", "Cs" },
		{ "Private_Use", "Co" },
		{ "Unassigned", "Cn" },
	};

	for (size_t i = 0; i < COUNT_OF(categories); i++)
		if (str_eq(name, str_from(categories[i][0])))
			return str_from(categories[i][1]);
	return name;
}

/* Behind "\p" or "\P". */
static void rewrite_property(struct rewriting *r, char letter)
{
	struct str rest = str_skip(r->in, r->at);
	ptrdiff_t end = str_find_char(rest, '}');

	if (!rest.len || rest.ptr[0] != '{' || end < 2) {
		refuse_pattern(r, "\\p without {name}");
		return;
	}

	struct str name = str_of(rest.ptr + 1, (size_t)end - 1);

	for (size_t i = 0; i < name.len; i++)
		if (!is_letter(name.ptr[i]) && !is_digit(name.ptr[i]) && name.ptr[i] != '_' &&
		    name.ptr[i] != '=') {
			refuse_pattern(r, "a property with an odd name");
			return;
		}
	r->at += (size_t)end + 1;
	if (str_starts(name, STR("General_Category=")))
		name = str_skip(name, sizeof "General_Category=" - 1);
	else if (str_starts(name, STR("gc=")))
		name = str_skip(name, sizeof "gc=" - 1);
	name = short_category(name);
	buf_printf(&r->out, "\\%c{%.*s}", letter, STR_ARG(name));
}

static bool is_name_char(int c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

/* The name of a group up to its '>', which is passed; absent when it is none. */
static struct str read_name(struct rewriting *r)
{
	size_t from = r->at;

	while (is_name_char(peek(r, 0)))
		r->at++;

	struct str name = str_of(r->in.ptr + from, r->at - from);

	if (!name.len || is_digit(name.ptr[0]) || peek(r, 0) != '>')
		return STR_NONE;
	r->at++;
	return name;
}

/* A back reference compares text of any length without a callout, hence the unlimited reach. */
static void rewrite_back_reference(struct rewriting *r, int c)
{
	r->reach = SIZE_MAX;
	if (c == 'k') {
		struct str name = STR_NONE;

		if (peek(r, 0) == '<') {
			r->at++;
			name = read_name(r);
		}
		if (!str_is(name))
			refuse_pattern(r, "\\k without <name>");
		else
			buf_printf(&r->out, "\\k{%.*s}", STR_ARG(name));
		return;
	}

	size_t from = r->at - 1;

	while (is_digit(peek(r, 0)))
		r->at++;
	buf_printf(&r->out, "\\g{%.*s}", (int)(r->at - from), r->in.ptr + from);
}

static void rewrite_hex(struct rewriting *r)
{
	int code = read_hex(r, 2);

	if (code < 0)
		refuse_pattern(r, "\\x without two hexadecimal digits");
	else
		add_char(r, (unsigned)code);
}

static void rewrite_control(struct rewriting *r)
{
	if (!is_letter(peek(r, 0)))
		refuse_pattern(r, "\\c without a letter");
	else
		add_char(r, (unsigned)peek(r, 0) & 31);
	r->at++;
}

/* Behind the backslash; c was the character there and is passed. */
static void rewrite_escape(struct rewriting *r, int c)
{
	if (c < 0)
		refuse_pattern(r, "a backslash at the end");
	else if (c == 's')
		buf_add_c(&r->out, r->in_class ? SPACE : "[" SPACE "]");
	else if (c == 'S')
		buf_add_c(&r->out, r->in_class ? NO_SPACE : "[" NO_SPACE "]");
	else if (c == 'v')
		add_char(r, 0x0b);
	else if (c == 'u')
		rewrite_unicode(r);
	else if (c == 'x')
		rewrite_hex(r);
	else if (c == 'c')
		rewrite_control(r);
	else if (c == 'p' || c == 'P')
		rewrite_property(r, (char)c);
	else if (c == '0' && !is_digit(peek(r, 0)))
		add_char(r, 0);
	else if ((c == 'k' || (c >= '1' && c <= '9')) && !r->in_class)
		rewrite_back_reference(r, c);
	/* The important case: PCRE2 gives meaning to most letters after a backslash. */
	else if ((is_letter(c) || is_digit(c)) &&
	         !strchr(r->in_class ? "dDwWnrtfb" : "dDwWnrtfbB", c))
		refuse_pattern(r, "an escape that ECMA-262 does not have");
	else
		buf_printf(&r->out, "\\%c", c);
}

static bool is_class_escape(int c)
{
	return c > 0 && strchr("dDwWsSpP", c);
}

/* At "["; everything up to the "]". */
static void rewrite_class(struct rewriting *r)
{
	buf_add_char(&r->out, '[');
	r->at++;
	if (peek(r, 0) == '^') {
		buf_add_char(&r->out, '^');
		r->at++;
	}
	r->in_class = true;
	while (peek(r, 0) != ']') {
		int c = peek(r, 0);

		r->at++;
		if (c < 0) {
			refuse_pattern(r, "a class without ]");
			return;
		}
		if (c == '\\') {
			c = peek(r, 0);
			r->at++;
			rewrite_escape(r, c);
			/* [\w-.] is not ECMA-262 with the u flag, but common. */
			if (is_class_escape(c) && peek(r, 0) == '-' && peek(r, 1) != ']') {
				buf_add_c(&r->out, "\\-");
				r->at++;
			}
		} else if (c == '[') {
			buf_add_c(&r->out, "\\[");
		} else {
			buf_add_char(&r->out, (char)c);
		}
	}
	r->in_class = false;
	buf_add_char(&r->out, ']');
	r->at++;
}

/* Does "{" begin {n}, {n,} or {n,m}?  Its length, or 0; *ret_most is the largest number. */
static size_t quantifier_len(const struct rewriting *r, size_t *ret_most)
{
	size_t i = 1, numbers[2] = { 0, 0 };

	if (!is_digit(peek(r, i)))
		return 0;
	for (int which = 0; which < 2; which++) {
		for (; is_digit(peek(r, i)); i++)
			numbers[which] =
				MIN(numbers[which] * 10 + (size_t)(peek(r, i) - '0'), 99999);
		if (peek(r, i) != ',')
			break;
		i += which == 0;
	}
	if (peek(r, i) != '}')
		return 0;
	*ret_most = MAX(numbers[0], numbers[1]);
	return i + 1;
}

/* At "*", "+", "?" or "{". */
static void rewrite_quantifier(struct rewriting *r)
{
	size_t most = 0, len = 1;

	if (peek(r, 0) == '{') {
		len = quantifier_len(r, &most);
		if (!len) {
			buf_add_c(&r->out, "\\{");
			r->at++;
			return;
		}
	}
	/*
	 * A repeated item may run over this many characters of at most four bytes between two
	 * callouts.
	 */
	r->reach = MAX(r->reach, most * 4);
	buf_add(&r->out, r->in.ptr + r->at, len);
	r->at += len;
	if (peek(r, 0) == '?') {
		buf_add_char(&r->out, '?');
		r->at++;
	}
	/* PCRE2 would read a second + as possessive, which ECMA-262 does not have. */
	if (peek(r, 0) == '*' || peek(r, 0) == '+' || peek(r, 0) == '?')
		refuse_pattern(r, "a quantifier behind a quantifier");
}

/*
 * At "(".  Only the openings of the list pass: PCRE2 has dozens of others, among them recursion and
 * callouts.
 */
static void rewrite_group(struct rewriting *r)
{
	static const char *const openings[] = { "(?:", "(?=", "(?!", "(?<=", "(?<!" };
	struct str rest = str_skip(r->in, r->at);

	/* "(*VERB)" would switch options of PCRE2. */
	if (peek(r, 1) == '*') {
		refuse_pattern(r, "nothing to repeat");
		return;
	}
	if (peek(r, 1) != '?') {
		buf_add_char(&r->out, '(');
		r->at++;
		return;
	}
	for (size_t i = 0; i < COUNT_OF(openings); i++) {
		if (str_starts(rest, str_from(openings[i]))) {
			buf_add_c(&r->out, openings[i]);
			r->at += strlen(openings[i]);
			return;
		}
	}

	bool is_named = peek(r, 2) == '<';

	r->at += 3;

	struct str name = is_named ? read_name(r) : STR_NONE;

	if (!str_is(name))
		refuse_pattern(r, "a group of a kind that ECMA-262 does not have");
	else
		buf_printf(&r->out, "(?<%.*s>", STR_ARG(name));
}

static void rewrite_pattern(struct rewriting *r)
{
	while (r->at < r->in.len) {
		int c = peek(r, 0);

		switch (c) {
		case '\\':
			c = peek(r, 1);
			r->at += 2;
			rewrite_escape(r, c);
			break;
		case '[':
			rewrite_class(r);
			break;
		case '(':
			rewrite_group(r);
			break;
		case '*':
		case '+':
		case '?':
		case '{':
			rewrite_quantifier(r);
			break;
		case '.':
			buf_add_c(&r->out, "[^\\n\\r\\x{2028}\\x{2029}]");
			r->at++;
			break;
		default:
			buf_add_char(&r->out, (char)c);
			r->at++;
		}
	}
}

/* ---- compiling and matching ---- */

/* DOLLAR_ENDONLY, ALLOW_EMPTY_CLASS and MATCH_UNSET_BACKREF are the behaviour of ECMA-262. */
static enum err compile_pcre(const struct rewriting *r, struct str ecma, pcre2_code **ret,
                             struct error *e)
{
	const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS |
	                         PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C |
	                         PCRE2_AUTO_CALLOUT;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	struct str text = buf_str(&r->out); /* never NULL, even when empty */
	PCRE2_SIZE at;
	int why;

	if (!context)
		abort();
	/* a lone surrogate in a class is harmless: it matches nothing */
	pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	*ret = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, options, &why, &at, context);
	pcre2_compile_context_free(context);
	if (*ret)
		return OK;

	char words[160] = "";

	pcre2_get_error_message(why, (PCRE2_UCHAR *)words, sizeof words);
	return fail(e, ERR_INVALID, "the pattern %.*s: %s", STR_ARG(utf8_head(ecma, 200)), words);
}

enum err schema_pattern_new(struct str ecma, struct schema_pattern **ret, struct error *e)
{
	struct rewriting r = { .in = ecma, .reach = 64 };
	pcre2_code *code = NULL;
	enum err err;

	if (ecma.len > SCHEMA_PATTERN_MAX)
		return fail(e, ERR_TOO_LARGE, "a pattern of %zu bytes; at most %d are read",
		            ecma.len, SCHEMA_PATTERN_MAX);
	rewrite_pattern(&r);
	if (r.fault)
		err = fail(e, ERR_INVALID, "the pattern %.*s: %s", STR_ARG(utf8_head(ecma, 200)),
		           r.fault);
	else
		err = compile_pcre(&r, ecma, &code, e);
	buf_done(&r.out);
	if (err)
		return err;
	*ret = memory_alloc(sizeof **ret);
	**ret = (struct schema_pattern){ code, r.reach };
	return OK;
}

void schema_pattern_free(struct schema_pattern *p)
{
	if (p)
		pcre2_code_free(p->code);
	free(p);
}

size_t schema_pattern_size(const struct schema_pattern *p)
{
	size_t size = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &size);
	return size;
}

struct schema_matcher *schema_pattern_matcher_new(void)
{
	struct schema_matcher *m = memory_alloc(sizeof *m);

	m->context = pcre2_match_context_create(NULL);
	m->data = pcre2_match_data_create(1, NULL);
	if (!m->context || !m->data)
		abort();
	pcre2_set_heap_limit(m->context, HEAP_KIB);
	pcre2_set_depth_limit(m->context, DEPTH_MAX);
	return m;
}

void schema_pattern_matcher_free(struct schema_matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	free(m);
}

struct purse {
	uint64_t *steps;
	uint64_t each; /* for bytes that one item may examine without a callout */
	size_t last;
};

/* Before every item of the pattern: pays for it and for the distance since the previous one. */
static int pay_callout(pcre2_callout_block *block, void *arg)
{
	struct purse *p = arg;
	size_t here = block->current_position;
	size_t way = here > p->last ? here - p->last : p->last - here;
	uint64_t cost = p->each + way / BYTES_PER_STEP;

	p->last = here;
	if (*p->steps < cost)
		return PCRE2_ERROR_CALLOUT;
	*p->steps -= cost;
	return 0;
}

enum schema_match schema_pattern_match(const struct schema_pattern *p, struct schema_matcher *m,
                                       struct str subject, uint64_t *steps)
{
	struct purse purse = { .steps = steps,
		               .each = 1 + MIN(p->reach, subject.len) / BYTES_PER_STEP };
	/* PCRE2 may look for a required character in the whole subject before the first callout. */
	uint64_t scan = subject.len / BYTES_PER_STEP;

	if (*steps < scan)
		return MATCH_GAVE_UP;
	*steps -= scan;
	pcre2_set_callout(m->context, pay_callout, &purse);

	/* The JSON reader is strict, so the subject is valid UTF-8. */
	int rc = pcre2_match(p->code, (PCRE2_SPTR)subject.ptr, subject.len, 0, PCRE2_NO_UTF_CHECK,
	                     m->data, m->context);

	if (rc >= 0)
		return MATCH_YES;
	/* Every other error is a limit: the subject may or may not match. */
	return rc == PCRE2_ERROR_NOMATCH ? MATCH_NO : MATCH_GAVE_UP;
}
