#ifndef CORE_INDEX_ROW_H
#define CORE_INDEX_ROW_H
/*
 * One index row, as core derives it and a store writes it (core/index.h).
 *
 * One table per kind of object, all with the same columns.  The store does not
 * interpret them.
 */
#include "base/str.h"

enum index_table {
	INDEX_SESSION, /* key sessionId */
	INDEX_THREAD,  /* key threadId */
	INDEX_TASK,    /* key taskId */
	INDEX_ACTION,  /* key actionId */
	INDEX_TIMER,   /* key of the thing that is due */
	INDEX_ID,      /* every id that names something: uniqueness and where it lives */
	INDEX_ITEM,    /* job items */
	INDEX_OUTPUT,  /* key outputRef */
	INDEX_USAGE,   /* key sessionId:hour */
	INDEX_TABLES
};

struct index_row {
	enum index_table table;
	bool remove;
	struct str key;    /* unique in its table over the whole runtime */
	struct str status; /* filterable word, may be absent */
	struct str parent; /* filterable id or word, may be absent */
	int64_t at;        /* wall ms: updated, or due; ordered lists use (at, key) */
	bool open;         /* something of it may still happen */
	struct str body;   /* JSON for list views, may be absent; not looked into */
};

#endif
