#ifndef BASE_ID_H
#define BASE_ID_H
/*
 * Ids: a prefix for the kind, an underscore, and a lower-case
 * ULID (48 bits of wall time in milliseconds, 80 bits of entropy), as in
 * "turn_01m7fr3yr0e0kb5te5crt893zq".  They sort by time.
 *
 * Making one is pure: time and entropy come from the caller.  An id_source
 * turns 16 bytes of entropy into any number of ids (SplitMix/xoshiro over
 * seed and counter), so that a decision replayed with the same entropy makes
 * the same ids.
 */
#include "base/gen/limits.h"
#include "base/arena.h"

#define ID_MAX LIMIT_ID_BYTES /* longest id that a caller may choose */

struct id_source {
	int64_t wall_ms;
	uint64_t seed[2];
	uint64_t counter;
};

void id_source_init(struct id_source *src, int64_t wall_ms, const uint8_t entropy[16]);

/* The next 64 bits. */
uint64_t id_random(struct id_source *src);

/* prefix without the underscore: id_make(mem, src, "turn"). */
struct str id_make(struct arena *mem, struct id_source *src, const char *prefix);

/* 32 or 16 lower-case hex digits, never all zero: W3C trace and span ids. */
struct str id_make_hex(struct arena *mem, struct id_source *src, size_t digits);

/* [A-Za-z0-9][A-Za-z0-9_.:-]{0,255} */
bool id_is_valid(struct str s);

/* Does id carry this prefix?  id_has_prefix("turn_01...", "turn") */
bool id_has_prefix(struct str id, const char *prefix);

#endif
