/* Keeps counted files and texts until they are written (evidence_keep.h). */
#include "engine/evidence/evidence_keep.h"

void evidence_keep_drop(struct evidence_keep *k, struct kept_file *f)
{
	k->bytes -= f->text.len;
	buf_done(&f->text);
	f->is_dropped = true;
}

void evidence_keep_add(struct evidence_keep *k, struct kept_file *f, struct str data)
{
	if (f->is_dropped)
		return;
	if (data.len > KEEP_BYTES - k->bytes) {
		evidence_keep_drop(k, f);
		return;
	}
	buf_add_str(&f->text, data);
	k->bytes += data.len;
}

bool evidence_keep_take(struct evidence_keep *k, struct kept_file *f, uint64_t size,
                        struct buf *ret)
{
	if (f->is_dropped || f->text.len < size)
		return false;
	*ret = f->text;
	ret->len = (size_t)size;
	k->bytes -= f->text.len;
	*f = (struct kept_file){ .is_dropped = true };
	return true;
}

void evidence_keep_text(struct evidence_keep *k, struct str ref, struct str text)
{
	struct kept_text *t = ARENA_NEW(k->mem, struct kept_text);

	*t = (struct kept_text){ .ref = ref };
	if (text.len <= KEEP_BYTES - k->bytes) {
		t->text = arena_keep(k->mem, text);
		k->bytes += text.len;
	}
	map_put(&k->texts, t->ref, t);
}

const struct kept_text *evidence_keep_find(const struct evidence_keep *k, struct str ref)
{
	return map_get(&k->texts, ref);
}

/* Events have few underscores, so these are searched and not the whole word. */
struct str evidence_keep_next_ref(struct str body, size_t *at)
{
	static const char word[] = "\"out";
	const size_t len = sizeof word - 1;
	ptrdiff_t found;

	while ((found = str_find_char(str_skip(body, *at), '_')) >= 0) {
		size_t mark = *at + (size_t)found;
		struct str rest, ref;

		*at = mark + 1;
		if (mark < len || memcmp(body.ptr + mark - len, word, len) != 0)
			continue;
		rest = str_skip(body, mark - len + 1);
		ref = str_cut(&rest, '"');
		*at = mark - len + 1 + ref.len;
		return ref;
	}
	return STR_NONE;
}
