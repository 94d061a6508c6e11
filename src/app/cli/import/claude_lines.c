/*
 * Lines of Claude Code's session files (projects/DIRECTORY/ID.jsonl).
 *
 * Messages form a tree by uuid and parentUuid: going back to an earlier message
 * begins another branch.  The conversation is the way from the last message up
 * to the root.  Results of parallel calls hang beside that way and belong to
 * it.  Lines of subagents (isSidechain) do not.
 */
#include "app/cli/import/session_reader.h"

#include "base/memory.h"

#include <string.h>

/* Its words for blocks of a message. */
#define BLOCK_CALL "tool_use"
#define BLOCK_RESULT "tool_result"

/* Types without a counterpart here; any other unknown one is counted. */
static bool is_for_screens(struct str type)
{
	static const char *const known[] = { "summary",
		                             "file-history-snapshot",
		                             "queue-operation",
		                             "progress",
		                             "custom-title",
		                             "ai-title",
		                             "system",
		                             "attachment",
		                             "last-prompt",
		                             "mode",
		                             "permission-mode",
		                             "agent-name",
		                             "pr-link",
		                             "agent-color",
		                             "tag" };

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(type, str_from(known[i])))
			return true;
	return false;
}

static bool is_message(struct str type)
{
	return str_eq(type, STR("user")) || str_eq(type, STR("assistant"));
}

static uint64_t hash_of(struct json id)
{
	struct str text = json_str(id);

	return text.len ? MAX(str_hash(text), 1) : 0;
}

/* ---- first pass ---- */

static struct session_link *link_at(struct session_reader *r, int64_t number)
{
	size_t at = (size_t)number;

	if (at >= SESSION_LINKS_MAX)
		return NULL;
	if (at >= r->link_cap) {
		size_t cap = r->link_cap ? r->link_cap : 256;

		while (cap <= at)
			cap *= 2;
		r->links = memory_resize(r->links, cap * sizeof *r->links);
		memset(r->links + r->link_cap, 0, (cap - r->link_cap) * sizeof *r->links);
		r->link_cap = cap;
	}
	r->link_count = MAX(r->link_count, at + 1);
	return &r->links[at];
}

static void note_title(struct session_reader *r, struct json line, struct str type)
{
	if (str_eq(type, STR("custom-title")))
		session_reader_note(r, &r->head.title, json_str(JSON_GET(line, "customTitle")),
		                    true);
	else if (str_eq(type, STR("ai-title")))
		session_reader_note(r, &r->head.title, json_str(JSON_GET(line, "aiTitle")), false);
	else if (str_eq(type, STR("summary")))
		session_reader_note(r, &r->head.title, json_str(JSON_GET(line, "summary")), false);
}

static void claude_scan(struct session_reader *r, struct json line)
{
	struct str type = json_str(JSON_GET(line, "type"));
	struct session_link *link = link_at(r, r->number);
	struct json parent = JSON_GET(line, "parentUuid");

	note_title(r, line, type);
	session_reader_note(r, &r->head.source_id, json_str(JSON_GET(line, "sessionId")), false);
	session_reader_note(r, &r->head.cwd, json_str(JSON_GET(line, "cwd")), false);
	session_reader_note(r, &r->head.branch, json_str(JSON_GET(line, "gitBranch")), true);
	session_reader_note(r, &r->head.version, json_str(JSON_GET(line, "version")), true);
	if (is_message(type))
		session_reader_time(r, line);
	if (!link)
		return;
	link->id = hash_of(JSON_GET(line, "uuid"));
	/* A summary of the conversation begins a new tree and names where it continues. */
	link->parent = hash_of(json_str(parent).len ? parent : JSON_GET(line, "logicalParentUuid"));
	link->is_main = is_message(type) && !json_bool(JSON_GET(line, "isSidechain"), false);
}

/* ---- which lines count ---- */

struct table {
	uint32_t *slots; /* number of a link, plus one */
	size_t cap;
};

static void put_link(struct table *t, const struct session_reader *r, size_t i)
{
	size_t at = r->links[i].id & (t->cap - 1);

	while (t->slots[at])
		at = (at + 1) & (t->cap - 1);
	t->slots[at] = (uint32_t)i + 1;
}

static struct session_link *find_link(const struct table *t, struct session_reader *r, uint64_t id)
{
	for (size_t at = id & (t->cap - 1); t->slots[at]; at = (at + 1) & (t->cap - 1))
		if (r->links[t->slots[at] - 1].id == id)
			return &r->links[t->slots[at] - 1];
	return NULL;
}

static void mark_way(const struct table *t, struct session_reader *r, struct session_link *last)
{
	while (last && !last->is_marked) {
		last->is_marked = true;
		last = last->parent ? find_link(t, r, last->parent) : NULL;
	}
}

static void claude_mark(struct session_reader *r)
{
	struct table t = { .cap = 64 };
	size_t last = r->link_count;

	while (t.cap < 2 * r->link_count)
		t.cap *= 2;
	t.slots = memory_alloc(t.cap * sizeof *t.slots);
	memset(t.slots, 0, t.cap * sizeof *t.slots);
	for (size_t i = 0; i < r->link_count; i++) {
		if (!r->links[i].id)
			continue;
		put_link(&t, r, i);
		if (r->links[i].is_main)
			last = i;
	}
	if (last < r->link_count)
		mark_way(&t, r, &r->links[last]);
	/* Results beside the way: their parent is on it. */
	for (size_t i = 0; i < r->link_count; i++) {
		struct session_link *up = r->links[i].parent && !r->links[i].is_marked
		                                  ? find_link(&t, r, r->links[i].parent)
		                                  : NULL;

		r->links[i].is_beside = up && up->is_marked;
	}
	memory_free(t.slots);
}

/* ---- second pass ---- */

static struct str text_of(struct session_reader *r, struct json content)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(content);
	struct json block;
	struct str key;

	if (json_type(content) == JSON_STR)
		return json_str(content);
	while (json_next(&it, &key, &block)) {
		struct str type = json_str(JSON_GET(block, "type"));

		buf_add_c(&out, out.len ? "\n" : "");
		if (str_eq(type, STR("text")))
			buf_add_str(&out, json_str(JSON_GET(block, "text")));
		else if (str_is(type))
			buf_printf(&out, "[%.*s]", STR_ARG(str_head(type, 40)));
	}
	return arena_keep(r->line, buf_str(&out));
}

static struct str between(struct str text, struct str open, struct str close)
{
	ptrdiff_t from = str_find(text, open), to;

	if (from < 0)
		return STR("");
	text = str_skip(text, (size_t)from + open.len);
	to = str_find(text, close);
	return to < 0 ? STR("") : str_trim(str_head(text, (size_t)to));
}

/* Text that the program itself put into the conversation. */
static bool is_of_program(struct str text)
{
	static const char *const starts[] = { "<local-command-",
		                              "<system-reminder>",
		                              "<bash-stdout>",
		                              "<bash-stderr>",
		                              "<task-",
		                              "[Request interrupted by user",
		                              "Caveat: The messages below were generated" };

	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (str_starts(text, str_from(starts[i])))
			return true;
	return false;
}

static void take_user_text(struct session_reader *r, struct json line, struct str text)
{
	struct str name = between(text, STR("<command-name>"), STR("</command-name>"));

	text = str_trim(text);
	if (is_of_program(text) || json_bool(JSON_GET(line, "isMeta"), false))
		return;
	/* The summary of a conversation whose turns are in the file. */
	if (json_bool(JSON_GET(line, "isCompactSummary"), false) && (r->has_turn || r->head.turns))
		return;
	if (name.len)
		text = str_trim(arena_printf(
			r->line, "%s%.*s %.*s", str_starts(name, STR("/")) ? "" : "/",
			STR_ARG(name),
			STR_ARG(between(text, STR("<command-args>"), STR("</command-args>")))));
	session_reader_user(r, text, json_str(JSON_GET(line, "uuid")), session_reader_at(line));
}

static void take_result(struct session_reader *r, struct json line, struct json block)
{
	session_reader_item(r, (struct session_item){
				       .kind = SESSION_ITEM_RESULT,
				       .id = json_str(JSON_GET(block, "tool_use_id")),
				       .text = text_of(r, JSON_GET(block, "content")),
				       .at = session_reader_at(line),
				       .is_error = json_bool(JSON_GET(block, "is_error"), false) });
}

static bool has_result(struct json content)
{
	struct json_iter it = json_iter(content);
	struct json block;
	struct str key;

	while (json_type(content) == JSON_ARR && json_next(&it, &key, &block))
		if (str_eq(json_str(JSON_GET(block, "type")), STR(BLOCK_RESULT)))
			return true;
	return false;
}

static void take_user(struct session_reader *r, struct json line, struct json content)
{
	struct json_iter it = json_iter(content);
	struct json block;
	struct str key;

	if (json_type(content) == JSON_STR) {
		take_user_text(r, line, json_str(content));
		return;
	}
	while (json_next(&it, &key, &block)) {
		struct str type = json_str(JSON_GET(block, "type"));

		if (str_eq(type, STR(BLOCK_RESULT)))
			take_result(r, line, block);
		else if (str_eq(type, STR("text")))
			take_user_text(r, line, json_str(JSON_GET(block, "text")));
		else if (str_eq(type, STR("image")))
			take_user_text(r, line, STR("[image]"));
	}
}

static void take_assistant(struct session_reader *r, struct json line, struct json message)
{
	struct json_iter it = json_iter(JSON_GET(message, "content"));
	struct str model = json_str(JSON_GET(message, "model"));
	struct json block;
	struct str key;

	if (str_eq(model, STR("<synthetic>")))
		return;
	r->model = model;
	while (json_next(&it, &key, &block)) {
		struct str type = json_str(JSON_GET(block, "type"));
		struct session_item item = { .id = json_str(JSON_GET(block, "id")),
			                     .at = session_reader_at(line) };

		if (str_eq(type, STR("text"))) {
			item.text = json_str(JSON_GET(block, "text"));
			item.id = json_str(JSON_GET(line, "uuid"));
		} else if (str_eq(type, STR(BLOCK_CALL))) {
			item.kind = SESSION_ITEM_CALL;
			item.name = json_str(JSON_GET(block, "name"));
			item.text = json_text(r->line, JSON_GET(block, "input"));
		} else {
			continue;
		}
		session_reader_item(r, item);
	}
	r->model = STR_NONE;
}

static bool counts(const struct session_reader *r, struct json content)
{
	const struct session_link *link;

	if ((size_t)r->number >= r->link_count)
		return true; /* beyond the bound of links: everything counts */
	link = &r->links[r->number];
	return link->is_marked || !link->id || (link->is_beside && has_result(content));
}

static void claude_take(struct session_reader *r, struct json line)
{
	struct str type = json_str(JSON_GET(line, "type"));
	struct json message = JSON_GET(line, "message");
	struct json content = JSON_GET(message, "content");

	if (!is_message(type))
		r->head.unknown += !is_for_screens(type);
	else if (json_bool(JSON_GET(line, "isSidechain"), false) || !counts(r, content))
		r->head.aside++;
	else if (str_eq(type, STR("user")))
		take_user(r, line, content);
	else
		take_assistant(r, line, message);
}

const struct session_dialect claude_lines_dialect = { claude_scan, claude_mark, claude_take };
