/*
 * A sender of webhooks with arbitrary bytes, which are both a header and the body.  What is taken has an
 * id that can be a key, and no signature matches by chance.
 */
#include "webhook/webhook_delivery.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct webhook_secrets secrets = { STR("whsec_c2VjcmV0"), STR("old") };
	struct webhook_delivery d;
	struct str text, head;

	if (size < 1)
		return 0;
	text = str_of((const char *)data + 1, size - 1);
	head = str_cut(&text, '\n');
	if (!str_is(text))
		text = STR("");
	enum webhook_scheme scheme = (enum webhook_scheme)(data[0] % 4);
	struct webhook_headers h = { .content_type = head,
		                     .webhook_id = head,
		                     .github_delivery = head,
		                     .github_event = head };
	struct webhook_signed s = { head, STR("1000"), head, text };

	if (data[0] & 64)
		h.ce_id = h.ce_type = h.ce_source = head, h.ce_specversion = STR("1.0");
	if (!webhook_delivery_read(mem, scheme, &h, text, &d) && !str_is(d.challenge) &&
	    (!d.key.len || d.key.len > WEBHOOK_DELIVERY_ID_MAX))
		abort();
	if (!webhook_signature_check(scheme, &secrets, &s, 1000) && scheme != WEBHOOK_BEARER)
		abort();
	return 0;
}
