/* Checks and writes signatures of webhooks. */
#include "webhook/webhook_signature.h"

#include "base/arena.h"
#include "base/hash/base64.h"
#include "base/hash/secret.h"
#include "base/hash/sha256.h"

#include <inttypes.h>

#define SIGNATURES_MAX 8 /* of one header, when senders rotate secrets */

bool webhook_signature_read_scheme(struct str word, enum webhook_scheme *ret)
{
	static const char *const words[] = { [WEBHOOK_STANDARD] = "standard",
		                             [WEBHOOK_GITHUB] = "github",
		                             [WEBHOOK_SLACK] = "slack",
		                             [WEBHOOK_BEARER] = "bearer" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(word, str_from(words[i]))) {
			*ret = (enum webhook_scheme)i;
			return true;
		}
	return false;
}

/* ---- signing ---- */

#define KEY_PREFIX STR("whsec_")
#define KEY_MIN 16 /* bytes; a shorter one can be guessed */

const char *webhook_signature_fault(enum webhook_scheme scheme, struct str secret)
{
	CLEANUP(buf_done) struct buf key = { 0 };

	if (!str_eq(str_trim(secret), secret))
		return "has white space at its ends";
	if (scheme == WEBHOOK_STANDARD && str_starts(secret, KEY_PREFIX)) {
		if (!base64_read(&key, str_skip(secret, KEY_PREFIX.len)))
			return "has no base64 behind whsec_";
		return key.len < KEY_MIN ? "is shorter than 16 bytes" : NULL;
	}
	return secret.len < KEY_MIN ? "is shorter than 16 bytes" : NULL;
}

/* Only Standard Webhooks writes secrets as base64 behind whsec_. */
static struct sha256 sign_standard(struct str secret, struct str text)
{
	CLEANUP(buf_done) struct buf key = { 0 };

	if (str_starts(secret, KEY_PREFIX) && base64_read(&key, str_skip(secret, KEY_PREFIX.len)) &&
	    key.len)
		return sha256_hmac(buf_str(&key), text);
	return sha256_hmac(secret, text);
}

static struct str base64_of(struct arena *mem, const struct sha256 *mac)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	base64_write(&out, str_of((const char *)mac->state, sizeof mac->state));
	return arena_keep(mem, buf_str(&out));
}

static void add_signature(struct buf *out, struct str secret, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct sha256 mac = sign_standard(secret, text);

	if (out->len)
		buf_add_char(out, ' ');
	buf_add_str(out, STR("v1,"));
	buf_add_str(out, base64_of(mem, &mac));
}

void webhook_signature_write(struct buf *out, const struct webhook_secrets *secrets, struct str id,
                             int64_t timestamp_s, struct str body)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%.*s.%" PRId64 ".", STR_ARG(id), timestamp_s);
	buf_add_str(&text, body);
	add_signature(out, secrets->current, buf_str(&text));
	if (str_is(secrets->previous))
		add_signature(out, secrets->previous, buf_str(&text));
}

/* ---- checking ---- */

static bool is_fresh(struct str timestamp, int64_t now_s)
{
	int64_t at;

	return str_is(timestamp) && str_to_i64(timestamp, &at) && at >= 0 &&
	       at <= now_s + WEBHOOK_SIGNATURE_SKEW_S && at >= now_s - WEBHOOK_SIGNATURE_SKEW_S;
}

static bool is_one_of(struct str list, struct str wanted)
{
	bool is_found = false;

	for (size_t i = 0; i < SIGNATURES_MAX && str_is(list); i++)
		is_found |= secret_eq(str_cut(&list, ' '), wanted);
	return is_found;
}

static bool matches_standard(struct str secret, const struct webhook_signed *d)
{
	CLEANUP(buf_done) struct buf text = { 0 }, wanted = { 0 };

	buf_printf(&text, "%.*s.%.*s.", STR_ARG(d->id), STR_ARG(d->timestamp));
	buf_add_str(&text, d->body);
	add_signature(&wanted, secret, buf_str(&text));
	return is_one_of(d->signature, buf_str(&wanted));
}

static bool matches_hex(struct str secret, const struct webhook_signed *d, const char *prefix,
                        struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct sha256 mac = sha256_hmac(secret, text);

	return secret_eq(d->signature,
	                 arena_printf(mem, "%s%.*s", prefix, STR_ARG(sha256_hex(mem, &mac))));
}

static bool matches_slack(struct str secret, const struct webhook_signed *d)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "v0:%.*s:", STR_ARG(d->timestamp));
	buf_add_str(&text, d->body);
	return matches_hex(secret, d, "v0=", buf_str(&text));
}

static bool matches_bearer(struct str secret, const struct webhook_signed *d)
{
	struct str head = STR("Bearer ");

	return str_starts(d->signature, head) &&
	       secret_eq(str_skip(d->signature, head.len), secret);
}

static bool matches(enum webhook_scheme scheme, struct str secret, const struct webhook_signed *d)
{
	switch (scheme) {
	case WEBHOOK_STANDARD:
		return matches_standard(secret, d);
	case WEBHOOK_GITHUB:
		return matches_hex(secret, d, "sha256=", d->body);
	case WEBHOOK_SLACK:
		return matches_slack(secret, d);
	default:
		return matches_bearer(secret, d);
	}
}

const char *webhook_signature_check(enum webhook_scheme scheme,
                                    const struct webhook_secrets *secrets,
                                    const struct webhook_signed *d, int64_t now_s)
{
	bool has_time = scheme == WEBHOOK_STANDARD || scheme == WEBHOOK_SLACK;

	if (!str_is(d->signature))
		return "the delivery has no signature";
	if (scheme == WEBHOOK_STANDARD && (!str_is(d->id) || !d->id.len))
		return "the delivery has no webhook-id";
	if (has_time && !is_fresh(d->timestamp, now_s))
		return "the timestamp is missing, or differs from the clock by more than five "
		       "minutes";
	if (matches(scheme, secrets->current, d) ||
	    (str_is(secrets->previous) && matches(scheme, secrets->previous, d)))
		return NULL;
	return "the signature does not match";
}
