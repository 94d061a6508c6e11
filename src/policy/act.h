#ifndef POLICY_ACT_H
#define POLICY_ACT_H
/*
 * An act: one thing that a tool call would do, as permission rules see it.
 *
 * One simple command of a command line, the write of one file, one fetch.  It
 * holds what is known: its words, its paths, its hosts, and whether it changes
 * anything.  The analysis (policy/shell/) fills it in, the rules decide on it.
 */
#include "base/arena.h"
#include "catalog/gen/records.h"

/* 0: it changes into the directory, or checks that the path exists. */
enum act_use { ACT_READS = 1, ACT_LISTS = 2, ACT_WRITES = 4, ACT_DELETES = 8 };

enum act_path_flag {
	ACT_PATH_UNKNOWN = 1,     /* some unknown path */
	ACT_PATH_PATTERN = 2,     /* path holds wildcards */
	ACT_PATH_DEEP = 4,        /* and everything below */
	ACT_PATH_GUESS = 8,       /* may be a path, or only text */
	ACT_PATH_REDIRECTED = 16, /* opened by the shell, not by the program */
	ACT_PATH_INSIDE = 32,     /* in a root, before and after resolving links */
	ACT_PATH_SECRET = 64,     /* keys, tokens, other processes */
	/* hooks, settings, startup files: writing there runs code later */
	ACT_PATH_PROTECTED = 128,
	ACT_PATH_PERSONAL = 256, /* outside the roots, and no place of programs and manuals */
	ACT_PATH_HARMLESS = 512, /* /dev/null and similar */
	/* /tmp: shared with others outside of a sandbox, private inside */
	ACT_PATH_SHARED = 1024,
	ACT_PATH_ROOT = 2048,   /* a root of the workspace, or above one */
	ACT_PATH_LISTED = 4096, /* one of the names that another command prints */
	ACT_PATH_LED = 8192,    /* only the target of a link makes it secret or protected */
};

struct act_path {
	struct str given; /* as written */
	struct str path;  /* absolute, without . and .. */
	struct str real;  /* with links resolved, as far as the caller knows; else the same */
	unsigned use;     /* enum act_use */
	unsigned flags;   /* enum act_path_flag */
	int word;         /* the word it comes from; -1: none */
	uint32_t option;  /* the word because of which a reading program writes it; 0: none */
};

enum act_word_flag {
	ACT_WORD_KNOWN = 1,
	ACT_WORD_MANY = 2,  /* may be none or several words */
	ACT_WORD_TWIST = 4, /* changes what the program does: an allow rule must name it */
	ACT_WORD_VALUE = 8, /* the value of an option before it */
};

struct act_word {
	struct str text; /* its value at run time, or as written */
	unsigned flags;
};

enum act_flag {
	ACT_READ_ONLY = 1,   /* changes nothing anywhere */
	ACT_COMPLETE = 2,    /* it touches nothing but its paths and hosts */
	ACT_DESTRUCTIVE = 4, /* what it removes cannot be restored */
	ACT_NETWORK = 8,
	ACT_ELEVATES = 16, /* gains more rights */
	ACT_SYSTEM = 32,   /* changes the machine: services, devices, users, processes */
	ACT_OPAQUE = 64,   /* not understood: only a person may allow it */
	ACT_NEUTRAL = 128, /* only runs others, which are evaluated separately */
	/* runs code that is not visible here: a script, a build, an interpreter */
	ACT_RUNS_CODE = 256,
	ACT_CONSENT = 512, /* its tool needs consent, even to read */
	ACT_OTHER_CODE =
		1024, /* a variable chooses the code that it runs: no rule on words covers it */
	/*
	 * What it does depends on more than its words show (input, variables, another user, the
	 * text for a shell): no grant covers it.
	 */
	ACT_STEERED = 2048,
};

struct act {
	struct str tool;
	struct str like; /* another tool with the same effect, whose deny and ask rules apply too */
	struct act_word *words; /* of a command; none for other tools */
	uint32_t word_count;
	/*
	 * Of a program that may run its words as a command (an unknown one, a build, an
	 * interpreter): those words again, each split where a shell or a list in code would split
	 * it.  A deny or ask rule may match if one of them begins like its command.
	 */
	struct act_word *inside;
	uint32_t inside_count;
	bool has_more_inside; /* too many: any word may be among them */
	struct act_path *paths;
	uint32_t path_count;
	struct list_str hosts;
	bool has_unknown_host;
	/*
	 * Those of them to which the shell connects for a redirection, as tcp://HOST:PORT, and
	 * whether one is unknown.
	 */
	struct list_str opened;
	bool opens_unknown;
	/* of an installer: the group of hosts (catalog/registries.json) that it loads from */
	struct str registry;
	struct str mcp_server, mcp_tool;
	struct str definition; /* of its tool; absent: it does not change */
	bool is_changed; /* differs from the pinned one: only a grant for this definition counts */
	unsigned flags;
	unsigned context;  /* enum shell_context of a command */
	struct str cwd;    /* the directory of a command; absent: not known, or one of several */
	struct str script; /* the file of code that it runs, absolute; absent: unknown */
	/* of a wrapper: index of the first word of the command it runs; 0: none */
	uint32_t inner_at;
	int outer;         /* index of the wrapper that runs it, -1: none */
	struct str effect; /* one word: read, write, delete, execute, … */
	struct str why;    /* why it is not read-only: "sort -o writes a file" */
	struct str rollback;
};

#endif
