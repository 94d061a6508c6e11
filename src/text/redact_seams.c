/* Finds secrets that are divided between pieces of a text (redact_seams.h). */
#include "text/redact_seams.h"

#include "base/memory.h"
#include "base/util.h"

struct piece {
	uint64_t number, from, to; /* to: behind its last byte */
};

/* One text, as far as its end is undecided. */
struct seam_text {
	struct buf key;
	struct scrub_stream stream;
	struct piece *pieces;
	size_t count, cap;
	uint64_t size; /* of all pieces */
	uint64_t used; /* number of the newest piece */
};

/* A part of a secret: bytes of one piece. */
struct part {
	uint64_t number;
	uint32_t from, to;
	uint16_t rule;
	bool is_first; /* of its secret: counted once */
};

struct redact_seams {
	struct scrub *scrub;
	struct seam_text *texts;
	size_t text_count, text_cap;
	struct part *parts; /* by number and place */
	size_t part_count, part_cap;
	uint64_t whole_from; /* pieces from this one on are replaced whole; UINT64_MAX: none */
};

struct redact_seams *redact_seams_new(struct scrub *scrub)
{
	struct redact_seams *s = memory_zeroed(1, sizeof *s);

	s->scrub = scrub;
	s->whole_from = UINT64_MAX;
	return s;
}

/* ---- parts ---- */

static bool is_before(const struct part *a, const struct part *b)
{
	return a->number < b->number || (a->number == b->number && a->from < b->from);
}

/* Parts come nearly in order: texts that alternate are few. */
static void add_part(struct redact_seams *s, struct part part)
{
	size_t at = s->part_count;

	if (s->part_count == SEAMS_PARTS_MAX) {
		s->whole_from = MIN(s->whole_from, part.number);
		return;
	}
	if (s->part_count == s->part_cap) {
		s->part_cap = s->part_cap ? s->part_cap * 2 : 16;
		s->parts = memory_resize(s->parts, s->part_cap * sizeof *s->parts);
	}
	for (; at && is_before(&part, &s->parts[at - 1]); at--)
		s->parts[at] = s->parts[at - 1];
	s->parts[at] = part;
	s->part_count++;
}

/* ---- texts ---- */

struct finding {
	struct redact_seams *s;
	struct seam_text *t;
};

static bool overlaps(const struct piece *p, const struct scrub_hit *h)
{
	return p->from < h->to && h->from < p->to;
}

static void on_hit(void *arg, const struct scrub_hit *h)
{
	struct finding *f = arg;
	size_t first = 0, end;

	while (first < f->t->count && !overlaps(&f->t->pieces[first], h))
		first++;
	for (end = first; end < f->t->count && overlaps(&f->t->pieces[end], h);)
		end++;
	for (size_t i = first; end - first > 1 && i < end; i++) {
		const struct piece *p = &f->t->pieces[i];

		add_part(f->s, (struct part){ .number = p->number,
		                              .from = (uint32_t)(MAX(h->from, p->from) - p->from),
		                              .to = (uint32_t)(MIN(h->to, p->to) - p->from),
		                              .rule = (uint16_t)h->rule,
		                              .is_first = i == first });
	}
}

/* Drops the pieces that no later secret can touch. */
static void drop_decided(struct seam_text *t)
{
	uint64_t undecided = redact_undecided(&t->stream);
	size_t drop = 0;

	while (drop < t->count && t->pieces[drop].to <= undecided)
		drop++;
	t->count -= drop;
	memmove(t->pieces, t->pieces + drop, t->count * sizeof *t->pieces);
}

static void text_feed(struct redact_seams *s, struct seam_text *t, struct str piece, bool is_last)
{
	redact_find(s->scrub, &t->stream, piece, is_last, on_hit, &(struct finding){ s, t });
	drop_decided(t);
}

static void text_end(struct redact_seams *s, struct seam_text *t)
{
	text_feed(s, t, STR(""), true);
	redact_stream_done(&t->stream);
	buf_done(&t->key);
	memory_free(t->pieces);
}

static struct seam_text *oldest(struct redact_seams *s)
{
	struct seam_text *found = &s->texts[0];

	for (size_t i = 1; i < s->text_count; i++)
		if (s->texts[i].used < found->used)
			found = &s->texts[i];
	return found;
}

static struct seam_text *text_new(struct redact_seams *s, struct str key)
{
	struct seam_text *t;

	if (s->text_count == SEAMS_TEXTS_MAX) {
		t = oldest(s);
		text_end(s, t);
	} else {
		if (s->text_count == s->text_cap) {
			s->text_cap = s->text_cap ? s->text_cap * 2 : 4;
			s->texts = memory_resize(s->texts, s->text_cap * sizeof *s->texts);
		}
		t = &s->texts[s->text_count++];
	}
	*t = (struct seam_text){ 0 };
	buf_add_str(&t->key, key);
	return t;
}

static struct seam_text *text_of(struct redact_seams *s, struct str key)
{
	for (size_t i = s->text_count; i--;)
		if (str_eq(buf_str(&s->texts[i].key), key))
			return &s->texts[i];
	return text_new(s, key);
}

void redact_seams_add(struct redact_seams *s, struct str key, uint64_t number, struct str piece)
{
	struct seam_text *t;

	if (!piece.len)
		return;
	t = text_of(s, key);
	if (t->count == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 4;
		t->pieces = memory_resize(t->pieces, t->cap * sizeof *t->pieces);
	}
	t->pieces[t->count++] = (struct piece){ number, t->size, t->size + piece.len };
	t->size += piece.len;
	t->used = number;
	text_feed(s, t, piece, false);
}

void redact_seams_end(struct redact_seams *s)
{
	while (s->text_count)
		text_end(s, &s->texts[--s->text_count]);
}

void redact_seams_free(struct redact_seams *s)
{
	if (!s)
		return;
	redact_seams_end(s);
	memory_free(s->texts);
	memory_free(s->parts);
	memory_free(s);
}

/* ---- answers ---- */

static size_t first_part(const struct redact_seams *s, uint64_t number)
{
	size_t low = 0, high = s->part_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->parts[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct str redact_seams_clean(const struct redact_seams *s, struct arena *mem, uint64_t number,
                              struct str piece, struct scrub_stream *counts)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t i = first_part(s, number), at = 0;

	if (number >= s->whole_from && piece.len)
		return STR(SCRUB_MARK);
	if (i == s->part_count || s->parts[i].number != number)
		return piece;
	for (; i < s->part_count && s->parts[i].number == number; i++) {
		const struct part *p = &s->parts[i];

		if (p->to > piece.len || p->from < at)
			continue;
		buf_add_str(&out, str_of(piece.ptr + at, p->from - at));
		buf_add_str(&out, STR(SCRUB_MARK));
		at = p->to;
		counts->counts[p->rule] += p->is_first;
		counts->total += p->is_first;
	}
	buf_add_str(&out, str_skip(piece, at));
	return arena_keep(mem, buf_str(&out));
}
