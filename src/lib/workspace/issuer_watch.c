/* Reads auth.issuers again when a file of settings has changed. */
#include "lib/workspace/issuer_watch.h"

#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "lib/files.h"
#include "serve/auth/issuer_settings.h"

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
	bool looks_again;     /* an issuer is missing since the last look */
	struct list_str gone; /* those that were missing then */
	struct json known;    /* auth.issuers as the runtime has it; absent: none */
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
		if (files_read_settings(mem, w->paths[i], FILE_MAX_BYTES, &text, &e) != OK ||
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

static void remove_issuer(struct issuer_watch *w, struct str name)
{
	log_line(LOG_WARN, "auth",
	         "the issuer %.*s is not in the settings any more: its tokens are refused",
	         STR_ARG(name));
	serve_remove_issuer(w->o.serve, name);
}

/* Names that are missing for the first time stay known until the next look. */
static void remove_missing(struct issuer_watch *w, struct json now)
{
	struct json_iter it = json_iter(w->known);
	struct list_str gone = { 0 };
	struct json before;
	struct str name;

	w->looks_again = false;
	while (json_next(&it, &name, &before)) {
		if (json_is(json_get(now, name)))
			continue;
		if (rec_list_str_find(&w->gone, name) >= 0) {
			remove_issuer(w, name);
		} else {
			rec_list_str_add(w->mem, &gone, name);
			w->looks_again = true;
		}
	}
	w->gone = gone;
}

static void set_issuer(struct issuer_watch *w, const struct issuer_options *o, bool is_known)
{
	if (!w->o.prepare(w->o.owner) || !serve_set_issuer(w->o.serve, o)) {
		log_line(LOG_WARN, "auth",
		         "the issuer %.*s counts after the next start; its tokens are refused "
		         "until then",
		         STR_ARG(o->name));
		/* What it was before may permit more than the settings do now. */
		serve_remove_issuer(w->o.serve, o->name);
		return;
	}
	log_line(LOG_INFO, "auth",
	         "the issuer %.*s was %s in the settings: its tokens are accepted",
	         STR_ARG(o->name), is_known ? "changed" : "added");
}

/* What is known from now on: what is there, and what is missing for the first time. */
static void keep_known(struct issuer_watch *w, struct json now)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(now);
	struct json_writer jw;
	struct json row;
	struct str name;

	jw_init(&jw, &out);
	jw_obj(&jw);
	while (json_next(&it, &name, &row)) {
		jw_key(&jw, name);
		jw_value(&jw, row);
	}
	for (uint32_t i = 0; i < w->gone.count; i++) {
		jw_key(&jw, w->gone.items[i]);
		jw_value(&jw, json_get(w->known, w->gone.items[i]));
	}
	jw_obj_end(&jw);
	if (json_read_trusted(w->mem, arena_keep(w->mem, buf_str(&out)), &w->known, NULL) != OK)
		w->known = (struct json){ 0 };
}

/* The memory of accepted issuers stays: requests that are being served refer to them. */
static void compare(struct issuer_watch *w, struct json now)
{
	const struct issuer_options *items;
	struct error e;
	size_t count;

	if (json_equal(now, w->known)) {
		w->gone = (struct list_str){ 0 }; /* what was missing is there again */
		return;
	}
	if (issuer_settings_read(w->mem, now, &items, &count, &e) != OK) {
		log_line(LOG_WARN, "auth", "%s; auth.issuers stays as it is", e.message);
		return;
	}
	remove_missing(w, now);
	for (size_t i = 0; i < count; i++) {
		struct json before = json_get(w->known, items[i].name);

		if (!json_is(before) || !json_equal(before, json_get(now, items[i].name)))
			set_issuer(w, &items[i], json_is(before));
	}
	keep_known(w, now);
}

static void on_look(struct loop_timer *t)
{
	struct issuer_watch *w = OWNER_OF(t, struct issuer_watch, timer);
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json now;
	bool is_read;

	if (has_changed(w) || w->looks_again) {
		/* What cannot be read now is looked at again. */
		w->looks_again = !read_files(w, mem, &now);
		is_read = !w->looks_again;
		if (is_read)
			compare(w, now);
		else if (!w->has_warned)
			log_line(LOG_WARN, "auth",
			         "a file of settings cannot be read: auth.issuers stays as it is");
		w->has_warned = !is_read;
	}
	loop_timer_start(w->o.loop, &w->timer, LOOK_MS, on_look);
}

/* ---- life ---- */

static bool is_same_setting(struct json a, struct json b)
{
	return (!json_count(a) && !json_count(b)) || json_equal(a, b);
}

struct issuer_watch *issuer_watch_new(const struct issuer_watch_options *o)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct issuer_watch *w;
	struct json now;

	if (!o->files)
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
	if (!read_files(w, mem, &now) || !is_same_setting(now, o->issuers)) {
		issuer_watch_free(w);
		return NULL;
	}
	w->known = o->issuers;
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
