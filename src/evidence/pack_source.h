#ifndef EVIDENCE_PACK_SOURCE_H
#define EVIDENCE_PACK_SOURCE_H
/*
 * The files of a pack, one after the other, from a directory or a .tar.zst.
 *
 * manifest.json comes first, then pack.json, replay.json, floor.json,
 * chain.jsonl and events.jsonl.  A directory is read in this order; an archive
 * must have it.  Links, devices and strange names are refused, and the
 * number of files and bytes is bounded, as archive.h describes.
 */
#include "archive/archive.h"

struct pack_source;

/* ERR_NOT_FOUND: it is no pack, also not a damaged one. */
enum err pack_source_open(const char *path, struct pack_source **ret, struct error *e) MUST_USE;
void pack_source_close(struct pack_source *s);
/* The place of a file in the order above; -1: it has none and may come anywhere. */
int pack_source_rank(struct str path);
/* Files of a directory that are not wanted are not opened; an archive still shows all of its files. */
void pack_source_only(struct pack_source *s, bool (*is_wanted)(struct str path));
/* ERR_NOT_FOUND: there are no more. */
enum err pack_source_next(struct pack_source *s, struct archive_entry *ret,
                          struct error *e) MUST_USE;
/* *ret_len 0: the end of the file. */
enum err pack_source_data(struct pack_source *s, char *to, size_t max, size_t *ret_len,
                          struct error *e) MUST_USE;

#endif
