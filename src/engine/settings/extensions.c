/* Trust in the Markdown files of a project, kept by the store as a list of hashes. */
#include "engine/settings/extensions.h"

#include "base/hash/sha256.h"
#include "ports/store_own.h"

static struct str trust_key(struct arena *mem, struct str project)
{
	return arena_printf(mem, "extensions:trust:%.*s", STR_ARG(project));
}

struct str extensions_trusted(const struct engine *e, struct arena *mem, struct str project)
{
	struct store *st = e->ports.store;
	struct str known = STR_NONE;

	if (e->is_closing || !str_is(project) ||
	    port_store_get_own(st, mem, trust_key(mem, project), &known, NULL) != OK)
		return STR("");
	return str_is(known) ? known : STR("");
}

bool extensions_is_trusted(const struct context_extension *x, struct str trusted)
{
	return x->source == EXTENSION_SOURCE_USER ||
	       (str_is(x->hash) && str_find(trusted, x->hash) >= 0);
}

bool extensions_is_usable(const struct context_extension *x, struct str trusted)
{
	return !str_is(x->error) && extensions_is_trusted(x, trusted);
}

/*
 * One line per file; a list that would be too long is cut, and the rest stays untrusted.  So does a
 * file that cannot be used, because its text is not shown.
 */
static void add_hashes(struct buf *out, const struct context_read *r)
{
	for (size_t i = 0; i < r->extension_count; i++)
		if (str_is(r->extensions[i].hash) && !str_is(r->extensions[i].error) &&
		    out->len + 65 <= LIMIT_TRUSTED_BYTES)
			buf_printf(out, "%.*s\n", STR_ARG(r->extensions[i].hash));
}

struct str extensions_hash(struct arena *mem, const struct context_read *r)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	struct sha256 h;

	add_hashes(&all, r);
	if (!all.len)
		return STR_NONE;
	h = sha256_of(buf_str(&all));
	return sha256_hex(mem, &h);
}

enum err extensions_trust(struct engine *e, const struct context_read *r, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	CLEANUP(buf_done) struct buf all = { 0 };
	struct store *st = e->ports.store;

	add_hashes(&all, r);
	return port_store_set_own(st, trust_key(mem, r->project), buf_str(&all), err);
}
