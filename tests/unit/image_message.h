#ifndef TESTS_IMAGE_MESSAGE_H
#define TESTS_IMAGE_MESSAGE_H
/* A conversation in which two calls are each answered with an image. */
#include "ports/provider.h"

struct image_message {
	struct message_image image;
	struct model_call calls[2];
	struct message messages[4];
	struct model_request request;
};

static inline void image_message_init(struct image_message *t)
{
	*t = (struct image_message){
		.image = { STR("image/png"), STR("iVBO"), STR_NONE },
		.calls = { { STR("c1"), STR("see"), STR("{}") },
		           { STR("c2"), STR("see"), STR("{}") } },
		.messages = { { .role = ROLE_USER, .text = STR("look") },
		              { .role = ROLE_ASSISTANT, .calls = t->calls, .call_count = 2 },
		              { .role = ROLE_TOOL,
		                .text = STR("one"),
		                .call_id = STR("c1"),
		                .images = &t->image,
		                .image_count = 1 },
		              { .role = ROLE_TOOL,
		                .text = STR("two"),
		                .call_id = STR("c2"),
		                .images = &t->image,
		                .image_count = 1 } },
		.request = { .model = STR("m"), .messages = t->messages, .message_count = 4 },
	};
}

#endif
