/*
 * Finds and replaces secrets in a stream: known values, shapes of common
 * tokens, and the operator's patterns.
 *
 * All patterns are compiled into one PCRE2 expression, so one pass over the
 * text finds them.  The end of a piece that could begin a secret is held back
 * until the next piece decides it.
 */
#include "text/redact.h"

#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Backtracking steps of one match; a pattern that needs more replaces the rest of the text. */
#define MATCH_LIMIT 200000
#define GLIMPSE 4
/* Joining patterns renumbers their groups, so back references are refused. */
#define COMPILE_OPTIONS (PCRE2_NO_AUTO_CAPTURE | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C)

#define SCRUB_OWN_MAX 64

enum { RULE_KNOWN, RULE_COSTLY, RULES_FIXED };

/*
 * Prefixes that issuers chose so that tokens can be found, and private keys.  No ordinary hash, id
 * or word matches.  The pattern describes what follows the prefix.
 */
static const struct shape {
	const char *name;
	struct str prefix;
	const char *pattern;
	bool begins_word; /* only where no letter or digit precedes it */
} shapes[] = {
	{ "private_key", STR("-----BEGIN "),
	  "(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{16,8192}"
	  "-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
	  /* one whose end was cut off, as in a preview; ends of lines also as JSON has them */
	  "|[A-Za-z0-9+/=\\\\\\r\\n]{40,8192})",
	  false },
	{ "aws_key", STR("AKIA"), "[A-Z2-7]{16}(?![A-Za-z0-9])", true },
	{ "aws_key", STR("ASIA"), "[A-Z2-7]{16}(?![A-Za-z0-9])", true },
	{ "github_token", STR("ghp_"), "[A-Za-z0-9]{36,255}", true },
	{ "github_token", STR("gho_"), "[A-Za-z0-9]{36,255}", true },
	{ "github_token", STR("ghu_"), "[A-Za-z0-9]{36,255}", true },
	{ "github_token", STR("ghs_"), "[A-Za-z0-9]{36,255}", true },
	{ "github_token", STR("ghr_"), "[A-Za-z0-9]{36,255}", true },
	{ "github_token", STR("github_pat_"), "[A-Za-z0-9_]{40,255}", true },
	{ "thole_token", STR("tht_"), "[0-9a-f]{64}(?![A-Za-z0-9])", true },
	{ "gitlab_token", STR("glpat-"), "[A-Za-z0-9_-]{20,64}", true },
	{ "provider_key", STR("sk-"), "[A-Za-z0-9_-]{20,256}", true },
	{ "google_key", STR("AIza"), "[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", true },
	{ "slack_token", STR("xox"), "[abposr]-[A-Za-z0-9-]{10,250}", true },
	{ "stripe_key", STR("sk_live_"), "[A-Za-z0-9]{16,250}", true },
	{ "stripe_key", STR("rk_live_"), "[A-Za-z0-9]{16,250}", true },
	{ "npm_token", STR("npm_"), "[A-Za-z0-9]{36}(?![A-Za-z0-9])", true },
	{ "jwt", STR("eyJ"),
	  "[A-Za-z0-9_-]{16,2048}\\.eyJ[A-Za-z0-9_-]{16,4096}\\.[A-Za-z0-9_-]{16,1024}", true },
};

struct pattern {
	pcre2_code *code;
	size_t rule;
};

struct known {
	struct str value;
	unsigned holders;
};

struct scrub {
	struct arena *mem;
	struct scrub_rule rules[SCRUB_RULES_MAX];
	size_t rule_count;
	struct pattern shapes[COUNT_OF(shapes)];
	bool is_first[256];                /* first bytes of all prefixes */
	uint8_t is_pair[65536 / 8];        /* first two bytes of all prefixes */
	struct pattern own[SCRUB_OWN_MAX]; /* the operator's */
	size_t own_count;
	struct buf joined; /* all patterns as one, so that one pass finds them */
	pcre2_code *code;  /* compiled from `joined`; NULL: not compiled yet */
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct known known[SCRUB_KNOWN_MAX]; /* the oldest first */
	size_t known_count;
};

/* ---- rules ---- */

static size_t rule_of(struct scrub *s, struct str name, bool is_policy)
{
	for (size_t i = 0; i < s->rule_count; i++)
		if (str_eq(s->rules[i].name, name) && s->rules[i].is_policy == is_policy)
			return i;
	if (s->rule_count == SCRUB_RULES_MAX)
		return SCRUB_RULES_MAX;
	s->rules[s->rule_count] = (struct scrub_rule){ arena_keep(s->mem, name), is_policy };
	return s->rule_count++;
}

static pcre2_code *compiled(struct str pattern, struct error *e)
{
	int code;
	PCRE2_SIZE at;
	PCRE2_UCHAR why[128];
	pcre2_code *made = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, COMPILE_OPTIONS,
	                                 &code, &at, NULL);

	if (made)
		return made;
	pcre2_get_error_message(code, why, sizeof why);
	(void)fail(e, ERR_INVALID, "%s at character %zu", (char *)why, (size_t)at + 1);
	return NULL;
}

/* Compiled at the first use after a change, because patterns are added one by one at the start. */
static void join_patterns(struct scrub *s)
{
	struct error e;

	if (s->code || !s->own_count)
		return;
	s->code = compiled(buf_str(&s->joined), &e);
	if (!s->code)
		abort(); /* every part compiled by itself before */
	pcre2_jit_compile(s->code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
}

static unsigned pair_of(const char *at)
{
	return (unsigned)(unsigned char)at[0] << 8 | (unsigned char)at[1];
}

struct scrub *redact_new(void)
{
	struct scrub *s = memory_zeroed(1, sizeof *s);

	s->mem = arena_new();
	s->rules[RULE_KNOWN].name = STR("known_secret");
	s->rules[RULE_COSTLY].name = STR("too_costly_to_look_at");
	s->rule_count = RULES_FIXED;
	s->data = pcre2_match_data_create(1, NULL);
	s->context = pcre2_match_context_create(NULL);
	if (!s->data || !s->context)
		abort();
	pcre2_set_match_limit(s->context, MATCH_LIMIT);
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		s->shapes[i].code = compiled(str_from(shapes[i].pattern), NULL);
		s->shapes[i].rule = rule_of(s, str_from(shapes[i].name), false);
		s->is_first[(unsigned char)shapes[i].prefix.ptr[0]] = true;
		unsigned pair = pair_of(shapes[i].prefix.ptr);

		s->is_pair[pair / 8] |= (uint8_t)(1 << pair % 8);
	}
	return s;
}

static void drop_known(struct scrub *s, size_t i)
{
	explicit_bzero((char *)s->known[i].value.ptr, s->known[i].value.len);
	memory_free((char *)s->known[i].value.ptr);
	s->known_count--;
	memmove(&s->known[i], &s->known[i + 1], (s->known_count - i) * sizeof s->known[0]);
}

void redact_free(struct scrub *s)
{
	if (!s)
		return;
	while (s->known_count)
		drop_known(s, s->known_count - 1);
	for (size_t i = 0; i < COUNT_OF(shapes); i++)
		pcre2_code_free(s->shapes[i].code);
	for (size_t i = 0; i < s->own_count; i++)
		pcre2_code_free(s->own[i].code);
	pcre2_code_free(s->code);
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	buf_done(&s->joined);
	arena_free(s->mem);
	memory_free(s);
}

enum err redact_add(struct scrub *s, struct str name, struct str pattern, struct error *e)
{
	pcre2_code *code = compiled(pattern, e);
	size_t rule;

	if (!code)
		return ERR_INVALID;
	rule = rule_of(s, name, true);
	if (rule == SCRUB_RULES_MAX || s->own_count == SCRUB_OWN_MAX) {
		pcre2_code_free(code);
		return fail(e, ERR_INVALID, "there are too many patterns");
	}
	/* Such a pattern would match everywhere and replace nothing. */
	if (pcre2_match(code, (PCRE2_SPTR) "", 0, 0, 0, s->data, s->context) >= 0) {
		pcre2_code_free(code);
		return fail(e, ERR_INVALID, "it matches the empty text");
	}
	/* Each pattern is kept separately too: rule_at() finds out which one has matched. */
	s->own[s->own_count++] = (struct pattern){ code, rule };
	buf_printf(&s->joined, "%s(?:%.*s)", s->joined.len ? "|" : "", STR_ARG(pattern));
	pcre2_code_free(s->code);
	s->code = NULL;
	return OK;
}

static struct known *known_of(struct scrub *s, struct str value)
{
	for (size_t i = 0; i < s->known_count; i++)
		if (str_eq(s->known[i].value, value))
			return &s->known[i];
	return NULL;
}

static void make_room(struct scrub *s)
{
	for (size_t i = 0; i < s->known_count; i++)
		if (!s->known[i].holders) {
			drop_known(s, i);
			log_line(LOG_WARN, "redact",
			         "more than %d secrets are known: the oldest without a holder is "
			         "no longer redacted",
			         SCRUB_KNOWN_MAX);
			return;
		}
	log_line(LOG_ERROR, "redact", "more than %d secrets are held: one is not redacted",
	         SCRUB_KNOWN_MAX);
}

/* NULL: it is not kept.  Longer values than half of what is held back could not be found across pieces. */
static struct known *known_add(struct scrub *s, struct str value)
{
	char *copy;

	if (value.len < SCRUB_KNOWN_MIN || value.len > SCRUB_HELD_MAX / 2)
		return NULL;
	if (s->known_count == SCRUB_KNOWN_MAX)
		make_room(s);
	if (s->known_count == SCRUB_KNOWN_MAX)
		return NULL;
	copy = memory_alloc(value.len);
	memcpy(copy, value.ptr, value.len);
	s->known[s->known_count] = (struct known){ .value = str_of(copy, value.len) };
	return &s->known[s->known_count++];
}

/* The value as it is written between the quotes of JSON; STR_NONE: the same. */
static struct str json_form(struct arena *mem, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_str(&w, value);
	return out.len == value.len + 2 ? STR_NONE
	                                : arena_keep(mem, str_of(out.ptr + 1, out.len - 2));
}

/* Calls it for both forms of the value: events and documents are redacted as JSON. */
static void each_form(struct scrub *s, struct str value,
                      void (*call)(struct scrub *s, struct str form))
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str form = json_form(mem, value);

	call(s, value);
	if (str_is(form))
		call(s, form);
}

static void know_one(struct scrub *s, struct str value)
{
	struct known *k = known_of(s, value);

	if (!k)
		k = known_add(s, value);
	if (k)
		k->holders++;
}

bool redact_is_path(struct str value)
{
	struct str rest = value, first;
	char path[NAME_MAX + 2];

	if (!value.len || value.ptr[0] != '/')
		return false;
	while (str_starts(rest, STR("/")))
		rest = str_skip(rest, 1);
	first = str_cut(&rest, '/');
	if (!first.len || first.len > NAME_MAX || memchr(first.ptr, 0, first.len))
		return !first.len;
	snprintf(path, sizeof path, "/%.*s", STR_ARG(first));
	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void redact_know(struct scrub *s, struct str value)
{
	each_form(s, value, know_one);
}

static void forget_one(struct scrub *s, struct str value)
{
	struct known *k = known_of(s, value);

	if (k && (!k->holders || !--k->holders))
		drop_known(s, (size_t)(k - s->known));
}

void redact_forget(struct scrub *s, struct str value)
{
	each_form(s, value, forget_one);
}

/* Seen again, it is the newest. */
static void note_one(struct scrub *s, struct str value)
{
	struct known *k = known_of(s, value), seen;

	if (!k) {
		known_add(s, value);
		return;
	}
	seen = *k;
	memmove(k, k + 1, (size_t)(s->known + s->known_count - (k + 1)) * sizeof *k);
	s->known[s->known_count - 1] = seen;
}

void redact_note(struct scrub *s, struct str value)
{
	each_form(s, value, note_one);
}

size_t redact_rules(const struct scrub *s, const struct scrub_rule **ret)
{
	*ret = s->rules;
	return s->rule_count;
}

/* ---- finding ---- */

struct hit {
	size_t from, to, rule;
};

/* PART: the text ends inside a possible secret, so the next piece decides. */
enum found { FOUND_NONE, FOUND_HIT, FOUND_PART, FOUND_COSTLY };

/* The first known value at or behind `at`; the longer one when two begin there. */
static enum found find_known(const struct scrub *s, struct str text, size_t at, struct hit *ret)
{
	enum found found = FOUND_NONE;

	for (size_t i = 0; i < s->known_count; i++) {
		ptrdiff_t from = str_find(str_skip(text, at), s->known[i].value);
		size_t begin = at + (size_t)from;

		if (from < 0 ||
		    (found && (begin > ret->from ||
		               (begin == ret->from && begin + s->known[i].value.len <= ret->to))))
			continue;
		*ret = (struct hit){ begin, begin + s->known[i].value.len, RULE_KNOWN };
		found = FOUND_HIT;
	}
	return found;
}

/* Where the text's end may be the beginning of a known value. */
static size_t known_tail(const struct scrub *s, struct str text, size_t at)
{
	size_t tail = text.len;

	for (size_t i = 0; i < s->known_count; i++) {
		size_t len = MIN(s->known[i].value.len - 1, text.len - at);

		for (; len && text.len - len < tail; len--)
			if (memcmp(text.ptr + text.len - len, s->known[i].value.ptr, len) == 0)
				tail = text.len - len;
	}
	return tail;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static enum found looked(int code)
{
	return code == PCRE2_ERROR_NOMATCH   ? FOUND_NONE
	       : code == PCRE2_ERROR_PARTIAL ? FOUND_PART
	       : code < 0                    ? FOUND_COSTLY
	                                     : FOUND_HIT;
}

/*
 * Does a shape match at this position?  The prefix is compared first, because a regular expression
 * at every position would cost far more than the copy of the text.
 */
static enum found shape_at(struct scrub *s, struct str text, size_t at, bool is_last,
                           struct hit *ret)
{
	struct str here = str_skip(text, at);
	bool is_inside = at && is_word(text.ptr[at - 1]);

	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		const struct shape *sh = &shapes[i];
		enum found found;

		if (sh->begins_word && is_inside)
			continue;
		*ret = (struct hit){ at, text.len, s->shapes[i].rule };
		if (here.len < sh->prefix.len && str_starts(sh->prefix, here) && !is_last)
			return FOUND_PART;
		if (!str_starts(here, sh->prefix))
			continue;
		if (here.len == sh->prefix.len) {
			if (is_last)
				continue;
			return FOUND_PART;
		}
		found = looked(pcre2_match(
			s->shapes[i].code, (PCRE2_SPTR)text.ptr, text.len, at + sh->prefix.len,
			PCRE2_ANCHORED | (is_last ? 0 : PCRE2_PARTIAL_HARD), s->data, s->context));
		if (found == FOUND_HIT)
			ret->to = pcre2_get_ovector_pointer(s->data)[1];
		if (found != FOUND_NONE)
			return found;
	}
	return FOUND_NONE;
}

static unsigned is_pair(const struct scrub *s, const char *at)
{
	unsigned pair = pair_of(at);

	return (unsigned)s->is_pair[pair / 8] >> pair % 8 & 1;
}

/*
 * The next position at which a shape may begin; the text's length: none.  Four positions are looked
 * at together, because nearly none is one.  At the last byte the pair is not complete, so only that
 * byte decides.
 */
static size_t next_pair(const struct scrub *s, struct str text, size_t at)
{
	const char *p = text.ptr;

	while (at + 4 < text.len && !(is_pair(s, p + at) | is_pair(s, p + at + 1) |
	                              is_pair(s, p + at + 2) | is_pair(s, p + at + 3)))
		at += 4;
	while (at + 1 < text.len && !is_pair(s, p + at))
		at++;
	return at + 1 == text.len && !s->is_first[(unsigned char)p[at]] ? text.len : at;
}

/* A table excludes nearly every position by its first two bytes. */
static enum found find_shape(struct scrub *s, struct str text, size_t at, bool is_last,
                             struct hit *ret)
{
	for (size_t i = at; (i = next_pair(s, text, i)) < text.len; i++) {
		enum found found = shape_at(s, text, i, is_last, ret);

		if (found != FOUND_NONE)
			return found;
	}
	return FOUND_NONE;
}

/* The rule whose pattern matches first at this position. */
static size_t rule_at(struct scrub *s, struct str text, size_t from)
{
	for (size_t i = 0; i < s->own_count; i++)
		if (pcre2_match(s->own[i].code, (PCRE2_SPTR)text.ptr, text.len, from,
		                PCRE2_ANCHORED, s->data, s->context) >= 0)
			return s->own[i].rule;
	return RULE_COSTLY;
}

/* The first match of an operator's pattern, or the part of one that the text ends with. */
static enum found find_own(struct scrub *s, struct str text, size_t at, bool is_last,
                           struct hit *ret)
{
	PCRE2_SIZE *span = pcre2_get_ovector_pointer(s->data);
	enum found found;

	if (!s->code)
		return FOUND_NONE;
	found = looked(pcre2_match(s->code, (PCRE2_SPTR)text.ptr, text.len, at,
	                           is_last ? 0 : PCRE2_PARTIAL_HARD, s->data, s->context));
	if (found == FOUND_COSTLY)
		*ret = (struct hit){ at, text.len, RULE_COSTLY };
	else if (found != FOUND_NONE)
		*ret = (struct hit){ .from = span[0], .to = span[1] };
	if (found == FOUND_HIT && ret->to == ret->from)
		return FOUND_NONE;
	if (found == FOUND_HIT)
		ret->rule = rule_at(s, text, ret->from);
	return found == FOUND_COSTLY ? FOUND_HIT : found;
}

/* ---- secrets that a preview cut off ---- */

/* Ends a text that was cut (utf8_preview). */
#define CUT_MARK STR("…")
/* So far back a cut secret is looked for. */
#define CUT_WINDOW 4096

/* Does the text up to `end` end with the beginning of a known value?  Returns where that begins. */
static size_t known_cut(const struct scrub *s, struct str text, size_t at, size_t end)
{
	for (size_t i = 0; i < s->known_count; i++) {
		struct str value = s->known[i].value;
		size_t len = MIN(value.len - 1, end - at);

		for (; len >= SCRUB_KNOWN_MIN; len--)
			if (text.ptr[end - len] == value.ptr[0] &&
			    memcmp(text.ptr + end - len, value.ptr, len) == 0)
				return end - len;
	}
	return end;
}

/* The same for a shape: its prefix, and SCRUB_KNOWN_MIN bytes or more that it may continue with. */
static size_t shape_cut(struct scrub *s, size_t shape, struct str text, size_t at, size_t end)
{
	const struct shape *sh = &shapes[shape];
	struct str rest = str_skip(str_head(text, end), at);
	ptrdiff_t next;

	while ((next = str_find(rest, sh->prefix)) >= 0) {
		size_t from = end - rest.len + (size_t)next, behind = from + sh->prefix.len;

		rest = str_skip(rest, (size_t)next + 1);
		if (end - behind < SCRUB_KNOWN_MIN ||
		    (sh->begins_word && from && is_word(text.ptr[from - 1])))
			continue;
		if (pcre2_match(s->shapes[shape].code, (PCRE2_SPTR)text.ptr, end, behind,
		                PCRE2_ANCHORED | PCRE2_PARTIAL_HARD, s->data,
		                s->context) == PCRE2_ERROR_PARTIAL)
			return from;
	}
	return end;
}

/* The next mark of a cut, or the end.  Its first byte is rare in most texts, so that is searched. */
static size_t next_mark(struct str text, size_t at)
{
	ptrdiff_t next;

	while ((next = str_find_char(str_skip(text, at), CUT_MARK.ptr[0])) >= 0) {
		at += (size_t)next;
		if (str_starts(str_skip(text, at), CUT_MARK))
			return at;
		at++;
	}
	return text.len;
}

/*
 * The first part of a secret in front of the mark of a cut: too short for its shape, and longer than
 * anyone should see.  The operator's patterns have no part of which this could be said.
 */
static enum found find_cut(struct scrub *s, struct str text, size_t at, struct hit *ret)
{
	size_t begin = at, end;

	while ((end = next_mark(text, begin)) < text.len) {
		size_t from = end - at > CUT_WINDOW ? end - CUT_WINDOW : at;

		*ret = (struct hit){ known_cut(s, text, from, end), end, RULE_KNOWN };
		for (size_t i = 0; i < COUNT_OF(shapes) && ret->from == end; i++)
			*ret = (struct hit){ shape_cut(s, i, text, from, end), end,
				             s->shapes[i].rule };
		if (ret->from < end)
			return FOUND_HIT;
		begin = end + CUT_MARK.len;
	}
	return FOUND_NONE;
}

/* ---- passing through ---- */

struct passing {
	struct scrub *s;
	struct scrub_stream *st;
	void (*out)(void *arg, struct str clean);
	void (*hit)(void *arg, const struct scrub_hit *hit); /* NULL: replace the hits */
	void *arg;
	struct str text;
	size_t at;
	bool is_last, is_whole; /* is_whole: one text, in which marks of a cut count */
	struct ahead {
		enum found found;
		struct hit hit;
		bool is_known;
	} known, shape, own, cut; /* the next hit of each kind; searched again only when passed */
};

static void pass_until(struct passing *p, size_t to)
{
	if (to > p->at && p->out)
		p->out(p->arg, str_of(p->text.ptr + p->at, to - p->at));
	p->at = to;
}

static void take_out(struct passing *p, const struct hit *h)
{
	pass_until(p, h->from);
	if (p->hit)
		p->hit(p->arg,
		       &(struct scrub_hit){ p->st->base + h->from, p->st->base + h->to, h->rule });
	else
		p->out(p->arg, STR(SCRUB_MARK));
	p->at = h->to;
	p->st->counts[h->rule]++;
	p->st->total++;
}

static void look_ahead(struct ahead *a, enum found now, struct hit hit)
{
	*a = (struct ahead){ now == FOUND_COSTLY ? FOUND_HIT : now, hit, true };
}

/* An earlier hit stays valid unless a replacement covered its beginning. */
static bool is_behind(const struct passing *p, const struct ahead *a)
{
	return !a->is_known || (a->found != FOUND_NONE && a->hit.from < p->at);
}

static void update_hits(struct passing *p)
{
	struct hit h = { 0 };

	if (is_behind(p, &p->known))
		look_ahead(&p->known, find_known(p->s, p->text, p->at, &h), h);
	if (is_behind(p, &p->shape))
		look_ahead(&p->shape, find_shape(p->s, p->text, p->at, p->is_last, &h), h);
	if (is_behind(p, &p->own))
		look_ahead(&p->own, find_own(p->s, p->text, p->at, p->is_last, &h), h);
	if (p->is_whole && is_behind(p, &p->cut))
		look_ahead(&p->cut, find_cut(p->s, p->text, p->at, &h), h);
}

/* The hit that begins first. */
static const struct ahead *nearest(const struct passing *p)
{
	const struct ahead *all[] = { &p->shape, &p->own, &p->known, &p->cut }, *best = NULL;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (all[i]->found != FOUND_NONE && (!best || all[i]->hit.from < best->hit.from))
			best = all[i];
	return best;
}

/* Replaces every complete hit.  Returns where the held-back part begins. */
static size_t take_all(struct passing *p)
{
	size_t tail = p->is_last ? p->text.len : known_tail(p->s, p->text, p->at);

	for (;;) {
		const struct ahead *next;

		update_hits(p);
		next = nearest(p);
		if (!next)
			return tail;
		if (next->found == FOUND_PART || next->hit.from >= tail)
			return MIN(next->hit.from, tail);
		take_out(p, &next->hit);
		/*
		 * The replacement covered the beginning of the tail, so it is searched again behind
		 * it.
		 */
		if (tail < p->at)
			tail = known_tail(p->s, p->text, p->at);
	}
}

static void feed(struct passing *p, struct str piece)
{
	struct scrub_stream *st = p->st;
	size_t keep;

	join_patterns(p->s);
	buf_add_str(&st->held, piece);
	/*
	 * The first byte of held has passed already; it only decides whether a word begins after
	 * it.
	 */
	p->at = st->has_passed;
	p->text = buf_str(&st->held);
	if (p->text.len == p->at)
		return;
	keep = MAX(take_all(p), p->at);
	/*
	 * A text that never completes a match must not be held back for ever; its beginning passes.
	 */
	if (p->text.len - keep > SCRUB_HELD_MAX)
		keep = p->text.len - SCRUB_HELD_MAX;
	pass_until(p, keep);
	if (!p->at)
		return;
	st->has_passed = true; /* the preceding byte decides where a word begins */
	st->base += p->at - 1;
	buf_drop(&st->held, p->at - 1);
}

void redact_feed(struct scrub *s, struct scrub_stream *st, struct str piece, bool is_last,
                 void (*out)(void *arg, struct str clean), void *arg)
{
	feed(&(struct passing){ .s = s, .st = st, .out = out, .arg = arg, .is_last = is_last },
	     piece);
}

void redact_find(struct scrub *s, struct scrub_stream *st, struct str piece, bool is_last,
                 void (*hit)(void *arg, const struct scrub_hit *hit), void *arg)
{
	feed(&(struct passing){ .s = s, .st = st, .hit = hit, .arg = arg, .is_last = is_last },
	     piece);
}

uint64_t redact_undecided(const struct scrub_stream *st)
{
	return st->base + st->has_passed;
}

void redact_stream_done(struct scrub_stream *st)
{
	buf_done(&st->held);
}

struct str redact_glimpse(const struct scrub_stream *st)
{
	struct str held = str_skip(buf_str(&st->held), st->has_passed);

	return held.len <= GLIMPSE ? held : STR("");
}

static void gather(void *arg, struct str clean)
{
	buf_add_str(arg, clean);
}

struct str redact_text(struct scrub *s, struct arena *mem, struct str text,
                       struct scrub_stream *counts)
{
	struct scrub_stream st = { 0 };
	struct buf out = { 0 };
	struct passing p = { .s = s,
		             .st = &st,
		             .out = gather,
		             .arg = &out,
		             .text = text,
		             .is_last = true,
		             .is_whole = true };

	join_patterns(s);
	if (text.len)
		take_all(&p);
	if (st.total) {
		pass_until(&p, text.len);
		text = arena_keep(mem, buf_str(&out));
	}
	for (size_t i = 0; i < SCRUB_RULES_MAX && counts; i++)
		counts->counts[i] += st.counts[i];
	if (counts)
		counts->total += st.total;
	buf_done(&out);
	return text;
}
