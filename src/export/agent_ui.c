/*
 * Agent UI events, by the table of catalog/form_ui.h.  The fields of our event
 * come first, in their order; the fields of Agent UI follow.  No field is left
 * out: a reader sees here exactly what the log shows.
 */
#include "catalog/form_ui.h"
#include "base/jw.h"
#include "export/export.h"

/* The member at a dotted path, absent when a part of it is. */
static struct json member_at(struct json ev, struct str path)
{
	while (str_is(path))
		ev = json_get(ev, str_cut(&path, '.'));
	return ev;
}

static bool holds(struct json ev, const struct ui_when *c)
{
	struct json v = member_at(ev, c->path);

	if (!str_is(c->is))
		return json_is(v);
	if (json_type(v) == JSON_BOOL)
		return str_eq(c->is, json_bool(v, false) ? STR("true") : STR("false"));
	return str_eq(json_str(v), c->is);
}

/* Conditions apply in the order of the table, and later ones override earlier ones word by word. */
static struct ui_words words_of(struct json ev, const struct ui_row *row)
{
	struct ui_words say = row->say;

	for (size_t i = 0; i < row->when_count; i++) {
		const struct ui_when *c = &row->when[i];

		if (!holds(ev, c))
			continue;
		for (size_t k = 0; k < UI_WORD_COUNT; k++)
			if (c->say.of[k])
				say.of[k] = c->say.of[k];
	}
	return say;
}

static struct str word_of(const struct ui_words *say, enum ui_word which)
{
	return enum_word(ui_keys[which].words, say->of[which]);
}

static struct str name_there(struct str key)
{
	for (size_t i = 0; i < ui_rename_count; i++)
		if (str_eq(key, ui_renames[i].ours))
			return ui_renames[i].theirs;
	return key;
}

static void write_ours(struct json ev, struct json_writer *w)
{
	struct json_iter it = json_iter(ev);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		jw_key(w, name_there(key));
		jw_value(w, v);
	}
}

static void write_words(const struct ui_words *say, struct json_writer *w)
{
	for (size_t k = UI_WORD_TYPE + 1; k < UI_WORD_COUNT; k++)
		jw_kopt(w, ui_keys[k].key, word_of(say, (enum ui_word)k));
}

static void write_from(struct json ev, const struct ui_row *row, struct json_writer *w)
{
	for (size_t i = 0; i < row->from_count; i++) {
		const struct ui_from *f = &row->from[i];
		struct json v = member_at(ev, f->path);

		if (!json_is(v) || (json_type(v) == JSON_STR && !json_str(v).len))
			continue;
		jw_key(w, f->key);
		if (f->is_status)
			jw_str(w, ui_status_word(
					  ui_statuses[rec_enum_read(&enum_status, json_str(v))]));
		else
			jw_value(w, v);
	}
}

/* Ids that Agent UI names differently. */
static void write_ids(struct json ev, struct json_writer *w)
{
	struct str step = json_str(JSON_GET(ev, "stepId"));
	struct str agent = json_str(JSON_GET(ev, "subagentId"));
	struct str parent = json_str(member_at(ev, STR("payload.parentThreadId")));
	bool is_by_person = str_eq(json_str(member_at(ev, STR("item.kind"))),
	                           item_kind_word(ITEM_KIND_USER_MESSAGE));

	JW_KOPT(w, "partId", step);
	/*
	 * All steps of the agent in one turn are parts of one message; a person's message is one
	 * step.
	 */
	if (str_is(step))
		JW_KOPT(w, "messageId", is_by_person ? step : json_str(JSON_GET(ev, "turnId")));
	JW_KOPT(w, "agentId",
	        str_is(agent) ? agent : json_str(member_at(ev, STR("payload.subagentId"))));
	JW_KOPT(w, "parentThreadId", parent);
	if (str_is(parent))
		JW_KOPT(w, "parentSessionId", json_str(JSON_GET(ev, "sessionId")));
	JW_KOPT(w, "rawEventRef", json_str(JSON_GET(ev, "eventId")));
}

bool agent_ui_write(struct json ev, struct json_writer *w, struct str *ret_name)
{
	enum event_type type =
		(enum event_type)rec_enum_read(&enum_event_type, json_str(JSON_GET(ev, "type")));
	const struct ui_row *row = &ui_rows[type];
	struct ui_words say;

	if (!type)
		return false; /* written by a newer runtime */
	say = words_of(ev, row);
	*ret_name = word_of(&say, UI_WORD_TYPE);
	jw_obj(w);
	jw_kstr(w, ui_keys[UI_WORD_TYPE].key, *ret_name);
	write_ours(ev, w);
	write_words(&say, w);
	write_from(ev, row, w);
	write_ids(ev, w);
	jw_obj_end(w);
	return true;
}
