#ifndef STORE_BLOB_RAW_H
#define STORE_BLOB_RAW_H
/*
 * Raw files that another program writes, and the outputs that are sealed from
 * them.  `root` is the directory of blobs.
 *
 * After a crash the next start builds the output again from its raw file, so
 * the same bytes may be written to the same place twice.
 */
#include "base/str.h"

#define BLOB_RAW_DIR "raw"

/*
 * Writes the bytes at offset of the growing file.  After a failed write nothing
 * more is written, so that the file has no gap.
 */
void blob_raw_extend(int root, const char *path, uint64_t offset, struct str data, bool is_last);

void blob_raw_drop(int root, struct str name);
/* Removes all files except those in the list, one name per line. */
void blob_raw_sweep(int root, struct str names);

#endif
