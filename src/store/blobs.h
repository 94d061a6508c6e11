#ifndef STORE_BLOBS_H
#define STORE_BLOBS_H
/*
 * Large outputs as files.
 *
 *	<dir>/blobs/open/<ref>                 growing, or left by a crash
 *	<dir>/blobs/sha256/ab/cdef...          sealed content, named by its hash
 *	<dir>/blobs/ref/xx/<ref>               symbolic link to the content
 *	<dir>/blobs/raw/<ref>                  output of a background process, until an
 *	                                       event records its end
 *
 * (xx are two digits of the ref's own hash.)  The same content is kept once,
 * however many refs lead to it.  Sealing syncs the file, links it under its
 * hash, links the ref to that, syncs both directories, and only then removes
 * the name under open/.  Repeated after a crash at any point, it has the same
 * result.
 *
 * A ref that is no valid id, that already exists, or that is longer than a
 * file name may be (255) makes the seal fail with ERR_INVALID.
 *
 * With a thread, all file work is done there, in the order of the calls: a
 * read sees everything that was written before it.  Without, each call does
 * its work at once.  Either way answers come from poll().  All calls are for
 * one thread, the owner's.
 *
 * The previews overlap when the output is shorter than both.  Of an output
 * that is not text they are plain bytes.
 */
#include "ports/blob.h"

struct blobs_options {
	const char *dir; /* the data directory; made with mode 0700 when missing */
	bool threads;
	void (*wake)(void *arg); /* poll() has results; may be NULL */
	void *wake_arg;
};

enum err blobs_open(const struct blobs_options *o, struct blobs **ret, struct error *e) MUST_USE;
/* Opens an output for reading, sealed or growing; -1: there is none.  Any thread may ask. */
int blobs_descriptor(const struct blobs *b, struct str ref);
/* The file of a sealed output in a data directory that may be in use, or in a backup; -1: none. */
int blobs_open_sealed(const char *dir, struct str ref);

#endif
