/* Writes and reads DSSE envelopes with one signature. */
#include "proof/proof_envelope.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "base/os/clock.h"

#include <string.h>

#define STATEMENT_TYPE "https://in-toto.io/Statement/v1"
#define PREDICATE_TYPE "urn:thole:evidence-pack:1"
#define PAYLOAD_TYPE "application/vnd.in-toto+json"

static void write_hex(struct json_writer *w, const struct sha256 *h)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * SHA256_BYTES];

	for (size_t i = 0; i < SHA256_BYTES; i++) {
		hex[2 * i] = digits[h->state[i] >> 4];
		hex[2 * i + 1] = digits[h->state[i] & 15];
	}
	jw_str(w, str_of(hex, sizeof hex));
}

static void write_base64(struct json_writer *w, const void *bytes, size_t len)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	base64_write(&text, str_of(bytes, len));
	jw_str(w, buf_str(&text));
}

static void write_subjects(struct json_writer *w, const struct proof_statement *s)
{
	JW_KEY(w, "subject");
	jw_arr(w);
	for (size_t i = 0; i < s->count; i++) {
		jw_obj(w);
		JW_KSTR(w, "name", s->subjects[i].path);
		JW_KEY(w, "digest");
		jw_obj(w);
		JW_KEY(w, "sha256");
		write_hex(w, &s->subjects[i].hash);
		jw_obj_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

void proof_envelope_statement(struct buf *out, const struct proof_statement *s)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "_type", STR(STATEMENT_TYPE));
	write_subjects(&w, s);
	JW_KSTR(&w, "predicateType", STR(PREDICATE_TYPE));
	JW_KEY(&w, "predicate");
	jw_obj(&w);
	JW_KSTR(&w, "evidencePackId", s->evidence_id);
	JW_KEY(&w, "signedAt");
	jw_time(&w, s->signed_at);
	if (s->expires_at) {
		JW_KEY(&w, "expiresAt");
		jw_time(&w, s->expires_at);
	}
	JW_KEY(&w, "publicKey");
	write_base64(&w, s->key.bytes, sizeof s->key.bytes);
	jw_obj_end(&w);
	jw_obj_end(&w);
}

void proof_envelope_signed(struct buf *out, struct str statement)
{
	buf_printf(out, "DSSEv1 %zu " PAYLOAD_TYPE " %zu ", sizeof PAYLOAD_TYPE - 1, statement.len);
	buf_add_str(out, statement);
}

void proof_envelope_write(struct buf *out, struct str statement, const struct ed25519_public *key,
                          const struct ed25519_signature *sig)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "payload");
	write_base64(&w, statement.ptr, statement.len);
	JW_KSTR(&w, "payloadType", STR(PAYLOAD_TYPE));
	JW_KEY(&w, "signatures");
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "keyid", proof_key_id(mem, key));
	JW_KEY(&w, "sig");
	write_base64(&w, sig->bytes, sizeof sig->bytes);
	jw_obj_end(&w);
	jw_arr_end(&w);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

/* ---- reading ---- */

static bool read_bytes(struct json v, void *ret, size_t len)
{
	CLEANUP(buf_done) struct buf raw = { .max = 256 };

	if (!str_is(json_str(v)) || !base64_read(&raw, json_str(v)) || raw.overflowed ||
	    raw.len != len)
		return false;
	memcpy(ret, raw.ptr, len);
	return true;
}

static bool read_time(struct json v, int64_t *ret)
{
	return str_is(json_str(v)) && clock_time_read(json_str(v), ret);
}

static bool read_subjects(struct arena *mem, struct json list, struct proof_statement *ret)
{
	struct proof_subject *all = ARENA_ARRAY(mem, struct proof_subject, json_count(list) + 1);
	struct json_iter it = json_iter(list);
	struct json one;
	struct str key;

	ret->subjects = all;
	while (json_next(&it, &key, &one)) {
		struct proof_subject *s = &all[ret->count++];
		struct str hex = json_str(JSON_GET(JSON_GET(one, "digest"), "sha256"));

		s->path = json_str(JSON_GET(one, "name"));
		if (!str_is(s->path) || !str_is(hex) || !sha256_read_hex(hex, &s->hash))
			return false;
	}
	return ret->count > 0;
}

static bool read_statement(struct arena *mem, struct str text, struct proof_statement *ret)
{
	struct json doc, predicate, expires;

	if (json_read(mem, text, &doc, NULL) != OK)
		return false;
	*ret = (struct proof_statement){ 0 };
	predicate = JSON_GET(doc, "predicate");
	expires = JSON_GET(predicate, "expiresAt");
	ret->evidence_id = json_str(JSON_GET(predicate, "evidencePackId"));
	return str_is(ret->evidence_id) && read_subjects(mem, JSON_GET(doc, "subject"), ret) &&
	       read_time(JSON_GET(predicate, "signedAt"), &ret->signed_at) &&
	       (!json_is(expires) || read_time(expires, &ret->expires_at)) &&
	       read_bytes(JSON_GET(predicate, "publicKey"), ret->key.bytes, sizeof ret->key.bytes);
}

/* Would exactly these bytes be written? */
static bool is_exact(struct str text, struct str statement, const struct proof_statement *s,
                     const struct ed25519_signature *sig)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	bool is_same;

	proof_envelope_statement(&again, s);
	is_same = str_eq(buf_str(&again), statement);
	buf_clear(&again);
	proof_envelope_write(&again, statement, &s->key, sig);
	return is_same && str_eq(buf_str(&again), text);
}

enum err proof_envelope_read(struct arena *mem, struct str text, struct proof_statement *ret,
                             struct str *ret_statement, struct ed25519_signature *ret_sig,
                             struct error *e)
{
	CLEANUP(buf_done) struct buf raw = { 0 };
	struct json doc, payload;
	struct str statement;

	if (json_read(mem, text, &doc, NULL) != OK)
		return fail(e, ERR_INVALID, "not JSON");
	payload = JSON_GET(doc, "payload");
	if (!str_is(json_str(payload)) || !base64_read(&raw, json_str(payload)))
		return fail(e, ERR_INVALID, "it has no payload");
	statement = arena_keep(mem, buf_str(&raw));
	if (!read_statement(mem, statement, ret))
		return fail(e, ERR_INVALID, "its payload is not a statement about a pack");
	if (!read_bytes(JSON_GET(json_at(JSON_GET(doc, "signatures"), 0), "sig"), ret_sig->bytes,
	                sizeof ret_sig->bytes))
		return fail(e, ERR_INVALID, "it has no signature");
	if (!is_exact(text, statement, ret, ret_sig))
		return fail(e, ERR_INVALID, "it is not written as an envelope of a pack is");
	*ret_statement = statement;
	return OK;
}
