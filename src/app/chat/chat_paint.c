/* What the chat shows now: notices, prompts and hints together with the view and the input. */
#include "app/chat/chat.h"

#include "base/os/clock.h"

#include <signal.h>
#include <stdarg.h>
#include <time.h>

#define NOTICE_MS 2000

void chat_paint_notice(struct chat *ch, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ch->notice, sizeof ch->notice, fmt, args);
	va_end(args);
	ch->notice_until = clock_mono_ms() + NOTICE_MS;
	ch->is_dirty = true;
}

static const char *notice_text(struct chat *ch)
{
	if (ch->link.state == CHAT_LINK_AWAY)
		return "  the daemon went away; coming back …";
	return *ch->notice ? ch->notice : NULL;
}

static const char *prompt_text(struct chat *ch)
{
	const char *text = chat_ask_text(&ch->ask);

	if (text && ch->ask.state == CHAT_ASK_SHOWN && ch->edit.text.len)
		return arena_printf(ch->mem, "%s  (Esc, then a key)", text).ptr;
	return text;
}

static const char *hint_text(struct chat *ch)
{
	if (ch->ask.state != CHAT_ASK_CLOSED && ch->ask.state != CHAT_ASK_SENT)
		return ch->ask.state == CHAT_ASK_ARMED    ? "one key answers"
		       : ch->ask.state == CHAT_ASK_TYPING ? "Enter sends the answer"
		                                          : NULL;
	return ch->view.state == CHAT_IDLE ? "What shall it do?  / commands  @ files  ! shell"
	                                   : "Enter steers  Tab queues  Esc stops";
}

static const char *sending_text(struct chat *ch)
{
	struct str first = ch->sending.len ? buf_str(&ch->sending) : str_from(ch->later.ptr + 1);
	const char *text = out_safe_cut(ch->mem, first, ch->screen.columns);
	size_t count = chat_lines_count(&ch->later) - !ch->sending.len;

	if (!count)
		return text;
	return arena_printf(ch->mem, "%s  (and %zu more line%s)",
	                    out_safe_cut(ch->mem, str_from(text), ch->screen.columns / 2), count,
	                    count == 1 ? "" : "s")
	        .ptr;
}

void chat_paint_draw(struct chat *ch, bool is_resized)
{
	struct chat_scene s = {
		.view = &ch->view,
		.edit = &ch->edit,
		.menu = chat_complete_menu(&ch->complete),
		.columns = ch->screen.columns,
		.rows = ch->screen.rows,
		.now = clock_wall_ms(),
		.color = ch->c->color_out,
		.place = ch->place,
		.prompt = prompt_text(ch),
		.notice = notice_text(ch),
		.hint = hint_text(ch),
	};

	if (ch->sending.len || ch->later.len)
		s.sending = sending_text(ch);
	chat_view_take(&ch->view, &ch->finished);
	chat_draw(&ch->frame, &s, ch->mem);
	/* First, because where the live rows are now is not known. */
	if (is_resized)
		chat_screen_repaint(&ch->screen, &ch->frame);
	chat_screen_put(&ch->screen, buf_str(&ch->finished), &ch->frame);
	buf_clear(&ch->finished);
	arena_reset(ch->mem);
	ch->is_dirty = false;
	ch->drawn_at = clock_mono_ms();
}

/* ---- other programs ---- */

void chat_paint_pause(struct chat *ch)
{
	chat_screen_pause(&ch->screen);
}

/* Ctrl-C for the other program reached the chat, too: both are in the terminal's foreground. */
static void drop_interrupts(void)
{
	struct timespec none = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	while (sigtimedwait(&set, NULL, &none) == SIGINT)
		;
}

void chat_paint_resume(struct chat *ch)
{
	drop_interrupts();
	if (!chat_screen_resume(&ch->screen))
		chat_leave(ch, CODE_FAILED);
	ch->is_dirty = true;
}
