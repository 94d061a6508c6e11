/*
 * QR codes for `thole pair` (ISO/IEC 18004): byte mode, error correction level L, versions 1 to
 * QR_VERSION_MAX, drawn with half blocks.
 *
 *	text ──► bits ──► blocks with correction ──► square ──► best of eight masks
 */
#include "app/cli/print/qr.h"

#include <stdlib.h>

/* ---- sizes, level L ---- */

struct version {
	uint8_t blocks, check; /* check: bytes of correction in each block */
	uint16_t data;         /* bytes of text and head in all blocks */
	uint8_t align[3];      /* centres of the alignment patterns, the first being 6 */
};

static const struct version versions[QR_VERSION_MAX + 1] = {
	[1] = { 1, 7, 19, { 0 } },           [2] = { 1, 10, 34, { 6, 18 } },
	[3] = { 1, 15, 55, { 6, 22 } },      [4] = { 1, 20, 80, { 6, 26 } },
	[5] = { 1, 26, 108, { 6, 30 } },     [6] = { 2, 18, 136, { 6, 34 } },
	[7] = { 2, 20, 156, { 6, 22, 38 } }, [8] = { 2, 24, 194, { 6, 24, 42 } },
	[9] = { 2, 30, 232, { 6, 26, 46 } }, [10] = { 4, 18, 274, { 6, 28, 50 } },
};

#define DATA_MAX 274
#define CHECK_MAX 30
#define WORDS_MAX (DATA_MAX + 4 * CHECK_MAX)

/* Four bits for the mode, then the length: 8 bits up to version 9, 16 above. */
static size_t head_bits(int version)
{
	return 4 + (version < 10 ? 8 : 16);
}

static int version_for(size_t len)
{
	for (int v = 1; v <= QR_VERSION_MAX; v++)
		if (head_bits(v) + 8 * len <= 8u * versions[v].data)
			return v;
	return 0;
}

/* ---- bytes ---- */

struct bits {
	uint8_t bytes[DATA_MAX];
	size_t count;
};

static void add_bits(struct bits *b, unsigned value, int width)
{
	for (int i = width - 1; i >= 0; i--, b->count++)
		b->bytes[b->count / 8] |= (uint8_t)((value >> i & 1) << (7 - b->count % 8));
}

/*
 * After the text a terminator of up to four zero bits, then the two padding bytes of the
 * standard.
 */
static void write_data(struct bits *b, struct str text, int version)
{
	size_t room = versions[version].data;

	add_bits(b, 4, 4); /* bytes */
	add_bits(b, (unsigned)text.len, (int)head_bits(version) - 4);
	for (size_t i = 0; i < text.len; i++)
		add_bits(b, (unsigned char)text.ptr[i], 8);
	add_bits(b, 0, 8 * room - b->count < 4 ? (int)(8 * room - b->count) : 4);
	b->count = (b->count + 7) / 8 * 8;
	for (unsigned pad = 0xec; b->count < 8 * room; pad ^= 0xec ^ 0x11)
		add_bits(b, pad, 8);
}

/* In GF(256) over x^8 + x^4 + x^3 + x^2 + 1. */
static uint8_t times(uint8_t a, uint8_t b)
{
	unsigned r = 0;

	for (int i = 7; i >= 0; i--)
		r = (r << 1 ^ (r >> 7) * 0x11d) ^ (b >> i & 1) * a;
	return (uint8_t)r;
}

/* The remainder of the data by the product of (x - 2^i), highest power first. */
static void correct(const uint8_t *data, size_t len, uint8_t *check, size_t n)
{
	uint8_t by[CHECK_MAX] = { 0 }, root = 1;

	by[n - 1] = 1;
	for (size_t i = 0; i < n; i++, root = times(root, 2))
		for (size_t k = 0; k < n; k++)
			by[k] = times(by[k], root) ^ (k + 1 < n ? by[k + 1] : 0);
	memset(check, 0, n);
	for (size_t i = 0; i < len; i++) {
		uint8_t first = data[i] ^ check[0];

		memmove(check, check + 1, n - 1);
		check[n - 1] = 0;
		for (size_t k = 0; k < n; k++)
			check[k] ^= times(by[k], first);
	}
}

/* Blocks interleaved, all data before all correction; the later blocks may be one byte longer. */
static size_t interleave(const struct bits *b, int version, uint8_t words[WORDS_MAX])
{
	const struct version *v = &versions[version];
	uint8_t check[4][CHECK_MAX];
	size_t least = v->data / v->blocks, short_ones = v->blocks - v->data % v->blocks;
	size_t at[4], count = 0;

	for (size_t i = 0, from = 0; i < v->blocks; i++) {
		size_t len = least + (i >= short_ones);

		at[i] = from;
		correct(b->bytes + from, len, check[i], v->check);
		from += len;
	}
	for (size_t k = 0; k <= least; k++)
		for (size_t i = 0; i < v->blocks; i++)
			if (k < least + (i >= short_ones))
				words[count++] = b->bytes[at[i] + k];
	for (size_t k = 0; k < v->check; k++)
		for (size_t i = 0; i < v->blocks; i++)
			words[count++] = check[i][k];
	return count;
}

/* ---- the square ---- */

struct draft {
	struct qr *q;
	uint8_t fixed[QR_SIDE_MAX][QR_SIDE_MAX]; /* patterns: neither data nor masked */
};

static void set(struct draft *d, int row, int col, bool dark)
{
	if (row < 0 || col < 0 || row >= d->q->side || col >= d->q->side)
		return;
	d->q->dark[row][col] = dark;
	d->fixed[row][col] = 1;
}

/* Rings around a centre: a finder (radius 4, its outer ring light) or an alignment (radius 2). */
static void draw_rings(struct draft *d, int row, int col, int radius)
{
	for (int y = -radius; y <= radius; y++)
		for (int x = -radius; x <= radius; x++) {
			int ring = MAX(abs(y), abs(x));

			set(d, row + y, col + x, radius == 4 ? ring != 2 && ring != 4 : ring != 1);
		}
}

/* At all crossings of the listed lines but the three that finders occupy. */
static void draw_aligns(struct draft *d, int version)
{
	const uint8_t *at = versions[version].align;
	int last = at[2] ? at[2] : at[1];

	for (int i = 0; i < 3 && at[i]; i++)
		for (int k = 0; k < 3 && at[k]; k++)
			if (!(at[i] == 6 && at[k] == 6) && !(at[i] == 6 && at[k] == last) &&
			    !(at[i] == last && at[k] == 6))
				draw_rings(d, at[i], at[k], 2);
}

/* The remainder of a BCH code: by is its generator polynomial. */
static unsigned remainder_of(unsigned value, int width, unsigned by)
{
	unsigned r = value;

	for (int i = 0; i < width; i++)
		r = r << 1 ^ (r >> (width - 1)) * by;
	return r;
}

/*
 * Twice, around the finders.  0x5412 keeps the bits from being all light; the last module is
 * always dark.
 */
static void draw_format(struct draft *d, int mask)
{
	unsigned value = 1u << 3 | (unsigned)mask; /* 01: level L */
	unsigned bits = (value << 10 | remainder_of(value, 10, 0x537)) ^ 0x5412;
	int side = d->q->side;

	for (int i = 0; i < 15; i++) {
		bool dark = bits >> i & 1;

		if (i < 8)
			set(d, i < 6 ? i : i + 1, 8, dark);
		else
			set(d, 8, i == 8 ? 7 : 14 - i, dark);
		if (i < 8)
			set(d, 8, side - 1 - i, dark);
		else
			set(d, side - 15 + i, 8, dark);
	}
	set(d, side - 8, 8, true);
}

static void draw_version(struct draft *d, int version)
{
	unsigned bits = (unsigned)version << 12 | remainder_of((unsigned)version, 12, 0x1f25);

	for (int i = 0; version >= 7 && i < 18; i++) {
		set(d, i / 3, d->q->side - 11 + i % 3, bits >> i & 1);
		set(d, d->q->side - 11 + i % 3, i / 3, bits >> i & 1);
	}
}

static void draw_patterns(struct draft *d, int version)
{
	int last = d->q->side - 4;

	for (int i = 0; i < d->q->side; i++) {
		set(d, 6, i, i % 2 == 0);
		set(d, i, 6, i % 2 == 0);
	}
	draw_rings(d, 3, 3, 4);
	draw_rings(d, 3, last, 4);
	draw_rings(d, last, 3, 4);
	draw_aligns(d, version);
	draw_version(d, version);
	draw_format(d, 0); /* takes its place; which mask is known later */
}

/* Two columns at a time from the right, up and down, around column 6. */
static void draw_words(struct draft *d, const uint8_t *words, size_t count)
{
	int side = d->q->side;
	size_t bit = 0;

	for (int right = side - 1; right >= 1; right -= 2) {
		if (right == 6)
			right = 5;
		for (int i = 0; i < side; i++)
			for (int k = 0; k < 2; k++) {
				bool is_up = ((right + 1) & 2) == 0;
				int col = right - k, row = is_up ? side - 1 - i : i;

				if (d->fixed[row][col] || bit >= 8 * count)
					continue;
				d->q->dark[row][col] = words[bit / 8] >> (7 - bit % 8) & 1;
				bit++;
			}
	}
}

/* ---- masks ---- */

static bool is_flipped(int mask, int row, int col)
{
	switch (mask) {
	case 0:
		return (row + col) % 2 == 0;
	case 1:
		return row % 2 == 0;
	case 2:
		return col % 3 == 0;
	case 3:
		return (row + col) % 3 == 0;
	case 4:
		return (row / 2 + col / 3) % 2 == 0;
	case 5:
		return row * col % 2 + row * col % 3 == 0;
	case 6:
		return (row * col % 2 + row * col % 3) % 2 == 0;
	default:
		return ((row + col) % 2 + row * col % 3) % 2 == 0;
	}
}

static void flip(struct draft *d, int mask)
{
	for (int row = 0; row < d->q->side; row++)
		for (int col = 0; col < d->q->side; col++)
			if (!d->fixed[row][col] && is_flipped(mask, row, col))
				d->q->dark[row][col] ^= 1;
}

static int at(const struct qr *q, bool by_column, int line, int i)
{
	return by_column ? q->dark[i][line] : q->dark[line][i];
}

/* Runs of one colour, and what looks like a finder with light beside it. */
static int penalty_of_line(const struct qr *q, bool by_column, int line)
{
	int run = 0, points = 0;
	unsigned last = 0;

	for (int i = 0; i < q->side; i++) {
		int dark = at(q, by_column, line, i);

		run = i && dark == at(q, by_column, line, i - 1) ? run + 1 : 1;
		points += run == 5 ? 3 : run > 5 ? 1 : 0;
		last = (last << 1 | (unsigned)dark) & 0x7ff;
		if (i >= 10 && (last == 0x5d0 || last == 0x05d))
			points += 40;
	}
	return points;
}

/*
 * The standard's rules for masks: runs, finder-like patterns, blocks of 2×2, and the share of
 * dark modules.
 */
static int penalty_of(const struct qr *q)
{
	int points = 0, dark = 0, total = q->side * q->side;

	for (int i = 0; i < q->side; i++)
		points += penalty_of_line(q, false, i) + penalty_of_line(q, true, i);
	for (int row = 0; row < q->side; row++)
		for (int col = 0; col < q->side; col++) {
			int c = q->dark[row][col];

			dark += c;
			if (row && col && c == q->dark[row - 1][col] &&
			    c == q->dark[row][col - 1] && c == q->dark[row - 1][col - 1])
				points += 3;
		}
	return points + abs(dark * 20 - total * 10) / total * 10;
}

static int best_mask(struct draft *d)
{
	int best = 0, least = 0;

	for (int mask = 0; mask < 8; mask++) {
		int points;

		flip(d, mask);
		draw_format(d, mask);
		points = penalty_of(d->q);
		flip(d, mask);
		if (mask && points >= least)
			continue;
		best = mask;
		least = points;
	}
	return best;
}

bool qr_encode(struct str text, struct qr *ret)
{
	int version = text.len <= QR_TEXT_MAX ? version_for(text.len) : 0;
	struct draft d = { .q = ret };
	struct bits b = { 0 };
	uint8_t words[WORDS_MAX];
	int mask;

	if (!version)
		return false;
	*ret = (struct qr){ .side = 17 + 4 * version };
	write_data(&b, text, version);
	draw_patterns(&d, version);
	draw_words(&d, words, interleave(&b, version, words));
	mask = best_mask(&d);
	flip(&d, mask);
	draw_format(&d, mask);
	return true;
}

/* ---- on a terminal ---- */

#define QUIET 2 /* less than the norm's four; the terminal around it is quiet too */

static bool is_dark(const struct qr *q, int row, int col)
{
	return row >= 0 && col >= 0 && row < q->side && col < q->side && q->dark[row][col];
}

void qr_print(const struct qr *q, bool color, struct buf *out)
{
	for (int row = -QUIET; row < q->side + QUIET; row += 2) {
		if (color)
			buf_add_str(out, STR("\033[97;40m"));
		for (int col = -QUIET; col < q->side + QUIET; col++) {
			bool top = !is_dark(q, row, col), low = !is_dark(q, row + 1, col);

			buf_add_str(out, top && low ? STR("█")
			                 : top      ? STR("▀")
			                 : low      ? STR("▄")
			                            : STR(" "));
		}
		buf_add_str(out, color ? STR("\033[0m\n") : STR("\n"));
	}
}
