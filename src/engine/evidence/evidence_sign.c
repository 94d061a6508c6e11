/*
 * Signs a pack: a checkpoint with the proofs of the pack's head, then an envelope over
 * all files.  Both are outside of the manifest and of the id, so that a pack is the
 * same with and without them.
 */
#include "engine/evidence/evidence_export.h"

#include "core/runtime_events.h"
#include "proof/proof_envelope.h"
#include "proof/proof_pack.h"

#include <stdlib.h>
#include <string.h>

#define DAY_MS (24 * 3600 * (int64_t)1000)
#define KEY_DIGITS 8 /* of its id, in the ref */

static int64_t wall_of(const struct export *x)
{
	struct clock *clock = x->engine->ports.clock;

	return clock->ops->wall_ms(clock);
}

/* A time stamp is made once for each authority. */
static struct str ref_of_stamp(const struct export *x, struct str ref)
{
	struct sha256 hash = sha256_of(x->sign.stamp_url);

	return str_is(x->sign.stamp_url) ? arena_printf(x->mem, "%.*s-t%.8s", STR_ARG(ref),
	                                                sha256_hex(x->mem, &hash).ptr)
	                                 : ref;
}

/*
 * Who signs is a part of the ref: a pack that was stored without a key, or with another one, is
 * not this one.  A signature that ends is made again before half of its time is over.
 */
struct str evidence_sign_ref(const struct export *x, struct str ref)
{
	int64_t days = x->engine->options.config->sign_days;

	ref = ref_of_stamp(x, ref);
	if (!str_is(x->sign.key_id))
		return ref;
	ref = arena_printf(x->mem, "%.*s-%.*s", STR_ARG(ref),
	                   STR_ARG(str_head(x->sign.key_id, KEY_DIGITS)));
	return days ? arena_printf(x->mem, "%.*s-%lld", STR_ARG(ref),
	                           (long long)(wall_of(x) / (days * DAY_MS / 2)))
	            : ref;
}

/* A pack without a signature would look like one of a runtime that never had a key. */
static void judge_key(struct session *s, void *request)
{
	struct request *r = request;
	struct export *x = r->work;

	if (str_is(x->sign.key_id) && s && s->state &&
	    runtime_events_key_is_retired(s->state, x->sign.key_id))
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED, RUNTIME_EVENTS_RETIRED);
	else if (!str_is(x->sign.key_id) && s && s->state && runtime_events_active_key(s->state))
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED,
		                     "the private key of the recorded signing key is gone. Put it "
		                     "back, make another (thole key new), or ask for a pack "
		                     "without a signature (--unsigned)");
	else
		x->sign.then(x);
}

void evidence_sign_find_key(struct export *x, void (*then)(struct export *x))
{
	struct signer *signer = x->engine->ports.signer;
	struct signer_key key;
	struct error e;
	enum err code = signer ? signer->ops->key(signer, &key, &e) : ERR_NOT_FOUND;

	x->sign.then = then;
	if (x->sign.is_unwanted) {
		then(x);
	} else if (code && code != ERR_NOT_FOUND) {
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED, e.message);
	} else {
		x->sign.key_id = code ? STR_NONE : proof_key_id(x->mem, &key.public);
		request_job_with(x->engine, STR("sess_system"), false, ELSEWHERE_READ, judge_key,
		                 x->request);
	}
}

void evidence_sign_add(struct export *x, size_t at, const char *path, struct buf *text)
{
	struct export_part part = { .text = *text };

	part.file = (struct evidence_file){ str_from(path), STR("proof"), STR("application/json"),
		                            text->len, sha256_of(buf_str(text)) };
	evidence_write_part(x);
	memmove(x->parts + at + 1, x->parts + at, (x->part_count - at - 1) * sizeof *x->parts);
	x->parts[at] = part;
}

/* ---- the envelope ---- */

static void on_signed(struct signer_call *c)
{
	struct export *x = c->owner;
	struct buf text = { 0 };

	x->sign.is_signing = false;
	if (c->result != OK) {
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED, c->error.message);
		return;
	}
	if (!str_eq(proof_key_id(x->mem, &c->key), x->sign.key_id)) {
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED,
		                     "the key was replaced during the export; try again");
		return;
	}
	proof_envelope_write(&text, x->sign.statement, &c->key, &c->signature);
	evidence_sign_add(x, 1, PROOF_ENVELOPE_PATH, &text);
	evidence_stamp_begin(x);
}

static int by_path(const void *a, const void *b)
{
	return str_cmp(((const struct proof_subject *)a)->path,
	               ((const struct proof_subject *)b)->path);
}

static void write_statement(struct export *x, const struct ed25519_public *key, struct buf *out)
{
	struct proof_subject *all = ARENA_ARRAY(x->mem, struct proof_subject, x->part_count);
	int64_t now = wall_of(x), days = x->engine->options.config->sign_days;
	struct proof_statement s = { .evidence_id = x->document.evidence_id,
		                     .signed_at = now,
		                     .expires_at = days ? now + days * DAY_MS : 0,
		                     .key = *key,
		                     .subjects = all,
		                     .count = x->part_count };

	for (size_t i = 0; i < x->part_count; i++)
		all[i] = (struct proof_subject){ x->parts[i].file.path, x->parts[i].file.hash };
	qsort(all, x->part_count, sizeof *all, by_path);
	proof_envelope_statement(out, &s);
}

static void sign_files(struct export *x)
{
	struct signer *signer = x->engine->ports.signer;
	CLEANUP(buf_done) struct buf statement = { 0 }, text = { 0 };
	struct signer_key key;

	x->sign.call = (struct signer_call){ .done = on_signed, .owner = x };
	x->sign.call.result = signer->ops->key(signer, &key, &x->sign.call.error);
	if (x->sign.call.result != OK) {
		on_signed(&x->sign.call);
		return;
	}
	write_statement(x, &key.public, &statement);
	x->sign.statement = arena_keep(x->mem, buf_str(&statement));
	proof_envelope_signed(&text, x->sign.statement);
	x->sign.call.text = arena_keep(x->mem, buf_str(&text));
	x->sign.is_signing = true;
	signer->ops->sign(signer, &x->sign.call);
}

/* ---- the checkpoint ---- */

static void on_checkpoint(struct anchor_want *w)
{
	struct export *x = w->owner;
	struct buf text = { 0 };

	if (w->result != OK) {
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED, w->error.message);
		return;
	}
	proof_pack_write(&text, &w->proof);
	evidence_sign_add(x, 1, PROOF_PACK_PATH, &text); /* behind the manifest */
	sign_files(x);
}

/* A pack without a key has no proofs; the heads are anchored all the same. */
void evidence_sign_begin(struct export *x)
{
	x->stage = EXPORT_SIGN;
	if (!str_is(x->sign.key_id)) {
		anchor_now(x->engine);
		evidence_stamp_begin(x);
		return;
	}
	/* A checkpoint counts the sessions of all. */
	if (str_is(x->request->caller.reach)) {
		anchor_now(x->engine);
		sign_files(x);
		return;
	}
	x->sign.want.session = x->scope.session_id;
	x->sign.want.seq = x->mark.seq;
	x->sign.want.hash = x->mark.head;
	x->sign.want.done = on_checkpoint;
	x->sign.want.owner = x;
	if (!anchor_want(x->engine, &x->sign.want))
		evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED,
		                     "no checkpoint can be written now");
}

void evidence_sign_done(struct export *x)
{
	struct signer *signer = x->engine->ports.signer;

	list_remove(&x->sign.want.node);
	evidence_stamp_done(x);
	if (x->sign.is_signing)
		signer->ops->cancel(signer, &x->sign.call);
}
