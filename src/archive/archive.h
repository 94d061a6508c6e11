#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H
/*
 * Archives of evidence: a tar file inside one zstd frame.
 *
 * The writer is deterministic: entries have the order in which they are given,
 * one time, mode 0644 and no owner.  It passes compressed bytes to a function
 * and holds no more than one block.  Behind the frame comes a skippable one with
 * the hash of all bytes before it: not every bit of compressed data matters to
 * a decompressor, and a changed one would go unnoticed.  An archive that
 * another program has packed may lack it.
 *
 * The reader trusts nothing.  It accepts plain files with short relative paths
 * of safe characters, each path once, and refuses links, devices, "..",
 * absolute paths, another frame and bytes behind the end.  The size of all
 * files, their number and the memory of the decompressor are bounded.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define ARCHIVE_PATH_MAX 100
/* Magic number of a skippable frame and its size, 32, both little-endian. */
#define ARCHIVE_TRAILER "\x50\x2a\x4d\x18\x20\0\0\0"
#define ARCHIVE_TRAILER_BYTES 40

/* Is it a path that an archive may have? */
bool archive_read_path_is_safe(struct str path);

/* ---- archive_write.c ---- */

struct archive_writer;
struct archive_writer *archive_write_new(void (*sink)(void *arg, struct str bytes), void *arg);
/* The next file; exactly `size` bytes follow.  at: its time in wall ms. */
void archive_write_file(struct archive_writer *w, struct str path, uint64_t size, int64_t at);
void archive_write_data(struct archive_writer *w, struct str data);
void archive_write_end(struct archive_writer *w); /* passes the last bytes */
void archive_write_free(struct archive_writer *w);

/* ---- archive_read.c ---- */

struct archive_entry {
	struct str path; /* valid until the next entry */
	uint64_t size;
};

struct archive_reader;
/* fd stays open and belongs to the caller. */
struct archive_reader *archive_read_new(int fd);
void archive_read_free(struct archive_reader *r);
/* ERR_NOT_FOUND: the archive ends here and is well formed. */
enum err archive_read_next(struct archive_reader *r, struct archive_entry *ret,
                           struct error *e) MUST_USE;
/* The next bytes of the entry; *ret_len 0: its end. */
enum err archive_read_data(struct archive_reader *r, char *to, size_t max, size_t *ret_len,
                           struct error *e) MUST_USE;

#endif
