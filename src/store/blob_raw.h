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
 * The bytes from offset on of the growing file of that path.  A write that
 * fails leaves a gap, and nothing is written behind one.
 */
void blob_raw_extend(int root, const char *path, uint64_t offset, struct str data, bool is_last);

void blob_raw_drop(int root, struct str name);
/* Drops all but the names in the list; each has a line end behind it. */
void blob_raw_sweep(int root, struct str names);

#endif
