/*
 * Asks a time stamp authority (RFC 3161) for a token about the signature of a pack,
 * or about its manifest if it is not signed.  The token is outside of manifest, id
 * and signature.
 */
#include "engine/evidence/evidence_export.h"

#include "proof/proof_envelope.h"
#include "proof/proof_stamp.h"

struct stamp_run {
	struct arena *mem;
	struct export *export; /* NULL: the export has ended */
};

/* The answer must be about the hash that was sent. */
static enum err read_stamp(const struct export *x, const struct hook_end *end, struct error *e)
{
	struct proof_stamp stamp;
	enum err code;

	if (end->result == HOOK_TIMED_OUT)
		return fail(e, ERR_TIMEOUT, "the time stamp authority took too long");
	if (end->result != HOOK_ANSWERED)
		return fail(e, ERR_IO, "the time stamp authority: %.*s", STR_ARG(end->message));
	code = proof_stamp_read(end->out, &stamp, e);
	if (!code && !sha256_eq(&stamp.hash, &x->sign.stamped))
		code = fail(e, ERR_INVALID, "the time stamp is about something else");
	return code;
}

static void on_stamped(void *owner, const struct hook_end *end)
{
	struct stamp_run *run = owner;
	struct export *x = run->export;
	struct buf token = { 0 };
	struct error e;

	if (x) {
		x->sign.stamp = NULL;
		if (read_stamp(x, end, &e) != OK) {
			evidence_export_fail(x, ERROR_CODE_SIGNING_FAILED, e.message);
		} else {
			buf_add_str(&token, end->out);
			evidence_sign_add(x, str_is(x->sign.key_id) ? 3 : 1, PROOF_STAMP_PATH,
			                  &token);
			evidence_write_begin(x);
		}
	}
	arena_free(run->mem);
}

/* The second part is the envelope, if the pack is signed. */
void evidence_stamp_begin(struct export *x)
{
	struct hooks *hooks = x->engine->ports.hooks;
	struct arena *mem;
	struct buf request = { 0 };
	struct hook_start start = { .run_id = STR("timestamp"),
		                    .ref = STR("hook:timestamp:url"),
		                    .url = x->sign.stamp_url,
		                    .cwd = STR("/") };

	if (!str_is(x->sign.stamp_url)) {
		evidence_write_begin(x);
		return;
	}
	mem = arena_new();
	x->sign.stamp = ARENA_NEW(mem, struct stamp_run);
	*x->sign.stamp = (struct stamp_run){ mem, x };
	x->sign.stamped = x->parts[str_is(x->sign.key_id) ? 1 : 0].file.hash;
	proof_stamp_request(&request, &x->sign.stamped);
	start.input = buf_str(&request);
	hooks->ops->start(hooks, &start, on_stamped, x->sign.stamp);
	buf_done(&request);
}

void evidence_stamp_done(struct export *x)
{
	if (x->sign.stamp)
		x->sign.stamp->export = NULL;
}

bool evidence_stamp_check(struct request *r, const struct cmd_export_evidence *c)
{
	struct str url = c->timestamp_url;

	if (!str_is(url))
		return true;
	if (!(r->caller.scopes & SCOPE_BIT(SCOPE_ADMIN)))
		request_fail(r, ERROR_CODE_FORBIDDEN, "timestampUrl needs the scope admin");
	else if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		request_fail(r, ERROR_CODE_INVALID_VALUE, "timestampUrl is no address");
	else if (!r->engine->ports.hooks)
		request_fail(r, ERROR_CODE_UNAVAILABLE, "nothing can be sent from here");
	else
		return true;
	return false;
}
