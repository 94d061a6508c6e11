/*
 * Writes and reads the text of a log's floor, see floor_text.h.
 */
#include "engine/retention/floor_text.h"

#include "base/hash/base64.h"
#include "base/jw.h"

static void put_key(struct json_writer *w, struct str key)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!str_is(key))
		return;
	base64_write(&text, key);
	JW_KSTR(w, "journalKey", buf_str(&text));
}

struct str floor_text_write(struct arena *mem, const struct floor_text *f)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KINT(&w, "sequence", (int64_t)f->sequence);
	JW_KSTR(&w, "hash", sha256_hex(mem, &f->hash));
	JW_KINT(&w, "foldVersion", FOLD_VERSION);
	put_key(&w, f->key);
	JW_KEY(&w, "state");
	jw_raw(&w, state_text(mem, f->state));
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

struct str floor_text_key(struct arena *mem, struct str text)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	CLEANUP(buf_done) struct buf key = { 0 };
	struct json doc;
	struct str coded;

	if (json_read_trusted(scratch, text, &doc, NULL) != OK)
		return STR_NONE;
	coded = json_str(JSON_GET(doc, "journalKey"));
	if (!coded.len || !base64_read(&key, coded))
		return STR_NONE;
	return arena_keep(mem, buf_str(&key));
}

struct str floor_text_public(struct arena *mem, struct str text)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json_iter it;
	struct json doc, value;
	struct str name;

	if (json_read_trusted(scratch, text, &doc, NULL) != OK ||
	    !json_is(JSON_GET(doc, "journalKey")))
		return text;
	jw_init(&w, &out);
	jw_obj(&w);
	it = json_iter(doc);
	while (json_next(&it, &name, &value)) {
		if (str_eq(name, STR("journalKey")))
			continue;
		jw_key(&w, name);
		jw_value(&w, value);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}
