#include "disk.h"

#include "base/arena.h"
#include "base/memory.h"
#include "rng.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define SECTOR 512
#define SHM_LOCKS 8

struct image {
	char *bytes;
	size_t len, cap;
};

/* A change that is not on the platter yet. */
struct change {
	bool is_truncate;
	size_t at, len; /* truncate: the new length in at */
	char *data;
};

struct node {
	struct node *next;
	struct disk *disk;
	char *name;     /* NULL: a temporary file */
	unsigned refs;  /* open files, and the directory */
	bool is_dead;   /* the power was cut since */
	bool is_linked; /* the platter's directory has it */
	struct image now, safe;
	struct change *changes;
	size_t change_count, change_cap;

	unsigned ledger_view;
	struct handle *reserved, *pending, *exclusive;
	void **shm;
	size_t shm_count;
	unsigned shm_refs;
	unsigned shm_shared[SHM_LOCKS];
	struct handle *shm_exclusive[SHM_LOCKS];
};

struct disk {
	sqlite3_vfs vfs;
	struct node *dir;
	struct node *deleted; /* gone for the process, perhaps not for the platter */
	struct rng rng;
	struct disk_plan plan;
	uint64_t plan_count;
	bool has_struck, is_full, lies;
	size_t room; /* while it is full: what deleted files left */
	unsigned cuts;
	uint64_t counts[DISK_OPS];
	void (*on_cut)(void *arg);
	void *on_cut_arg;
};

struct handle {
	sqlite3_file base;
	struct node *node;
	int lock;
	bool has_shm;
	unsigned shm_shared, shm_exclusive; /* bits */
	bool deletes;
};

/* ---- images ---- */

static void image_write(struct image *m, size_t at, const char *data, size_t len)
{
	if (at + len > m->cap) {
		m->cap = MAX(at + len, m->cap * 2);
		m->bytes = memory_resize(m->bytes, m->cap);
	}
	if (at > m->len)
		memset(m->bytes + m->len, 0, at - m->len);
	memcpy(m->bytes + at, data, len);
	m->len = MAX(m->len, at + len);
}

static void image_truncate(struct image *m, size_t len)
{
	if (len < m->len)
		m->len = len;
}

static void image_copy(struct image *to, const struct image *from)
{
	to->len = 0;
	if (from->len)
		image_write(to, 0, from->bytes, from->len);
}

/* ---- nodes ---- */

static struct node *node_new(struct disk *d, const char *name)
{
	struct node *n = memory_zeroed(1, sizeof *n);

	n->disk = d;
	n->name = name ? strdup(name) : NULL;
	return n;
}

static void forget_changes(struct node *n)
{
	for (size_t i = 0; i < n->change_count; i++)
		memory_free(n->changes[i].data);
	n->change_count = 0;
}

static void node_unref(struct node *n)
{
	if (--n->refs)
		return;
	forget_changes(n);
	memory_free(n->changes);
	for (size_t i = 0; i < n->shm_count; i++)
		memory_free(n->shm[i]);
	memory_free(n->shm);
	memory_free(n->now.bytes);
	memory_free(n->safe.bytes);
	free(n->name);
	memory_free(n);
}

static struct node *find(struct disk *d, const char *name)
{
	for (struct node *n = d->dir; n; n = n->next)
		if (strcmp(n->name, name) == 0)
			return n;
	return NULL;
}

static void dir_add(struct disk *d, struct node *n)
{
	n->refs++;
	n->next = d->dir;
	d->dir = n;
}

static void dir_remove(struct node **dir, struct node *n)
{
	for (struct node **at = dir; *at; at = &(*at)->next)
		if (*at == n) {
			*at = n->next;
			n->next = NULL;
			return;
		}
}

static void remember(struct node *n, bool is_truncate, size_t at, const char *data, size_t len)
{
	if (n->change_count == n->change_cap) {
		n->change_cap = n->change_cap ? n->change_cap * 2 : 64;
		n->changes = memory_resize(n->changes, n->change_cap * sizeof *n->changes);
	}
	struct change *c = &n->changes[n->change_count++];

	*c = (struct change){ .is_truncate = is_truncate, .at = at, .len = len };
	if (len) {
		c->data = memory_alloc(len);
		memcpy(c->data, data, len);
	}
}

static void carry_out(struct image *m, const struct change *c)
{
	if (c->is_truncate)
		image_truncate(m, c->at);
	else
		image_write(m, c->at, c->data, c->len);
}

static void sync_node(struct node *n)
{
	if (n->disk->lies)
		return;
	for (size_t i = 0; i < n->change_count; i++)
		carry_out(&n->safe, &n->changes[i]);
	forget_changes(n);
	if (n->is_linked)
		return;
	/* The first sync of a new file takes its directory along, and with it what was deleted. */
	n->is_linked = true;
	while (n->disk->deleted) {
		struct node *gone = n->disk->deleted;

		n->disk->deleted = gone->next;
		node_unref(gone);
	}
}

/* ---- the cut ---- */

/* Sector by sector; where the file ends up longer than its kept data, the content is arbitrary. */
static void carry_out_torn(struct disk *d, struct image *m, const struct change *c,
                           unsigned percent)
{
	if (c->is_truncate) {
		if (rng_percent(&d->rng, percent))
			image_truncate(m, c->at);
		return;
	}
	for (size_t at = c->at; at < c->at + c->len;) {
		size_t end = MIN((at / SECTOR + 1) * SECTOR, c->at + c->len);
		size_t old = m->len;

		if (rng_percent(&d->rng, percent)) {
			image_write(m, at, c->data + (at - c->at), end - at);
			if (at > old && rng_percent(&d->rng, 50))
				for (size_t i = old; i < at; i++)
					m->bytes[i] = (char)rng_next(&d->rng);
		}
		at = end;
	}
}

static void keep_changes(struct disk *d, struct node *n, enum disk_keep keep)
{
	size_t first = rng_below(&d->rng, n->change_count + 1);
	unsigned percent = (unsigned)rng_range(&d->rng, 5, 95);

	switch (keep) {
	case DISK_KEEP_ALL:
		for (size_t i = 0; i < n->change_count; i++)
			carry_out(&n->safe, &n->changes[i]);
		break;
	case DISK_KEEP_FIRST:
		for (size_t i = 0; i < first; i++)
			carry_out(&n->safe, &n->changes[i]);
		if (first < n->change_count)
			carry_out_torn(d, &n->safe, &n->changes[first], 50);
		break;
	case DISK_KEEP_SOME:
		for (size_t i = 0; i < n->change_count; i++)
			carry_out_torn(d, &n->safe, &n->changes[i], percent);
		break;
	default:
		break;
	}
}

static bool is_still_there(struct disk *d, const struct node *n, enum disk_keep keep)
{
	return n->is_linked || keep == DISK_KEEP_ALL ||
	       (keep != DISK_KEEP_NONE && rng_percent(&d->rng, 50));
}

/* The file as the next start finds it. */
static void survive(struct disk *d, struct node *old, enum disk_keep keep)
{
	struct node *n;

	keep_changes(d, old, keep);
	n = node_new(d, old->name);
	image_copy(&n->safe, &old->safe);
	image_copy(&n->now, &old->safe);
	n->is_linked = true;
	dir_add(d, n);
}

void disk_cut(struct disk *d, enum disk_keep keep)
{
	struct node *dir = d->dir, *deleted = d->deleted;

	if (keep == DISK_KEEP_SEED)
		keep = (enum disk_keep)rng_range(&d->rng, DISK_KEEP_NONE, DISK_KEEP_SOME);
	d->dir = d->deleted = NULL;
	d->cuts++;
	d->is_full = false;
	if (d->on_cut)
		d->on_cut(d->on_cut_arg);
	while (dir) {
		struct node *n = dir;

		dir = n->next;
		n->is_dead = true;
		if (is_still_there(d, n, keep))
			survive(d, n, keep);
		node_unref(n);
	}
	while (deleted) {
		struct node *n = deleted;

		deleted = n->next;
		n->is_dead = true;
		if (n->is_linked && keep != DISK_KEEP_ALL && !find(d, n->name) &&
		    rng_percent(&d->rng, 50))
			survive(d, n, keep);
		node_unref(n);
	}
}

/* ---- operations and what befalls them ---- */

enum fate { GO_ON, GO_ON_AND_CUT, FAIL, FAIL_FULL, DEAD };

static enum fate begin(struct disk *d, const struct node *n, enum disk_op op)
{
	if (n && n->is_dead)
		return DEAD;
	d->counts[op]++;
	if (!d->plan.fault || d->has_struck || (d->plan.on != DISK_ANY_OP && d->plan.on != op) ||
	    ++d->plan_count != d->plan.at)
		return d->is_full ? FAIL_FULL : GO_ON;
	d->has_struck = true;
	switch (d->plan.fault) {
	case DISK_CUT:
		return DEAD; /* the caller adds what it was about to do, and cuts */
	case DISK_CUT_AFTER:
		return GO_ON_AND_CUT;
	case DISK_FULL:
		d->is_full = true;
		d->room = 0;
		return FAIL_FULL;
	default:
		return FAIL;
	}
}

/* A node that is alive although its operation has failed: the power fails now. */
static void cut_if_due(struct disk *d, const struct node *n, enum fate fate)
{
	if ((fate == DEAD && n && !n->is_dead) || fate == GO_ON_AND_CUT)
		disk_cut(d, d->plan.keep);
}

static struct handle *handle(sqlite3_file *f)
{
	return (struct handle *)f;
}

static int io_read(sqlite3_file *f, void *out, int len, sqlite3_int64 at)
{
	struct node *n = handle(f)->node;
	enum fate fate = begin(n->disk, n, DISK_READ);
	size_t there = (size_t)at < n->now.len ? MIN(n->now.len - (size_t)at, (size_t)len) : 0;

	cut_if_due(n->disk, n, fate);
	if (fate != GO_ON && fate != FAIL_FULL)
		return SQLITE_IOERR_READ;
	if (there)
		memcpy(out, n->now.bytes + at, there);
	if (there == (size_t)len)
		return SQLITE_OK;
	memset((char *)out + there, 0, (size_t)len - there);
	return SQLITE_IOERR_SHORT_READ;
}

/* True when there is room for the file to be so long. */
static bool takes_room(struct disk *d, const struct node *n, size_t len)
{
	size_t more = len > n->now.len ? len - n->now.len : 0;

	if (more > d->room)
		return more == 0;
	d->room -= more;
	return true;
}

static int io_write(sqlite3_file *f, const void *data, int len, sqlite3_int64 at)
{
	struct node *n = handle(f)->node;
	struct disk *d = n->disk;
	enum fate fate = begin(d, n, DISK_WRITE);
	size_t part = (size_t)len;

	if (fate == DEAD && n->is_dead)
		return SQLITE_IOERR_WRITE;
	if (fate == FAIL_FULL && takes_room(d, n, (size_t)at + (size_t)len))
		fate = GO_ON;
	if (fate == FAIL_FULL)
		return SQLITE_FULL;
	if (fate == FAIL) /* some of it may have come through */
		part = MIN(rng_below(&d->rng, (uint64_t)len / SECTOR + 1) * SECTOR, (size_t)len);
	if (part) {
		image_write(&n->now, (size_t)at, data, part);
		remember(n, false, (size_t)at, data, part);
	}
	cut_if_due(d, n, fate);
	return fate == GO_ON ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

static int io_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct node *n = handle(f)->node;
	enum fate fate = begin(n->disk, n, DISK_TRUNCATE);

	if ((fate == DEAD && n->is_dead) || fate == FAIL)
		return SQLITE_IOERR_TRUNCATE;
	image_truncate(&n->now, (size_t)size);
	remember(n, true, (size_t)size, NULL, 0);
	cut_if_due(n->disk, n, fate);
	return fate == GO_ON || fate == FAIL_FULL ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int io_sync(sqlite3_file *f, int flags)
{
	struct node *n = handle(f)->node;
	enum fate fate = begin(n->disk, n, DISK_SYNC);

	(void)flags;
	if (fate == GO_ON || fate == GO_ON_AND_CUT || fate == FAIL_FULL)
		sync_node(n);
	cut_if_due(n->disk, n, fate);
	return fate == GO_ON || fate == FAIL_FULL ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int io_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)handle(f)->node->now.len;
	return SQLITE_OK;
}

/* ---- locks of the file ---- */

static int io_lock(sqlite3_file *f, int level)
{
	struct handle *h = handle(f);
	struct node *n = h->node;

	if (level <= h->lock)
		return SQLITE_OK;
	if (h->lock == SQLITE_LOCK_NONE) {
		if ((n->pending && n->pending != h) || (n->exclusive && n->exclusive != h))
			return SQLITE_BUSY;
		n->ledger_view++;
		h->lock = SQLITE_LOCK_SHARED;
	}
	if (level >= SQLITE_LOCK_RESERVED && h->lock < SQLITE_LOCK_RESERVED) {
		if (n->reserved && n->reserved != h)
			return SQLITE_BUSY;
		n->reserved = h;
		h->lock = SQLITE_LOCK_RESERVED;
	}
	if (level == SQLITE_LOCK_EXCLUSIVE) {
		n->pending = h;
		h->lock = SQLITE_LOCK_PENDING;
		if (n->ledger_view > 1)
			return SQLITE_BUSY;
		n->exclusive = h;
		h->lock = SQLITE_LOCK_EXCLUSIVE;
	}
	return SQLITE_OK;
}

static int io_unlock(sqlite3_file *f, int level)
{
	struct handle *h = handle(f);
	struct node *n = h->node;

	if (level >= h->lock)
		return SQLITE_OK;
	if (n->exclusive == h)
		n->exclusive = NULL;
	if (n->pending == h)
		n->pending = NULL;
	if (n->reserved == h)
		n->reserved = NULL;
	if (level == SQLITE_LOCK_NONE && h->lock >= SQLITE_LOCK_SHARED)
		n->ledger_view--;
	h->lock = level;
	return SQLITE_OK;
}

static int io_check_reserved(sqlite3_file *f, int *ret)
{
	*ret = handle(f)->node->reserved != NULL;
	return SQLITE_OK;
}

/* ---- shared memory, between the connections of one process ---- */

static int io_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **ret)
{
	struct handle *h = handle(f);
	struct node *n = h->node;

	*ret = NULL;
	if (n->is_dead)
		return SQLITE_IOERR_SHMMAP;
	if (!h->has_shm) {
		h->has_shm = true;
		n->shm_refs++;
	}
	if ((size_t)region >= n->shm_count) {
		if (!extend)
			return SQLITE_OK;
		n->shm = memory_resize(n->shm, (size_t)(region + 1) * sizeof *n->shm);
		while (n->shm_count <= (size_t)region)
			n->shm[n->shm_count++] = memory_zeroed(1, (size_t)size);
	}
	*ret = n->shm[region];
	return SQLITE_OK;
}

static void shm_unlock(struct handle *h, int slot)
{
	struct node *n = h->node;

	if (h->shm_shared >> slot & 1)
		n->shm_shared[slot]--;
	if (h->shm_exclusive >> slot & 1)
		n->shm_exclusive[slot] = NULL;
	h->shm_shared &= ~(1u << slot);
	h->shm_exclusive &= ~(1u << slot);
}

static bool shm_is_free(const struct handle *h, int slot, bool exclusively)
{
	const struct node *n = h->node;
	unsigned others = n->shm_shared[slot] - (h->shm_shared >> slot & 1);

	if (n->shm_exclusive[slot] && n->shm_exclusive[slot] != h)
		return false;
	return !exclusively || !others;
}

static int io_shm_lock(sqlite3_file *f, int first, int count, int flags)
{
	struct handle *h = handle(f);

	for (int i = first; i < first + count; i++) {
		if (flags & SQLITE_SHM_UNLOCK)
			shm_unlock(h, i);
		else if (!shm_is_free(h, i, flags & SQLITE_SHM_EXCLUSIVE))
			return SQLITE_BUSY;
	}
	if (flags & SQLITE_SHM_UNLOCK)
		return SQLITE_OK;
	for (int i = first; i < first + count; i++) {
		if (flags & SQLITE_SHM_EXCLUSIVE) {
			h->node->shm_exclusive[i] = h;
			h->shm_exclusive |= 1u << i;
		} else if (!(h->shm_shared >> i & 1)) {
			h->node->shm_shared[i]++;
			h->shm_shared |= 1u << i;
		}
	}
	return SQLITE_OK;
}

static void io_shm_barrier(sqlite3_file *f)
{
	(void)f;
}

static int io_shm_unmap(sqlite3_file *f, int delete_it)
{
	struct handle *h = handle(f);
	struct node *n = h->node;

	(void)delete_it;
	for (int i = 0; i < SHM_LOCKS; i++)
		shm_unlock(h, i);
	if (!h->has_shm)
		return SQLITE_OK;
	h->has_shm = false;
	if (--n->shm_refs)
		return SQLITE_OK;
	for (size_t i = 0; i < n->shm_count; i++)
		memory_free(n->shm[i]);
	memory_free(n->shm);
	n->shm = NULL;
	n->shm_count = 0;
	return SQLITE_OK;
}

static int io_control(sqlite3_file *f, int op, void *arg)
{
	(void)f;
	(void)op;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int io_sector_size(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

static int io_characteristics(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int io_close(sqlite3_file *f)
{
	struct handle *h = handle(f);
	struct node *n = h->node;

	io_shm_unmap(f, 0);
	io_unlock(f, SQLITE_LOCK_NONE);
	if (h->deletes && n->name && !n->is_dead && find(n->disk, n->name) == n) {
		dir_remove(&n->disk->dir, n);
		node_unref(n);
	}
	node_unref(n);
	return SQLITE_OK;
}

static const sqlite3_io_methods io_methods = {
	.iVersion = 2,
	.xClose = io_close,
	.xRead = io_read,
	.xWrite = io_write,
	.xTruncate = io_truncate,
	.xSync = io_sync,
	.xFileSize = io_size,
	.xLock = io_lock,
	.xUnlock = io_unlock,
	.xCheckReservedLock = io_check_reserved,
	.xFileControl = io_control,
	.xSectorSize = io_sector_size,
	.xDeviceCharacteristics = io_characteristics,
	.xShmMap = io_shm_map,
	.xShmLock = io_shm_lock,
	.xShmBarrier = io_shm_barrier,
	.xShmUnmap = io_shm_unmap,
};

/* ---- the directory ---- */

static struct disk *disk_of(sqlite3_vfs *v)
{
	return OWNER_OF(v, struct disk, vfs);
}

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *ret_flags)
{
	struct disk *d = disk_of(v);
	struct handle *h = handle(f);
	struct node *n = name ? find(d, name) : NULL;
	enum fate fate = begin(d, n, DISK_OPEN);

	*h = (struct handle){ 0 };
	if (fate == DEAD || fate == GO_ON_AND_CUT) {
		disk_cut(d, d->plan.keep);
		return SQLITE_IOERR;
	}
	if (fate == FAIL || (!n && name && !(flags & SQLITE_OPEN_CREATE)))
		return SQLITE_CANTOPEN;
	if (!n) {
		n = node_new(d, name);
		if (name)
			dir_add(d, n);
	}
	n->refs++;
	h->base.pMethods = &io_methods;
	h->node = n;
	h->deletes = flags & SQLITE_OPEN_DELETEONCLOSE;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync_dir)
{
	struct disk *d = disk_of(v);
	struct node *n = find(d, name);
	enum fate fate = begin(d, n, DISK_DELETE);

	if (!n)
		return SQLITE_IOERR_DELETE_NOENT;
	if (fate == FAIL)
		return SQLITE_IOERR_DELETE;
	if (fate != DEAD) {
		d->room += d->is_full ? n->now.len : 0;
		dir_remove(&d->dir, n);
		if (sync_dir && !d->lies) {
			node_unref(n);
		} else {
			n->next = d->deleted;
			d->deleted = n;
		}
	}
	if (fate == DEAD || fate == GO_ON_AND_CUT) {
		disk_cut(d, d->plan.keep);
		return SQLITE_IOERR_DELETE;
	}
	return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *ret)
{
	(void)flags;
	*ret = find(disk_of(v), name) != NULL;
	return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *v, const char *name, int size, char *out)
{
	(void)v;
	return snprintf(out, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int vfs_randomness(sqlite3_vfs *v, int len, char *out)
{
	for (int i = 0; i < len; i++)
		out[i] = (char)rng_next(&disk_of(v)->rng);
	return len;
}

/* No other process exists that could release a lock meanwhile. */
static int vfs_sleep(sqlite3_vfs *v, int us)
{
	(void)v;
	return us;
}

static int vfs_time(sqlite3_vfs *v, double *ret)
{
	(void)v;
	*ret = 2461359.5;
	return SQLITE_OK;
}

static int vfs_time_int(sqlite3_vfs *v, sqlite3_int64 *ret)
{
	(void)v;
	*ret = 2461359ll * 86400000 + 43200000;
	return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *v, int len, char *out)
{
	(void)len;
	(void)out;
	return disk_of(v)->is_full ? ENOSPC : EIO;
}

struct disk *disk_new(const char *name, uint64_t seed)
{
	struct disk *d = memory_zeroed(1, sizeof *d);

	d->rng = rng_of(seed, 77);
	d->vfs = (sqlite3_vfs){
		.iVersion = 2,
		.szOsFile = sizeof(struct handle),
		.mxPathname = 512,
		.zName = name,
		.xOpen = vfs_open,
		.xDelete = vfs_delete,
		.xAccess = vfs_access,
		.xFullPathname = vfs_full_path,
		.xRandomness = vfs_randomness,
		.xSleep = vfs_sleep,
		.xCurrentTime = vfs_time,
		.xGetLastError = vfs_last_error,
		.xCurrentTimeInt64 = vfs_time_int,
	};
	sqlite3_initialize();
	sqlite3_vfs_register(&d->vfs, 1);
	sqlite3_randomness(0, NULL); /* it asks the default VFS for a new beginning */
	return d;
}

void disk_put_away(struct disk *d)
{
	sqlite3_vfs_unregister(&d->vfs);
}

void disk_copy_files(struct disk *to, const struct disk *from)
{
	for (const struct node *n = from->dir; n; n = n->next) {
		struct node *copy;

		if (!n->is_linked)
			continue;
		copy = node_new(to, n->name);
		copy->is_linked = true;
		image_copy(&copy->now, &n->safe);
		image_copy(&copy->safe, &n->safe);
		dir_add(to, copy);
	}
}

void disk_free(struct disk *d)
{
	if (!d)
		return;
	sqlite3_vfs_unregister(&d->vfs);
	while (d->dir) {
		struct node *n = d->dir;

		d->dir = n->next;
		node_unref(n);
	}
	while (d->deleted) {
		struct node *n = d->deleted;

		d->deleted = n->next;
		node_unref(n);
	}
	memory_free(d);
}

void disk_plan(struct disk *d, const struct disk_plan *plan)
{
	d->plan = *plan;
	d->plan_count = 0;
	d->has_struck = false;
}

bool disk_has_struck(const struct disk *d)
{
	return d->has_struck;
}

void disk_make_room(struct disk *d)
{
	d->is_full = false;
}

unsigned disk_cuts(const struct disk *d)
{
	return d->cuts;
}

void disk_on_cut(struct disk *d, void (*fn)(void *arg), void *arg)
{
	d->on_cut = fn;
	d->on_cut_arg = arg;
}

uint64_t disk_count(const struct disk *d, enum disk_op op)
{
	uint64_t sum = 0;

	if (op != DISK_ANY_OP)
		return d->counts[op];
	for (int i = 0; i < DISK_OPS; i++)
		sum += d->counts[i];
	return sum;
}

void disk_lie_about_sync(struct disk *d, bool lies)
{
	d->lies = lies;
}
