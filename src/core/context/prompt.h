#ifndef CORE_CONTEXT_PROMPT_H
#define CORE_CONTEXT_PROMPT_H
/*
 * The texts of prompts/ with their {{names}} filled in.
 *
 * The system prompt has no names: it is the same for every turn, so that the
 * caches of providers hit.  What may change from turn to turn is the
 * environment, which is placed in the conversation where its turn begins.
 */
#include "base/arena.h"
#include "core/gen/prompts.h"

/* Refs of the built-in texts in context.resolved. */
#define PROMPT_REF_SYSTEM STR("instruction:system")
#define PROMPT_REF_APPENDED STR("instruction:settings")
#define PROMPT_REF_ENVIRONMENT STR("instruction:environment")
#define PROMPT_REF_SKILLS STR("skill:index")
#define PROMPT_REF_AGENTS STR("instruction:agents")

/* Where the turn works. */
struct prompt_place {
	struct str directory;
	const struct list_str *more; /* directories that the person added; may be NULL */
	struct str root;             /* of the repository; absent: there is none */
	struct str branch;           /* absent: no branch is checked out */
	const struct rec_execution_environment *environment; /* may be NULL */
	bool is_sandbox_known; /* else sandbox and network of the environment say nothing */
	enum permission_mode mode;
	int64_t now_ms;
};

struct prompt_name {
	struct str name, value;
};

/* A name without a value stays as it is written. */
struct str prompt_fill(struct arena *mem, struct str text, const struct prompt_name *names,
                       size_t count);
/* A note with one name. */
struct str prompt_note(struct arena *mem, enum prompt_note note, struct str name, struct str value);
/*
 * Text from outside between <TAG name="NAME"> and </TAG>, unchanged.  A text that holds this end
 * itself gets a tag that does not occur in it, <TAG-2> and so on, so no text can leave its tag.
 */
struct str prompt_named(struct arena *mem, struct str tag, struct str name, struct str text);
/* The name as the value of an attribute: one line, without quotes and brackets. */
struct str prompt_attribute(struct arena *mem, struct str name);
/* Text from outside cannot add a line: each value is one line of at most 4,096 bytes. */
struct str prompt_environment(struct arena *mem, const struct prompt_place *p);

#endif
