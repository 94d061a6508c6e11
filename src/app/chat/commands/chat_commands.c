/*
 * The slash commands.  Most are a verb of the command line on this session: its
 * output is caught and goes above the input.  The others change the chat itself.
 */
#include "app/chat/chat.h"
#include "app/chat/commands/chat_verb.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"
#include "base/utf8.h"

#define OUTPUT_MAX (1u << 20)
#define SUMMARY_TOKENS 400 /* about what a summary takes */
#define OUTPUT_LINES 200   /* of an unfolded result */

struct command {
	const char *name, *help;
	void (*run)(struct chat *ch, struct str args);
	/* instead of run: words of the command line; @ is the session, + the arguments, . the directory */
	const char *verb;
	bool needs_session;
};

/* ---- the chat itself ---- */

static void run_quit(struct chat *ch, struct str args)
{
	(void)args;
	chat_leave(ch, CODE_DONE);
}

static void run_new(struct chat *ch, struct str args)
{
	(void)args;
	chat_open_new(ch);
}

/* The answers are awaited: what is typed next may be an image that the model cannot see. */
static void run_model(struct chat *ch, struct str args)
{
	struct json reply;
	struct params p;

	if (!args.len) {
		chat_verb_run(ch, "models", STR_NONE);
		chat_view_note(&ch->view, TONE_DIM, "  /model NAME chooses one for this session");
		return;
	}
	if (!chat_verb_can_ask(ch, args))
		return;
	params_begin(&p);
	if (connection_try(ch->c, "list_models", &p, true, &reply) != THOLE_OK)
		return;
	ch->pick = arena_keep(ch->c->mem, args);
	chat_images_models(ch, JSON_GET(reply, "models"));
	chat_open_keep_model(ch);
	snprintf(ch->view.model, sizeof ch->view.model, "%s", out_safe_cut(ch->mem, args, 60));
	chat_view_note(&ch->view, TONE_DIM, "  the next message goes to %s", ch->view.model);
}

static bool is_mode(struct str word)
{
	static const char *const modes[] = { WORDS_PERMISSION_MODE };

	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(word, str_from(modes[i])))
			return true;
	return false;
}

static void run_mode(struct chat *ch, struct str args)
{
	if (!is_mode(args)) {
		chat_view_note(&ch->view, TONE_DIM, "  mode %s; /mode takes one of: %s",
		               ch->view.mode, WORDS_PERMISSION_MODE_TEXT);
		return;
	}
	chat_turn_set_mode(ch, args);
}

static void run_effort(struct chat *ch, struct str args)
{
	static const char *const levels[] = { WORDS_EFFORT };

	for (size_t i = 0; i < COUNT_OF(levels); i++)
		if (str_eq(args, str_from(levels[i]))) {
			ch->effort = levels[i];
			chat_view_note(&ch->view, TONE_DIM, "  effort %s from the next message on",
			               ch->effort);
			return;
		}
	if (str_eq(args, STR(WORD_EFFORT_SETTING_AUTO)))
		ch->effort = NULL;
	chat_view_note(&ch->view, TONE_DIM, "  effort %s; /effort takes one of: %s",
	               ch->effort ? ch->effort : WORD_EFFORT_SETTING_AUTO,
	               WORDS_EFFORT_SETTING_TEXT);
}

/*
 * The files of the project; with "yes" they are trusted if they are still those that were shown
 * before.
 */
static void run_trust(struct chat *ch, struct str args)
{
	struct chat_extend *x = &ch->extend;

	if (str_eq(args, STR("yes")) && *x->shown) {
		chat_verb_run(ch, "trust --yes --dir . --hash +", str_from(x->shown));
		*x->shown = 0;
	} else {
		chat_extend_show(ch, "trust --list --dir .", x->shown, sizeof x->shown);
		chat_view_note(&ch->view, TONE_DIM, "  /trust yes trusts what is listed");
	}
	chat_extend_ask(ch);
}

/* Hooks run programs, so that trust in them is given apart, for what was listed before. */
static void run_hooks(struct chat *ch, struct str args)
{
	struct chat_extend *x = &ch->extend;

	if (str_eq(args, STR("trust")) && *x->hooks_shown) {
		chat_verb_run(ch, "hooks trust --dir . --hash +", str_from(x->hooks_shown));
		*x->hooks_shown = 0;
		return;
	}
	chat_extend_show(ch, "hooks ls --dir .", x->hooks_shown, sizeof x->hooks_shown);
	if (*x->hooks_shown)
		chat_view_note(&ch->view, TONE_DIM, "  /hooks trust trusts those of the project");
}

/* "/mcp", "/mcp status NAME", and the other words of the verb with a NAME, for this session. */
/* They change files and start programs, so a shell is the place for them. */
static bool changes_settings(struct str word)
{
	return str_eq(word, STR("add")) || str_eq(word, STR("add-json")) ||
	       str_eq(word, STR("remove"));
}

static void run_mcp(struct chat *ch, struct str args)
{
	struct str name = args, word = str_cut(&name, ' ');
	bool is_status = str_eq(word, STR("status"));
	const char *verb =
		arena_printf(ch->mem, "mcp %.*s + -s @", STR_ARG(is_status ? STR("show") : word))
			.ptr;

	name = str_is(name) ? str_trim(name) : STR("");
	if (!args.len)
		chat_verb_run(ch, *ch->view.session ? "mcp ls -s @" : "mcp ls", STR_NONE);
	else if (changes_settings(word))
		chat_view_note(
			&ch->view, TONE_DIM,
			"  Tool servers are added and removed in a shell: thole mcp add NAME "
			"-- COMMAND");
	else if (!name.len)
		chat_view_note(&ch->view, TONE_DIM,
		               "  /mcp lists tool servers; /mcp status NAME, /mcp off NAME, /mcp "
		               "on NAME, /mcp trust NAME");
	else if (is_status && !*ch->view.session)
		chat_verb_run(ch, "mcp show +", name);
	else if (chat_open_create(ch))
		chat_verb_run(ch, verb, name);
}

static void run_agents(struct chat *ch, struct str args)
{
	(void)args;
	chat_verb_run(ch, "agents --dir .", STR_NONE);
	if (*ch->view.session)
		chat_verb_run(ch, "agent tree @", STR_NONE);
}

static void run_reasoning(struct chat *ch, struct str args)
{
	bool *hides = &ch->view.show.hides_reasoning;

	(void)args;
	*hides = !*hides;
	chat_view_note(&ch->view, TONE_DIM, "  reasoning is %s from now on",
	               *hides ? "hidden" : "shown");
}

static void run_vi(struct chat *ch, struct str args)
{
	(void)args;
	ch->edit.is_vi = !ch->edit.is_vi;
	chat_view_note(&ch->view, TONE_DIM, "  keys of %s; the setting chat.keys makes it last",
	               ch->edit.is_vi ? "vi" : "emacs");
}

/* A summary takes some hundred tokens itself; of a short conversation it would be the longer text. */
static bool is_short(const struct chat_view *v)
{
	return v->base_tokens && v->context_tokens - v->base_tokens < SUMMARY_TOKENS;
}

static void run_compact(struct chat *ch, struct str args)
{
	struct params p;

	if (is_short(&ch->view)) {
		chat_view_note(&ch->view, TONE_DIM,
		               "  Nothing to gain: the conversation is about as short as a summary "
		               "of it.");
		return;
	}
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_cstr(&p, "threadId", ch->view.thread);
	params_str(&p, "instructions", args.len ? args : STR_NONE);
	params_key(ch->c, &p);
	if (chat_link_send(&ch->link, CHAT_CALL_COMPACT, "compact_thread", &p))
		chat_paint_notice(ch, "  summarising older turns …");
}

static void tell_cost(struct chat *ch)
{
	struct json session, cost, tokens;
	struct params p;

	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_raw(&p, "sections", STR("[\"sessionCost\"]"));
	if (connection_try(ch->c, "get_session", &p, true, &session) != THOLE_OK)
		return;
	cost = JSON_GET(session, "sessionCost");
	tokens = JSON_GET(cost, "tokens");
	chat_view_note(&ch->view, TONE_PLAIN,
	               "  this session: %s (%s), tokens: %lld in (%lld of them cached), %lld out",
	               out_usd(ch->mem, JSON_GET(cost, "recordedUsd")),
	               out_safe_cut(ch->mem, json_str(JSON_GET(cost, "state")), 20),
	               (long long)json_int(JSON_GET(tokens, "inputTokens"), 0),
	               (long long)json_int(JSON_GET(tokens, "cachedInputTokens"), 0),
	               (long long)json_int(JSON_GET(tokens, "outputTokens"), 0));
}

static void run_cost(struct chat *ch, struct str args)
{
	(void)args;
	if (*ch->view.session)
		tell_cost(ch);
	chat_verb_run(ch, "models", STR_NONE);
}

static void run_fork(struct chat *ch, struct str args)
{
	struct json reply;
	struct params p;

	(void)args;
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_cstr(&p, "threadId", ch->view.thread);
	params_key(ch->c, &p);
	if (connection_try(ch->c, "fork_thread", &p, false, &reply) != THOLE_OK) {
		chat_view_note(&ch->view, TONE_BAD, "  %s",
		               out_safe(ch->mem, json_str(JSON_GET(reply, "detail"))));
		return;
	}
	chat_open_session(ch, arena_keep(ch->c->mem, str_from(ch->view.session)),
	                  json_str(JSON_GET(reply, "threadId")));
	chat_view_note(&ch->view, TONE_DIM,
	               "  continued on a new thread; the old one is unchanged");
}

/* Of the last turn alone; with a session's id the verb would undo all of its changes. */
static void run_undo(struct chat *ch, struct str args)
{
	if (!*ch->view.undo_turn)
		chat_paint_notice(ch, "  there is no turn to undo");
	else if (ch->view.state != CHAT_IDLE)
		chat_view_note(&ch->view, TONE_BAD,
		               "  Not undone: a turn runs and may change files. Esc stops it; then "
		               "/undo.");
	else if (str_eq(args, STR("all")))
		chat_verb_run(ch, "undo +", str_from(ch->view.session));
	else if (args.len)
		chat_paint_notice(ch, "  /undo reverts the last turn, /undo all the session");
	else
		chat_verb_run(ch, "undo +", str_from(ch->view.undo_turn));
}

static void run_resume(struct chat *ch, struct str args)
{
	struct str session;

	(void)args;
	chat_screen_clear(&ch->screen);
	session = chat_pick_session(ch->c, &ch->keys, ch->edit.is_vi);
	if (!str_is(session))
		return;
	ch->pick = STR_NONE; /* each session has its own */
	chat_open_session(ch, session, STR_NONE);
}

/* The session, and where its commands run. */
static void run_status(struct chat *ch, struct str args)
{
	(void)args;
	if (*ch->view.session)
		chat_verb_run(ch, "show @", STR_NONE);
	if (*ch->view.turn)
		chat_verb_run(ch, "env @", STR_NONE);
	else
		chat_view_note(
			&ch->view, TONE_PLAIN,
			"  %s in mode %s, in %s; the first message begins the work, and then "
			"/status shows the sandbox too",
			*ch->view.model ? ch->view.model : "no model",
			*ch->view.mode ? ch->view.mode : "unknown",
			out_safe(ch->mem, str_from(ch->cwd)));
}

/* Page by page if it is long: 10,000 lines above the input help no reader. */
static void put_lines(struct chat *ch, struct str text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	size_t count = 0;

	for (; text.len; count++) {
		struct str line = str_cut(&text, '\n');

		buf_add_c(&safe, "    ");
		utf8_add_safe(&safe, line, false);
		buf_add_char(&safe, '\n');
	}
	if (count > OUTPUT_LINES)
		chat_pager_show(ch, "output", buf_str(&safe));
	else
		chat_view_text(&ch->view, buf_str(&safe));
}

/* The stored output, its beginning if it is very long; false: it cannot be read. */
static bool read_output(struct chat *ch, struct buf *out)
{
	bool is_over = false;

	while (!is_over && out->len < OUTPUT_MAX * 4) {
		struct json page, coded;
		struct params p;

		params_begin(&p);
		params_cstr(&p, "outputRef", ch->view.last_output);
		params_int(&p, "offset", (int64_t)out->len);
		if (connection_try(ch->c, "get_output", &p, false, &page) != THOLE_OK)
			return false;
		coded = JSON_GET(page, "base64");
		if (json_is(coded) ? !base64_read(out, json_str(coded))
		                   : !json_is(JSON_GET(page, "text")))
			return false;
		if (!json_is(coded))
			buf_add_str(out, json_str(JSON_GET(page, "text")));
		is_over = json_bool(JSON_GET(page, "eof"), true);
	}
	if (!is_over)
		buf_printf(out, "\n… more: thole show %s\n", ch->view.last_output);
	return true;
}

static void run_output(struct chat *ch, struct str args)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)args;
	if (!ch->view.last_text.len)
		chat_paint_notice(ch, "  no tool has left an output");
	else if (!*ch->view.last_output)
		put_lines(ch, buf_str(&ch->view.last_text));
	else if (read_output(ch, &text))
		put_lines(ch, buf_str(&text));
	else
		chat_paint_notice(ch, "  The output cannot be read: thole show %s",
		                  ch->view.last_output);
}

static const char init_prompt[] =
	"Look at this repository and write AGENTS.md in its root: what the project is, how to "
	"build "
	"and test it, its layout and its conventions. Keep it under 60 lines. If the file exists, "
	"improve it.";
static const char review_prompt[] =
	"Review the changes in this working tree against the last commit (git diff HEAD). List "
	"defects first, each with file and line, then risks, then what is missing in tests. Do not "
	"change files.";

static void run_init(struct chat *ch, struct str args)
{
	(void)args;
	chat_turn_send(ch, str_from(init_prompt), CHAT_QUEUE);
}

static void run_review(struct chat *ch, struct str args)
{
	struct str text =
		args.len ? arena_printf(ch->mem, "%s\nLook at: %.*s", review_prompt, STR_ARG(args))
			 : str_from(review_prompt);

	chat_turn_send(ch, text, CHAT_QUEUE);
}

static void run_help(struct chat *ch, struct str args);

/* ---- the table ---- */

/* clang-format off */
static const struct command commands[] = {
	{ "/help", "Keys and commands.", run_help, NULL, false },
	{ "/model", "List models, or choose one.", run_model, NULL, false },
	{ "/mode", "Show or set the permission mode; Shift-Tab cycles.", run_mode, NULL, false },
	{ "/effort", "Show or set how much the model thinks.", run_effort, NULL, false },
	{ "/compact", "Replace older turns by a summary; words say what to keep.", run_compact, NULL, true },
	{ "/context", "What the model sees of this conversation, part by part, with sizes.", NULL, "context show -q @", true },
	{ "/cost", "What this session cost; models with prices, and caps.", run_cost, NULL, false },
	{ "/diff", "Changes that tools made to files.", NULL, "diff @", true },
	{ "/undo", "Undo the file changes of the last turn; all: of the session.", run_undo, NULL, true },
	{ "/rewind", "Go back to an earlier message and edit it; a number counts from the end; Esc Esc.", chat_rewind_run, NULL, true },
	{ "/fork", "Continue on a new thread.", run_fork, NULL, true },
	{ "/new", "Begin a new session.", run_new, NULL, false },
	{ "/resume", "Pick another session.", run_resume, NULL, false },
	{ "/output", "The whole output of the last tool; Ctrl-O.", run_output, NULL, true },
	{ "/reasoning", "Show or hide reasoning.", run_reasoning, NULL, false },
	{ "/vi", "Keys of vi or of emacs.", run_vi, NULL, false },
	{ "/tasks", "List the tasks of this session.", NULL, "task ls -s @", true },
	{ "/agents", "Agents that can be started, and those of this session.", run_agents, NULL, false },
	{ "/skills", "Skills of yours and of the project.", NULL, "skills --dir .", false },
	{ "/trust", "Skills, commands and agents of the project: show, or trust with yes.", run_trust, NULL, false },
	{ "/add-dir", "Let the agent work in another directory too; remove DIR ends that.", chat_extend_directory, NULL, false },
	{ "/memory", "Instruction files; a number, user or project opens one.", chat_extend_memory, NULL, false },
	{ "/processes", "Background processes.", NULL, "process ls", false },
	{ "/mcp", "Tool servers; status, on or off and a NAME for this session.", run_mcp, NULL, false },
	{ "/hooks", "Hooks: show, or trust those of the project with trust.", run_hooks, NULL, false },
	{ "/permissions", "Grants of this session.", NULL, "policy saved @", true },
	{ "/tools", "Tools of this session.", NULL, "tools @", true },
	{ "/export", "Write the session to a file: JSON lines, or a page if its name ends with .html.", chat_export_run, NULL, true },
	{ "/why", "What the session waits for.", NULL, "why @", true },
	{ "/status", "The session and where it runs.", run_status, NULL, false },
	{ "/doctor", "Check the installation.", NULL, "doctor", false },
	{ "/init", "Write AGENTS.md for this repository.", run_init, NULL, false },
	{ "/review", "Review the changes of the working tree.", run_review, NULL, false },
	{ "/quit", "Leave; the session stays.", run_quit, NULL, false },
};
/* clang-format on */

static const char keys_help[] =
	"  Enter sends; while a turn runs it steers, Tab queues\n"
	"  Esc stops the turn, Esc Esc goes back to a message, Ctrl-C clears or stops, Ctrl-D "
	"quits\n"
	"  Alt-Enter or \\ Enter a new line, Ctrl-R searches the history, Ctrl-G or Ctrl-X Ctrl-E "
	"opens "
	"the editor\n"
	"  Shift-Tab changes the mode, Ctrl-O shows the last output, Alt-Up takes a queued message "
	"back\n"
	"  @ completes files, / commands, ! runs a command of your own\n"
	"  An image is attached by @ and its name, by its pasted path, or by Ctrl-V from the "
	"clipboard\n";

static void run_help(struct chat *ch, struct str args)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)args;
	buf_add_c(&text, keys_help);
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		buf_printf(&text, "  %-13s %s\n", commands[i].name, commands[i].help);
	for (size_t i = 0; i < ch->extend.count; i++)
		buf_printf(&text, "  %-13s %s\n", out_safe(ch->mem, ch->extend.names[i]),
		           ch->extend.help[i]);
	chat_view_text(&ch->view, buf_str(&text));
}

const char *chat_commands_name(size_t i)
{
	return i < COUNT_OF(commands) ? commands[i].name : NULL;
}

const char *chat_commands_help(size_t i)
{
	return commands[i].help;
}

const char *chat_commands_verb(size_t i, bool *ret_needs_session)
{
	*ret_needs_session = commands[i].needs_session;
	return commands[i].verb;
}

/* The same under the names of other programs. */
static const struct {
	const char *theirs, *ours;
} same[] = { { "/clear", "/new" }, { "/exit", "/quit" }, { "/usage", "/cost" } };

/* Theirs that no command of the chat does, and what does it. */
static const struct {
	const char *theirs, *instead;
} elsewhere[] = {
	{ "/config", "in a shell: thole config; here: /model, /mode, /effort" },
	{ "/settings", "in a shell: thole config; here: /model, /mode, /effort" },
	{ "/login", "in a shell: thole setup, or thole auth add NAME" },
	{ "/logout", "in a shell: thole auth rm NAME" },
	{ "/allowed-tools", "/permissions" },
	{ "/approvals", "/mode, or /permissions for what was granted" },
	{ "/bashes", "/processes" },
	{ "/ps", "/processes" },
	{ "/todos", "/tasks" },
	{ "/vim", "/vi" },
	{ "/checkpoint", "/rewind" },
};

static const char *instead_of(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
		if (str_eq(str_from(elsewhere[i].theirs), name))
			return elsewhere[i].instead;
	return NULL;
}

static const struct command *find_command(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (str_eq(str_from(commands[i].name), name))
			return &commands[i];
	return NULL;
}

static const struct command *find_same(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(same); i++)
		if (str_eq(str_from(same[i].theirs), name))
			return find_command(str_from(same[i].ours));
	return NULL;
}

bool chat_commands_run(struct chat *ch, struct str line)
{
	struct str rest = line, name = str_cut(&rest, ' ');
	const struct command *command = find_command(name);
	struct str args = str_is(rest) ? str_trim(rest) : STR("");

	/* A file of the user wins over a name of another program. */
	if (!command && chat_extend_run(ch, line))
		return true;
	if (!command)
		command = find_same(name);
	/* "/etc/hosts is wrong" is a message; a single word that begins so is a mistake. */
	if (!command && memchr(name.ptr + 1, '/', name.len - 1))
		return false;
	ch->is_dirty = true;
	if (!command && instead_of(name))
		chat_view_note(&ch->view, TONE_ASK, "  There is no command %s; %s",
		               out_safe(ch->mem, name), instead_of(name));
	else if (!command)
		chat_view_note(&ch->view, TONE_BAD, "  There is no command %s; /help lists them.",
		               out_safe(ch->mem, name));
	else if (command->needs_session && !*ch->view.session)
		chat_paint_notice(ch, "  %s needs a session; it begins with the first message",
		                  command->name);
	else if (command->verb)
		chat_verb_run(ch, command->verb, args);
	else
		command->run(ch, args);
	return true;
}
