#ifndef CORE_MATRIX_H
#define CORE_MATRIX_H
/*
 * The trials of one dataset by task and configuration.
 *
 * Rows are added one after the other, the newest first; a matrix keeps its cells
 * and not the rows, so thousands of trials need no more memory than their cells.
 * Cells beyond the limit are counted and not kept.
 *
 * Pure; strings are copied into the arena of the matrix.
 */
#include "base/map.h"
#include "core/decision.h"

#define MATRIX_NEWEST 12 /* trials that a cell names */
#define MATRIX_SETS 100  /* datasets that are listed */

struct matrix_cell {
	struct rec_trial_cell row;
	double squares; /* of the distances from the mean */
	int64_t cost, tokens, duration;
	bool lacks_cost, lacks_tokens;
	struct matrix_cell *next; /* in the order of arrival */
};

struct matrix {
	struct arena *mem;
	struct str dataset_id,
		dataset_version; /* absent: those of the next row that may have them */
	size_t limit;
	struct map by_key; /* struct matrix_cell */
	struct matrix_cell *first, *last;
	struct rec_trial_set *sets[MATRIX_SETS];
	size_t set_count;
	int64_t trials, omitted;
};

/* mem is the caller's; matrix_done() frees the map. */
void matrix_init(struct matrix *m, struct arena *mem, size_t limit);
void matrix_done(struct matrix *m);

/* scratch may be emptied afterwards. */
void matrix_add(struct matrix *m, struct arena *scratch, const struct rec_trial_row *t);
/* The means of a cell, from its sums; call it when all rows were added. */
const struct rec_trial_cell *matrix_cell_row(struct matrix_cell *c);

#endif
