#ifndef PORTS_CONTEXT_H
#define PORTS_CONTEXT_H
/*
 * Sources of context for a turn besides its conversation: instruction files of
 * the user and from the project's root down to a directory, what they import,
 * files that the caller named; and skills, commands and agents as Markdown
 * files, which are called extensions.
 *
 * A read belongs to the source until its `done` is called from poll(), on the
 * thread that polls.  A file that cannot be read is reported with the reason.
 *
 * Reading follows no link out of the directory and never blocks on a file.  A
 * path that a rule denies is not read, whatever name it is given.
 */
#include "base/err.h"
#include "base/os/mailbox.h"
#include "catalog/gen/vocab.h"

struct context_found {
	enum context_kind kind; /* instruction or file */
	/* file:AGENTS.md, below the project's root; user:AGENTS.md; file:PATH as it was asked for */
	struct str ref;
	struct str text;
	enum missing_reason missing; /* 0: present */
};

/* A skill, a command or an agent. */
struct context_extension {
	enum extension_kind kind;
	enum extension_source source;
	struct str name;
	struct str description;   /* one line */
	struct str argument_hint; /* of a command; absent: none */
	struct str model;         /* that it asks for; absent: none */
	struct str tools;         /* of an agent, as they are written; absent: all */
	struct str path;          /* of its file, absolute */
	struct str error;         /* why it cannot be used; absent: it can */
	struct str note;          /* what of it is not used; absent: all is used */
	/* of a project's: over its path below the root and its text; trust is given to it */
	struct str hash;
	struct str body; /* without the head: of agents, and of the one that is wanted */
	/* With wants_texts, of a project's: what the hash covers. */
	struct str text; /* the whole file; absent: the reply would be too large */
	size_t bytes;    /* of it */
	struct context_beside *beside;
	size_t beside_count;
};

/* A file beside a SKILL.md. */
struct context_beside {
	struct str path; /* below the skill's folder */
	bool is_read;    /* else its name alone counts */
	size_t bytes;
	struct str text; /* absent: no text, or too large */
};

#define CONTEXT_KIND_BIT(k) (1u << (k))

struct context_read {
	struct mail mail; /* the source's */
	/* The request; must stay valid until done. */
	struct str cwd;
	const struct str *files; /* refs: file:PATH, below cwd */
	size_t file_count;
	struct str deny;  /* paths that rules deny, as in tool_start.deny; absent: none */
	bool is_for_turn; /* instruction files are read */
	unsigned kinds;   /* of extensions that are read, by CONTEXT_KIND_BIT */
	bool wants_texts; /* of a project's extensions */
	/* The extension whose body is wanted, and a file of a skill's folder; absent: none. */
	struct str wanted, wanted_file;
	void (*done)(struct context_read *r);
	void *owner;
	/* The result; its strings live in mem, which the caller frees. */
	struct arena *mem;
	struct str root;   /* of the repository that cwd is in; absent: none */
	struct str branch; /* absent: none is checked out */
	struct context_found *found;
	size_t count;
	/* The user's first, then by folder and name; of one name the first counts. */
	struct context_extension *extensions;
	size_t extension_count;
	struct str project; /* the directory whose extensions are trusted together; absent: none */
	struct str *left_out; /* sentences about what is not listed */
	size_t left_out_count;
	/* The wanted file, or why it is missing; and the files beside a wanted skill. */
	struct str file_text;
	enum missing_reason file_missing;
	struct str beside; /* one path per line */
};

enum context_dir {
	CONTEXT_DIR_ANSWERS,
	CONTEXT_DIR_UNKNOWN, /* the check is running: ask again soon */
	CONTEXT_DIR_STUCK,   /* no reply for too long */
};

/* Why work cannot begin in a directory that answers. */
enum context_dir_fault {
	CONTEXT_DIR_USABLE,
	CONTEXT_DIR_MISSING,
	CONTEXT_DIR_NO_DIRECTORY, /* something else has that name */
	CONTEXT_DIR_UNREADABLE,
};

struct context;
struct context_ops {
	void (*read)(struct context *c, struct context_read *r);
	/* Calls `done` of everything that is finished. */
	void (*poll)(struct context *c);
	/* State of a directory; never blocks.  NULL: every directory is available. */
	enum context_dir (*dir)(struct context *c, struct str cwd);
	/* Whether work can begin in a directory that answers; never blocks.  NULL: in each. */
	enum context_dir_fault (*fault)(struct context *c, struct str cwd);
	/* Pending reads get no `done`; their memory belongs to the caller. */
	void (*close)(struct context *c);
};
struct context {
	const struct context_ops *ops;
};

#endif
