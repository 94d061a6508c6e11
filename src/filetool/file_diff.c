/*
 * The unified diff of two texts, by Myers' algorithm with a bound on edits:
 * beyond it the differing middle is shown as removed and added.
 */
#include "filetool/filetool.h"

#include <stdlib.h>

#define CONTEXT 3
#define EDITS_MAX 1000 /* time and memory grow with its square */

struct lines {
	struct str *at;
	int count;
};

/* Which lines of both stay: keep[i] is the line of new that old line i is, or -1. */
struct match {
	struct lines old, new;
	int *keep;
};

/* A line includes its line break, so that a missing one at the end is a difference. */
static struct lines split(struct arena *mem, struct str text)
{
	struct lines l = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	l.at = ARENA_ARRAY(mem, struct str, count + 2);
	while (text.len) {
		ptrdiff_t end = str_find_char(text, '\n');
		size_t len = end < 0 ? text.len : (size_t)end + 1;

		l.at[l.count++] = str_head(text, len);
		text = str_skip(text, len);
	}
	return l;
}

/*
 * Myers: the furthest point on each diagonal for every number of edits,
 * walked back from the end.  a and b are what is left between the common
 * head and tail.
 */
static bool shortest(struct arena *mem, const struct str *a, int n, const struct str *b, int m,
                     int *keep, int offset)
{
	int max = MIN(n + m, EDITS_MAX), found = -1;
	int *v = ARENA_ARRAY(mem, int, 2 * (size_t)max + 3), *base = v + max + 1;
	int **trace = ARENA_ARRAY(mem, int *, (size_t)max + 1);

	for (int d = 0; d <= max && found < 0; d++) {
		trace[d] = arena_alloc_raw(mem, (2 * (size_t)d + 3) * sizeof(int));
		memcpy(trace[d], base - d - 1, (2 * (size_t)d + 3) * sizeof(int));
		for (int k = -d; k <= d; k += 2) {
			int x = k == -d || (k != d && base[k - 1] < base[k + 1]) ? base[k + 1]
			                                                         : base[k - 1] + 1;

			while (x < n && x - k < m && str_eq(a[x], b[x - k]))
				x++;
			base[k] = x;
			if (x >= n && x - k >= m) {
				found = d;
				break;
			}
		}
	}
	if (found < 0)
		return false;
	for (int d = found, x = n, y = m; d >= 0; d--) {
		const int *t = trace[d] + d + 1;
		int k = x - y, from_x, from_y;
		bool is_down = d && (k == -d || (k != d && t[k - 1] < t[k + 1]));

		from_x = !d ? 0 : is_down ? t[k + 1] : t[k - 1];
		from_y = !d ? 0 : from_x - (is_down ? k + 1 : k - 1);
		while (x > from_x && y > from_y) {
			x--;
			y--;
			keep[x] = y + offset;
		}
		x = from_x;
		y = from_y;
	}
	return true;
}

/*
 * Common lines at both ends are matched first: most edits are small, and the search is then
 * short.  If shortest() gives up, the middle stays unmatched.
 */
static void compare(struct arena *mem, struct match *m)
{
	int head = 0, tail = 0, n = m->old.count, k = m->new.count;

	m->keep = ARENA_ARRAY(mem, int, (size_t)n + 1);
	memset(m->keep, -1, sizeof(int) * ((size_t)n + 1));
	while (head < n && head < k && str_eq(m->old.at[head], m->new.at[head])) {
		m->keep[head] = head;
		head++;
	}
	while (tail < n - head && tail < k - head &&
	       str_eq(m->old.at[n - 1 - tail], m->new.at[k - 1 - tail])) {
		m->keep[n - 1 - tail] = k - 1 - tail;
		tail++;
	}
	shortest(mem, m->old.at + head, n - head - tail, m->new.at + head, k - head - tail,
	         m->keep + head, head);
}

/* ---- writing ---- */

static void put(struct buf *out, char mark, struct str line)
{
	buf_add_char(out, mark);
	buf_add_str(out, line);
	if (!line.len || line.ptr[line.len - 1] != '\n')
		buf_add_c(out, "\n\\ No newline at end of file\n");
}

/* From here on, where is the next line that differs?  Both counts when there is none. */
static bool next_change(const struct match *m, int *i, int *j)
{
	while (*i < m->old.count && m->keep[*i] == *j) {
		++*i;
		++*j;
	}
	return *i < m->old.count || *j < m->new.count;
}

/* To the next line that both texts have. */
static void skip_change(const struct match *m, int *i, int *j)
{
	while (*i < m->old.count && m->keep[*i] < 0)
		++*i;
	*j = *i < m->old.count ? m->keep[*i] : m->new.count;
}

/* The unified format counts lines from 1, and gives the line before for an empty range. */
static void put_hunk(const struct match *m, int i, int j, int end_i, int end_j, struct buf *out)
{
	int from_i = i, from_j = j;

	buf_printf(out, "@@ -%d,%d +%d,%d @@\n", end_i > from_i ? i + 1 : i, end_i - from_i,
	           end_j > from_j ? j + 1 : j, end_j - from_j);
	while (i < end_i || j < end_j) {
		if (i < end_i && m->keep[i] == j) {
			put(out, ' ', m->old.at[i]);
			i++;
			j++;
		} else if (i < end_i && m->keep[i] < 0) {
			put(out, '-', m->old.at[i++]);
		} else {
			put(out, '+', m->new.at[j++]);
		}
	}
}

/*
 * Changes with at most twice the context between them share a hunk, because their contexts would
 * overlap.
 */
static void put_hunks(const struct match *m, struct buf *out)
{
	int i = 0, j = 0;

	while (next_change(m, &i, &j)) {
		int lead = MIN(MIN(i, j), CONTEXT), start_i = i - lead, start_j = j - lead;
		int end_i, end_j, after_i, after_j;

		for (;;) {
			skip_change(m, &i, &j);
			end_i = after_i = i;
			end_j = after_j = j;
			if (!next_change(m, &after_i, &after_j) || after_i - end_i > 2 * CONTEXT)
				break;
			i = after_i;
			j = after_j;
		}

		int trail = MIN(CONTEXT, after_i - end_i);

		put_hunk(m, start_i, start_j, end_i + trail, end_j + trail, out);
		if (out->overflowed)
			return;
	}
}

struct file_diff file_diff(struct arena *mem, struct str name, struct str old, struct str new,
                           size_t max, struct buf *out)
{
	struct match m = { .old = split(mem, old), .new = split(mem, new) };
	struct file_diff d = { 0 };

	compare(mem, &m);
	for (int i = 0; i < m.old.count; i++)
		d.removed += m.keep[i] < 0;
	d.added = m.new.count - (m.old.count - d.removed);
	if (!d.added && !d.removed && str_is(old) && str_is(new))
		return d;
	out->max = max;
	if (str_is(old))
		buf_printf(out, "--- a/%.*s\n", STR_ARG(name));
	else
		buf_add_c(out, "--- /dev/null\n");
	if (str_is(new))
		buf_printf(out, "+++ b/%.*s\n", STR_ARG(name));
	else
		buf_add_c(out, "+++ /dev/null\n");
	put_hunks(&m, out);
	d.is_cut = out->overflowed;
	return d;
}
