/*
 * Decides whether a rule of the script matches a request: its text, its turn,
 * its model and the results of tools.  PCRE2 runs with small limits, because a
 * script may hold any pattern.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "provider/scripted/scripted_parts.h"

#include <pcre2.h>

/* Generous for a rule that looks at one message, and a few milliseconds at worst. */
#define STEPS_MAX 100000
#define DEPTH_MAX 2000
#define HEAP_MAX_KIB 1024
#define NESTING_MAX 32
#define SUBJECT_MAX 65536

struct script_regex {
	pcre2_code *code;
};

/* Patterns live and die with the script, so the library works in its arena. */
static void *regex_malloc(PCRE2_SIZE size, void *mem)
{
	return arena_alloc_raw(mem, size);
}

static void regex_free(void *p, void *mem)
{
	(void)p;
	(void)mem;
}

/*
 * \C is refused because it matches one byte, which may be half a character.  Invalid
 * UTF-8 in the text is no error of the pattern.
 */
enum err scripted_match_regex_read(struct arena *mem, struct str pattern, struct script_regex **ret,
                                   struct error *e)
{
	pcre2_general_context *memory = pcre2_general_context_create(regex_malloc, regex_free, mem);
	pcre2_compile_context *bounds = pcre2_compile_context_create(memory);
	struct script_regex *r = ARENA_NEW(mem, struct script_regex);
	int code;
	PCRE2_SIZE at;

	pcre2_set_max_pattern_length(bounds, SCRIPT_REGEX_MAX);
	pcre2_set_parens_nest_limit(bounds, NESTING_MAX);
	r->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
	                        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
	                        &code, &at, bounds);
	if (!r->code) {
		PCRE2_UCHAR why[200] = "no reason known";

		pcre2_get_error_message(code, why, sizeof why);
		return fail(e, ERR_INVALID, "%s at character %zu of the pattern", (char *)why,
		            at + 1);
	}
	*ret = r;
	return OK;
}

/*
 * A pattern that passes its limits is reported and not treated as "no match": the
 * script would behave differently on a longer text, and its author could not see why.
 */
static enum script_match regex_match(const struct script_regex *r, struct str text)
{
	pcre2_match_context *bounds = pcre2_match_context_create(NULL);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int found = PCRE2_ERROR_NOMEMORY;

	if (bounds && data) {
		pcre2_set_match_limit(bounds, STEPS_MAX);
		pcre2_set_depth_limit(bounds, DEPTH_MAX);
		pcre2_set_heap_limit(bounds, HEAP_MAX_KIB);
		found = pcre2_match(r->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""),
		                    MIN(text.len, SUBJECT_MAX), 0, 0, data, bounds);
	}
	pcre2_match_data_free(data);
	pcre2_match_context_free(bounds);
	if (found == PCRE2_ERROR_NOMATCH)
		return MATCH_NONE;
	return found >= 0 ? MATCH_FOUND : MATCH_GAVE_UP;
}

static bool is_result_of_turn(const struct message *m, const struct model_request *req)
{
	return m->role == ROLE_TOOL && str_eq(m->turn_id, req->turn_id);
}

/*
 * From the end, because the last message of the user and the last result are wanted.
 * Results of earlier turns do not count.
 */
void scripted_match_moment_read(const struct model_request *req, struct script_moment *ret)
{
	bool has_user = false;

	*ret = (struct script_moment){ .req = req };
	for (size_t i = req->message_count; i--;) {
		const struct message *m = &req->messages[i];

		if (m->role == ROLE_USER && !has_user) {
			has_user = true;
			ret->input = m->text;
			ret->message_id = m->turn_id;
			ret->peer_message_id = m->peer_message_id;
			ret->images += (uint32_t)m->image_count;
		} else if (!ret->last_result && is_result_of_turn(m, req)) {
			ret->last_result = m;
			ret->images += (uint32_t)m->image_count;
		}
	}
}

static bool is_within(struct script_span s, uint32_t n)
{
	return !s.max || (n >= s.min && n <= s.max);
}

static bool is_same_if_asked(struct str asked, struct str given)
{
	return !str_is(asked) || str_eq(asked, given);
}

/* With "*" at its end: how the id begins. */
static bool is_peer_message_if_asked(struct str asked, struct str given)
{
	if (!str_is(asked) || !str_ends(asked, STR("*")))
		return is_same_if_asked(asked, given);
	return str_is(given) && str_starts(given, str_head(asked, asked.len - 1));
}

static bool contains_if_asked(struct str text, struct str asked)
{
	return !str_is(asked) || (str_is(text) && str_find(text, asked) >= 0);
}

static bool result_fits(const struct script_when *w, const struct message *m)
{
	return is_same_if_asked(w->result_name, m->tool_name) &&
	       contains_if_asked(m->text, w->result_contains) &&
	       (!w->asks_is_error || w->is_error == m->is_error);
}

static bool has_result(const struct script_when *w, const struct model_request *req)
{
	for (size_t i = 0; i < req->message_count; i++)
		if (is_result_of_turn(&req->messages[i], req) && result_fits(w, &req->messages[i]))
			return true;
	return false;
}

/*
 * Only if the result is the very last message: a message of the user after it asks for
 * something else.
 */
static bool comes_after(struct str tool, const struct model_request *req)
{
	const struct message *last =
		req->message_count ? &req->messages[req->message_count - 1] : NULL;

	return last && is_result_of_turn(last, req) && str_eq(last->tool_name, tool);
}

/* The text comes last: a pattern is the only thing here that takes time. */
static enum script_match when_fits(const struct script_when *w, const struct script_moment *m)
{
	const struct model_request *req = m->req;

	if (!is_within(w->turn, req->turn_number) || !is_within(w->request, req->request_number) ||
	    !is_within(w->attempt, req->attempt))
		return MATCH_NONE;
	if (str_eq(w->purpose, STR("summary")) != req->is_summary ||
	    !is_same_if_asked(w->provider, req->provider) ||
	    !is_same_if_asked(w->model, req->model))
		return MATCH_NONE;
	if (!is_same_if_asked(w->turn_id, req->turn_id) ||
	    !is_same_if_asked(w->message_id, m->message_id) ||
	    !is_peer_message_if_asked(w->peer_message_id, m->peer_message_id))
		return MATCH_NONE;
	if (w->has_result && !has_result(w, req))
		return MATCH_NONE;
	if (!is_within(w->images, m->images))
		return MATCH_NONE;
	if (str_is(w->after_tool) && !comes_after(w->after_tool, req))
		return MATCH_NONE;
	if (!is_same_if_asked(w->equals, m->input) || !contains_if_asked(m->input, w->contains))
		return MATCH_NONE;
	if (w->regex)
		return str_is(m->input) ? regex_match(w->regex, m->input) : MATCH_NONE;
	return MATCH_FOUND;
}

/* The rule's reply to this request, or NULL when its list is at an end. */
static const struct script_reply *reply_of(const struct script_rule *r, uint32_t request_number)
{
	if (!r->by_request)
		return &r->replies[0];
	if (request_number < 1 || request_number > r->reply_count)
		return NULL;
	return &r->replies[request_number - 1];
}

/*
 * The first rule that matches.  `times` is counted only for a match, and rules that are
 * used up are passed over.
 */
enum script_match scripted_match(const struct script *s, const struct script_moment *m,
                                 uint32_t *counts, size_t *ret_rule,
                                 const struct script_reply **ret_reply)
{
	for (size_t i = 0; i < s->rule_count; i++) {
		const struct script_rule *r = &s->rules[i];
		const struct script_reply *reply = reply_of(r, m->req->request_number);
		bool is_counted = r->when.times > 0;

		if (!reply || (is_counted && counts[r->when.times_slot] >= r->when.times))
			continue;

		enum script_match fits = when_fits(&r->when, m);

		if (fits == MATCH_NONE)
			continue;
		*ret_rule = i;
		*ret_reply = reply;
		if (fits == MATCH_FOUND && is_counted)
			counts[r->when.times_slot]++;
		return fits;
	}
	return MATCH_NONE;
}
