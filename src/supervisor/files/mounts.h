#ifndef SUPERVISOR_FILES_MOUNTS_H
#define SUPERVISOR_FILES_MOUNTS_H
/*
 * Places in a tree that is being built, and mounts to put there: short names
 * for the mount calls of Linux 5.2 to 5.12, on descriptors only.
 */
#include "base/arena.h"
#include "base/err.h"

#include <sys/stat.h>

/* ---- mounts; -1 with errno ---- */

/* A new file system, mounted nowhere yet; options are name, value, ..., NULL. */
int mounts_new(const char *type, const char *const *options, uint64_t flags);
/* A detached copy of what is mounted at the place, with all below. */
int mounts_copy(int place);
/* Adds flags (MOUNT_ATTR_...), to all below too, and cuts it off from other namespaces. */
int mounts_flags(int mount_fd, uint64_t set, int idmap_fd);
int mounts_attach(int mount_fd, int place);

/* ---- places ---- */

struct places {
	struct arena *mem;
	int root;             /* of the new tree */
	dev_t dev;            /* of its tmpfs: only there is anything made */
	struct str near_path; /* the directory that was worked in last */
	int near_fd;
};

/* An existing place, reached without a link. */
int mounts_target_find(struct places *at, struct str path);
/* The same, made where it is missing: a directory or an empty file. */
int mounts_target_open(struct places *at, struct str path, bool is_dir);
/*
 * The directory above path, made where it is missing; the descriptor stays
 * ours.  *ret_name is the last component.
 */
int mounts_target_parent(struct places *at, struct str path, const char **ret_name);
/* After a mount: what was kept may lie under it. */
void mounts_target_forget(struct places *at);

/* Makes the place and mounts there; for places on the tmpfs, where no other process creates anything. */
int mounts_target_attach(struct places *at, int mount_fd, struct str path, bool is_dir);
enum err mounts_target_link(struct places *at, struct str path, const char *target,
                            struct error *e) MUST_USE;
enum err mounts_target_file(struct places *at, struct str path, const char *text,
                            struct error *e) MUST_USE;

#endif
