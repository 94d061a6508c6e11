/* Keeps lines until the message before them is answered, then does them as if they were entered. */
#include "app/chat/chat.h"

/* Calls of other kinds need places too. */
static bool must_wait(const struct chat *ch)
{
	/* A message that reaches a turn that stops would wait in a queue that the stop holds. */
	return chat_link_is_open(&ch->link, CHAT_CALL_SUBMIT) || ch->is_stopping ||
	       ch->link.call_count >= CHAT_CALLS_MAX / 2;
}

static void keep(struct chat *ch, struct str line, enum chat_delivery delivery)
{
	buf_add_char(&ch->later, (char)('0' + delivery));
	buf_add_str(&ch->later, line);
	buf_add_char(&ch->later, 0);
	ch->is_dirty = true;
}

static void do_line(struct chat *ch, struct str line, enum chat_delivery delivery)
{
	if (line.ptr[0] == '!')
		chat_shell_run(ch, str_trim(str_skip(line, 1)));
	else if (line.ptr[0] != '/' || !chat_commands_run(ch, line))
		chat_turn_send(ch, line, delivery);
}

/* A turn was stopped before they were sent; their texts precede that of the input. */
static void to_input(struct chat *ch)
{
	CLEANUP(buf_done) struct buf texts = { 0 };

	ch->returns_later = false;
	if (!ch->later.len)
		return;
	for (size_t at = 0; at < ch->later.len; at += strlen(ch->later.ptr + at) + 1)
		buf_printf(&texts, "%s%s", texts.len ? "\n" : "", ch->later.ptr + at + 1);
	if (ch->edit.text.len)
		buf_add_char(&texts, '\n');
	buf_add_str(&texts, buf_str(&ch->edit.text));
	buf_clear(&ch->later);
	chat_edit_restore(&ch->edit, buf_str(&texts));
	ch->is_dirty = true;
}

void chat_lines_send(struct chat *ch)
{
	if (ch->returns_later)
		to_input(ch);
	while (ch->later.len && !ch->is_over && !must_wait(ch)) {
		CLEANUP(buf_done)
		struct buf line = { 0 }; /* a command may draw, which empties ch->mem */
		enum chat_delivery delivery = (enum chat_delivery)(ch->later.ptr[0] - '0');

		buf_add_c(&line, ch->later.ptr + 1);
		buf_drop(&ch->later, line.len + 2);
		do_line(ch, buf_str(&line), delivery);
		ch->is_dirty = true;
	}
}

void chat_lines_enter(struct chat *ch, struct str line, enum chat_delivery delivery)
{
	if (ch->later.len || must_wait(ch))
		keep(ch, line, delivery);
	else
		do_line(ch, line, delivery);
}
