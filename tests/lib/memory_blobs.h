#ifndef TESTS_MEMORY_BLOBS_H
#define TESTS_MEMORY_BLOBS_H
/*
 * Large outputs in memory, behind the port of the shipped blob store: sealed
 * outputs survive a power cut, of the others some prefix does.  The blobs live
 * as long as the simulated disk; a process opens and closes them.
 */
#include "ports/blob.h"

struct memory_blobs;

struct memory_blobs *memory_blobs_new(uint64_t seed);
void memory_blobs_free(struct memory_blobs *b);

/* What the engine sees, until its close(). */
struct blobs *memory_blobs_open(struct memory_blobs *b);

/* The power fails: users that have it open reach nothing from now on. */
void memory_blobs_cut(struct memory_blobs *b);

/* The sealed bytes of a ref; false when there are none. */
bool memory_blobs_sealed(const struct memory_blobs *b, struct str ref, struct str *ret_data,
                         struct sha256 *ret_hash);

/* From now on every seal fails, as on a bad disk. */
void memory_blobs_break(struct memory_blobs *b, bool is_broken);

#endif
