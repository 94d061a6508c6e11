#ifndef FILETOOL_FILE_CHANGE_H
#define FILETOOL_FILE_CHANGE_H
/* One file on its way from old to new; shared by the tools that write. */
#include "filetool/filetool.h"

#include <sys/stat.h>

struct change {
	struct file_call *c;
	struct str path;
	int dir;
	const char *name;
	bool is_new;  /* it is not there yet */
	bool is_gone; /* it shall not be there afterwards */
	struct stat before;
	struct str old, new;
	char temp[48]; /* what it will be, beside it; empty: not made */
};

/* All return false after file_fail() or file_fail_errno(). */
bool change_look(struct change *g);
/* Nothing is changed before somebody said that the old content, which was sent, is safe. */
bool change_wait_for_go(struct file_call *c);
bool change_is_untouched(struct change *g); /* by others, since it was looked at */
bool change_prepare(struct change *g);      /* beside it */
bool change_commit(
	struct change *g);          /* in its place: whoever reads sees the old or the new, whole */
void change_drop(struct change *g); /* what was prepared */
void change_undo(struct change *g); /* after a commit, as well as it can be done */
/* Members of an object, and words for the model. */
void change_tell(struct change *g);
void change_done(struct change *g);

#endif
