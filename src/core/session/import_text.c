/* What a model is sent of an imported turn: its answer, and its calls as a record in words. */
#include "core/session/import.h"

#include "base/buf.h"
#include "base/gen/limits.h"
#include "base/utf8.h"
#include "core/context/prompt.h"

#define NAME_SHOWN 256
#define ARGS_SHOWN 600
#define RESULT_SHOWN 1200
#define ANSWER_MAX (4 * LIMIT_IMPORT_RECORD_BYTES)

/* The middle is left out: a text begins with what it is about and ends with its result. */
static void add_cut(struct buf *out, struct str text, size_t max)
{
	struct str head = utf8_head(text, max * 2 / 3), tail = utf8_tail(text, max / 3);

	if (text.len <= max) {
		buf_add_str(out, text);
		return;
	}
	buf_add_str(out, head);
	buf_printf(out, "\n[%zu bytes left out]\n", text.len - head.len - tail.len);
	buf_add_str(out, tail);
}

struct str import_text_answer(struct arena *mem, const struct rec_import_turn *turn)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	for (uint32_t i = 0; i < turn->items.count; i++) {
		const struct rec_import_item *item = turn->items.items[i];

		if (item->kind != IMPORT_ITEM_KIND_TEXT || !str_trim(item->text).len)
			continue;
		buf_add_c(&all, all.len ? "\n\n" : "");
		buf_add_str(&all, str_trim(item->text));
	}
	add_cut(&out, buf_str(&all), ANSWER_MAX);
	return arena_keep(mem, buf_str(&out));
}

static bool is_result_of(const struct rec_import_item *item, const struct rec_import_item *call)
{
	return item->kind == IMPORT_ITEM_KIND_TOOL_RESULT && str_is(item->source_id) &&
	       str_eq(item->source_id, call->source_id);
}

/* A line of a result must not look like the next call or the end of the record. */
static void add_inset(struct buf *out, struct str text, size_t max)
{
	CLEANUP(buf_done) struct buf part = { 0 };

	add_cut(&part, text, max);
	for (size_t i = 0; i < part.len; i++)
		if (part.ptr[i] == '\n' || part.ptr[i] == '\r')
			buf_add_c(out, "\n    ");
		else
			buf_add_char(out, part.ptr[i]);
}

static void add_call(struct buf *out, const struct rec_import_turn *turn, uint32_t at)
{
	const struct rec_import_item *call = turn->items.items[at];

	buf_add_c(out, "- ");
	add_inset(out, call->name, NAME_SHOWN);
	buf_add_char(out, ' ');
	add_inset(out, call->text, ARGS_SHOWN);
	buf_add_char(out, '\n');
	/* Results of parallel calls come later, in any order. */
	for (uint32_t i = at + 1; i < turn->items.count; i++) {
		const struct rec_import_item *item = turn->items.items[i];

		if (!is_result_of(item, call))
			continue;
		buf_add_c(out, item->is_error ? "  failed: " : "  result: ");
		add_inset(out, str_trim(item->text), RESULT_SHOWN);
		buf_add_char(out, '\n');
		return;
	}
}

/* Drops whole calls from the front. */
static struct str newest_calls(struct str all)
{
	while (all.len > LIMIT_IMPORT_RECORD_BYTES) {
		ptrdiff_t next = str_find(str_skip(all, 1), STR("\n- "));

		if (next < 0)
			return utf8_tail(all, LIMIT_IMPORT_RECORD_BYTES);
		all = str_skip(all, (size_t)next + 2);
	}
	return all;
}

struct str import_text_record(struct arena *mem, enum import_program program,
                              const struct rec_import_turn *turn)
{
	CLEANUP(buf_done) struct buf calls = { 0 };
	struct str shown;

	for (uint32_t i = 0; i < turn->items.count; i++)
		if (turn->items.items[i]->kind == IMPORT_ITEM_KIND_TOOL_CALL)
			add_call(&calls, turn, i);
	if (!calls.len)
		return STR("");
	shown = newest_calls(buf_str(&calls));

	const struct prompt_name names[] = {
		{ STR("program"),
		  program == IMPORT_PROGRAM_CODEX ? STR("codex") : STR("Claude Code") },
		{ STR("cut"),
		  shown.len < calls.len ? STR(" Older calls of the turn are left out.") : STR("") },
		{ STR("calls"), str_trim(shown) },
	};

	return prompt_fill(mem, prompt_text_notes[PROMPT_NOTE_IMPORTED_CALLS], names,
	                   COUNT_OF(names));
}
