#include "app/cli/out.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- tones ---- */

const char *tone_on(bool color, enum tone tone)
{
	static const char *codes[] = {
		[TONE_PLAIN] = "",        [TONE_DIM] = "\033[2m",  [TONE_BOLD] = "\033[1m",
		[TONE_GOOD] = "\033[32m", [TONE_BAD] = "\033[31m", [TONE_ASK] = "\033[33;1m",
		[TONE_NAME] = "\033[36m",
	};

	return color ? codes[tone] : "";
}

const char *tone_off(bool color)
{
	return color ? "\033[0m" : "";
}

/* ---- safe text ---- */

static bool is_break(char ch)
{
	return ch == '\n' || ch == '\r' || ch == '\t';
}

const char *safe(struct arena *mem, struct str s)
{
	struct buf out = { 0 };
	struct str kept;

	while (s.len) {
		size_t len = 0;

		while (len < s.len && !is_break(s.ptr[len]))
			len++;
		utf8_add_safe(&out, str_head(s, len), false);
		s = str_skip(s, len);
		if (s.len)
			buf_add_char(&out, ' ');
		while (s.len && is_break(s.ptr[0]))
			s = str_skip(s, 1);
	}
	kept = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return kept.ptr;
}

static size_t width_of(const char *text)
{
	return utf8_width(str_from(text));
}

const char *safe_cut(struct arena *mem, struct str s, size_t columns)
{
	const char *text = safe(mem, str_trim(s));

	if (width_of(text) <= columns)
		return text;
	return arena_printf(mem, "%.*s…",
	                    STR_ARG(utf8_head_columns(str_from(text), columns ? columns - 1 : 0)))
	        .ptr;
}

void put_safe(FILE *out, struct str s)
{
	struct buf text = { 0 };

	utf8_add_safe(&text, s, true);
	fwrite(buf_str(&text).ptr, 1, text.len, out);
	buf_done(&text);
}

void note(const struct cli *c, enum tone tone, const char *fmt, ...)
{
	va_list args;

	if (c->opts.quiet)
		return;
	fflush(stdout);
	fputs(tone_on(c->color_err, tone), stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "%s\n", tone_off(c->color_err));
}

void complain(const struct cli *c, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%sthole:%s ", tone_on(c->color_err, TONE_BAD), tone_off(c->color_err));
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

size_t columns_of(const struct cli *c, int fd)
{
	struct winsize size;

	(void)c;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return 100;
}

/* ---- numbers ---- */

const char *span_text(struct arena *mem, int64_t ms)
{
	double s = (double)ms / 1000;

	if (ms < 1000)
		return arena_printf(mem, "%d ms", (int)MAX(ms, 0)).ptr;
	if (s < 10)
		return arena_printf(mem, "%.1f s", s).ptr;
	if (s < 120)
		return arena_printf(mem, "%.0f s", s).ptr;
	if (s < 7200)
		return arena_printf(mem, "%.0f min", s / 60).ptr;
	if (s < 172800)
		return arena_printf(mem, "%.0f h", s / 3600).ptr;
	return arena_printf(mem, "%.0f d", s / 86400).ptr;
}

const char *ago_text(struct arena *mem, struct str time)
{
	int64_t at;

	if (!str_is(time) || !time_read(time, &at))
		return "";
	return arena_printf(mem, "%s ago", span_text(mem, clock_wall_ms() - at)).ptr;
}

const char *until_text(struct arena *mem, struct str time)
{
	int64_t at;

	if (!str_is(time) || !time_read(time, &at))
		return "";
	at -= clock_wall_ms();
	return at > 0 ? arena_printf(mem, "in %s", span_text(mem, at)).ptr : "now";
}

const char *usd_text(struct arena *mem, struct json amount)
{
	char text[64];
	size_t len;

	if (json_type(amount) != JSON_INT && json_type(amount) != JSON_REAL)
		return "unknown";
	len = (size_t)snprintf(text, sizeof text, "$%.6f", json_real(amount, 0));
	/* Zeros that say nothing go, cents stay. */
	while (text[len - 1] == '0' && text[len - 3] != '.')
		text[--len] = 0;
	return arena_printf(mem, "%s", text).ptr;
}

const char *bytes_text(struct arena *mem, int64_t bytes)
{
	static const char *units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < COUNT_OF(units)) {
		value /= 1024;
		unit++;
	}
	return arena_printf(mem, unit && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit])
	        .ptr;
}

/* prefix, underscore, ten digits of time, four of chance */
#define SHORT_ID 14

const char *id_text(const struct cli *c, struct str id)
{
	ptrdiff_t at = str_find_char(id, '_');

	if (c->is_tty_out && c->is_tty_err && at > 0 && id.len == (size_t)at + 27)
		id = str_head(id, (size_t)at + 1 + SHORT_ID);
	return safe(c->mem, id);
}

const char *field(struct cli *c, struct json v, const char *key)
{
	return safe(c->mem, json_str(json_get(v, str_from(key))));
}

const char *field_or_dash(struct cli *c, struct json v, const char *key)
{
	const char *text = field(c, v, key);

	return *text ? text : "-";
}

/* ---- tables ---- */

void table_row(struct table *t, enum tone tone, const char *const *cells)
{
	if (t->rows == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 32, row = t->columns * sizeof *t->cells;

		t->cells = arena_grow(t->c->mem, t->cells, t->cap * row, cap * row);
		t->tones = arena_grow(t->c->mem, t->tones, t->cap * sizeof *t->tones,
		                      cap * sizeof *t->tones);
		t->cap = cap;
	}
	for (size_t i = 0; i < t->columns; i++)
		t->cells[t->rows * t->columns + i] = cells[i] ? cells[i] : "";
	t->tones[t->rows++] = tone;
}

void table_begin(struct table *t, struct cli *c, const char *const *heads)
{
	*t = (struct table){ .c = c };
	while (heads[t->columns])
		t->columns++;
	table_row(t, TONE_DIM, heads);
}

static void put_row(const struct table *t, size_t row, const size_t *widths, FILE *out)
{
	bool color = out == stdout ? t->c->color_out : t->c->color_err;
	const char **cells = t->cells + row * t->columns;
	size_t room = t->c->is_tty_out ? columns_of(t->c, STDOUT_FILENO) : SIZE_MAX;

	fputs(tone_on(color, t->tones[row]), out);
	for (size_t i = 0; i + 1 < t->columns; i++) {
		fputs(cells[i], out);
		fprintf(out, "%*s", (int)(widths[i] - width_of(cells[i]) + 2), "");
		room -= room == SIZE_MAX ? 0 : MIN(room, widths[i] + 2);
	}
	const char *last = cells[t->columns - 1];

	if (width_of(last) > room)
		fprintf(out, "%.*s…", STR_ARG(utf8_head_columns(str_from(last), MAX(room, 8) - 1)));
	else
		fputs(last, out);
	fprintf(out, "%s\n", tone_off(color));
}

void table_print(struct table *t, FILE *out)
{
	size_t widths[TABLE_COLUMNS] = { 0 };

	for (size_t r = 0; r < t->rows; r++)
		for (size_t i = 0; i < t->columns; i++)
			widths[i] = MAX(widths[i], width_of(t->cells[r * t->columns + i]));
	for (size_t r = 0; r < t->rows; r++)
		put_row(t, r, widths, out);
}

void put_json(struct json v)
{
	struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_value(&w, v);
	buf_add_char(&text, '\n');
	fwrite(text.ptr, 1, text.len, stdout);
	buf_done(&text);
}

void rows_begin(struct rows *r, struct cli *c, const char *key)
{
	*r = (struct rows){ .c = c };
	jw_init(&r->w, &r->text);
	jw_obj(&r->w);
	jw_key(&r->w, str_from(key));
	jw_arr(&r->w);
}

void rows_add(struct rows *r, struct json row)
{
	if (r->c->opts.jsonl)
		put_json(row);
	else
		jw_value(&r->w, row);
}

void rows_end(struct rows *r)
{
	jw_arr_end(&r->w);
	jw_obj_end(&r->w);
	if (!r->c->opts.jsonl)
		printf("%.*s\n", STR_ARG(buf_str(&r->text)));
	buf_done(&r->text);
}
