#ifndef TESTS_BOX_H
#define TESTS_BOX_H
/*
 * Large outputs in memory, behind the port of the shipped blob store: what
 * was sealed survives a power cut, of the rest some prefix does.  It lives as
 * long as the simulated disk beside it; a process opens and closes it.
 */
#include "ports/blob.h"

struct box;

struct box *box_new(uint64_t seed);
void box_free(struct box *b);

/* What the engine sees, until its close(). */
struct blobs *box_open(struct box *b);

/* The power goes: whoever has it open talks to nothing from now on. */
void box_cut(struct box *b);

/* The sealed bytes of a ref; false when there are none. */
bool box_sealed(const struct box *b, struct str ref, struct str *ret_data, struct sha256 *ret_hash);

/* From now on every seal fails, as on a bad disk. */
void box_break(struct box *b, bool is_broken);

#endif
