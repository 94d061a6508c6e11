/* Push configurations in the store. */
#include "base/os/log.h"
#include "base/jw.h"
#include "serve/a2a/a2a_push_int.h"
#include "ports/store_own.h"

#include <stdio.h>

#define SAVE_MS 1000

static unsigned shelf_of(struct str id)
{
	uint64_t hash = 1469598103934665603u; /* FNV-1a: the same in every program */

	for (size_t i = 0; i < id.len; i++)
		hash = (hash ^ (unsigned char)id.ptr[i]) * 1099511628211u;
	return (unsigned)(hash % A2A_PUSH_SHELVES);
}

static struct str shelf_key(unsigned shelf, char text[32])
{
	snprintf(text, 32, "serve:a2a_push:%02x", shelf);
	return str_from(text);
}

static void write_config(struct json_writer *w, const struct a2a_config *c)
{
	jw_obj(w);
	JW_KSTR(w, "id", c->id);
	JW_KSTR(w, "sessionId", c->session_id);
	JW_KSTR(w, "taskId", c->task_id);
	JW_KSTR(w, "principal", c->principal);
	JW_KOPT(w, "reach", c->reach);
	JW_KOPT(w, "tokenHash", c->token_hash);
	JW_KSTR(w, "url", c->url);
	JW_KOPT(w, "token", c->token);
	JW_KOPT(w, "scheme", c->scheme);
	JW_KOPT(w, "credentials", c->credentials);
	JW_KSTR(w, "outputUrl", c->output_url);
	JW_KINT(w, "after", (int64_t)c->after);
	jw_obj_end(w);
}

static enum err write_shelf(struct a2a_pushes *all, unsigned shelf, struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct store *store = all->edge->serve->opt.store;
	struct json_writer w;
	char key[32];

	if (!store)
		return fail(e, ERR_INVALID, "this runtime keeps no push configurations");
	jw_init(&w, &out);
	jw_arr(&w);
	LIST_EACH (&all->configs, node) {
		struct a2a_config *c = LIST_ITEM(node, struct a2a_config, node);

		if (!c->is_gone && shelf_of(c->id) == shelf)
			write_config(&w, c);
	}
	jw_arr_end(&w);
	all->dirty &= ~((uint64_t)1 << shelf);
	return port_store_set_own(store, shelf_key(shelf, key), buf_str(&out), e);
}

enum err a2a_push_store_write(struct a2a_pushes *all, struct str id, struct error *e)
{
	return write_shelf(all, shelf_of(id), e);
}

void a2a_push_store_flush(struct a2a_pushes *all)
{
	struct error e;

	loop_timer_stop(&all->save);
	for (unsigned i = 0; i < A2A_PUSH_SHELVES; i++)
		if ((all->dirty >> i & 1) && write_shelf(all, i, &e) != OK)
			log_line(LOG_WARN, "a2a", "what was pushed cannot be kept: %s", e.message);
}

static void on_save(struct loop_timer *t)
{
	a2a_push_store_flush(OWNER_OF(t, struct a2a_pushes, save));
}

void a2a_push_store_later(struct a2a_pushes *all, struct str id)
{
	all->dirty |= (uint64_t)1 << shelf_of(id);
	if (!loop_timer_is_running(&all->save))
		loop_timer_start(all->edge->serve->loop, &all->save, SAVE_MS, on_save);
}

/* ---- reading ---- */

static void read_config(struct a2a_pushes *all, struct json row)
{
	struct a2a_config *c = a2a_push_make(all);
	struct {
		const char *name;
		struct str *ret;
	} fields[] = {
		{ "id", &c->id },
		{ "sessionId", &c->session_id },
		{ "taskId", &c->task_id },
		{ "principal", &c->principal },
		{ "reach", &c->reach },
		{ "tokenHash", &c->token_hash },
		{ "url", &c->url },
		{ "token", &c->token },
		{ "scheme", &c->scheme },
		{ "credentials", &c->credentials },
		{ "outputUrl", &c->output_url },
	};

	for (size_t i = 0; i < COUNT_OF(fields); i++)
		*fields[i].ret =
			arena_keep(c->mem, json_str(json_get(row, str_from(fields[i].name))));
	c->after = json_uint(JSON_GET(row, "after"), 0);
}

/* A value that cannot be read stops the start: the next change would write over it. */
enum err a2a_push_store_read(struct a2a_pushes *all, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *store = all->edge->serve->opt.store;

	for (unsigned i = 0; store && i < A2A_PUSH_SHELVES; i++) {
		struct str text = STR_NONE, name;
		struct json rows, row;
		struct json_iter it;
		char key[32];
		enum err code = port_store_get_own(store, mem, shelf_key(i, key), &text, e);

		if (code == ERR_NOT_FOUND || (code == OK && !str_is(text)))
			continue;
		if (code == OK)
			code = json_read(mem, text, &rows, e);
		if (code != OK)
			return code;
		it = json_iter(rows);
		while (json_next(&it, &name, &row))
			read_config(all, row);
	}
	return OK;
}
