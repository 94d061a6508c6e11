/* Which events of a pack belong to its scope; pack_scope.h has the rules. */
#include "evidence/pack_scope.h"

#include "catalog/gen/vocab.h"

void pack_scope_init(struct pack_scope *s, struct arena *mem, struct json scope)
{
	*s = (struct pack_scope){ .mem = mem,
		                  .thread = json_str(JSON_GET(scope, "thread_id")),
		                  .turn = json_str(JSON_GET(scope, "turn_id")),
		                  .task = json_str(JSON_GET(scope, "task_id")),
		                  .job = json_str(JSON_GET(scope, "job_id")),
		                  .has_exports = json_bool(JSON_GET(scope, "has_exports"), false) };
	if (str_is(s->turn))
		evidence_scope_ids_add(mem, &s->turns, s->turn);
}

static bool is_or_any(struct str wanted, struct json event, const char *member)
{
	return !str_is(wanted) || str_eq(wanted, json_str(json_get(event, str_from(member))));
}

/* Events about exports would change the next pack: only one with decisions has them. */
static bool is_export(struct json event, struct str type)
{
	if (str_eq(type, STR("evidence.changed")))
		return str_eq(json_str(JSON_GET(JSON_GET(event, "payload"), "change")),
		              evidence_change_word(EVIDENCE_CHANGE_EXPORTED));
	return (str_eq(type, STR("output.spilled")) || str_eq(type, STR("output.expired"))) &&
	       str_starts(json_str(JSON_GET(event, "outputRef")), STR(CATALOG_EXPORT_PREFIX));
}

static bool is_whole(const struct pack_scope *s)
{
	return !str_is(s->thread) && !str_is(s->turn) && !str_is(s->task) && !str_is(s->job);
}

static bool names_all(const struct pack_scope *s, struct json event)
{
	return is_or_any(s->thread, event, "threadId") && is_or_any(s->turn, event, "turnId") &&
	       is_or_any(s->task, event, "taskId") && is_or_any(s->job, event, "jobId");
}

static void learn(struct pack_scope *s, struct json event)
{
	if (!names_all(s, event))
		return;
	evidence_scope_ids_add(s->mem, &s->turns, json_str(JSON_GET(event, "turnId")));
	evidence_scope_ids_add(s->mem, &s->threads, json_str(JSON_GET(event, "threadId")));
}

/* In one of its turns, or by its own id. */
static bool is_named(struct pack_scope *s, struct json event)
{
	struct str turn = json_str(JSON_GET(event, "turnId"));

	if (!is_or_any(s->thread, event, "threadId"))
		return false;
	if (evidence_scope_ids_have(&s->turns, turn) || names_all(s, event))
		return true;
	if (str_is(s->turn) || !str_is(turn))
		return false;
	evidence_scope_ids_add(s->mem, &s->waiting, turn);
	return true;
}

bool pack_scope_has(struct pack_scope *s, struct json event)
{
	struct str type = json_str(JSON_GET(event, "type"));

	if (is_export(event, type))
		return s->has_exports;
	if (is_whole(s) || str_eq(type, STR("session.created")))
		return true;
	if (str_eq(type, STR("thread.started")) && !names_all(s, event)) {
		evidence_scope_ids_add(s->mem, &s->begun, json_str(JSON_GET(event, "threadId")));
		return true;
	}
	if (str_eq(type, STR("turn.submitted")))
		learn(s, event);
	return is_named(s, event);
}

static bool has_all(const struct evidence_ids *ids, const struct evidence_ids *wanted)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (!evidence_scope_ids_have(ids, wanted->items[i]))
			return false;
	return true;
}

bool pack_scope_end(const struct pack_scope *s)
{
	return has_all(&s->turns, &s->waiting) && has_all(&s->threads, &s->begun);
}
