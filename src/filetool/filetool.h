#ifndef FILETOOL_FILETOOL_H
#define FILETOOL_FILETOOL_H
/*
 * The file tools: read_file, write_file, edit_file, apply_patch, list_dir, glob, search.
 *
 * `thole-supervisor file-tool` runs inside a sandbox like any command.  The sandbox is
 * the boundary; what is here adds that a path inside a root is opened beneath
 * it, so that no link leads elsewhere, and that every failure has a name.
 *
 * On stdin comes one line of JSON:
 *
 *	{"tool":"read_file","args":{...},"cwd":"/ws","roots":["/ws"]}
 *
 * A reading tool writes what it finds to stdout at once; an image, which the
 * result's mediaType names, it writes whole.  A writing tool writes one byte
 * there, N for a new file or B, and behind B the old content (several files:
 * file_patch.c), closes stdout and waits for the line "go" on stdin: by then the
 * runtime has saved the old content.  Any other answer, or the end of input,
 * and nothing is changed.
 *
 * At the end one JSON object goes to stderr: structured (the result as data),
 * text (a writing tool's words), or category, message, advice, retryable,
 * executed, and what was tried: operation, path, errno.
 */
#include "filetool/file_call.h"

/* The tools; each returns false after file_call_fail() or file_call_fail_errno(). */
bool file_read(struct file_call *c);
bool file_write(struct file_call *c);
bool file_write_edit(struct file_call *c);
bool file_patch(struct file_call *c);
bool file_read_list(struct file_call *c);
bool file_walk_glob(struct file_call *c);
bool file_search(struct file_call *c);

/* One call: the request comes on stdin.  Returns an exit code. */
int filetool_run(const struct filetool_host *host);

#endif
