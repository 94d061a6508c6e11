/*
 * Makes the record of a group.
 *
 * A text of REC_SPAN_MIN bytes or more that an event or a blob of the group
 * holds is written as a reference: the outputs of tools, the text of models and
 * ids are not stored twice.  Most texts occur in the first events, so they are
 * looked for from there.
 */
#include "core/journal/journal.h"
#include "core/journal/journal_part.h"

#include "base/jw.h"
#include "core/decision.h"

struct place {
	uint64_t where; /* PLACE_BLOB, or the event */
	struct str ref; /* of the blob */
	size_t at, len;
};

static bool find_text(struct str text, struct str in, size_t *ret)
{
	const char *found = text.len <= in.len ? memmem(in.ptr, in.len, text.ptr, text.len) : NULL;

	if (found)
		*ret = (size_t)(found - in.ptr);
	return found;
}

static bool find_in_events(const struct journal_text *t, struct str text, bool is_plain,
                           struct place *ret)
{
	for (size_t i = 0; i < t->event_count; i++)
		if (find_text(text, t->events[i], &ret->at)) {
			ret->where = PLACE_EVENT + 2 * i + is_plain;
			ret->len = text.len;
			return true;
		}
	return false;
}

static bool find_in_blobs(const struct journal_text *t, struct str text, struct place *ret)
{
	for (size_t i = 0; i < t->blob_count; i++)
		if (!t->blobs[i].is_again && find_text(text, t->blobs[i].data, &ret->at)) {
			ret->where = PLACE_BLOB;
			ret->ref = t->blobs[i].ref;
			ret->len = text.len;
			return true;
		}
	return false;
}

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == '"' || s.ptr[i] == '\\')
			return false;
	return true;
}

/* As the event has it: escaped, or as it is where JSON is part of the envelope. */
static bool find_place(const struct journal_text *t, struct str text, struct place *ret)
{
	CLEANUP(buf_done) struct buf escaped = { 0 };
	struct json_writer w;

	if (!is_plain(text)) {
		jw_init(&w, &escaped);
		jw_str(&w, text);
		if (!w.is_altered &&
		    find_in_events(t, str_of(escaped.ptr + 1, escaped.len - 2), false, ret))
			return true;
	}
	return find_in_events(t, text, true, ret) || find_in_blobs(t, text, ret);
}

static void put_str(struct buf *out, const struct journal_text *t, struct str text);

static void put_place(struct buf *out, const struct journal_text *t, const struct place *p)
{
	rec_pack_number(out, 2 * (uint64_t)p->len + 2);
	rec_pack_number(out, p->where);
	if (p->where == PLACE_BLOB)
		put_str(out, t, p->ref);
	rec_pack_number(out, p->at);
}

static void put_str(struct buf *out, const struct journal_text *t, struct str text)
{
	struct place p;

	if (text.len >= REC_SPAN_MIN && find_place(t, text, &p)) {
		put_place(out, t, &p);
		return;
	}
	rec_pack_number(out, 2 * (uint64_t)text.len + 1);
	buf_add_str(out, text);
}

static size_t number_len(uint64_t n)
{
	size_t len = 1;

	for (; n > 0x7f; n >>= 7)
		len++;
	return len;
}

/* Copies what was packed, and looks for each of its long texts. */
static void put_packed(struct buf *out, const struct journal_text *t, const struct rec_packer *p)
{
	const struct rec_span *spans = (const struct rec_span *)(const void *)p->spans.ptr;
	size_t at = 0;

	if (!p->out.len)
		return;
	for (size_t i = 0; i < p->spans.len / sizeof *spans; i++) {
		size_t head = number_len(2 * (uint64_t)spans[i].len + 1);

		buf_add(out, p->out.ptr + at, spans[i].at - at);
		put_str(out, t, str_of(p->out.ptr + spans[i].at + head, spans[i].len));
		at = spans[i].at + head + spans[i].len;
	}
	buf_add(out, p->out.ptr + at, p->out.len - at);
}

void journal_write(struct journal *j, const struct journal_text *text, struct buf *key,
                   struct buf *body)
{
	struct journal_session *s = j->session;

	if (j->has_key)
		buf_add_str(key, buf_str(&j->key.out));
	rec_pack_number(body, text->event_count);
	rec_pack_number(body, j->first);
	put_packed(body, text, &j->given);
	rec_pack_number(body, j->input_count);
	put_packed(body, text, &j->inputs);
	rec_pack_number(body, j->moment_count);
	put_packed(body, text, &j->moments);
	rec_pack_number(body, j->asks.count);
	put_packed(body, text, &j->notes);
	if (j->has_key) {
		s->base = j->base;
		s->since_key = 0;
	}
	s->since_key = (s->since_key + 1) % JOURNAL_KEY_EVERY;
}
