/*
 * Reads permission rules from files, notices changes by their stamp, and keeps
 * earlier rules in force while a file cannot be read.
 */
#include "lib/workspace/policy_files.h"

#include "base/path/foreign_file.h"
#include "base/json.h"
#include "base/list.h"
#include "base/os/log.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "core/settings/settings_text.h"
#include "policy/rules.h"
#include "lib/files.h"
#include "lib/workspace/git_tracked.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define RULES_FILE ".thole/rules.json"
/*
 * File times have the resolution of the kernel's tick; within this time a second change
 * can have the same one.
 */
#define YOUNG_NS 50000000u
#define PLACES_MAX 64 /* project files that are remembered */

struct rule_file {
	struct list node;
	struct arena *mem; /* of the rules and the trouble */
	struct str path, source;
	struct str dir;             /* of a project's */
	bool is_project;            /* {"rules": [...]}, else settings */
	struct foreign_stamp stamp; /* of what was looked at last */
	bool was_young;             /* the next look reads it again even if its stamp is the same */
	struct str rules;           /* as they hold: a list with sources; absent: none */
	struct str trouble;
};

struct policy_files {
	struct policy port;
	struct arena *mem;
	struct str fixed;
	struct list settings; /* struct rule_file */
	struct list projects;
	size_t project_count;
	struct arena *now_mem; /* of the last answer */
	struct policy_now now;
	const struct rule_file *now_of; /* the project that it was for */
	bool is_stale;                  /* a file has changed since */
};

static uint64_t ns_of(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Changed so recently that one more change may have the same time. */
static bool is_young(const struct foreign_stamp *s)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return s->is_there && ns_of(now) < s->changed_ns + YOUNG_NS;
}

/*
 * A project's file is untrusted, so only foreign_file looks at it; errors are reported
 * when it is read.
 */
static struct foreign_stamp stamp_of(const struct rule_file *f)
{
	struct foreign_stamp s = { 0 };
	struct error ignored;
	struct stat st;

	if (f->is_project) {
		enum err err = foreign_file_look(f->dir, RULES_FILE, &s, &ignored);

		/* a file that cannot be examined may exist, so it counts as existing */
		s.is_there = err != ERR_NOT_FOUND;
		return s.is_there ? s : (struct foreign_stamp){ 0 };
	}
	if (stat(f->path.ptr, &st) != 0) {
		/* a link that leads nowhere is there too */
		s.is_there = (errno != ENOENT && errno != ENOTDIR) || lstat(f->path.ptr, &st) == 0;
		return s;
	}
	return (struct foreign_stamp){ .device = st.st_dev,
		                       .inode = st.st_ino,
		                       .size = (uint64_t)st.st_size,
		                       .changed_ns = ns_of(st.st_ctim),
		                       .is_there = true };
}

static bool is_same(const struct foreign_stamp *a, const struct foreign_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->changed_ns == b->changed_ns && a->is_there == b->is_there;
}

/* The list with the source of each rule; what a rule says about its source itself is ignored. */
static struct str with_source(struct arena *mem, struct json list, struct str source)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_iter it = json_iter(list);
	struct json_writer w;
	struct json v;
	struct str key;

	jw_init(&w, &text);
	jw_arr(&w);
	while (json_next(&it, &key, &v))
		jw_value_with(&w, v, STR("source"), source);
	jw_arr_end(&w);
	return arena_keep(mem, buf_str(&text));
}

static struct json list_in(const struct rule_file *f, struct json doc)
{
	struct json flat = JSON_GET(doc, "permission.rules");

	if (f->is_project)
		return JSON_GET(doc, "rules");
	return json_is(flat) ? flat : JSON_GET(JSON_GET(doc, "permission"), "rules");
}

/*
 * A settings file without rules is valid; a project's rules file without a list is not,
 * because the file has no other purpose.
 */
static enum err read_file(const struct rule_file *f, struct arena *mem, struct str *ret,
                          struct error *e)
{
	struct rules check = { .mem = mem };
	struct json doc, list;
	struct str text;
	struct foreign_file foreign = { 0 };
	enum err err =
		f->is_project
			? foreign_file_read(mem, f->dir, RULES_FILE, RULE_FILE_MAX, &foreign, e)
			: files_read_settings(mem, f->path.ptr, RULE_FILE_MAX, &text, e);

	if (f->is_project)
		text = foreign.text;
	if (!err)
		err = json_read_config(mem, text, &doc, e);
	if (!err && json_type(doc) != JSON_OBJ)
		err = fail(e, ERR_INVALID, "an object is wanted");
	if (err)
		return err;
	list = list_in(f, doc);
	if (!json_is(list) && !f->is_project) {
		*ret = STR_NONE;
		return OK;
	}
	if (json_type(list) != JSON_ARR)
		return fail(e, ERR_INVALID, "a list of rules is wanted");
	*ret = with_source(mem, list, f->source);
	return rules_add_settings(&check, *ret, e);
}

/* Has it changed? */
static bool look_at(struct rule_file *f)
{
	struct foreign_stamp now = stamp_of(f);
	struct str rules = STR_NONE;
	struct arena *mem;
	struct error e = { 0 };
	enum err err;

	if (is_same(&now, &f->stamp) && !f->was_young)
		return false;
	mem = arena_new();
	err = now.is_there ? read_file(f, mem, &rules, &e) : OK;
	/* The look may have failed, or the file may have been removed after it. */
	if (err == ERR_NOT_FOUND)
		now = stamp_of(f);
	f->stamp = now;
	f->was_young = is_young(&now);
	if (!now.is_there) {
		f->rules = f->trouble = STR_NONE;
	} else if (err) {
		f->trouble = arena_printf(mem, "%.*s: %s", STR_ARG(f->path), e.message);
		f->rules = str_is(f->rules) ? arena_keep(mem, f->rules) : STR_NONE;
		/* a failure that may pass without a change of the file is tried again */
		f->was_young |= e.code == ERR_TIMEOUT || e.code == ERR_IO;
	} else {
		f->rules = rules;
		f->trouble = STR_NONE;
	}
	arena_free(f->mem);
	f->mem = mem;
	return true;
}

static struct rule_file *file_new(struct list *to, struct str path, struct str source,
                                  struct str dir)
{
	struct arena *mem = arena_new();
	struct rule_file *f = memory_zeroed(1, sizeof *f);

	f->is_project = str_is(dir);
	if (f->is_project)
		f->dir = str_of(memory_strndup(dir.ptr, dir.len), dir.len);
	f->mem = mem;
	f->path = str_of(memory_strndup(path.ptr, path.len), path.len);
	f->source = str_of(memory_strndup(source.ptr, source.len), source.len);
	list_add(to, &f->node);
	return f;
}

static void file_free(struct rule_file *f)
{
	list_remove(&f->node);
	arena_free(f->mem);
	free((char *)f->path.ptr);
	free((char *)f->dir.ptr);
	free((char *)f->source.ptr);
	free(f);
}

/* At the limit the project that was added first leaves; its file is read again when needed. */
static struct rule_file *project_of(struct policy_files *p, struct str cwd)
{
	char path[4200];
	int len = snprintf(path, sizeof path, "%.*s/" RULES_FILE, STR_ARG(cwd));

	if (len <= 0 || (size_t)len >= sizeof path)
		return NULL;
	LIST_EACH (&p->projects, node) {
		struct rule_file *f = LIST_ITEM(node, struct rule_file, node);

		if (str_eq(f->path, str_of(path, (size_t)len)))
			return f;
	}
	p->is_stale = true;
	if (p->project_count == PLACES_MAX)
		file_free(LIST_ITEM(p->projects.next, struct rule_file, node));
	else
		p->project_count++;
	return file_new(&p->projects, str_of(path, (size_t)len), STR("project"), cwd);
}

/* ---- all of them together ---- */

static void add_members(struct arena *mem, struct json_writer *w, struct str list)
{
	struct json_iter it;
	struct json doc, v;
	struct str key;

	if (!str_is(list) || json_read_trusted(mem, list, &doc, NULL) != OK)
		return;
	it = json_iter(doc);
	while (json_next(&it, &key, &v))
		jw_value(w, v);
}

/* ---- denied files that git has committed: a warning in the log ---- */

struct committed {
	struct arena *mem;
	struct str dir, home, rules;
};

static atomic_flag is_reporting = ATOMIC_FLAG_INIT;

static void *committed_main(void *arg)
{
	struct committed *c = arg;
	struct git_tracked found;

	git_tracked_denied(c->mem, c->dir, c->home, c->rules, &found);
	for (size_t i = 0; i < found.count; i++)
		log_line(LOG_WARN, "rules",
		         "%.*s: %.*s is denied, but git has committed it, so git show reads it",
		         STR_ARG(c->dir), STR_ARG(found.at[i]));
	arena_free(c->mem);
	atomic_flag_clear(&is_reporting);
	return NULL;
}

/*
 * Reported once for the same rules in the same directory.  A repository's index
 * may be large, so a thread reads it.  While that thread runs, the next report
 * is skipped until the rules are evaluated again.
 */
static void report_committed(struct str dir, struct str rules)
{
	static _Thread_local uint64_t reported;
	const char *home = getenv("HOME");
	uint64_t now = str_hash(dir) ^ str_hash(rules);
	struct committed *c;
	struct arena *mem;
	pthread_t thread;

	if (reported == now || atomic_flag_test_and_set(&is_reporting))
		return;
	reported = now;
	mem = arena_new();
	c = ARENA_NEW(mem, struct committed);
	*c = (struct committed){ .mem = mem,
		                 .dir = arena_keep(mem, dir),
		                 .home = home ? arena_keep(mem, str_from(home)) : STR(""),
		                 .rules = arena_keep(mem, rules) };
	if (pthread_create(&thread, NULL, committed_main, c) == 0) {
		pthread_detach(thread);
		return;
	}
	arena_free(mem);
	atomic_flag_clear(&is_reporting);
}

/*
 * While a file cannot be parsed, what it denies is unknown.  So its earlier rules stay in
 * force, and every call also needs approval, reads and bypass included; without a user it
 * is denied.
 */
static void add_guard(struct arena *mem, struct json_writer *w, const struct rule_file *f)
{
	if (!str_is(f->trouble))
		return;
	jw_obj(w);
	JW_KSTR(w, "id", STR("unreadable-rules"));
	JW_KSTR(w, "effect", STR("ask"));
	JW_KSTR(w, "tool", STR("*"));
	JW_KBOOL(w, "always", true);
	JW_KSTR(w, "source", f->source);
	JW_KSTR(w, "reason",
	        arena_printf(mem,
	                     "the rules in %.*s cannot be understood, so what they deny is not "
	                     "known (%.*s). Repair or remove the file",
	                     STR_ARG(utf8_tail(f->path, 1000)),
	                     STR_ARG(utf8_head(str_skip(f->trouble, f->path.len + 2), 400))));
	jw_obj_end(w);
}

/* The rules with the guards of files that are in trouble. */
static struct str with_guards(struct arena *mem, const struct policy_files *p,
                              const struct rule_file *project, struct str rules)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_arr(&w);
	LIST_EACH (&p->settings, node)
		add_guard(mem, &w, LIST_ITEM(node, struct rule_file, node));
	if (project)
		add_guard(mem, &w, project);
	add_members(mem, &w, rules);
	jw_arr_end(&w);
	return arena_keep(mem, buf_str(&text));
}

/*
 * The reference is the hash of the rules with their guards, so that the same rules have the
 * same one after a restart.
 */
static struct policy_now join_rules(struct policy_files *p, const struct rule_file *project)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct policy_now now = { .trouble = project ? project->trouble : STR_NONE };
	struct arena *mem = arena_new();
	struct json_writer w;

	jw_init(&w, &text);
	jw_arr(&w);
	LIST_EACH (&p->settings, node) {
		const struct rule_file *f = LIST_ITEM(node, struct rule_file, node);

		add_members(mem, &w, f->rules);
		if (str_is(f->trouble))
			now.trouble = f->trouble;
	}
	if (project)
		add_members(mem, &w, project->rules);
	add_members(mem, &w, p->fixed);
	jw_arr_end(&w);
	now.rules = arena_keep(mem, buf_str(&text));
	now.trouble = str_is(now.trouble) ? arena_keep(mem, now.trouble) : STR_NONE;
	if (project)
		report_committed(project->dir, now.rules);
	if (str_is(now.trouble))
		now.rules = with_guards(mem, p, project, now.rules);
	now.ref = settings_text_rules_ref(mem, settings_text_rules(mem, now.rules, now.trouble));
	arena_free(p->now_mem);
	p->now_mem = mem;
	return now;
}

/* Called before decisions, so it has to be cheap: a few stat() calls when nothing has changed. */
static struct policy_now policy_look(struct policy *port, struct str cwd)
{
	struct policy_files *p = OWNER_OF(port, struct policy_files, port);
	struct rule_file *project = project_of(p, cwd);

	LIST_EACH (&p->settings, node)
		p->is_stale |= look_at(LIST_ITEM(node, struct rule_file, node));
	if (project)
		p->is_stale |= look_at(project);
	if (p->is_stale || p->now_of != project) {
		p->now = join_rules(p, project);
		p->now_of = project;
		p->is_stale = false;
	}
	return p->now;
}

static void files_forget(struct list *files)
{
	while (!list_is_empty(files))
		file_free(LIST_ITEM(files->next, struct rule_file, node));
}

static void policy_close(struct policy *port)
{
	struct policy_files *p = OWNER_OF(port, struct policy_files, port);

	files_forget(&p->settings);
	files_forget(&p->projects);
	arena_free(p->now_mem);
	arena_free(p->mem);
}

static const struct policy_ops policy_ops = { .look = policy_look, .close = policy_close };

/* At the start trouble is an error that the operator sees; later it only adds guards. */
enum err policy_files_open(const struct policy_files_options *o, struct str cwd,
                           struct policy **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct policy_files *p = ARENA_NEW(mem, struct policy_files);
	struct policy_now now;

	p->mem = mem;
	p->port.ops = &policy_ops;
	p->fixed = arena_keep(mem, o->fixed);
	list_init(&p->settings);
	list_init(&p->projects);
	for (const char *const *f = o->files; f && *f; f++) {
		struct str path = str_from(*f), source = str_cut(&path, '=');

		if (!str_is(path) || !rules_source_read(source)) {
			policy_close(&p->port);
			return fail(e, ERR_INVALID, "rule_files: SOURCE=PATH is wanted, not %s",
			            *f);
		}
		file_new(&p->settings, path, source, STR_NONE);
	}
	now = policy_look(&p->port, cwd);
	if (str_is(now.trouble)) {
		fail(e, ERR_INVALID,
		     "permission.rules: %.*s. Repair or remove the file, then start again",
		     STR_ARG(now.trouble));
		policy_close(&p->port);
		return ERR_INVALID;
	}
	*ret = &p->port;
	return OK;
}
