#ifndef PROVIDER_OPENAI_CHAT_H
#define PROVIDER_OPENAI_CHAT_H
/*
 * OpenAI Chat Completions.  vLLM, llama.cpp, Ollama, OpenRouter, DeepSeek and
 * many others use variants of this dialect; the reader accepts all of them, and
 * the writer has an option where they disagree.
 *
 * openai_chat_event.c reads responses, openai_chat_body.c writes requests.
 */
#include "provider/dialect.h"

struct str openai_chat_body_path(struct arena *mem, const struct model_request *req);
enum err openai_chat_body_write(const struct model_request *req, const struct body_options *o,
                                struct buf *out, struct error *e) MUST_USE;

#endif
