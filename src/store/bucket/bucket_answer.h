#ifndef STORE_BUCKET_ANSWER_H
#define STORE_BUCKET_ANSWER_H
/*
 * Answers of an object store: elements of its XML, and what its errors mean.  Pure.
 *
 * The answers that are read have a handful of elements that hold text alone and whose names occur
 * for one purpose, so an element is found by its name wherever it is.
 */
#include "base/arena.h"
#include "base/err.h"
#include "store/bucket/bucket_url.h"

/*
 * The text of the next element of that name, with its entities resolved, in mem; rest continues
 * behind it.  False: there is none, or it holds an entity that is not known.
 */
bool bucket_answer_next(struct arena *mem, struct str *rest, const char *name, struct str *ret);
/* The first one; absent: there is none. */
struct str bucket_answer_text(struct arena *mem, struct str xml, const char *name);

/*
 * Why a request failed: ERR_NOT_FOUND (no such object or upload), ERR_CORRUPT (the parts are not
 * those that were sent), else ERR_UNAVAILABLE with one of the codes of
 * docs/reference/store-errors.md.  ret_refused: a person must change something.
 */
enum err bucket_answer_error(const struct bucket_place *p, long status, struct str body,
                             bool *ret_refused, struct error *e);

#endif
