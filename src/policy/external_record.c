/*
 * Reads Agent Policy records of an external policy engine: checks that a record
 * is complete and valid, and derives the decision and the obligations that
 * follow from it.
 *
 * A record that is incomplete, expired or not understood allows nothing.
 */
#include "policy/external_record.h"

#include "base/os/clock.h"
#include "base/utf8.h"

#define REASONS_MAX 64

/* ---- required members ---- */

/* The forms that the schemas of Agent Policy demand of a member. */
enum need {
	NEED_END,
	NEED_TEXT,
	NEED_TIME,
	NEED_OBJECT,
	NEED_PARTY,   /* an object with a type */
	NEED_RISK,    /* a risk scope */
	NEED_STRINGS, /* a list of strings, may be empty */
	NEED_CHOICES, /* a list, not empty */
};

struct need_row {
	const char *key;
	enum need need;
};

static const struct need_row needs_of_decision[] = {
	{ "decision_id", NEED_TEXT },     { "evaluated_at", NEED_TIME },
	{ "subject", NEED_PARTY },        { "action", NEED_PARTY },
	{ "resource", NEED_PARTY },       { "context", NEED_OBJECT },
	{ "scope", NEED_RISK },           { "result", NEED_TEXT },
	{ "reason_codes", NEED_STRINGS }, { NULL, NEED_END },
};
static const struct need_row needs_of_approval[] = {
	{ "approval_id", NEED_TEXT },
	{ "decision_id", NEED_TEXT },
	{ "requested_action", NEED_PARTY },
	{ "required_approver", NEED_PARTY },
	{ "prompt", NEED_TEXT },
	{ "choices", NEED_CHOICES },
	{ "default_action", NEED_TEXT },
	{ "status", NEED_TEXT },
	{ "created_at", NEED_TIME },
	{ NULL, NEED_END },
};
static const struct need_row needs_of_grant[] = {
	{ "grant_id", NEED_TEXT },      { "granted_to", NEED_PARTY }, { "capability", NEED_PARTY },
	{ "constraints", NEED_OBJECT }, { "issued_by", NEED_PARTY },  { "issued_at", NEED_TIME },
	{ "status", NEED_TEXT },        { NULL, NEED_END },
};
static const struct need_row needs_of_waiver[] = {
	{ "waiver_id", NEED_TEXT }, { "decision_id", NEED_TEXT },   { "waived_by", NEED_PARTY },
	{ "scope", NEED_RISK },     { "justification", NEED_TEXT }, { "created_at", NEED_TIME },
	{ NULL, NEED_END },
};

/* Indexed by kind.  id: the member that identifies a record of this kind. */
static const struct {
	const char *id;
	const struct need_row *needs;
	const char *by; /* who issued it; NULL: it does not say */
} kinds[] = {
	[POLICY_RECORD_KIND_DECISION] = { "decision_id", needs_of_decision, NULL },
	[POLICY_RECORD_KIND_APPROVAL] = { "approval_id", needs_of_approval, "required_approver" },
	[POLICY_RECORD_KIND_GRANT] = { "grant_id", needs_of_grant, "issued_by" },
	[POLICY_RECORD_KIND_WAIVER] = { "waiver_id", needs_of_waiver, "waived_by" },
};

static struct json member(struct json v, const char *key)
{
	return json_get(v, str_from(key));
}

static bool has_text(struct json v, const char *key)
{
	return json_str(member(v, key)).len > 0;
}

static bool is_risk(struct json v)
{
	return rec_enum_read(&enum_risk_scope, json_str(JSON_GET(v, "scope_type"))) &&
	       rec_enum_read(&enum_risk_level, json_str(JSON_GET(v, "risk_level")));
}

static bool is_list_of(struct json v, enum json_type type)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return false;
	while (json_next(&it, &key, &each))
		if (json_type(each) != type)
			return false;
	return true;
}

static bool is_met(struct json v, enum need need)
{
	int64_t at;

	switch (need) {
	case NEED_TEXT:
		return json_str(v).len > 0;
	case NEED_TIME:
		return str_is(json_str(v)) && clock_time_read(json_str(v), &at);
	case NEED_OBJECT:
		return json_type(v) == JSON_OBJ;
	case NEED_PARTY:
		return json_type(v) == JSON_OBJ && has_text(v, "type");
	case NEED_RISK:
		return is_risk(v);
	case NEED_STRINGS:
		return is_list_of(v, JSON_STR);
	case NEED_CHOICES:
		return is_list_of(v, JSON_OBJ) && json_count(v) > 0;
	case NEED_END:
		break;
	}
	return false;
}

/* ---- reading ---- */

/*
 * The other kinds refer to a decision by decision_id, so that member alone means a decision,
 * and the order of the tests matters.
 */
static enum policy_record_kind kind_of(struct json v)
{
	if (json_is(JSON_GET(v, "waiver_id")))
		return POLICY_RECORD_KIND_WAIVER;
	if (json_is(JSON_GET(v, "grant_id")))
		return POLICY_RECORD_KIND_GRANT;
	if (json_is(JSON_GET(v, "approval_id")))
		return POLICY_RECORD_KIND_APPROVAL;
	return json_is(JSON_GET(v, "decision_id")) ? POLICY_RECORD_KIND_DECISION : 0;
}

bool external_record_is(struct json v)
{
	return json_type(v) == JSON_OBJ && json_is(JSON_GET(v, "schema_version")) && kind_of(v);
}

/*
 * One sign is enough: a broken record of a policy engine must not pass for ordinary output of a
 * hook.
 */
bool external_record_is_meant(struct json v)
{
	static const char *const signs[] = { "schema_version", "decision_id", "approval_id",
		                             "grant_id",       "waiver_id",   "policy_decision" };

	for (size_t i = 0; i < COUNT_OF(signs); i++)
		if (json_is(json_get(v, str_from(signs[i]))))
			return true;
	return rec_enum_read(&enum_policy_result, json_str(JSON_GET(v, "result"))) != 0;
}

/*
 * The status of an approval or a grant is expressed as the result of a decision, so that one
 * table (follows) gives the consequence of every record.
 */
static enum policy_result result_of_approval(struct str status)
{
	switch ((enum approval_status)rec_enum_read(&enum_approval_status, status)) {
	case APPROVAL_STATUS_APPROVED:
	case APPROVAL_STATUS_MODIFIED:
		return POLICY_RESULT_ALLOW;
	case APPROVAL_STATUS_DENIED:
	case APPROVAL_STATUS_EXPIRED:
	case APPROVAL_STATUS_CANCELLED:
		return POLICY_RESULT_DENY;
	case APPROVAL_STATUS_ESCALATED:
		return POLICY_RESULT_ESCALATE;
	case APPROVAL_STATUS_PENDING:
		return POLICY_RESULT_ASK;
	default:
		return 0;
	}
}

/* A grant that has ended says nothing about the call: it neither allows nor denies. */
static enum policy_result result_of_grant(struct str status)
{
	switch ((enum policy_grant_status)rec_enum_read(&enum_policy_grant_status, status)) {
	case POLICY_GRANT_STATUS_ACTIVE:
		return POLICY_RESULT_ALLOW;
	case POLICY_GRANT_STATUS_PENDING:
		return POLICY_RESULT_ASK;
	case POLICY_GRANT_STATUS_EXPIRED:
	case POLICY_GRANT_STATUS_REVOKED:
	case POLICY_GRANT_STATUS_SUPERSEDED:
		return POLICY_RESULT_NOT_APPLICABLE;
	default:
		return 0;
	}
}

static enum policy_result result_of(struct json v, enum policy_record_kind kind)
{
	switch (kind) {
	case POLICY_RECORD_KIND_DECISION:
		return rec_enum_read(&enum_policy_result, json_str(JSON_GET(v, "result")));
	case POLICY_RECORD_KIND_APPROVAL:
		return result_of_approval(json_str(JSON_GET(v, "status")));
	case POLICY_RECORD_KIND_GRANT:
		return result_of_grant(json_str(JSON_GET(v, "status")));
	case POLICY_RECORD_KIND_WAIVER:
		return POLICY_RESULT_WAIVE;
	default:
		return 0;
	}
}

static enum err check_needs(struct json v, const struct need_row *rows, struct error *e)
{
	if (!has_text(v, "schema_version"))
		return fail(e, ERR_INVALID, "schema_version is missing in the policy record");
	for (; rows->need; rows++)
		if (!is_met(member(v, rows->key), rows->need))
			return fail(e, ERR_INVALID, "%s of the policy record is missing or wrong",
			            rows->key);
	if (json_is(JSON_GET(v, "obligations")) &&
	    !is_list_of(JSON_GET(v, "obligations"), JSON_OBJ))
		return fail(e, ERR_INVALID,
		            "obligations of the policy record are no list of objects");
	return OK;
}

static enum err read_expiry(struct json v, int64_t *ret, struct error *e)
{
	struct json at = JSON_GET(v, "expires_at");

	if (json_is(at) && !(str_is(json_str(at)) && clock_time_read(json_str(at), ret)))
		return fail(e, ERR_INVALID, "expires_at of the policy record is no time");
	/* An expiry at the epoch must not become "never expires". */
	if (json_is(at) && !*ret)
		*ret = 1; /* 0 means none */
	return OK;
}

/*
 * Checks form and size before anything of the record is used.  Fields point into v or mem; the
 * caller stores them in an event, which is why the lengths are limited.
 */
enum err external_record_read(struct arena *mem, struct json v, struct rec_policy_record *ret,
                              struct error *e)
{
	enum policy_record_kind kind = kind_of(v);
	struct json codes = JSON_GET(v, "reason_codes"), each;
	struct json_iter it = json_iter(codes);
	struct str key;
	size_t size = 0;
	enum err code;

	*ret = (struct rec_policy_record){ .kind = kind };
	if (!kind)
		return fail(
			e, ERR_INVALID,
			"a policy record has a decision_id, approval_id, grant_id or waiver_id");
	if (json_count(codes) > REASONS_MAX)
		return fail(e, ERR_INVALID, "the policy record has more than %d reason_codes",
		            REASONS_MAX);
	code = check_needs(v, kinds[kind].needs, e);
	if (!code)
		code = read_expiry(v, &ret->expires_at, e);
	if (code)
		return code;
	ret->result = result_of(v, kind);
	if (!ret->result)
		return fail(e, ERR_INVALID, "%s of the policy record is not a word of Agent Policy",
		            kind == POLICY_RECORD_KIND_DECISION ? "result" : "status");
	ret->record_id = json_str(member(v, kinds[kind].id));
	if (kind != POLICY_RECORD_KIND_DECISION)
		ret->decision_id = json_str(JSON_GET(v, "decision_id"));
	ret->policy_set_id = json_str(JSON_GET(v, "policy_set_id"));
	ret->policy_version = json_str(JSON_GET(v, "policy_version"));
	ret->justification = json_str(JSON_GET(v, "justification"));
	ret->scope = json_text(mem, JSON_GET(v, "scope"));
	if (kinds[kind].by)
		ret->by = json_text(mem, member(v, kinds[kind].by));
	if (json_count(JSON_GET(v, "obligations")))
		ret->obligations = json_text(mem, JSON_GET(v, "obligations"));
	while (is_list_of(codes, JSON_STR) && json_next(&it, &key, &each)) {
		rec_list_str_add(mem, &ret->reason_codes, json_str(each));
		size += json_str(each).len;
	}
	size += ret->scope.len + ret->by.len + ret->obligations.len;
	if (ret->record_id.len > 256 || ret->decision_id.len > 256 ||
	    ret->policy_set_id.len > 256 || ret->policy_version.len > 256 ||
	    ret->justification.len > 2000 || size > POLICY_RECORD_INLINE)
		return fail(e, ERR_INVALID, "the policy record is too large");
	return OK;
}

void external_record_add(struct arena *mem, void *list, const struct rec_policy_record *r)
{
	struct rec_policy_record *added = rec_list_add(mem, list, &rec_policy_record_desc);

	*added = *(struct rec_policy_record *)rec_clone(mem, &rec_policy_record_desc, r);
}

/* ---- obligations ---- */

/* How an obligation can be met. */
enum duty {
	DUTY_UNKNOWN,
	DUTY_KEPT, /* met by every call */
	DUTY_SANDBOX,
	DUTY_NETWORK,
};

static struct str first_text(struct json v, const char *a, const char *b)
{
	return has_text(v, a) ? json_str(member(v, a)) : json_str(member(v, b));
}

/* Agent Policy writes workspace-write, the vocabulary workspace_write. */
static struct str underscored(struct arena *mem, struct str word)
{
	struct str out = arena_keep(mem, word);

	for (size_t i = 0; i < out.len; i++)
		if (out.ptr[i] == '-')
			((char *)out.ptr)[i] = '_';
	return out;
}

/*
 * The obligation has further members that are not understood, or contradicts itself.  Such a
 * member may restrict it further, so it counts as unknown.
 */
static bool says_more(struct json v)
{
	static const char *const known[] = { "type", "profile", "mode", "id", "description" };
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each)) {
		bool is_known = false;

		for (size_t i = 0; i < COUNT_OF(known); i++)
			is_known |= str_eq(key, str_from(known[i]));
		if (!is_known)
			return true;
	}
	return json_is(JSON_GET(v, "profile")) && json_is(JSON_GET(v, "mode"));
}

/*
 * How far an obligation is met here: by a sandbox or a network that is no wider.  The widest
 * mode obliges to nothing, so every call meets it.
 */
static enum duty duty_of(struct arena *mem, struct json v, enum sandbox_mode *ret_sandbox,
                         enum network_mode *ret_network)
{
	struct str type = json_str(JSON_GET(v, "type")), word;

	if (says_more(v))
		return DUTY_UNKNOWN;
	if (str_eq(type, STR("audit")) || str_eq(type, STR("trace")) ||
	    str_eq(type, STR("keep_audit_shape")))
		return DUTY_KEPT;
	if (str_eq(type, STR("sandbox"))) {
		word = first_text(v, "profile", "mode");
		*ret_sandbox = str_is(word)
		                       ? rec_enum_read(&enum_sandbox_mode, underscored(mem, word))
		                       : 0;
		return *ret_sandbox == SANDBOX_MODE_READ_ONLY ||
		                       *ret_sandbox == SANDBOX_MODE_WORKSPACE_WRITE
		               ? DUTY_SANDBOX
		       : *ret_sandbox == SANDBOX_MODE_DANGER_FULL_ACCESS ? DUTY_KEPT
		                                                         : DUTY_UNKNOWN;
	}
	if (str_eq(type, STR("network"))) {
		word = first_text(v, "mode", "profile");
		*ret_network = str_is(word) ? rec_enum_read(&enum_network_mode, word) : 0;
		return *ret_network == NETWORK_MODE_FULL ? DUTY_KEPT
		       : *ret_network                    ? DUTY_NETWORK
		                                         : DUTY_UNKNOWN;
	}
	return DUTY_UNKNOWN;
}

static struct json_iter obligations_of(struct arena *mem, const struct rec_policy_record *r)
{
	struct json list = { 0 };

	if (str_is(r->obligations) && json_read_trusted(mem, r->obligations, &list, NULL) != OK)
		list = (struct json){ 0 };
	return json_iter(list);
}

struct str external_record_unkept(struct arena *mem, const struct rec_policy_record *r)
{
	struct json_iter it = obligations_of(mem, r);
	enum sandbox_mode sandbox;
	enum network_mode network;
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (duty_of(mem, each, &sandbox, &network) == DUTY_UNKNOWN)
			return json_text(mem, each);
	return STR_NONE;
}

/* The enums are ordered from narrow to wide, so the smaller value is the narrower one. */
bool external_record_narrow(struct arena *mem, struct rec_policy_record *const *items,
                            uint32_t count, struct rec_sandbox_override *into)
{
	enum sandbox_mode sandbox;
	enum network_mode network;
	struct json each;
	struct str key;

	for (uint32_t i = 0; i < count; i++) {
		struct json_iter it = obligations_of(mem, items[i]);

		while (json_next(&it, &key, &each)) {
			enum duty duty = duty_of(mem, each, &sandbox, &network);

			if (duty == DUTY_SANDBOX && (!into->at_most || sandbox < into->at_most))
				into->at_most = sandbox;
			if (duty == DUTY_NETWORK &&
			    (!into->network_at_most || network < into->network_at_most))
				into->network_at_most = network;
		}
	}
	return into->at_most || into->network_at_most;
}

/* ---- consequences ---- */

/* spec: GAP-20 — one table from their words to ours. */
static const enum approval_decision follows[] = {
	[POLICY_RESULT_ALLOW] = APPROVAL_DECISION_ALLOW,
	[POLICY_RESULT_DENY] = APPROVAL_DECISION_DENY,
	[POLICY_RESULT_ASK] = APPROVAL_DECISION_ASK,
	[POLICY_RESULT_DEFER] = APPROVAL_DECISION_ASK,
	[POLICY_RESULT_ESCALATE] = APPROVAL_DECISION_ASK,
	[POLICY_RESULT_WAIVE] = APPROVAL_DECISION_ALLOW,
	[POLICY_RESULT_NOT_APPLICABLE] = 0,
	[POLICY_RESULT_INDETERMINATE] = APPROVAL_DECISION_DENY,
};

static struct str joined(struct arena *mem, const struct list_str *words)
{
	struct str all = STR("");

	for (uint32_t i = 0; i < words->count; i++)
		all = arena_printf(mem, "%.*s%s%.*s", STR_ARG(all), i ? ", " : "",
		                   STR_ARG(words->items[i]));
	return all;
}

enum approval_decision external_record_says(struct arena *mem, const struct rec_policy_record *r,
                                            int64_t now, struct str *ret_why)
{
	enum approval_decision says = follows[r->result];
	struct str codes = joined(mem, &r->reason_codes), unkept = STR_NONE;

	/*
	 * Only an allow expires: a denial that is out of date is still the last word of the engine.
	 */
	if (r->expires_at && r->expires_at <= now && says == APPROVAL_DECISION_ALLOW) {
		*ret_why = arena_printf(mem, "the policy's %.*s %.*s is over",
		                        STR_ARG(policy_record_kind_word(r->kind)),
		                        STR_ARG(r->record_id));
		return APPROVAL_DECISION_DENY;
	}
	if (says == APPROVAL_DECISION_ALLOW)
		unkept = external_record_unkept(mem, r);
	if (str_is(unkept)) {
		*ret_why = arena_printf(
			mem, "the policy's %.*s %.*s obliges to what nothing here can keep: %.*s",
			STR_ARG(policy_record_kind_word(r->kind)), STR_ARG(r->record_id),
			STR_ARG(utf8_head(unkept, 300)));
		return APPROVAL_DECISION_ASK;
	}
	*ret_why = arena_printf(mem, "the policy's %.*s %.*s says %.*s%s%.*s",
	                        STR_ARG(policy_record_kind_word(r->kind)), STR_ARG(r->record_id),
	                        STR_ARG(policy_result_word(r->result)), codes.len ? ": " : "",
	                        STR_ARG(utf8_head(codes, 500)));
	return says;
}
