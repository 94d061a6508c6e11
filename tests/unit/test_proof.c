#include "base/hash/base64.h"
#include "proof/proof_envelope.h"
#include "proof/proof_note.h"
#include "proof/proof_pack.h"

#include "lib/t.h"

/* The first pair of RFC 8032, section 7.1. */
static const struct ed25519_private rfc_private = {
	{ 0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a,
	  0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32,
	  0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60 }
};
static const struct ed25519_public rfc_public = {
	{ 0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
	  0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
	  0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a }
};
#define RFC_SIGNATURE                                                                              \
	"5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw=="
/* The example of signed notes in Go's sumdb/note. */
#define NOTE_KEY "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
#define NOTE_TEXT                                                                                  \
	"If you think cryptography is the answer to your problem,\n"                               \
	"then you don't know what your problem is.\n"
#define NOTE_SIGNATURE                                                                             \
	"x08go/ZJkuBS9UG/"                                                                         \
	"SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="

TEST(the_pair_of_rfc_8032_signs_as_it_says)
{
	CLEANUP(buf_done) struct buf want = { 0 };
	struct ed25519_public public;
	struct ed25519_signature sig;
	struct error e;

	CHECK(ed25519_public_of(&rfc_private, &public, &e) == OK);
	CHECK(memcmp(&public, &rfc_public, sizeof public) == 0);
	CHECK(ed25519_sign(&rfc_private, STR(""), &sig, &e) == OK);
	CHECK(base64_read(&want, STR(RFC_SIGNATURE)));
	CHECK(want.len == sizeof sig && memcmp(want.ptr, &sig, sizeof sig) == 0);
	CHECK(ed25519_verify(&public, STR(""), &sig, &e) == OK);
	CHECK(ed25519_verify(&public, STR("x"), &sig, &e) == ERR_INVALID);
	sig.bytes[5] ^= 1;
	CHECK(ed25519_verify(&public, STR(""), &sig, &e) == ERR_INVALID);
}

TEST(two_keys_are_never_the_same)
{
	struct ed25519_private a, b;

	CHECK(ed25519_make(&a, NULL) == OK && ed25519_make(&b, NULL) == OK);
	CHECK(memcmp(&a, &b, sizeof a) != 0);
	ed25519_clear(&a);
	CHECK(memcmp(&a, &(struct ed25519_private){ 0 }, sizeof a) == 0);
}

TEST(keys_are_written_and_read_back)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct ed25519_private private;
	struct proof_keys keys;
	struct error e;

	proof_key_write_private(&text, &rfc_private);
	CHECK_SAME(buf_str(&text),
	           STR("-----BEGIN PRIVATE KEY-----\n"
	               "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
	               "-----END PRIVATE KEY-----\n"));
	CHECK(proof_key_read_private(buf_str(&text), &private, &e) == OK);
	CHECK(memcmp(&private, &rfc_private, sizeof private) == 0);
	CHECK(proof_key_read_all(buf_str(&text), &keys, &e) ==
	      ERR_INVALID); /* it is no public key */
	buf_clear(&text);
	proof_key_write(&text, &rfc_public);
	CHECK_SAME(buf_str(&text),
	           STR("-----BEGIN PUBLIC KEY-----\n"
	               "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
	               "-----END PUBLIC KEY-----\n"));
	proof_key_write_verifier(&text, STR("a.example/log"), &rfc_public);
	CHECK(proof_key_read_all(buf_str(&text), &keys, &e) == OK && keys.count == 2);
	CHECK(memcmp(&keys.items[0], &rfc_public, sizeof rfc_public) == 0);
	CHECK(memcmp(&keys.items[1], &rfc_public, sizeof rfc_public) == 0);
	CHECK(proof_key_read_private(buf_str(&text), &private, &e) == ERR_INVALID);
}

TEST(a_key_in_pem_may_look_like_a_verifier_key)
{
	struct proof_keys keys;

	CHECK(proof_key_read_all(
		      STR("-----BEGIN PUBLIC KEY-----\n"
	                  "MCowBQYDK2VwAyEAAAAA+AAAAAAAA+AAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	                  "-----END PUBLIC KEY-----\n" NOTE_KEY "\n"),
		      &keys, NULL) == OK);
	CHECK(keys.count == 2);
}

TEST(damaged_keys_are_refused)
{
	static const char *const bad[] = {
		"",
		"text\n",
		"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
		"-----BEGIN PUBLIC "
		"KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcH\n",
		"-----BEGIN PUBLIC "
		"KEY-----\nMCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
		"-----END PUBLIC KEY-----\n", /* X25519 */
		"PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n",
		"PeterNeumann+c74f20a3+AhpC2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n",
	};
	struct proof_keys keys;

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		CHECK(proof_key_read_all(str_from(bad[i]), &keys, NULL) == ERR_INVALID);
}

TEST(a_known_signed_note_fits_its_verifier_key)
{
	CLEANUP(buf_done) struct buf raw = { 0 };
	struct ed25519_signature sig;
	struct proof_keys keys;

	CHECK(proof_key_read_all(STR(NOTE_KEY), &keys, NULL) == OK && keys.count == 1);
	CHECK(proof_key_hash(STR("PeterNeumann"), &keys.items[0]) == 0xc74f20a3);
	CHECK(base64_read(&raw, STR(NOTE_SIGNATURE)) && raw.len == 68);
	memcpy(&sig, raw.ptr + 4, sizeof sig);
	CHECK(ed25519_verify(&keys.items[0], STR(NOTE_TEXT), &sig, NULL) == OK);
}

/* ---- checkpoints ---- */

#define ORIGIN STR("thole/rt_1")

static void write_note(struct buf *out, uint64_t size)
{
	struct proof_checkpoint c = { ORIGIN, size, sha256_of(STR("root")) };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct ed25519_signature sig;

	proof_note_text(&text, &c);
	CHECK(ed25519_sign(&rfc_private, buf_str(&text), &sig, NULL) == OK);
	proof_note_write(out, buf_str(&text), c.origin, &rfc_public, &sig);
}

TEST(a_checkpoint_is_written_and_read_back)
{
	CLEANUP(buf_done) struct buf note = { 0 };
	struct proof_keys keys = { .items = { rfc_public }, .count = 1 }, none = { 0 };
	struct proof_checkpoint c;
	struct ed25519_public by;

	write_note(&note, 42);
	CHECK(proof_note_read(buf_str(&note), &keys, &c, &by) == PROOF_NOTE_GOOD);
	CHECK_SAME(c.origin, ORIGIN);
	CHECK(c.size == 42 && memcmp(&by, &rfc_public, sizeof by) == 0);
	CHECK(proof_note_read(buf_str(&note), &none, &c, &by) == PROOF_NOTE_FOREIGN);
	keys.items[0].bytes[0] ^= 1;
	CHECK(proof_note_read(buf_str(&note), &keys, &c, &by) == PROOF_NOTE_FOREIGN);
}

TEST(a_witness_may_sign_as_well)
{
	CLEANUP(buf_done) struct buf note = { 0 };
	struct proof_keys keys = { .items = { rfc_public }, .count = 1 };
	struct proof_checkpoint c;
	struct ed25519_public by;

	write_note(&note, 1);
	buf_add_c(&note, "\xe2\x80\x94 witness.example BAAAAAAAAAA=\n");
	CHECK(proof_note_read(buf_str(&note), &keys, &c, &by) == PROOF_NOTE_GOOD);
	buf_add_c(&note, "no signature\n");
	CHECK(proof_note_read(buf_str(&note), &keys, &c, &by) == PROOF_NOTE_MALFORMED);
}

TEST(no_changed_byte_of_a_checkpoint_is_accepted)
{
	CLEANUP(buf_done) struct buf note = { 0 };
	struct proof_keys keys = { .items = { rfc_public }, .count = 1 };
	struct proof_checkpoint c;
	struct ed25519_public by;

	write_note(&note, 4711);
	for (size_t i = 0; i < note.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			note.ptr[i] ^= (char)(1 << bit);
			CHECK(proof_note_read(buf_str(&note), &keys, &c, &by) != PROOF_NOTE_GOOD);
			note.ptr[i] ^= (char)(1 << bit);
		}
	for (size_t len = 0; len < note.len; len++)
		CHECK(proof_note_read(str_head(buf_str(&note), len), &keys, &c, &by) !=
		      PROOF_NOTE_GOOD);
	CHECK(proof_note_read(buf_str(&note), &keys, &c, &by) == PROOF_NOTE_GOOD);
}

/* ---- envelopes ---- */

static void write_envelope(struct buf *out)
{
	struct proof_subject files[] = { { STR("events.jsonl"), sha256_of(STR("e")) },
		                         { STR("manifest.json"), sha256_of(STR("m")) } };
	struct proof_statement s = { .evidence_id = STR("evd_1"),
		                     .signed_at = 1763344800000,
		                     .expires_at = 1763431200000,
		                     .key = rfc_public,
		                     .subjects = files,
		                     .count = COUNT_OF(files) };
	CLEANUP(buf_done) struct buf statement = { 0 }, text = { 0 };
	struct ed25519_signature sig;

	proof_envelope_statement(&statement, &s);
	proof_envelope_signed(&text, buf_str(&statement));
	CHECK(ed25519_sign(&rfc_private, buf_str(&text), &sig, NULL) == OK);
	proof_envelope_write(out, buf_str(&statement), &rfc_public, &sig);
}

/* Both steps of who checks a pack. */
static bool envelope_holds(struct str text, struct proof_statement *ret, struct arena *mem)
{
	CLEANUP(buf_done) struct buf to_check = { 0 };
	struct ed25519_signature sig;
	struct str statement;

	if (proof_envelope_read(mem, text, ret, &statement, &sig, NULL) != OK)
		return false;
	proof_envelope_signed(&to_check, statement);
	return ed25519_verify(&ret->key, buf_str(&to_check), &sig, NULL) == OK;
}

TEST(an_envelope_is_written_and_read_back)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct proof_statement s;

	write_envelope(&text);
	CHECK(envelope_holds(buf_str(&text), &s, mem));
	CHECK_SAME(s.evidence_id, STR("evd_1"));
	CHECK(s.signed_at == 1763344800000 && s.expires_at == 1763431200000 && s.count == 2);
	CHECK_SAME(s.subjects[1].path, STR("manifest.json"));
}

TEST(the_signed_text_is_that_of_dsse)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	proof_envelope_signed(&text, STR("{}"));
	CHECK_SAME(buf_str(&text), STR("DSSEv1 28 application/vnd.in-toto+json 2 {}"));
}

TEST(no_changed_byte_of_an_envelope_is_accepted)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct proof_statement s;

	write_envelope(&text);
	for (size_t i = 0; i < text.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			text.ptr[i] ^= (char)(1 << bit);
			CHECK(!envelope_holds(buf_str(&text), &s, mem));
			text.ptr[i] ^= (char)(1 << bit);
			arena_reset(mem);
		}
}

/* ---- proofs of a pack ---- */

TEST(proofs_of_a_pack_are_read_back_and_hold_for_one_tree)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sha256 leaves[7];
	struct merkle_tree before = { 0 };
	struct merkle_growth g = { &before, leaves + 4, 3 };
	struct proof_pack p = { .note = STR("note\n"), .leaf = STR("sess_1 9 abc"), .index = 5 };
	struct proof_pack again;
	struct proof_checkpoint c = { STR("x"), 7, { { 0 } } };

	for (size_t i = 0; i < 7; i++)
		leaves[i] = i == 5 ? merkle_leaf(p.leaf) : merkle_leaf(STR("other"));
	for (size_t i = 0; i < 4; i++)
		merkle_tree_add(&before, &leaves[i]);
	c.root = merkle_root(leaves, 7);
	p.previous_size = 4;
	p.previous_root = merkle_root(leaves, 4);
	merkle_prove_leaf(&g, 1, &p.inclusion);
	merkle_prove_growth(&g, &p.consistency);
	proof_pack_write(&text, &p);
	CHECK(proof_pack_read(mem, buf_str(&text), &again, NULL) == OK);
	CHECK(!proof_pack_fault(&again, &c));
	again.leaf = STR("sess_1 8 abc");
	CHECK(proof_pack_fault(&again, &c));
	again.leaf = p.leaf;
	again.previous_size = 3;
	CHECK(proof_pack_fault(&again, &c));
	c.size = 9;
	CHECK(proof_pack_fault(&p, &c));
	buf_add_char(&text, ' ');
	CHECK(proof_pack_read(mem, buf_str(&text), &again, NULL) == ERR_INVALID);
}

TEST_MAIN()
