/*
 * Signing and checking a pack beyond hashing its files: the statement, the envelope, the
 * checkpoint's note, and both signatures.  The files are hashed in any case, so their
 * hashes are given.
 */
#include "bench_fixture.h"

#include "proof/proof_envelope.h"
#include "proof/proof_note.h"

#define TIMES 200
#define FILES 64

static struct proof_subject files[FILES];
static struct ed25519_private private;
static struct ed25519_public public;

static void sign_text(struct str text, struct ed25519_signature *ret)
{
	struct error e;

	if (ed25519_sign(&private, text, ret, &e) != OK)
		die("%s", e.message);
}

static void sign_pack(struct buf *envelope, struct buf *note)
{
	struct proof_statement s = { .evidence_id = STR("evd_1"),
		                     .signed_at = 1763344800000,
		                     .key = public,
		                     .subjects = files,
		                     .count = FILES };
	struct proof_checkpoint c = { STR("thole/rt_1"), 4711, files[0].hash };
	CLEANUP(buf_done) struct buf statement = { 0 }, text = { 0 };
	struct ed25519_signature sig;

	proof_envelope_statement(&statement, &s);
	proof_envelope_signed(&text, buf_str(&statement));
	sign_text(buf_str(&text), &sig);
	proof_envelope_write(envelope, buf_str(&statement), &public, &sig);
	buf_clear(&text);
	proof_note_text(&text, &c);
	sign_text(buf_str(&text), &sig);
	proof_note_write(note, buf_str(&text), c.origin, &public, &sig);
}

static void check_pack(struct arena *mem, struct str envelope, struct str note)
{
	struct proof_keys keys = { .items = { public }, .count = 1 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct proof_checkpoint c;
	struct proof_statement s;
	struct ed25519_signature sig;
	struct ed25519_public by;
	struct str statement;

	if (proof_envelope_read(mem, envelope, &s, &statement, &sig, NULL) != OK)
		die("the envelope cannot be read");
	proof_envelope_signed(&text, statement);
	if (ed25519_verify(&s.key, buf_str(&text), &sig, NULL) != OK ||
	    proof_note_read(note, &keys, &c, &by) != PROOF_NOTE_GOOD)
		die("a signature is wrong");
}

static void put_row(const char *name, double *took)
{
	double us = median(took, TIMES);

	ROW(.name = name, .measured = text("%.0f us", us), .target = "<= 1000 us",
	    .reached = us <= 1000 ? REACHED_YES : REACHED_NO);
}

static void make_files(struct arena *mem)
{
	for (int i = 0; i < FILES; i++) {
		files[i].path = arena_printf(mem, "outputs/%064d", i);
		files[i].hash = sha256_of(files[i].path);
	}
}

int main(int argc, char **argv)
{
	struct arena *mem = arena_new(), *reading = arena_new();
	static double signing[TIMES], checking[TIMES];

	bench_fixture_begin(argc, argv);
	make_files(mem);
	if (ed25519_make(&private, NULL) != OK || ed25519_public_of(&private, &public, NULL) != OK)
		die("no key: is libssl3 installed?");
	for (int i = 0; i < TIMES; i++) {
		CLEANUP(buf_done) struct buf envelope = { 0 }, note = { 0 };
		int64_t start = now_ns();

		sign_pack(&envelope, &note);
		signing[i] = (double)(now_ns() - start) / 1000;
		start = now_ns();
		arena_reset(reading);
		check_pack(reading, buf_str(&envelope), buf_str(&note));
		checking[i] = (double)(now_ns() - start) / 1000;
	}
	put_row("signing a pack of 64 files and its checkpoint", signing);
	put_row("checking both", checking);
	arena_free(reading);
	arena_free(mem);
	return 0;
}
