#ifndef PORTS_CONTEXT_H
#define PORTS_CONTEXT_H
/*
 * What a turn is to see besides the conversation, read at the edge:
 * instruction files from the project's root down to a directory, and files
 * that the caller named.
 *
 * A read is handed over and belongs to the source until its `done` is called
 * from poll(), on the thread that polls.  What cannot be had is an answer
 * too: it says why.  Reading follows no link out of the directory and never
 * waits for a file.  What a rule denies is not read, under no name.
 */
#include "base/err.h"
#include "base/os/mailbox.h"
#include "catalog/gen/vocab.h"

struct context_found {
	enum context_kind kind; /* instruction or file */
	struct str
		ref; /* file:AGENTS.md, below the project's root; file:PATH as it was asked for */
	struct str text;
	enum missing_reason missing; /* 0: it is there */
};

struct context_read {
	struct mail mail; /* the source's */
	/* what is asked; must stay until done */
	struct str cwd;
	const struct str *files; /* refs: file:PATH, below cwd */
	size_t file_count;
	struct str deny; /* paths that rules deny, as in tool_start.deny; absent: none */
	void (*done)(struct context_read *r);
	void *owner;
	/* what is answered; strings live in mem, freed by the one who asked */
	struct arena *mem;
	struct context_found *found;
	size_t count;
};

enum context_dir {
	CONTEXT_DIR_ANSWERS,
	CONTEXT_DIR_UNKNOWN, /* it is being looked at: ask again soon */
	CONTEXT_DIR_STUCK,   /* it has not answered for too long */
};

struct context;
struct context_ops {
	void (*read)(struct context *c, struct context_read *r);
	/* Calls `done` of everything that is finished. */
	void (*poll)(struct context *c);
	/* How a directory stands; never waits.  NULL: all of them answer. */
	enum context_dir (*dir)(struct context *c, struct str cwd);
	/* What is still under way is never answered; its memory is the asker's. */
	void (*close)(struct context *c);
};
struct context {
	const struct context_ops *ops;
};

#endif
