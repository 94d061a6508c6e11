#ifndef LIB_FILES_H
#define LIB_FILES_H
/* The few things the library does with files of its own. */
#include "base/arena.h"
#include "base/err.h"

enum err files_read_all(struct arena *mem, const char *path, size_t max, struct str *ret,
                        struct error *e) MUST_USE;
/* A file that a repository brings (base/path/foreign_file.h): a trap is as if it were not there. */
bool files_read_foreign(struct arena *mem, struct str dir, const char *name,
                        struct str *ret) MUST_USE;
/* Whole and synced, 0600. */
enum err files_write(const char *path, struct str text, struct error *e) MUST_USE;
/* With its parents, 0700. */
enum err files_dir_make(const char *path, struct error *e) MUST_USE;
struct str files_dir_current(struct arena *mem);
/*
 * Where an absolute path really leads, links followed; a part that does not
 * exist cannot be a link and stays as it is.  Absent when that is not known.
 */
struct str files_path_real(void *owner, struct arena *mem, struct str path);
/*
 * SHA-256 of what a plain file holds, in hex; absent when it is none, cannot be read at once, or has
 * more than 4 MiB.  A link at its end is not followed.
 */
struct str files_path_digest(void *owner, struct arena *mem, struct str path);
/* thole-supervisor beside the program or this library, or in libexec there; absent when it is nowhere. */
struct str files_supervisor_path(struct arena *mem);
/* The owner's secret, DATA/token, 0600: read, or made on the first start. */
enum err files_token_make(struct arena *mem, const char *data_dir, struct str *ret,
                          struct error *e) MUST_USE;

#endif
