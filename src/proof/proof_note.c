/*
 * Writes and reads signed notes.  The text of a note that is read must be the one
 * that would be written: what cannot be signed in one way only is no checkpoint.
 */
#include "proof/proof_note.h"

#include "base/hash/base64.h"
#include "base/utf8.h"

#include <string.h>

#define DASH "\xe2\x80\x94 " /* U+2014 and a space */
#define HASH_BYTES 4

void proof_note_text(struct buf *out, const struct proof_checkpoint *c)
{
	buf_printf(out, "%.*s\n%llu\n", STR_ARG(c->origin), (unsigned long long)c->size);
	base64_write(out, str_of((const char *)c->root.state, SHA256_BYTES));
	buf_add_char(out, '\n');
}

void proof_note_write(struct buf *out, struct str text, struct str name,
                      const struct ed25519_public *key, const struct ed25519_signature *sig)
{
	uint32_t hash = proof_key_hash(name, key);
	uint8_t raw[HASH_BYTES + ED25519_SIGNATURE_BYTES] = { (uint8_t)(hash >> 24),
		                                              (uint8_t)(hash >> 16),
		                                              (uint8_t)(hash >> 8), (uint8_t)hash };

	memcpy(raw + HASH_BYTES, sig->bytes, sizeof sig->bytes);
	buf_add_str(out, text);
	buf_printf(out, "\n" DASH "%.*s ", STR_ARG(name));
	base64_write(out, str_of((const char *)raw, sizeof raw));
	buf_add_char(out, '\n');
}

/* ---- reading ---- */

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == '+' || name.ptr[i] == 127)
			return false;
	return name.len > 0;
}

static bool read_base64(struct str text, uint8_t *ret, size_t len)
{
	CLEANUP(buf_done) struct buf raw = { .max = 256 }, again = { .max = 512 };

	if (!base64_read(&raw, text) || raw.overflowed || raw.len != len)
		return false;
	base64_write(&again, buf_str(&raw)); /* bits that the text has and the bytes have not */
	memcpy(ret, raw.ptr, len);
	return str_eq(buf_str(&again), text);
}

/* Lines behind the first three are extensions, which a signature covers and nothing here reads. */
static bool read_text(struct str text, struct proof_checkpoint *ret)
{
	struct str size, root;
	CLEANUP(buf_done) struct buf again = { .max = PROOF_NOTE_MAX };
	struct str rest = text;

	ret->origin = str_cut(&rest, '\n');
	size = str_is(rest) ? str_cut(&rest, '\n') : STR_NONE;
	root = str_is(rest) ? str_cut(&rest, '\n') : STR_NONE;
	if (!is_name(ret->origin) || !str_is(root) || !str_to_u64(size, &ret->size) ||
	    !read_base64(root, ret->root.state, SHA256_BYTES))
		return false;
	proof_note_text(&again, ret);
	return str_starts(text, buf_str(&again));
}

/* One line "— name base64": the key's hash and the signature. */
static bool read_signature(struct str line, struct str *ret_name, uint32_t *ret_hash,
                           struct ed25519_signature *ret)
{
	uint8_t raw[HASH_BYTES + ED25519_SIGNATURE_BYTES];
	struct str rest = line;

	if (!str_starts(line, STR(DASH)))
		return false;
	rest = str_skip(line, sizeof DASH - 1);
	*ret_name = str_cut(&rest, ' ');
	if (!is_name(*ret_name) || !str_is(rest) || !rest.len)
		return false;
	*ret_hash = 0;
	if (!read_base64(rest, raw, sizeof raw))
		return true; /* of a witness with another algorithm */
	*ret_hash =
		(uint32_t)raw[0] << 24 | (uint32_t)raw[1] << 16 | (uint32_t)raw[2] << 8 | raw[3];
	memcpy(ret->bytes, raw + HASH_BYTES, sizeof ret->bytes);
	return true;
}

static enum proof_note_result judge(struct str text, struct str name, uint32_t hash,
                                    const struct ed25519_signature *sig,
                                    const struct proof_keys *keys, struct ed25519_public *ret_key)
{
	enum proof_note_result result = PROOF_NOTE_FOREIGN;

	for (size_t i = 0; i < keys->count; i++) {
		enum err code;

		if (proof_key_hash(name, &keys->items[i]) != hash)
			continue;
		code = ed25519_verify(&keys->items[i], text, sig, NULL);
		if (code == OK) {
			*ret_key = keys->items[i];
			return PROOF_NOTE_GOOD;
		}
		result = code == ERR_UNSUPPORTED ? PROOF_NOTE_UNCHECKED : PROOF_NOTE_FORGED;
	}
	return result;
}

enum proof_note_result proof_note_read(struct str note, const struct proof_keys *keys,
                                       struct proof_checkpoint *ret, struct ed25519_public *ret_key)
{
	enum proof_note_result worst = PROOF_NOTE_FOREIGN;
	ptrdiff_t end = str_find(note, STR("\n\n"));
	struct str text, rest;
	size_t count = 0;
	bool is_good = false;

	if (note.len > PROOF_NOTE_MAX || end < 0 || !str_ends(note, STR("\n")) ||
	    !utf8_is_valid(note))
		return PROOF_NOTE_MALFORMED;
	text = str_head(note, (size_t)end + 1);
	rest = str_head(str_skip(note, (size_t)end + 2), note.len - (size_t)end - 3);
	if (!read_text(text, ret))
		return PROOF_NOTE_MALFORMED;
	while (str_is(rest)) {
		struct ed25519_signature sig;
		enum proof_note_result one;
		struct str name;
		uint32_t hash;

		if (count++ == PROOF_NOTE_SIGNATURES_MAX ||
		    !read_signature(str_cut(&rest, '\n'), &name, &hash, &sig))
			return PROOF_NOTE_MALFORMED;
		one = judge(text, name, hash, &sig, keys, ret_key);
		is_good |= one == PROOF_NOTE_GOOD;
		if (one > worst)
			worst = one;
	}
	return worst > PROOF_NOTE_FOREIGN ? worst : is_good ? PROOF_NOTE_GOOD : PROOF_NOTE_FOREIGN;
}
