/*
 * Makes and checks ids.  The random part depends on the seed and a counter
 * only, so that a replayed decision makes the same ids.
 */
#include "base/os/id.h"

#include <assert.h>

#define ULID_LEN 26

static uint64_t load_le64(const uint8_t *p)
{
	uint64_t n = 0;

	for (int i = 7; i >= 0; i--)
		n = n << 8 | p[i];
	return n;
}

void id_source_init(struct id_source *src, int64_t wall_ms, const uint8_t entropy[16])
{
	*src = (struct id_source){
		.wall_ms = wall_ms,
		.seed = { load_le64(entropy), load_le64(entropy + 8) },
	};
}

/* The finaliser of SplitMix64: every value comes from exactly one other. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* For one seed no two of these are equal, so neither are two ids of one source. */
uint64_t id_random(struct id_source *src)
{
	src->counter++;
	return mix(mix(src->seed[0] + src->counter * 0x9e3779b97f4a7c15u) ^ src->seed[1]);
}

/* The lowest bits of n as `count` digits of five bits each. */
static void put_base32(char *at, size_t count, uint64_t n)
{
	static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

	while (count--) {
		at[count] = digits[n & 31];
		n >>= 5;
	}
}

/* Crockford's base 32 in lower case: without i, l, o and u, so that an id can be read aloud. */
struct str id_make(struct arena *mem, struct id_source *src, const char *prefix)
{
	size_t prefix_len = strlen(prefix);
	size_t len = prefix_len + 1 + ULID_LEN;
	char *id = arena_alloc_raw(mem, len + 1);
	char *ulid = id + prefix_len + 1;
	uint64_t wall_ms = (uint64_t)MAX(src->wall_ms, 0) & (((uint64_t)1 << 48) - 1);
	uint64_t low = id_random(src), high = id_random(src);

	memcpy(id, prefix, prefix_len);
	id[prefix_len] = '_';
	put_base32(ulid, 10, wall_ms);
	/* 80 bits: 60 of the one number, its last 4 and 16 of the other */
	put_base32(ulid + 10, 12, low);
	put_base32(ulid + 22, 4, low >> 60 | high << 4);
	id[len] = '\0';
	return str_of(id, len);
}

struct str id_make_hex(struct arena *mem, struct id_source *src, size_t digits)
{
	static const char hex[] = "0123456789abcdef";
	char *id = arena_alloc_raw(mem, digits + 1);

	assert(digits == 16 || digits == 32);
	for (size_t i = 0; i < digits; i += 16) {
		uint64_t n;

		do
			n = id_random(src);
		while (!n);
		for (size_t at = i; at < i + 16; at++, n <<= 4)
			id[at] = hex[n >> 60];
	}
	id[digits] = '\0';
	return str_of(id, digits);
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Ids become parts of file names, URLs and SQL keys; nothing in this set needs an escape there. */
static const bool is_id_char[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['_'] = true,
	['.'] = true,         [':'] = true,         ['-'] = true,
};

bool id_is_valid(struct str s)
{
	if (!s.len || s.len > ID_MAX || !is_alnum(s.ptr[0]))
		return false;
	bool is_valid = true;

	/* Without a branch per byte: nearly all ids are valid. */
	for (size_t i = 1; i < s.len; i++)
		is_valid &= is_id_char[(unsigned char)s.ptr[i]];
	return is_valid;
}

bool id_has_prefix(struct str id, const char *prefix)
{
	size_t len = strlen(prefix);

	return id.len > len + 1 && !memcmp(id.ptr, prefix, len) && id.ptr[len] == '_';
}
