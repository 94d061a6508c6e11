#ifndef PROVIDER_OPENAI_CHAT_CONFIG_H
#define PROVIDER_OPENAI_CHAT_CONFIG_H
/*
 * One entry of the setting `providers` as options of a Chat provider;
 * docs/models.md is the format.  Well-known names (openai, openrouter,
 * deepseek, groq, ollama, vllm, llamacpp) bring their base URL and the name of
 * their key's variable along.
 */
#include "provider/openai_chat.h"

/*
 * Fills what the settings say; loop, wire and data_dir are the caller's.  The
 * strings live in mem.  ERR_INVALID begins with the place:
 * "providers.acme.models[0].price.inputPerMTok is not a price".
 */
enum err openai_chat_configure(struct arena *mem, struct str name, struct json settings,
                               struct openai_chat_options *o, struct error *e) MUST_USE;

/* Whether the name is one of the well-known ones: an empty entry is enough then. */
bool openai_chat_is_known(struct str name);

#endif
