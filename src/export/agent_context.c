/*
 * Events of Agent Context 0.1.1: what a model gets to see, and what replaced
 * older turns.
 *
 *	context.resolved                   context.assembled
 *	context.compaction.completed       context.compacted
 *
 * The records of one event share its id; each adds its own word.
 * spec: agent-runtime-checklist#ECO-04
 */
#include "export/export.h"

#include "base/jw.h"
#include "export/form.h"

#define CONTEXT_SCHEMA STR("0.1.1")

/* Lists of context.resolved that name what the model gets. */
static const char *const selected[] = { "instructionRefs", "memoryRefs",  "knowledgeRefs",
	                                "workspaceRefs",   "browserRefs", "hookContextRefs",
	                                "toolRefs" };

static void record_begin(struct form *f, enum agent_context_class type, struct str *ret_name)
{
	*ret_name = agent_context_class_word(type);
	form_begin_record(f, CONTEXT_SCHEMA, *ret_name);
}

static void record_end(struct form *f)
{
	jw_obj_end(f->w);
	form_put_trace(f, "telemetry_refs");
	jw_obj_end(f->w);
}

static void put_id(struct form *f, const char *key, const char *word)
{
	struct buf id = { 0 };

	buf_add_str(&id, form_text(f->ev, "eventId"));
	buf_printf(&id, ".%s", word);
	JW_KSTR(f->w, "schema_version", CONTEXT_SCHEMA);
	jw_kstr(f->w, str_from(key), buf_str(&id));
	buf_done(&id);
}

static void data_obj(struct form *f, const char *key, const char *id_key)
{
	form_obj(f, key);
	put_id(f, id_key, key);
}

/* ---- what a model gets ---- */

static void put_selected(struct form *f, const char *key)
{
	form_arr(f, key);
	for (size_t i = 0; i < COUNT_OF(selected); i++)
		form_put_each(f, selected[i]);
	jw_arr_end(f->w);
}

/* The envelope names the other records of the event by their ids. */
static void put_envelope(struct form *f)
{
	form_obj(f, "context_envelope");
	JW_KSTR(f->w, "schema_version", CONTEXT_SCHEMA);
	JW_KSTR(f->w, "context_id", form_text(f->ev, "eventId"));
	JW_KSTR(f->w, "scope", STR("turn"));
	JW_KSTR(f->w, "lifecycle", STR("assembled"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_put_text(f, "producer", form_text(f->ev, "runtimeId"));
	form_arr(f, "runtime_refs");
	jw_str(f->w, form_text(f->ev, "turnId"));
	jw_arr_end(f->w);
	put_selected(f, "item_refs");
	form_put_value(f, "policy_refs", JSON_GET(f->payload, "policyFacts"));
	jw_obj_end(f->w);
}

static void put_selection(struct form *f)
{
	data_obj(f, "selection", "selection_id");
	JW_KSTR(f->w, "surface_id", form_text(f->ev, "threadId"));
	put_selected(f, "selected_item_refs");
	form_put_value(f, "omitted_item_refs", JSON_GET(f->payload, "omissions"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_obj(f, "metadata");
	form_put_value(f, "history", JSON_GET(f->payload, "history"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
}

static void put_budget(struct form *f)
{
	struct json budget = JSON_GET(f->payload, "budget");

	data_obj(f, "budget", "budget_id");
	JW_KSTR(f->w, "target", STR("model"));
	form_put_value(f, "max_tokens", JSON_GET(budget, "windowTokens"));
	form_put_value(f, "actual_tokens", JSON_GET(budget, "estimatedTokens"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_obj(f, "metadata");
	form_put_text(f, "estimate", form_text(budget, "estimate"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
}

static void put_item(struct form *f, struct json source)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", CONTEXT_SCHEMA);
	JW_KSTR(f->w, "item_id", form_text(source, "ref"));
	JW_KSTR(f->w, "context_kind", form_text(source, "kind"));
	JW_KSTR(f->w, "content_mode", STR("ref"));
	JW_KSTR(f->w, "content_ref", form_text(source, "outputRef"));
	form_put_value(f, "byte_size", JSON_GET(source, "bytes"));
	form_arr(f, "visibility");
	jw_str(f->w, STR("model"));
	jw_arr_end(f->w);
	form_obj(f, "metadata");
	form_put_text(f, "sha256", form_text(source, "sha256"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
}

static void put_block(struct form *f, struct json source)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "item_ref", form_text(source, "ref"));
	JW_KSTR(f->w, "content_ref", form_text(source, "outputRef"));
	jw_obj_end(f->w);
}

/*
 * What was searched and not found.  The runtime knows neither a question nor how severe it is:
 * the ref is the question.
 */
static void put_missing(struct form *f, struct json missing)
{
	jw_obj(f->w);
	JW_KSTR(f->w, "schema_version", CONTEXT_SCHEMA);
	JW_KSTR(f->w, "missing_id", form_text(missing, "ref"));
	JW_KSTR(f->w, "scope", STR("turn"));
	JW_KSTR(f->w, "question", form_text(missing, "ref"));
	JW_KSTR(f->w, "severity", STR("unknown"));
	JW_KSTR(f->w, "status", STR("open"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_obj(f, "metadata");
	form_put_text(f, "reason", form_text(missing, "reason"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
}

static void put_list(struct form *f, const char *key, const char *from,
                     void put(struct form *f, struct json each))
{
	struct json_iter it = json_iter(json_get(f->payload, str_from(from)));
	struct json each;
	struct str name;

	form_arr(f, key);
	while (json_next(&it, &name, &each))
		put(f, each);
	jw_arr_end(f->w);
}

static void put_assembly(struct form *f)
{
	data_obj(f, "assembly", "assembly_id");
	JW_KSTR(f->w, "target", STR("model"));
	put_list(f, "ordered_blocks", "sources", put_block);
	put_selected(f, "source_item_refs");
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	jw_obj_end(f->w);
}

static void write_assembled(struct form *f, struct str *ret_name)
{
	record_begin(f, AGENT_CONTEXT_CLASS_CONTEXT_ASSEMBLED, ret_name);
	JW_KSTR(f->w, "context_id", form_text(f->ev, "eventId"));
	form_obj(f, "data");
	put_envelope(f);
	put_selection(f);
	put_budget(f);
	put_assembly(f);
	put_list(f, "context_items", "sources", put_item);
	put_list(f, "missing_context", "missing", put_missing);
	record_end(f);
}

/* ---- what replaced older turns ---- */

static void put_coverage(struct form *f)
{
	struct json tokens = JSON_GET(f->payload, "tokens");

	form_obj(f, "coverage");
	form_put_value(f, "turns", JSON_GET(f->payload, "turns"));
	form_put_value(f, "through_sequence", JSON_GET(f->payload, "throughSequence"));
	form_put_value(f, "tokens_before", JSON_GET(tokens, "before"));
	form_put_value(f, "tokens_after", JSON_GET(tokens, "after"));
	jw_obj_end(f->w);
}

static void write_compacted(struct form *f, struct str *ret_name)
{
	record_begin(f, AGENT_CONTEXT_CLASS_CONTEXT_COMPACTED, ret_name);
	form_obj(f, "data");
	data_obj(f, "compaction", "compaction_id");
	JW_KSTR(f->w, "scope", STR("session"));
	form_put_value(f, "source_item_refs", JSON_GET(f->payload, "affectedTurns"));
	form_put_text(f, "summary_ref", form_text(f->payload, "summaryRef"));
	JW_KSTR(f->w, "method", STR("summary"));
	form_put_text(f, "trigger", form_text(f->payload, "trigger"));
	put_coverage(f);
	JW_KSTR(f->w, "replacement_policy", STR("summary_replaces_turns"));
	JW_KSTR(f->w, "created_at", form_text(f->ev, "timestamp"));
	form_obj(f, "metadata");
	form_put_value(f, "preserved", JSON_GET(f->payload, "preserved"));
	jw_obj_end(f->w);
	jw_obj_end(f->w);
	record_end(f);
}

bool agent_context_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	struct form f = { .ev = ev, .payload = JSON_GET(ev, "payload"), .w = w };

	switch ((enum event_type)rec_enum_read(&enum_event_type, form_text(ev, "type"))) {
	case EV_CONTEXT_RESOLVED:
		write_assembled(&f, ret_name);
		return true;
	case EV_CONTEXT_COMPACTION_COMPLETED:
		write_compacted(&f, ret_name);
		return true;
	default:
		return false;
	}
}
