/*
 * From documents to nodes.
 *
 * Every reachable subschema becomes one node, indexed by the address of its
 * JSON value; so a $ref is a pointer and a circle of them costs nothing.  Nodes
 * are created empty, queued and filled one after another: there is no
 * recursion, however long a chain of references is.
 */
#include "schema/schema_build.h"

#include "base/memory.h"

#include <stdlib.h>

#define VOCABULARIES_MAX 64 /* scanned for every resource */

/* ---- nodes ---- */

/* Which keywords apply in a resource, by the $vocabulary of its $schema. */
static enum err read_vocabularies(struct compiling *c, const struct schema_resource *r,
                                  unsigned *ret)
{
	static const struct {
		const char *name;
		unsigned vocabulary;
	} known[] = {
		{ "core", VOCAB_CORE },
		{ "applicator", VOCAB_APPLICATOR },
		{ "unevaluated", VOCAB_UNEVALUATED },
		{ "validation", VOCAB_VALIDATION },
		{ "meta-data", VOCAB_CORE },
		{ "format-annotation", VOCAB_FORMAT },
		{ "format-assertion", VOCAB_FORMAT | VOCAB_FORMAT_ASSERTION },
		{ "content", VOCAB_CORE },
	};
	const struct str stem = STR("https://json-schema.org/draft/2020-12/vocab/");
	struct schema_resource *meta = r->meta.len ? schema_set_find(c->set, r->meta) : NULL;
	struct json list = meta ? JSON_GET(meta->root, "$vocabulary") : (struct json){ 0 };
	struct json_iter it = json_iter(list);
	struct json v;
	struct str uri;

	if (json_count(list) > VOCABULARIES_MAX)
		return fail(c->e, ERR_TOO_LARGE, "%.*s has more than %d vocabularies",
		            STR_ARG(r->meta), VOCABULARIES_MAX);
	*ret = json_type(list) == JSON_OBJ ? VOCAB_CORE : VOCAB_DEFAULT;
	while (json_next(&it, &uri, &v)) {
		struct str name = str_starts(uri, stem) ? str_skip(uri, stem.len) : STR_NONE;
		unsigned found = 0;

		for (size_t i = 0; i < COUNT_OF(known); i++)
			if (str_eq(name, str_from(known[i].name)))
				found = known[i].vocabulary;
		/*
		 * A required vocabulary that is not known makes the schema unusable; an optional
		 * one is ignored. (JSON Schema core, section 8.1.2)
		 */
		if (!found && json_bool(v, false) && r->dialect == DIALECT_2020)
			return fail(c->e, ERR_UNSUPPORTED, "%.*s requires the vocabulary %.*s",
			            STR_ARG(r->meta), STR_ARG(uri));
		*ret |= found;
	}
	/* Older drafts have no vocabularies, or other URIs for them: all keywords apply. */
	if (r->dialect != DIALECT_2020)
		*ret = VOCAB_DEFAULT;
	return OK;
}

/*
 * One scope per resource.  It is registered before its anchors are compiled, because an anchor
 * may lead back to the resource.
 */
static enum err scope_of(struct compiling *c, struct schema_resource *r,
                         const struct schema_scope **ret)
{
	struct arena *mem = c->s->mem;
	struct schema_scope *scope = map_get(&c->scopes, schema_address(&r));
	size_t count = 0;

	if (scope) {
		*ret = scope;
		return OK;
	}
	scope = ARENA_NEW(mem, struct schema_scope);
	scope->resource = r;
	*ret = scope;
	map_put(&c->scopes, schema_address(&scope->resource), scope);

	enum err err = read_vocabularies(c, r, &scope->vocabularies);

	for (struct schema_anchor *a = r->anchors; a; a = a->next)
		count += a->is_dynamic;
	scope->dynamic = ARENA_ARRAY(mem, struct schema_property, count);
	for (struct schema_anchor *a = r->anchors; a && !err; a = a->next) {
		struct schema_property *p = &scope->dynamic[scope->dynamic_count];

		if (!a->is_dynamic)
			continue;
		p->name = a->name;
		err = schema_compile_add_spot(c, (struct schema_spot){ a->at, a->place, r },
		                              &p->node);
		scope->dynamic_count++;
	}
	return err;
}

/* The address of the JSON value identifies a subschema, so every way to it gives the same node. */
static enum err add_node(struct compiling *c, struct json at, const struct schema_place *place,
                         const struct schema_scope *scope, struct schema_node **ret)
{
	struct schema_node *n = map_get(&c->nodes, schema_address(&at.val));

	if (n) {
		*ret = n;
		return OK;
	}
	if (json_type(at) != JSON_OBJ && json_type(at) != JSON_BOOL) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();

		return fail(c->e, ERR_INVALID, "%.*s must be a schema, not %s",
		            STR_ARG(schema_report_location(mem, scope->resource, place, STR_NONE)),
		            json_type_name(at));
	}
	if (++c->node_count > SCHEMA_NODES_MAX)
		return fail(c->e, ERR_TOO_LARGE, "a schema with more than %d subschemas",
		            SCHEMA_NODES_MAX);
	n = ARENA_NEW(c->s->mem, struct schema_node);
	*n = (struct schema_node){
		.types = TYPE_ANY, .source = at, .place = place, .scope = scope, .next = c->todo
	};
	c->todo = n;
	map_put(&c->nodes, schema_address(&n->source.val), n);
	*ret = n;
	return OK;
}

enum err schema_compile_add_spot(struct compiling *c, struct schema_spot at,
                                 struct schema_node **ret)
{
	const struct schema_scope *scope;
	enum err err = scope_of(c, at.resource, &scope);

	return err ? err : add_node(c, at.at, at.place, scope, ret);
}

/* A subschema, which may begin a new resource. */
enum err schema_compile_add_inner(struct compiling *c, const struct schema_node *n, struct json v,
                                  const struct schema_place *place, struct schema_node **ret)
{
	for (const struct schema_set *set = c->set; set && json_type(v) == JSON_OBJ;
	     set = set->parent) {
		struct schema_resource *r = map_get(&set->by_root, schema_address(&v.val));

		if (r)
			return schema_compile_add_spot(c, (struct schema_spot){ v, NULL, r }, ret);
	}
	return add_node(c, v, place, n->scope, ret);
}

/* ---- the whole ---- */

/*
 * Filling a node adds further nodes to the list; the loop ends when all reachable ones are
 * filled.
 */
static enum err compile_reachable(struct compiling *c, struct schema_spot at)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	enum err err = schema_compile_add_spot(c, at, &c->s->root);

	c->scratch = scratch;

	while (!err && c->todo) {
		struct schema_node *n = c->todo;

		c->todo = n->next;
		err = schema_keywords_fill_node(c, n);
	}
	map_done(&c->nodes);
	map_done(&c->scopes);
	map_done(&c->patterns);
	return err;
}

static struct schema *new_schema(const struct schema_options *options)
{
	struct schema *s = memory_zeroed(1, sizeof *s);

	s->mem = arena_new();
	if (options)
		s->options = *options;
	if (!s->options.max_steps)
		s->options.max_steps = SCHEMA_STEPS;
	return s;
}

void schema_compile_free(struct schema *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->pattern_count; i++)
		schema_pattern_free(s->patterns[i]);
	free(s->patterns);
	schema_set_free(s->own);
	arena_free(s->mem);
	free(s);
}

enum err schema_compile(const struct schema_set *set, struct str uri,
                        const struct schema_options *options, struct schema **ret, struct error *e)
{
	CLEANUP(schema_freep) struct schema *s = new_schema(options);
	struct compiling c = { .set = set, .s = s, .e = e };
	struct schema_spot at;
	struct schema_anchor *anchor;
	enum err err = schema_set_resolve(set, NULL, uri, s->mem, s->mem, &at, &anchor, e);

	if (!err)
		err = compile_reachable(&c, at);
	if (err)
		return err;
	*ret = s;
	s = NULL;
	return OK;
}

/*
 * The text gets a separate set with the caller's set behind it, so that it can refer to known
 * schemas and cannot be referred to.
 */
enum err schema_compile_text(const struct schema_set *set, struct str text,
                             const struct schema_options *options, struct schema **ret,
                             struct error *e)
{
	CLEANUP(schema_freep) struct schema *s = new_schema(options);
	struct schema_resource *root;

	s->own = schema_set_new();
	s->own->parent = set;

	struct compiling c = { .set = s->own, .s = s, .e = e };
	enum err err = schema_set_add_root(s->own, STR(""), text, &root, e);

	if (!err)
		err = compile_reachable(&c, (struct schema_spot){ root->root, NULL, root });
	if (err)
		return err;
	*ret = s;
	s = NULL;
	return OK;
}
