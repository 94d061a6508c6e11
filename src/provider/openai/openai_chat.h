#ifndef PROVIDER_OPENAI_CHAT_H
#define PROVIDER_OPENAI_CHAT_H
/*
 * OpenAI Chat Completions.  The same dialect is spoken by vLLM, llama.cpp,
 * Ollama, OpenRouter, DeepSeek and many others, each with habits of its own;
 * the reader takes them all, and the writer has a switch where they disagree.
 *
 * openai_chat_event.c is the dialect and reads, openai_chat_body.c writes.
 */
#include "provider/dialect.h"

struct str openai_chat_body_path(struct arena *mem, const struct model_request *req);
enum err openai_chat_body_write(const struct model_request *req, const struct body_options *o,
                                struct buf *out, struct error *e) MUST_USE;

#endif
