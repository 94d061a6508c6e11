#ifndef APP_HARDEN_H
#define APP_HARDEN_H
/*
 * For a process that holds keys: no core dump, and other processes of the same
 * user cannot read its memory or attach to it (THREATS: secrets).  exec() ends
 * the protection, except for the limit on core dumps.  /proc/PID belongs to root
 * then; the process can still read its own.
 */
void harden(void);

#endif
