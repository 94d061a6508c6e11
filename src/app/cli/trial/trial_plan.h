#ifndef APP_TRIAL_PLAN_H
#define APP_TRIAL_PLAN_H
/*
 * What `thole trial run` does: every task with every configuration, so many times.
 *
 * A task is a folder in Harbor's layout whose environment is a directory:
 * task.toml, instruction.md, environment/ and tests/test.sh.  The same folders,
 * configurations and number give the same plan with the same ids, so a run that was
 * killed is continued by typing its command again.
 */
#include "app/cli/cli.h"

struct trial_task {
	const char *dir;        /* absolute */
	struct str id;          /* the name of the folder */
	struct str hash;        /* of the whole folder */
	struct str tests;       /* hash of tests/ */
	struct str environment; /* hash of environment/, which is copied */
	struct str instruction;
	int64_t agent_s, verifier_s; /* timeouts; 0: none is given */
};

struct trial_configuration {
	struct str id, role;
	struct json members; /* the file: arguments of start_benchmark_trial */
};

struct trial_item {
	const struct trial_task *task;
	const struct trial_configuration *configuration;
	int repeat;       /* from 1 */
	struct str trial; /* its id, which is also the name of its folder */
};

struct trial_plan {
	struct trial_task *tasks;
	int task_count;
	struct trial_configuration *configurations;
	int configuration_count;
	struct trial_item *items;
	int item_count, repeat;
	const char *place;           /* absolute: the folders of the trials */
	struct str dataset, version; /* the version is a hash of all tasks, unless one is given */
	struct str hash;             /* of everything that makes it this plan */
	struct str job, session;     /* ids */
};

/* Reads the folders and files that the options name; prints what cannot be used. */
int trial_plan_read(struct cli *c, struct trial_plan *ret);

/* Ids of trials: those of runs that an earlier release began, and those of today. */
enum trial_ids { TRIAL_IDS_PLAIN, TRIAL_IDS_HASHED };

/* Adds the items with their ids; refuses a plan in which two have the same. */
int trial_plan_add_items(struct cli *c, struct trial_plan *p, enum trial_ids ids);

#endif
