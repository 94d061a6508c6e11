/* Offers what fits the word at the cursor, the best first. */
#include "app/chat/chat_complete.h"

#include <ctype.h>
#include <stdlib.h>

void chat_complete_init(struct chat_complete *c, const char *dir)
{
	*c = (struct chat_complete){ .dir = dir, .mem = arena_new_small() };
}

void chat_complete_commands(struct chat_complete *c, const char *(*name)(size_t i),
                            const char *(*help)(size_t i))
{
	c->command_name = name;
	c->command_help = help;
}

void chat_complete_done(struct chat_complete *c)
{
	arena_free(c->mem);
}

void chat_complete_close(struct chat_complete *c)
{
	c->menu.count = 0;
	c->is_closed = false;
	/* Files may change before the next word. */
	if (c->has_files)
		arena_reset(c->mem);
	c->has_files = false;
	c->file_count = 0;
}

const struct chat_menu *chat_complete_menu(const struct chat_complete *c)
{
	return c->menu.count && !c->is_closed ? &c->menu : NULL;
}

/* ---- matching ---- */

static bool is_boundary(struct str text, size_t at)
{
	return !at || strchr("/_-. ", text.ptr[at - 1]);
}

int chat_complete_score(struct str text, struct str what)
{
	int score = 0;
	size_t at = 0, last = 0;

	for (size_t i = 0; i < what.len; i++) {
		int wanted = tolower((unsigned char)what.ptr[i]);

		while (at < text.len && tolower((unsigned char)text.ptr[at]) != wanted)
			at++;
		if (at == text.len)
			return -1;
		score += is_boundary(text, at) ? 8 : i && at == last + 1 ? 6 : 1;
		last = at++;
	}
	/* Short paths and matches near the end, the file's name, come first. */
	return score * 64 + (int)MIN(last, 31) + (255 - (int)MIN(text.len, 255)) / 8;
}

struct match {
	struct str text;
	const char *note;
	int score;
};

static int by_score(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->score != y->score ? y->score - x->score : str_cmp(x->text, y->text);
}

/* ---- words ---- */

/* Where the word at the cursor begins. */
static size_t word_from(const struct chat_edit *e)
{
	size_t at = e->cursor;

	while (at && !isspace((unsigned char)e->text.ptr[at - 1]))
		at--;
	return at;
}

static void offer(struct chat_complete *c, struct match *matches, size_t count)
{
	qsort(matches, count, sizeof *matches, by_score);
	c->menu.count = MIN(count, CHAT_MENU_MAX);
	c->menu.selected = 0;
	for (size_t i = 0; i < c->menu.count; i++) {
		c->menu.items[i] = matches[i].text;
		c->menu.notes[i] = matches[i].note;
	}
}

static void offer_commands(struct chat_complete *c, struct str what)
{
	struct match matches[CHAT_MENU_MAX];
	size_t count = 0;

	for (size_t i = 0; c->command_name && c->command_name(i) && count < CHAT_MENU_MAX; i++) {
		struct str name = str_from(c->command_name(i));

		if (str_starts(name, what))
			matches[count++] = (struct match){ name, c->command_help(i), 0 };
	}
	for (size_t i = 0; i < c->more_count && count < CHAT_MENU_MAX; i++)
		if (str_starts(c->more[i], what))
			matches[count++] = (struct match){ c->more[i], c->more_help[i], 0 };
	offer(c, matches, count);
}

/* Once for a word.  Those of another machine may come later. */
static void list_files(struct chat_complete *c)
{
	if (c->has_files)
		return;
	c->has_files = true;
	if (!c->list)
		c->file_count = chat_files_list(c->mem, c->dir, &c->files, CHAT_FILES_MAX);
	else if (!c->list(c->owner, c->mem, &c->files, &c->file_count))
		c->has_files = false;
}

static void offer_files(struct chat_complete *c, struct str what)
{
	struct match *matches;
	size_t count = 0;

	list_files(c);
	matches = malloc((c->file_count + 1) * sizeof *matches);
	if (!matches)
		abort();
	for (size_t i = 0; i < c->file_count; i++) {
		int score = chat_complete_score(c->files[i], what);

		if (score >= 0)
			matches[count++] = (struct match){ c->files[i], NULL, score };
	}
	offer(c, matches, count);
	free(matches);
}

/* Only the menu of the words that the server has answered for; it shortens as more is typed. */
static void offer_values(struct chat_complete *c, struct str word)
{
	struct match matches[CHAT_MENU_MAX];
	size_t count = 0;

	for (size_t i = 0; i < c->value_count && count < CHAT_MENU_MAX; i++)
		if (str_starts(c->values[i], word) && !str_eq(c->values[i], word))
			matches[count++] = (struct match){ c->values[i], NULL, 0 };
	offer(c, matches, count);
	c->is_value = true;
}

/* "/SERVER:PROMPT " with a word behind it, which may be empty. */
static bool is_behind_prompt(struct str line, size_t from)
{
	size_t end = 0;

	while (end < line.len && !isspace((unsigned char)line.ptr[end]))
		end++;
	return line.len && line.ptr[0] == '/' && from > end &&
	       str_find_char(str_head(line, end), ':') > 0;
}

void chat_complete_update(struct chat_complete *c, struct chat_edit *e)
{
	size_t from = word_from(e);
	struct str word = chat_edit_part(e, from, e->cursor);

	if (from != c->from)
		c->is_closed = false;
	c->from = from;
	c->menu.count = 0;
	c->is_value = false;
	if (e->is_searching || c->is_closed)
		return;
	if (c->ask && is_behind_prompt(chat_edit_part(e, 0, e->cursor), from)) {
		offer_values(c, word);
		c->ask(c->ask_owner, chat_edit_part(e, 0, e->cursor));
		return;
	}
	if (!word.len)
		return;
	/* A tool server may have come since the last list. */
	if (c->ask && !from && str_eq(word, STR("/")))
		c->ask(c->ask_owner, word);
	if (word.ptr[0] == '/' && !from)
		offer_commands(c, word);
	else if (word.ptr[0] == '@')
		offer_files(c, str_skip(word, 1));
}

/* ---- keys ---- */

static void take(struct chat_complete *c, struct chat_edit *e)
{
	struct str item = c->menu.items[c->menu.selected];
	CLEANUP(buf_done) struct buf text = { 0 };

	bool is_file = e->text.ptr[c->from] == '@';
	const char *quote = is_file && str_find_char(item, ' ') >= 0 ? "\"" : "";

	buf_printf(&text, "%s%s%.*s%s ", is_file ? "@" : "", quote, STR_ARG(item), quote);
	chat_edit_replace(e, c->from, e->cursor, buf_str(&text));
	chat_complete_close(c);
}

/* A word that is complete already is sent, not taken. */
static bool is_whole(const struct chat_complete *c, const struct chat_edit *e)
{
	struct str word = chat_edit_part(e, c->from, e->cursor);

	if (str_starts(word, STR("@")))
		word = str_skip(word, 1);
	return str_eq(word, c->menu.items[c->menu.selected]);
}

bool chat_complete_key(struct chat_complete *c, struct chat_edit *e, const struct chat_key *k)
{
	size_t count = c->menu.count;

	if (!chat_complete_menu(c) || k->mods)
		return false;
	switch (k->code) {
	case CHAT_KEY_UP:
		c->menu.selected = (c->menu.selected + count - 1) % count;
		return true;
	case CHAT_KEY_DOWN:
		c->menu.selected = (c->menu.selected + 1) % count;
		return true;
	case CHAT_KEY_ESCAPE:
		c->is_closed = true;
		return true;
	case CHAT_KEY_TAB:
		return take(c, e), true;
	case CHAT_KEY_ENTER:
		if (c->is_value || is_whole(c, e))
			return false;
		return take(c, e), true;
	default:
		return false;
	}
}
