/* Checks who signed a pack, and that its head is a leaf of a signed checkpoint. */
#include "evidence/pack_signature.h"

#include "base/jw.h"
#include "catalog/gen/vocab.h"
#include "catalog/rec.h"
#include "proof/proof_stamp.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (8u << 20)
#define FUTURE_MS (5 * 60 * (int64_t)1000) /* clocks of two machines differ */
#define ENVELOPE STR(PROOF_ENVELOPE_PATH)
#define CHECKPOINT STR(PROOF_PACK_PATH)
#define STAMP STR(PROOF_STAMP_PATH)
#define FIND(s, code, file, ...)                                                                   \
	pack_findings_add_code((s)->findings, word_of(code), (file), __VA_ARGS__)

static struct str word_of(enum proof_finding code)
{
	return enum_word(&enum_proof_finding, code);
}

void pack_signature_done(struct pack_signature *s)
{
	buf_done(&s->envelope);
	buf_done(&s->checkpoint);
	buf_done(&s->stamp);
}

bool pack_signature_is_outside(struct str path)
{
	return str_eq(path, ENVELOPE) || str_eq(path, CHECKPOINT) || str_eq(path, STAMP);
}

bool pack_signature_take(struct pack_signature *s, struct str path, struct str data)
{
	struct buf *to = str_eq(path, ENVELOPE)     ? &s->envelope
	                 : str_eq(path, CHECKPOINT) ? &s->checkpoint
	                 : str_eq(path, STAMP)      ? &s->stamp
	                                            : NULL;

	if (!to)
		return true;
	if (to->len + data.len > TEXT_MAX)
		return false;
	buf_add_str(to, data);
	return true;
}

void pack_signature_seen(struct pack_signature *s, struct str path, const struct sha256 *hash)
{
	s->has_envelope |= str_eq(path, ENVELOPE);
	s->has_checkpoint |= str_eq(path, CHECKPOINT);
	s->has_stamp |= str_eq(path, STAMP);
	if (str_eq(path, ENVELOPE) ||
	    str_eq(path, STR("manifest.json"))) /* the envelope is second */
		s->stamped = *hash;
	if (str_eq(path, ENVELOPE) || str_eq(path, STAMP))
		return;
	if (s->seen_count == s->seen_cap) {
		size_t cap = s->seen_cap ? s->seen_cap * 2 : 64;

		s->seen = arena_grow(s->mem, s->seen, s->seen_count * sizeof *s->seen,
		                     cap * sizeof *s->seen);
		s->seen_cap = cap;
	}
	s->seen[s->seen_count++] = (struct proof_subject){ path, *hash };
}

/* ---- the envelope ---- */

static int by_path(const void *a, const void *b)
{
	return str_cmp(((const struct proof_subject *)a)->path,
	               ((const struct proof_subject *)b)->path);
}

static const struct proof_subject *subject_of(const struct proof_subject *list, size_t count,
                                              struct str path)
{
	struct proof_subject key = { .path = path };

	return count ? bsearch(&key, list, count, sizeof key, by_path) : NULL;
}

/* The statement names exactly the files that there are. */
static void check_subjects(struct pack_signature *s)
{
	const struct proof_statement *t = &s->statement;

	for (size_t i = 1; i < t->count; i++)
		if (by_path(&t->subjects[i - 1], &t->subjects[i]) >= 0) {
			FIND(s, PROOF_FINDING_STATEMENT_DIFFERS, ENVELOPE,
			     "the statement does not name files once and in order");
			return;
		}
	qsort(s->seen, s->seen_count, sizeof *s->seen, by_path);
	for (size_t i = 0; i < s->seen_count; i++) {
		const struct proof_subject *said =
			subject_of(t->subjects, t->count, s->seen[i].path);

		if (!said)
			FIND(s, PROOF_FINDING_STATEMENT_DIFFERS, s->seen[i].path,
			     "the signature does not cover this file");
		else if (!sha256_eq(&said->hash, &s->seen[i].hash))
			FIND(s, PROOF_FINDING_STATEMENT_DIFFERS, s->seen[i].path,
			     "the file does not have the hash that was signed");
	}
	for (size_t i = 0; i < t->count; i++)
		if (!subject_of(s->seen, s->seen_count, t->subjects[i].path))
			FIND(s, PROOF_FINDING_STATEMENT_DIFFERS, t->subjects[i].path,
			     "the file is missing: it was signed");
}

static bool is_trusted(const struct pack_signature *s, const struct ed25519_public *key)
{
	for (size_t i = 0; s->trust.keys && i < s->trust.keys->count; i++)
		if (memcmp(&s->trust.keys->items[i], key, sizeof *key) == 0)
			return true;
	return !s->trust.keys;
}

static void check_times(struct pack_signature *s)
{
	const struct proof_statement *t = &s->statement;

	if (t->signed_at > s->trust.now + FUTURE_MS)
		FIND(s, PROOF_FINDING_SIGNATURE_FUTURE, ENVELOPE,
		     "the signature is from the future");
	if (t->expires_at && t->expires_at <= s->trust.now)
		FIND(s, PROOF_FINDING_SIGNATURE_EXPIRED, ENVELOPE, "the signature has expired");
	if (t->expires_at && t->expires_at <= t->signed_at)
		FIND(s, PROOF_FINDING_SIGNATURE_MALFORMED, ENVELOPE,
		     "the signature ends before it begins");
}

static void check_signature(struct pack_signature *s, struct str statement,
                            const struct ed25519_signature *sig)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error e;
	enum err code;

	proof_envelope_signed(&text, statement);
	code = ed25519_verify(&s->statement.key, buf_str(&text), sig, &e);
	if (code == ERR_UNSUPPORTED)
		FIND(s, PROOF_FINDING_SIGNATURE_UNCHECKED, ENVELOPE, "%s", e.message);
	else if (code != OK)
		FIND(s, PROOF_FINDING_SIGNATURE_INVALID, ENVELOPE,
		     "the signature is not of the key and the statement");
	else if (!is_trusted(s, &s->statement.key))
		FIND(s, PROOF_FINDING_KEY_FOREIGN, ENVELOPE,
		     "the pack was signed by another key than the given one");
	if (code == ERR_UNSUPPORTED)
		s->status = STR("unchecked");
	else if (code == OK && !is_trusted(s, &s->statement.key))
		s->status = STR("another_key");
}

static void check_envelope(struct pack_signature *s, struct json pack)
{
	struct str id = json_str(JSON_GET(pack, "evidence_pack_id")), statement;
	struct ed25519_signature sig;
	struct error e;

	if (proof_envelope_read(s->mem, buf_str(&s->envelope), &s->statement, &statement, &sig,
	                        &e) != OK) {
		FIND(s, PROOF_FINDING_SIGNATURE_MALFORMED, ENVELOPE, "%s", e.message);
		return;
	}
	check_signature(s, statement, &sig);
	check_times(s);
	check_subjects(s);
	if (!str_eq(id, s->statement.evidence_id))
		FIND(s, PROOF_FINDING_STATEMENT_DIFFERS, ENVELOPE,
		     "the signature is of another pack");
}

/* ---- the checkpoint ---- */

static void check_note(struct pack_signature *s, enum proof_note_result result)
{
	if (result == PROOF_NOTE_MALFORMED)
		FIND(s, PROOF_FINDING_CHECKPOINT_MALFORMED, CHECKPOINT,
		     "it holds no checkpoint in a signed note");
	else if (result == PROOF_NOTE_FOREIGN)
		FIND(s, PROOF_FINDING_KEY_FOREIGN, CHECKPOINT,
		     "the checkpoint was signed by another key than the pack");
	else if (result == PROOF_NOTE_FORGED)
		FIND(s, PROOF_FINDING_SIGNATURE_INVALID, CHECKPOINT,
		     "the signature is not of the checkpoint's text");
}

/* The leaf is the head of the pack's chain. */
static void check_leaf(struct pack_signature *s, const struct proof_pack *p, struct json pack)
{
	struct json range = JSON_GET(pack, "range");
	struct str head = str_skip(json_str(JSON_GET(range, "head")), 7); /* sha256: */
	struct str want =
		arena_printf(s->mem, "%.*s %lld %.*s",
	                     STR_ARG(json_str(JSON_GET(JSON_GET(pack, "scope"), "session_id"))),
	                     (long long)json_int(JSON_GET(range, "to_sequence"), 0), STR_ARG(head));
	const char *fault = proof_pack_fault(p, &s->tree);

	if (!str_eq(want, p->leaf))
		FIND(s, PROOF_FINDING_CHECKPOINT_DIFFERS, CHECKPOINT,
		     "its leaf is not the head of this pack");
	else if (fault)
		FIND(s, PROOF_FINDING_CHECKPOINT_DIFFERS, CHECKPOINT, "%s", fault);
}

/* Signed with the key of the envelope, so that one comparison of keys is enough. */
static void check_checkpoint(struct pack_signature *s, struct json pack)
{
	struct proof_keys keys = { .items = { s->statement.key }, .count = 1 };
	struct ed25519_public by;
	enum proof_note_result result;
	struct proof_pack p;
	struct error e;

	if (proof_pack_read(s->mem, buf_str(&s->checkpoint), &p, &e) != OK) {
		FIND(s, PROOF_FINDING_CHECKPOINT_MALFORMED, CHECKPOINT, "%s", e.message);
		return;
	}
	result = proof_note_read(p.note, &keys, &s->tree, &by);
	check_note(s, result);
	if (result != PROOF_NOTE_MALFORMED)
		check_leaf(s, &p, pack);
}

/* ---- the time stamp ---- */

static void check_stamp(struct pack_signature *s)
{
	struct proof_stamp stamp;
	struct error e;

	if (proof_stamp_read(buf_str(&s->stamp), &stamp, &e) != OK) {
		FIND(s, PROOF_FINDING_TIMESTAMP_MALFORMED, STAMP, "%s", e.message);
		return;
	}
	s->time = stamp.time;
	if (!sha256_eq(&stamp.hash, &s->stamped))
		FIND(s, PROOF_FINDING_TIMESTAMP_DIFFERS, STAMP,
		     "the time stamp is about something else than this pack");
}

/* ---- the whole ---- */

void pack_signature_check(struct pack_signature *s, struct json pack)
{
	size_t before = s->findings->count;

	if (s->has_envelope)
		check_envelope(s, pack);
	else if (s->trust.keys)
		FIND(s, PROOF_FINDING_SIGNATURE_MISSING, ENVELOPE, "the pack is not signed");
	else if (s->has_checkpoint)
		FIND(s, PROOF_FINDING_SIGNATURE_MISSING, ENVELOPE,
		     "the pack has a checkpoint, and its signature is missing");
	if (s->has_stamp)
		check_stamp(s);
	if (s->has_checkpoint)
		check_checkpoint(s, pack);
	else if (s->has_envelope)
		FIND(s, PROOF_FINDING_CHECKPOINT_MISSING, CHECKPOINT,
		     "a signed pack has a checkpoint");
	/* Envelope, checkpoint and proofs are one signature: it is valid as a whole. */
	if (!str_is(s->status) && s->findings->count > before)
		s->status = STR("invalid");
}

void pack_signature_write(struct json_writer *w, const struct pack_signature *s)
{
	if (s->has_envelope) {
		JW_KEY(w, "signature");
		jw_obj(w);
		JW_KSTR(w, "status", str_is(s->status) ? s->status : STR("valid"));
		if (s->statement.count) {
			JW_KSTR(w, "keyId", proof_key_id(s->mem, &s->statement.key));
			JW_KEY(w, "signedAt");
			jw_time(w, s->statement.signed_at);
		}
		if (s->statement.expires_at) {
			JW_KEY(w, "expiresAt");
			jw_time(w, s->statement.expires_at);
		}
		JW_KBOOL(w, "keyGiven", s->trust.keys != NULL);
		jw_obj_end(w);
	}
	if (s->has_stamp) {
		JW_KEY(w, "timestamp");
		jw_obj(w);
		JW_KSTR(w, "status", STR("unchecked")); /* its signature is not looked at */
		JW_KOPT(w, "time", s->time);
		JW_KSTR(w, "of", s->has_envelope ? ENVELOPE : STR("manifest.json"));
		jw_obj_end(w);
	}
	if (str_is(s->tree.origin)) {
		JW_KEY(w, "checkpoint");
		jw_obj(w);
		JW_KSTR(w, "origin", s->tree.origin);
		JW_KINT(w, "treeSize", (int64_t)s->tree.size);
		JW_KSTR(w, "rootHash", sha256_hex(s->mem, &s->tree.root));
		jw_obj_end(w);
	}
}
