#ifndef LIB_INSTRUCTIONS_H
#define LIB_INSTRUCTIONS_H
/* Instruction files on disk, read on a separate thread. */
#include "lib/workspace/extension_files.h"
#include "ports/context.h"

struct instructions_options {
	const struct str *names; /* AGENTS.md and its like */
	size_t name_count;
	int64_t max_bytes; /* of one file */
	struct extension_places places;
	void (*wake)(void *arg); /* from any thread: there is something to poll */
	void *wake_arg;
};

enum err instructions_open(const struct instructions_options *o, struct context **ret,
                           struct error *e) MUST_USE;

/* The work itself, at once: what the thread does with a read. */
void instructions_gather(const struct instructions_options *o, struct context_read *r);

#endif
