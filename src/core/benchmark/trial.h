#ifndef CORE_TRIAL_H
#define CORE_TRIAL_H
/*
 * Trials of benchmarks.
 *
 *   start_benchmark_trial ─► running ─► completed ─┐
 *                               │                  ├─► record_benchmark_reward, once
 *                               └─────► failed ────┘
 *
 * A trial is a turn with a name, a dataset, a configuration and a timeout.  It
 * ends when its turn ends: completed if the turn completed, otherwise failed.
 * The runtime makes no score: a reward is what a verifier wrote, with the hash
 * of its file.  Decisions about configurations come from outside as well.
 *
 * Pure; strings live in the arena that the caller gives.
 */
#include "core/decision.h"

/* The newest ended trials that a session keeps in its state; the index has all of them. */
#define WINDOW_TRIALS 64
#define TRIAL_REFS_MAX 32
#define TRIAL_REF_BYTES 1024
#define TRIAL_REFS_OWN 4        /* input, config, the reward and its details */
#define TRIAL_RECORD_BYTES 8192 /* of a reward or a trajectory inside an event */

STATE_CONST struct rec_trial_row *trial_find(const struct state *w, struct str trial_id);
static inline bool trial_is_over(const struct rec_trial_row *t)
{
	return t->status != STATUS_RUNNING;
}

/* The turn that the command submits. */
const struct cmd_submit_turn *trial_turn(struct arena *mem,
                                         const struct cmd_start_benchmark_trial *cmd);

/* trial_step.c: the end of a trial, and its timeout */
bool trial_step(struct decision *d);
bool trial_step_time(struct decision *d);
int64_t trial_step_deadline(const struct state *w);

/* trial_emit.c */
/* The scope, the benchmark and the refs of a trial on an event about it. */
struct event *trial_emit_in(struct decision *d, struct event *ev, const struct rec_trial_row *t);
/* False after refusing: names are words, values are short. */
bool trial_emit_refs_fit(struct decision *d, const struct dict *refs);

/* Sets a ref, in the place of an older one of that name; both strings are kept by the caller. */
void trial_emit_put_ref(struct arena *mem, struct dict *refs, struct str name, struct str ref);

/* trial_reward.c */
/*
 * The number that a verifier wrote: reward.txt is a number; reward.json is a number or an object
 * of numbers, of which `key` names one.  Returns NULL, or what is wrong with the text.
 */
const char *trial_reward_read(struct arena *mem, struct str text, struct str key, double *ret);
/* Sums and squares of such numbers are finite, so a comparison can always be written. */
#define TRIAL_REWARD_MAX 1e12
bool trial_reward_is_bounded(double value);

/* trial_pack.c */
struct trial_pack {
	const struct rec_trial_row *trial;
	struct str runtime_id;
	const struct rec_trajectory *trajectory; /* NULL: none was exported */
	struct dict refs;                        /* of the trial and of the caller */
	int64_t p0_regressions;
	bool has_p0_regressions;
	bool is_eligible, has_eligible;
};
struct str trial_pack_text(struct arena *mem, const struct trial_pack *p);
/* Names of refs that the document lacks. */
struct list_str trial_pack_gaps(struct arena *mem, const struct trial_pack *p);
/* Are trajectory, reward, its details and the manifest of artifacts among them? */
bool trial_pack_is_complete(const struct list_str *gaps);

#endif
