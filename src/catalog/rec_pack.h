#ifndef CATALOG_REC_PACK_H
#define CATALOG_REC_PACK_H
/*
 * Records in few bytes, for the journal (docs/formats/journal.md).
 *
 * A record is one bit per field and then the fields that are present, in the
 * order of the table.  Numbers have seven bits per byte, lowest first; signed
 * ones alternate (0, -1, 1, -2 ...).  A string is a number n and its bytes:
 * n = 0 is absent, an odd n a text of (n - 1) / 2 bytes.  An even n refers to a
 * text of n / 2 - 1 bytes elsewhere; the owner of the bytes says where.
 *
 * The reader takes bytes from anywhere: it checks every length and stops at the
 * first fault (is_broken), after which all results are zero.
 */
#include "base/buf.h"
#include "catalog/rec.h"

/* A string that was packed: its owner may replace it by a reference. */
struct rec_span {
	size_t at;  /* of the number */
	size_t len; /* of the text */
};

struct rec_packer {
	struct buf out;
	struct buf spans; /* struct rec_span, of strings of REC_SPAN_MIN bytes and more */
};

#define REC_SPAN_MIN 24

void rec_pack_done(struct rec_packer *p);
void rec_pack_clear(struct rec_packer *p); /* empties, keeps the memory */

void rec_pack_uint(struct rec_packer *p, uint64_t n);
void rec_pack_int(struct rec_packer *p, int64_t n);
void rec_pack_str(struct rec_packer *p, struct str s);
void rec_pack(struct rec_packer *p, const struct rec_desc *d, const void *rec);
/* The number alone, at the end of a buffer; returns its bytes. */
size_t rec_pack_number(struct buf *out, uint64_t n);

struct rec_unpacker {
	struct arena *mem;
	struct str in;
	size_t at;
	unsigned depth;
	bool is_broken;
	/* Reads what follows the number of a reference; false: there is no such text. */
	bool (*refer)(struct rec_unpacker *u, size_t len, struct str *ret);
	void *owner;
};

uint64_t rec_unpack_uint(struct rec_unpacker *u);
int64_t rec_unpack_int(struct rec_unpacker *u);
struct str rec_unpack_str(struct rec_unpacker *u);
/* Raw bytes; NULL: there are fewer. */
const char *rec_unpack_bytes(struct rec_unpacker *u, size_t len);
/* Fills ret, which is zeroed first. */
void rec_unpack(struct rec_unpacker *u, const struct rec_desc *d, void *ret);

#endif
