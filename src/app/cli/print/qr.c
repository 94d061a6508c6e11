/*
 * libqrencode makes the code; this file copies its modules and draws them.
 */
#include "app/cli/print/qr.h"

#include <qrencode.h>

/* libqrencode marks a dark module in the lowest bit. */
#define MODULE_DARK 1

bool qr_encode(struct str text, struct qr *ret)
{
	QRcode *code;

	if (text.len > QR_TEXT_MAX)
		return false;
	/* Version 0: the smallest one that holds the text. */
	code = QRcode_encodeData((int)text.len, (const unsigned char *)text.ptr, 0, QR_ECLEVEL_L);
	if (!code)
		return false;
	*ret = (struct qr){ .side = code->width };
	for (int row = 0; row < code->width; row++)
		for (int col = 0; col < code->width; col++)
			ret->dark[row][col] = code->data[row * code->width + col] & MODULE_DARK;
	QRcode_free(code);
	return true;
}

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
