/*
 * What Markdown files add to a chat: commands of the user and of the project,
 * and the instruction files that were loaded.
 */
#include "app/chat/chat.h"
#include "app/chat/commands/chat_verb.h"

#include "app/cli/extend/expand_command.h"
#include "app/cli/follow/text_editor.h"
#include "base/gen/limits.h"
#include "base/gen/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define HELP_MAX 100

/* ---- commands ---- */

void chat_extend_ask(struct chat *ch)
{
	struct params p;

	if (chat_link_is_open(&ch->link, CHAT_CALL_EXTENSIONS))
		return;
	params_begin(&p);
	params_cstr(&p, "cwd", ch->cwd);
	chat_link_send(&ch->link, CHAT_CALL_EXTENSIONS, "list_extensions", &p);
}

/* What matters most comes first: the end is cut in a narrow window. */
static const char *help_of(struct arena *mem, struct json row)
{
	struct str hint = json_str(JSON_GET(row, "argumentHint"));
	bool is_trusted = json_bool(JSON_GET(row, "isTrusted"), false);

	return arena_printf(mem, "%s%s%s%s", is_trusted ? "" : "not trusted · ",
	                    hint.len ? out_safe_cut(mem, hint, 40) : "", hint.len ? " · " : "",
	                    out_safe_cut(mem, json_str(JSON_GET(row, "description")), HELP_MAX))
	        .ptr;
}

/* A command of the chat wins over a file of its name. */
static bool is_builtin(struct str name)
{
	for (size_t i = 0; chat_commands_name(i); i++)
		if (str_eq(str_from(chat_commands_name(i) + 1), name))
			return true;
	return false;
}

static void add_row(struct chat_extend *x, struct json row)
{
	struct str kind = json_str(JSON_GET(row, "kind"));

	if (str_is(json_str(JSON_GET(row, "error"))))
		return;
	x->untrusted += !json_bool(JSON_GET(row, "isTrusted"), false);
	if (!str_eq(kind, STR("command")) || is_builtin(json_str(JSON_GET(row, "name"))))
		return;
	x->names[x->count] =
		arena_printf(x->mem, "/%.*s", STR_ARG(json_str(JSON_GET(row, "name"))));
	x->help[x->count++] = help_of(x->mem, row);
}

void chat_extend_reply(struct chat *ch, struct json reply)
{
	struct chat_extend *x = &ch->extend;
	struct json rows = JSON_GET(reply, "extensions"), row;
	struct json_iter it = json_iter(rows);
	struct str key;

	chat_complete_close(&ch->complete); /* the menu shows these names */
	arena_free(x->mem);
	x->mem = arena_new();
	x->names = ARENA_ARRAY(x->mem, struct str, json_count(rows) + 1);
	x->help = ARENA_ARRAY(x->mem, const char *, json_count(rows) + 1);
	x->count = x->untrusted = 0;
	while (json_next(&it, &key, &row))
		add_row(x, row);
	ch->complete.more = x->names;
	ch->complete.more_help = x->help;
	ch->complete.more_count = x->count;
	chat_complete_update(&ch->complete, &ch->edit);
	if (x->untrusted && !x->has_told)
		chat_view_note(
			&ch->view, TONE_DIM,
			"  %zu file%s of this project (skills, commands, agents) not trusted: "
			"/trust",
			x->untrusted, x->untrusted == 1 ? "" : "s");
	x->has_told = x->untrusted > 0;
}

void chat_extend_hooks(struct chat *ch, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "hooks"));
	struct json row;
	struct str key;
	size_t count = 0;

	while (json_next(&it, &key, &row))
		count += str_eq(json_str(JSON_GET(row, "trust")), STR(WORD_HOOK_TRUST_UNTRUSTED));
	if (count)
		chat_view_note(
			&ch->view, TONE_DIM,
			"  %zu hook%s of this project not trusted: /hooks, then /hooks trust",
			count, count == 1 ? "" : "s");
}

/* The hash comes with the list that is shown: of a read before or after it, it could differ. */
void chat_extend_show(struct chat *ch, const char *verb, char *ret_hash, size_t size)
{
	struct str hash;

	ch->c->shown_hash = STR_NONE;
	if (chat_verb_run(ch, verb, STR_NONE) != CODE_DONE)
		ch->c->shown_hash = STR_NONE;
	hash = ch->c->shown_hash;
	snprintf(ret_hash, size, "%.*s", STR_ARG(str_is(hash) ? hash : STR("")));
}

/* One request at a time; its answer updates the menu, which asks for the next one. */
void chat_extend_complete(void *owner, struct str line)
{
	struct chat *ch = owner;
	struct chat_extend *x = &ch->extend;
	struct str rest = line, name = str_cut(&rest, ' ');
	struct params p;

	if (str_eq(line, STR("/"))) {
		chat_extend_ask(ch);
		return;
	}
	if (str_eq(x->asked, line) || chat_link_is_open(&ch->link, CHAT_CALL_COMPLETE))
		return;
	arena_free(x->asked_mem);
	x->asked_mem = arena_new_small();
	x->asked = arena_keep(x->asked_mem, line);
	params_begin(&p);
	params_cstr(&p, "cwd", ch->cwd);
	params_str(&p, "name", str_skip(name, 1));
	params_str(&p, "arguments", rest);
	chat_link_send(&ch->link, CHAT_CALL_COMPLETE, "complete_argument", &p);
}

/* The menu shows the old values until it is updated with the new ones. */
void chat_extend_completed(struct chat *ch, struct json reply)
{
	struct json rows = JSON_GET(reply, "values"), row;
	struct arena *mem = arena_new(), *old = ch->extend.values_mem;
	struct str *values = ARENA_ARRAY(mem, struct str, json_count(rows) + 1), key;
	struct json_iter it = json_iter(rows);
	size_t count = 0;

	/* A blank would end the word. */
	while (json_next(&it, &key, &row))
		if (str_find_char(json_str(row), ' ') < 0)
			values[count++] = str_from(out_safe(mem, json_str(row)));
	ch->extend.values_mem = mem;
	ch->complete.values = values;
	ch->complete.value_count = count;
	chat_complete_update(&ch->complete, &ch->edit);
	arena_free(old);
	ch->is_dirty = true;
}

void chat_extend_done(struct chat *ch)
{
	arena_free(ch->extend.values_mem);
	arena_free(ch->extend.asked_mem);
	arena_free(ch->extend.mem);
}

bool chat_extend_run(struct chat *ch, struct str line)
{
	struct str pick = ch->pick;
	struct json reply;

	switch (expand_command(ch->c, ch->cwd, line, &reply)) {
	case EXPAND_COMMAND_NONE:
		return false;
	case EXPAND_COMMAND_REFUSED:
		chat_view_note(&ch->view, TONE_BAD, "  %s",
		               out_safe(ch->mem, json_str(JSON_GET(reply, "detail"))));
		if (str_eq(json_str(JSON_GET(reply, "code")), STR("not_trusted")))
			chat_view_note(&ch->view, TONE_DIM, "  here: /trust");
		return true;
	case EXPAND_COMMAND_DONE:
		break;
	}
	chat_view_note(&ch->view, TONE_DIM, "  %s", expand_command_origin(ch->c, reply));
	if (str_is(json_str(JSON_GET(reply, "model"))))
		ch->pick = json_str(JSON_GET(reply, "model"));
	ch->extend.is_expanded = true;
	chat_turn_send(ch, json_str(JSON_GET(reply, "text")), CHAT_QUEUE);
	ch->extend.is_expanded = false;
	ch->pick = pick;
	return true;
}

/* ---- directories ---- */

/* "~" and relative paths are the user's; the daemon wants an absolute one. */
static struct str absolute(struct chat *ch, struct str path)
{
	const char *home = getenv("HOME");

	if (home && (str_eq(path, STR("~")) || str_starts(path, STR("~/"))))
		return arena_printf(ch->mem, "%s%.*s", home, STR_ARG(str_skip(path, 1)));
	return str_starts(path, STR("/"))
	               ? path
	               : arena_printf(ch->mem, "%s/%.*s", ch->cwd, STR_ARG(path));
}

static void put_directories(struct chat *ch, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	chat_view_note(&ch->view, TONE_DIM, "  the agent works in %s",
	               out_safe(ch->mem, str_from(ch->cwd)));
	while (json_next(&it, &key, &v))
		chat_view_note(&ch->view, TONE_DIM, "  and in %s", out_safe(ch->mem, json_str(v)));
}

struct directories {
	struct str items[LIMIT_SESSION_DIRECTORIES];
	size_t count;
};

static void take_change(struct directories *d, struct json payload)
{
	struct str change = json_str(JSON_GET(payload, "change"));
	struct str directory = json_str(JSON_GET(payload, "directory"));
	size_t at = 0;

	while (at < d->count && !str_eq(d->items[at], directory))
		at++;
	if (str_eq(change, STR(WORD_POLICY_CHANGE_DIRECTORY_ADDED)) && at == d->count &&
	    d->count < COUNT_OF(d->items))
		d->items[d->count++] = directory;
	else if (str_eq(change, STR(WORD_POLICY_CHANGE_DIRECTORY_REMOVED)) && at < d->count)
		d->items[at] = d->items[--d->count];
}

/* False: this was the last page, or it cannot be read. */
static bool read_changes(struct chat *ch, struct directories *d, int64_t *after)
{
	struct json page, v;
	struct json_iter it;
	struct params p;
	struct str key;

	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_int(&p, "after", *after);
	params_raw(&p, "types", STR("[\"policy.changed\"]"));
	if (connection_try(ch->c, "list_events", &p, true, &page) != THOLE_OK)
		return false;
	it = json_iter(JSON_GET(page, "events"));
	while (json_next(&it, &key, &v))
		take_change(d, JSON_GET(v, "payload"));
	*after = json_int(JSON_GET(page, "lastSequence"), 0);
	return json_bool(JSON_GET(page, "more"), false) && *after > 0;
}

static void list_directories(struct chat *ch)
{
	struct directories d = { 0 };
	int64_t after = 0;

	while (*ch->view.session && read_changes(ch, &d, &after))
		;
	put_directories(ch, (struct json){ 0 });
	for (size_t i = 0; i < d.count; i++)
		chat_view_note(&ch->view, TONE_DIM, "  and in %s", out_safe(ch->mem, d.items[i]));
}

void chat_extend_directory(struct chat *ch, struct str args)
{
	bool removes = str_starts(args, STR("remove "));
	struct str path = str_trim(removes ? str_skip(args, 7) : args);
	struct json reply;
	struct params p;

	if (!path.len) {
		list_directories(ch);
		chat_view_note(&ch->view, TONE_DIM,
		               "  /add-dir DIR lets the agent read and write there too, in this "
		               "session; /add-dir remove DIR ends that");
		return;
	}
	if (!chat_open_create(ch))
		return;
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_str(&p, "directory", absolute(ch, path));
	if (removes)
		params_bool(&p, "remove", true);
	params_key(ch->c, &p);
	if (connection_try(ch->c, "add_directory", &p, true, &reply) == THOLE_OK)
		put_directories(ch, JSON_GET(reply, "directories"));
	else
		chat_view_note(&ch->view, TONE_BAD, "  %s",
		               out_safe(ch->mem, json_str(JSON_GET(reply, "detail"))));
}

/* ---- instruction files ---- */

#define FILES_MAX 64
#define PAGE_EVENTS 500

struct memory {
	struct str refs[FILES_MAX];
	int64_t bytes[FILES_MAX];
	size_t count;
};

/* The sources of the newest request; none before the first one. */
static void read_memory(struct chat *ch, struct memory *m)
{
	struct json page, events, row;
	struct json_iter it;
	struct params p;
	struct str key;

	if (!*ch->view.session)
		return;
	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_int(&p, "limit", PAGE_EVENTS);
	params_int(&p, "before", ch->view.after + 1);
	params_raw(&p, "types", STR("[\"context.resolved\"]"));
	if (connection_try(ch->c, "list_events", &p, true, &page) != THOLE_OK)
		return;
	events = JSON_GET(page, "events");
	if (!json_count(events))
		return;
	it = json_iter(
		JSON_GET(JSON_GET(json_at(events, json_count(events) - 1), "payload"), "sources"));
	while (json_next(&it, &key, &row) && m->count < FILES_MAX) {
		struct str ref = json_str(JSON_GET(row, "ref"));

		if (!str_starts(ref, STR("file:")) && !str_starts(ref, STR("user:")))
			continue;
		m->refs[m->count] = ref;
		m->bytes[m->count++] = json_int(JSON_GET(row, "bytes"), 0);
	}
}

static const char *path_of(struct chat *ch, const struct memory *m, struct str word);

/* Before the first message: those that exist now. */
static void list_coming(struct chat *ch, struct buf *out)
{
	static const char *const words[] = { "user", "project" };
	const struct memory none = { 0 };

	buf_add_c(out, "  files are loaded with the first message\n");
	for (size_t i = 0; i < COUNT_OF(words) && !ch->c->is_remote; i++) {
		const char *path = path_of(ch, &none, str_from(words[i]));

		if (path && access(path, F_OK) == 0)
			buf_printf(out, "  %s: %s\n", words[i], out_safe(ch->mem, str_from(path)));
	}
}

static void list_memory(struct chat *ch, const struct memory *m)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < m->count; i++)
		buf_printf(&out, "  %zu  %s, about %" PRId64 " tokens\n", i + 1,
		           out_safe(ch->mem, m->refs[i]), (m->bytes[i] + 3) / 4);
	if (!m->count && *ch->view.turn)
		buf_add_c(&out, "  no instruction file was loaded\n");
	else if (!m->count)
		list_coming(ch, &out);
	buf_add_c(&out,
	          "  /memory NUMBER opens one; /memory user and /memory project open your own "
	          "AGENTS.md and the project's\n");
	chat_view_text(&ch->view, buf_str(&out));
}

/* The nearest parent with .git, as for the daemon; else the directory itself. */
static const char *project_dir(struct chat *ch)
{
	char *dir = (char *)arena_keep(ch->mem, str_from(ch->cwd)).ptr;
	char *slash;

	while (access(arena_printf(ch->mem, "%s/.git", dir).ptr, F_OK) != 0) {
		slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			return ch->cwd;
		*slash = 0;
	}
	return dir;
}

static const char *user_dir(struct chat *ch)
{
	const char *config = paths_user_config(ch->c);
	struct str dir = str_from(config);

	while (dir.len && dir.ptr[dir.len - 1] != '/')
		dir.len--;
	return dir.len ? arena_keep(ch->mem, str_head(dir, dir.len - 1)).ptr : NULL;
}

/* NULL: the word names none. */
static const char *path_of(struct chat *ch, const struct memory *m, struct str word)
{
	const char *own = user_dir(ch);
	uint64_t n;
	struct str ref;

	if (str_eq(word, STR("user")))
		return own ? arena_printf(ch->mem, "%s/AGENTS.md", own).ptr : NULL;
	if (str_eq(word, STR("project")))
		return arena_printf(ch->mem, "%s/AGENTS.md", project_dir(ch)).ptr;
	if (!str_to_u64(word, &n) || !n || n > m->count)
		return NULL;
	ref = m->refs[n - 1];
	return arena_printf(ch->mem, "%s/%.*s",
	                    str_starts(ref, STR("user:")) && own ? own : project_dir(ch),
	                    STR_ARG(str_skip(ref, 5)))
	        .ptr;
}

void chat_extend_memory(struct chat *ch, struct str args)
{
	const char *editor = text_editor_name(), *path, *why;
	struct memory m = { 0 };
	bool is_done;

	read_memory(ch, &m);
	path = args.len ? path_of(ch, &m, args) : NULL;
	if (!path) {
		list_memory(ch, &m);
		return;
	}
	chat_paint_pause(ch);
	is_done = text_editor_open(ch->c, editor ? editor : "vi", path, &why);
	if (!is_done)
		chat_screen_reset(&ch->screen, true);
	chat_paint_resume(ch);
	if (is_done)
		chat_view_note(&ch->view, TONE_DIM, "  %s; the next message loads it",
		               out_safe(ch->mem, str_from(path)));
	else
		chat_view_note(&ch->view, TONE_BAD, "  %s could not be edited: %s",
		               out_safe(ch->mem, str_from(path)), why);
}
