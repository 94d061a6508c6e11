#ifndef POLICY_SHELL_SHELL_PROGRAMS_H
#define POLICY_SHELL_SHELL_PROGRAMS_H
/* The judges of single programs, for the table. */
#include "policy/shell/shell_analyze_internal.h"

typedef void program_judge(struct judge *j, struct command *c, const struct program *p);

/* shell_judge_builtin.c */
program_judge judge_export, judge_declare, judge_unset, judge_read, judge_set, judge_trap,
	judge_eval, judge_source, judge_command_builtin, judge_builtin, judge_exec, judge_let,
	judge_hash, judge_show_only, judge_cd, judge_test, judge_printf, judge_mapfile;
/* shell_judge_wrap.c */
program_judge judge_wrapper, judge_env, judge_shell, judge_su, judge_busybox, judge_watch,
	judge_parallel, judge_ssh, judge_container, judge_interpreter, judge_other_shell,
	judge_text_wrapper;
/* shell_judge_find.c */
program_judge judge_find, judge_xargs, judge_fd;
/* shell_judge_git.c */
program_judge judge_git;
/* shell_judge_text.c */
program_judge judge_sed, judge_awk, judge_jq;
/* shell_judge_tool.c */
program_judge judge_rm, judge_cp, judge_mv, judge_tee, judge_uniq, judge_date, judge_hostname,
	judge_tar, judge_rsync, judge_dd, judge_client, judge_ip, judge_ifconfig, judge_subcommand,
	judge_package, judge_zip, judge_compress, judge_less, judge_make, judge_grep, judge_dpkg,
	judge_top, judge_mode, judge_net, judge_ls, judge_ps, judge_getent, judge_binary, judge_yq,
	judge_locate;

/* The first operand is one of these words, and no option is among the bad ones. */
bool is_query(struct judge *j, struct command *c, const struct program *p, const char *words);

#endif
