/* Checks lines from which text was removed, and what pack.json says about them. */
#include "evidence/pack_redaction.h"

#define MARK STR("[redacted]")
#define WORD_MAX 256

/* ---- lines ---- */

/* The marks are words too: they have no space. */
static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
			return false;
	return s.len <= WORD_MAX;
}

static bool is_marked(struct str s)
{
	return str_find(s, MARK) >= 0;
}

/* How deep an event may be was checked when it was read. */
static bool every_text(struct json v, bool (*is_so)(struct str))
{
	struct json_iter it = json_iter(v);
	struct json member;
	struct str key;

	if (json_type(v) == JSON_STR)
		return is_so(json_str(v));
	while (json_next(&it, &key, &member))
		if (!every_text(member, is_so))
			return false;
	return true;
}

static bool is_unmarked(struct str s)
{
	return !is_marked(s);
}

const char *pack_redaction_fault(struct json event, enum chain_state state, struct str redaction)
{
	bool is_by_rule = str_eq(redaction, STR("rules"));

	if (state != CHAIN_STATE_REDACTED && state != CHAIN_STATE_ERASED)
		return NULL;
	if (every_text(event, is_word))
		return NULL;
	if (state == CHAIN_STATE_ERASED)
		return "the event is called erased, and it has a text";
	if (state == CHAIN_STATE_REDACTED && !is_by_rule)
		return "the event is called redacted, and it has a text";
	if (every_text(event, is_unmarked))
		return "the event is called redacted, and nothing was removed from it";
	return NULL;
}

bool pack_redaction_shows(enum chain_state state, struct str redaction)
{
	return state == CHAIN_STATE_PRESENT || !str_eq(redaction, STR("all"));
}

/* ---- counts ---- */

static int64_t told(struct json pack, struct str id, struct str *ret_reason)
{
	struct json_iter it = json_iter(JSON_GET(pack, "redactions"));
	struct json entry;
	struct str key;

	*ret_reason = STR_NONE;
	while (json_next(&it, &key, &entry))
		if (str_eq(json_str(JSON_GET(entry, "redaction_id")), id)) {
			*ret_reason = json_str(JSON_GET(entry, "reason"));
			return json_int(JSON_GET(entry, "events"), -1);
		}
	return 0;
}

void pack_redaction_count(struct pack_findings *f, struct json pack, const int64_t *states)
{
	struct str reason, redaction = json_str(JSON_GET(pack, "redaction"));
	int64_t redacted = told(pack, STR("events"), &reason);
	bool is_right = !redacted || str_eq(reason, redaction);

	if (json_type(JSON_GET(pack, "redactions")) != JSON_ARR || !is_right ||
	    redacted != states[CHAIN_STATE_REDACTED] ||
	    told(pack, STR("erased"), &reason) != states[CHAIN_STATE_ERASED])
		pack_findings_add(f, STR("pack.json"), -1, -1,
		                  "its redactions are not those of the chain");
}
