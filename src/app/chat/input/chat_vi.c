/*
 * The keys of vi for the input: Escape leaves inserting, then letters move and
 * change.  An operator (d, c, y) waits for a motion or for itself; a number
 * repeats a motion.
 *
 *   INSERT ──Esc──► NORMAL ──i a I A o O c s──► INSERT
 *                     │ ▲ d c y
 *                     ▼ │ motion
 *                   OPERATOR
 */
#include "app/chat/input/chat_edit.h"

#include "app/chat/input/chat_text.h"

#define NOWHERE ((size_t)-1)
#define COUNT_MAX 999
#define PUT_MAX (1u << 20) /* bytes; "999p" of a long text does nothing */

static void end_command(struct chat_edit *e)
{
	e->vi_operator = 0;
	e->vi_count = 0;
}

static void begin_insert(struct chat_edit *e)
{
	e->is_normal = false;
	end_command(e);
}

/* The end of the word at the cursor, on its last character for a motion alone. */
static size_t word_last(struct chat_edit *e)
{
	struct str s = buf_str(&e->text);
	size_t end = chat_text_word_end(s, chat_text_next(s, e->cursor));

	return e->vi_operator ? end : chat_text_prev(s, end);
}

/* The begin of the next word. */
static size_t word_next(const struct chat_edit *e)
{
	struct str s = buf_str(&e->text);
	size_t end = chat_text_word_end(s, e->cursor), next = chat_text_word_end(s, end);

	return next > end ? chat_text_word_begin(s, next) : s.len;
}

static size_t motion(struct chat_edit *e, uint32_t code)
{
	switch (code) {
	case 'h':
		return chat_edit_before(e);
	case 'l':
	case ' ':
		return chat_edit_after(e);
	case '0':
	case '^':
		return chat_edit_line_begin(e);
	case '$':
		return chat_edit_line_end(e);
	case 'w':
		return word_next(e);
	case 'e':
		return word_last(e);
	case 'b':
		return chat_text_word_begin(buf_str(&e->text), e->cursor);
	case 'G':
		return e->text.len;
	default:
		return NOWHERE;
	}
}

/* Applies the operator between the cursor and `to`. */
static void operate(struct chat_edit *e, size_t to)
{
	uint32_t op = e->vi_operator;
	size_t from = MIN(e->cursor, to);

	if (op == 'y') {
		e->is_line = false;
		buf_clear(&e->killed);
		buf_add_str(&e->killed,
		            str_head(str_skip(buf_str(&e->text), from), MAX(e->cursor, to) - from));
		e->cursor = from;
	} else {
		e->is_killing = false;
		chat_edit_kill_to(e, to);
	}
	end_command(e);
	if (op == 'c')
		begin_insert(e);
}

/* The end of the count of lines from the cursor's on. */
static size_t lines_end(struct chat_edit *e)
{
	size_t from = e->cursor, end = chat_edit_line_end(e);

	for (unsigned left = MAX(e->vi_count, 1); --left && end < e->text.len;) {
		e->cursor = end + 1;
		end = chat_edit_line_end(e);
	}
	e->cursor = from;
	return end;
}

/* Deletes whole lines with one newline: the one behind them, or the one before the last line. */
static void delete_lines(struct chat_edit *e, size_t from, size_t end)
{
	if (end < e->text.len)
		end++;
	else if (from)
		from--;
	chat_edit_replace(e, from, end, STR(""));
	e->cursor = MIN(from, e->text.len);
	e->cursor = chat_edit_line_begin(e);
}

/* dd, cc, yy: whole lines, without the last newline; p puts them below. */
static void operate_lines(struct chat_edit *e)
{
	uint32_t op = e->vi_operator;
	size_t from = chat_edit_line_begin(e), end = lines_end(e);

	if (op == 'c') {
		e->cursor = from;
		operate(e, end);
		return;
	}
	buf_clear(&e->killed);
	buf_add_str(&e->killed, chat_edit_part(e, from, end));
	e->is_line = true;
	e->is_killing = false;
	if (op == 'd')
		delete_lines(e, from, end);
	end_command(e);
}

/* p and P: behind or before the cursor; whole lines below or above its line, and on the first. */
static void put(struct chat_edit *e, bool is_behind)
{
	struct buf text = { 0 };

	if (e->is_line)
		e->cursor = is_behind ? chat_edit_line_end(e) : chat_edit_line_begin(e);
	else if (is_behind)
		e->cursor = chat_edit_after(e);
	for (unsigned left = MAX(e->vi_count, 1); left; left--) {
		buf_add_c(&text, e->is_line && is_behind ? "\n" : "");
		buf_add_str(&text, buf_str(&e->killed));
		buf_add_c(&text, e->is_line && !is_behind ? "\n" : "");
	}
	size_t at = e->cursor;

	if (text.len <= PUT_MAX)
		chat_edit_replace(e, at, at, buf_str(&text));
	if (e->is_line && text.len <= PUT_MAX)
		e->cursor = at + is_behind;
	buf_done(&text);
	end_command(e);
}

static bool move(struct chat_edit *e, uint32_t code)
{
	unsigned left = MAX(e->vi_count, 1);
	size_t from = e->cursor, to = motion(e, code);

	if (to == NOWHERE)
		return false;
	while (--left) {
		e->cursor = to;
		to = motion(e, code);
	}
	e->cursor = from;
	if (e->vi_operator)
		operate(e, to);
	else
		e->cursor = to;
	end_command(e);
	return true;
}

static void insert_at(struct chat_edit *e, uint32_t code)
{
	e->cursor = code == 'a'   ? chat_edit_after(e)
	            : code == 'A' ? chat_edit_line_end(e)
	            : code == 'I' ? chat_edit_line_begin(e)
	                          : e->cursor;
	begin_insert(e);
}

static void open_line(struct chat_edit *e, bool is_below)
{
	e->cursor = is_below ? chat_edit_line_end(e) : chat_edit_line_begin(e);
	chat_edit_replace(e, e->cursor, e->cursor, STR("\n"));
	if (!is_below)
		e->cursor--;
	begin_insert(e);
}

static void change(struct chat_edit *e, uint32_t code)
{
	switch (code) {
	case 'x':
		e->vi_operator = 'd';
		operate(e, chat_edit_after(e));
		/* Behind the last character of a line there is nothing that the next x could delete. */
		if (e->cursor == chat_edit_line_end(e) && e->cursor > chat_edit_line_begin(e))
			e->cursor = chat_edit_before(e);
		break;
	case 's':
		e->vi_operator = 'c';
		operate(e, chat_edit_after(e));
		break;
	case 'D':
	case 'C':
		e->vi_operator = code | 0x20;
		operate(e, chat_edit_line_end(e));
		break;
	case 'p':
	case 'P':
		put(e, code == 'p');
		break;
	case 'u':
		chat_edit_undo(e);
		break;
	case 'o':
	case 'O':
		open_line(e, code == 'o');
		break;
	case 'i':
	case 'a':
	case 'I':
	case 'A':
		insert_at(e, code);
		break;
	default:
		end_command(e);
	}
}

static void normal_key(struct chat_edit *e, uint32_t code)
{
	bool is_digit = code >= '0' && code <= '9' && (code != '0' || e->vi_count);

	if (is_digit)
		e->vi_count = MIN(e->vi_count * 10 + (code - '0'), COUNT_MAX);
	else if (e->vi_operator && code == e->vi_operator)
		operate_lines(e);
	else if (move(e, code))
		return;
	else if (e->vi_operator)
		end_command(e);
	else if (code == 'd' || code == 'c' || code == 'y')
		e->vi_operator = code;
	else if (code == 'j' || code == 'k')
		chat_edit_row(e, code == 'k');
	else
		change(e, code);
}

bool chat_vi_key(struct chat_edit *e, const struct chat_key *k)
{
	if (k->code == CHAT_KEY_ESCAPE) {
		if (e->is_normal && !e->vi_operator && !e->vi_count)
			return false;
		if (!e->is_normal && e->cursor > chat_edit_line_begin(e))
			e->cursor = chat_edit_before(e);
		end_command(e);
		e->is_normal = true;
		return true;
	}
	if (!e->is_normal || k->code >= CHAT_KEY_NAMED || !str_is(k->text))
		return false;
	e->is_typing = false;
	normal_key(e, k->code);
	return true;
}
