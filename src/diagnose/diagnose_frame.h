#ifndef DIAGNOSE_DIAGNOSE_FRAME_H
#define DIAGNOSE_DIAGNOSE_FRAME_H
/* Messages of the language server protocol: a header with Content-Length, then JSON. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define DIAGNOSE_FRAME_MAX 16777216

/* The next whole body of `in`, which is dropped from it; absent: more bytes are needed. */
enum err diagnose_frame_next(struct buf *in, struct arena *mem, struct str *ret,
                             struct error *e) MUST_USE;
void diagnose_frame_add(struct buf *out, struct str body);

#endif
