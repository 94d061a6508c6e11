/*
 * A set of schema documents: reads a document's resources and anchors, and
 * resolves references between them.  An addition that fails leaves the set
 * unchanged.
 */
#include "schema/schema_parts.h"

#include "base/memory.h"

#include <stdlib.h>

struct schema_set *schema_set_new(void)
{
	struct schema_set *set = memory_zeroed(1, sizeof *set);

	set->mem = arena_new();
	return set;
}

void schema_set_free(struct schema_set *set)
{
	if (!set)
		return;
	map_done(&set->by_uri);
	map_done(&set->by_root);
	map_done(&set->by_anchor);
	arena_free(set->mem);
	free(set);
}

/* The nearest set wins, so a text may replace a known schema for itself only. */
struct schema_resource *schema_set_find(const struct schema_set *set, struct str uri)
{
	struct schema_resource *r = NULL;

	for (; set && !r; set = set->parent)
		r = map_get(&set->by_uri, uri);
	return r;
}

/* The resource whose root this value is, or NULL. */
static struct schema_resource *resource_at(const struct schema_set *set, struct json v)
{
	struct str key = schema_address(&v.val);
	struct schema_resource *r = NULL;

	for (; set && !r; set = set->parent)
		r = map_get(&set->by_root, key);
	return r;
}

/* Anchors of all resources share a map; the key is the resource's address and the name. */
static struct str anchor_key(struct arena *mem, const struct schema_resource *r, struct str name)
{
	struct str address = schema_address(&r);
	char *key = arena_alloc(mem, address.len + name.len);

	memcpy(key, address.ptr, address.len);
	memcpy(key + address.len, name.ptr, name.len);
	return str_of(key, address.len + name.len);
}

/* ---- reading a document ---- */

/* What one addition puts into the set, so that it can be undone. */
struct adding {
	struct schema_set *set;
	struct schema_resource *resources;
	struct str alias; /* the caller's URI, when it is not the root's own */
	struct error *e;
};

/* Strings and structs stay in the arena; only the maps forget them. */
static void undo_addition(struct adding *a)
{
	for (struct schema_resource *r = a->resources; r; r = r->next) {
		if (map_get(&a->set->by_uri, r->uri) == r)
			map_remove(&a->set->by_uri, r->uri);
		map_remove(&a->set->by_root, schema_address(&r->root.val));
		for (struct schema_anchor *an = r->anchors; an; an = an->next)
			map_remove(&a->set->by_anchor, anchor_key(a->set->mem, r, an->name));
	}
	if (str_is(a->alias))
		map_remove(&a->set->by_uri, a->alias);
}

/* An unknown $schema is treated as 2020-12; its vocabularies are looked up when it is compiled. */
static enum schema_dialect dialect_of(struct str meta)
{
	if (str_starts(meta, STR("https://json-schema.org/draft/2019-09/")))
		return DIALECT_2019;
	if (str_starts(meta, STR("http://json-schema.org/draft-0")))
		return DIALECT_7;
	return DIALECT_2020;
}

/* An embedded resource without $schema has that of the document around it. */
static struct schema_resource *new_resource(struct adding *a, struct str uri, struct json root,
                                            const struct schema_resource *around)
{
	struct schema_resource *r = ARENA_NEW(a->set->mem, struct schema_resource);
	struct str meta = json_str(JSON_GET(root, "$schema"));

	*r = (struct schema_resource){ .uri = uri, .root = root, .next = a->resources };
	a->resources = r;
	if (str_is(meta)) {
		r->meta = schema_uri_resolve(a->set->mem, STR(""), meta);
		r->dialect = dialect_of(r->meta);
	} else if (around) {
		r->meta = around->meta;
		r->dialect = around->dialect;
	}
	return r;
}

/* Two documents under one URI would make references ambiguous. */
static enum err put_resource(struct adding *a, struct schema_resource *r)
{
	if (map_get(&a->set->by_uri, r->uri))
		return fail(a->e, ERR_BUSY, "the URI \"%.*s\" is used by another schema",
		            STR_ARG(r->uri));
	map_put(&a->set->by_uri, r->uri, r);
	map_put(&a->set->by_root, schema_address(&r->root.val), r);
	return OK;
}

/* Places are built on the stack while reading and are kept only where something refers to them. */
static const struct schema_place *keep_place(struct arena *mem, const struct schema_place *p)
{
	if (!p)
		return NULL;

	struct schema_place *kept = ARENA_NEW(mem, struct schema_place);

	*kept = (struct schema_place){ keep_place(mem, p->up), p->token };
	return kept;
}

static enum err put_anchor(struct adding *a, struct schema_spot at, struct str name,
                           bool is_dynamic)
{
	struct arena *mem = a->set->mem;
	struct str key = anchor_key(mem, at.resource, name);
	struct schema_anchor *had = map_get(&a->set->by_anchor, key);

	/* $anchor and $dynamicAnchor of one schema may have the same name. */
	if (had && had->at.val == at.at.val) {
		had->is_dynamic |= is_dynamic;
		return OK;
	}
	if (had)
		return fail(a->e, ERR_INVALID, "the anchor \"%.*s\" is used twice in one schema",
		            STR_ARG(name));

	struct schema_anchor *an = ARENA_NEW(mem, struct schema_anchor);

	*an = (struct schema_anchor){ .name = name,
		                      .at = at.at,
		                      .place = keep_place(mem, at.place),
		                      .resource = at.resource,
		                      .is_dynamic = is_dynamic,
		                      .next = at.resource->anchors };
	at.resource->anchors = an;
	map_put(&a->set->by_anchor, key, an);
	return OK;
}

static enum err resolve_id(struct adding *a, struct str base, struct str id, struct str *ret)
{
	if (base.len > SCHEMA_URI_MAX || id.len > SCHEMA_URI_MAX)
		return fail(a->e, ERR_TOO_LARGE, "a URI has more than %d bytes", SCHEMA_URI_MAX);
	*ret = schema_uri_resolve(a->set->mem, base, id);
	return OK;
}

/* Reads $id, $anchor and $dynamicAnchor; *at moves to a resource that begins here. */
static enum err read_names(struct adding *a, struct schema_spot *at)
{
	struct json v = at->at;
	enum err err = OK;
	struct str id = json_str(JSON_GET(v, "$id"));
	struct str anchor = json_str(JSON_GET(v, "$anchor"));
	struct str dynamic = json_str(JSON_GET(v, "$dynamicAnchor"));
	bool is_root = at->resource->root.val == v.val;

	/* Drafts 06 and 07: a $ref hides its siblings, "$id": "#x" is an anchor. */
	if (at->resource->dialect == DIALECT_7 && json_is(JSON_GET(v, "$ref")))
		id = STR_NONE;
	if (id.len && id.ptr[0] == '#') {
		anchor = id.len > 1 ? str_skip(id, 1) : anchor;
		id = STR_NONE;
	}
	if (id.len && !is_root) {
		struct str uri;

		err = resolve_id(a, at->resource->uri, id, &uri);
		if (err)
			return err;
		at->resource = new_resource(a, uri, v, at->resource);
		at->place = NULL;
		err = put_resource(a, at->resource);
	}
	if (!err && anchor.len)
		err = put_anchor(a, *at, anchor, false);
	if (!err && dynamic.len)
		err = put_anchor(a, *at, dynamic, true);
	return err;
}

static enum err read_schema(struct adding *a, struct schema_spot at);

static enum err read_schemas(struct adding *a, struct schema_spot at, bool is_list)
{
	struct json_iter it = json_iter(at.at);
	struct json v;
	struct str key;
	enum err err = OK;

	if (json_type(at.at) != (is_list ? JSON_ARR : JSON_OBJ))
		return OK; /* compiling reports it, if this is ever used */
	for (unsigned i = 0; !err && json_next(&it, &key, &v); i++) {
		struct schema_place place = { at.place, key };

		if (is_list)
			place.token = arena_printf(a->set->mem, "%u", i);
		err = read_schema(a, (struct schema_spot){ v, &place, at.resource });
	}
	return err;
}

/* Nesting is bounded by the JSON reader. */
static enum err read_schema(struct adding *a, struct schema_spot at)
{
	struct json_iter it = json_iter(at.at);
	struct json v;
	struct str key;

	if (json_type(at.at) != JSON_OBJ)
		return OK;

	enum err err = read_names(a, &at);

	while (!err && json_next(&it, &key, &v)) {
		struct schema_place place = { at.place, key };
		struct schema_spot below = { v, &place, at.resource };

		switch (schema_keywords_shape(key)) {
		/*
		 * An $id inside `const`, `enum` or an unknown keyword is data and begins no
		 * resource.
		 */
		case SHAPE_NONE:
			break;
		case SHAPE_ONE:
			err = read_schema(a, below);
			break;
		case SHAPE_LIST:
			err = read_schemas(a, below, true);
			break;
		case SHAPE_MAP:
			err = read_schemas(a, below, false);
			break;
		case SHAPE_ONE_OR_LIST:
			if (json_type(v) == JSON_ARR)
				err = read_schemas(a, below, true);
			else
				err = read_schema(a, below);
			break;
		}
	}
	return err;
}

/* A document is known under its $id and under the URI by which the caller added it. */
static enum err read_root(struct adding *a, struct str uri, struct json root)
{
	struct str id = json_str(JSON_GET(root, "$id"));
	struct str own = uri;

	if (id.len && id.ptr[0] != '#') {
		enum err err = resolve_id(a, uri, id, &own);

		if (err)
			return err;
	}

	struct schema_resource *r = new_resource(a, own, root, NULL);
	enum err err = put_resource(a, r);

	if (!err && !str_eq(own, uri) && uri.len) {
		if (map_get(&a->set->by_uri, uri))
			return fail(a->e, ERR_BUSY, "the URI \"%.*s\" is used by another schema",
			            STR_ARG(uri));
		map_put(&a->set->by_uri, uri, r);
		a->alias = uri;
	}
	if (!err)
		err = read_schema(a, (struct schema_spot){ root, NULL, r });
	return err;
}

/* The same document under another URI: only the name is added. */
static struct schema_resource *find_equal(const struct schema_set *set, struct str uri,
                                          struct json root)
{
	struct str id = json_str(JSON_GET(root, "$id"));

	if (id.len > SCHEMA_URI_MAX || uri.len > SCHEMA_URI_MAX)
		return NULL;

	struct str own = id.len && id.ptr[0] != '#' ? schema_uri_resolve(set->mem, uri, id) : uri;
	struct schema_resource *r = map_get(&set->by_uri, own);

	return r && json_equal(r->root, root) ? r : NULL;
}

enum err schema_set_add_root(struct schema_set *set, struct str uri, struct str text,
                             struct schema_resource **ret, struct error *e)
{
	struct adding a = { .set = set, .e = e };
	struct json root;

	if (text.len > SCHEMA_TEXT_MAX)
		return fail(e, ERR_TOO_LARGE, "a schema of %zu bytes; at most %u are read",
		            text.len, SCHEMA_TEXT_MAX);
	if (uri.len > SCHEMA_URI_MAX)
		return fail(e, ERR_TOO_LARGE, "a URI has more than %d bytes", SCHEMA_URI_MAX);

	enum err err = json_read(set->mem, text, &root, e);

	if (err)
		return err;
	if (json_type(root) != JSON_OBJ && json_type(root) != JSON_BOOL)
		return fail(e, ERR_INVALID, "a schema is an object or a boolean, not %s",
		            json_type_name(root));
	/* Normalised, so that equal URIs are equal keys. */
	uri = schema_uri_resolve(set->mem, STR(""), uri);

	struct schema_resource *equal = find_equal(set, uri, root);

	if (equal && !map_get(&set->by_uri, uri))
		map_put(&set->by_uri, uri, equal);
	if (equal && map_get(&set->by_uri, uri) == equal) {
		*ret = equal;
		return OK;
	}
	err = read_root(&a, uri, root);
	if (err) {
		undo_addition(&a);
		return err;
	}
	*ret = resource_at(set, root);
	return OK;
}

enum err schema_set_add(struct schema_set *set, struct str uri, struct str text, struct error *e)
{
	struct schema_resource *r;

	if (!uri.len) {
		/* The nameless root is for schema_compile_text only. */
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json root;
		enum err err = json_read(mem, text, &root, e);

		if (err)
			return err;
		if (!json_str(JSON_GET(root, "$id")).len)
			return fail(e, ERR_INVALID, "a schema without $id needs a URI");
	}
	return schema_set_add_root(set, uri, text, &r, e);
}

/* ---- following references ---- */

/* Array indices have no leading zero (RFC 6901). */
static struct json child_of(struct json v, struct str token)
{
	uint64_t index;

	if (json_type(v) == JSON_OBJ)
		return json_get(v, token);
	if (json_type(v) != JSON_ARR || !str_to_u64(token, &index) ||
	    (token.len > 1 && token.ptr[0] == '0'))
		return (struct json){ 0 };
	return json_at(v, index);
}

/* A pointer may cross into an embedded resource; from there on that one is the base. */
static bool follow_pointer(const struct schema_set *set, struct str pointer, struct arena *mem,
                           struct arena *scratch, struct schema_spot *at)
{
	while (pointer.len) {
		struct str token = schema_uri_pointer_next(scratch, &pointer);
		struct schema_place *place = ARENA_NEW(mem, struct schema_place);
		struct schema_resource *r;

		*place = (struct schema_place){ at->place, arena_keep(mem, token) };
		at->at = child_of(at->at, place->token);
		at->place = place;
		if (!json_is(at->at))
			return false;
		r = resource_at(set, at->at);
		if (r) {
			at->resource = r;
			at->place = NULL;
		}
	}
	return true;
}

/* scratch holds what ends with this call; mem what the result refers to. */
enum err schema_set_resolve(const struct schema_set *set, const struct schema_resource *from,
                            struct str ref, struct arena *mem, struct arena *scratch,
                            struct schema_spot *ret, struct schema_anchor **ret_anchor,
                            struct error *e)
{
	if (ref.len > SCHEMA_URI_MAX)
		return fail(e, ERR_TOO_LARGE, "a reference has more than %d bytes", SCHEMA_URI_MAX);

	struct str base = from ? from->uri : STR("");
	struct schema_resource *r = schema_set_find(set, schema_uri_resolve(scratch, base, ref));
	struct str raw = schema_uri_fragment(ref);
	struct str fragment = raw.len ? schema_uri_decode(scratch, raw) : STR("");

	if (!r)
		return fail(e, ERR_NOT_FOUND, "no schema is known for \"%.*s\"", STR_ARG(ref));

	struct schema_spot at = { r->root, NULL, r };
	struct schema_anchor *anchor = NULL;

	if (fragment.len && fragment.ptr[0] == '/') {
		if (!follow_pointer(set, fragment, mem, scratch, &at))
			return fail(e, ERR_NOT_FOUND, "\"%.*s\" leads to no place in the schema",
			            STR_ARG(ref));
	} else if (fragment.len) {
		struct str key = anchor_key(scratch, r, fragment);

		for (const struct schema_set *s = set; s && !anchor; s = s->parent)
			anchor = map_get(&s->by_anchor, key);
		if (!anchor)
			return fail(e, ERR_NOT_FOUND, "\"%.*s\" names no anchor of the schema",
			            STR_ARG(ref));
		at = (struct schema_spot){ anchor->at, anchor->place, r };
	}
	*ret = at;
	*ret_anchor = anchor;
	return OK;
}
