#ifndef CORE_JOURNAL_PART_H
#define CORE_JOURNAL_PART_H
/* Shared by the writer and the reader of journal records: the bits that say what follows. */

enum {
	MOMENT_NOW = 1,
	MOMENT_WALL = 2,
	MOMENT_MONEY = 4,
	MOMENT_TASKS = 8,
	MOMENT_SETTINGS = 16,
};

enum {
	GIVEN_CALL = 1,
	GIVEN_CONTEXT = 2,
	GIVEN_INPUTS = 4,
	GIVEN_RECALLED = 8,
	GIVEN_POINT = 16,
	GIVEN_ITEM = 32,
	GIVEN_FOREIGN = 64,
	GIVEN_COUNT = 128,
	GIVEN_LEASES = 256,
	GIVEN_CLOCK = 512,
};

/*
 * After the number of a reference: where the text is.  0 is a blob, then its ref and the place in
 * it; otherwise 1 + 2 * event (+ 1 if the text is not escaped there), then the place in its body.
 */
enum { PLACE_BLOB = 0, PLACE_EVENT = 1 };

#endif
