#ifndef APP_VERBS_H
#define APP_VERBS_H
/*
 * The table of verbs (verbs.c) and the functions behind its rows.  verb_NAME()
 * is in verbs/ or admin/; it returns the exit code.
 */
#include "base/buf.h"
#include "base/str.h"

struct cli;
struct opt;

struct verb {
	const char *name;
	const char *words; /* after the name in help: "ID [TEXT]" */
	const char *summary;
	const char *details; /* more for `help VERB`; may be NULL */
	const struct opt *opts;
	int min_args, max_args; /* max -1: any number */
	int (*run)(struct cli *c);
	bool is_common; /* one of the ten in `thole help` */
	/* Candidates for completion: "@id", "@action" or a list; may be NULL. */
	const char *args;
	const char *alone; /* the argument when none is given; may be NULL */
};

extern const struct verb verbs[]; /* ends with a row without name */

const struct verb *help_find_verb(const char *name);
/* What was probably meant by a word that is no verb: "ps", "auth add NAME"; NULL: nothing is near. */
const char *help_meant(const char *name);

int verb_run(struct cli *c);
int verb_call(struct cli *c);
int verb_chat(struct cli *c); /* in ../chat */
/* Lets the user pick a session and opens it; a usage error without a terminal. */
int verb_chat_pick(struct cli *c);
int verb_send(struct cli *c);
int verb_attach(struct cli *c);
int verb_serve(struct cli *c);
int verb_rpc(struct cli *c);
int verb_acp(struct cli *c); /* in ../acp */
int verb_sandbox(struct cli *c);
int verb_ps(struct cli *c);
int verb_show(struct cli *c);
int verb_task(struct cli *c);
int verb_job(struct cli *c);
int verb_trial(struct cli *c);
int verb_schedule(struct cli *c);
int verb_agent(struct cli *c);
int verb_tools(struct cli *c);
int verb_env(struct cli *c);
int verb_why(struct cli *c);
int verb_log(struct cli *c);
int verb_stop(struct cli *c);
int verb_resume(struct cli *c);
int verb_approvals(struct cli *c);
int verb_approve(struct cli *c);
int verb_deny(struct cli *c);
int verb_decide(struct cli *c);
int verb_queue(struct cli *c);
int verb_channel(struct cli *c);
int verb_process(struct cli *c);
int export_script(struct cli *c, struct str session); /* of verb_export */
int verb_compact(struct cli *c);
int verb_rollback(struct cli *c);
int verb_fork(struct cli *c);
int verb_route(struct cli *c);
int verb_context(struct cli *c);
int verb_conform(struct cli *c);
int verb_export(struct cli *c);
int verb_audit(struct cli *c);
int verb_cost(struct cli *c);
int verb_verify(struct cli *c);
int verb_key(struct cli *c);
int verb_replay(struct cli *c);
int verb_backup(struct cli *c);
int verb_restore(struct cli *c);
int verb_move(struct cli *c);
int verb_diff(struct cli *c);
int verb_apply(struct cli *c);
int verb_discard(struct cli *c);
int verb_undo(struct cli *c);
int verb_label(struct cli *c);
int verb_import(struct cli *c);
int verb_retain(struct cli *c);
int verb_erase(struct cli *c);
int verb_delete(struct cli *c);
int verb_rebuild(struct cli *c);
int verb_policy(struct cli *c);
int verb_hooks(struct cli *c);
int verb_files(struct cli *c);
int verb_skills(struct cli *c);
int verb_commands(struct cli *c);
int verb_agents(struct cli *c);
int verb_trust(struct cli *c);
int verb_mcp(struct cli *c);
int verb_peer(struct cli *c);
int verb_trigger(struct cli *c);
int verb_auth(struct cli *c);
int verb_setup(struct cli *c);
int verb_models(struct cli *c);
int verb_doctor(struct cli *c);
int verb_open(struct cli *c);
int verb_pair(struct cli *c);
int verb_config(struct cli *c);
int verb_path(struct cli *c);
int verb_node(struct cli *c);
int verb_token(struct cli *c);
int verb_completion(struct cli *c);
int verb_demo(struct cli *c);
int verb_version(struct cli *c);
int verb_help(struct cli *c);

/* `thole help`, on stdout. */
void help_print(struct cli *c);
/* `thole help man`: the manual page, for man(1). */
void manual_print(void);

/* ---- what several verbs need ---- */

struct verify_sum {
	int64_t sessions, events, erased, removed, broken, missing;
};
/* Checks the session of the first argument, or all; prints what is broken. */
int verify_all(struct cli *c, struct verify_sum *ret);

/* NULL when there is none. */
const char *cli_sandbox_find_supervisor(struct cli *c);
/* The output of `thole-supervisor probe`; STR_NONE when it cannot be run. */
struct str cli_sandbox_probe(struct cli *c, const char *hand);

/* The error of the first invalid rule, with its file; NULL: all are valid. */
const char *cli_policy_trouble(struct cli *c, struct str rules);
/*
 * Text about paths that these rules deny and git has committed; NULL: none.  *ret_is_whole: every
 * commit was examined.
 */
const char *cli_policy_committed(struct cli *c, struct str rules, bool *ret_is_whole);
/*
 * Adds the names of all files in the index and in any commit, each with a final NUL, relative to the
 * returned directory.  NULL: dir is in no repository.
 */
const char *git_history_names(struct cli *c, const char *dir, struct buf *into, bool *ret_is_whole);

#endif
