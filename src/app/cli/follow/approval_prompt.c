/*
 * The prompt for approvals and questions in a terminal.
 *
 * A prompt is a small state machine that is fed one line of input at a time,
 * so that events can arrive while the user thinks.
 */
#include "app/cli/follow/approval_prompt.h"

#include "base/jw.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "app/cli/follow/text_editor.h"

#include "base/os/reveal.h"
#include "base/gen/words.h"

#include <stdarg.h>
#include <strings.h>
#include <unistd.h>

#define LONG 16 /* lines of input from which on the question is repeated below it */

/* ---- options ---- */

static struct json offer(const struct approval_prompt *a, const char *decision)
{
	struct json_iter it = json_iter(JSON_GET(a->action, "decisions"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(JSON_GET(v, "decision")), str_from(decision)))
			return v;
	return (struct json){ 0 };
}

static bool offers_scope(const struct approval_prompt *a, const char *scope)
{
	struct json_iter it = json_iter(JSON_GET(offer(a, "allow"), "scopes"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(v), str_from(scope)))
			return true;
	return false;
}

static bool may_edit(const struct approval_prompt *a)
{
	return str_is(a->args) && json_bool(JSON_GET(offer(a, "allow"), "mayEditInput"), false);
}

/*
 * A choice is its key or its whole word.  The first letter of anything else decides nothing: it may
 * be the beginning of a sentence.
 */
static const struct choice {
	char key;
	const char *words[4];
	const char *scope; /* NULL: this call */
	const char *covers;
} choices[] = {
	{ 'y', { "y", "yes", "once", "accept" }, NULL, NULL },
	{ 'n', { "n", "no", "revise" }, NULL, NULL },
	{ 'e', { "e", "edit" }, NULL, NULL },
	{ 't', { "t", "turn" }, "turn", "in this turn" },
	{ 's', { "s", "session" }, "session", "in this session" },
	{ 'a', { "a", "always", "w" }, "workspace", "always in this workspace" },
};

static bool is_offered(const struct approval_prompt *a, const struct choice *c)
{
	if (a->kind == APPROVAL_PROMPT_CONTINUE)
		return c->key == 'y' || c->key == 'n';
	if (a->kind == APPROVAL_PROMPT_QUESTION) /* the review of a form */
		return c->key == 'n' || (c->key == 'e' && a->form.form.count) ||
		       (c->key == 'y' && form_prompt_is_whole(&a->form));
	return c->key == 'n' || (!a->is_unread && (c->scope        ? offers_scope(a, c->scope)
	                                           : c->key == 'e' ? may_edit(a)
	                                                           : true));
}

static bool is_word(struct str typed, const char *word)
{
	return typed.len == strlen(word) && strncasecmp(typed.ptr, word, typed.len) == 0;
}

/* NULL: it is none, or not offered. */
static const struct choice *choice_of(const struct approval_prompt *a, struct str word)
{
	for (size_t i = 0; i < COUNT_OF(choices); i++)
		for (size_t n = 0; n < COUNT_OF(choices[i].words) && choices[i].words[n]; n++)
			if (is_word(word, choices[i].words[n]))
				return is_offered(a, &choices[i]) ? &choices[i] : NULL;
	return NULL;
}

bool approval_prompt_has(const struct approval_prompt *a, struct str word)
{
	return choice_of(a, word);
}

const char *approval_prompt_scope(const struct approval_prompt *a, struct str word)
{
	const struct choice *c = choice_of(a, word);

	if (!c || !c->scope)
		return NULL;
	return arena_printf(a->c->mem, "%s: %s", c->covers,
	                    approval_details_covers(a->c->mem, a->action))
	        .ptr;
}

struct str approval_prompt_draft(const struct approval_prompt *a)
{
	return str_is(a->draft) ? a->draft : a->args;
}

/* ---- the question ---- */

static void prompt(struct approval_prompt *a, const char *text)
{
	fprintf(a->out, "%s%s%s ", out_tone_on(a->c->color_err, TONE_BOLD), text,
	        out_tone_off(a->c->color_err));
	fflush(a->out);
}

/* An answer that cannot be used. */
static void PRINTF_LIKE(2, 3) refuse(struct approval_prompt *a, const char *fmt, ...)
{
	va_list args;

	fputs(out_tone_on(a->c->color_err, TONE_BAD), a->out);
	va_start(args, fmt);
	vfprintf(a->out, fmt, args);
	va_end(args);
	fprintf(a->out, "%s\n", out_tone_off(a->c->color_err));
}

static bool is_plan(const struct approval_prompt *a)
{
	return str_eq(json_str(JSON_GET(a->action, "actionType")), STR(WORD_ACTION_TYPE_PLAN));
}

static void prompt_choice(struct approval_prompt *a)
{
	/* With all choices and the answer it fits a terminal of 80 columns. */
	const char *text;

	if (a->is_unread) {
		prompt(a, "  [n] no ›");
		return;
	}
	if (is_plan(a)) {
		prompt(a, may_edit(a) ? "  [y] accept  [e] edit  [n] revise ›"
		                      : "  [y] accept  [n] revise ›");
		return;
	}
	text = arena_printf(a->c->mem, "  [y] once%s%s%s%s  [n] no ›",
	                    offers_scope(a, "turn") ? "  [t] turn" : "",
	                    offers_scope(a, "session") ? "  [s] session" : "",
	                    offers_scope(a, "workspace") ? "  [a] always here" : "",
	                    may_edit(a) ? "  [e] edit" : "")
	               .ptr;

	prompt(a, text);
}

static void prompt_field(struct approval_prompt *a)
{
	a->stage = APPROVAL_PROMPT_FIELD;
	form_prompt_show(&a->form, a->c, a->out);
	prompt(a, form_prompt_text(&a->form, a->c));
}

static void prompt_review(struct approval_prompt *a)
{
	a->stage = APPROVAL_PROMPT_CHOICE;
	prompt(a, form_prompt_review(&a->form, a->c, a->out));
}

/* What was answered before the runtime refused it stays. */
static void prompt_question(struct approval_prompt *a)
{
	if (!a->form.form.count && !a->form.form.is_consent) {
		a->stage = APPROVAL_PROMPT_JSON;
		prompt(a, "  the answer as JSON, or nothing to decline ›");
	} else if (a->form.field < a->form.form.count) {
		prompt_field(a);
	} else {
		prompt_review(a);
	}
}

/* The question of a plan repeats it, and the details show it as it is meant. */
static struct str head_text(const struct approval_prompt *a)
{
	struct str text = json_str(JSON_GET(a->action, "prompt"));
	struct json args;

	if (is_plan(a) && str_is(a->args) && str_is(text) &&
	    json_read_trusted(a->c->mem, a->args, &args, NULL) == OK &&
	    str_starts(json_str(JSON_GET(args, "plan")), str_head(text, MIN(text.len, 40))))
		return STR("The plan, to accept or to revise:");
	return text;
}

/*
 * reveal() makes invisible and direction-changing characters visible: the text comes from a
 * model.
 */
static void print_head(struct approval_prompt *a, bool is_whole)
{
	struct cli *c = a->c;
	struct str text = reveal(c->mem, head_text(a), true);

	fprintf(a->out, "%s? %s%s\n", out_tone_on(c->color_err, TONE_ASK),
	        is_whole ? out_safe(c->mem, text)
	                 : out_safe_cut(c->mem, text, out_columns(c, STDERR_FILENO) - 2),
	        out_tone_off(c->color_err));
}

/* Who asks: without it a form of a tool server looks like one of the agent. */
static void print_asker(struct approval_prompt *a)
{
	struct str tool = json_str(JSON_GET(a->action, "toolName"));

	if (str_starts(tool, STR("mcp__")))
		fprintf(a->out, "%s  asked by %s%s\n", out_tone_on(a->c->color_err, TONE_DIM),
		        out_safe(a->c->mem, tool), out_tone_off(a->c->color_err));
}

/* Prints everything that the approval covers before it asks. */
void approval_prompt_open(struct approval_prompt *a, struct cli *c, struct json action,
                          const struct approval_details *about, FILE *out)
{
	struct approval_details shown = *about;
	bool is_question = form_is_question(action);

	*a = (struct approval_prompt){ .c = c,
		                       .out = out,
		                       .action = action,
		                       .args = about->args,
		                       .is_unread = about->is_unread,
		                       .kind = is_question ? APPROVAL_PROMPT_QUESTION
		                                           : APPROVAL_PROMPT_PERMISSION };
	shown.columns = out_columns(c, STDERR_FILENO);
	form_prompt_open(&a->form, JSON_GET(action, "schema"));
	print_head(a, true);
	if (is_question)
		print_asker(a);
	if (!is_question &&
	    approval_details_print(&shown, out, c->color_err, c->mem, action) > LONG)
		print_head(a, false); /* the beginning has scrolled off the screen */
	approval_prompt_again(a);
}

void approval_prompt_continue(struct approval_prompt *a, struct cli *c, const char *why, FILE *out)
{
	*a = (struct approval_prompt){ .c = c, .out = out, .kind = APPROVAL_PROMPT_CONTINUE };
	fprintf(out, "%s? %s%s\n", out_tone_on(c->color_err, TONE_ASK), why,
	        out_tone_off(c->color_err));
	approval_prompt_again(a);
}

void approval_prompt_again(struct approval_prompt *a)
{
	a->stage = APPROVAL_PROMPT_CHOICE;
	a->decision = a->scope = NULL;
	a->input = a->payload = a->reason = STR_NONE;
	if (a->kind == APPROVAL_PROMPT_PERMISSION)
		prompt_choice(a);
	else if (a->kind == APPROVAL_PROMPT_QUESTION)
		prompt_question(a);
	else
		prompt(a, "  [y] continue  [n] leave it ›");
}

void approval_prompt_back(struct approval_prompt *a)
{
	a->draft = STR_NONE;
	approval_prompt_again(a);
}

void approval_prompt_close(struct approval_prompt *a)
{
	a->kind = APPROVAL_PROMPT_NONE;
}

/* ---- editing ---- */

/* The error is part of the prompt: it stays beside the text until that is right. */
static enum approval_prompt_step ask_edit(struct approval_prompt *a, const char *error)
{
	a->decision = NULL;
	a->input = STR_NONE;
	if (text_editor_name()) {
		refuse(a, "%s [e] opens it again.", error);
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->stage = APPROVAL_PROMPT_EDIT;
	prompt(a,
	       arena_printf(a->c->mem,
	                    "%s  the arguments as you want them, JSON; nothing goes back ›", error)
	               .ptr);
	return APPROVAL_PROMPT_MORE;
}

void approval_prompt_refused(struct approval_prompt *a)
{
	if (str_is(a->input))
		ask_edit(a, "  The call does not take this.");
	else
		approval_prompt_again(a);
}

/*
 * Edited arguments are checked here only as JSON; the runtime checks them against the tool's
 * schema.
 */
static enum approval_prompt_step allow_with(struct approval_prompt *a, struct str input)
{
	struct json v;

	a->draft = input;
	if (json_read(a->c->mem, input, &v, NULL) != OK || json_type(v) != JSON_OBJ)
		return ask_edit(a, "  That is no JSON object.");
	a->decision = "allow";
	a->input = json_text(a->c->mem, v);
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step begin_edit(struct approval_prompt *a)
{
	const char *editor = text_editor_name();

	if (editor) {
		struct str edited =
			text_editor_edit(a->c, editor, approval_prompt_draft(a), ".json");

		if (str_is(edited))
			return allow_with(a, edited);
		refuse(a, "  The editor did not work: %s", editor);
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	fprintf(a->out, "    %s\n", out_safe(a->c->mem, a->args));
	return ask_edit(a, "");
}

/* ---- lines ---- */

/* An empty line is a no: approving takes a key. */
static enum approval_prompt_step choose(struct approval_prompt *a, struct str line)
{
	const struct choice *c = choice_of(a, line.len ? line : STR("n"));

	if (!c) {
		refuse(a, "  That is none of the choices.");
		prompt_choice(a);
		return APPROVAL_PROMPT_MORE;
	}
	if (c->key == 'e')
		return begin_edit(a);
	if (c->key != 'n') {
		a->decision = "allow";
		a->scope = c->scope;
		return APPROVAL_PROMPT_DONE;
	}
	a->decision = "deny";
	a->stage = APPROVAL_PROMPT_REASON;
	prompt(a, is_plan(a) ? "  what to change, if you want to say ›"
	                     : "  why, if you want to say ›");
	return APPROVAL_PROMPT_MORE;
}

static enum approval_prompt_step decline(struct approval_prompt *a)
{
	a->decision = "decline";
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step send_form(struct approval_prompt *a)
{
	a->decision = "answer";
	a->payload = form_prompt_payload(&a->form, a->c->mem);
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step fill_field(struct approval_prompt *a, struct str line)
{
	const char *why;

	switch (form_prompt_line(&a->form, a->c, line, &why)) {
	case FORM_PROMPT_DONE:
		return send_form(a);
	case FORM_PROMPT_DECLINED:
		return decline(a);
	case FORM_PROMPT_REVIEW:
		prompt_review(a);
		return APPROVAL_PROMPT_MORE;
	case FORM_PROMPT_MORE:
		break;
	}
	if (why) {
		refuse(a, "  That does not fit: %s.", out_safe(a->c->mem, str_from(why)));
		prompt(a, form_prompt_text(&a->form, a->c));
	} else {
		prompt_field(a);
	}
	return APPROVAL_PROMPT_MORE;
}

/* An empty line decides nothing here: all answers would be lost. */
static enum approval_prompt_step choose_review(struct approval_prompt *a, struct str line)
{
	const struct choice *c = choice_of(a, line);

	if (!c) {
		refuse(a, "  That is none of the choices.");
		prompt_review(a);
		return APPROVAL_PROMPT_MORE;
	}
	if (c->key != 'e')
		return c->key == 'y' ? send_form(a) : decline(a);
	form_prompt_change(&a->form);
	prompt_field(a);
	return APPROVAL_PROMPT_MORE;
}

static enum approval_prompt_step response_json(struct approval_prompt *a, struct str line)
{
	struct json v;

	if (!line.len)
		return decline(a);
	if (json_read(a->c->mem, line, &v, NULL) != OK) {
		refuse(a, "  That is no JSON.");
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = "answer";
	a->payload = json_text(a->c->mem, v);
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step continue_or_leave(struct approval_prompt *a, struct str line)
{
	const struct choice *c = choice_of(a, line.len ? line : STR("n"));

	/* Other input may have been meant for another prompt, so it starts nothing. */
	if (!c) {
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = c->key == 'y' ? "go" : "leave";
	return APPROVAL_PROMPT_DONE;
}

enum approval_prompt_step approval_prompt_line(struct approval_prompt *a, struct str line)
{
	line = str_trim(arena_keep(a->c->mem, line));
	if (a->kind == APPROVAL_PROMPT_CONTINUE)
		return continue_or_leave(a, line);
	switch (a->stage) {
	case APPROVAL_PROMPT_CHOICE:
		return a->kind == APPROVAL_PROMPT_QUESTION ? choose_review(a, line)
		                                           : choose(a, line);
	case APPROVAL_PROMPT_REASON:
		a->reason = line.len ? line : STR_NONE;
		return APPROVAL_PROMPT_DONE;
	case APPROVAL_PROMPT_EDIT:
		if (line.len)
			return allow_with(a, line);
		approval_prompt_back(a);
		return APPROVAL_PROMPT_MORE;
	case APPROVAL_PROMPT_FIELD:
		return fill_field(a, line);
	case APPROVAL_PROMPT_JSON:
		return response_json(a, line);
	}
	return APPROVAL_PROMPT_MORE;
}

void approval_prompt_params(const struct approval_prompt *a, struct params *p)
{
	params_str(p, "actionId", json_str(JSON_GET(a->action, "actionId")));
	params_cstr(p, "decision", a->decision);
	params_cstr(p, "scope", a->scope);
	params_str(p, "reason", a->reason);
	params_raw(p, "input", a->input);
	params_raw(p, "payload", a->payload);
}
