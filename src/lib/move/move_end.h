#ifndef LIB_MOVE_MOVE_END_H
#define LIB_MOVE_MOVE_END_H
/*
 * One of the two ends of a move: a store that is opened for nothing else, and the directory
 * with its large outputs.  Requests wait for their reply here.
 */
#include "lib/move/move.h"
#include "ports/blob.h"

#include <semaphore.h>

struct move_end {
	const char *name, *schema;
	const char *place; /* for people: without a password */
	bool is_database;
	struct store *store; /* NULL: closed */
	struct blobs *files; /* NULL: none */
	sem_t *woken;        /* of both ends */
};

void move_end_init(struct move_end *end, struct arena *mem, const char *name, const char *schema,
                   sem_t *woken);
/* The log must be there. */
enum err move_end_open_source(struct move_end *end, struct error *e) MUST_USE;
/* A directory must be new or empty, unless a move into it has begun. */
enum err move_end_open_target(struct move_end *end, struct error *e) MUST_USE;
/* The large outputs of a data directory. */
enum err move_end_open_files(struct move_end *end, const char *dir, struct error *e) MUST_USE;
void move_end_close(struct move_end *end);

/* Waits until something may have happened, and delivers what there is. */
void move_end_poll(struct move_end *end);
/* A read to its reply, which port_store_read_done() frees, also after an error. */
enum err move_end_read(struct move_end *end, struct store_read *r, struct error *e) MUST_USE;
/* A value of the installation; absent: it is not there. */
enum err move_end_value(struct move_end *end, struct arena *mem, const char *key, struct str *ret,
                        struct error *e) MUST_USE;

#endif
