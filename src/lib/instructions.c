#include "lib/instructions.h"

#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64

struct source {
	struct context port;
	struct instructions_options o;
	struct mailbox asked, answered;
	pthread_t thread;
};

/* ---- one file ---- */

static struct context_found *add(struct context_read *r, size_t *cap, enum context_kind kind)
{
	if (r->count == *cap) {
		size_t grown = *cap ? *cap * 2 : 8;

		r->found = arena_grow(r->mem, r->found, r->count * sizeof *r->found,
		                      grown * sizeof *r->found);
		*cap = grown;
	}
	r->found[r->count] = (struct context_found){ .kind = kind };
	return &r->found[r->count++];
}

static enum missing_reason why_not(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return MISSING_REASON_NOT_FOUND;
	case EACCES:
	case EPERM:
	case ELOOP: /* a link */
		return MISSING_REASON_DENIED;
	default:
		return MISSING_REASON_UNREADABLE;
	}
}

static enum missing_reason read_text(int fd, int64_t max, struct arena *mem, struct str *ret)
{
	struct stat st = { 0 };
	char *text;
	size_t len = 0;

	/* A directory of that name is no such file; a cage puts one there while it stands. */
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return MISSING_REASON_NOT_FOUND;
	if (!S_ISREG(st.st_mode))
		return MISSING_REASON_UNREADABLE;
	if (st.st_size > max)
		return MISSING_REASON_TOO_LARGE;
	text = arena_alloc(mem, (size_t)max + 1);
	while (len <= (size_t)max) {
		ssize_t n = read(fd, text + len, (size_t)max + 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return MISSING_REASON_UNREADABLE;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	if (len > (size_t)max)
		return MISSING_REASON_TOO_LARGE;
	*ret = str_of(text, len);
	return utf8_is_valid(*ret) ? 0 : MISSING_REASON_UNREADABLE;
}

/* The name stands in the directory itself: nothing on the way to it is followed. */
static void read_at(int dir, const char *name, int64_t max, struct arena *mem,
                    struct context_found *f)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0) {
		f->missing = why_not(errno);
		return;
	}
	f->missing = read_text(fd, max, mem, &f->text);
	close(fd);
}

/* ---- instruction files, from the root of the project down ---- */

/* How many of the path's directories stand above the project's root. */
static size_t root_length(struct str cwd)
{
	char path[4096 + 8];
	size_t len = cwd.len;

	for (int depth = 0; len && depth < DEPTH_MAX; depth++) {
		struct stat st;

		memcpy(path, cwd.ptr, len);
		strcpy(path + len, "/.git");
		if (stat(path, &st) == 0)
			return len;
		while (len && cwd.ptr[len - 1] != '/')
			len--;
		while (len && cwd.ptr[len - 1] == '/')
			len--;
	}
	return cwd.len; /* no project: the directory alone */
}

static void read_dir(const struct instructions_options *o, struct context_read *r, size_t *cap,
                     struct str dir, size_t root)
{
	char path[4096 + 1];
	int fd;

	memcpy(path, dir.ptr, dir.len);
	path[dir.len] = 0;
	fd = open(dir.len ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	for (size_t i = 0; i < o->name_count; i++) {
		struct context_found *f = add(r, cap, CONTEXT_KIND_INSTRUCTION);
		struct str below = str_skip(dir, MIN(root + 1, dir.len));
		char name[256];

		snprintf(name, sizeof name, "%.*s", STR_ARG(o->names[i]));
		f->ref = arena_printf(r->mem, "file:%.*s%s%s", STR_ARG(below), below.len ? "/" : "",
		                      name);
		read_at(fd, name, o->max_bytes, r->mem, f);
		/* Nobody asked for it, so that it is not there is no gap (NEG-37). */
		if (f->missing == MISSING_REASON_NOT_FOUND)
			r->count--;
	}
	close(fd);
}

static void read_instructions(const struct instructions_options *o, struct context_read *r,
                              size_t *cap)
{
	struct str cwd = r->cwd;
	size_t root, at;

	while (cwd.len > 1 && cwd.ptr[cwd.len - 1] == '/')
		cwd.len--;
	r->cwd = cwd;
	if (!cwd.len || cwd.ptr[0] != '/' || cwd.len >= 4096)
		return;
	root = at = root_length(cwd);
	while (at <= cwd.len) {
		read_dir(o, r, cap, str_head(cwd, at), root);
		if (at == cwd.len)
			return;
		at++;
		while (at < cwd.len && cwd.ptr[at] != '/')
			at++;
	}
}

/* ---- files that were named ---- */

static bool is_plain(struct str part)
{
	return part.len && part.len < 256 && !str_eq(part, STR("..")) && !str_eq(part, STR(".")) &&
	       !memchr(part.ptr, 0, part.len);
}

static void read_named(const struct instructions_options *o, struct context_read *r, struct str ref,
                       struct context_found *f)
{
	struct str rest = str_starts(ref, STR("file:")) ? str_skip(ref, 5) : ref;
	char name[4096 + 1];
	int dir;

	memcpy(name, r->cwd.ptr, r->cwd.len);
	name[r->cwd.len] = 0;
	dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->missing = MISSING_REASON_DENIED;
	while (dir >= 0) {
		struct str part = str_cut(&rest, '/');
		int below;

		if (!is_plain(part))
			break;
		memcpy(name, part.ptr, part.len);
		name[part.len] = 0;
		if (!str_is(rest)) {
			f->missing = 0;
			read_at(dir, name, o->max_bytes, r->mem, f);
			break;
		}
		below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			f->missing = why_not(errno);
		close(dir);
		dir = below;
	}
	if (dir >= 0)
		close(dir);
}

void instructions_gather(const struct instructions_options *o, struct context_read *r)
{
	size_t cap = 0;

	r->mem = arena_new();
	read_instructions(o, r, &cap);
	for (size_t i = 0; i < r->file_count; i++) {
		struct context_found *f = add(r, &cap, CONTEXT_KIND_FILE);

		f->ref = arena_keep(r->mem, r->files[i]);
		if (r->cwd.len && r->cwd.len < 4096)
			read_named(o, r, f->ref, f);
		else
			f->missing = MISSING_REASON_NOT_FOUND;
	}
}

/* ---- the thread ---- */

static void *thread_main(void *arg)
{
	struct source *s = arg;
	struct mail *next;

	for (struct mail *m; (m = mailbox_wait(&s->asked));)
		for (; m; m = next) {
			next = m->next;
			instructions_gather(&s->o, OWNER_OF(m, struct context_read, mail));
			mailbox_post(&s->answered, m);
		}
	return NULL;
}

static void on_read(struct context *c, struct context_read *r)
{
	struct source *s = OWNER_OF(c, struct source, port);

	mailbox_post(&s->asked, &r->mail);
}

static void on_poll(struct context *c)
{
	struct source *s = OWNER_OF(c, struct source, port);
	struct mail *next;

	for (struct mail *m = mailbox_take(&s->answered); m; m = next) {
		struct context_read *r = OWNER_OF(m, struct context_read, mail);

		next = m->next;
		r->done(r);
	}
}

static void on_close(struct context *c)
{
	struct source *s = OWNER_OF(c, struct source, port);

	mailbox_close(&s->asked);
	pthread_join(s->thread, NULL);
	mailbox_take(&s->asked);
	mailbox_take(&s->answered);
	mailbox_done(&s->asked);
	mailbox_done(&s->answered);
	free(s);
}

static const struct context_ops ops = { on_read, on_poll, on_close };

enum err instructions_open(const struct instructions_options *o, struct context **ret,
                           struct error *e)
{
	struct source *s = xcalloc(1, sizeof *s);

	s->port.ops = &ops;
	s->o = *o;
	mailbox_init(&s->asked, NULL, NULL);
	mailbox_init(&s->answered, o->wake, o->wake_arg);
	if (pthread_create(&s->thread, NULL, thread_main, s) != 0) {
		mailbox_done(&s->asked);
		mailbox_done(&s->answered);
		free(s);
		return fail(e, ERR_IO, "no thread for instruction files");
	}
	*ret = &s->port;
	return OK;
}
