/*
 * Signatures of an agent's card (A2A 8.4), checked with the keys that the settings have for it.
 * Keys that a card or a signature names itself (jku, jwk) prove nothing and are not used.
 */
#include "a2a/a2a_canonical.h"
#include "base/hash/base64.h"
#include "base/json.h"
#include "jwt/jwt_signature.h"
#include "peer/peer_int.h"

#define SIGNATURES_MAX 8

/* One member of `signatures`. */
struct card_signature {
	struct str protected_header, bytes, kid;
	const struct jwt_alg *alg;
};

static bool decode(struct arena *mem, struct str text, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!text.len || !base64_read_url(&out, text))
		return false;
	*ret = arena_keep(mem, buf_str(&out));
	return true;
}

/* False: it is of a kind that is not accepted.  An unknown critical member makes it one. */
static bool read_signature(struct arena *mem, struct json v, struct card_signature *ret)
{
	struct str text;
	struct json header;

	ret->protected_header = json_str(JSON_GET(v, "protected"));
	if (!decode(mem, json_str(JSON_GET(v, "signature")), &ret->bytes) ||
	    !decode(mem, ret->protected_header, &text) ||
	    json_read(mem, text, &header, NULL) != OK || json_is(JSON_GET(header, "crit")))
		return false;
	ret->kid = json_str(JSON_GET(header, "kid"));
	ret->alg = jwt_alg_find(json_str(JSON_GET(header, "alg")));
	return ret->alg;
}

static bool is_of_key(struct arena *mem, struct jwt_key *key, const struct card_signature *s,
                      const struct str *cards)
{
	if (!jwt_key_fits(key, s->alg) || (str_is(key->kid) && !str_eq(key->kid, s->kid)))
		return false;
	for (int form = 0; form < A2A_CANONICAL_FORMS; form++)
		if (jwt_signature_check(
			    key, s->alg,
			    a2a_canonical_covered(mem, s->protected_header, cards[form]), s->bytes))
			return true;
	return false;
}

static bool is_signed(struct peer *p, struct arena *mem, struct json card, struct str *ret_by)
{
	struct json_iter it = json_iter(JSON_GET(card, "signatures"));
	struct str cards[A2A_CANONICAL_FORMS], name;
	struct json each;

	for (int form = 0; form < A2A_CANONICAL_FORMS; form++)
		cards[form] = a2a_canonical_card(mem, card, (enum a2a_canonical_form)form);
	for (int left = SIGNATURES_MAX; left && json_next(&it, &name, &each); left--) {
		struct card_signature s;

		if (!read_signature(mem, each, &s))
			continue;
		for (size_t i = 0; i < p->keys.count; i++)
			if (is_of_key(mem, &p->keys.items[i], &s, cards)) {
				*ret_by = str_is(s.kid) ? s.kid : STR("");
				return true;
			}
	}
	return false;
}

bool peer_signature_check(struct peer *p, struct arena *mem, struct str *ret_why)
{
	struct json card;

	p->signed_by = STR_NONE;
	if (!p->keys.count)
		return true;
	*ret_why = STR("Its card is not signed with a key that agents.remote has for it");
	if (json_read(mem, buf_str(&p->card_body), &card, NULL) == OK &&
	    is_signed(p, mem, card, &p->signed_by))
		return true;
	if (!jwt_signature_is_possible())
		*ret_why = STR("Signatures cannot be checked: libcrypto cannot be loaded");
	return false;
}
