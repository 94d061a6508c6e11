/*
 * Any bytes as a command line: it is parsed, analyzed and evaluated, twice with
 * the same result, and within its budget.  A line that takes more memory than
 * the budget allows, or so much processor time that some work cannot have been
 * counted, is a failure like a crash.
 */
#include "policy/shell/analyze.h"

#include "base/json.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#define MS_MAX 3000 /* of the processor, where a few tens are usual; a sanitizer is slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char rules_text[] =
	"{\"rules\":["
	"{\"id\":\"a\",\"effect\":\"allow\",\"command\":[\"make\",\"*\",\"**\"]},"
	"{\"id\":\"b\",\"effect\":\"allow\",\"path\":\"build/**\"},"
	"{\"id\":\"c\",\"effect\":\"deny\",\"path\":\"**/secret*/x\"},"
	"{\"id\":\"d\",\"effect\":\"ask\",\"command\":[\"git\",\"push\",\"-f\"]},"
	"{\"id\":\"e\",\"effect\":\"allow\",\"tool\":\"shell\"},"
	"{\"id\":\"f\",\"effect\":\"allow\",\"host\":\"*.example.com\"}]}";

static const char deny_text[] = "{\"rules\":[{\"effect\":\"deny\",\"tool\":\"shell\"}]}";

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* One whole decision, in its own memory. */
static void check_cost(const struct rules *rs, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct shell_place place = { .cwd = STR("/ws"), .home = STR("/home/u") };
	struct analysis budget = analysis_of(mem);
	struct judgement how = { .mode = PERMISSION_MODE_DEFAULT,
		                 .home = STR("/home/u"),
		                 .root = STR("/ws"),
		                 .budget = &budget };
	struct rec_permission_decision d;
	struct shell_acts acts;
	int64_t begin = cpu_ms();

	place.budget = &budget;
	analyze_line(mem, text, &place, &acts);
	assert(!analysis_is_spent(&budget) || acts.count);
	rules_evaluate(mem, rs, &how, acts.items, acts.count, &d);
	assert(cpu_ms() - begin < MS_MAX);
	assert(arena_used(mem) <= 2 * (size_t)LIMIT_ANALYSIS_BYTES);
}

static void count_simple(void *owner, const struct shell_node *n)
{
	*(size_t *)owner += n->words != NULL;
}

static bool is_opaque(const struct shell_acts *acts)
{
	for (uint32_t i = 0; i < acts->count; i++)
		if (acts->items[i]->flags & ACT_OPAQUE)
			return true;
	return false;
}

/* Nothing that was read is missing among the acts, and paths are what they promise. */
static void check_acts(const struct shell_script *s, const struct shell_acts *acts)
{
	size_t simple = 0;

	expand_shell_each(s->root, count_simple, &simple);
	if (str_is(s->trouble) || s->oddities)
		assert(is_opaque(acts));
	if (!str_is(s->trouble) && !is_opaque(acts))
		assert(acts->count >= simple);
	for (uint32_t i = 0; i < acts->count; i++) {
		const struct act *a = acts->items[i];

		assert(a->outer < (int)i);
		assert(!(a->flags & ACT_OPAQUE && a->flags & (ACT_READ_ONLY | ACT_NEUTRAL)));
		for (uint32_t k = 0; k < a->path_count; k++)
			assert(a->paths[k].flags & ACT_PATH_UNKNOWN ||
			       (a->paths[k].path.len && a->paths[k].path.ptr[0] == '/'));
		for (uint32_t k = 0; k < a->word_count; k++)
			if (a->words[k].flags & ACT_WORD_TWIST)
				assert(!(a->flags & (ACT_READ_ONLY | ACT_NEUTRAL)));
	}
}

static enum approval_decision decide(struct arena *mem, const struct rules *rs,
                                     enum permission_mode mode, const struct shell_acts *acts)
{
	struct judgement how = { .mode = mode,
		                 .is_interactive = true,
		                 .is_sandboxed = true,
		                 .home = STR("/home/u"),
		                 .root = STR("/ws") };
	struct rec_permission_decision d;

	rules_evaluate(mem, rs, &how, acts->items, acts->count, &d);
	assert(d.decision && d.decision_source && d.decision_reason.len);
	if (is_opaque(acts))
		assert(d.decision == APPROVAL_DECISION_ASK || d.decision == APPROVAL_DECISION_DENY);
	return d.decision;
}

static struct str response(struct arena *mem, struct str text)
{
	struct policy_file rules = { .text = str_from(rules_text), .from.source = RULE_USER };
	struct policy_call call = { .command = text,
		                    .place = { .cwd = STR("/ws"), .home = STR("/home/u") } };
	struct str json = STR_NONE;

	if (evaluate_command_test(mem, &rules, 1, &call, &json, NULL))
		abort();
	return json;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = str_of(data ? (const char *)data : "", size);
	struct rules rs = { .mem = mem }, none = { .mem = mem }, deny = { .mem = mem };
	struct shell_place place = { .cwd = STR("/ws"), .home = STR("/home/u") };
	struct rule_origin user = { RULE_USER, true };
	struct shell_acts acts;

	if (rules_add(&rs, str_from(rules_text), user, NULL) ||
	    rules_add(&deny, str_from(deny_text), user, NULL))
		abort();
	check_cost(&rs, text);
	parse_shell_read(mem, text, SHELL_POSIX, NULL);
	analyze_line(mem, text, &place, &acts);
	check_acts(acts.script, &acts);
	for (uint32_t mode = 1; mode < PERMISSION_MODE_COUNT; mode++) {
		decide(mem, &rs, mode, &acts);
		decide(mem, &none, mode, &acts);
		/* no mode lets an allow beat a deny */
		assert(!acts.count || decide(mem, &deny, mode, &acts) == APPROVAL_DECISION_DENY);
	}
	assert(str_eq(response(mem, text), response(mem, text)));
	return 0;
}
