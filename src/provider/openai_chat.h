#ifndef PROVIDER_OPENAI_CHAT_H
#define PROVIDER_OPENAI_CHAT_H
/*
 * A provider that speaks OpenAI Chat Completions: OpenAI itself, and by base
 * URL vLLM, llama.cpp, Ollama, OpenRouter, DeepSeek and the like.
 *
 *   start() ──► request on the wire ──► pieces ... ──► end
 *      │  └── no key, bad schema: end on the loop's next turn
 *      └── cancel(): the connection is closed, nothing follows
 *
 * A missing key is no error at the start: models() says so of every model, and
 * a request that is made all the same ends with category auth and a sentence
 * that names the remedy.  The key is looked for again as long as there is none.
 *
 * Nothing is tried twice here; an end says whether it is worth it.
 * Inside a callback a caller may cancel, pause, resume, start and close.
 */
#include "base/err.h"
#include "net/wire.h"
#include "ports/provider.h"
#include "provider/keys.h"
#include "provider/openai_chat_map.h"

/* Strings are copied.  Times of 0 are the defaults. */
struct openai_chat_options {
	struct loop *loop;
	struct wire *wire;
	struct str name;     /* "openai": letters, digits, '-' and '_' */
	struct str base_url; /* "https://api.openai.com/v1"; a query is kept behind the path */
	struct str key_variable;
	struct str data_dir;
	bool needs_no_key;     /* a server of one's own; a key is sent if there is one */
	struct str key_header; /* absent: "Authorization: Bearer KEY"; Azure wants "api-key: KEY" */
	const struct wire_header *headers; /* sent with every request */
	size_t header_count;
	struct chat_dialect dialect;
	struct chat_limits limits;
	const struct model_info *models; /* provider and has_credential are filled in here */
	size_t model_count;
	int64_t connect_ms;    /* 10 s */
	int64_t first_byte_ms; /* 300 s: models think before they speak */
	int64_t stall_ms;      /* 60 s */
	int64_t total_ms;      /* 600 s */
};

/* ERR_INVALID names what is wrong.  The wire and the loop must outlive the provider. */
enum err openai_chat_open(const struct openai_chat_options *o, struct provider **ret,
                          struct error *e) MUST_USE;

#endif
