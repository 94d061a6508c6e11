#ifndef ACP_ACP_DIFF_H
#define ACP_ACP_DIFF_H
/*
 * A unified diff as the changes that an editor shows: one for each hunk, with
 * the old and the new text of its lines.  Pure.
 *
 * Text that is no unified diff has no changes.  A diff that was cut has those
 * of its whole lines.
 */
#include "base/jw.h"

/* Adds members of the list `content`; returns their number.  cwd: where relative paths begin. */
size_t acp_diff_write(struct json_writer *w, struct arena *mem, struct str diff, struct str cwd);
/* Adds members of the list `locations`, one for each file; returns their number. */
size_t acp_diff_write_places(struct json_writer *w, struct arena *mem, struct str diff,
                             struct str cwd);

#endif
