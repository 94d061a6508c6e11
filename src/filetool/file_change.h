#ifndef FILETOOL_FILE_CHANGE_H
#define FILETOOL_FILE_CHANGE_H
/* One file on its way from old to new; shared by the tools that write. */
#include "filetool/filetool.h"

#include <sys/stat.h>

struct file_change {
	struct file_call *c;
	struct str path;
	int dir;
	const char *name;
	bool is_new;  /* it does not exist yet */
	bool is_gone; /* it is deleted by the change */
	struct stat before;
	mode_t mode; /* permission bits that it gets */
	bool has_mode;
	struct str old, new;
	char temp[48]; /* what it will be, beside it; empty: not made */

	/* Of a file that is otherwise protected (file_change_opened.c). */
	bool is_opened;
	bool is_prepared;    /* temp is the supervisor's */
	bool needs_exchange; /* of one that is deleted: its name must not be free */
	bool keeps_old;      /* committed; what was there before has the name temp */
	struct str in_dir;   /* the missing directory that comes with it; absent: none */
	struct str dir_temp; /* what that directory is called until then */
};

/* All return false after file_call_fail() or file_call_fail_errno(). */
bool file_change_look(struct file_change *g);
/* Nothing is changed before the runtime has confirmed that it saved the old content. */
bool file_change_wait_for_go(struct file_call *c);
bool file_change_is_untouched(struct file_change *g); /* by others, since it was looked at */
bool file_change_prepare(struct file_change *g);      /* beside it */
bool file_change_commit(
	struct file_change *g); /* in its place: a reader sees the old file or the new one, whole */
void file_change_drop(struct file_change *g); /* what was prepared */
/* After a commit.  False: the file stays changed, and the call says why. */
bool file_change_undo(struct file_change *g) MUST_USE;
/* Members of an object, and words for the model. */
void file_change_report(struct file_change *g);
void file_change_done(struct file_change *g);
/* After the commit of all files of the call: nothing will be undone. */
void file_change_settle(struct file_change *g);

/* ---- file_change_opened.c ---- */

/* Is it one of the files that a person opened for this call? */
bool file_change_opened_is(struct file_change *g);
/* Opens the supervisor's temporary file to be filled; -1 after file_call_fail(). */
int file_change_opened_take(struct file_change *g);
/* Finds the placeholder that takes the place of a file that is deleted, if there is one. */
bool file_change_opened_take_placeholder(struct file_change *g);
/*
 * In the place of renameat2(); false with errno, ESTALE: the file is not the one that was seen,
 * EOPNOTSUPP: its name would be free for a moment.
 */
bool file_change_opened_commit(struct file_change *g);
/* Takes the commit back.  False with errno: that is not possible this way. */
bool file_change_opened_undo(struct file_change *g);
void file_change_opened_settle(struct file_change *g);

#endif
