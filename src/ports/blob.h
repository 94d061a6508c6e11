#ifndef PORTS_BLOB_H
#define PORTS_BLOB_H
/*
 * Large outputs: streamed to disk, never whole in memory, readable by range
 * while they grow.
 *
 * An output is named by its ref (out_...) from its first byte.  Sealing adds
 * size and SHA-256 and makes it durable (file and directory synced) before
 * `done` is called, so that the event that names it may commit.  What was
 * not sealed when the process died is still readable up to what the disk
 * kept; blob_recover_seal() seals it then.
 *
 * Writes are copied and written by the blob thread, in order; `pending`
 * tells how much is still on its way so that producers can pause.  done
 * callbacks come from blob_poll().
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/hash/sha256.h"

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
	uint32_t max; /* at most 1 MiB */
	bool is_raw;  /* of the raw file behind the ref */
	void (*done)(struct blob_read *r);
	void *owner;
	/* answered */
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
	/* Never fails at once: trouble is told by the seal. */
	struct blob_writer *(*open)(struct blobs *b, struct str ref);
	void (*write)(struct blobs *b, struct blob_writer *w, struct str data);
	uint64_t (*pending)(const struct blobs *b, const struct blob_writer *w);
	/* Ends the writer.  done may be NULL (abandon: what is there stays, unsealed). */
	void (*seal)(struct blobs *b, struct blob_writer *w,
	             void (*done)(void *owner, const struct blob_sealed *s), void *owner);
	/* Seals a file that an earlier run left unsealed. */
	void (*recover_seal)(struct blobs *b, struct str ref,
	                     void (*done)(void *owner, const struct blob_sealed *s), void *owner);
	/*
	 * An output that is put together from a raw one: the bytes from offset
	 * on, which may be there already; with is_last nothing is behind them.
	 * Behind a gap nothing is written.  recover_seal() seals it.
	 */
	void (*extend)(struct blobs *b, struct str ref, uint64_t offset, struct str data,
	               bool is_last);
	/*
	 * The file for what another program writes, before anybody has looked
	 * for secrets in it: the program makes it, only a raw read sees it, and
	 * it is never sealed.
	 */
	struct str (*raw)(struct blobs *b, struct arena *mem, struct str ref);
	void (*drop_raw)(struct blobs *b, struct str ref);
	/* Drops every raw file but these. */
	void (*sweep_raw)(struct blobs *b, const struct str *refs, size_t count);
	void (*read)(struct blobs *b, struct blob_read *r);
	/* The ref leads nowhere from now on; the bytes go when no other ref has the same. */
	void (*remove)(struct blobs *b, struct str ref);
	size_t (*poll)(struct blobs *b);
	void (*close)(struct blobs *b);
};
struct blobs {
	const struct blob_ops *ops;
};

#endif
