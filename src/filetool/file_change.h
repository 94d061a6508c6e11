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

#endif
