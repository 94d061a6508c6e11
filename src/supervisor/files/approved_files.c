/*
 * One request after the other for each tool; several tools side by side, but one after the other
 * when they would make the same directory.
 *
 * A sandbox closes the file in a stage for a place on the same one of its mounts: a pinned
 * directory is a mount of its own.  So a file may pass through several stages (ELSEWHERE).  A file that was in a stage
 * which a sandbox has open (a person replaced that directory) may be held there, so another file is
 * made (OPEN).
 */
#include "supervisor/files/approved_files.h"

#include "base/memory.h"
#include "base/os/sys.h"
#include "sandbox/sandbox_host.h"
#include "supervisor/files/staged_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define ANSWER_MS 10000     /* on a busy machine an init may take seconds */
#define STAGES_MAX 8        /* for one file */
#define STAGE_NAME ".thole" /* protected in every write root of a workspace */

enum answer { ASKED, CLOSED, ELSEWHERE, OPEN };

struct asked {
	struct sandbox_job *job;
	enum answer answer;
};

struct request {
	struct list node;
	struct list *runs;
	struct sandbox_job *tool;
	struct sandbox_paths opened, roots; /* of its plan */
	bool maps_owners;                   /* of its sandbox */
	struct arena *mem;
	approved_files_fn *done;
	void *arg;
	struct alarm patience;

	struct staged_file *files; /* behind each that may be removed its placeholder */
	size_t count;
	size_t at; /* the file that is being prepared; count: all of them are */

	/* Of files[at]. */
	struct asked *asked;
	size_t asked_count;
	uint64_t round;
	struct str stages[STAGES_MAX]; /* that were tried */
	size_t stage_count;
	bool is_waiting; /* for a call that makes a directory for its own files, too */
	bool is_failed;
};

static struct list *all(void)
{
	static struct list head;

	if (!head.next)
		list_init(&head);
	return &head;
}

static struct request *find(const struct sandbox_job *tool)
{
	LIST_EACH (all(), node) {
		struct request *r = LIST_ITEM(node, struct request, node);

		if (r->tool == tool)
			return r;
	}
	return NULL;
}

static struct str root_of(const struct request *r, struct str path)
{
	struct str best = STR_NONE;

	for (size_t i = 0; i < r->roots.count; i++)
		if (path_is_under(path, r->roots.at[i]) && r->roots.at[i].len > best.len)
			best = r->roots.at[i];
	return best;
}

/* ---- which sandboxes ---- */

/* Does this plan protect one of the approved files that will be at or below the entry? */
static bool is_concerned(const struct request *r, const struct staged_file *f,
                         const struct sandbox_plan *p)
{
	const struct sandbox_paths *opened = &r->opened;

	if (!sandbox_tier_has_namespaces(p->tier) || p->openat2)
		return false;
	for (size_t i = 0; i < opened->count; i++)
		if (path_is_under(opened->at[i], f->entry) &&
		    sandbox_plan_protects(p, opened->at[i]))
			return true;
	return false;
}

static bool is_asked_for(const struct request *r, const struct staged_file *f,
                         const struct sandbox_job *job)
{
	return job != r->tool && !job->is_ended && is_concerned(r, f, &job->req.plan);
}

static struct asked *asked_of(struct request *r, const struct sandbox_job *job)
{
	for (size_t i = 0; i < r->asked_count; i++)
		if (r->asked[i].job == job)
			return &r->asked[i];
	return NULL;
}

static bool is_anyone_concerned(const struct request *r, const struct staged_file *f)
{
	LIST_EACH (r->runs, node)
		if (is_asked_for(r, f, LIST_ITEM(node, struct sandbox_job, node)))
			return true;
	return false;
}

static void ask(struct request *r, struct asked *a)
{
	const struct staged_file *f = &r->files[r->at];
	struct staged_order o = { .round = r->round, .dev = f->dev, .ino = f->ino };
	struct stat parent = { 0 };

	/* on failure it is no directory that an init finds */
	(void)!fstat(f->parent_fd, &parent);
	o.parent_dev = parent.st_dev;
	o.parent_ino = parent.st_ino;
	snprintf(o.name, sizeof o.name, "%s", f->name);
	a->answer = ASKED;
	if ((size_t)snprintf(o.parent, sizeof o.parent, "%s", f->parent.ptr) >= sizeof o.parent)
		a->answer = OPEN;
	else if (!sandbox_close_staged(&a->job->sandbox, &o))
		a->answer = ASKED; /* its init is gone: approved_files_end() follows */
}

/* Those that have not answered or started since. */
static void ask_all(struct request *r)
{
	LIST_EACH (r->runs, node) {
		struct sandbox_job *job = LIST_ITEM(node, struct sandbox_job, node);

		if (!is_asked_for(r, &r->files[r->at], job) || asked_of(r, job))
			continue;
		r->asked = memory_resize(r->asked, (r->asked_count + 1) * sizeof *r->asked);
		r->asked[r->asked_count] = (struct asked){ .job = job };
		ask(r, &r->asked[r->asked_count++]);
	}
}

static size_t count_of(const struct request *r, enum answer answer)
{
	size_t count = 0;

	for (size_t i = 0; i < r->asked_count; i++)
		count += r->asked[i].answer == answer;
	return count;
}

/* ---- stages ---- */

static bool was_tried(const struct request *r, struct str stage)
{
	for (size_t i = 0; i < r->stage_count; i++)
		if (str_eq(r->stages[i], stage))
			return true;
	return false;
}

static bool is_directly_in(struct str path, struct str dir)
{
	return path.len > dir.len + 1 && path_is_under(path, dir) &&
	       str_find_char(str_skip(path, dir.len + 1), '/') < 0;
}

static bool is_real_dir(struct str path)
{
	struct stat st;

	return lstat(path.ptr, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A directory that this sandbox closed at its start, on the mount of the file's parent or on any. */
static struct str stage_for(const struct request *r, const struct sandbox_job *job, bool is_any)
{
	const struct protected_paths *c = &job->sandbox.protected;
	const struct staged_file *f = &r->files[r->at];
	struct str root = root_of(r, f->entry);

	for (size_t i = 0; i < c->shield_count; i++) {
		struct str path = c->shields[i].path;

		if (c->shields[i].kind == SHIELD_CLOSE &&
		    (is_directly_in(path, f->parent) || (is_any && is_directly_in(path, root))) &&
		    !was_tried(r, path) && is_real_dir(path))
			return arena_keep(r->mem, path);
	}
	return STR_NONE;
}

static struct str next_stage(const struct request *r, enum answer answer)
{
	struct str stage = STR_NONE;

	for (size_t i = 0; i < r->asked_count && !str_is(stage); i++)
		if (r->asked[i].answer == answer)
			stage = stage_for(r, r->asked[i].job, answer == OPEN);
	return r->stage_count < STAGES_MAX ? stage : STR_NONE;
}

static void try_stage(struct request *r, struct str stage)
{
	static uint64_t rounds;

	r->stages[r->stage_count++] = stage;
	r->round = ++rounds;
}

/* ---- one request ---- */

static void finish(struct request *r, struct str why)
{
	event_loop_quiet(&r->patience);
	memory_free(r->asked);
	r->asked = NULL;
	r->asked_count = 0;
	r->is_waiting = false;
	r->is_failed = str_is(why);
	for (size_t i = 0; i < r->count && r->is_failed; i++)
		staged_file_done(&r->files[i]);
	r->done(r->arg, r->tool, why);
}

/* No sandbox has to close it, or each of them has. */
static enum err put_beside(struct request *r, struct error *e)
{
	struct staged_file *f = &r->files[r->at];
	enum err err = f->at_fd < 0 ? staged_file_make(f, f->parent, e)
	                            : staged_file_move(f, f->parent, e);

	if (!err)
		err = staged_file_finish(f, e);
	if (err)
		return err;
	r->at++;
	r->asked_count = r->stage_count = 0;
	return OK;
}

static enum err begin_file(struct request *r, struct str stage, struct error *e)
{
	struct staged_file *f = &r->files[r->at];

	r->asked_count = 0;
	try_stage(r, stage);
	return staged_file_make(f, stage, e);
}

/* The usual stage may be a link, or not be there. */
static enum err begin_first(struct request *r, struct error *e)
{
	struct staged_file *f = &r->files[r->at];
	struct str root = root_of(r, f->entry);
	enum err err = begin_file(r, arena_printf(r->mem, "%.*s/" STAGE_NAME, STR_ARG(root)), e);

	LIST_EACH (r->runs, node) {
		struct sandbox_job *job = LIST_ITEM(node, struct sandbox_job, node);
		struct str stage = err && f->at_fd < 0 && is_asked_for(r, f, job) &&
		                                   r->stage_count < STAGES_MAX
		                           ? stage_for(r, job, true)
		                           : STR_NONE;

		if (str_is(stage))
			err = begin_file(r, stage, e);
	}
	return err;
}

static enum err refuse(const struct request *r, enum answer answer, struct error *e)
{
	struct str id = STR("?");

	for (size_t i = 0; i < r->asked_count; i++)
		if (r->asked[i].answer == answer)
			id = r->asked[i].job->req.id;
	return fail(e, ERR_BUSY,
	            "process %.*s in this workspace could change the file while it is written, and "
	            "its sandbox cannot be closed for it; stop that process first",
	            STR_ARG(id));
}

static enum err change_stage(struct request *r, struct error *e)
{
	enum answer answer = count_of(r, OPEN) ? OPEN : ELSEWHERE;
	struct str stage = next_stage(r, answer);
	enum err err;

	if (!str_is(stage))
		return refuse(r, answer, e);
	if (answer == OPEN) {
		staged_file_drop(&r->files[r->at]);
		return begin_file(r, stage, e);
	}
	err = staged_file_move(&r->files[r->at], stage, e);
	if (err)
		return err;
	try_stage(r, stage);
	/* All of them: the new stage may be open in one that was content with the last. */
	for (size_t i = 0; i < r->asked_count; i++)
		ask(r, &r->asked[i]);
	return OK;
}

/* As far as it goes without waiting. */
static void advance(struct request *r)
{
	struct error e;
	enum err err = OK;

	while (r->at < r->count && !err) {
		if (r->files[r->at].at_fd < 0 && is_anyone_concerned(r, &r->files[r->at]))
			err = begin_first(r, &e);
		if (err)
			break;
		if (r->files[r->at].at_fd >= 0)
			ask_all(r);
		if (count_of(r, ASKED))
			return;
		err = count_of(r, CLOSED) == r->asked_count ? put_beside(r, &e)
		                                            : change_stage(r, &e);
	}
	finish(r, err ? str_from(e.message) : STR_NONE);
}

/* Two files in the same missing directory come with it. */
static void drop_double(struct request *r)
{
	for (size_t i = 0; i + 1 < r->count; i++)
		if (str_eq(r->files[i].entry, r->files[r->count - 1].entry)) {
			staged_file_done(&r->files[--r->count]);
			return;
		}
}

static void on_patience(struct alarm *a)
{
	struct request *r = OWNER_OF(a, struct request, patience);

	finish(r, r->is_waiting
	                  ? STR("another call is making the same directory. Try again")
	                  : STR("another sandbox in this workspace does not answer. Try again"));
}

static struct sandbox_paths keep_list(struct arena *mem, const struct sandbox_paths *l)
{
	struct sandbox_paths copy = { ARENA_ARRAY(mem, struct str, l->count + 1), l->count };

	for (size_t i = 0; i < l->count; i++)
		copy.at[i] = arena_keep(mem, l->at[i]);
	return copy;
}

static struct request *request_new(struct list *runs, const struct sandbox_paths *opened,
                                   const struct sandbox_paths *roots)
{
	struct arena *mem = arena_new();
	struct request *r = ARENA_NEW(mem, struct request);

	*r = (struct request){ .runs = runs,
		               .mem = mem,
		               .opened = keep_list(mem, opened),
		               .roots = keep_list(mem, roots),
		               .files = ARENA_ARRAY(mem, struct staged_file,
		                                    2 * opened->count + 1) };
	list_add(all(), &r->node);
	return r;
}

/* Is one of these files to be in a directory that another tool is about to put into its place? */
static bool is_in_other_dir(const struct request *r)
{
	LIST_EACH (all(), node) {
		const struct request *o = LIST_ITEM(node, struct request, node);

		for (size_t i = 0; o != r && !o->is_failed && i < o->count; i++)
			for (size_t k = 0; o->files[i].is_dir && k < r->opened.count; k++)
				if (path_is_under(r->opened.at[k], o->files[i].entry))
					return true;
	}
	return false;
}

/* ---- placeholders for files that may be removed ---- */

/*
 * Would a sandbox that starts now have a placeholder of this name?  Not below a protected directory,
 * which is closed as a whole.
 */
static bool has_placeholder(const struct sandbox_plan *p, struct str entry)
{
	for (size_t i = 0; i < p->protected_paths.count; i++)
		if (path_is_under(p->protected_paths.at[i], entry) &&
		    protected_paths_has_placeholder(p->protected_paths.at[i]))
			return true;
	return false;
}

static bool needs_placeholder(const struct request *r, const struct staged_file *f)
{
	LIST_EACH (r->runs, node) {
		const struct sandbox_job *job = LIST_ITEM(node, struct sandbox_job, node);

		if (is_asked_for(r, f, job) && has_placeholder(&job->req.plan, f->entry))
			return true;
	}
	return false;
}

/* Also for a sandbox that starts until the tool has ended.  Only the tool knows what it removes. */
static bool may_need_placeholder(const struct request *r, const struct staged_file *f)
{
	struct str name = str_skip(f->entry, f->parent.len + 1);
	struct stat st;

	if (f->is_dir || f->is_placeholder ||
	    fstatat(f->parent_fd, name.ptr, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return false;
	return needs_placeholder(r, f) ||
	       (sandbox_host_has_protected_part(name) && protected_paths_has_placeholder(f->entry));
}

static enum err add_placeholder(struct request *r, struct str path, struct error *e)
{
	struct staged_file *f = &r->files[r->count];
	enum err err = staged_file_look(r->mem, root_of(r, path), path, r->maps_owners, f, e);

	f->is_placeholder = !err;
	r->count += !err;
	return err;
}

/* ---- the tool's ---- */

static void begin(struct request *r)
{
	struct error e;
	enum err err = OK;

	r->is_waiting = is_in_other_dir(r);
	if (r->is_waiting)
		return;
	for (size_t i = 0; i < r->opened.count && !err; i++) {
		struct str path = r->opened.at[i];

		err = staged_file_look(r->mem, root_of(r, path), path, r->maps_owners,
		                       &r->files[r->count], &e);
		r->count += !err;
		if (!err)
			drop_double(r);
		if (!err && may_need_placeholder(r, &r->files[r->count - 1]))
			err = add_placeholder(r, path, &e);
	}
	if (err)
		finish(r, str_from(e.message));
	else
		advance(r);
}

void approved_files_begin(struct list *runs, struct sandbox_job *tool, approved_files_fn *done,
                          void *arg)
{
	const struct sandbox_plan *p = &tool->req.plan;
	struct request *r;

	if (find(tool) || tool->is_ended || !sandbox_tier_has_namespaces(p->tier)) {
		done(arg, tool, STR("this process has nothing to prepare"));
		return;
	}
	r = request_new(runs, &p->opened_paths, &p->write_roots);
	r->tool = tool;
	r->maps_owners = tool->sandbox.maps_owners;
	r->done = done;
	r->arg = arg;
	event_loop_alarm(tool->loop, &r->patience, ANSWER_MS, on_patience);
	begin(r);
}

/* An answer to an earlier question says nothing about the present one. */
void approved_files_answer(struct sandbox_job *job, uint64_t round, enum rootfs_staged answer)
{
	static const enum answer answers[] = { [ROOTFS_STAGED_OPEN] = OPEN,
		                               [ROOTFS_STAGED_ELSEWHERE] = ELSEWHERE,
		                               [ROOTFS_STAGED_CLOSED] = CLOSED };

	LIST_EACH_SAFE (all(), node, next) {
		struct request *r = LIST_ITEM(node, struct request, node);
		struct asked *a = asked_of(r, job);

		if (!a || r->round != round || a->answer != ASKED)
			continue;
		a->answer = answers[answer];
		advance(r);
		return;
	}
}

static void request_free(struct request *r)
{
	event_loop_quiet(&r->patience);
	for (size_t i = 0; i < r->count && !r->is_failed; i++)
		staged_file_done(&r->files[i]);
	list_remove(&r->node);
	memory_free(r->asked);
	arena_free(r->mem);
}

/* ---- placeholders for files that were removed ---- */

/* Those that rely on it; the others closed the whole directory. */
static void hold(const struct request *r, const struct staged_file *f, struct str name)
{
	LIST_EACH (r->runs, node) {
		struct sandbox_job *job = LIST_ITEM(node, struct sandbox_job, node);

		if (is_asked_for(r, f, job) && has_placeholder(&job->req.plan, f->entry))
			protected_paths_hold(&job->sandbox.protected, f->parent_fd, name, f->entry);
	}
}

/*
 * What the tool has put in place stays as long as a sandbox relies on it.  Of two calls that remove
 * one file at once, the placeholder of the other one may be there.
 */
static void keep_placeholders(struct request *r)
{
	for (size_t i = 0; i < r->at && !r->is_failed; i++) {
		struct staged_file *f = &r->files[i];
		struct str name = str_skip(f->entry, f->parent.len + 1);
		bool is_placed = f->is_placeholder && staged_file_is_placed(f);

		if (f->is_placeholder)
			hold(r, f, name);
		sys_close(&f->lock_fd);
		if (is_placed)
			protected_paths_remove(r->mem, f->parent_fd, name, f->entry);
	}
}

void approved_files_end(struct sandbox_job *job)
{
	struct request *own = find(job);

	if (own) {
		keep_placeholders(own);
		request_free(own);
	}
	LIST_EACH_SAFE (all(), node, next) {
		struct request *r = LIST_ITEM(node, struct request, node);
		struct asked *a = asked_of(r, job);
		bool was_awaited = a && a->answer == ASKED;

		if (!a)
			continue;
		*a = r->asked[--r->asked_count];
		if (was_awaited)
			advance(r);
	}
	LIST_EACH_SAFE (all(), node, next) {
		struct request *r = LIST_ITEM(node, struct request, node);

		if (own && r->is_waiting)
			begin(r);
	}
}

/* ---- for others ---- */

static struct str temp_of(struct arena *mem, const struct staged_file *f)
{
	return arena_printf(mem, "%.*s/%s", STR_ARG(f->parent), f->name);
}

static bool is_write_root(const struct sandbox_plan *p, struct str path)
{
	for (size_t i = 0; i < p->write_roots.count; i++)
		if (str_eq(path, p->write_roots.at[i]))
			return true;
	return false;
}

struct late {
	struct arena *mem;
	struct shield *at;
	size_t count;
};

static void add_late(struct late *l, struct str path, enum shield_kind kind)
{
	l->at = arena_grow(l->mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = (struct shield){ arena_keep(l->mem, path), kind, false };
}

/* Directories that were made after the sandbox has looked which of them it pins. */
static void add_way(struct late *l, const struct sandbox_plan *p, const struct staged_file *f)
{
	for (size_t at = 1; at <= f->parent.len; at++) {
		struct str dir = str_head(f->parent, at);

		if ((at == f->parent.len || f->parent.ptr[at] == '/') &&
		    PATH_UNDER_ANY(dir, &p->write_roots) && !is_write_root(p, dir))
			add_late(l, dir, SHIELD_PIN);
	}
}

/*
 * First the file that is being filled, then its place: if it is renamed between the two, the
 * second finds it.
 */
size_t approved_files_late(struct arena *mem, const struct sandbox_plan *p,
                           const struct shield **ret)
{
	struct late late = { .mem = mem };

	LIST_EACH (all(), node) {
		struct request *r = LIST_ITEM(node, struct request, node);

		for (size_t i = 0; i < r->at && !r->is_failed; i++) {
			const struct staged_file *f = &r->files[i];

			if (!is_concerned(r, f, p))
				continue;
			add_way(&late, p, f);
			add_late(&late, temp_of(mem, f), SHIELD_CLOSE);
			add_late(&late, f->entry, SHIELD_CLOSE);
		}
	}
	*ret = late.at;
	return late.count;
}

void approved_files_write(struct json_writer *w, const struct sandbox_job *tool)
{
	const struct request *r = find(tool);

	jw_arr(w);
	for (size_t i = 0; r && i < r->count; i++) {
		bool is_removable = i + 1 < r->count && r->files[i + 1].is_placeholder;

		if (r->files[i].is_placeholder)
			continue;
		jw_obj(w);
		JW_KSTR(w, "entry", r->files[i].entry);
		JW_KSTR(w, "temp", temp_of(r->mem, &r->files[i]));
		JW_KBOOL(w, "isDirectory", r->files[i].is_dir);
		if (is_removable) {
			JW_KSTR(w, "placeholder", temp_of(r->mem, &r->files[i + 1]));
			JW_KBOOL(w, "needsExchange", needs_placeholder(r, &r->files[i]));
		}
		jw_obj_end(w);
	}
	jw_arr_end(w);
}
