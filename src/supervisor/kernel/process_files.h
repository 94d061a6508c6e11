#ifndef SUPERVISOR_KERNEL_PROCESS_FILES_H
#define SUPERVISOR_KERNEL_PROCESS_FILES_H
/*
 * What /proc says about processes of the sandbox, for the init.
 *
 * In most containers parts of /proc are masked, and the kernel does not let the sandbox mount one
 * of its own: its /proc is empty.  The init then keeps the one outside open.  There the processes
 * of the sandbox have other numbers, which are looked up.
 */
#include <stdbool.h>
#include <sys/types.h>

/* Before the new root is entered.  has_own: the sandbox gets a /proc of its own. */
void process_files_begin(bool has_own);
/* Opens a file of a process or thread, such as "cwd" and "fd/3", with O_PATH; -1: it cannot. */
int process_files_open(pid_t thread, const char *name);
/* Where a descriptor of the init itself leads; false: that has no path. */
bool process_files_path(int fd, char *room, size_t size);

#endif
