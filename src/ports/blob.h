#ifndef PORTS_BLOB_H
#define PORTS_BLOB_H
/*
 * Large outputs: streamed to disk, never whole in memory, readable by range
 * while they grow.
 *
 * An output is named by its ref (out_...) from its first byte.  Sealing adds
 * size and SHA-256 and makes it durable (file and directory synced) before
 * `done` is called, so that the event that names it may commit.  An output that
 * a crash left unsealed stays readable up to the last byte on disk;
 * recover_seal() seals it.
 *
 * Writes are copied and written by the blob thread, in order; `pending` reports
 * how many bytes are not written yet, so that producers can pause. done
 * callbacks come from blob_poll().
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/hash/sha256.h"

#define BLOB_READ_MAX (1u << 20) /* of one read; a client asks for ranges of a larger output */

struct blobs;
struct blob_writer;

struct blob_sealed {
	enum err result;
	struct error error;
	uint64_t size;
	struct sha256 hash;
	/* head and tail previews, whole UTF-8 characters, each at most 12 KiB; valid during done */
	struct str head, tail;
	bool is_text; /* everything was valid UTF-8 without NUL */
};

struct blob_read {
	struct str ref;
	uint64_t offset;
	uint32_t max; /* at most BLOB_READ_MAX counts */
	bool is_raw;  /* of the raw file behind the ref */
	/* Is it there?  The place where outputs are copied to need not be asked for its bytes. */
	bool is_probe;
	void (*done)(struct blob_read *r);
	void *owner;
	/* Filled by the store. */
	enum err result; /* ERR_NOT_FOUND: never written or expired */
	struct error error;
	char *data; /* freed by port_blob_read_done() */
	uint32_t len;
	uint64_t size; /* so far */
	bool sealed;
	struct blob_read *next;
};
void port_blob_read_done(struct blob_read *r);

struct blob_ops {
	/* Never fails at once: seal() reports errors. */
	struct blob_writer *(*open)(struct blobs *b, struct str ref);
	void (*write)(struct blobs *b, struct blob_writer *w, struct str data);
	uint64_t (*pending)(const struct blobs *b, const struct blob_writer *w);
	/* Ends the writer.  A NULL done abandons the output: its bytes stay, unsealed. */
	void (*seal)(struct blobs *b, struct blob_writer *w,
	             void (*done)(void *owner, const struct blob_sealed *s), void *owner);
	/* Seals a file that an earlier run left unsealed. */
	void (*recover_seal)(struct blobs *b, struct str ref,
	                     void (*done)(void *owner, const struct blob_sealed *s), void *owner);
	/*
	 * Extends an output that is a cleaned copy of a raw one.  Bytes that are there already are
	 * skipped; bytes behind a gap are not written. is_last: no bytes follow. recover_seal()
	 * seals the result.
	 */
	void (*extend)(struct blobs *b, struct str ref, uint64_t offset, struct str data,
	               bool is_last);
	/*
	 * The path of a file that another program writes and that has not been redacted yet.  The
	 * program creates it, only raw reads see it, and it is never sealed.
	 */
	struct str (*raw)(struct blobs *b, struct arena *mem, struct str ref);
	void (*drop_raw)(struct blobs *b, struct str ref);
	/* Deletes every raw file except these. */
	void (*sweep_raw)(struct blobs *b, const struct str *refs, size_t count);
	void (*read)(struct blobs *b, struct blob_read *r);
	/* Removes the ref, sealed or not.  The bytes are deleted when no other ref has the same ones. */
	void (*remove)(struct blobs *b, struct str ref);
	/* Calls `take` for each sealed ref that begins with the prefix; may be NULL.  At the start. */
	void (*each)(struct blobs *b, struct str prefix, void (*take)(void *arg, struct str ref),
	             void *arg);
	/*
	 * Why outputs wait for the place where they are copied to; absent: they do not.  Until the
	 * next poll().  May be NULL.
	 */
	struct str (*waits)(struct blobs *b);
	size_t (*poll)(struct blobs *b);
	void (*close)(struct blobs *b);
};
struct blobs {
	const struct blob_ops *ops;
};

/* What `waits` says; b may be NULL. */
static inline struct str port_blob_waits(struct blobs *b)
{
	return b && b->ops->waits ? b->ops->waits(b) : STR_NONE;
}

#endif
