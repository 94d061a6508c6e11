/*
 * The prompt for approvals and questions in a terminal.
 *
 * A prompt is a small state machine that is fed one line of input at a time,
 * so that events can arrive while the user thinks.
 */
#include "app/cli/follow/approval_prompt.h"

#include "base/jw.h"
#include "app/cli/print/out.h"

#include "base/os/reveal.h"
#include "base/gen/words.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

/* ---- the question ---- */

static void prompt(struct approval_prompt *a, const char *text)
{
	fprintf(stderr, "%s%s%s ", out_tone_on(a->c->color_err, TONE_BOLD), text,
	        out_tone_off(a->c->color_err));
	fflush(stderr);
}

static void prompt_choice(struct approval_prompt *a)
{
	const char *text = arena_printf(a->c->mem, "  [y] once%s%s%s%s [n] no ›",
	                                offers_scope(a, "turn") ? "  [t] this turn" : "",
	                                offers_scope(a, "session") ? "  [s] this session" : "",
	                                offers_scope(a, "workspace") ? "  [w] this workspace" : "",
	                                may_edit(a) ? "  [e] edit " : " ")
	                           .ptr;

	prompt(a, text);
}

static void prompt_field(struct approval_prompt *a)
{
	const struct field *f = &a->form.fields[a->field];

	a->stage = APPROVAL_PROMPT_FIELD;
	if (a->form.count > 1)
		prompt(a, arena_printf(a->c->mem, "  %s%s ›", out_safe(a->c->mem, f->title),
		                       f->is_required ? "" : " (may be left out)")
		                  .ptr);
	else
		prompt(a, json_is(f->choices) ? "  a number, or nothing to decline ›"
		                              : "  your answer, or nothing to decline ›");
}

static void prompt_question(struct approval_prompt *a)
{
	buf_clear(&a->members);
	a->field = 0;
	if (a->form.count) {
		prompt_field(a);
		return;
	}
	a->stage = APPROVAL_PROMPT_JSON;
	prompt(a, "  the answer as JSON, or nothing to decline ›");
}

/*
 * reveal() makes invisible and direction-changing characters visible: the text comes from a
 * model.
 */
static void print_head(struct approval_prompt *a, bool is_whole)
{
	struct cli *c = a->c;
	struct str text = reveal(c->mem, json_str(JSON_GET(a->action, "prompt")), true);

	fprintf(stderr, "%s? %s%s\n", out_tone_on(c->color_err, TONE_ASK),
	        is_whole ? out_safe(c->mem, text)
	                 : out_safe_cut(c->mem, text, out_columns(c, STDERR_FILENO) - 2),
	        out_tone_off(c->color_err));
}

/* Prints everything that the approval covers before it asks. */
void approval_prompt_open(struct approval_prompt *a, struct cli *c, struct json action,
                          const struct approval_details *about)
{
	bool is_question = str_eq(json_str(JSON_GET(action, "actionType")),
	                          STR(WORD_ACTION_TYPE_STRUCTURED_INPUT));
	bool is_plain = str_eq(json_str(JSON_GET(action, "actionType")),
	                       STR(WORD_ACTION_TYPE_TOOL_PERMISSION));

	*a = (struct approval_prompt){ .c = c,
		                       .action = action,
		                       .args = about->args,
		                       .kind = is_question ? APPROVAL_PROMPT_QUESTION
		                                           : APPROVAL_PROMPT_PERMISSION };
	form_read(&a->form, JSON_GET(action, "schema"));
	/* With arguments the details follow below; without them the head must say everything. */
	print_head(a, !is_plain || !str_is(about->args));
	if (is_question && a->form.count == 1)
		form_print(c, &a->form);
	else if (!is_question &&
	         approval_details_print(about, stderr, c->color_err, c->mem, action) > LONG)
		print_head(a, false); /* the beginning has scrolled off the screen */
	approval_prompt_again(a);
}

void approval_prompt_continue(struct approval_prompt *a, struct cli *c, const char *why)
{
	*a = (struct approval_prompt){ .c = c, .kind = APPROVAL_PROMPT_CONTINUE };
	fprintf(stderr, "%s? %s%s\n", out_tone_on(c->color_err, TONE_ASK), why,
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

void approval_prompt_close(struct approval_prompt *a)
{
	buf_done(&a->members);
	a->kind = APPROVAL_PROMPT_NONE;
}

/* ---- editing ---- */

/* In the foreground, through the shell, because $EDITOR may be "code --wait". */
static bool run_editor(struct approval_prompt *a, const char *editor, const char *path)
{
	char *command = (char *)arena_printf(a->c->mem, "%s \"$1\"", editor).ptr;
	char *argv[] = { (char *)"sh", (char *)"-c", command, (char *)"sh", (char *)path, NULL };
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;
	int status = -1, code;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	code = posix_spawn(&pid, "/bin/sh", NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	while (!code && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !code && status == 0;
}

/* The arguments after editing; absent: not valid. */
static struct str edit_in_editor(struct approval_prompt *a, const char *editor)
{
	const char *dir = getenv("TMPDIR");
	char *path = (char *)arena_printf(a->c->mem, "%s/thole-input-XXXXXX.json",
	                                  dir && *dir ? dir : "/tmp")
	                     .ptr;
	int fd = mkstemps(path, 5);
	struct str text = STR_NONE;

	if (fd >= 0 && write(fd, a->args.ptr, a->args.len) == (ssize_t)a->args.len &&
	    run_editor(a, editor, path))
		text = paths_read_file(a->c->mem, path, 1u << 20);
	else
		out_note(a->c, TONE_BAD, "  The editor did not work: %s", editor);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return text;
}

/*
 * Edited arguments are checked here only as JSON; the runtime checks them against the tool's
 * schema.
 */
static enum approval_prompt_step allow_with(struct approval_prompt *a, struct str input)
{
	struct json v;

	if (json_read(a->c->mem, input, &v, NULL) != OK || json_type(v) != JSON_OBJ) {
		out_note(a->c, TONE_BAD, "  That is no JSON object.");
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = "allow";
	a->input = json_text(a->c->mem, v);
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step begin_edit(struct approval_prompt *a)
{
	const char *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");

	if (editor && *editor) {
		struct str edited = edit_in_editor(a, editor);

		if (str_is(edited))
			return allow_with(a, edited);
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	fprintf(stderr, "    %s\n", out_safe(a->c->mem, a->args));
	a->stage = APPROVAL_PROMPT_EDIT;
	prompt(a, "  the arguments as you want them, JSON ›");
	return APPROVAL_PROMPT_MORE;
}

/* ---- lines ---- */

/* An empty line is a no: approving takes a key. */
static enum approval_prompt_step choose(struct approval_prompt *a, struct str line)
{
	char ch = line.len ? (char)(line.ptr[0] | 0x20) : 'n';
	const char *scope = ch == 't'                ? "turn"
	                    : ch == 's' || ch == 'a' ? "session"
	                    : ch == 'w'              ? "workspace"
	                                             : NULL;

	if (ch == 'y' || (scope && offers_scope(a, scope))) {
		a->decision = "allow";
		a->scope = scope;
		return APPROVAL_PROMPT_DONE;
	}
	if (ch == 'e' && may_edit(a))
		return begin_edit(a);
	if (ch != 'n') {
		prompt_choice(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = "deny";
	a->stage = APPROVAL_PROMPT_REASON;
	prompt(a, "  why, if you want to say ›");
	return APPROVAL_PROMPT_MORE;
}

static enum approval_prompt_step decline(struct approval_prompt *a)
{
	a->decision = "decline";
	return APPROVAL_PROMPT_DONE;
}

/* An empty line declines the question at a required field and skips an optional one. */
static enum approval_prompt_step fill_field(struct approval_prompt *a, struct str line)
{
	const struct field *f = &a->form.fields[a->field];
	struct str value;

	if (!line.len && f->is_required)
		return decline(a);
	if (line.len && !form_field_value(a->c->mem, f, line, &value)) {
		out_note(a->c, TONE_BAD, "  That does not fit.");
		prompt_field(a);
		return APPROVAL_PROMPT_MORE;
	}
	if (line.len) {
		struct json_writer w;

		buf_add_c(&a->members, a->members.len ? "," : "");
		jw_init(&w, &a->members);
		jw_str(&w, f->name);
		buf_printf(&a->members, ":%.*s", STR_ARG(value));
	}
	if (++a->field < a->form.count) {
		prompt_field(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = "answer";
	a->payload = arena_printf(a->c->mem, "{%.*s}", STR_ARG(buf_str(&a->members)));
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step response_json(struct approval_prompt *a, struct str line)
{
	struct json v;

	if (!line.len)
		return decline(a);
	if (json_read(a->c->mem, line, &v, NULL) != OK) {
		out_note(a->c, TONE_BAD, "  That is no JSON.");
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = "answer";
	a->payload = json_text(a->c->mem, v);
	return APPROVAL_PROMPT_DONE;
}

static enum approval_prompt_step continue_or_leave(struct approval_prompt *a, struct str line)
{
	char ch = line.len ? (char)(line.ptr[0] | 0x20) : 'n';

	/* Other input may have been meant for another prompt, so it starts nothing. */
	if (ch != 'y' && ch != 'n') {
		approval_prompt_again(a);
		return APPROVAL_PROMPT_MORE;
	}
	a->decision = ch == 'y' ? "go" : "leave";
	return APPROVAL_PROMPT_DONE;
}

enum approval_prompt_step approval_prompt_line(struct approval_prompt *a, struct str line)
{
	line = str_trim(arena_keep(a->c->mem, line));
	if (a->kind == APPROVAL_PROMPT_CONTINUE)
		return continue_or_leave(a, line);
	switch (a->stage) {
	case APPROVAL_PROMPT_CHOICE:
		return choose(a, line);
	case APPROVAL_PROMPT_REASON:
		a->reason = line.len ? line : STR_NONE;
		return APPROVAL_PROMPT_DONE;
	case APPROVAL_PROMPT_EDIT:
		return allow_with(a, line);
	case APPROVAL_PROMPT_FIELD:
		return fill_field(a, line);
	case APPROVAL_PROMPT_JSON:
		return response_json(a, line);
	}
	return APPROVAL_PROMPT_MORE;
}
