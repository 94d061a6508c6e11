#ifndef LIB_FILES_H
#define LIB_FILES_H
/* Reading and writing of the library's own files, and resolving of paths. */
#include "base/arena.h"
#include "base/err.h"

enum err files_read_all(struct arena *mem, const char *path, size_t max, struct str *ret,
                        struct error *e) MUST_USE;
/* The same on the loop, for a file that may be replaced by anything; ERR_INVALID: it is no file. */
enum err files_read_settings(struct arena *mem, const char *path, size_t max, struct str *ret,
                             struct error *e);
/* Reads a file of a repository (base/path/foreign_file.h); a file that is a trap counts as missing. */
bool files_read_foreign(struct arena *mem, struct str dir, const char *name,
                        struct str *ret) MUST_USE;
/* Writes the whole file and syncs it; mode 0600. */
enum err files_write(const char *path, struct str text, struct error *e) MUST_USE;
/* Creates the directory and its parents; mode 0700. */
enum err files_dir_make(const char *path, struct error *e) MUST_USE;
struct str files_dir_current(struct arena *mem);
/*
 * Resolves the links of an absolute path; a part that does not exist stays as it
 * is.  Absent when the result is unknown.
 */
struct str files_path_real(void *owner, struct arena *mem, struct str path);
/*
 * SHA-256 of what a plain file holds, in hex; absent when it is none, cannot be read at once, or has
 * more than 4 MiB.  A link at its end is not followed.
 */
struct str files_path_digest(void *owner, struct arena *mem, struct str path);
/* The path of thole-supervisor: beside the program or this library, or in libexec; absent: not found. */
struct str files_supervisor_path(struct arena *mem);

#endif
