/* Random values, and what replies are written with. */
#include "random.h"

uint64_t random_any(struct run *r, uint64_t below)
{
	return rng_below(&r->w->rng, below);
}

bool random_chance(struct run *r, unsigned percent)
{
	return rng_percent(&r->w->rng, percent);
}

struct str random_pool(struct run *r, const char *prefix, uint64_t size)
{
	return arena_printf(r->c->mem, "%s%llu", prefix, (unsigned long long)random_any(r, size));
}

/* Any bytes, or absent. */
struct str random_text(struct run *r, size_t max)
{
	size_t len = (size_t)random_any(r, max + 1);
	char *at;

	if (random_chance(r, 10))
		return STR_NONE;
	at = arena_alloc(r->c->mem, len + 1);
	for (size_t i = 0; i < len; i++)
		at[i] = (char)random_any(r, 256);
	return str_of(at, len);
}

/* Letters, or absent: columns that hold text. */
struct str random_word(struct run *r, size_t max)
{
	size_t len = (size_t)random_any(r, max + 1);
	char *at;

	if (random_chance(r, 25))
		return STR_NONE;
	at = arena_alloc(r->c->mem, len + 1);
	memset(at, 'a' + (int)random_any(r, 26), len);
	return str_of(at, len);
}

struct str random_session_id(struct run *r, size_t i, unsigned generation)
{
	return arena_printf(r->c->mem, "sess_%c%zu_%u", i % 2 ? 'a' : 'b', i, generation);
}

/* A session that lives, was deleted, or never was. */
struct str random_any_session(struct run *r, size_t *ret)
{
	size_t i = (size_t)random_any(r, SESSIONS);
	unsigned generation = r->w->sessions[i].generation;

	*ret = i;
	if (random_chance(r, 15))
		return random_session_id(r, i, (unsigned)random_any(r, generation + 2));
	return random_session_id(r, i, generation);
}

/* ---- replies as text ---- */

/* Long texts are shown by their beginning and compared by their hash. */
void random_put_str(struct run *r, const char *name, struct str s)
{
	struct sha256 hash;

	buf_printf(r->out, " %s=", name);
	if (!str_is(s))
		buf_add_c(r->out, "absent");
	for (size_t i = 0; i < MIN(s.len, 16u); i++)
		if (s.ptr[i] > ' ' && s.ptr[i] < 127)
			buf_add_char(r->out, s.ptr[i]);
		else
			buf_printf(r->out, "\\%02x", (unsigned char)s.ptr[i]);
	if (s.len <= 16)
		return;
	hash = sha256_of(s);
	buf_printf(r->out, "(%zu)%08x%08x", s.len, (unsigned)((const uint32_t *)hash.state)[0],
	           (unsigned)((const uint32_t *)hash.state)[1]);
}

void random_put_int(struct run *r, const char *name, long long n)
{
	buf_printf(r->out, " %s=%lld", name, n);
}

void random_put_hash(struct run *r, const char *name, const struct sha256 *h)
{
	random_put_str(r, name, str_of((const char *)h->state, 8));
}
