/* Reads stdin to its end, with a line on stderr when that takes long. */
#include "app/cli/extend/piped_input.h"

#include "app/cli/print/out.h"
#include "base/os/clock.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define SILENT_MS 1000      /* then the wait is announced */
#define FIRST_BYTE_MS 10000 /* an addition that has not begun by then does not come */

bool piped_input_is_there(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) != 0)
		return false;
	return S_ISFIFO(st.st_mode) ||
	       (S_ISREG(st.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0);
}

bool piped_input_has_text(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	struct stat st;

	if (!piped_input_is_there() || fstat(STDIN_FILENO, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode))
		return st.st_size > 0;
	return poll(&p, 1, SILENT_MS) != 1 || p.revents & POLLIN;
}

struct reading {
	struct buf text;
	int64_t began; /* monotonic */
	bool awaits, has_told, is_over;
};

static void tell_wait(struct reading *r)
{
	r->has_told = true;
	fprintf(stderr, "  waiting for the end of stdin; Ctrl-D ends it in a terminal, </dev/null "
	                "gives none\n");
}

/* How long poll() may wait; -1: for ever. */
static int patience(const struct reading *r)
{
	int64_t past = clock_mono_ms() - r->began;

	if (!r->has_told)
		return (int)MAX(SILENT_MS - past, 0);
	return r->awaits || r->text.len ? -1 : (int)MAX(FIRST_BYTE_MS - past, 0);
}

static void on_silence(struct reading *r)
{
	if (!r->has_told) {
		tell_wait(r);
		return;
	}
	r->is_over = true;
	fprintf(stderr,
	        "  nothing arrived on stdin for %d s: it is left out. With the word - it is "
	        "awaited.\n",
	        FIRST_BYTE_MS / 1000);
}

/* False with errno. */
static bool read_piece(struct reading *r)
{
	char piece[16384];
	ssize_t n = read(STDIN_FILENO, piece, sizeof piece);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	r->is_over = n == 0;
	buf_add(&r->text, piece, (size_t)n);
	if (r->text.len <= PIPED_INPUT_MAX)
		return true;
	errno = EFBIG;
	return false;
}

static bool read_all(struct reading *r)
{
	while (!r->is_over) {
		struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
		int n = poll(&p, 1, patience(r));

		if (n == 0)
			on_silence(r);
		else if (n > 0 ? !read_piece(r) : errno != EINTR)
			return false;
	}
	return true;
}

static int refuse(struct cli *c, const char *why)
{
	out_error(c, "The text on stdin cannot be sent: %s.", why);
	fprintf(stderr, "  Put it into a file of the workspace and name that in the message.\n");
	return CODE_USAGE;
}

int piped_input_read(struct cli *c, bool awaits, struct str *ret)
{
	struct reading r = { .began = clock_mono_ms(), .awaits = awaits };
	bool is_read = read_all(&r);
	int why = errno;
	struct str text = arena_keep(c->mem, buf_str(&r.text));

	buf_done(&r.text);
	if (!is_read && why == EFBIG)
		return refuse(
			c,
			arena_printf(c->mem, "it has more than %u KiB", PIPED_INPUT_MAX >> 10).ptr);
	if (!is_read)
		return refuse(c, strerror(why));
	if (!utf8_is_valid(text) || (text.len && memchr(text.ptr, 0, text.len)))
		return refuse(c, "it is no text in UTF-8");
	*ret = text.len ? text : STR_NONE;
	return CODE_DONE;
}
