/* Reads auth.issuers again when a file of settings has changed. */
#include "lib/workspace/issuer_watch.h"

#include "base/gen/limits.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "lib/files.h"

#include <errno.h>
#include <sys/stat.h>

#define LOOK_MS 1000
#define FILES_MAX 4
#define FILE_MAX_BYTES (1u << 20)

struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	bool is_there;
};

struct issuer_watch {
	struct issuer_watch_options o;
	struct arena *mem;
	struct loop_timer timer;
	const char *paths[FILES_MAX];
	struct stamp stamps[FILES_MAX];
	size_t count;
	bool has_warned;
	bool looks_again;                   /* an issuer is missing since the last look */
	bool is_missing[LIMIT_JWT_ISSUERS]; /* by its place in the settings */
	bool is_removed[LIMIT_JWT_ISSUERS];
};

/* ---- files ---- */

static struct stamp stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return (struct stamp){ .is_there = errno != ENOENT && errno != ENOTDIR };
	return (struct stamp){ st.st_dev, st.st_ino, st.st_size, st.st_ctim, true };
}

static bool is_same(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
	       a->is_there == b->is_there;
}

static bool has_changed(struct issuer_watch *w)
{
	bool is_changed = false;

	for (size_t i = 0; i < w->count; i++) {
		struct stamp now = stamp_of(w->paths[i]);

		is_changed |= !is_same(&now, &w->stamps[i]);
		w->stamps[i] = now;
	}
	return is_changed;
}

/* The last file that has the setting counts.  False: one of them cannot be read now. */
static bool read_files(const struct issuer_watch *w, struct arena *mem, struct json *ret)
{
	*ret = (struct json){ 0 };
	for (size_t i = 0; i < w->count; i++) {
		struct json doc, flat;
		struct str text;
		struct error e;

		if (!stamp_of(w->paths[i]).is_there)
			continue;
		if (files_read_all(mem, w->paths[i], FILE_MAX_BYTES, &text, &e) != OK ||
		    json_read_config(mem, text, &doc, &e) != OK || json_type(doc) != JSON_OBJ)
			return false;
		flat = JSON_GET(doc, "auth.issuers");
		if (!json_is(flat))
			flat = JSON_GET(JSON_GET(doc, "auth"), "issuers");
		if (json_is(flat))
			*ret = flat;
	}
	return true;
}

/* ---- looking ---- */

static void remove_issuer(struct issuer_watch *w, size_t at, struct str name)
{
	w->is_removed[at] = true;
	log_line(LOG_WARN, "auth",
	         "the issuer %.*s is not in the settings any more: its tokens are refused",
	         STR_ARG(name));
	serve_remove_issuer(w->o.serve, name);
}

static void compare(struct issuer_watch *w, struct json now)
{
	struct json_iter it = json_iter(w->o.issuers);
	struct json before;
	struct str name;

	w->looks_again = false;
	for (size_t i = 0; i < LIMIT_JWT_ISSUERS && json_next(&it, &name, &before); i++) {
		bool was_missing = w->is_missing[i];

		w->is_missing[i] = !json_is(json_get(now, name));
		if (w->is_removed[i] || !w->is_missing[i])
			continue;
		if (was_missing)
			remove_issuer(w, i, name);
		else
			w->looks_again = true;
	}
}

static void on_look(struct loop_timer *t)
{
	struct issuer_watch *w = OWNER_OF(t, struct issuer_watch, timer);
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json now;

	if (has_changed(w) || w->looks_again) {
		/* What cannot be read now is looked at again. */
		w->looks_again = !read_files(w, mem, &now);
		if (!w->looks_again)
			compare(w, now);
		else if (!w->has_warned)
			log_line(LOG_WARN, "auth",
			         "a file of settings cannot be read: auth.issuers stays as it is");
		w->has_warned = w->looks_again;
	}
	loop_timer_start(w->o.loop, &w->timer, LOOK_MS, on_look);
}

/* ---- life ---- */

struct issuer_watch *issuer_watch_new(const struct issuer_watch_options *o)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct issuer_watch *w;
	struct json now;

	if (!o->files || !json_count(o->issuers))
		return NULL;
	w = memory_zeroed(1, sizeof *w);
	w->mem = arena_new_small();
	w->o = *o;
	for (size_t i = 0; o->files[i] && w->count < FILES_MAX; i++) {
		const char *path = strchr(o->files[i], '=');

		if (path)
			w->paths[w->count++] = arena_keep(w->mem, str_from(path + 1)).ptr;
	}
	(void)has_changed(w);
	/* Other layers decide, or the files have changed since the start. */
	if (!read_files(w, mem, &now) || !json_equal(now, o->issuers)) {
		issuer_watch_free(w);
		return NULL;
	}
	loop_timer_start(o->loop, &w->timer, LOOK_MS, on_look);
	return w;
}

void issuer_watch_free(struct issuer_watch *w)
{
	if (!w)
		return;
	loop_timer_stop(&w->timer);
	arena_free(w->mem);
	memory_free(w);
}
