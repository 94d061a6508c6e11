#ifndef STORE_DATA_DIR_H
#define STORE_DATA_DIR_H
/* The data directory of a runtime: made, checked and locked before anything in it is used. */
#include "base/err.h"

/*
 * The lock is held by flock for as long as *ret_lock_fd is open, and names the process
 * that holds it.  ERR_BUSY: another process has the directory.  ERR_UNSUPPORTED: it lies on
 * a network file system.  ERR_INVALID: others may write to it.
 */
enum err data_dir_take(const char *dir, int *ret_lock_fd, struct error *e) MUST_USE;

#endif
