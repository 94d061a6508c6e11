#ifndef LIB_EXTENSION_FILES_H
#define LIB_EXTENSION_FILES_H
/*
 * Skills, commands and agents: Markdown files below known folders of the user
 * and of a project.  The layouts of other agents are read too, as plain data.
 *
 * A skill is a folder with a SKILL.md; a command and an agent is a file NAME.md,
 * also in subfolders.  Each place is read to a bound, in the order of names, and
 * what is left out or wrong is reported.
 */
#include "ports/context.h"
#include "sandbox/sandbox_plan.h"

/* Where the user's own folders are; absent: there are none. */
struct extension_places {
	struct str home;
	struct str config_dir; /* of the runtime: ~/.config/thole */
};

/* Fills in the extensions of a read; root: of the project. */
void extension_files_read(const struct extension_places *places, struct context_read *r,
                          struct str root, const struct sandbox_paths *rules);

#endif
