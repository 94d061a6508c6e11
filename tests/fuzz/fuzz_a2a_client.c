/*
 * A remote agent that sends arbitrary bytes: as a card, as a reply of both bindings, and as items of a stream, one per line.  Whatever comes,
 * an accepted card leads to no private address, an end stays, and the memory is bounded.
 */
#include "a2a/client/a2a_remote.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check_card(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct host_rules none = { 0 };
	struct a2a_agent a;
	struct net_host host;
	struct str why = STR_NONE;
	uint16_t port;

	if (!a2a_agent_read(mem, STR("https://agent.example/card.json"), text, &none, STR_NONE, &a,
	                    &why)) {
		MUST(why.len);
		return;
	}
	MUST(a.name.len && net_host_of_url(a.url, &host, &port));
	MUST(a.is_own_origin || !host.is_address || address_kind(&host.address) == ADDRESS_PUBLIC);
}

static void check_line(struct a2a_remote *r, enum a2a_binding binding, struct str line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool was_over = a2a_remote_is_over(r);
	enum a2a_state before = r->state;
	struct a2a_reply reply;
	struct str why = STR_NONE;

	if (!a2a_reply_read(mem, binding, A2A_ASK_STREAM, 200, line, &reply, &why)) {
		MUST(why.len);
		return;
	}
	if (reply.kind == A2A_REPLY_ERROR) {
		MUST(reply.fault != A2A_FAULT_NONE);
		return;
	}
	a2a_remote_apply(r, &reply);
	MUST(!was_over || r->state == before);
	MUST(r->artifact_count <= LIMIT_PEER_ARTIFACTS);
}

static void check_stream(enum a2a_binding binding, struct str text)
{
	struct a2a_remote r;

	a2a_remote_init(&r);
	while (str_is(text))
		check_line(&r, binding, str_cut(&text, '\n'));
	a2a_remote_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);

	check_card(text);
	check_stream(A2A_BINDING_JSONRPC, text);
	check_stream(A2A_BINDING_HTTP, text);
	return 0;
}
