/* run and send: submit a turn; run also follows it to its end. */
#include "app/cli/cli_settings.h"
#include "app/cli/connection.h"
#include "app/cli/export/export_atif.h"
#include "app/cli/extend/add_dirs.h"
#include "app/cli/extend/expand_command.h"
#include "app/cli/extend/resource_refs.h"
#include "app/cli/extend/piped_input.h"
#include "app/cli/worktree.h"
#include "base/gen/words.h"
#include "base/jw.h"
#include "app/cli/print/out.h"
#include "app/cli/trial/trial_verbs.h"
#include "app/cli/wait_notice.h"
#include "app/cli/ref.h"
#include "app/cli/follow/turn.h"

/* ---- the prompt ---- */

static int add_stdin(struct cli *c, struct buf *text)
{
	struct str all = STR_NONE;
	int code = piped_input_read(c, true, &all);

	if (code || !str_is(all))
		return code;
	if (text->len)
		buf_add_c(text, "\n\n");
	buf_add_str(text, all);
	return CODE_DONE;
}

/* What a pipe or a file gives beside the words is sent with them, as a file. */
static int attach_stdin(struct cli *c)
{
	int code = piped_input_read(c, false, &c->piped);

	if (!code && str_is(c->piped))
		out_note(c, TONE_DIM, "%zu bytes of stdin are sent with the message", c->piped.len);
	return code;
}

/* Joins the words with blanks; "-" stands for the text on stdin. */
static int read_prompt(struct cli *c, int from, struct str *ret)
{
	struct buf text = { 0 };
	bool has_stdin = c->arg_count <= from;
	int code = CODE_DONE;

	for (int i = from; i < c->arg_count && !code; i++) {
		if (strcmp(c->args[i], "-") == 0) {
			has_stdin = true;
			code = add_stdin(c, &text);
			continue;
		}
		if (text.len)
			buf_add_char(&text, ' ');
		buf_add_c(&text, c->args[i]);
	}
	if (!code && c->arg_count <= from) {
		if (c->is_tty_in)
			return opt_usage(c, "What shall it do? Give a prompt.");
		code = add_stdin(c, &text);
	}
	if (!code && !has_stdin && piped_input_is_there())
		code = attach_stdin(c);
	*ret = str_trim(arena_keep(c->mem, buf_str(&text)));
	buf_done(&text);
	if (!code && !ret->len)
		return opt_usage(c, "The prompt is empty.");
	return code;
}

/* ---- submitting ---- */

struct submission {
	struct ref where; /* session absent: a new one */
	struct str prompt;
	struct str input;   /* JSON */
	struct str context; /* JSON; absent: none */
	const char *cwd;
	const char *delivery;
	struct json reply;
	struct turn_result result;           /* of --output stream-json */
	struct export_atif_file *trajectory; /* of --atif, or NULL */
	struct json trial;                   /* of --trial */
};

static void write_budget(struct cli *c, struct params *p)
{
	if (!c->opts.has_budget)
		return;
	jw_key(&p->w, STR("budgetUsd"));
	jw_nano(&p->w, c->opts.budget_nano);
}

/* create never: an id of a session that does not exist is an error and not a new session. */
/* The provider of a name PROVIDER/MODEL, as list_providers shows it. */
static struct json provider_of(struct cli *c, struct json providers, struct str name)
{
	struct json_iter it = json_iter(providers);
	struct str rest = name, provider = str_cut(&rest, '/'), key;
	struct json row;

	while (str_is(rest) && json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "provider")), provider))
			return row;
	return (struct json){ 0 };
}

static bool can_any_answer(struct json providers)
{
	struct json_iter it = json_iter(providers);
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (json_bool(JSON_GET(row, "hasCredential"), false))
			return true;
	return false;
}

static bool is_listed(struct cli *c, struct str name)
{
	struct json reply, row;
	struct params p;
	struct str key;

	params_begin(&p);
	if (connection_try(c, "list_models", &p, true, &reply) != THOLE_OK)
		return true;
	struct json_iter it = json_iter(JSON_GET(reply, "models"));

	while (json_next(&it, &key, &row)) {
		struct str model = json_str(JSON_GET(row, "model"));
		struct str full =
			arena_printf(c->mem, "%.*s/%.*s",
		                     STR_ARG(json_str(JSON_GET(row, "provider"))), STR_ARG(model));

		if (str_eq(model, name) || str_eq(full, name))
			return true;
	}
	return false;
}

/*
 * A model that cannot be asked is refused before a session exists: the session would hold a failed
 * turn only, and be the one that @last means.
 */
int run_check_model(struct cli *c)
{
	struct str name = str_from(c->opts.model);
	struct json reply, row;
	struct params p;

	params_begin(&p);
	if (connection_try(c, "list_providers", &p, true, &reply) != THOLE_OK || is_listed(c, name))
		return CODE_DONE;
	row = provider_of(c, JSON_GET(reply, "providers"), name);
	if (json_bool(JSON_GET(row, "hasCredential"), false))
		return CODE_DONE; /* its server knows whether there is such a model */
	if (json_is(row) && !json_bool(JSON_GET(row, "isLocal"), false))
		out_error(c, "There is no key for %s.",
		          out_safe(c->mem, json_str(JSON_GET(row, "provider"))));
	else
		out_error(c, "There is no model %s.", out_safe(c->mem, name));
	if (json_is(JSON_GET(row, "remedy"))) {
		fprintf(stderr, "  To give it credentials, %s\n",
		        out_safe(c->mem, json_str(JSON_GET(row, "remedy"))));
		return CODE_CONFIG;
	}
	if (!can_any_answer(JSON_GET(reply, "providers")))
		fprintf(stderr,
		        "  No provider is set up. To do that in a minute, run: thole setup\n");
	else
		fprintf(stderr,
		        "  `thole models` lists those that can be asked; `thole setup` sets "
		        "up another provider.\n");
	return CODE_CONFIG;
}

/* The members of the trial's file are arguments of its command. */
static void write_trial(const struct submission *s, struct params *p)
{
	struct json_iter it = json_iter(s->trial);
	struct json value;
	struct str key;

	while (json_next(&it, &key, &value)) {
		jw_key(&p->w, key);
		jw_value(&p->w, value);
	}
}

/* Of a new session.  A workspace brings its directory. */
static void write_place(struct cli *c, const struct submission *s, struct params *p)
{
	if (!c->opts.workspace || c->opts.dir)
		params_cstr(p, "cwd", s->cwd);
	if (!str_is(s->where.session))
		params_placement(c, p, c->opts.node);
}

static int submit(struct cli *c, struct submission *s)
{
	struct wait_notice wait_notice;
	struct params p;
	int code = connection_open(c);

	if (!code && c->opts.model && !str_is(s->where.session))
		code = run_check_model(c);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", s->where.session);
	params_str(&p, "threadId", c->opts.thread ? str_from(c->opts.thread) : s->where.thread);
	params_raw(&p, "input", s->input);
	if (!json_is(s->trial))
		params_raw(&p, "context", s->context);
	if (!json_is(s->trial))
		params_cstr(&p, "delivery", s->delivery);
	write_trial(s, &p);
	params_cstr(&p, "model", c->opts.model);
	params_cstr(&p, "mode", c->opts.mode);
	params_cstr(&p, "effort", c->opts.effort);
	params_cstr(&p, "source", "cli");
	params_words(&p, "labels", &c->opts.labels);
	if (str_is(s->where.session))
		params_cstr(&p, "create", "never");
	write_place(c, s, &p);
	write_budget(c, &p);
	params_key(c, &p);
	wait_notice_begin(&wait_notice, c, true);
	code = connection_call(c, json_is(s->trial) ? "start_benchmark_trial" : "submit_turn", &p,
	                       &s->reply);
	wait_notice_end(&wait_notice);
	return code;
}

static struct str of_reply(const struct submission *s, const char *key)
{
	return json_str(json_get(s->reply, str_from(key)));
}

/* Prints what a queued turn waits for. */
static void tell_queued(struct cli *c, const struct submission *s, bool *ret_is_held)
{
	struct params p;
	struct json why;

	*ret_is_held = false;
	if (!str_eq(of_reply(s, "status"), STR("queued")))
		return;
	params_begin(&p);
	params_str(&p, "sessionId", of_reply(s, "sessionId"));
	params_str(&p, "threadId", of_reply(s, "threadId"));
	if (connection_try(c, "explain_thread", &p, true, &why) != THOLE_OK)
		return;
	*ret_is_held = str_eq(json_str(JSON_GET(why, "waitingFor")), STR("release"));
	out_note(c, TONE_DIM, "queued. %s", out_safe(c->mem, json_str(JSON_GET(why, "detail"))));
}

static void put_ids(struct cli *c, const struct submission *s)
{
	if (c->opts.json)
		out_json(s->reply);
	else if (c->opts.quiet)
		printf("%s\n", out_safe(c->mem, of_reply(s, "turnId")));
	else
		printf("session %s\nturn %s\nstatus %s\n",
		       out_safe(c->mem, of_reply(s, "sessionId")),
		       out_safe(c->mem, of_reply(s, "turnId")),
		       out_safe(c->mem, of_reply(s, "status")));
}

/*
 * "/name words" becomes the text of that command; its model is used unless the user named one.  A
 * message that names no command stays as it is.
 */
static int expand(struct cli *c, struct submission *s)
{
	struct json reply;

	/* Of what the person typed, before it is replaced. */
	s->context = resource_refs_read(c->mem, s->prompt);

	switch (expand_command(c, s->cwd, s->prompt, &reply)) {
	case EXPAND_COMMAND_REFUSED:
		return cli_failure_print(c, THOLE_REFUSED, reply);
	case EXPAND_COMMAND_NONE:
		return CODE_DONE;
	case EXPAND_COMMAND_DONE:
		break;
	}
	out_note(c, TONE_DIM, "%s", expand_command_origin(c, reply));
	s->prompt = json_str(JSON_GET(reply, "text"));
	if (!c->opts.model && str_is(json_str(JSON_GET(reply, "model"))))
		c->opts.model = arena_keep(c->mem, json_str(JSON_GET(reply, "model"))).ptr;
	return CODE_DONE;
}

/* Directories are added before the turn, so a new session is created before it too. */
static int add_dirs(struct cli *c, struct submission *s)
{
	struct params p;
	struct json reply;
	int code = CODE_DONE;

	if (!c->opts.add_dirs.count)
		return CODE_DONE;
	if (!str_is(s->where.session)) {
		if (c->opts.model)
			code = run_check_model(c);
		if (code)
			return code;
		params_begin(&p);
		write_place(c, s, &p);
		params_cstr(&p, "mode", c->opts.mode);
		params_key(c, &p);
		code = connection_call(c, "create_session", &p, &reply);
		if (code)
			return code;
		s->where.session = json_str(JSON_GET(reply, "sessionId"));
		s->where.thread = json_str(JSON_GET(reply, "threadId"));
		c->opts.mode = NULL;
		s->cwd = NULL;
	}
	return add_dirs_send(c, s->where.session);
}

/* A hook of the project that its user has not read does not run; a new user expects that it does. */
static void tell_hooks(struct cli *c, const char *cwd)
{
	struct json reply, row;
	struct params p;
	struct str key;
	size_t count = 0;

	params_begin(&p);
	params_cstr(&p, "cwd", cwd);
	if (connection_try(c, "list_hooks", &p, true, &reply) != THOLE_OK)
		return;
	struct json_iter it = json_iter(JSON_GET(reply, "hooks"));

	while (json_next(&it, &key, &row))
		count += str_eq(json_str(JSON_GET(row, "trust")), STR(WORD_HOOK_TRUST_UNTRUSTED));
	if (count)
		out_note(c, TONE_ASK,
		         "%zu hook%s of this project %s not trusted and %s not run: thole hooks ls",
		         count, count == 1 ? "" : "s", count == 1 ? "is" : "are",
		         count == 1 ? "does" : "do");
}

/* ---- following ---- */

/* The stream starts at the sequence that the session had before the submission. */
static int follow(struct cli *c, struct submission *s)
{
	struct watch_options o = {
		.result = c->opts.streams ? &s->result : NULL,
		.session = of_reply(s, "sessionId"),
		.thread = of_reply(s, "threadId"),
		.turn = of_reply(s, "turnId"),
		.after = s->where.sequence,
		.timeout_ms = c->opts.timeout_ms,
		.may_ask = c->is_tty_in && c->is_tty_err && !c->opts.unattended,
		.wait = c->opts.wait,
	};

	s->result.session = o.session;
	s->result.thread = o.thread;
	s->result.turn = o.turn;
	o.is_queued = str_eq(of_reply(s, "status"), STR("queued"));
	tell_queued(c, s, &o.is_held);
	if (!c->is_tty_err && !c->opts.json)
		out_note(c, TONE_DIM, "session %s turn %s", out_safe(c->mem, o.session),
		         out_safe(c->mem, o.turn));
	return watch_turn(c, &o);
}

/* ---- the verbs ---- */

/*
 * Everything that can fail without a daemon is checked first.  Signals are taken before the
 * connection, because that may start threads.
 */
static int submit_and_follow(struct cli *c, struct submission *s, const char *session, bool follows)
{
	/* A session keeps its first directory; --dir must name the same. */
	int code = !session || c->opts.dir ? paths_work_dir(c, &s->cwd) : CODE_DONE;

	bool has_place = c->opts.node || c->opts.workspace || c->opts.needs;

	if (!code && has_place && (session || c->opts.worktree))
		return opt_usage(c,
		                 "--node, --workspace and --needs begin a session; they do not go "
		                 "with -s or --worktree. `thole node place` moves one.");
	if (!code && c->opts.worktree && session)
		return opt_usage(c, "--worktree begins a session; it does not go with -s.");
	if (!code && c->opts.worktree_name && !worktree_is_name(str_from(c->opts.worktree_name)))
		return opt_usage(c, "--worktree=NAME is up to %d small letters, digits and -.",
		                 WORKTREE_NAME_MAX);
	if (!code && c->opts.worktree)
		code = worktree_open(c, cli_settings_worktrees(c), c->opts.worktree_name, s->cwd,
		                     &s->cwd);
	if (!code)
		code = cli_settings_allow_hosts(c);
	if (!code)
		code = add_dirs_check(c);

	if (!code)
		code = image_check(c);
	if (code)
		return code;
	if (c->opts.unattended && !c->opts.here)
		return opt_usage(
			c, "--unattended goes with --here; a daemon has its own (thole serve).");
	if (follows)
		watch_signal_all(c);
	code = connection_open(c);
	if (!code && session)
		code = ref_find(c, session, &s->where);
	if (!code)
		code = expand(c, s);
	if (!code && s->cwd && !c->opts.quiet)
		tell_hooks(c, s->cwd);
	if (!code)
		code = image_read_input(c, s->prompt, &s->input);
	if (!code)
		code = add_dirs(c, s);
	if (!code)
		code = submit(c, s);
	if (code)
		return code;
	if (follows)
		return follow(c, s);
	put_ids(c, s);
	return CODE_DONE;
}

/*
 * The trajectory of the thread up to now, also of a turn that failed, timed out or was interrupted.
 * The exit code of the turn counts more than that of the file.
 */
static int write_trajectory(struct cli *c, const struct submission *s, int code)
{
	struct ref where = { .kind = REF_THREAD,
		             .session = of_reply(s, "sessionId"),
		             .thread = of_reply(s, "threadId") };
	int written;

	if (!str_is(where.session)) {
		export_atif_drop(s->trajectory);
		return code;
	}
	watch_signal_end();
	written = export_atif_write(c, &where, s->trajectory);
	return code ? code : written;
}

/* The result is the last line of a stream, also when no turn began. */
static int submit_and_more(struct cli *c, struct submission *s, const char *session, bool follows)
{
	int code;

	if (c->opts.streams && !follows)
		return opt_usage(c, "--output stream-json follows the turn; it does not go with "
		                    "--detach, and with send it needs -f.");
	if (c->opts.trial && s->delivery)
		return opt_usage(c, "--trial begins at once; it does not go with --delivery.");
	code = c->opts.trial ? trial_file_read(c, c->opts.trial, &s->trial) : CODE_DONE;
	if (code)
		return code;
	code = c->opts.atif ? export_atif_prepare(c, c->opts.atif, &s->trajectory) : CODE_DONE;
	if (!code)
		code = submit_and_follow(c, s, session, follows);
	if (s->trajectory)
		code = write_trajectory(c, s, code);
	s->result.problem = c->problem;
	if (c->opts.streams)
		turn_result_print(c, &s->result, code);
	turn_result_done(&s->result);
	return code;
}

int verb_run(struct cli *c)
{
	struct submission s = { .delivery = c->opts.delivery };
	int code = read_prompt(c, 0, &s.prompt);

	if (code)
		return code;
	if (c->opts.detach && c->opts.atif)
		return opt_usage(c, "--atif follows the turn; it does not go with --detach. Later: "
		                    "thole export atif ID -o FILE");
	if (c->opts.detach && c->opts.here)
		return opt_usage(
			c, "--detach needs a daemon; with --here the turn ends with the program.");
	return submit_and_more(c, &s, c->opts.session, !c->opts.detach);
}

int run_message(struct cli *c, struct str text, struct str *session)
{
	struct submission s = { .delivery = c->opts.delivery, .prompt = text };
	int code = submit_and_more(c, &s, session->ptr, true);

	if (str_is(of_reply(&s, "sessionId")))
		*session = of_reply(&s, "sessionId");
	return code;
}

int verb_send(struct cli *c)
{
	struct submission s = { .delivery = c->opts.delivery };
	int code = read_prompt(c, 1, &s.prompt);

	if (code)
		return code;
	return submit_and_more(c, &s, c->args[0], c->opts.follow);
}
