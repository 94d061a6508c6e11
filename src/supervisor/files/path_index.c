/*
 * Trees of directories with the names that matter, kept current by inotify.
 *
 *	            path_index_find()
 *	stale ──────── index_fill() ────────► current ◄──┐ take_changes(): one name at a time
 *	  ▲                                │  └────┘
 *	  └── an event was lost, a watch ──┘
 *	      failed, a directory moved
 *
 * An answer is complete or an error: a rule that is enforced on some of its files would be worse
 * than a refusal.
 */
#include "supervisor/files/path_index.h"

#include "base/buf.h"
#include "base/os/clock.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/path/path.h"
#include "base/os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#define KEPT_MAX 32      /* trees; the one that was used least recently is freed */
#define WD_MAX (1 << 20) /* watches that one tree ever had; then it is walked again */
#define DEPTH_MAX 512    /* of nested directories; add_entry() recurses */
#define WATCHED                                                                                    \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |     \
	 IN_ONLYDIR)

enum index_kind {
	INDEX_GLOBS,  /* what patterns match */
	INDEX_NAMES,  /* the inodes of all files */
	INDEX_LINKED, /* files with more than one name */
};

/*
 * One directory.  With patterns (INDEX_GLOBS), a directory below which none can match has no node
 * and no watch.
 */
struct dir_node {
	struct dir_node *parent, *child, *next;
	/* The same directory by another path: inotify has one watch per inode. */
	struct dir_node *same;
	char *name;
	bool is_link; /* reached through a symbolic link */
	int wd;       /* -1: not watched */
	/*
	 * The states of each pattern after this directory's path, so that a new name costs one
	 * step each.
	 */
	uint64_t *at; /* per pattern */
	char **hits;
	size_t hit_count, hit_cap;
	ino_t *inos; /* of its files (INDEX_NAMES); those that are gone may be among them */
	size_t ino_count, ino_cap;
};

struct path_index {
	struct list node;
	struct arena *mem; /* root, patterns */
	struct str root, key;
	struct path_glob *globs;
	size_t glob_count;
	/*
	 * Last bytes of names that some pattern can match: decides about most files with one
	 * look-up.
	 */
	bool may_end[256]; /* last bytes of names that some pattern can match */
	enum index_kind kind;
	int fd; /* inotify, or -1 */
	struct dir_node *top;
	struct dir_node **by_wd;
	size_t by_wd_cap;
	size_t entries;
	uint64_t *followed; /* directories behind symbolic links, with their states: a hash set */
	size_t followed_count, followed_cap;
	bool is_stale, is_full;
	size_t most;      /* entries */
	int64_t tried_ms; /* when it was found to be too large */
};

/*
 * listed: for tests.  found: grows with every hit, so a difference means that an answer changed.
 */
static uint64_t listed;
static uint64_t found; /* counts up with every hit */
static int changes_fd = -1;

static struct list *all(void)
{
	static struct list head;

	if (!head.next)
		list_init(&head);
	return &head;
}

/* ---- nodes ---- */

/* The watch is removed only with the last node of the directory. */
static void forget_watch(struct path_index *x, struct dir_node *n)
{
	struct dir_node **at;

	if (n->wd < 0)
		return;
	for (at = &x->by_wd[n->wd]; *at && *at != n; at = &(*at)->same)
		;
	if (*at)
		*at = n->same;
	if (!x->by_wd[n->wd])
		inotify_rm_watch(x->fd, n->wd);
	n->wd = -1;
}

static void free_nodes(struct path_index *x, struct dir_node *n)
{
	while (n) {
		struct dir_node *next = n->next;

		free_nodes(x, n->child);
		forget_watch(x, n);
		/*
		 * another link to the same directory was skipped because of this one; only a new
		 * walk finds it
		 */
		x->is_stale |= n->is_link;
		for (size_t i = 0; i < n->hit_count; i++)
			memory_free(n->hits[i]);
		free(n->hits);
		free(n->inos);
		free(n->at);
		memory_free(n->name);
		memory_free(n);
		n = next;
	}
}

static char *copy_string(const char *text)
{
	size_t len = strlen(text) + 1;
	char *to = memory_alloc(len);

	memcpy(to, text, len);
	return to;
}

static struct dir_node *node_new(struct path_index *x, struct dir_node *parent, const char *name,
                                 const uint64_t *at)
{
	struct dir_node *n = memory_zeroed(1, sizeof *n);

	n->parent = parent;
	n->name = copy_string(name);
	n->wd = -1;
	n->at = memory_zeroed(x->glob_count + 1, sizeof *n->at);
	memcpy(n->at, at, x->glob_count * sizeof *at);
	if (parent) {
		n->next = parent->child;
		parent->child = n;
	}
	return n;
}

static void add_hit(struct dir_node *n, const char *name)
{
	if (n->hit_count == n->hit_cap) {
		n->hit_cap = n->hit_cap ? 2 * n->hit_cap : 4;
		n->hits = memory_resize(n->hits, n->hit_cap * sizeof *n->hits);
	}
	n->hits[n->hit_count++] = copy_string(name);
	found++;
}

static void add_ino(struct dir_node *n, ino_t ino)
{
	if (n->ino_count == n->ino_cap) {
		n->ino_cap = n->ino_cap ? 2 * n->ino_cap : 16;
		n->inos = memory_resize(n->inos, n->ino_cap * sizeof *n->inos);
	}
	n->inos[n->ino_count++] = ino;
}

static void drop_name(struct path_index *x, struct dir_node *n, const char *name)
{
	for (size_t i = 0; i < n->hit_count; i++)
		if (!strcmp(n->hits[i], name)) {
			memory_free(n->hits[i]);
			n->hits[i--] = n->hits[--n->hit_count];
		}
	for (struct dir_node **at = &n->child; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, name)) {
			struct dir_node *gone = *at;

			*at = gone->next;
			gone->next = NULL;
			free_nodes(x, gone);
			return;
		}
}

/* ---- walking ---- */

/*
 * The watch is set before the directory is listed: a name that appears in between is seen twice,
 * which is harmless, instead of never.
 */
static void watch_dir(struct path_index *x, struct dir_node *n, int fd)
{
	char path[64];
	int wd;

	if (x->fd < 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	/*
	 * A new hard link changes the attributes of a file, so IN_ATTRIB matters for
	 * INDEX_LINKED.
	 */
	wd = inotify_add_watch(x->fd, path,
	                       x->kind == INDEX_LINKED ? WATCHED | IN_ATTRIB : WATCHED);
	if (wd < 0 || wd >= WD_MAX) {
		x->is_stale = true; /* walked again for every question */
		return;
	}
	if ((size_t)wd >= x->by_wd_cap) {
		size_t cap = MAX((size_t)wd + 1, 2 * x->by_wd_cap);

		x->by_wd = memory_resize(x->by_wd, cap * sizeof *x->by_wd);
		memset(x->by_wd + x->by_wd_cap, 0, (cap - x->by_wd_cap) * sizeof *x->by_wd);
		x->by_wd_cap = cap;
	}
	n->same = x->by_wd[wd];
	x->by_wd[wd] = n;
	n->wd = wd;
}

static void list_dir(struct path_index *x, struct dir_node *n, int fd, int depth);

static bool is_alive(const uint64_t *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (at[i])
			return true;
	return false;
}

/* ---- symbolic links to directories ---- */

/* A hash set with open addressing; false: the key is in it already. */
static bool followed_add(struct path_index *x, uint64_t key)
{
	size_t at;

	if (2 * (x->followed_count + 1) > x->followed_cap) {
		size_t old_cap = x->followed_cap;
		uint64_t *old = x->followed;

		x->followed_cap = old_cap ? 2 * old_cap : 64;
		x->followed = memory_zeroed(x->followed_cap, sizeof *x->followed);
		x->followed_count = 0;
		for (size_t i = 0; i < old_cap; i++)
			if (old[i])
				followed_add(x, old[i]);
		free(old);
	}
	key |= 1; /* 0 is a free slot */
	for (at = key % x->followed_cap; x->followed[at]; at = (at + 1) % x->followed_cap)
		if (x->followed[at] == key)
			return false;
	x->followed[at] = key;
	x->followed_count++;
	return true;
}

static uint64_t hash_mix(uint64_t h, uint64_t v)
{
	h ^= v;
	h *= 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/* Could something match below under the link's path that does not match under the real one? */
static bool brings_more(const struct path_index *x, const uint64_t *at, int fd)
{
	char link[64], real[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, real, sizeof real - 1);
	/* a directory outside the root is not part of this tree */
	if (len <= 0 || !path_is_under(str_of(real, (size_t)len), x->root))
		return false;
	for (size_t i = 0; i < x->glob_count; i++) {
		uint64_t there = path_glob_begin(&x->globs[i]);
		struct str rest = str_of(real, (size_t)len);

		while (str_is(rest)) {
			struct str name = str_cut(&rest, '/');

			if (name.len)
				there = path_glob_step(&x->globs[i], there, name);
		}
		if (at[i] & ~there)
			return true;
	}
	return false;
}

/*
 * A pattern that names a link to a directory means what is in that directory.  Each directory is
 * followed once for the same states: what is found is closed under its real path.
 */
static void follow_link(struct path_index *x, struct dir_node *n, int dir, const char *name,
                        const uint64_t *at, int depth)
{
	FD_SCOPE fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	struct dir_node *child;
	struct stat st;
	uint64_t key;

	if (fd < 0 || fstat(fd, &st) < 0 || !brings_more(x, at, fd))
		return;
	key = hash_mix(hash_mix(0, st.st_dev), st.st_ino);
	for (size_t i = 0; i < x->glob_count; i++)
		key = hash_mix(key, at[i]);
	if (!followed_add(x, key))
		return;
	child = node_new(x, n, name, at);
	child->is_link = true;
	list_dir(x, child, fd, depth + 1);
}

static bool has_more_names(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_nlink > 1;
}

/*
 * One name of a directory, from a listing or from an event; dir is the descriptor of that
 * directory.  A directory that matches is not entered: everything below it is covered with it.
 */
static void add_entry(struct path_index *x, struct dir_node *n, int dir, const char *name,
                      unsigned char type, ino_t ino, int depth)
{
	uint64_t at[PATH_INDEX_GLOBS_MAX];
	size_t len = strlen(name);
	bool is_hit = false;
	struct stat st;

	if (++x->entries > (x->most ? x->most : PATH_INDEX_ENTRIES_MAX))
		x->is_full = true;
	if (x->is_full)
		return;
	if (type == DT_REG && x->kind == INDEX_GLOBS && !x->may_end[(unsigned char)name[len - 1]])
		return; /* most files end here */
	for (size_t i = 0; i < x->glob_count; i++) {
		at[i] = n->at[i] ? path_glob_step(&x->globs[i], n->at[i], str_of(name, len)) : 0;
		is_hit |= path_glob_is_match(&x->globs[i], at[i]);
	}
	if (type == DT_UNKNOWN) {
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return;
		type = IFTODT(st.st_mode);
		ino = st.st_ino;
	}
	if (x->kind == INDEX_NAMES && type == DT_REG)
		add_ino(n, ino);
	if (is_hit || (x->kind == INDEX_LINKED && type == DT_REG && has_more_names(dir, name)))
		add_hit(n, name);
	if ((type != DT_DIR && type != DT_LNK) || is_hit ||
	    (x->kind == INDEX_GLOBS && !is_alive(at, x->glob_count)))
		return;
	if (depth == DEPTH_MAX) {
		x->is_full = true;
		return;
	}
	if (type == DT_LNK) {
		if (x->kind == INDEX_GLOBS)
			follow_link(x, n, dir, name, at, depth);
		return;
	}

	FD_SCOPE fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	/* what this process cannot read, no process with its rights can read */
	if (fd >= 0)
		list_dir(x, node_new(x, n, name, at), fd, depth + 1);
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/*
 * The whole listing is read before any entry is handled, so that one static buffer serves all
 * depths.
 */
static bool read_dir(int fd, struct buf *into)
{
	static char room[32768];
	ssize_t len;

	while ((len = getdents64(fd, room, sizeof room)) > 0)
		buf_add_str(into, str_of(room, (size_t)len));
	return len == 0;
}

static void list_dir(struct path_index *x, struct dir_node *n, int fd, int depth)
{
	CLEANUP(buf_done) struct buf all = { 0 };

	watch_dir(x, n, fd);
	if (!read_dir(fd, &all)) {
		x->is_stale = true;
		return;
	}
	listed++;
	for (size_t at = 0; at < all.len && !x->is_full;) {
		const struct dirent64 *d = (const struct dirent64 *)(void *)(all.ptr + at);

		at += d->d_reclen;
		if (!is_dot(d->d_name))
			add_entry(x, n, fd, d->d_name, d->d_type, d->d_ino, depth);
	}
}

static int depth_of(const struct dir_node *n)
{
	int depth = 0;

	for (; n->parent; n = n->parent)
		depth++;
	return depth;
}

/* False: longer than any path may be. */
static bool node_path(const struct path_index *x, const struct dir_node *n, const char *name,
                      char *room, size_t size)
{
	char part[PATH_MAX];

	if ((size_t)snprintf(room, size, "%s", name) >= size)
		return false;
	for (; n->parent; n = n->parent) {
		size_t len = strlen(n->name) + 1 + strlen(room);

		if (len >= size || len >= sizeof part)
			return false;
		memcpy(part, room, strlen(room) + 1);
		snprintf(room, size, "%s%s%s", n->name, *part ? "/" : "", part);
	}
	memcpy(part, room, strlen(room) + 1);
	return (size_t)snprintf(room, size, "%.*s%s%s", x->root.len > 1 ? (int)x->root.len : 0,
	                        x->root.ptr, *part ? "/" : "", part) < size;
}

static bool is_behind_link(const struct dir_node *n)
{
	for (; n; n = n->parent)
		if (n->is_link)
			return true;
	return false;
}

/* Opens the directory of a node; links are followed only where the walk followed one. */
static int open_node(const struct dir_node *n, const char *path)
{
	return is_behind_link(n) ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)
	                         : sys_open_place(AT_FDCWD, path);
}

/* ---- changes ---- */

/*
 * The event may be old: the name is looked at again, and whatever it is now replaces what was
 * known.
 */
static void take_name(struct path_index *x, struct dir_node *n, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	drop_name(x, n, name);
	if (!node_path(x, n, "", path, sizeof path)) {
		x->is_stale = true;
		return;
	}

	FD_SCOPE dir = open_node(n, path);

	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	add_entry(x, n, dir, name, IFTODT(st.st_mode), st.st_ino, depth_of(n));
}

/* One event.  What cannot be applied to exactly one node makes the tree stale. */
static void take_event(struct path_index *x, const struct inotify_event *ev)
{
	struct dir_node *n = ev->wd >= 0 && (size_t)ev->wd < x->by_wd_cap ? x->by_wd[ev->wd] : NULL;

	if (ev->mask & IN_Q_OVERFLOW) {
		x->is_stale = true;
		return;
	}
	if (!n)
		return;
	if (n->same) {
		x->is_stale = true; /* several paths, so one event is several changes */
		return;
	}
	/*
	 * The kernel removed the watch: the directory is gone or its file system was unmounted.
	 */
	if (ev->mask & IN_IGNORED) {
		x->by_wd[ev->wd] = NULL;
		n->wd = -1;
		x->is_stale |= n == x->top || n->is_link;
	} else if (ev->mask & (IN_DELETE_SELF | IN_MOVE_SELF)) {
		x->is_stale |= n == x->top;
	} else if (ev->len) {
		take_name(x, n, ev->name);
	}
}

static void take_changes(struct path_index *x)
{
	_Alignas(struct inotify_event) char room[16384];
	ssize_t len;

	while (!x->is_stale && (len = read(x->fd, room, sizeof room)) > 0)
		for (char *at = room; at < room + len;) {
			const struct inotify_event *ev = (const struct inotify_event *)(void *)at;

			take_event(x, ev);
			at += sizeof *ev + ev->len;
		}
}

/* ---- trees ---- */

static void index_clear(struct path_index *x)
{
	/* closing the inotify descriptor removes all watches at once */
	for (size_t i = 0; i < x->by_wd_cap; i++)
		for (struct dir_node *n = x->by_wd[i]; n; n = n->same)
			n->wd = -1;
	free_nodes(x, x->top);
	free(x->by_wd);
	free(x->followed);
	x->followed = NULL;
	x->followed_count = x->followed_cap = 0;
	sys_close(&x->fd);
	x->top = NULL;
	x->by_wd = NULL;
	x->by_wd_cap = x->entries = 0;
	x->is_stale = x->is_full = false;
}

static void index_free(struct path_index *x)
{
	index_clear(x);
	list_remove(&x->node);
	arena_free(x->mem);
	memory_free(x);
}

void path_index_reset(void)
{
	while (!list_is_empty(all()))
		index_free(LIST_ITEM(all()->next, struct path_index, node));
}

/*
 * One epoll descriptor over the inotify descriptors of all trees, so that the loop watches a
 * single one.
 */
int path_index_fd(void)
{
	if (changes_fd < 0)
		changes_fd = epoll_create1(EPOLL_CLOEXEC);
	return changes_fd;
}

/*
 * A stale tree is emptied, which closes its descriptor: events that are never read would wake the
 * loop without end.  The next question walks it.
 */
bool path_index_take(void)
{
	uint64_t before = found;
	bool is_lost = false;

	LIST_EACH (all(), node) {
		struct path_index *x = LIST_ITEM(node, struct path_index, node);

		if (x->fd < 0)
			continue;
		if (!x->is_stale)
			take_changes(x);
		if (x->is_stale) {
			index_clear(x);
			x->is_stale = is_lost = true;
		}
	}
	return is_lost || found != before;
}

uint64_t path_index_listed(void)
{
	return listed;
}

/*
 * Walks the tree from the start.  The states of the patterns begin at the file system's root,
 * because patterns are absolute.
 */
static enum err index_fill(struct path_index *x, struct error *e)
{
	uint64_t at[PATH_INDEX_GLOBS_MAX];
	struct str rest = x->root;

	index_clear(x);
	x->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (x->fd >= 0 && path_index_fd() >= 0)
		epoll_ctl(changes_fd, EPOLL_CTL_ADD, x->fd,
		          &(struct epoll_event){ .events = EPOLLIN });
	for (size_t i = 0; i < x->glob_count; i++)
		at[i] = path_glob_begin(&x->globs[i]);
	while (str_is(rest)) {
		struct str name = str_cut(&rest, '/');

		for (size_t i = 0; i < x->glob_count && name.len; i++)
			at[i] = path_glob_step(&x->globs[i], at[i], name);
	}
	x->top = node_new(x, NULL, "", at);
	for (size_t i = 0; i < x->glob_count; i++)
		if (path_glob_is_match(&x->globs[i], at[i])) {
			add_hit(x->top, "");
			return OK;
		}

	FD_SCOPE place = sys_open_place(AT_FDCWD, x->root.ptr);
	FD_SCOPE fd = place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && (errno == ENOTDIR || errno == EACCES || errno == ELOOP))
		return OK; /* a single file, or nothing that can be looked into */
	if (fd < 0)
		return fail_errno(e, ERR_IO, "look through %s", x->root.ptr);
	list_dir(x, x->top, fd, 0);
	return OK;
}

static struct str key_of(struct arena *mem, struct str root, const struct path_glob *globs,
                         size_t count, enum index_kind kind)
{
	CLEANUP(buf_done) struct buf key = { 0 };

	buf_add_char(&key, (char)('0' + kind));
	buf_add_str(&key, root);
	for (size_t i = 0; i < count; i++) {
		buf_add_char(&key, '\n');
		for (size_t k = 0; k < globs[i].count; k++) {
			buf_add_char(&key, '/');
			buf_add_str(&key, globs[i].names[k]);
		}
	}
	return arena_keep(mem, buf_str(&key));
}

/* A name that ends with a wildcard, or ** as the last part, can match every last byte. */
static void note_ends(struct path_index *x)
{
	for (size_t i = 0; i < x->glob_count; i++)
		for (size_t k = 0; k < x->globs[i].count; k++) {
			struct str name = x->globs[i].names[k];
			char end = name.ptr[name.len - 1];
			bool is_last_any = x->globs[i].any >> k & 1 && k + 1 == x->globs[i].count;

			if (is_last_any ||
			    (!(x->globs[i].any >> k & 1) && (end == '*' || end == '?')))
				memset(x->may_end, 1, sizeof x->may_end);
			else if (!(x->globs[i].any >> k & 1))
				x->may_end[(unsigned char)end] = true;
		}
}

static struct path_index *index_new(struct str key, struct str root, const struct path_glob *globs,
                                    size_t count, enum index_kind kind)
{
	struct arena *mem = arena_new();
	struct path_index *x = memory_zeroed(1, sizeof *x);

	*x = (struct path_index){ .mem = mem,
		                  .root = arena_keep(mem, root),
		                  .key = arena_keep(mem, key),
		                  .globs = ARENA_ARRAY(mem, struct path_glob, count + 1),
		                  .glob_count = count,
		                  .kind = kind,
		                  .fd = -1,
		                  .is_stale = true };
	for (size_t i = 0; i < count; i++) {
		x->globs[i] = globs[i];
		for (size_t k = 0; k < globs[i].count; k++)
			x->globs[i].names[k] = arena_keep(mem, globs[i].names[k]);
	}
	note_ends(x);
	return x;
}

/*
 * The kept tree for this question, current when it returns.  The list is in order of use: the
 * first one is freed when KEPT_MAX are kept.
 */
static enum err index_for(struct arena *mem, struct str root, const struct path_glob *globs,
                          size_t count, enum index_kind kind, struct path_index **ret,
                          struct error *e)
{
	struct str key = key_of(mem, root, globs, count, kind);
	struct path_index *x = NULL;
	size_t kept = 0;
	enum err err = OK;

	LIST_EACH_SAFE (all(), node, next) {
		struct path_index *each = LIST_ITEM(node, struct path_index, node);

		kept++;
		if (str_eq(each->key, key))
			x = each;
	}
	if (!x && kept >= KEPT_MAX)
		index_free(LIST_ITEM(all()->next, struct path_index, node));
	if (x)
		list_remove(&x->node);
	else
		x = index_new(key, root, globs, count, kind);
	list_add(all(), &x->node); /* asked about last */
	if (!x->is_stale && x->fd >= 0)
		take_changes(x);
	if (x->is_stale || x->fd < 0 || x->is_full || !x->top)
		err = index_fill(x, e);
	if (!err && x->is_full)
		err = fail(
			e, ERR_TOO_LARGE,
			"%s holds more than %d files or is too deep, so a deny rule with a pattern "
			"cannot be kept there. Name the paths without wildcards, or work in a "
			"smaller directory",
			x->root.ptr, PATH_INDEX_ENTRIES_MAX);
	if (err)
		x->is_stale = true;
	else
		*ret = x;
	return err;
}

/* ---- answers ---- */

static void add_path(struct arena *mem, struct sandbox_paths *l, struct str path)
{
	l->at = arena_grow(mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = arena_keep(mem, path);
}

static void collect_hits(const struct path_index *x, const struct dir_node *n, struct arena *mem,
                         struct sandbox_paths *into)
{
	char path[PATH_MAX];

	for (; n; n = n->next) {
		for (size_t i = 0; i < n->hit_count; i++)
			if (node_path(x, n, n->hits[i], path, sizeof path))
				add_path(mem, into, str_from(path));
		collect_hits(x, n->child, mem, into);
	}
}

/* path_index_find_some() does not walk a tree again for this time after it was too large. */
#define GIVEN_UP_MS 60000

enum err path_index_find_some(struct arena *mem, struct str root, const struct path_glob *globs,
                              size_t count, struct sandbox_paths *into, struct error *e)
{
	struct str key = key_of(mem, root, globs, count, INDEX_GLOBS);
	struct path_index *x = NULL;
	size_t kept = 0;
	enum err err;

	LIST_EACH (all(), node) {
		kept++;
		if (str_eq(LIST_ITEM(node, struct path_index, node)->key, key))
			x = LIST_ITEM(node, struct path_index, node);
	}
	if (!x && kept >= KEPT_MAX)
		index_free(LIST_ITEM(all()->next, struct path_index, node));
	if (!x) {
		x = index_new(key, root, globs, count, INDEX_GLOBS);
		x->most = PATH_INDEX_SOME_MAX;
		list_add(all(), &x->node);
	}
	if (x->tried_ms && clock_mono_ms() < x->tried_ms + GIVEN_UP_MS)
		return fail(e, ERR_TOO_LARGE, "%s is too large to be walked", x->root.ptr);
	err = path_index_find(mem, root, globs, count, into, e);
	if (err == ERR_TOO_LARGE)
		x->tried_ms = clock_mono_ms();
	return err;
}

enum err path_index_find(struct arena *mem, struct str root, const struct path_glob *globs,
                         size_t count, struct sandbox_paths *into, struct error *e)
{
	struct path_index *x;
	enum err err = index_for(mem, root, globs, count, INDEX_GLOBS, &x, e);

	if (!err)
		collect_hits(x, x->top, mem, into);
	return err;
}

enum err path_index_linked(struct arena *mem, struct str root, struct sandbox_paths *into,
                           struct error *e)
{
	struct path_index *x;
	enum err err = index_for(mem, root, NULL, 0, INDEX_LINKED, &x, e);

	if (!err)
		collect_hits(x, x->top, mem, into);
	return err;
}

static int by_file(const void *a, const void *b)
{
	const struct path_index_file *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->dev == y->dev ? 0 : x->dev < y->dev ? -1 : 1;
}

struct wanted {
	const struct path_index_file *files; /* sorted */
	size_t count;
};

/* By inode number alone, for entries of a listing, which have no device; is_wanted() decides. */
static bool is_wanted_ino(const struct wanted *w, ino_t ino)
{
	size_t from = 0, to = w->count;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (w->files[mid].ino == ino)
			return true;
		if (w->files[mid].ino < ino)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

static bool is_wanted(const struct wanted *w, const struct stat *st)
{
	struct path_index_file key = { .dev = st->st_dev, .ino = st->st_ino };

	return bsearch(&key, w->files, w->count, sizeof key, by_file);
}

/* The wanted names in one directory, which is listed again for them. */
static void name_links(const struct path_index *x, const struct dir_node *n, struct arena *mem,
                       const struct wanted *w, struct sandbox_paths *into)
{
	char path[PATH_MAX];
	struct dirent *d;
	struct stat st;
	DIR *dir;

	if (!node_path(x, n, "", path, sizeof path))
		return;

	int place = sys_open_place(AT_FDCWD, path);
	int fd = place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	sys_close(&place);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		sys_close(&fd);
		return;
	}
	while ((d = readdir(dir)))
		if (is_wanted_ino(w, d->d_ino) &&
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    is_wanted(w, &st) && node_path(x, n, d->d_name, path, sizeof path))
			add_path(mem, into, str_from(path));
	closedir(dir);
}

/*
 * inos may contain numbers of files that are gone, so a hit only says which directory to list
 * again.
 */
static void collect_links(const struct path_index *x, const struct dir_node *n, struct arena *mem,
                          const struct wanted *w, struct sandbox_paths *into)
{
	for (; n; n = n->next) {
		for (size_t i = 0; i < n->ino_count; i++)
			if (is_wanted_ino(w, n->inos[i])) {
				name_links(x, n, mem, w, into);
				break;
			}
		collect_links(x, n->child, mem, w, into);
	}
}

enum err path_index_links(struct arena *mem, struct str root, struct path_index_file *files,
                          size_t count, struct sandbox_paths *into, struct error *e)
{
	struct path_index *x;
	enum err err = index_for(mem, root, NULL, 0, INDEX_NAMES, &x, e);

	qsort(files, count, sizeof *files, by_file);
	if (!err)
		collect_links(x, x->top, mem, &(struct wanted){ files, count }, into);
	return err;
}
