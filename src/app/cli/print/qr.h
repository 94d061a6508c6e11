#ifndef APP_QR_H
#define APP_QR_H
/*
 * QR codes of short texts: bytes, versions 1 to 10, correction level L, because
 * a code on a screen is not damaged.
 *
 * Text in, a square of dark and light modules out; nothing is kept.
 */
#include "base/buf.h"

#define QR_VERSION_MAX 10
#define QR_SIDE_MAX (17 + 4 * QR_VERSION_MAX)
#define QR_TEXT_MAX 271

struct qr {
	int side;                               /* modules */
	uint8_t dark[QR_SIDE_MAX][QR_SIDE_MAX]; /* row, column */
};

/* False when the text is empty or longer than QR_TEXT_MAX. */
bool qr_encode(struct str text, struct qr *ret) MUST_USE;
/* Two rows a line, with the quiet zone; without colour light is drawn, for dark terminals. */
void qr_print(const struct qr *q, bool color, struct buf *out);

#endif
