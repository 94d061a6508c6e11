#ifndef SUPERVISOR_FDPASS_H
#define SUPERVISOR_FDPASS_H
/* Packets with descriptors over a SOCK_SEQPACKET socket. */
#include "base/util.h"

#include <sys/types.h>

#define FDPASS_FDS_MAX 8

/* As send(): -1 with errno, never a part of a packet.  No signal at a closed end. */
ssize_t fdpass_send(int fd, const void *data, size_t len, const int *fds, size_t fd_count);

/*
 * The same with the number of a process, which the kernel translates from
 * the sender's pid namespace to the receiver's.  The sender must be privileged in
 * its own, and the receiver must have asked for it with SO_PASSCRED.
 */
ssize_t fdpass_send_about(int fd, const void *data, size_t len, const int *fds, size_t fd_count,
                          pid_t about);

/*
 * As recv(): 0 at the end.  A packet or descriptors that do not fit are an
 * error (EMSGSIZE), and no descriptor is left open then.
 */
ssize_t fdpass_receive(int fd, void *data, size_t size, int fds[FDPASS_FDS_MAX],
                       size_t *ret_fd_count);
/*
 * *ret_about is 0 without credentials.  With SO_PASSCRED a packet without a number has the
 * sender's own.
 */
ssize_t fdpass_receive_about(int fd, void *data, size_t size, int fds[FDPASS_FDS_MAX],
                             size_t *ret_fd_count, pid_t *ret_about);

#endif
