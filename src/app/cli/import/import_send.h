#ifndef APP_IMPORT_SEND_H
#define APP_IMPORT_SEND_H
/*
 * Compares a session file with what the daemon has of it, and sends its turns.
 *
 * The id of the session follows from the program and its own id, so the same
 * file is found again: sess_claude_ID.  A file that cannot continue that
 * session (it was changed, or the session was continued here) becomes another
 * one: sess_claude_ID.2 and so on.
 */
#include "app/cli/import/import_find.h"

enum import_status {
	IMPORT_NEW,
	IMPORT_KNOWN,   /* this text is imported: nothing to do */
	IMPORT_GROWN,   /* turns are missing; they are added */
	IMPORT_ANOTHER, /* imported before, and the file or the session went another way */
};

struct import_session {
	struct import_file file;
	struct session_head head;
	struct str session_id;
	enum import_status status;
	int64_t known;   /* turns that the daemon has */
	bool is_running; /* its last turn is not finished yet, and is left for the next import */
};

/* Reads the file.  False: it cannot be read or has no turns; *ret_why says why. */
bool import_send_scan(struct cli *c, enum session_program program, struct import_file file,
                      struct import_session *ret, const char **ret_why);
/* Sets session_id, status and known.  CODE_DONE, or after saying why not. */
int import_send_compare(struct cli *c, enum session_program program, struct import_session *s);
/* Sends what is missing.  CODE_DONE, or after saying why not; *ret_added: turns. */
int import_send(struct cli *c, enum session_program program, struct import_session *s,
                int64_t *ret_added);

#endif
