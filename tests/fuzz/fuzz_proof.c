/*
 * Any bytes as a signature, a checkpoint, a key, proofs of a pack or a time stamp: all
 * come from others.  What is accepted is written again byte for byte where one text is
 * possible, and proofs that are read are judged without reading past their end.
 */
#include "proof/proof_envelope.h"
#include "proof/proof_note.h"
#include "proof/proof_pack.h"
#include "proof/proof_stamp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check_keys(struct str text)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	struct ed25519_private private;
	struct proof_keys keys, same;

	if (proof_key_read_all(text, &keys, NULL) == OK) {
		MUST(keys.count && keys.count <= PROOF_KEYS_MAX);
		for (size_t i = 0; i < keys.count; i++)
			proof_key_write(&again, &keys.items[i]);
		MUST(proof_key_read_all(buf_str(&again), &same, NULL) == OK);
		MUST(same.count == keys.count &&
		     memcmp(same.items, keys.items, same.count * sizeof *same.items) == 0);
	}
	if (proof_key_read_private(text, &private, NULL) == OK) {
		buf_clear(&again);
		proof_key_write_private(&again, &private);
		MUST(proof_key_read_private(buf_str(&again), &private, NULL) == OK);
	}
}

/* Without a key no note is good; one that is read begins with its own text. */
static void check_note(struct str text)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	struct proof_keys none = { 0 };
	struct proof_checkpoint c;
	struct ed25519_public by;
	enum proof_note_result result = proof_note_read(text, &none, &c, &by);

	MUST(result == PROOF_NOTE_MALFORMED || result == PROOF_NOTE_FOREIGN);
	if (result == PROOF_NOTE_MALFORMED)
		return;
	proof_note_text(&again, &c);
	MUST(str_starts(text, buf_str(&again)));
}

static void check_envelope(struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	struct ed25519_signature sig;
	struct proof_statement s;
	struct str statement;

	if (proof_envelope_read(mem, text, &s, &statement, &sig, NULL) != OK)
		return;
	proof_envelope_write(&again, statement, &s.key, &sig);
	MUST(str_eq(buf_str(&again), text));
}

static void check_pack(struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	struct proof_checkpoint c = { STR("x"), 1ull << 40, { { 0 } } };
	struct proof_pack p;

	if (proof_pack_read(mem, text, &p, NULL) != OK)
		return;
	proof_pack_write(&again, &p);
	MUST(str_eq(buf_str(&again), text));
	MUST(proof_pack_fault(&p, &c));
}

static void check_stamp(struct str text)
{
	struct proof_stamp s;

	if (proof_stamp_read(text, &s, NULL) == OK)
		MUST(s.time.ptr > text.ptr && s.time.ptr + s.time.len <= text.ptr + text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = str_of((const char *)data, size);

	check_keys(text);
	check_note(text);
	check_envelope(mem, text);
	check_pack(mem, text);
	check_stamp(text);
	return 0;
}
