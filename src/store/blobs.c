/*
 * Large outputs as files: growing below open/, then sealed, which syncs them,
 * names them by their hash and links their ref.  Sealing again after a crash has
 * the same result.
 */
#include "store/blobs.h"

#include "base/buf.h"
#include "base/os/id.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os/mailbox.h"
#include "catalog/catalog.h"
#include "store/blob_digest.h"
#include "store/blob_raw.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define REF_MAX 255 /* a file name */
#define PATH_ROOM (REF_MAX + 80)

struct file_blobs {
	struct blobs base;
	bool has_thread;
	int root; /* <dir>/blobs */
	char *dir;
	struct mailbox work, answered; /* owner to thread, thread to owner */
	pthread_t thread;
};

/* An output before it is sealed.  After the first error nothing more is written. */
struct blob_writer {
	char ref[REF_MAX + 1];
	int fd;               /* -1: not open */
	struct error trouble; /* code OK: none */
	struct blob_digest digest;
	atomic_uint_least64_t pending; /* bytes accepted and not yet written; both threads */
};

/* Jobs run in the order they were submitted, so a seal comes after the writes of its output. */
enum job_kind {
	JOB_OPEN,
	JOB_WRITE,
	JOB_SEAL,
	JOB_RECOVER,
	JOB_EXTEND,
	JOB_READ,
	JOB_REMOVE,
	JOB_DROP_RAW,
	JOB_SWEEP_RAW,
	JOB_CLOSE
};
struct job {
	struct mail mail;
	enum job_kind kind;
	struct blob_writer *writer;
	struct blob_read *read; /* JOB_READ; the caller's */
	void (*done)(void *owner, const struct blob_sealed *s);
	void *owner;
	struct blob_sealed sealed;
	char ref[REF_MAX + 1]; /* JOB_EXTEND */
	uint64_t offset;
	bool is_last;
	size_t len;
	char data[]; /* JOB_WRITE, JOB_EXTEND: bytes; the others: names */
};

static struct file_blobs *self(struct blobs *base)
{
	return OWNER_OF(base, struct file_blobs, base);
}

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static enum err os_trouble(struct error *e, const char *doing, const char *what)
{
	enum err code = errno == ENOSPC || errno == EDQUOT ? ERR_FULL : ERR_IO;

	return fail_errno(e, code, "cannot %s %s", doing, what);
}

/* ---- names ---- */

static void open_path(char out[PATH_ROOM], const char *ref)
{
	snprintf(out, PATH_ROOM, "open/%s", ref);
}

static void raw_path(char out[PATH_ROOM], const char *ref)
{
	snprintf(out, PATH_ROOM, BLOB_RAW_DIR "/%s", ref);
}

/* Refs of the same time share their first letters, so the hash selects the directory. */
static void ref_path(char out[PATH_ROOM], const char *ref)
{
	struct sha256 h = sha256_of(str_from(ref));

	snprintf(out, PATH_ROOM, "ref/%02x/%s", h.state[0], ref);
}

/* 256 directories by the first byte, so that none grows without bound. */
static void content_path(char out[PATH_ROOM], const struct sha256 *h)
{
	int len = snprintf(out, PATH_ROOM, "sha256/%02x/", h->state[0]);

	for (size_t i = 1; i < sizeof h->state; i++)
		len += snprintf(out + len, PATH_ROOM - (size_t)len, "%02x", h->state[i]);
}

/* A ref becomes a file name, so a slash or a leading dot must not get here. */
static bool is_ref(struct str ref)
{
	return ref.len <= REF_MAX && id_is_valid(ref);
}

/* ---- directories ---- */

/* A new name survives a power cut only if its directory is synced. */
static enum err sync_dir(int root, const char *path, struct error *e)
{
	CLEANUP(closep) int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) != 0)
		return os_trouble(e, "sync", path);
	return OK;
}

static enum err make_dir(int root, const char *path, const char *parent, struct error *e)
{
	if (mkdirat(root, path, 0700) == 0)
		return sync_dir(root, parent, e);
	return errno == EEXIST ? OK : os_trouble(e, "make", path);
}

/* The directory of a path with two slashes: "ref/ab/out_1" in "ref/ab" in "ref". */
static enum err make_dir_of(int root, const char *path, char dir[PATH_ROOM], struct error *e)
{
	char parent[PATH_ROOM];
	size_t len = (size_t)(strrchr(path, '/') - path);

	snprintf(dir, PATH_ROOM, "%.*s", (int)len, path);
	snprintf(parent, PATH_ROOM, "%.*s", (int)len - 3, path);
	return make_dir(root, dir, parent, e);
}

/* ---- sealing ---- */

/* Links the file under open/ by its hash; the same content may already exist. */
static enum err link_content(int root, const char *from, const char *content, struct error *e)
{
	char dir[PATH_ROOM];
	enum err err = make_dir_of(root, content, dir, e);

	if (err != OK)
		return err;
	if (linkat(root, from, root, content, 0) != 0 && errno != EEXIST)
		return os_trouble(e, "keep", content);
	return sync_dir(root, dir, e);
}

/*
 * The ref is a link to the content.  A ref that exists already is accepted if it leads
 * to the same content: sealing was interrupted after this step.
 */
static enum err link_ref(int root, const char *ref, const char *content, struct error *e)
{
	char dir[PATH_ROOM], target[PATH_ROOM + 6], there[PATH_ROOM + 6];
	enum err err = make_dir_of(root, ref, dir, e);

	if (err != OK)
		return err;
	snprintf(target, sizeof target, "../../%s", content);
	if (symlinkat(target, root, ref) != 0) {
		if (errno != EEXIST)
			return os_trouble(e, "link", ref);

		ssize_t len = readlinkat(root, ref, there, sizeof there);

		if (len < 0 || !str_eq(str_of(there, (size_t)len), str_from(target)))
			return fail(e, ERR_INVALID, "%s was sealed before with other content", ref);
	}
	return sync_dir(root, dir, e);
}

/*
 * Content, then its name by hash, then the ref, each synced before the next: a ref that
 * exists after a crash always leads to complete content.
 */
static enum err publish(int root, const struct blob_writer *w, const struct sha256 *hash,
                        struct error *e)
{
	char open_name[PATH_ROOM], ref[PATH_ROOM], content[PATH_ROOM];
	enum err err;

	open_path(open_name, w->ref);
	ref_path(ref, w->ref);
	content_path(content, hash);
	if (fsync(w->fd) != 0)
		return os_trouble(e, "sync", open_name);
	err = link_content(root, open_name, content, e);
	if (err == OK)
		err = link_ref(root, ref, content, e);
	/* A name that stays under open/ is harmless: readers look up the ref first. */
	if (err == OK)
		unlinkat(root, open_name, 0);
	return err;
}

/* Copies the results of the digest; the previews point into the writer. */
static void fill_sealed(struct blob_sealed *ret, struct blob_writer *w)
{
	ret->hash = blob_digest_end(&w->digest);
	ret->size = w->digest.size;
	ret->head = blob_digest_head(&w->digest);
	ret->tail = blob_digest_tail(&w->digest);
	ret->is_text = w->digest.is_text;
}

/* Fails if the directory was moved or replaced: an output in it could not be found again. */
static enum err check_root(const struct file_blobs *b, struct error *e)
{
	char path[4096];
	struct stat now, ours;

	if (!b->dir || (size_t)snprintf(path, sizeof path, "%s/blobs", b->dir) >= sizeof path)
		return OK;
	if (stat(path, &now) == 0 && fstat(b->root, &ours) == 0 && now.st_dev == ours.st_dev &&
	    now.st_ino == ours.st_ino)
		return OK;
	return fail(e, ERR_IO, "%s was deleted or replaced while this process had it open", path);
}

/*
 * Hash, size and previews are filled in even if sealing fails.  The check of the
 * directory comes last: what was sealed into a directory that was moved away is lost.
 */
static void writer_seal(struct file_blobs *b, struct blob_writer *w, struct blob_sealed *ret)
{
	fill_sealed(ret, w);
	ret->error = w->trouble;
	ret->result = w->trouble.code;
	if (ret->result == OK)
		ret->result = publish(b->root, w, &ret->hash, &ret->error);
	if (ret->result == OK)
		ret->result = check_root(b, &ret->error);
}

static void writer_free(struct blob_writer *w)
{
	if (!w)
		return;
	closep(&w->fd);
	free(w);
}

/* ---- growing ---- */

/* An invalid ref is an error of the writer, reported when it is sealed: open() has no result. */
static struct blob_writer *writer_new(struct str ref)
{
	struct blob_writer *w = memory_alloc(sizeof *w);

	w->fd = -1;
	w->trouble = (struct error){ 0 };
	atomic_init(&w->pending, 0);
	blob_digest_begin(&w->digest);
	snprintf(w->ref, sizeof w->ref, "%.*s", (int)MIN(ref.len, REF_MAX), ref.ptr);
	if (!is_ref(ref))
		fail(&w->trouble, ERR_INVALID, "\"%s\" cannot name an output", w->ref);
	return w;
}

/*
 * Creates the file.  A ref that is in use, growing or sealed, is refused: its bytes
 * would change.
 */
static void writer_start(struct file_blobs *b, struct blob_writer *w)
{
	char open_name[PATH_ROOM], ref[PATH_ROOM];
	struct stat st;

	if (w->trouble.code != OK)
		return;
	open_path(open_name, w->ref);
	ref_path(ref, w->ref);
	if (fstatat(b->root, ref, &st, AT_SYMLINK_NOFOLLOW) != 0)
		w->fd = openat(b->root, open_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	else
		errno = EEXIST;
	if (w->fd >= 0)
		return;
	if (errno == EEXIST)
		fail(&w->trouble, ERR_INVALID, "the output %s exists already", w->ref);
	else
		os_trouble(&w->trouble, "make", open_name);
}

/*
 * Bytes count as written even after an error, so that a caller that waits for `pending`
 * to fall is not blocked.
 */
static void writer_append(struct blob_writer *w, struct str data)
{
	struct str left = data;

	while (left.len && w->trouble.code == OK) {
		ssize_t len = write(w->fd, left.ptr, left.len);

		if (len > 0)
			left = str_skip(left, (size_t)len);
		else if (len == 0 || errno != EINTR)
			os_trouble(&w->trouble, "write", w->ref);
	}
	if (w->trouble.code == OK)
		blob_digest_more(&w->digest, data);
	atomic_fetch_sub(&w->pending, data.len);
}

/* ---- made of a raw one ---- */

/* Sealed content never changes. */
static void output_extend(struct file_blobs *b, const struct job *job)
{
	char open_name[PATH_ROOM], ref[PATH_ROOM];
	struct stat st;

	open_path(open_name, job->ref);
	ref_path(ref, job->ref);
	if (fstatat(b->root, ref, &st, AT_SYMLINK_NOFOLLOW) != 0)
		blob_raw_extend(b->root, open_name, job->offset, str_of(job->data, job->len),
		                job->is_last);
}

/* ---- after a crash ---- */

static int open_sealed(struct file_blobs *b, const char *ref)
{
	char path[PATH_ROOM];

	ref_path(path, ref);
	return openat(b->root, path, O_RDONLY | O_CLOEXEC);
}

static int open_growing(struct file_blobs *b, const char *ref)
{
	char path[PATH_ROOM];

	open_path(path, ref);
	return openat(b->root, path, O_RDONLY | O_CLOEXEC);
}

static int open_raw(struct file_blobs *b, const char *ref)
{
	char path[PATH_ROOM];

	raw_path(path, ref);
	return openat(b->root, path, O_RDONLY | O_CLOEXEC);
}

/* It may be sealed between the first two looks. */
int blobs_descriptor(const struct blobs *b, struct str name)
{
	struct file_blobs *f = OWNER_OF(b, struct file_blobs, base);
	char ref[REF_MAX + 1];
	int fd;

	if (!is_ref(name))
		return -1;
	snprintf(ref, sizeof ref, "%.*s", STR_ARG(name));
	fd = open_sealed(f, ref);
	if (fd < 0)
		fd = open_growing(f, ref);
	return fd < 0 ? open_sealed(f, ref) : fd;
}

/* In a backup the link may lead anywhere; only a file ends. */
int blobs_open_sealed(const char *dir, struct str name)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	char path[PATH_ROOM];
	struct stat st;
	int fd;

	if (!is_ref(name))
		return -1;
	ref_path(path, arena_keep(mem, name).ptr);
	fd = open(arena_printf(mem, "%s/blobs/%s", dir, path).ptr,
	          O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static enum err not_found(struct error *e, const char *ref)
{
	if (errno == ENOENT)
		return fail(e, ERR_NOT_FOUND, "there is no output %s", ref);
	return os_trouble(e, "open", ref);
}

/* A crash leaves nothing of the digest, so the whole file is read again. */
static void digest_file(struct blob_writer *w)
{
	enum { PIECE = 64 * 1024 };
	char *piece = memory_alloc(PIECE);
	ssize_t len;

	while ((len = read(w->fd, piece, PIECE)) != 0) {
		if (len > 0)
			blob_digest_more(&w->digest, str_of(piece, (size_t)len));
		else if (errno != EINTR)
			break;
	}
	if (len < 0)
		os_trouble(&w->trouble, "read", w->ref);
	free(piece);
}

/*
 * While the name under open/ exists, a crash may have interrupted sealing at any
 * step, with nothing synced.  So sealing starts again.
 */
static void output_recover(struct file_blobs *b, struct blob_writer *w, struct blob_sealed *ret)
{
	bool is_sealed = false;

	if (w->trouble.code == OK) {
		w->fd = open_growing(b, w->ref);
		if (w->fd < 0 && errno == ENOENT) {
			w->fd = open_sealed(b, w->ref);
			is_sealed = w->fd >= 0;
		}
		if (w->fd < 0)
			not_found(&w->trouble, w->ref);
		else
			digest_file(w);
	}
	if (is_sealed && w->trouble.code == OK)
		fill_sealed(ret, w);
	else
		writer_seal(b, w, ret);
}

/* ---- reading ---- */

/*
 * The size is taken first: an output that grows may be longer by the time it is read,
 * and the reply must be consistent.  pread() may return less than asked for.
 */
static enum err read_range(int fd, struct blob_read *r)
{
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st) != 0)
		return os_trouble(&r->error, "look at", "an output");
	r->size = (uint64_t)st.st_size;

	uint64_t left = r->offset < r->size ? r->size - r->offset : 0;
	size_t want = (size_t)MIN(left, MIN(r->max, BLOB_READ_MAX));

	r->data = memory_alloc(want + 1);
	while (r->len < want) {
		len = pread(fd, r->data + r->len, want - r->len, (off_t)(r->offset + r->len));
		if (len > 0)
			r->len += (uint32_t)len;
		else if (len == 0)
			break;
		else if (errno != EINTR)
			return os_trouble(&r->error, "read", "an output");
	}
	r->data[r->len] = '\0';
	return OK;
}

/* Sealed content first: a name under open/ may remain after sealing and is then not looked at. */
static void response_read(struct file_blobs *b, struct blob_read *r)
{
	CLEANUP(closep) int fd = -1;
	char ref[REF_MAX + 1];

	r->data = NULL;
	r->len = 0;
	r->size = 0;
	r->sealed = false;
	r->error = (struct error){ 0 };
	if (!is_ref(r->ref)) {
		r->result = fail(&r->error, ERR_NOT_FOUND, "that cannot name an output");
		return;
	}
	snprintf(ref, sizeof ref, "%.*s", STR_ARG(r->ref));
	fd = r->is_raw ? open_raw(b, ref) : open_sealed(b, ref);
	r->sealed = fd >= 0 && !r->is_raw;
	if (fd < 0 && errno == ENOENT && !r->is_raw)
		fd = open_growing(b, ref);
	r->result = fd < 0 ? not_found(&r->error, ref) : read_range(fd, r);
}

/* ---- removing ---- */

/* Content that lost a ref, by the target of its symbolic links. */
struct orphaned {
	struct map targets; /* target → itself */
	struct arena *mem;
};

/* Forgets the content that a ref below this directory links to: that one is still needed. */
static void keep_needed(int root, const char *dir, struct orphaned *o)
{
	int fd = openat(root, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		closep(&fd);
		return;
	}
	while (o->targets.count && (e = readdir(d)) != NULL) {
		char there[PATH_ROOM + 6];
		ssize_t len = readlinkat(dirfd(d), e->d_name, there, sizeof there);

		if (len > 0)
			map_remove(&o->targets, str_of(there, (size_t)len));
	}
	closedir(d);
}

/* Removes a ref, sealed or not, and notes its content. */
static void remove_ref(struct file_blobs *b, struct str name, struct orphaned *o)
{
	char ref[PATH_ROOM], there[PATH_ROOM + 6];
	char text[REF_MAX + 1];
	struct str target;
	ssize_t len;

	if (!is_ref(name))
		return;
	memcpy(text, name.ptr, name.len);
	text[name.len] = '\0';
	open_path(ref, text);
	unlinkat(b->root, ref, 0); /* what was never sealed */
	ref_path(ref, text);
	len = readlinkat(b->root, ref, there, sizeof there - 1);
	if (len <= 6 || unlinkat(b->root, ref, 0) != 0)
		return;
	target = arena_keep(o->mem, str_of(there, (size_t)len));
	map_put(&o->targets, target, (void *)target.ptr);
}

/*
 * Removes content that no ref leads to.  If this fails, it stays on disk without a ref and cannot be
 * read.  The search through all refs is slow, which is why it runs on the thread of the blobs, and
 * once for many refs.
 */
static void remove_orphaned(struct file_blobs *b, struct orphaned *o)
{
	struct map_slot *slot;
	char dir[16];

	for (unsigned i = 0; i < 256 && o->targets.count; i++) {
		snprintf(dir, sizeof dir, "ref/%02x", i);
		keep_needed(b->root, dir, o);
	}
	for (size_t i = 0; map_next(&o->targets, &i, &slot);)
		unlinkat(b->root, (const char *)slot->value + 6, 0); /* behind ../../ */
}

/* ---- jobs ---- */

static struct job *job_new(enum job_kind kind, struct blob_writer *w, struct str data)
{
	struct job *job = memory_alloc(sizeof *job + data.len);

	*job = (struct job){ .kind = kind, .writer = w, .len = data.len };
	if (data.len)
		memcpy(job->data, data.ptr, data.len);
	return job;
}

static void job_free(struct job *job)
{
	if (job->kind == JOB_SEAL || job->kind == JOB_RECOVER)
		writer_free(job->writer);
	free(job);
}

/* Returns whether the owner gets a result.  A seal without `done` only ends the writer. */
static bool do_work(struct file_blobs *b, struct job *job)
{
	switch (job->kind) {
	case JOB_OPEN:
		writer_start(b, job->writer);
		return false;
	case JOB_WRITE:
		writer_append(job->writer, str_of(job->data, job->len));
		return false;
	case JOB_SEAL:
		if (job->done)
			writer_seal(b, job->writer, &job->sealed);
		return job->done != NULL;
	case JOB_RECOVER:
		output_recover(b, job->writer, &job->sealed);
		return true;
	case JOB_EXTEND:
		output_extend(b, job);
		return false;
	case JOB_READ:
		response_read(b, job->read);
		return true;
	case JOB_REMOVE: /* remove_all() */
		return false;
	case JOB_DROP_RAW:
		blob_raw_drop(b->root, str_of(job->data, job->len));
		return false;
	case JOB_SWEEP_RAW:
		blob_raw_sweep(b->root, str_of(job->data, job->len));
		return false;
	case JOB_CLOSE:
		return false;
	}
	return false;
}

/* Does the job; its result, if it has one, is delivered by poll(). */
static void job_run(struct file_blobs *b, struct job *job)
{
	if (do_work(b, job))
		mailbox_post(&b->answered, &job->mail);
	else
		job_free(job);
}

/* All removals from this one to the next job of another kind, which is returned. */
static struct mail *remove_all(struct file_blobs *b, struct mail *first)
{
	struct orphaned o = { .mem = arena_new() };
	struct mail *m = first, *next;

	for (; m && OWNER_OF(m, struct job, mail)->kind == JOB_REMOVE; m = next) {
		struct job *job = OWNER_OF(m, struct job, mail);

		next = m->next;
		remove_ref(b, str_of(job->data, job->len), &o);
		job_free(job);
	}
	remove_orphaned(b, &o);
	map_done(&o.targets);
	arena_free(o.mem);
	return m;
}

/* JOB_CLOSE is the last job of the last list. */
static void *run_thread(void *arg)
{
	struct file_blobs *b = arg;
	bool is_closed = false;

	while (!is_closed)
		for (struct mail *m = mailbox_wait(&b->work), *next; m; m = next) {
			struct job *job = OWNER_OF(m, struct job, mail);

			if (job->kind == JOB_REMOVE) {
				next = remove_all(b, m);
				continue;
			}
			next = m->next; /* job_run() passes the job on */
			is_closed = job->kind == JOB_CLOSE;
			job_run(b, job);
		}
	return NULL;
}

static void hand_over(struct file_blobs *b, struct job *job)
{
	if (b->has_thread)
		mailbox_post(&b->work, &job->mail);
	else if (job->kind == JOB_REMOVE)
		(void)remove_all(b, &job->mail);
	else
		job_run(b, job);
}

/* ---- the port ---- */

static struct blob_writer *fb_open(struct blobs *base, struct str ref)
{
	struct blob_writer *w = writer_new(ref);

	hand_over(self(base), job_new(JOB_OPEN, w, STR_NONE));
	return w;
}

/* The data is copied into the job, so the caller's buffer is free after the call. */
static void fb_write(struct blobs *base, struct blob_writer *w, struct str data)
{
	atomic_fetch_add(&w->pending, data.len);
	hand_over(self(base), job_new(JOB_WRITE, w, data));
}

static uint64_t fb_pending(const struct blobs *base, const struct blob_writer *w)
{
	(void)base;
	return atomic_load(&w->pending);
}

static void end_writer(struct file_blobs *b, enum job_kind kind, struct blob_writer *w,
                       void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	struct job *job = job_new(kind, w, STR_NONE);

	job->done = done;
	job->owner = owner;
	hand_over(b, job);
}

static void fb_seal(struct blobs *base, struct blob_writer *w,
                    void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	end_writer(self(base), JOB_SEAL, w, done, owner);
}

static void fb_extend(struct blobs *base, struct str ref, uint64_t offset, struct str data,
                      bool is_last)
{
	struct job *job = job_new(JOB_EXTEND, NULL, data);

	if (!is_ref(ref)) {
		job_free(job);
		return;
	}
	snprintf(job->ref, sizeof job->ref, "%.*s", STR_ARG(ref));
	job->offset = offset;
	job->is_last = is_last;
	hand_over(self(base), job);
}

static void fb_drop_raw(struct blobs *base, struct str ref)
{
	if (is_ref(ref))
		hand_over(self(base), job_new(JOB_DROP_RAW, NULL, ref));
}

/* The list travels as one text of names with line ends, because a job has one block of data. */
static void fb_sweep_raw(struct blobs *base, const struct str *refs, size_t count)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_add_str(&names, refs[i]);
		buf_add_str(&names, STR("\n"));
	}
	hand_over(self(base), job_new(JOB_SWEEP_RAW, NULL, buf_str(&names)));
}

static struct str fb_raw(struct blobs *base, struct arena *mem, struct str ref)
{
	char path[PATH_ROOM];

	raw_path(path, arena_printf(mem, "%.*s", (int)MIN(ref.len, REF_MAX), ref.ptr).ptr);
	return arena_printf(mem, "%s/blobs/%s", self(base)->dir, path);
}

static void fb_recover_seal(struct blobs *base, struct str ref,
                            void (*done)(void *owner, const struct blob_sealed *s), void *owner)
{
	end_writer(self(base), JOB_RECOVER, writer_new(ref), done, owner);
}

static void fb_read(struct blobs *base, struct blob_read *r)
{
	struct job *job = job_new(JOB_READ, NULL, STR_NONE);

	job->read = r;
	hand_over(self(base), job);
}

static void fb_remove(struct blobs *base, struct str ref)
{
	hand_over(self(base), job_new(JOB_REMOVE, NULL, ref));
}

static void job_deliver(struct job *job)
{
	if (job->kind == JOB_READ)
		job->read->done(job->read);
	else if (job->done)
		job->done(job->owner, &job->sealed);
	job_free(job);
}

static size_t fb_poll(struct blobs *base)
{
	size_t count = 0;

	for (struct mail *m = mailbox_take(&self(base)->answered), *next; m; m = next) {
		next = m->next;
		job_deliver(OWNER_OF(m, struct job, mail));
		count++;
	}
	return count;
}

static void file_blobs_release(struct file_blobs *b)
{
	mailbox_done(&b->work);
	mailbox_done(&b->answered);
	closep(&b->root);
	free(b->dir);
	free(b);
}

/* Finishes and answers all submitted jobs; done callbacks must submit no more. */
static void fb_close(struct blobs *base)
{
	struct file_blobs *b = self(base);

	if (b->has_thread) {
		mailbox_post(&b->work, &job_new(JOB_CLOSE, NULL, STR_NONE)->mail);
		pthread_join(b->thread, NULL);
	}
	b->has_thread = false;
	while (fb_poll(base))
		;
	file_blobs_release(b);
}

static void each_in(int root, unsigned n, struct str prefix,
                    void (*take)(void *arg, struct str ref), void *arg)
{
	char path[16];
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof path, "ref/%02x", n);
	fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		closep(&fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (str_starts(str_from(entry->d_name), prefix))
			take(arg, str_from(entry->d_name));
	closedir(dir);
}

static void fb_each(struct blobs *base, struct str prefix, void (*take)(void *arg, struct str ref),
                    void *arg)
{
	for (unsigned i = 0; i < 256; i++)
		each_in(self(base)->root, i, prefix, take, arg);
}

static const struct blob_ops ops = {
	.open = fb_open,
	.write = fb_write,
	.pending = fb_pending,
	.seal = fb_seal,
	.recover_seal = fb_recover_seal,
	.extend = fb_extend,
	.raw = fb_raw,
	.drop_raw = fb_drop_raw,
	.sweep_raw = fb_sweep_raw,
	.read = fb_read,
	.remove = fb_remove,
	.each = fb_each,
	.poll = fb_poll,
	.close = fb_close,
};

/* ---- opening ---- */

/* `raw` holds the files that background processes write (blob_raw.c). */
static enum err make_root(int data, struct error *e)
{
	static const char *const inner[] = { "blobs/open", "blobs/sha256", "blobs/ref",
		                             "blobs/raw" };
	enum err err = make_dir(data, "blobs", ".", e);
	bool is_new = false;

	for (size_t i = 0; i < COUNT_OF(inner) && err == OK; i++) {
		if (mkdirat(data, inner[i], 0700) == 0)
			is_new = true;
		else if (errno != EEXIST)
			err = os_trouble(e, "make", inner[i]);
	}
	return err == OK && is_new ? sync_dir(data, "blobs", e) : err;
}

/*
 * Directories are opened once and used by descriptor: a later change of the working
 * directory or of a link does not move the blobs.
 */
static enum err open_root(const char *dir, int *ret_root, struct error *e)
{
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return os_trouble(e, "make", dir);

	CLEANUP(closep) int data = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (data < 0)
		return os_trouble(e, "open", dir);

	enum err err = make_root(data, e);
	int root;

	if (err != OK)
		return err;
	root = openat(data, "blobs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return os_trouble(e, "open", "blobs");
	*ret_root = root;
	return OK;
}

/* Left unsealed by a crash: exports are made again from the log, uploads by the client. */
static void sweep_unfinished(int root)
{
	int fd = openat(root, "open", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (str_starts(str_from(entry->d_name), STR(CATALOG_EXPORT_PREFIX)) ||
		    str_starts(str_from(entry->d_name), STR(CATALOG_UPLOAD_PREFIX)))
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* Signals belong to the program, so this thread blocks them. */
static enum err start_thread(struct file_blobs *b, struct error *e)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);

	int rc = pthread_create(&b->thread, NULL, run_thread, b);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return fail(e, ERR_IO, "cannot start the thread for outputs");
	pthread_setname_np(b->thread, "thole-blobs");
	b->has_thread = true;
	return OK;
}

enum err blobs_open(const struct blobs_options *o, struct blobs **ret, struct error *e)
{
	int root = -1;
	enum err err = open_root(o->dir, &root, e);

	if (err != OK)
		return err;

	struct file_blobs *b = memory_zeroed(1, sizeof *b);

	sweep_unfinished(root);
	b->base.ops = &ops;
	b->root = root;
	b->dir = realpath(o->dir, NULL);
	mailbox_init(&b->work, NULL, NULL);
	mailbox_init(&b->answered, o->wake, o->wake_arg);
	if (o->threads)
		err = start_thread(b, e);
	if (err != OK) {
		file_blobs_release(b);
		return err;
	}
	*ret = &b->base;
	return OK;
}
