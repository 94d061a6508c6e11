/*
 * The whole decision about a command line, and the text of `thole policy test`.
 *
 * Both use the same function, so that a test shows exactly what a call would get.
 */
#include "policy/shell/analyze.h"

#include "base/json.h"
#include "base/jw.h"

/* One budget covers parsing and rules: parsing may use half of it (policy/analysis.h). */
static void decide_command(struct arena *mem, const struct rules *rs,
                           const struct policy_call *call, struct shell_acts *acts,
                           struct rec_permission_decision *ret)
{
	struct judgement how = call->how;
	struct shell_place place = call->place;
	struct analysis budget = analysis_of(mem);

	how.home = call->place.home;
	/* Relative paths in rules belong to the first root of the workspace. */
	how.root = call->place.root_count ? call->place.roots[0] : call->place.cwd;
	if (!how.mode)
		how.mode = PERMISSION_MODE_DEFAULT;
	how.budget = place.budget = &budget;
	analyze_line(mem, call->command, &place, acts);
	rules_evaluate(mem, rs, &how, acts->items, acts->count, ret);
	if (call->has_network && ret->decision != APPROVAL_DECISION_DENY)
		ret->network_decision = call->network;
}

void evaluate_command(struct arena *mem, const struct rules *rs, const struct policy_call *call,
                      struct rec_permission_decision *ret)
{
	struct shell_acts acts;

	decide_command(mem, rs, call, &acts, ret);
}

/* ---- JSON ---- */

struct flag_word {
	unsigned flag;
	struct str word;
};

static void write_flags(struct json_writer *w, struct str key, unsigned flags,
                        const struct flag_word *words, size_t count)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < count; i++)
		if (flags & words[i].flag)
			jw_str(w, words[i].word);
	jw_arr_end(w);
}

static void write_path(struct json_writer *w, const struct act_path *p)
{
	static const struct flag_word uses[] = {
		{ ACT_READS, { "read", 4 } },
		{ ACT_LISTS, { "list", 4 } },
		{ ACT_WRITES, { "write", 5 } },
		{ ACT_DELETES, { "delete", 6 } },
	};
	static const struct flag_word kinds[] = {
		{ ACT_PATH_UNKNOWN, { "unknown", 7 } },
		{ ACT_PATH_PATTERN, { "pattern", 7 } },
		{ ACT_PATH_DEEP, { "deep", 4 } },
		{ ACT_PATH_GUESS, { "guess", 5 } },
		{ ACT_PATH_REDIRECTED, { "redirected", 10 } },
		{ ACT_PATH_INSIDE, { "inside", 6 } },
		{ ACT_PATH_SECRET, { "secret", 6 } },
		{ ACT_PATH_PROTECTED, { "protected", 9 } },
		{ ACT_PATH_HARMLESS, { "harmless", 8 } },
		{ ACT_PATH_PERSONAL, { "personal", 8 } },
		{ ACT_PATH_SHARED, { "shared", 6 } },
	};

	jw_obj(w);
	JW_KSTR(w, "given", p->given);
	JW_KSTR(w, "resolved", p->real);
	write_flags(w, STR("use"), p->use, uses, COUNT_OF(uses));
	write_flags(w, STR("is"), p->flags, kinds, COUNT_OF(kinds));
	jw_obj_end(w);
}

static void write_act(struct json_writer *w, const struct act *a)
{
	static const struct flag_word kinds[] = {
		{ ACT_READ_ONLY, { "readOnly", 8 } },       { ACT_NEUTRAL, { "wrapper", 7 } },
		{ ACT_DESTRUCTIVE, { "destructive", 11 } }, { ACT_NETWORK, { "network", 7 } },
		{ ACT_ELEVATES, { "elevates", 8 } },        { ACT_SYSTEM, { "system", 6 } },
		{ ACT_OPAQUE, { "notUnderstood", 13 } },    { ACT_RUNS_CODE, { "runsCode", 8 } },
	};
	static const struct flag_word contexts[] = {
		{ SHELL_IN_BACKGROUND, { "background", 10 } },
		{ SHELL_IN_SUBSTITUTION, { "substitution", 12 } },
		{ SHELL_IN_LOOP, { "loop", 4 } },
		{ SHELL_IN_FUNCTION, { "function", 8 } },
		{ SHELL_IN_PIPE, { "pipe", 4 } },
		{ SHELL_IN_SUBSHELL, { "subshell", 8 } },
		{ SHELL_IN_TRAP, { "trap", 4 } },
		{ SHELL_IN_LITERAL, { "literal", 7 } },
		{ SHELL_HAS_INPUT, { "input", 5 } },
	};

	jw_obj(w);
	JW_KEY(w, "words");
	jw_arr(w);
	for (uint32_t i = 0; i < a->word_count; i++) {
		unsigned f = a->words[i].flags;

		jw_obj(w);
		JW_KSTR(w, "text", a->words[i].text);
		JW_KSTR(w, "kind",
		        f & ACT_WORD_MANY    ? STR("many")
		        : f & ACT_WORD_KNOWN ? STR("known")
		                             : STR("one"));
		jw_obj_end(w);
	}
	jw_arr_end(w);
	write_flags(w, STR("is"), a->flags, kinds, COUNT_OF(kinds));
	write_flags(w, STR("in"), a->context, contexts, COUNT_OF(contexts));
	JW_KOPT(w, "effect", a->effect);
	JW_KOPT(w, "why", a->why);
	JW_KEY(w, "paths");
	jw_arr(w);
	for (uint32_t i = 0; i < a->path_count; i++)
		write_path(w, &a->paths[i]);
	jw_arr_end(w);
	JW_KEY(w, "hosts");
	jw_arr(w);
	for (uint32_t i = 0; i < a->hosts.count; i++)
		jw_str(w, a->hosts.items[i]);
	jw_arr_end(w);
	jw_obj_end(w);
}

static bool changes_nothing(const struct shell_acts *acts)
{
	for (uint32_t i = 0; i < acts->count; i++) {
		const struct act *a = acts->items[i];

		if (!(a->flags & (ACT_READ_ONLY | ACT_NEUTRAL)))
			return false;
		for (uint32_t k = 0; k < a->path_count; k++)
			if (a->paths[k].use & (ACT_WRITES | ACT_DELETES) &&
			    !(a->paths[k].flags & ACT_PATH_HARMLESS))
				return false;
	}
	return true;
}

/*
 * The decision is written by its record, so that its fields are those of permission.evaluated;
 * the analysis follows in the same object.
 */
static void write_answer(struct json_writer *w, struct arena *mem, const struct policy_call *call,
                         const struct shell_acts *acts, const struct rec_permission_decision *d)
{
	const struct shell_script *s = acts->script;
	struct json record, v;
	struct json_iter it;
	struct str key;

	jw_obj(w);
	if (json_read_trusted(mem, rec_text(mem, &rec_permission_decision_desc, d), &record,
	                      NULL) == OK) {
		it = json_iter(record);
		while (json_next(&it, &key, &v)) {
			jw_key(w, key);
			jw_value(w, v);
		}
	}
	JW_KSTR(w, "command", call->command);
	JW_KSTR(w, "cwd", call->place.cwd);
	JW_KBOOL(w, "understood", !str_is(s->trouble));
	JW_KOPT(w, "trouble", s->trouble);
	if (str_is(s->trouble))
		JW_KINT(w, "troubleAt", (int64_t)s->trouble_at);
	JW_KOPT(w, "odd", expand_shell_oddity_text(s->oddities));
	JW_KBOOL(w, "readOnly", !str_is(s->trouble) && changes_nothing(acts));
	JW_KEY(w, "acts");
	jw_arr(w);
	for (uint32_t i = 0; i < acts->count; i++)
		write_act(w, acts->items[i]);
	jw_arr_end(w);
	jw_obj_end(w);
}

enum err evaluate_command_test(struct arena *mem, const struct policy_file *files,
                               size_t file_count, const struct policy_call *call,
                               struct str *ret_json, struct error *e)
{
	struct rules rs = { .mem = mem };
	struct rec_permission_decision d;
	struct shell_acts acts;
	struct buf out = { 0 };
	struct json_writer w;

	/*
	 * All files are read before anything is evaluated: a decision by half of the rules would
	 * mislead.
	 */
	for (size_t i = 0; i < file_count; i++) {
		struct error why = { 0 };
		enum err err = files[i].is_settings
		                       ? rules_add_settings(&rs, files[i].text, &why)
		                       : rules_add(&rs, files[i].text, files[i].from, &why);

		if (err)
			return fail(e, err, "%.*s: %s", STR_ARG(files[i].name), why.message);
	}
	if (!str_starts(call->place.cwd, STR("/")))
		return fail(e, ERR_INVALID, "the directory %.*s is not absolute",
		            STR_ARG(call->place.cwd));
	decide_command(mem, &rs, call, &acts, &d);
	jw_init(&w, &out);
	write_answer(&w, mem, call, &acts, &d);
	*ret_json = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return OK;
}
