#ifndef SUPERVISOR_CLIENT_PROGRAM_GUARD_H
#define SUPERVISOR_CLIENT_PROGRAM_GUARD_H
/*
 * Which programs may run with more rights than the agent.
 *
 * A hook or a tool server runs with the agent's own sandbox rights unless its
 * answer decides a permission or its entry asks for more.  Then nothing that
 * it loads may come from a place that the agent can write.  The guard knows
 * those places: every write root that any plan of this data directory had,
 * kept in a file so that a restart does not forget them, and the caches of the
 * machine.  A temporary directory counts if a plan made it a write root; the
 * /tmp of a sandbox is its own.
 *
 * A program is checked at each start: every directory and link on the way to
 * it, and its content by a hash over all files that the command line names.
 * Files of the distribution are not part of the hash, because its updates
 * change them and no plan makes them writable.
 */
#include "sandbox/sandbox_plan.h"

struct program_guard;

/*
 * file: where the write roots are kept; absent: in memory only.  A file that cannot be read is
 * empty.
 */
struct program_guard *program_guard_new(struct str file);
void program_guard_free(struct program_guard *g); /* NULL is fine */

/* From now on the plan's write roots count as writable by the agent. */
void program_guard_note(struct program_guard *g, const struct sandbox_plan *p);
void program_guard_add(struct program_guard *g, struct str root);
/* All of them, valid until the next one is added. */
struct sandbox_paths program_guard_roots(const struct program_guard *g);
/* Where they are kept; absent: in memory alone. */
struct str program_guard_file(const struct program_guard *g);

struct program_found {
	struct str hash; /* over the files that are named, hexadecimal; absent: none is */
	struct sandbox_paths files; /* those files, for people */
	struct sandbox_paths dirs;  /* where they lie: what a sandbox must show */
};

/*
 * A program and its words, as they are executed.  The first must be an
 * absolute path; cwd is the session's directory, a write root like the others.
 * is_line: the words are those of a shell line, so the first may be anything,
 * and a word that names a file of cwd is refused.
 * ERR_INVALID says what is wrong and what to do about it.
 */
enum err program_guard_check(struct program_guard *g, struct arena *mem,
                             const struct sandbox_paths *words, struct str cwd, bool is_line,
                             struct program_found *ret, struct error *e) MUST_USE;

/*
 * A command line that is a program and words: separated by blanks, 'quoted'
 * or "quoted", without anything that a shell would expand or run.
 * ERR_INVALID names the character.
 */
enum err program_guard_words(struct arena *mem, struct str line, struct sandbox_paths *ret,
                             struct error *e) MUST_USE;
/* All that looks like a word in a shell line: cut at blanks, quotes and operators. */
void program_guard_line_words(struct arena *mem, struct str line, struct sandbox_paths *ret);

/* PATH of a program that has more rights than the agent. */
#define PROGRAM_GUARD_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#endif
