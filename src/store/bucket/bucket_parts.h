#ifndef STORE_BUCKET_PARTS_H
#define STORE_BUCKET_PARTS_H
/*
 * The parts in which an output is sent while it grows.  Pure.
 *
 * The wire wants at least 5 MiB for each part but the last, and at most 10,000 parts.  So the size
 * of part `no` is 8 MiB, and doubles every 1000 parts: all of them hold more than any output.
 */
#include "base/util.h"

#define BUCKET_PARTS_FIRST ((uint64_t)8 << 20)
#define BUCKET_PARTS_MOST 10000

/* Bytes of part `no`, from 1. */
uint64_t bucket_parts_size(int64_t no);
/* Whether bytes from the end of the parts before `no` up to `size` make a part; is_last: no more come. */
bool bucket_parts_is_due(int64_t no, uint64_t bytes, bool is_last);

#endif
