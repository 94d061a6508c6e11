#ifndef STORE_BLOB_RAW_H
#define STORE_BLOB_RAW_H
/*
 * Files of outputs that another program writes, and the outputs that are made
 * of them.  `root` is the directory of blobs.
 *
 * An output is made anew from its raw file by whoever comes after a crash, so
 * the same bytes are written to the same place again.
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
