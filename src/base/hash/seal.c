/* Numbers that only the holder of the key can read. */
#include "base/hash/seal.h"

#include "base/hash/sha256.h"

#define ROUNDS 4
#define HALF_BITS 31
#define HALF_MASK 0x7fffffffu

static uint32_t round_of(struct str key, uint32_t half, unsigned round)
{
	char text[5] = { (char)(half >> 24), (char)(half >> 16), (char)(half >> 8), (char)half,
		         (char)round };
	struct sha256 mac = sha256_hmac(key, str_of(text, sizeof text));

	return ((uint32_t)mac.state[0] << 24 | (uint32_t)mac.state[1] << 16 |
	        (uint32_t)mac.state[2] << 8 | mac.state[3]) &
	       HALF_MASK;
}

static uint64_t joined(uint32_t left, uint32_t right)
{
	return (uint64_t)left << HALF_BITS | right;
}

uint64_t seal(struct str key, uint64_t value)
{
	uint32_t left = (uint32_t)(value >> HALF_BITS) & HALF_MASK;
	uint32_t right = (uint32_t)value & HALF_MASK;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t next = left ^ round_of(key, right, i);

		left = right;
		right = next;
	}
	return joined(left, right);
}

uint64_t seal_open(struct str key, uint64_t sealed)
{
	uint32_t left = (uint32_t)(sealed >> HALF_BITS) & HALF_MASK;
	uint32_t right = (uint32_t)sealed & HALF_MASK;

	for (unsigned i = ROUNDS; i-- > 0;) {
		uint32_t before = right ^ round_of(key, left, i);

		right = left;
		left = before;
	}
	return joined(left, right);
}
