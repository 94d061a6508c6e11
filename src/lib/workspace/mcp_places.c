/*
 * One set of tool servers per directory with an .mcp.json, behind one toolset.
 * A set starts when work begins in its directory.  A session whose client names
 * servers has a set of its own.
 */
#include "lib/workspace/mcp_places.h"

#include "base/path/foreign_file.h"
#include "base/list.h"
#include "base/os/log.h"
#include "base/path/path.h"
#include "lib/files.h"

#include <limits.h>
#include <stdlib.h>

#define MCP_FILE ".mcp.json"

struct place {
	struct list node;
	struct toolset *toolset;
	struct arena *mem;
	struct str dir, path, text; /* of the file, as it was read */
};

struct places {
	struct tool_places port;
	struct mcp_options o;
	struct arena *mem;
	struct control *control; /* once started */
	struct list all;         /* struct place */
	unsigned last;           /* number of a set, for the names of its jobs */
	bool is_stopped;
};

/* Absent: there is no such directory. */
static struct str real_dir(struct arena *mem, struct str path)
{
	char full[PATH_MAX];

	if (foreign_file_is_on_loop() &&
	    foreign_file_root(path, FOREIGN_FILE_TRUSTED_MS) > FOREIGN_ROOT_ANSWERS)
		return STR_NONE;
	return str_is(path) && realpath(arena_keep(mem, path).ptr, full)
	               ? arena_keep(mem, str_from(full))
	               : STR_NONE;
}

/* The operator's servers are passed as `above`: a project cannot replace one of the same name. */
static struct toolset *open_place(struct places *p, struct str dir, struct str path,
                                  struct str text)
{
	struct mcp_options o = p->o;
	struct toolset *t;
	struct error e;

	o.above = o.settings;
	o.settings = (struct json){ 0 };
	o.project = text;
	o.project_path = path;
	o.cwd = dir;
	o.number = ++p->last;
	if (mcp_tools_open(&o, &t, &e) != OK) {
		log_line(LOG_WARN, "lib", "%.*s: %s", STR_ARG(path), e.message);
		return NULL;
	}
	mcp_tools_start(t, p->control);
	return t;
}

/* Not for the data directory, whose content a program could have written to gain rights. */
static struct toolset *places_enter(struct tool_places *port, struct str cwd)
{
	struct places *p = OWNER_OF(port, struct places, port);
	struct arena *mem = arena_new();
	struct str path = STR_NONE, dir = STR_NONE, text;
	struct toolset *t = NULL;
	struct place *new;

	if (p->control && !p->is_stopped && files_read_foreign(mem, cwd, MCP_FILE, &text)) {
		dir = real_dir(mem, cwd);
		path = arena_printf(mem, "%.*s/" MCP_FILE, STR_ARG(dir));
		if (str_is(dir) && !path_is_under(dir, p->o.data_dir))
			t = open_place(p, dir, path, text);
	}
	if (!t) {
		arena_free(mem);
		return NULL;
	}
	new = ARENA_NEW(mem, struct place);
	*new = (struct place){ .toolset = t, .mem = mem, .dir = dir, .path = path, .text = text };
	list_add(&p->all, &new->node);
	return t;
}

/*
 * Servers of a client are the text of a project's file that needs no trust and whose words are taken
 * as they are.  They are pinned below their own key, whichever session has them.
 */
static struct mcp_options client_options(const struct places *p, struct str dir, struct str text)
{
	struct mcp_options o = p->o;

	o.above = (struct json){ 0 };
	o.settings = (struct json){ 0 };
	o.project = text;
	o.project_path = STR("client");
	o.is_client = true;
	o.cwd = dir;
	return o;
}

static enum err places_check(struct tool_places *port, struct str servers, struct error *e)
{
	struct places *p = OWNER_OF(port, struct places, port);
	struct mcp_options o = client_options(p, STR("/"), servers);

	return mcp_tools_check(&o, e);
}

/* Pins and logins are the user's; a principal with sessions of its own has neither. */
static struct toolset *places_attach(struct tool_places *port, struct str cwd, struct str owner,
                                     struct str servers)
{
	struct places *p = OWNER_OF(port, struct places, port);
	struct arena *mem = arena_new();
	struct str dir = real_dir(mem, cwd), text = arena_keep(mem, servers);
	struct mcp_options o = client_options(p, dir, text);
	struct toolset *t = NULL;
	struct place *new;
	struct error e;

	o.number = ++p->last;
	if (str_is(owner)) {
		o.project_path = arena_printf(mem, "client:%.*s", STR_ARG(owner));
		o.logins = NULL;
	}
	if (!p->control || p->is_stopped || !str_is(dir) || mcp_tools_open(&o, &t, &e) != OK) {
		arena_free(mem);
		return NULL;
	}
	mcp_tools_start(t, p->control);
	new = ARENA_NEW(mem, struct place);
	*new = (struct place){ .toolset = t, .mem = mem, .dir = dir, .text = text };
	list_add(&p->all, &new->node);
	return t;
}

/* By text, not by time: trust is given to the text.  A client's does not change. */
static bool places_is_stale(struct tool_places *port, struct toolset *t)
{
	struct places *p = OWNER_OF(port, struct places, port);

	LIST_EACH (&p->all, node) {
		const struct place *x = LIST_ITEM(node, struct place, node);
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str now;

		if (x->toolset == t && !str_is(x->path))
			return false;
		if (x->toolset == t)
			return !files_read_foreign(mem, x->dir, MCP_FILE, &now) ||
			       !str_eq(now, x->text);
	}
	return false;
}

static void place_drop(struct place *x)
{
	list_remove(&x->node);
	x->toolset->ops->close(x->toolset);
	arena_free(x->mem);
}

/* mcp_tools_stop() ends the processes and the channels; the control must still exist for that. */
static void places_leave(struct tool_places *port, struct toolset *t)
{
	struct places *p = OWNER_OF(port, struct places, port);

	LIST_EACH_SAFE (&p->all, node, next) {
		struct place *x = LIST_ITEM(node, struct place, node);

		if (x->toolset != t)
			continue;
		mcp_tools_stop(t);
		place_drop(x);
	}
}

static void places_close(struct tool_places *port)
{
	struct places *p = OWNER_OF(port, struct places, port);

	LIST_EACH_SAFE (&p->all, node, next)
		place_drop(LIST_ITEM(node, struct place, node));
	arena_free(p->mem);
}

static const struct tool_places_ops places_ops = { .enter = places_enter,
	                                           .is_stale = places_is_stale,
	                                           .check = places_check,
	                                           .attach = places_attach,
	                                           .leave = places_leave,
	                                           .close = places_close };

struct tool_places *mcp_places_open(const struct mcp_options *o)
{
	struct arena *mem = arena_new();
	struct places *p = ARENA_NEW(mem, struct places);
	struct str *env = ARENA_ARRAY(mem, struct str, o->env_count + 1);
	struct str *hosts = ARENA_ARRAY(mem, struct str, o->host_count + 1);
	struct str *peers = ARENA_ARRAY(mem, struct str, o->peer_host_count + 1);

	p->port.ops = &places_ops;
	p->mem = mem;
	p->o = *o;
	p->o.data_dir = real_dir(mem, o->data_dir);
	for (size_t i = 0; i < o->env_count; i++)
		env[i] = arena_keep(mem, o->env[i]);
	p->o.env = env;
	for (size_t i = 0; i < o->host_count; i++)
		hosts[i] = arena_keep(mem, o->hosts[i]);
	p->o.hosts = hosts;
	for (size_t i = 0; i < o->peer_host_count; i++)
		peers[i] = arena_keep(mem, o->peer_hosts[i]);
	p->o.peer_hosts = peers;
	list_init(&p->all);
	return &p->port;
}

void mcp_places_start(struct tool_places *port, struct control *control)
{
	OWNER_OF(port, struct places, port)->control = control;
}

void mcp_places_stop(struct tool_places *port)
{
	struct places *p = OWNER_OF(port, struct places, port);

	p->is_stopped = true;
	LIST_EACH (&p->all, node)
		mcp_tools_stop(LIST_ITEM(node, struct place, node)->toolset);
}
