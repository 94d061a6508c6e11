#ifndef SCHEMA_SCHEMA_BUILD_H
#define SCHEMA_SCHEMA_BUILD_H
/*
 * Shared by schema_compile.c (nodes) and schema_keywords.c (their content).
 */
#include "schema/schema_parts.h"

enum {
	VOCAB_CORE = 1, /* cannot be switched off */
	VOCAB_APPLICATOR = 2,
	VOCAB_UNEVALUATED = 4,
	VOCAB_VALIDATION = 8,
	VOCAB_FORMAT = 16,
	VOCAB_FORMAT_ASSERTION = 32,
	VOCAB_DEFAULT = 31,
};

struct compiling {
	const struct schema_set *set;
	struct schema *s;
	struct map nodes;    /* struct schema_node by address of its value */
	struct map scopes;   /* struct schema_scope by address of its resource */
	struct map patterns; /* struct schema_pattern by its text */
	struct arena *scratch;
	struct schema_node *todo;
	size_t node_count, pattern_size;
	struct error *e;
};

/* schema_compile.c: the node of a schema anywhere, or of one inside the node n. */
enum err schema_compile_add_spot(struct compiling *c, struct schema_spot at,
                                 struct schema_node **ret) MUST_USE;
enum err schema_compile_add_inner(struct compiling *c, const struct schema_node *n, struct json v,
                                  const struct schema_place *place,
                                  struct schema_node **ret) MUST_USE;

/* schema_keywords.c: reads the keywords of a schema into its node. */
enum err schema_keywords_fill_node(struct compiling *c, struct schema_node *n) MUST_USE;

#endif
