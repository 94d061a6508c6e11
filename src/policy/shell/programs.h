#ifndef POLICY_SHELL_PROGRAMS_H
#define POLICY_SHELL_PROGRAMS_H
/* Functions that evaluate single programs, for the table. */
#include "policy/shell/analyze_internal.h"

typedef void program_judge(struct judge *j, struct command *c, const struct program *p);

/* analyze_builtin.c */
program_judge analyze_builtin_export, analyze_builtin_declare, analyze_builtin_unset,
	analyze_builtin_read, analyze_builtin_set, analyze_builtin_trap, analyze_builtin_eval,
	analyze_builtin_source, analyze_builtin_command, analyze_builtin, analyze_builtin_exec,
	analyze_builtin_let, analyze_builtin_hash, analyze_builtin_show_only, analyze_builtin_cd,
	analyze_builtin_test, analyze_builtin_printf, analyze_builtin_mapfile;
/* analyze_wrappers.c */
program_judge analyze_wrappers_plain, analyze_wrappers_env, analyze_wrappers_shell,
	analyze_wrappers_su, analyze_wrappers_busybox, analyze_wrappers_watch,
	analyze_wrappers_parallel, analyze_wrappers_ssh, analyze_wrappers_container,
	analyze_wrappers_interpreter, analyze_wrappers_other_shell, analyze_wrappers_text;
/* analyze_find.c */
program_judge analyze_find, analyze_find_xargs, analyze_find_fd;
/* analyze_git.c */
program_judge analyze_git;
/* analyze_text.c */
program_judge analyze_text_sed, analyze_text_awk, analyze_text_jq;
/* analyze_files.c */
program_judge analyze_files_cp, analyze_files_install, analyze_files_mv, analyze_files_rsync;
program_judge analyze_files_tar, analyze_files_zip, analyze_files_unzip, analyze_files_keyed,
	analyze_files_cpio, analyze_files_compress;
/* analyze_tools.c */
program_judge analyze_tools_rm, analyze_tools_tee, analyze_tools_uniq, analyze_tools_date,
	analyze_tools_hostname, analyze_tools_dd, analyze_tools_client, analyze_tools_ip,
	analyze_tools_ifconfig, analyze_tools_subcommand, analyze_tools_package, analyze_tools_less,
	analyze_tools_make, analyze_tools_grep, analyze_tools_dpkg, analyze_tools_top,
	analyze_tools_mode, analyze_tools_net, analyze_tools_ls, analyze_tools_ps,
	analyze_tools_getent, analyze_tools_binary, analyze_tools_yq, analyze_tools_locate,
	analyze_tools_outputs, analyze_tools_xxd, analyze_tools_patch, analyze_tools_ss,
	analyze_tools_socat;

/* The first operand is one of these words, and no bad option is given. */
bool analyze_tools_is_query(struct judge *j, struct command *c, const struct program *p,
                            const char *words);

#endif
