#include "base/hash/seal.h"

#include "lib/t.h"

#define KEY STR("a key")

TEST(a_sealed_number_can_be_opened_with_its_key)
{
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t value = i < 500 ? i : SEAL_MAX - i;
		uint64_t sealed = seal(KEY, value);

		CHECK(sealed <= SEAL_MAX);
		CHECK(seal_open(KEY, sealed) == value);
		CHECK(seal_open(STR("another"), sealed) != value);
	}
}

/* Neighbours of a counter have nothing in common. */
TEST(sealed_neighbours_differ_in_about_half_of_their_bits)
{
	int bits = 0;

	for (uint64_t i = 0; i < 256; i++)
		bits += __builtin_popcountll(seal(KEY, i) ^ seal(KEY, i + 1));
	CHECK(bits > 256 * 26 && bits < 256 * 36);
}

TEST_MAIN()
