#ifndef CORE_COMPARE_H
#define CORE_COMPARE_H
/*
 * Compares two configurations by the trials of both.
 *
 * The sides must be comparable: the same dataset and version, the same tasks,
 * the same verifier of each task, and at most one difference between the
 * configurations.  What was not scored is counted and is part of no mean.  The
 * result has numbers only; whether they are good is decided elsewhere.
 *
 * Pure; strings live in the arena that the caller gives.
 */
#include "core/decision.h"

struct compare {
	const struct rec_trial_row *const *trials;
	size_t count;
	struct str baseline, candidate; /* ids of configurations */
};

/* Returns 0, or why the trials cannot be compared, with a sentence. */
enum error_code compare_check(struct arena *mem, const struct compare *c, struct str *ret_why);
/*
 * The same for the variable that the caller names: it must be the one that differs.  Words that no
 * comparison sees are accepted where nothing else differs.  Only after compare_check().
 */
enum error_code compare_check_named(struct arena *mem, const struct compare *c, struct str said,
                                    struct str *ret_why);
/* Names of the variables that differ. */
struct list_str compare_changes(struct arena *mem, const struct compare *c);
/* Only after a check that found nothing. */
void compare_result(struct arena *mem, const struct compare *c, struct rec_comparison *ret);
/* The square root; 0 of what is negative. */
double compare_root(double x);

#endif
