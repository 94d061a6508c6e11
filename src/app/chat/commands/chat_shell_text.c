/* One byte at a time; bytes of UTF-8 are passed on as they are. */
#include "app/chat/commands/chat_shell_text.h"

static size_t line_begin(const struct buf *b)
{
	size_t at = b->len;

	while (at && b->ptr[at - 1] != '\n')
		at--;
	return at;
}

static void put(struct chat_shell_text *t, char c)
{
	if (t->is_alternate)
		return;
	if (t->is_returned && c != '\n' && !t->is_cut)
		t->text.len = line_begin(&t->text);
	t->is_returned = false;
	if (t->text.len < t->max)
		buf_add_char(&t->text, c);
	else
		t->is_cut = true;
}

/* One character, which may have several bytes. */
static void erase(struct chat_shell_text *t)
{
	struct buf *b = &t->text;

	if (t->is_alternate || t->is_cut)
		return;
	while (b->len && ((unsigned char)b->ptr[b->len - 1] & 0xc0) == 0x80)
		b->len--;
	if (b->len && b->ptr[b->len - 1] != '\n')
		b->len--;
}

static void plain(struct chat_shell_text *t, char c)
{
	if (c == '\033')
		t->state = SHELL_ESCAPE;
	else if (c == '\r')
		t->is_returned = !t->is_alternate;
	else if (c == '\b')
		erase(t);
	else if (c == '\n' || c == '\t' || ((unsigned char)c >= 0x20 && c != 0x7f))
		put(t, c);
}

static void escape(struct chat_shell_text *t, char c)
{
	t->param_count = 0;
	t->state = c == '['                                       ? SHELL_CSI
	           : c == ']' || c == 'P' || c == '_' || c == '^' ? SHELL_OSC
	           : c == '(' || c == ')' || c == '*' || c == '#' ? SHELL_SKIP
	                                                          : SHELL_PLAIN;
}

static void csi(struct chat_shell_text *t, char c)
{
	struct str params = str_of(t->params, t->param_count);
	bool is_alternate = str_eq(params, STR("?1049")) || str_eq(params, STR("?1047")) ||
	                    str_eq(params, STR("?47"));

	if ((unsigned char)c < 0x40) {
		if (t->param_count < sizeof t->params)
			t->params[t->param_count++] = c;
		return;
	}
	t->state = SHELL_PLAIN;
	if (is_alternate && (c == 'h' || c == 'l'))
		t->is_alternate = c == 'h';
}

/* A title or the like ends with BEL, or with ESC and a backslash. */
static void osc(struct chat_shell_text *t, char c)
{
	bool is_over = c == '\a' || (t->state == SHELL_OSC_ESCAPE && c == '\\');

	t->state = is_over ? SHELL_PLAIN : c == '\033' ? SHELL_OSC_ESCAPE : SHELL_OSC;
}

void chat_shell_text_add(struct chat_shell_text *t, struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		switch (t->state) {
		case SHELL_PLAIN:
			plain(t, bytes.ptr[i]);
			break;
		case SHELL_ESCAPE:
			escape(t, bytes.ptr[i]);
			break;
		case SHELL_CSI:
			csi(t, bytes.ptr[i]);
			break;
		case SHELL_OSC:
		case SHELL_OSC_ESCAPE:
			osc(t, bytes.ptr[i]);
			break;
		case SHELL_SKIP:
			t->state = SHELL_PLAIN;
			break;
		}
}

void chat_shell_text_done(struct chat_shell_text *t)
{
	buf_done(&t->text);
}
