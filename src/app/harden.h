#ifndef APP_HARDEN_H
#define APP_HARDEN_H
/*
 * For a process that holds keys: no core dump, and other processes of the
 * same user may not read its memory or attach to it (THREATS: secrets).
 * What it executes is an ordinary process again, but for the limit on cores.
 * /proc/PID of such a process belongs to root; it can still read its own.
 */
void harden(void);

#endif
