#ifndef DIAGNOSE_DIAGNOSE_SERVER_H
#define DIAGNOSE_DIAGNOSE_SERVER_H
/*
 * One language server: its process, its open documents, and the diagnostics that it published.
 *
 *	IDLE ──► STARTING ──► READY ──► GONE        GONE: not found, broken, or ended; never again
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"

#include <sys/types.h>

enum diagnose_state { DIAGNOSE_IDLE, DIAGNOSE_STARTING, DIAGNOSE_READY, DIAGNOSE_GONE };

struct diagnose_document {
	struct diagnose_document *next;
	struct str path;
	int64_t version;   /* of what was sent last */
	bool is_published; /* for this version */
	bool is_wanted;    /* by the request that is being answered */
	struct arena *mem; /* of the diagnostics */
	struct json found; /* array of the newest publication */
};

struct diagnose_server {
	struct diagnose_server *next;
	struct arena *mem;
	struct str name, language, cwd;
	char **argv;
	struct str *endings;
	size_t ending_count;
	enum diagnose_state state;
	pid_t pid;
	int in, out;               /* descriptors; -1: closed */
	struct buf to, held, from; /* held: until the server is ready */
	struct diagnose_document *documents;
	unsigned misses;      /* checks in a row that ended before it had published */
	int64_t published_at; /* of the newest publication, milliseconds */
};

/* `row` is one of "servers"; NULL: it is not valid. */
struct diagnose_server *diagnose_server_new(struct arena *mem, struct str cwd, struct json row);
bool diagnose_server_takes(const struct diagnose_server *s, struct str path);
/* Starts the server if need be and gives it the file's content. */
void diagnose_server_check(struct diagnose_server *s, struct str path, struct str text);
/* What is to be written, or what came, is handled; after poll(). */
void diagnose_server_write(struct diagnose_server *s);
void diagnose_server_read(struct diagnose_server *s, int64_t now);
/* Before the files of a request. */
void diagnose_server_begin(struct diagnose_server *s);
/* All documents of the request are published, or there is nothing to wait for. */
bool diagnose_server_is_done(const struct diagnose_server *s);
void diagnose_server_end(struct diagnose_server *s);

#endif
