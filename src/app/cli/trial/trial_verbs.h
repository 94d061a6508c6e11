#ifndef APP_TRIAL_VERBS_H
#define APP_TRIAL_VERBS_H
/* Shared by the parts of `thole trial`. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"

/* The row of a trial, by its id or the beginning of it that only one has. */
int cli_trial_find(struct cli *c, const char *text, struct json *ret);

/* trial run DIR --config FILE... */
int trial_run(struct cli *c);

/* trial reward TRIAL PLACE: PLACE is the reward file, or the folder of the verifier. */
int trial_score(struct cli *c);
/* Reads what a verifier wrote and sends it; `more` is JSON with members for the command, or absent. */
struct trial_score_place {
	const char *place;
	struct str session, trial;
	const char *verifier, *status;
};
int trial_score_send(struct cli *c, const struct trial_score_place *at, struct json *ret);

/* trial export TRIAL -o DIR */
int trial_export(struct cli *c);
/* The same for one trial, into a directory that does not exist. */
int trial_export_to(struct cli *c, struct json row, const char *dir, struct json *ret);

/* trial compare BASELINE CANDIDATE */
int trial_compare(struct cli *c);

/* The trials and the comparison as an Agent QC experiment (qc-benchmark 0.5.0). */
struct str trial_qc_text(struct cli *c, struct json document);

/*
 * The file of `run --trial`: its members are arguments of start_benchmark_trial.  Prints the reason
 * if it cannot be used.
 */
int trial_file_read(struct cli *c, const char *path, struct json *ret);
/* A task.toml that is not TOML is refused; one that is not there is only a ref. */
int trial_file_check_task(struct cli *c, const char *path, struct json *ret);

#endif
