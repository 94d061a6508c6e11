#ifndef EVIDENCE_PACK_VERIFY_H
#define EVIDENCE_PACK_VERIFY_H
/*
 * Checks a pack: that each file has the hash that the manifest names, that the
 * manifest has its own, that the chain leads from its first hash to its head,
 * and that each event that is shown has the hash that the chain names.
 *
 * The report is a JSON object: status whole or broken, what the pack covers,
 * how many events are present, out of scope, redacted and erased, and findings.
 * A finding names the file, and the byte or the event where they are known.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * OK: *ret_is_whole and the report say what was found.  Otherwise the pack cannot be opened at all.
 */
enum err pack_verify(const char *path, struct buf *report, bool *ret_is_whole,
                     struct error *e) MUST_USE;

/* The same, and the pack must be signed by one of the keys, if there are any: pack_signature.h. */
struct pack_trust;
enum err pack_verify_trust(const char *path, const struct pack_trust *trust, struct buf *report,
                           bool *ret_is_whole, struct error *e) MUST_USE;

/* Folds the events and compares the read models; the report is like that of pack_verify(). */
enum err pack_replay(const char *path, struct buf *report, bool *ret_is_same,
                     struct error *e) MUST_USE;

/* Unpacks an archive into a new directory. */
enum err pack_extract(const char *archive, const char *dir, struct error *e) MUST_USE;

/* ---- shared by the files of this folder ---- */

/* Cuts a stream into lines.  False: a line is longer than a pack may have. */
struct pack_lines {
	struct buf held;
	uint64_t at; /* of the line in its file */
};
bool pack_verify_lines(struct pack_lines *l, struct str data,
                       void (*line)(void *arg, struct str line, uint64_t at), void *arg);

#endif
