#ifndef FILETOOL_FILETOOL_H
#define FILETOOL_FILETOOL_H
/*
 * The file tools: read_file, write_file, edit_file, apply_patch, list_dir, glob, search.
 * Each is a row of catalog/tools/ and a function tool_NAME(); its arguments are
 * struct tool_args_NAME (base/gen/tool_args.h).
 *
 * `thole-supervisor file-tool` runs inside a sandbox like any command.  The sandbox is
 * the boundary; what is here adds that a path inside a root is opened beneath
 * it, so that no link leads elsewhere, and that every failure has a name.
 *
 * On stdin comes one line of JSON:
 *
 *	{"tool":"read_file","args":{...},"cwd":"/ws","roots":["/ws"]}
 *
 * `protected`, beside `roots`, has paths below which no file is created: mounts protect those that
 * exist.  `opened` has files that are otherwise protected and that a person lets this call write; they are
 * filled in temporary files of the supervisor, which come behind "go".  `resolved` has the paths that the decision was about, after all links: a path that leads
 * elsewhere by now is refused.  `unsaved`, beside `cwd`, is the text that an editor has of the file to read.  `restore` has whole
 * files for apply_patch in the place of a patch; only the runtime itself sends it.
 *
 * A reading tool writes what it finds to stdout at once; an image, which the
 * result's mediaType names, it writes whole.  A writing tool writes one byte
 * there, N for a new file or B, and behind B the old content (several files:
 * file_patch.c), closes stdout and waits for the line "go" on stdin: by then the
 * runtime has saved the old content.  With `opened` a second line follows: a JSON list of
 * {"entry","temp","isDirectory"}, the empty file or directory that becomes each entry.  A file that is
 * deleted changes places with its `placeholder`; without one, or without `needsExchange` where the
 * file system cannot do that, it is removed.  Any other answer, or the end of input, and nothing is
 * changed.
 *
 * At the end one JSON object goes to stderr: structured (the result as data),
 * text (a writing tool's words), or category, message, advice, retryable,
 * executed, and what was tried: operation, path, errno.
 */
#include "filetool/file_call.h"

/* One call: the request comes on stdin.  Returns an exit code. */
int filetool_run(const struct filetool_host *host);

#endif
