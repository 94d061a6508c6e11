/* approvals, approve, deny, decide: lists pending approvals and answers them. */
#include "app/cli/follow/approval_details.h"
#include "app/cli/connection.h"
#include "app/cli/print/form.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/print/whole_text.h"
#include "app/cli/ref.h"
#include "app/cli/follow/turn.h"
#include "base/gen/limits.h"
#include "base/gen/words.h"

#include <unistd.h>

#define RECORD_MAX 65536
#define LARGE_MAX 16 /* shown whole below the list */

/* ---- what waits ---- */

struct listing {
	struct cli *c;
	struct table table;
	struct rows rows; /* with --json */
	int count;
	struct json large[LARGE_MAX]; /* whose prompt does not show all of its input */
	size_t large_count;
};

/* Is a part of the input missing in the prompt?  Then the prompt is longer than what it shows. */
static bool is_cut(struct json a)
{
	return str_is(json_str(JSON_GET(a, "inputRef"))) ||
	       (str_is(json_str(JSON_GET(a, "toolCallId"))) &&
	        json_str(JSON_GET(a, "prompt")).len >= LIMIT_PROMPT_INPUT_BYTES);
}

static const char *prompt_of(struct cli *c, struct json a)
{
	const char *text = whole_text_line(c->mem, json_str(JSON_GET(a, "prompt")));
	const char *after = approval_details_mode_after(c->mem, a);

	return after ? arena_printf(c->mem, "%s (%s)", text, after).ptr : text;
}

/* What happens without an answer, and when, is part of the row: a default may be a denial. */
static bool visit(void *arg, struct json a)
{
	struct listing *l = arg;
	struct cli *c = l->c;
	struct str id = json_str(JSON_GET(a, "actionId"));
	struct str tool = json_str(JSON_GET(a, "toolName"));
	const char *cells[] = {
		out_id(c, id),
		out_ago(c->mem, json_str(JSON_GET(a, "requestedAt"))),
		json_is(JSON_GET(a, "expiresAt"))
			? arena_printf(c->mem, "%s %s",
		                       out_safe(c->mem, json_str(JSON_GET(a, "onExpiry"))),
		                       out_until(c->mem, json_str(JSON_GET(a, "expiresAt"))))
				  .ptr
			: "never",
		out_safe(c->mem, tool.len ? tool : json_str(JSON_GET(a, "actionType"))),
		prompt_of(c, a),
	};

	l->count++;
	if (is_cut(a) && l->large_count++ < LARGE_MAX)
		l->large[l->large_count - 1] = a;
	if (c->opts.json)
		out_rows_add(&l->rows, a);
	else if (c->opts.quiet)
		printf("%s\n", out_safe(c->mem, id));
	else
		table_row(&l->table, TONE_PLAIN, cells);
	return true;
}

/* A prompt shows the beginning of a long input: what it hides is shown below. */
static void print_large(const struct listing *l)
{
	struct cli *c = l->c;

	for (size_t i = 0; i < MIN(l->large_count, LARGE_MAX); i++) {
		struct approval_details about;

		approval_details_find(&about, c, l->large[i]);
		printf("\n%s\n", out_id(c, json_str(JSON_GET(l->large[i], "actionId"))));
		approval_details_print(&about, stdout, c->color_out, c->mem, l->large[i]);
	}
	if (l->large_count > LARGE_MAX)
		printf("\n%zu more have a long input: thole show ID\n", l->large_count - LARGE_MAX);
}

static void finish(struct listing *l)
{
	struct cli *c = l->c;

	if (c->opts.json) {
		out_rows_end(&l->rows);
	} else if (!l->count) {
		out_note(c, TONE_DIM, "nothing waits for a decision");
	} else if (!c->opts.quiet) {
		table_print(&l->table, stdout);
		print_large(l);
		out_note(c, TONE_DIM, "thole show ID   thole approve ID   thole deny ID");
	}
}

int verb_approvals(struct cli *c)
{
	static const char *const heads[] = { "ACTION", "ASKED", "EXPIRES", "WHAT", "PROMPT", NULL };
	struct listing l = { .c = c };
	int code = connection_open(c);

	if (code)
		return code;
	if (c->opts.watch)
		return approve_watch(c);
	if (c->opts.json)
		out_rows_begin(&l.rows, c, "actions");
	else if (!c->opts.quiet)
		table_begin(&l.table, c, heads);
	l.table.folds = true; /* people decide by it */
	code = connection_list(c, "list_actions", "actions",
	                       &(struct filter){ "status", "\"pending\"" }, visit, &l);
	if (!code)
		finish(&l);
	return code;
}

/* ---- deciding ---- */

struct decision {
	struct ref r;
	const char *word;
	struct str input, payload;
};

static int find(struct cli *c, struct decision *d)
{
	int code = connection_open(c);

	return code ? code : ref_find_action(c, c->args[0], &d->r);
}

static bool is_question(const struct decision *d)
{
	return form_is_question(d->r.row);
}

static int put_answer(struct cli *c, const struct decision *d, const char *command,
                      struct params *p)
{
	struct json reply;
	int code;

	params_key(c, p);
	code = connection_call(c, command, p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	if (json_is(JSON_GET(reply, "scope")))
		out_note(c, TONE_PLAIN, "%s: %s (%s)", out_id(c, d->r.action),
		         out_safe(c->mem, json_str(JSON_GET(reply, "decision"))),
		         out_safe(c->mem, json_str(JSON_GET(reply, "scope"))));
	else
		out_note(c, TONE_PLAIN, "%s: %s", out_id(c, d->r.action),
		         out_safe(c->mem, json_str(JSON_GET(reply, "decision"))));
	if (str_eq(json_str(JSON_GET(reply, "decision")), STR(WORD_APPROVAL_DECISION_ALLOW)) &&
	    approval_details_mode_after(c->mem, d->r.row))
		out_note(c, TONE_PLAIN, "%s", approval_details_mode_after(c->mem, d->r.row));
	return CODE_DONE;
}

static int send(struct cli *c, const struct decision *d)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", d->r.session);
	params_str(&p, "actionId", d->r.action);
	params_cstr(&p, "decision", d->word);
	params_cstr(&p, "scope", c->opts.scope);
	params_cstr(&p, "reason", c->opts.reason);
	params_raw(&p, "input", d->input);
	params_raw(&p, "payload", d->payload);
	return put_answer(c, d, "respond_action", &p);
}

static int read_json(struct cli *c, const char *option, const char *text, struct str *ret)
{
	struct json v;
	struct error e;

	if (!text)
		return CODE_DONE;
	if (json_read(c->mem, str_from(text), &v, &e) != OK)
		return opt_usage(c, "%s wants JSON: %s.",
		                 strcmp(option, "-") == 0 ? "stdin" : option, e.message);
	*ret = json_text(c->mem, v);
	return CODE_DONE;
}

/* On failure prints the form, so that the user sees which answers are possible. */
static int fill_in(struct cli *c, struct decision *d)
{
	struct form form;
	const char *why = NULL;

	form_read(&form, JSON_GET(d->r.row, "schema"));
	if (c->opts.response &&
	    form_fill(c->mem, &form, str_from(c->opts.response), &d->payload, &why))
		return CODE_DONE;
	out_error(c,
	          c->opts.response
	                  ? "That does not answer the question: %s"
	                  : "This is a question and wants --answer TEXT or --payload JSON: %s",
	          out_safe(c->mem, json_str(JSON_GET(d->r.row, "prompt"))));
	if (why)
		fprintf(stderr, "  That does not fit: %s.\n", out_safe(c->mem, str_from(why)));
	form_print(c, &form, stderr);
	return CODE_USAGE;
}

int verb_approve(struct cli *c)
{
	struct decision d = { .word = "allow" };
	int code = read_json(c, "--input", c->opts.input, &d.input);

	if (!code)
		code = read_json(c, "--payload", c->opts.payload, &d.payload);
	if (!code)
		code = find(c, &d);
	if (code)
		return code;
	if (is_question(&d)) {
		d.word = "answer";
		if (!str_is(d.payload))
			code = fill_in(c, &d);
	} else if (c->opts.response) {
		return opt_usage(c, "%s asks for consent, not for an answer.", c->args[0]);
	}
	return code ? code : send(c, &d);
}

/* A question cannot be denied, only declined. */
int verb_deny(struct cli *c)
{
	struct decision d = { .word = "deny" };
	int code = find(c, &d);

	if (code)
		return code;
	if (is_question(&d))
		d.word = "decline";
	return send(c, &d);
}

/* What a policy engine wrote, as it is: the record says what is decided. */
int verb_decide(struct cli *c)
{
	const char *path = c->arg_count > 1 ? c->args[1] : "-";
	struct str text = strcmp(path, "-") == 0 ? paths_read_fd(c->mem, STDIN_FILENO, RECORD_MAX)
	                                         : paths_read_file(c->mem, path, RECORD_MAX);
	struct decision d = { 0 };
	struct str record = STR_NONE;
	struct params p;
	int code;

	if (!str_is(text)) {
		out_error(c, "%s cannot be read, or is larger than 64 KiB.", path);
		return CODE_FAILED;
	}
	code = read_json(c, path, arena_keep(c->mem, text).ptr, &record);
	if (!code)
		code = find(c, &d);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", d.r.session);
	params_str(&p, "actionId", d.r.action);
	params_raw(&p, "record", record);
	params_cstr(&p, "reason", c->opts.reason);
	return put_answer(c, &d, "resolve_permission", &p);
}
