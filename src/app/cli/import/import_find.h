#ifndef APP_IMPORT_FIND_H
#define APP_IMPORT_FIND_H
/*
 * The session files of another program.
 *
 * PATH is a session file, the program's folder, or a project: then the sessions
 * of that directory are meant.  Links that lead out of the folder are not
 * followed, and what is no regular file is not opened (base/path/foreign_file.h).
 */
#include "app/cli/import/session_reader.h"

#define IMPORT_FILES_MAX 100000

struct import_file {
	struct str root; /* a directory */
	struct str name; /* below it */
};

struct import_place {
	enum session_program program;
	struct str home;     /* the program's folder; resolved */
	struct str only_dir; /* only sessions of this directory; absent: all */
	struct import_file *files;
	size_t count, cap;
	bool is_file;  /* PATH is one session: there are no settings */
	bool has_more; /* than the bounds allow */
};

/* CODE_DONE, or after saying why not.  Files are in the order of their names. */
int import_find(struct cli *c, enum session_program program, const char *path,
                struct import_place *ret);

#endif
