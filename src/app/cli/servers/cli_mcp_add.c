/*
 * Adds a tool server to a file of settings, or removes it.
 *
 *   words ──► entry ──► the file as it would be ──► checked ──► written ──► the server is tried
 *
 * The runtime's own reader checks the entry before anything is written.
 */
#include "app/cli/servers/cli_mcp_add.h"

#include "app/cli/cli_settings.h"
#include "app/cli/config/config_text.h"
#include "app/cli/config/user_config.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define PROJECT_FILE ".mcp.json"
#define PLACEHOLDER_MODE 0555

struct place {
	struct cli *c;
	struct str name;   /* of the server */
	bool is_project;   /* the file is the project's */
	const char *file;  /* absolute */
	const char *shown; /* the same for messages */
	int lock;          /* while it is read and changed; -1: none */
	struct str text;   /* of the file; absent: there is none */
	struct json doc;
	struct str path[3];
	size_t depth; /* of the server in the file */
};

/* ---- the file ---- */

static struct json servers_of(const struct place *p, struct json doc)
{
	for (size_t i = 0; i + 1 < p->depth; i++)
		doc = json_get(doc, p->path[i]);
	return doc;
}

/* A setting is written flat ("mcp.servers") or nested; the file keeps its way. */
static void find_path(struct place *p)
{
	bool is_flat = json_is(JSON_GET(p->doc, "mcp.servers"));
	struct str flat[] = { STR("mcp.servers"), p->name, STR_NONE };
	struct str nested[] = { STR("mcp"), STR("servers"), p->name };
	struct str project[] = { STR("mcpServers"), p->name, STR_NONE };

	memcpy(p->path, p->is_project ? project : is_flat ? flat : nested, sizeof p->path);
	p->depth = p->is_project || is_flat ? 2 : 3;
}

static bool parse(const struct place *p, struct str text, struct json *ret)
{
	if (!str_is(text) || !str_trim(text).len)
		text = STR("{}");
	/* .mcp.json is a file of several programs, and comments are not part of it. */
	return (p->is_project ? json_read(p->c->mem, text, ret, NULL)
	                      : json_read_config(p->c->mem, text, ret, NULL)) == OK &&
	       json_type(*ret) == JSON_OBJ;
}

/* A repository may hold a link; what it leads to is not part of the project. */
static int check_project_file(const struct place *p)
{
	struct stat st;

	if (lstat(p->file, &st) != 0 || S_ISREG(st.st_mode))
		return CODE_DONE;
	/* The directory that a sandbox protects a missing file by (protected_paths.h). */
	if (S_ISDIR(st.st_mode) && (st.st_mode & 07777) == PLACEHOLDER_MODE) {
		out_error(p->c,
		          "A command of an agent runs in this directory, and its sandbox keeps %s "
		          "from being made. Nothing was written.",
		          p->shown);
		fprintf(stderr,
		        "  Try again when it has ended; `thole process ls` lists what runs.\n");
		return CODE_CONFIG;
	}
	out_error(p->c, "%s is no ordinary file, so it is left as it is.", p->shown);
	return CODE_CONFIG;
}

static bool is_of_project(const struct cli *c)
{
	return c->opts.project_file || (c->opts.scope && strcmp(c->opts.scope, "project") == 0);
}

static int place_read(struct place *p)
{
	struct cli *c = p->c;

	p->text = STR_NONE;
	if (p->is_project)
		p->text = paths_read_own(c->mem, p->file, USER_CONFIG_MAX);
	if (p->is_project ? !str_is(p->text) && errno != ENOENT
	                  : !user_config_read(c, p->file, &p->text)) {
		out_error(c, "%s cannot be read (%s), so it is left as it is.", p->shown,
		          paths_reason());
		return CODE_CONFIG;
	}
	if (!parse(p, p->text, &p->doc)) {
		out_error(c, "%s is no JSON, so it is left as it is. Repair it first.", p->shown);
		return CODE_CONFIG;
	}
	find_path(p);
	return CODE_DONE;
}

/* Of several commands at once, one has the file until it is written. */
static int place_open(struct cli *c, struct place *p)
{
	int code;

	p->name = str_from(c->args[1]);
	p->is_project = is_of_project(c);
	p->file = p->is_project ? paths_absolute(c, PROJECT_FILE) : paths_user_config(c);
	if (!p->file) {
		out_error(c, "There is no HOME, so there is no place for settings.");
		return CODE_CONFIG;
	}
	p->shown = out_safe(c->mem, str_from(p->file));
	code = p->is_project ? check_project_file(p) : CODE_DONE;
	if (!code)
		code = user_config_lock(c, p->file, &p->lock);
	return code ? code : place_read(p);
}

static void place_close(struct place *p)
{
	user_config_unlock(&p->lock);
}

/* The mode of a project's file is kept; settings are for the user alone. */
static int place_write(struct place *p, struct str text)
{
	bool is_done = p->is_project ? user_config_write_shared(p->c, p->file, text)
	                             : user_config_write(p->c, p->file, text);

	int saved = errno;

	place_close(p);
	errno = saved;
	if (is_done)
		return CODE_DONE;
	out_error(p->c, "%s: %s. Nothing was written.", p->shown, paths_reason());
	return CODE_CONFIG;
}

/* ---- checks ---- */

/* -s is --session of the other words, and the scope where people come from. */
static int read_scope(struct cli *c)
{
	const char *word = c->opts.session;

	if (!word)
		return CODE_DONE;
	if (strcmp(word, "user") != 0 && strcmp(word, "project") != 0)
		return opt_usage(
			c,
			"A server is in your settings, for every directory (--scope user), "
			"or in .mcp.json of this one (--scope project), not in \"%s\".",
			word);
	if (c->opts.scope && strcmp(c->opts.scope, word) != 0)
		return opt_usage(c, "-s and --scope name two files.");
	c->opts.scope = word;
	return CODE_DONE;
}

static int check_file_words(struct cli *c)
{
	if (read_scope(c))
		return CODE_USAGE;
	if (c->is_remote)
		return opt_usage(c, "The file is one of the other machine: run it there.");
	if (is_of_project(c) && c->opts.read.count)
		return opt_usage(c, "A project's file cannot open directories; --read is for your "
		                    "own settings.");
	if (c->opts.project_file && c->opts.scope && strcmp(c->opts.scope, "user") == 0)
		return opt_usage(c, "--project and --scope user name two files.");
	return CODE_DONE;
}

/* Of the settings all servers together; of a project's file the new one, because others may be of any kind. */
static const char *trouble_of(const struct place *p, struct str entry, struct json doc)
{
	struct cli *c = p->c;
	struct str servers = p->is_project ? str_from(cli_mcp_try_object(c, p->name, entry))
	                                   : json_text(c->mem, servers_of(p, doc));
	struct thole_options o = { .config = cli_mcp_try_object(c, STR("mcp.servers"), servers) };
	struct thole_error e;
	struct str message;

	if (thole_settings_check(&o, &e) == THOLE_OK)
		return NULL;
	message = str_from(e.message);
	if (str_starts(message, STR("options: ")))
		message = str_skip(message, 9);
	return out_safe(c->mem, message);
}

/* The runtime does not connect such an entry of a project. */
static bool sends_variable(struct json entry)
{
	struct json_iter it = json_iter(JSON_GET(entry, "headers"));
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_find(json_str(v), STR("${")) >= 0)
			return true;
	return false;
}

static int check_entry(const struct place *p, struct str entry, struct str text)
{
	struct json doc, parsed = { 0 }, v;
	const char *why;

	if (!str_is(text) || !parse(p, text, &doc) ||
	    json_read(p->c->mem, entry, &parsed, NULL) != OK ||
	    !json_equal(json_get(servers_of(p, doc), p->name), parsed)) {
		out_error(p->c, "%s holds something else where servers are. It is left as it is.",
		          p->shown);
		return CODE_CONFIG;
	}
	why = trouble_of(p, entry, doc);
	if (why) {
		out_error(p->c, "%s. Nothing was written.", why);
		return CODE_USAGE;
	}
	v = JSON_GET(parsed, "headers");
	if (p->is_project && json_is(v) && sends_variable(parsed)) {
		out_error(p->c, "A header in a project's file cannot name a variable: the project "
		                "would choose where it is sent. Nothing was written.");
		fprintf(stderr, "  Without --project the entry is in your own settings.\n");
		return CODE_USAGE;
	}
	return CODE_DONE;
}

static int refuse_known(const struct place *p)
{
	const char *name = out_safe(p->c->mem, p->name);

	out_error(p->c, "There is a tool server \"%s\" in %s already.", name, p->shown);
	fprintf(stderr, "  To replace it, remove it first: thole mcp remove %s%s\n", name,
	        p->is_project ? " --project" : "");
	return CODE_FAILED;
}

/* ---- what was done ---- */

/* Values that are written out, and not the name of a variable. */
static bool has_plain_value(struct json members)
{
	struct json_iter it = json_iter(members);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_find(json_str(v), STR("${")) < 0)
			return true;
	return false;
}

static void tell_values(const struct place *p, struct json entry)
{
	const char *what = has_plain_value(JSON_GET(entry, "env"))       ? "env"
	                   : has_plain_value(JSON_GET(entry, "headers")) ? "headers"
	                                                                 : NULL;

	if (!what)
		return;
	if (p->is_project)
		out_note(p->c, TONE_ASK,
		         "Its values in \"%s\" are in that file, for everyone who has the project. "
		         "Secrets do not belong there.",
		         what);
	else
		out_note(p->c, TONE_PLAIN,
		         "Its values in \"%s\" are in that file, which only you can read (0600). "
		         "'${NAME}' as a value takes it from your environment instead.",
		         what);
}

static void tell_added(const struct place *p, struct json entry)
{
	const char *name = out_safe(p->c->mem, p->name);

	out_note(p->c, TONE_GOOD, "%s is in %s.", name, p->shown);
	tell_values(p, entry);
	if (p->is_project)
		out_note(
			p->c, TONE_ASK,
			"It does not run until you trust the file as it is now: thole mcp trust %s",
			name);
	else if (connection_is_up(p->c))
		cli_settings_tell_unread(p->c);
}

/* ---- the verbs ---- */

int cli_mcp_add(struct cli *c)
{
	CLEANUP(place_close) struct place p = { .c = c, .lock = -1 };
	struct str entry = STR_NONE, text;
	struct json parsed;
	int code = cli_mcp_entry_check(c);

	if (!code)
		code = check_file_words(c);
	if (!code)
		code = place_open(c, &p);
	if (!code)
		code = cli_mcp_entry_read(c, p.is_project, &entry);
	if (code)
		return code;
	if (json_is(json_get(servers_of(&p, p.doc), p.name)))
		return refuse_known(&p);
	text = config_text_add(c->mem,
	                       str_is(p.text) && str_trim(p.text).len ? p.text : STR("{}\n"),
	                       p.path, p.depth, entry);
	code = check_entry(&p, entry, text);
	if (!code)
		code = place_write(&p, text);
	if (code || json_read(c->mem, entry, &parsed, NULL) != OK)
		return code;
	tell_added(&p, parsed);
	if (c->opts.json && (p.is_project || c->opts.no_start))
		out_json(parsed);
	if (p.is_project || c->opts.no_start || !json_bool(JSON_GET(parsed, "enabled"), true))
		return CODE_DONE;
	return cli_mcp_try(c, p.name, entry);
}

/* The other file may have it. */
static void tell_other_file(const struct place *p)
{
	fprintf(stderr, "  `thole mcp ls` lists servers with their source; %s\n",
	        p->is_project ? "without --project your own settings are changed."
	                      : "--project changes the .mcp.json of this directory.");
}

int cli_mcp_add_undo(struct cli *c)
{
	CLEANUP(place_close) struct place p = { .c = c, .lock = -1 };
	struct str text;
	int code = c->arg_count == 2
	                   ? check_file_words(c)
	                   : opt_usage(c, "`thole mcp remove` wants the name of one server.");

	if (!code)
		code = place_open(c, &p);
	if (code)
		return code;
	if (!json_is(json_get(servers_of(&p, p.doc), p.name))) {
		out_error(c, "There is no tool server \"%s\" in %s.", out_safe(c->mem, p.name),
		          p.shown);
		tell_other_file(&p);
		return CODE_FAILED;
	}
	text = config_text_remove(c->mem, p.text, p.path, p.depth);
	if (!str_is(text) || !parse(&p, text, &p.doc) ||
	    json_is(json_get(servers_of(&p, p.doc), p.name))) {
		out_error(c, "%s could not be changed; remove the entry by hand.", p.shown);
		return CODE_CONFIG;
	}
	code = place_write(&p, text);
	if (code)
		return code;
	out_note(c, TONE_GOOD, "%s is no longer in %s.", out_safe(c->mem, p.name), p.shown);
	if (!p.is_project && connection_is_up(c))
		cli_settings_tell_unread(c);
	return CODE_DONE;
}
