#ifndef APP_TRIAL_VERIFIER_H
#define APP_TRIAL_VERIFIER_H
/*
 * The verifier of a task: tests/test.sh, in the sandbox of tools, in the workspace of the trial.
 *
 * It finds its tests in TESTS_DIR and writes to LOGS_DIR: verifier/reward.txt or
 * verifier/reward.json there is the score.  What it prints becomes verifier/test-stdout.txt.
 */
#include "app/cli/trial/trial_plan.h"

#include <sys/types.h>

struct trial_verifier {
	pid_t pid;          /* 0: none runs */
	const char *logs;   /* of this attempt */
	const char *final;  /* where its folder `verifier` goes when it has ended */
	const char *result; /* what the sandbox says about its end */
	int64_t seconds;    /* its timeout */
};

/* dir: the folder of the trial.  False: printed why. */
bool trial_verifier_start(struct cli *c, const struct trial_task *t, const char *dir,
                          struct trial_verifier *ret);
/*
 * True: it has ended.  *ret_why NULL: by itself, with whatever exit code, and its folder is in place.
 * Otherwise the sentence says why what it wrote is no score, and its folder is
 * `verifier.failed`.
 */
bool trial_verifier_has_ended(struct cli *c, struct trial_verifier *v, const char **ret_why);
/* Moves a folder without a reward there. */
void trial_verifier_set_aside(struct cli *c, const char *folder);

#endif
