/*
 * Rules of ATIF-v1.7 between fields, which a schema does not express:
 *
 *	step_ids       1, 2, 3, ... without gaps, at least one
 *	timestamp      ISO 8601
 *	agent_only     model, effort, reasoning, calls and metrics belong to the agent
 *	dispatch       a step without a model request has no metrics and no reasoning
 *	call_id        a result names a call of its own step
 *	content_part   a text part has text, an image part its source
 *	reference      a reference has an id or a path; an id without a path resolves here
 *	embedded_id    embedded trajectories have an id, each another
 *	total_steps    equals the number of steps, or the notes say why not
 */
#include "app/cli/conform/conform.h"

#include "base/map.h"

static struct json member(struct json v, const char *key)
{
	struct json found = json_get(v, str_from(key));

	return json_type(found) == JSON_NULL ? (struct json){ 0 } : found;
}

/* ---- one step ---- */

static void check_agent_only(struct findings *f, struct json step)
{
	static const char *const fields[] = { "model_name", "reasoning_effort", "reasoning_content",
		                              "tool_calls", "metrics" };
	bool is_agent = str_eq(json_str(member(step, "source")), STR("agent"));

	for (size_t i = 0; i < COUNT_OF(fields) && !is_agent; i++)
		if (json_is(member(step, fields[i])))
			conform_find(f, "agent_only", "only a step of the agent has \"%s\"",
			             fields[i]);
	if (!is_agent || json_int(member(step, "llm_call_count"), -1) != 0)
		return;
	if (json_is(member(step, "metrics")) || json_is(member(step, "reasoning_content")))
		conform_find(f, "dispatch",
		             "llm_call_count is 0, but there are metrics or "
		             "reasoning");
}

static void check_parts(struct findings *f, const char *name, struct json content)
{
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;
	size_t at = 0;

	while (json_type(content) == JSON_ARR && json_next(&it, &key, &part)) {
		size_t len = conform_enter(f, ".%s[%zu]", name, at++);
		bool is_image = str_eq(json_str(member(part, "type")), STR("image"));
		bool has_text = json_is(member(part, "text"));
		bool has_source = json_is(member(part, "source"));

		if (is_image ? !has_source || has_text : !has_text || has_source)
			conform_find(f, "content_part", "a part of type %s has %s and nothing else",
			             is_image ? "image" : "text", is_image ? "its source" : "text");
		conform_leave(f, len);
	}
}

/* The ids of a list, so that a long one is not searched again for each reference to it. */
static void collect_ids(struct map *ids, struct json list, const char *key_of_id)
{
	struct json_iter it = json_iter(list);
	struct json each;
	struct str key;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &each)) {
		struct str id = json_str(member(each, key_of_id));

		if (str_is(id))
			map_put(ids, id, ids);
	}
}

static void check_refs(struct findings *f, const struct map *embedded, struct json refs)
{
	struct json_iter it = json_iter(refs);
	struct json ref;
	struct str key;

	while (json_type(refs) == JSON_ARR && json_next(&it, &key, &ref)) {
		struct str id = json_str(member(ref, "trajectory_id"));

		if (json_is(member(ref, "trajectory_path")))
			continue;
		if (!str_is(id))
			conform_find(f, "reference",
			             "a reference needs trajectory_id or "
			             "trajectory_path");
		else if (!map_get(embedded, id))
			conform_find(f, "reference", "no embedded trajectory has the id \"%.*s\"",
			             (int)MIN(id.len, 64), id.ptr);
	}
}

static void check_results(struct findings *f, const struct map *embedded, struct json step)
{
	CLEANUP(map_done) struct map calls = { 0 };
	struct json list = member(member(step, "observation"), "results"), result;
	struct json_iter it = json_iter(list);
	struct str key;
	size_t at = 0;

	collect_ids(&calls, member(step, "tool_calls"), "tool_call_id");
	while (json_type(list) == JSON_ARR && json_next(&it, &key, &result)) {
		size_t len = conform_enter(f, ".observation.results[%zu]", at++);
		struct str id = json_str(member(result, "source_call_id"));

		if (str_is(id) && !map_get(&calls, id))
			conform_find(f, "call_id", "no call of this step has the id \"%.*s\"",
			             (int)MIN(id.len, 64), id.ptr);
		check_parts(f, "content", member(result, "content"));
		check_refs(f, embedded, member(result, "subagent_trajectory_ref"));
		conform_leave(f, len);
	}
}

static void check_step(struct findings *f, const struct map *embedded, struct json step,
                       int64_t number)
{
	struct json id = member(step, "step_id"), at = member(step, "timestamp");

	if (json_int(id, 0) != number)
		conform_find(f, "step_ids", "expected step_id %lld, found %lld", (long long)number,
		             (long long)json_int(id, 0));
	if (json_is(at) && !atif_time_is(json_str(at)))
		conform_find(f, "timestamp", "\"%.*s\" is no ISO 8601 time",
		             (int)MIN(json_str(at).len, 64), json_str(at).ptr);
	check_agent_only(f, step);
	check_parts(f, "message", member(step, "message"));
	check_results(f, embedded, step);
}

/* ---- a document ---- */

static int64_t check_steps(struct findings *f, struct json doc)
{
	CLEANUP(map_done) struct map embedded = { 0 };
	struct json list = member(doc, "steps"), step;
	struct json_iter it = json_iter(list);
	struct str key;
	int64_t count = 0;

	collect_ids(&embedded, member(doc, "subagent_trajectories"), "trajectory_id");
	while (json_type(list) == JSON_ARR && json_next(&it, &key, &step)) {
		size_t len = conform_enter(f, "%ssteps[%lld]", f->place_len ? "." : "",
		                           (long long)count);

		check_step(f, &embedded, step, ++count);
		conform_leave(f, len);
	}
	if (!count)
		conform_find(f, "step_ids", "a trajectory has at least one step");
	return count;
}

static void check_embedded(struct findings *f, struct json doc)
{
	CLEANUP(map_done) struct map seen = { 0 };
	struct json list = member(doc, "subagent_trajectories"), child;
	struct json_iter it = json_iter(list);
	struct str key;
	size_t at = 0;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &child)) {
		struct str id = json_str(member(child, "trajectory_id"));
		size_t len = conform_enter(f, "%ssubagent_trajectories[%zu]",
		                           f->place_len ? "." : "", at);

		if (str_is(id) && map_put(&seen, id, &seen))
			conform_find(f, "embedded_id", "\"%.*s\" is the id of another one too",
			             (int)MIN(id.len, 64), id.ptr);
		atif_rules_check(f, child, true);
		conform_leave(f, len);
		at++;
	}
}

void atif_rules_check(struct findings *f, struct json doc, bool is_embedded)
{
	struct json total = member(member(doc, "final_metrics"), "total_steps");
	int64_t count = check_steps(f, doc);

	if (is_embedded && !str_is(json_str(member(doc, "trajectory_id"))))
		conform_find(f, "embedded_id", "an embedded trajectory needs trajectory_id");
	if (json_is(total) && json_int(total, -1) != count && !json_is(member(doc, "notes")))
		conform_find(f, "total_steps",
		             "total_steps is %lld, there are %lld steps, and no "
		             "notes say why",
		             (long long)json_int(total, -1), (long long)count);
	check_embedded(f, doc);
}
