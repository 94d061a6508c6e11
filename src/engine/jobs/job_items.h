#ifndef ENGINE_JOBS_JOB_ITEMS_H
#define ENGINE_JOBS_JOB_ITEMS_H
/*
 * Reads the items of a job.
 *
 * A job's input is lines of JSON behind a ref.  Memory holds where each line
 * begins, and the text itself when it is small; both can be read again at any
 * time.  Instruction and item together are the input of a turn.
 *
 * While a read is under way (is_busy) the owner keeps the struct; a callback
 * may free it.
 */
#include "ports/blob.h"
#include "ports/store_read.h"

struct engine;

struct job_items {
	struct engine *engine;
	struct arena *mem;
	struct str ref, instruction;
	size_t count; /* of items; known when it is open */
	bool is_open, is_busy;
	void *owner;
	/* The last read failed because what is read does not answer now. */
	bool is_unavailable;
	/* why NULL: it is open.  Never comes from inside job_items_open(). */
	void (*opened)(struct job_items *it, const char *why);
	/* A text that job_items_text() did not have at once; absent: it cannot be read. */
	void (*arrived)(struct job_items *it, int64_t index, struct str text);

	/* job_items.c */
	struct str instruction_ref;
	struct str data; /* the whole input, when it is a small blob */
	bool is_file;
	uint64_t *offsets; /* of lines; one more than there are */
	size_t cap;
	uint64_t at; /* how far the file was scanned */
	bool in_line;
	struct store_read read;
	struct blob_read blob;
	int64_t index; /* of the item that is being read from the file */
};

struct job_items *job_items_new(struct engine *e, struct str ref);
void job_items_free(struct job_items *it);
/* Counts them.  instruction_ref: absent, if no text is to be read. */
void job_items_open(struct job_items *it, struct str instruction_ref);
/* The input of an item's turn.  False: it arrives later. */
bool job_items_text(struct job_items *it, struct arena *mem, int64_t index, struct str *ret);

#endif
