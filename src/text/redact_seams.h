#ifndef TEXT_REDACT_SEAMS_H
#define TEXT_REDACT_SEAMS_H
/*
 * Finds secrets that are divided between pieces of a text, such as the deltas of
 * a model's response, where no piece alone has the shape of one.
 *
 * First all pieces are added, in their order; pieces of several texts may
 * alternate.  Then each piece is asked for by its number.  Every part of a
 * divided secret is replaced by a mark of its own.  A secret that one piece
 * holds whole is left to redact_text().
 *
 * Memory is bounded: of each text, what the redactor holds back; of the whole,
 * SEAMS_TEXTS_MAX texts at a time and SEAMS_PARTS_MAX parts.  The text that was
 * added to least recently ends when there are too many.  When there are too many
 * parts, pieces from the first that is not covered on are replaced whole.
 */
#include "text/redact.h"

#define SEAMS_TEXTS_MAX 256
#define SEAMS_PARTS_MAX 65536

struct redact_seams;

/* The redactor lives as long as this. */
struct redact_seams *redact_seams_new(struct scrub *scrub);
void redact_seams_free(struct redact_seams *s); /* NULL is fine */

/* A piece of the text `key`; numbers are those of events, and grow. */
void redact_seams_add(struct redact_seams *s, struct str key, uint64_t number, struct str piece);
/* There are no more pieces. */
void redact_seams_end(struct redact_seams *s);
/* The piece without parts of divided secrets, in mem; the same bytes if it has none. */
struct str redact_seams_clean(const struct redact_seams *s, struct arena *mem, uint64_t number,
                              struct str piece, struct scrub_stream *counts);

#endif
