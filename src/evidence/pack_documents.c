/*
 * Checks that the documents of a pack agree: manifest.json, pack.json and
 * replay.json name one id, one scope and the same files, the id follows from
 * them, and each path is one that a pack has.  Names that are hashes are
 * compared with the hashes of the manifest, which the files were compared with.
 */
#include "evidence/pack_documents.h"

#include "base/hash/sha256.h"
#include "core/replay/replay.h"

#include <stdio.h>

#define REF_DIGITS 40
#define MANIFEST STR("manifest.json")
#define PACK STR("pack.json")
#define REPLAY STR("replay.json")
#define FIND(d, file, ...) pack_findings_add((d)->findings, (file), -1, -1, __VA_ARGS__)

bool pack_documents_hash(struct json v, struct sha256 *ret)
{
	struct str text = json_str(v);

	return str_starts(text, STR("sha256:")) && sha256_read_hex(str_skip(text, 7), ret);
}

/* ---- paths ---- */

static bool is_view(struct str path)
{
	for (size_t i = 0; i < replay_view_count(); i++)
		if (str_eq(path, replay_view_path(i)))
			return true;
	return false;
}

static bool is_document(struct str path)
{
	static const char *const names[] = { "pack.json",       "replay.json",  "floor.json",
		                             "chain.jsonl",     "events.jsonl", "journal.jsonl",
		                             "trajectory.json", "trace.json" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(path, str_from(names[i])))
			return true;
	return false;
}

/* Named by a ref: a text, or settings from which secrets were removed. */
static bool is_without_hash(struct str path)
{
	struct str ref = str_skip(path, 6);

	if (str_starts(path, STR("texts/out_")))
		return str_find_char(ref, '/') < 0;
	return (str_starts(path, STR("config/out_")) || str_starts(path, STR("config/rules-"))) &&
	       str_ends(path, STR(".redacted.json"));
}

static void check_path(const struct pack_documents *d, struct json entry)
{
	struct str path = json_str(JSON_GET(entry, "path")), name = path;
	struct str digits = str_skip(json_str(JSON_GET(entry, "hash")), 7);
	bool is_output = str_starts(path, STR("outputs/"));

	if (is_document(path) || is_view(path) || is_without_hash(path))
		return;
	if (is_output)
		name = str_skip(path, 8);
	else if (str_starts(path, STR("config/out_")))
		name = str_skip(path, 11);
	else if (str_starts(path, STR("config/rules-")))
		name = str_skip(path, 13);
	if (name.ptr == path.ptr ||
	    (!is_output && (name.len != REF_DIGITS + 5 || !str_ends(name, STR(".json")))))
		FIND(d, path, "a pack does not have a file of this name");
	else if (!str_eq(is_output ? name : str_head(name, REF_DIGITS),
	                 is_output ? digits : str_head(digits, REF_DIGITS)))
		FIND(d, path, "the content does not have the hash that is its name");
}

static struct json entry_of(const struct pack_documents *d, struct str path)
{
	struct json_iter it = json_iter(JSON_GET(d->manifest, "files"));
	struct json entry;
	struct str key;

	while (json_next(&it, &key, &entry))
		if (str_eq(json_str(JSON_GET(entry, "path")), path))
			return entry;
	return (struct json){ 0 };
}

static void check_files(const struct pack_documents *d)
{
	static const char *const needed[] = { "pack.json", "replay.json", "chain.jsonl",
		                              "events.jsonl" };
	struct json files = JSON_GET(d->manifest, "files"), entry;
	struct json_iter it = json_iter(files);
	struct str key;

	while (json_next(&it, &key, &entry))
		check_path(d, entry);
	for (size_t i = 0; i < COUNT_OF(needed); i++)
		if (!str_is(json_str(JSON_GET(entry_of(d, str_from(needed[i])), "path"))))
			FIND(d, MANIFEST, "it does not name %s, which every pack has", needed[i]);
}

/* ---- the id ---- */

static void add_line(struct sha256_stream *s, struct str text)
{
	if (str_is(text))
		sha256_more(s, text);
	sha256_more(s, STR("\n"));
}

static void add_number(struct sha256_stream *s, int64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)n);
	add_line(s, str_from(text));
}

/* Zeros in the place of the digits behind the text `before` at this place. */
static bool clear_digits(char *text, size_t len, size_t at, struct str before)
{
	if (len < at + before.len + REF_DIGITS || memcmp(text + at, before.ptr, before.len) != 0)
		return false;
	memset(text + at + before.len, '0', REF_DIGITS);
	return true;
}

/* The hash of a document as it was before it had its id, which is at its beginning. */
static bool hash_without_id(const struct pack_documents *d, struct str path, struct sha256 *ret)
{
	bool is_pack = str_eq(path, PACK);
	struct str text = is_pack ? d->pack_text : d->replay_text;
	struct str first =
		is_pack ? STR("{\"evidence_pack_id\":\"evd_") : STR("{\"replay_id\":\"rpl_");
	struct str second = STR("\",\"evidence_pack_id\":\"evd_");
	char *copy = (char *)arena_keep(d->mem, text).ptr;

	if (!clear_digits(copy, text.len, 0, first) ||
	    (!is_pack && !clear_digits(copy, text.len, first.len + REF_DIGITS, second)))
		return false;
	*ret = sha256_of(str_of(copy, text.len));
	return true;
}

static bool hash_for_id(const struct pack_documents *d, struct json entry, struct sha256 *ret)
{
	struct str path = json_str(JSON_GET(entry, "path"));

	if (str_eq(path, PACK) || str_eq(path, REPLAY))
		return hash_without_id(d, path, ret);
	return pack_documents_hash(JSON_GET(entry, "hash"), ret);
}

/* docs/formats/evidence-pack.md lists the parts; evidence_document_id() writes them. */
static struct str id_of(const struct pack_documents *d)
{
	struct json_iter it = json_iter(JSON_GET(d->manifest, "files"));
	struct sha256_stream s;
	struct sha256 sum, hash;
	struct json entry;
	struct str key;

	sha256_begin(&s);
	add_line(&s, STR("thole evidence 1"));
	while (json_next(&it, &key, &entry)) {
		if (!hash_for_id(d, entry, &hash))
			return STR_NONE;
		add_line(&s, json_str(JSON_GET(entry, "path")));
		add_line(&s, json_str(JSON_GET(entry, "role")));
		add_line(&s, json_str(JSON_GET(entry, "media_type")));
		add_number(&s, json_int(JSON_GET(entry, "size"), 0));
		sha256_more(&s, str_of((const char *)hash.state, SHA256_BYTES));
	}
	sum = sha256_end(&s);
	return arena_printf(d->mem, "evd_%.40s", sha256_hex(d->mem, &sum).ptr);
}

static void check_ids(const struct pack_documents *d)
{
	struct str id = json_str(JSON_GET(d->pack, "evidence_pack_id"));
	struct str replay = json_str(JSON_GET(d->replay, "replay_id"));

	if (!str_eq(id, id_of(d)))
		FIND(d, PACK, "the id of the pack does not follow from its files");
	if (!str_eq(id, json_str(JSON_GET(d->manifest, "evidence_pack_id"))) ||
	    !str_eq(id, json_str(JSON_GET(d->manifest, "export_id"))))
		FIND(d, MANIFEST, "it names another pack than pack.json");
	if (!str_eq(id, json_str(JSON_GET(d->replay, "evidence_pack_id"))) ||
	    !str_starts(replay, STR("rpl_")) || !str_starts(id, STR("evd_")) ||
	    !str_eq(str_skip(replay, 4), str_skip(id, 4)))
		FIND(d, REPLAY, "it names another pack than pack.json");
	if (!str_eq(json_str(JSON_GET(d->manifest, "format")), STR("thole-evidence-1")))
		FIND(d, MANIFEST, "its format is not thole-evidence-1");
}

/* ---- the manifest ---- */

static bool is_one_of(struct str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(name, str_from(names[i])))
			return true;
	return false;
}

/* The id covers the members of an entry, so there are no others. */
static bool entry_is_plain(struct json entry)
{
	static const char *const names[] = { "path", "role", "media_type", "size", "hash" };
	struct json_iter it = json_iter(entry);
	struct json value;
	struct str key;

	while (json_next(&it, &key, &value))
		if (!is_one_of(key, names, COUNT_OF(names)))
			return false;
	return json_count(entry) == COUNT_OF(names);
}

static bool is_same(const struct pack_documents *d, struct json a, struct json b)
{
	return json_type(a) != JSON_NONE && json_type(b) != JSON_NONE &&
	       str_eq(json_text(d->mem, a), json_text(d->mem, b));
}

/* What the id does not cover repeats pack.json, which it covers. */
static void check_manifest(const struct pack_documents *d)
{
	static const char *const names[] = { "export_id",    "evidence_pack_id", "schema_version",
		                             "format",       "created_at",       "files",
		                             "completeness", "redactions",       "self_hash" };
	static const char *const copies[][2] = { { "created_at", "updated_at" },
		                                 { "schema_version", "schema_version" },
		                                 { "completeness", "completeness" },
		                                 { "redactions", "redactions" } };
	struct json_iter it = json_iter(d->manifest), files;
	struct json value, entry;
	struct str key;

	while (json_next(&it, &key, &value))
		if (!is_one_of(key, names, COUNT_OF(names))) {
			FIND(d, MANIFEST, "it has a member that a manifest does not have");
			break;
		}
	files = json_iter(JSON_GET(d->manifest, "files"));
	while (json_next(&files, &key, &entry))
		if (!entry_is_plain(entry)) {
			FIND(d, MANIFEST, "an entry has other members than a manifest has");
			break;
		}
	for (size_t i = 0; i < COUNT_OF(copies); i++)
		if (!is_same(d, json_get(d->manifest, str_from(copies[i][0])),
		             json_get(d->pack, str_from(copies[i][1]))))
			FIND(d, MANIFEST, "its %s is not that of pack.json", copies[i][0]);
}

/* ---- the scope and the views ---- */

static void check_scope(const struct pack_documents *d)
{
	struct json scope = JSON_GET(d->pack, "scope");
	struct str kind = json_str(JSON_GET(scope, "kind"));
	struct str id = json_str(JSON_GET(scope, "scope_id"));
	struct str member = STR("");

	if (str_is(kind) && kind.len < 16)
		member = arena_printf(d->mem, "%.*s_id", STR_ARG(kind));
	if (!str_is(id) || !str_is(json_str(JSON_GET(scope, "session_id"))) ||
	    !str_eq(id, json_str(json_get(scope, member))))
		FIND(d, PACK, "it does not say which session it covers, and which part of it");
	if (json_type(JSON_GET(d->replay, "scope")) != JSON_OBJ ||
	    !str_eq(json_text(d->mem, scope), json_text(d->mem, JSON_GET(d->replay, "scope"))))
		FIND(d, REPLAY, "it has another scope than pack.json");
}

/* What a replay must give is what the pack holds below views/. */
static void check_expected(const struct pack_documents *d)
{
	struct json_iter it = json_iter(JSON_GET(d->replay, "expected_outputs"));
	struct json entry;
	size_t expected = 0, held = 0;
	struct str key;

	while (json_next(&it, &key, &entry)) {
		struct str path = json_str(JSON_GET(entry, "path"));
		struct str hash = json_str(JSON_GET(entry, "hash"));

		expected++;
		if (!is_view(path) || expected > replay_view_count() ||
		    !str_eq(hash, json_str(JSON_GET(entry_of(d, path), "hash")))) {
			FIND(d, REPLAY, "it expects another read model than the pack holds");
			return;
		}
	}
	it = json_iter(JSON_GET(d->manifest, "files"));
	while (json_next(&it, &key, &entry))
		held += is_view(json_str(JSON_GET(entry, "path")));
	if (held != expected)
		FIND(d, REPLAY, "it expects %zu read models, and the pack holds %zu", expected,
		     held);
}

void pack_documents_check(const struct pack_documents *d)
{
	if (json_type(d->pack) != JSON_OBJ || json_type(d->replay) != JSON_OBJ ||
	    json_type(JSON_GET(d->manifest, "files")) != JSON_ARR) {
		FIND(d, STR_NONE, "manifest.json, pack.json and replay.json cannot be read");
		return;
	}
	check_files(d);
	check_ids(d);
	check_manifest(d);
	check_scope(d);
	check_expected(d);
}
