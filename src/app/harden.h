#ifndef APP_HARDEN_H
#define APP_HARDEN_H
/*
 * For a process that holds keys: no core dump, and other processes of the same
 * user cannot read its memory or attach to it (THREATS: secrets).  exec() ends
 * the protection, except for the limit on core dumps.  /proc/PID belongs to root
 * then; the process can still read its own.
 */
void harden(void);
/*
 * Moves the variables away from where /proc/PID/environ shows them, which root can read in spite
 * of harden().  First of all in main(): pointers of getenv() from before are invalid.
 */
void harden_environment(void);

#endif
