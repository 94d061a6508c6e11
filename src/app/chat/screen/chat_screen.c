/*
 * Writes frames to the terminal.  The position of the cursor inside the live
 * area is known at all times; all motions are relative to it, so that the
 * terminal may scroll as it likes.
 */
#include "app/chat/screen/chat_screen.h"

#include "app/chat/screen/chat_wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TAIL_MAX (64u << 10) /* bytes kept for a change of size */
#define SYNC_ON "\033[?2026h"
#define SYNC_OFF "\033[?2026l"
/* Bracketed paste, focus reports, and keys with modifiers distinguished (CSI u). */
#define MODES_ON "\033[?2004h\033[?1004h\033[>4;1m"
#define MODES_OFF "\033[>4;0m\033[?1004l\033[?2004l"

static void flush(struct chat_screen *s)
{
	size_t at = 0;

	while (at < s->bytes.len) {
		ssize_t len = write(s->out, s->bytes.ptr + at, s->bytes.len - at);

		if (len < 0 && errno != EINTR && errno != EAGAIN)
			break; /* the terminal has gone; reading it says so */
		at += len > 0 ? (size_t)len : 0;
	}
	buf_clear(&s->bytes);
}

/* ---- the terminal's modes ---- */

bool chat_screen_resume(struct chat_screen *s)
{
	struct termios raw;

	/* Only once: a program that was killed may have left another state. */
	if (!s->has_before && tcgetattr(s->in, &s->before) != 0)
		return false;
	s->has_before = true;
	raw = s->before;
	raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT);
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(s->in, TCSADRAIN, &raw) != 0)
		return false;
	s->is_raw = true;
	buf_add_c(&s->bytes, MODES_ON);
	flush(s);
	return true;
}

/*
 * Reports of the mouse, keys of an application, a hidden cursor, colours.  To leave the alternate
 * screen moves the cursor also where it is not shown.
 */
void chat_screen_reset(struct chat_screen *s, bool is_alternate)
{
	if (is_alternate)
		buf_add_c(&s->bytes, "\033[?1049l");
	buf_add_c(&s->bytes, "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1l\033>"
	                     "\033[?25h\033[m\r");
	flush(s);
}

bool chat_screen_open(struct chat_screen *s, int in, int out)
{
	*s = (struct chat_screen){ .in = in, .out = out };
	chat_screen_measure(s);
	return chat_screen_resume(s);
}

static void to_top(struct chat_screen *s)
{
	if (s->at_row)
		buf_printf(&s->bytes, "\033[%zuA", s->at_row);
	buf_add_char(&s->bytes, '\r');
	s->at_row = 0;
}

void chat_screen_clear(struct chat_screen *s)
{
	to_top(s);
	buf_add_c(&s->bytes, "\033[J");
	flush(s);
	s->shown.count = 0;
}

void chat_screen_pause(struct chat_screen *s)
{
	if (!s->is_raw)
		return;
	chat_screen_clear(s);
	buf_add_c(&s->bytes, MODES_OFF);
	flush(s);
	tcsetattr(s->in, TCSADRAIN, &s->before);
	s->is_raw = false;
}

void chat_screen_close(struct chat_screen *s)
{
	chat_screen_pause(s);
	buf_done(&s->bytes);
	buf_done(&s->tail);
	chat_draw_frame_done(&s->shown);
}

bool chat_screen_measure(struct chat_screen *s)
{
	struct winsize size = { 0 };
	size_t columns = 80, rows = 24;

	if (ioctl(s->out, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		columns = size.ws_col;
		rows = size.ws_row;
	}
	if (columns == s->columns && rows == s->rows)
		return false;
	s->columns = columns;
	s->rows = rows;
	return true;
}

/* ---- frames ---- */

static void keep_frame(struct chat_screen *s, const struct chat_frame *f)
{
	buf_clear(&s->shown.bytes);
	buf_add_str(&s->shown.bytes, buf_str(&f->bytes));
	memcpy(s->shown.ends, f->ends, f->count * sizeof f->ends[0]);
	s->shown.count = f->count;
	s->shown.cursor_row = f->cursor_row;
	s->shown.cursor_column = f->cursor_column;
}

static void to_row(struct chat_screen *s, size_t row)
{
	if (row > s->at_row)
		buf_printf(&s->bytes, "\033[%zuB", row - s->at_row);
	else if (row < s->at_row)
		buf_printf(&s->bytes, "\033[%zuA", s->at_row - row);
	buf_add_char(&s->bytes, '\r');
	s->at_row = row;
}

static void to_cursor(struct chat_screen *s, const struct chat_frame *f)
{
	to_row(s, f->cursor_row);
	if (f->cursor_column)
		buf_printf(&s->bytes, "\033[%zuC", f->cursor_column);
}

/* The cursor is at the beginning of the live area, and nothing is below it. */
static void write_frame(struct chat_screen *s, const struct chat_frame *f)
{
	for (size_t i = 0; i < f->count; i++) {
		buf_add_str(&s->bytes, chat_draw_row(f, i));
		if (i + 1 < f->count)
			buf_add_c(&s->bytes, "\r\n");
	}
	s->at_row = f->count ? f->count - 1 : 0;
	to_cursor(s, f);
}

/* The same number of rows: only those that differ are written. */
static void write_changes(struct chat_screen *s, const struct chat_frame *f)
{
	for (size_t i = 0; i < f->count; i++) {
		if (str_eq(chat_draw_row(f, i), chat_draw_row(&s->shown, i)))
			continue;
		to_row(s, i);
		buf_add_str(&s->bytes, chat_draw_row(f, i));
		buf_add_c(&s->bytes, "\033[K");
	}
	to_cursor(s, f);
}

static bool is_same(const struct chat_screen *s, const struct chat_frame *f)
{
	return f->count == s->shown.count && f->cursor_row == s->shown.cursor_row &&
	       f->cursor_column == s->shown.cursor_column &&
	       str_eq(buf_str(&f->bytes), buf_str(&s->shown.bytes));
}

static void keep_tail(struct chat_screen *s, struct str finished)
{
	size_t cut;

	buf_add_str(&s->tail, finished);
	if (s->tail.len <= 2 * TAIL_MAX)
		return;
	cut = s->tail.len - TAIL_MAX;
	while (cut < s->tail.len && s->tail.ptr[cut - 1] != '\n')
		cut++;
	buf_drop(&s->tail, cut);
}

void chat_screen_put(struct chat_screen *s, struct str finished, struct chat_frame *f)
{
	if (!s->is_raw || (!finished.len && is_same(s, f)))
		return;
	buf_add_c(&s->bytes, SYNC_ON);
	if (!finished.len && f->count == s->shown.count && f->count) {
		write_changes(s, f);
	} else {
		to_top(s);
		buf_add_c(&s->bytes, "\033[J");
		chat_wrap_text(&s->bytes, finished, s->columns);
		write_frame(s, f);
	}
	buf_add_c(&s->bytes, SYNC_OFF);
	flush(s);
	keep_frame(s, f);
	keep_tail(s, finished);
}

/* The last lines of the text that fit above the frame. */
static struct str last_lines(const struct chat_screen *s, size_t rows)
{
	struct str all = buf_str(&s->tail);
	size_t at = all.len, taken = 0;

	while (at) {
		size_t from = at - 1;

		while (from && all.ptr[from - 1] != '\n')
			from--;
		taken += chat_wrap_rows(NULL, str_of(all.ptr + from, at - 1 - from), s->columns);
		if (taken > rows)
			break;
		at = from;
	}
	return str_skip(all, at);
}

/* Row by row: some terminals move a screen that is cleared at once to their scrollback. */
static void clear_screen(struct chat_screen *s)
{
	buf_add_c(&s->bytes, "\033[H");
	for (size_t i = 0; i < s->rows; i++)
		buf_add_c(&s->bytes, "\033[2K\033[B");
	buf_add_c(&s->bytes, "\033[H");
}

void chat_screen_repaint(struct chat_screen *s, struct chat_frame *f)
{
	if (!s->is_raw)
		return;
	buf_add_c(&s->bytes, SYNC_ON);
	clear_screen(s);
	chat_wrap_text(&s->bytes, last_lines(s, s->rows > f->count ? s->rows - f->count : 0),
	               s->columns);
	s->at_row = 0;
	write_frame(s, f);
	buf_add_c(&s->bytes, SYNC_OFF);
	flush(s);
	keep_frame(s, f);
}

void chat_screen_remember(struct chat_screen *s, struct str text)
{
	keep_tail(s, text);
}

/* kitty knows OSC 99, rxvt and foot OSC 777, most others OSC 9; the bell is for all. */
void chat_screen_notify(struct chat_screen *s, const char *text)
{
	const char *term = getenv("TERM");

	if (!s->is_raw)
		return;
	if (term && strstr(term, "kitty"))
		buf_printf(&s->bytes, "\033]99;;%s\033\\\a", text);
	else if (term && (strstr(term, "rxvt") || strstr(term, "foot")))
		buf_printf(&s->bytes, "\033]777;notify;Thole;%s\a\a", text);
	else
		buf_printf(&s->bytes, "\033]9;%s\a\a", text);
	flush(s);
}
