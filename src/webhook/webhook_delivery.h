#ifndef WEBHOOK_DELIVERY_H
#define WEBHOOK_DELIVERY_H
/* What a delivery is about: its id, the type of its event and where that comes from. */
#include "base/json.h"
#include "webhook/webhook_signature.h"

#define WEBHOOK_DELIVERY_ID_MAX 200

/* Headers, absent if not sent. */
struct webhook_headers {
	struct str content_type;
	struct str webhook_id, github_delivery, github_event;
	struct str ce_id, ce_type, ce_source, ce_specversion;
};

struct webhook_delivery {
	struct str id; /* as the sender names it */
	struct str
		key; /* a repetition is recognised by it: of what is signed, where that is enough */
	struct str type;      /* of the event; empty: unknown */
	struct str source;    /* of the event; empty: unknown */
	struct str challenge; /* of Slack: it wants this text back, and nothing else */
	bool is_test;         /* the sender only tries whether it is answered */
};

/* NULL, or what is wrong, in a sentence.  Strings live in the arena or in the headers. */
const char *webhook_delivery_read(struct arena *mem, enum webhook_scheme scheme,
                                  const struct webhook_headers *h, struct str body,
                                  struct webhook_delivery *ret);

#endif
