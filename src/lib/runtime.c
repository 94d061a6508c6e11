/*
 * Assembles a runtime: settings, store, providers, tools, hooks and servers are
 * opened here, connected to the engine, and closed in the opposite order.
 *
 * The only file in which all adapters meet.
 */
#include "lib/runtime.h"

#include "base/memory.h"
#include "base/path/foreign_file.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/os/mailbox.h"
#include "engine/engine.h"
#include "engine/nodes/node_rev.h"
#include "supervisor_client/supervisor_host.h"
#include "hooks/hooks.h"
#include "lib/config.h"
#include "lib/files.h"
#include "lib/workspace/issuer_watch.h"
#include "lib/keys/bucket_keys.h"
#include "lib/keys/owner_token.h"
#include "lib/move/move.h"
#include "lib/workspace/node_workspaces.h"
#include "lib/outbound.h"
#include "lib/workspace/mcp_places.h"
#include "lib/workspace/policy_files.h"
#include "lib/workspace/instructions.h"
#include "lib/real_clock.h"
#include "lib/secrets.h"
#include "lib/proof/trace_document.h"
#include "lib/settings.h"
#include "lib/telemetry_options.h"
#include "lib/timezones.h"
#include "serve/auth/issuer_settings.h"
#include "serve/trigger/trigger_settings.h"
#include "mcp/mcp_tools.h"
#include "node/node_client.h"
#include "net/loop.h"
#include "peer/peer.h"
#include "provider/http_config.h"
#include "provider/scripted/scripted.h"
#include "signer/signer.h"
#include "sandbox/host_rule.h"
#include "serve/serve.h"
#include "store/blobs.h"
#include "store/ledger.h"
#include "store/postgres/outputs/pg_outputs.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"
#include "provider/keys/keys.h"
#include "tools/fetch.h"
#include "tools/search.h"
#include "tools/tools.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a stop waits for running work; what is left then is lost work for the next start. */
#define STOP_PATIENCE_MS 5000
#define FLUSH_PATIENCE_MS 1500 /* for a collector, when everything else has ended */
#define PROVIDERS_CONFIGURED_MAX 32
#define PROVIDERS_MAX (PROVIDERS_CONFIGURED_MAX + 16) /* well-known ones, and the scripted one */
#define CONNECTIONS_MAX 16384

struct runtime {
	struct arena *mem;
	struct config *config;
	const struct config_values *values; /* of config */
	struct loop *loop;
	struct clock *clock;
	struct store *store;
	struct blobs *blobs;
	struct ledger *ledger;
	struct context *context;
	struct policy *policy;
	struct timezones *timezones;
	struct scripted *scripted;
	struct http_client *http_client; /* outbound HTTP; NULL without providers */
	struct node_seal node_seal;
	struct node_client *node_client; /* to other nodes; NULL: the store has one */
	struct telemetry *telemetry;     /* NULL: nothing is sent to a collector */
	struct key_ring *ring;           /* keys that clients lend */
	struct provider *providers[PROVIDERS_MAX];
	size_t provider_count;
	struct scrub *scrub;
	struct hooks *hooks; /* NULL: none */
	struct signer *signer;
	struct supervisor_host *host; /* starts programs; NULL: programs cannot run */
	struct secret *search_key;    /* of web_search; NULL: none */
	struct toolset *toolsets[6];
	size_t toolset_count;
	struct toolset *mcp;         /* one of the toolsets; NULL: no tool servers */
	struct toolset *agents;      /* remote agents, one of the toolsets */
	struct tool_places *places;  /* tool servers of directories; NULL: not used */
	struct mcp_logins *logins;   /* at tool servers; NULL: no server has an address */
	struct processes *processes; /* in the background; NULL: none */
	struct engine *engine;
	struct serve *serve;
	struct issuers_options *issuers;   /* of the serve */
	struct issuer_watch *issuer_watch; /* NULL: there are no files to watch */
	struct str token;
	struct str failure_path; /* written when the store has failed */
	struct str data_dir;
	struct bucket_keys_place bucket_keys; /* of the object store */
	struct loop_wake wake;                /* store and blobs have answers */
	struct loop_wake mail;                /* a message of another thread */
	struct mailbox mailbox;
	struct loop_hook before_sleep;
	struct loop_timer idle_timer;
	int64_t idle_exit_ms;
	int64_t stop_by, flush_by;
	bool is_stepped, is_stopping, is_done, has_thread;
	pthread_t thread;
	int done_fd;
	struct error failure;
};

/* ---- the loop thread ---- */

/* A message to the loop thread. */
struct attach {
	struct mail mail;
	int fd; /* -1: stop */
};

/*
 * Outside in: first those that bring work (hooks of the program, tool servers,
 * connections), then the engine.  Runs once; before_sleep() watches for the end.
 */
static void begin_stop(struct runtime *r)
{
	if (r->is_stopping)
		return;
	r->is_stopping = true;
	r->stop_by = clock_mono_ms() + STOP_PATIENCE_MS;
	if (runtime_hook_queue(r))
		/* the embedding program waits for us now and cannot answer */
		hook_queue_stop(runtime_hook_queue(r));
	if (r->mcp)
		mcp_tools_stop(r->mcp);
	if (r->places)
		mcp_places_stop(r->places);
	if (r->agents)
		peer_stop(r->agents);
	if (r->serve)
		serve_drain(r->serve);
	engine_stop(r->engine);
}

/* If other nodes take over its work, before_sleep() begins the stop when they can. */
static void leave_or_stop(struct runtime *r)
{
	if (r->is_stopping || !engine_leave(r->engine))
		begin_stop(r);
}

/* Requests of other threads.  The owner's own connections are sockets like all others. */
static void on_mail(struct loop_wake *w)
{
	struct runtime *r = OWNER_OF(w, struct runtime, mail);
	struct mail *next;

	for (struct mail *m = mailbox_take(&r->mailbox); m; m = next) {
		struct attach *a = OWNER_OF(m, struct attach, mail);
		struct error e;

		next = m->next;
		if (a->fd < 0)
			leave_or_stop(r);
		else if (serve_attach_fd(r->serve, a->fd, NULL, NULL, &e) != OK)
			log_line(LOG_WARN, "lib", "a connection of our own: %s", e.message);
		memory_free(a);
	}
}

/* Store, blobs and context threads have results; one wake-up serves all of them. */
static void on_wake(struct loop_wake *w)
{
	engine_poll(OWNER_OF(w, struct runtime, wake)->engine);
}

/* The owner's loop watches done_fd, because the runtime may also stop by itself. */
static void runtime_finished(struct runtime *r)
{
	uint64_t one = 1;

	r->is_done = true;
	if (write(r->done_fd, &one, sizeof one) != sizeof one)
		log_line(LOG_WARN, "lib", "the end could not be told: %s", strerror(errno));
	loop_stop(r->loop);
}

/* Wakes the loop, so that before_sleep() looks at the clock. */
static void on_patience_over(struct loop_timer *t)
{
	(void)t;
}

/* A short run would end before its last spans are sent; they get a moment. */
static bool is_sending(struct runtime *r)
{
	if (!r->telemetry)
		return false;
	if (!r->flush_by) {
		r->flush_by = clock_mono_ms() + FLUSH_PATIENCE_MS;
		loop_timer_start(r->loop, &r->idle_timer, FLUSH_PATIENCE_MS + 1, on_patience_over);
	}
	return telemetry_flush(r->telemetry) && clock_mono_ms() < r->flush_by;
}

/*
 * The one place where batches are handed over: everything decided in this iteration is one
 * commit.
 */
/* A token that an authorization server is about to rotate. */
static bool is_renewing(const struct runtime *r)
{
	return r->logins && mcp_login_is_busy(r->logins);
}

static bool before_sleep(struct loop_hook *h)
{
	struct runtime *r = OWNER_OF(h, struct runtime, before_sleep);

	engine_flush(r->engine);
	if (!r->is_stopping && engine_has_left(r->engine))
		begin_stop(r);
	if (r->is_stopping && !r->is_done &&
	    ((engine_is_quiet(r->engine) && !is_sending(r) && !is_renewing(r)) || r->failure.code ||
	     clock_mono_ms() >= r->stop_by))
		runtime_finished(r);
	return false;
}

static void on_fatal(void *owner, const struct error *e)
{
	struct runtime *r = owner;
	struct error ignored;

	/*
	 * The store can no longer take an event about its failure, so the next start
	 * records it.  If the directory was moved, its name leads elsewhere or nowhere.
	 */
	if (e->detail != STORE_MOVED &&
	    files_write(r->failure_path.ptr, str_from(e->message), &ignored) != OK)
		log_line(LOG_WARN, "lib", "%s", ignored.message);
	r->failure = *e;
	begin_stop(r);
}

/* ---- the owner's token ---- */

static enum err new_token(void *owner, struct arena *mem, struct str *ret_id, struct error *e)
{
	struct runtime *r = owner;

	return owner_token_renew(mem, r->data_dir.ptr, r->store, ret_id, e);
}

/* The token before is not valid any more, so without the new one there is none until the next start. */
static void close_owner(struct runtime *r, struct arena *mem, struct str *ret)
{
	struct error e;

	if (owner_token_make(mem, ret, &e) != OK)
		*ret = STR_NONE;
	log_line(LOG_ERROR, "lib",
	         "the owner's token was replaced and the new one cannot be read: no token of the "
	         "owner is taken here until the next start");
}

static void take_token(void *owner)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct runtime *r = owner;
	struct str token;
	struct error e;

	if (owner_token_look(mem, r->data_dir.ptr, r->store, &token, &e) != OK) {
		log_line(LOG_ERROR, "lib", "%s", e.message);
		close_owner(r, mem, &token);
	}
	if (!str_is(token) || str_eq(token, r->token))
		return;
	r->token = arena_keep(r->mem, token);
	redact_know(r->scrub, r->token);
	log_line(LOG_INFO, "lib", "the owner's token was replaced; print it with: thole token");
	if (r->serve)
		serve_set_token(r->serve, r->token);
}

/* Stops the runtime after a while without connections and without running work. */
static void on_idle(struct loop_timer *t)
{
	struct runtime *r = OWNER_OF(t, struct runtime, idle_timer);
	int64_t idle = serve_idle_since(r->serve);

	if (idle >= r->idle_exit_ms && engine_is_quiet(r->engine) &&
	    !engine_has_processes(r->engine) && !peer_is_busy(r->agents)) {
		begin_stop(r);
		return;
	}
	loop_timer_start(r->loop, t, MAX(r->idle_exit_ms - idle, r->idle_exit_ms / 10 + 1),
	                 on_idle);
}

static void *thread_main(void *arg)
{
	struct runtime *r = arg;

	foreign_file_on_loop();
	loop_run(r->loop);
	return NULL;
}

/* ---- opening ---- */

static void set_log(const struct config_values *values)
{
	static const enum log_level levels[] = { [LOG_VERBOSITY_ERROR] = LOG_ERROR,
		                                 [LOG_VERBOSITY_WARN] = LOG_WARN,
		                                 [LOG_VERBOSITY_INFO] = LOG_INFO,
		                                 [LOG_VERBOSITY_DEBUG] = LOG_DEBUG };

	log_level(levels[values->log_level]);
	log_format(values->log_format == LOG_STYLE_JSON ? LOG_JSON : LOG_TEXT);
}

/* Spans are made from the ids in the events.  Decisions read both settings, so they have to be there. */
static enum err add_tracing(struct runtime *r, struct error *e)
{
	bool is_set;
	double ratio;
	enum err code = config_add(r->config, STR("telemetry"), STR("{\"trace\":true}"), e);

	if (!code)
		code = telemetry_options_sampler(&is_set, &ratio, e);
	if (!code && is_set)
		code = config_add(
			r->config, STR("OTEL_TRACES_SAMPLER"),
			arena_printf(r->mem, "{\"telemetry\":{\"sample_ratio\":%.9f}}", ratio), e);
	r->values = config_values(r->config);
	return code;
}

static enum err read_config(struct runtime *r, const struct thole_options *o, struct error *e)
{
	enum err code;

	r->config = config_new();
	code = settings_add(r->config, o, e);
	if (!code)
		r->values = config_values(r->config);
	if (!code)
		code = node_workspaces_check(r->values, e);
	if (!code && telemetry_options_are_on(r->values))
		code = add_tracing(r, e);
	if (!code)
		set_log(r->values);
	return code;
}

/* Always opened, with an empty script by default: the provider of last resort, and toolsets[0]. */
static enum err open_script(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct scripted_options so = { .clock = r->clock };
	struct str path = o->script ? str_from(o->script) : r->values->script;
	struct error why;
	enum err code = OK;

	if (str_is(path)) {
		path = arena_keep(r->mem, path);
		code = files_read_all(r->mem, path.ptr, 4u << 20, &so.script_text, e);
	}
	if (code)
		return code;
	code = scripted_open(&so, &r->scripted, &why);
	if (code)
		return fail(e, code, "%.*s: %s", STR_ARG(str_is(path) ? path : STR("the script")),
		            why.message);
	r->providers[r->provider_count++] = scripted_provider(r->scripted);
	r->toolsets[r->toolset_count++] = scripted_tools(r->scripted);
	return OK;
}

/* Made with the first part that needs it; NULL: the kernel refuses a descriptor. */
static struct http_client *outbound_client(struct runtime *r)
{
	struct http_client_options o = { .loop = r->loop };

	if (!r->http_client) {
		outbound_options(r->mem, r->values, &o);
		r->http_client = http_client_new(&o);
	}
	return r->http_client;
}

static enum err open_provider(struct runtime *r, const struct thole_options *o,
                              struct http_provider_options *po, struct error *e)
{
	enum err code;

	if (r->provider_count == PROVIDERS_MAX)
		return fail(e, ERR_TOO_LARGE, "providers: at most %d", PROVIDERS_CONFIGURED_MAX);
	if (!outbound_client(r))
		return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	po->loop = r->loop;
	po->http_client = r->http_client;
	po->data_dir = str_from(o->data_dir);
	po->key_dir = str_from(o->key_dir ? o->key_dir : o->data_dir);
	po->scrub = r->scrub;
	po->ring = r->ring;
	code = http_provider_open(po, &r->providers[r->provider_count], e);
	if (!code)
		r->provider_count++;
	return code;
}

/* Providers of the settings come first; the scripted one answers when no other can. */
static enum err open_providers(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct json_iter it = json_iter(r->values->providers);
	struct json settings;
	struct str name;

	r->ring = key_ring_new(r->scrub);
	while (json_next(&it, &name, &settings)) {
		struct http_provider_options po = { 0 };
		enum err code = http_config_apply(r->mem, name, settings, &po, e);

		if (!code && r->provider_count == PROVIDERS_CONFIGURED_MAX)
			code = fail(e, ERR_TOO_LARGE, "providers: at most %d",
			            PROVIDERS_CONFIGURED_MAX);
		if (!code)
			code = open_provider(r, o, &po, e);
		if (code)
			return code;
	}
	return OK;
}

/*
 * Well-known providers that the settings do not name: they are used when their key is found.  A
 * script is a choice of the model, and a run with one stays as it is whatever keys there are.
 */
static enum err open_known(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct http_provider_options po;
	enum err code = OK;

	if (!r->values->models_auto || o->script || str_is(r->values->script))
		return OK;
	for (size_t i = 0; !code && http_config_known(r->mem, i, &po); i++)
		if (!json_is(json_get(r->values->providers, po.name)) &&
		    (!po.port || r->values->models_local))
			code = open_provider(r, o, &po, e);
	return code;
}

static void store_ended(void *arg, const struct error *why)
{
	struct runtime *r = arg;

	if (r->engine)
		engine_store_failed(r->engine, why);
}

static bool is_relaxed(const struct runtime *r)
{
	return r->values->durability == DURABILITY_MODE_RELAXED;
}

/* The file that says that the log of this directory is in a database, and in which. */
static const char *store_note(struct runtime *r, const struct thole_options *o)
{
	return arena_printf(r->mem, "%s/store", o->data_dir).ptr;
}

static enum err refuse_noted_store(struct runtime *r, const struct thole_options *o,
                                   struct error *e)
{
	struct error ignored;
	struct str place;

	if (files_read_all(r->mem, store_note(r, o), 4096, &place, &ignored) != OK)
		return OK;
	return fail(e, ERR_INVALID,
	            "store_directory: the log of %s is in %.*s. Set store.url to it, or start with "
	            "--store",
	            o->data_dir, STR_ARG(str_trim(place)));
}

static enum err open_sqlite(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct store_sqlite_options so = {
		.dir = o->data_dir,
		.threads = true,
		.durability = is_relaxed(r) ? DURABILITY_RELAXED : DURABILITY_FULL,
		.wake = loop_wake_call,
		.wake_arg = &r->wake,
		.ended = store_ended,
		.ended_arg = r,
		.ballast_bytes = LIMIT_BALLAST_BYTES,
	};

	return refuse_noted_store(r, o, e) == OK ? sqlite_open(&so, &r->store, e) : e->code;
}

/* Nothing that leaves the runtime may hold the password, wherever it came from. */
static void know_password(struct runtime *r, const char *url)
{
	struct str password = postgres_password(r->mem, url);

	if (str_is(password))
		redact_know(r->scrub, password);
	if (getenv("PGPASSWORD"))
		redact_know(r->scrub, str_from(getenv("PGPASSWORD")));
}

/* The outputs of another log must not mix with those of this one. */
static enum err refuse_sqlite_log(const struct thole_options *o, struct arena *mem, struct error *e)
{
	if (access(arena_printf(mem, "%s/log.db", o->data_dir).ptr, F_OK) != 0)
		return OK;
	return fail(e, ERR_INVALID,
	            "store_directory: %s holds a log of its own (log.db), and store.url names a "
	            "database. Choose another directory with --data",
	            o->data_dir);
}

static enum err open_postgres(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct store_postgres_options so = {
		.url = arena_keep(r->mem, r->values->store_url).ptr,
		.schema = arena_keep(r->mem, r->values->store_schema).ptr,
		.dir = o->data_dir,
		.version = THOLE_VERSION,
		.rev = node_rev_of_program(),
		.name = arena_keep(r->mem, r->values->node_name).ptr,
		.address = arena_keep(r->mem, r->values->node_address).ptr,
		.place = node_workspaces_text(r->mem, r->values).ptr,
		.heartbeat_ms = r->values->node_heartbeat_ms,
		.lease_ms = r->values->node_lease_ms,
		.is_relaxed = is_relaxed(r),
		.is_pooled = !r->values->store_prepare,
		.has_no_hints = !r->values->store_listen,
		.wake = loop_wake_call,
		.wake_arg = &r->wake,
		.ended = store_ended,
		.ended_arg = r,
	};

	if (refuse_sqlite_log(o, r->mem, e) != OK)
		return e->code;
	know_password(r, so.url);
	if (postgres_open(&so, &r->store, e) != OK)
		return e->code;
	return files_write(store_note(r, o), postgres_place(r->mem, so.url), e);
}

/* Secrets of the object store are known to redaction as they are at the start. */
static void know_bucket_keys(struct runtime *r)
{
	struct bucket_keys keys = { 0 };
	struct error none;

	if (bucket_keys_find(&r->bucket_keys, &keys, &none) == OK) {
		redact_know(r->scrub, str_from(keys.secret_key));
		redact_know(r->scrub, str_from(keys.token));
	}
	explicit_bzero(&keys, sizeof keys);
}

static struct bucket_options bucket_of(struct runtime *r)
{
	struct bucket_options o;

	bucket_keys_options(r->mem, r->values, &r->bucket_keys, &o);
	know_bucket_keys(r);
	return o;
}

/* Every node that has the database can read them. */
static enum err share_outputs(struct runtime *r, struct error *e)
{
	bool has_bucket = r->values->store_outputs == OUTPUT_PLACE_OBJECT_STORE;
	struct bucket_options bucket = has_bucket ? bucket_of(r) : (struct bucket_options){ 0 };
	struct pg_outputs_options po = {
		.bucket = has_bucket ? &bucket : NULL,
		.url = arena_keep(r->mem, r->values->store_url).ptr,
		.schema = arena_keep(r->mem, r->values->store_schema).ptr,
		.is_relaxed = is_relaxed(r),
		.is_pooled = !r->values->store_prepare,
		.wake = loop_wake_call,
		.wake_arg = &r->wake,
	};
	struct blobs *files = r->blobs;

	r->blobs = NULL; /* it is taken over, also when that fails */
	return pg_outputs_open(&po, files, &r->blobs, e);
}

/*
 * The store locks the data directory, so a second runtime fails here, before it starts a
 * process.
 */
static enum err open_stores(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct blobs_options bo = {
		.dir = o->data_dir, .threads = true, .wake = loop_wake_call, .wake_arg = &r->wake
	};
	enum err code = files_dir_make(o->data_dir, e);

	if (!code)
		code = r->values->store_url.len ? open_postgres(r, o, e) : open_sqlite(r, o, e);
	if (!code)
		code = move_refuse(r->store, e);
	if (!code)
		code = blobs_open(&bo, &r->blobs, e);
	if (!code && r->values->store_url.len && r->values->store_outputs != OUTPUT_PLACE_FILES)
		code = share_outputs(r, e);
	else if (!code && r->values->store_outputs == OUTPUT_PLACE_OBJECT_STORE)
		code = fail(e, ERR_INVALID,
		            "object_store_settings: store.outputs = object_store needs a log in "
		            "PostgreSQL: set store.url");
	if (!code)
		code = ledger_open(r->store, r->clock, &r->ledger, e);
	return code;
}

/* Absent unless HOME is a directory: ~ is then an unknown path. */
static struct str home_dir(struct arena *mem)
{
	const char *home = getenv("HOME");

	return home && home[0] == '/' ? arena_keep(mem, str_from(home)) : STR_NONE;
}

/* Where the user's instructions, skills, commands and agents are. */
static struct str config_dir(struct arena *mem)
{
	const char *dir = getenv("XDG_CONFIG_HOME");
	struct str home = home_dir(mem);

	if (dir && dir[0] == '/')
		return arena_printf(mem, "%s/thole", dir);
	return str_is(home) ? arena_printf(mem, "%.*s/.config/thole", STR_ARG(home)) : STR_NONE;
}

static enum err open_context(struct runtime *r, struct error *e)
{
	struct config_names files = r->values->context_files;
	struct instructions_options io = { .names = files.items,
		                           .name_count = files.count,
		                           .max_bytes = r->values->context_file_bytes,
		                           .places = { home_dir(r->mem), config_dir(r->mem) },
		                           .wake = loop_wake_call,
		                           .wake_arg = &r->wake };

	return instructions_open(&io, &r->context, e);
}

/* Not below the data directory, which sandboxes hide. */
static struct str worktree_dir(struct runtime *r, const struct thole_options *o)
{
	struct str dir = r->values->worktrees_dir, real;

	if (str_is(dir) && dir.len && dir.ptr[0] == '/') {
		real = files_path_real(NULL, r->mem, dir);
		return str_is(real) ? real : dir;
	}
	dir = files_path_real(NULL, r->mem, str_from(o->data_dir));
	if (!str_is(dir) || dir.ptr[0] != '/')
		return STR_NONE;
	return arena_printf(r->mem, "%.*s-worktrees", STR_ARG(dir));
}

/* The allowed hosts, with those of groups instead of their names. */
static struct config_names hosts_of(const struct runtime *r)
{
	struct config_names given = r->values->sandbox_allow_hosts;
	struct str *all = ARENA_ARRAY(r->mem, struct str, HOST_RULES_MAX);

	/* too many are refused where the rules are read */
	if (given.count > HOST_RULES_MAX)
		return given;
	return (struct config_names){ all, host_rule_expand(given.items, given.count, all) };
}

/* Beside the data directory, which sandboxes hide; absent: commands get no caches. */
static struct str cache_dir(struct runtime *r, const struct thole_options *o)
{
	struct str dir = files_path_real(NULL, r->mem, str_from(o->data_dir));

	if (!r->values->sandbox_cache || !str_is(dir) || dir.ptr[0] != '/')
		return STR_NONE;
	return arena_printf(r->mem, "%.*s-cache", STR_ARG(dir));
}

/* The names that the script's tools have. */
static size_t names_of(const struct runtime *r, struct str **ret)
{
	const struct tool_info *infos;
	size_t count = r->toolsets[0]->ops->tools(r->toolsets[0], &infos);
	struct str *names = ARENA_ARRAY(r->mem, struct str, count + 1);

	for (size_t i = 0; i < count; i++)
		names[i] = infos[i].name;
	*ret = names;
	return count;
}

/* Opens the supervisor.  A configured one must exist; the default one may be missing. */
static enum err open_host(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct str named = r->values->hand;
	char full[PATH_MAX];
	struct supervisor_host_options ho = { .loop = r->loop,
		                              .path = str_is(named) ? named
		                                                    : files_supervisor_path(r->mem),
		                              .dir = realpath(o->data_dir, full)
		                                             ? arena_printf(r->mem, "%s/hand", full)
		                                             : STR_NONE };

	return str_is(ho.path) ? supervisor_host_open(&ho, &r->host, e) : OK;
}

#define OWN_DIRS_MAX 8

struct own_dirs {
	struct str at[OWN_DIRS_MAX];
	size_t count;
};

/* The directory of a file, or the directory itself. */
static void add_own_dir(struct runtime *r, struct own_dirs *to, struct str path, bool is_file)
{
	struct str real =
		str_starts(path, STR("/")) ? files_path_real(NULL, r->mem, path) : STR_NONE;

	while (is_file && real.len > 1 && real.ptr[real.len - 1] != '/')
		real.len--;
	if (is_file && real.len > 1)
		real.len--;
	if (real.len > 1 && to->count < COUNT_OF(to->at))
		to->at[to->count++] = real;
}

/* Where the runtime's programs and settings are. */
static struct own_dirs own_dirs(struct runtime *r, const struct thole_options *o)
{
	struct own_dirs all = { .count = 0 };
	char self[PATH_MAX];

	if (realpath("/proc/self/exe", self))
		add_own_dir(r, &all, arena_keep(r->mem, str_from(self)), true);
	add_own_dir(r, &all, files_supervisor_path(r->mem), true);
	add_own_dir(r, &all, config_dir(r->mem), false);
	for (size_t i = 0; o->rule_files && o->rule_files[i]; i++) {
		struct str path = str_from(o->rule_files[i]);

		str_cut(&path, '=');
		add_own_dir(r, &all, path, true);
	}
	return all;
}

/* Tools of a script replace built-in ones of the same name, so that tests can imitate them. */
static enum err open_tools(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct str *taken;
	struct config_names hosts = hosts_of(r);
	struct own_dirs own = own_dirs(r, o);
	struct tools_options to = {
		.loop = r->loop,
		.clock = r->clock,
		.blobs = r->blobs,
		.host = r->host,
		.data_dir = str_from(o->data_dir),
		.own = own.at,
		.own_count = own.count,
		.mode = sandbox_mode_word(r->values->sandbox_mode),
		.network = network_mode_word(r->values->sandbox_network),
		.hosts = hosts.items,
		.host_count = hosts.count,
		.is_fail_closed = r->values->sandbox_fail_closed,
		.timeout_ms = r->values->sandbox_timeout_ms,
		.max_processes = r->values->sandbox_max_processes,
		.max_memory_bytes = r->values->sandbox_max_memory_bytes,
		.max_output_bytes = r->values->sandbox_max_output_bytes,
		.max_file_bytes = r->values->sandbox_max_file_bytes,
		.private_bytes = r->values->sandbox_private_bytes,
		.read = r->values->sandbox_read_dirs.items,
		.read_count = r->values->sandbox_read_dirs.count,
		.diagnose_wait_ms =
			r->values->diagnostics_enabled ? r->values->diagnostics_wait_ms : 0,
		.diagnose_servers = r->values->diagnostics_servers,
		.cache_dir = cache_dir(r, o),
		.cache_bytes = r->values->sandbox_cache_bytes,
		.takes_snapshots = r->values->undo_commands,
		.worktree_dir = worktree_dir(r, o),
		.env = r->values->sandbox_env.items,
		.env_count = r->values->sandbox_env.count,
		.environ = environ,
	};
	enum err code;

	if (!r->values->tools_enabled || !r->host)
		return OK;
	if (r->values->sandbox_mode == SANDBOX_MODE_DANGER_FULL_ACCESS)
		log_line(LOG_WARN, "sandbox",
		         "sandbox.mode is danger_full_access: commands run without a sandbox");
	to.taken_count = names_of(r, &taken);
	to.taken = taken;
	code = tools_open(&to, &r->toolsets[r->toolset_count], e);
	if (!code)
		r->processes = tools_processes(r->toolsets[r->toolset_count++]);
	return code;
}

/* Off by default.  The list of allowed hosts is the same as for commands in the sandbox. */
static enum err open_fetch(struct runtime *r, struct error *e)
{
	struct config_names hosts = hosts_of(r);
	struct fetch_options fo = { .clock = r->clock,
		                    .hosts = hosts.items,
		                    .host_count = hosts.count };
	struct str *taken;
	struct error why;
	enum err code;

	if (!r->values->tools_fetch)
		return OK;
	for (size_t i = names_of(r, &taken); i-- > 0;)
		if (str_eq(taken[i], STR("fetch_url")))
			return OK;
	if (!outbound_client(r))
		return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	fo.http_client = r->http_client;
	code = fetch_open(&fo, &r->toolsets[r->toolset_count], &why);
	if (code)
		return fail(e, code, "sandbox.allow_hosts: %s", why.message);
	r->toolset_count++;
	return OK;
}

static struct str search_key(void *owner)
{
	struct runtime *r = owner;

	return r->search_key ? keys_secret_for_header(r->search_key) : STR_NONE;
}

/* ERR_NOT_FOUND: the service needs a key, and there is none. */
static enum err find_search_key(struct runtime *r, const struct thole_options *o, struct error *e)
{
	enum search_provider p = r->values->search_provider;
	struct str named = r->values->search_key_variable;
	struct key_source from = { .name = search_provider_word(p),
		                   .variable = named.len                    ? named
		                               : p == SEARCH_PROVIDER_BRAVE ? STR("BRAVE_API_KEY")
		                                                            : STR("TAVILY_API_KEY"),
		                   .data_dir = str_from(o->key_dir ? o->key_dir : o->data_dir) };
	enum err code;

	if (p == SEARCH_PROVIDER_SEARXNG)
		return OK;
	code = keys_find(&from, &r->search_key, e);
	if (!code && r->search_key)
		redact_know(r->scrub, keys_secret_for_header(r->search_key));
	return code            ? code
	       : r->search_key ? OK
	                       : fail(e, ERR_NOT_FOUND, "there is no key for %.*s (%.*s)",
	                              STR_ARG(from.name), STR_ARG(from.variable));
}

/* Off by default; without a key the model does not see the tool at all. */
static enum err open_search(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct search_options so = { .clock = r->clock,
		                     .provider = r->values->search_provider,
		                     .url = r->values->search_url,
		                     .key = search_key,
		                     .key_owner = r };
	struct str *taken;
	struct error why;
	enum err code;

	if (so.provider == SEARCH_PROVIDER_OFF)
		return OK;
	for (size_t i = names_of(r, &taken); i-- > 0;)
		if (str_eq(taken[i], search_tool_name()))
			return OK;
	code = find_search_key(r, o, &why);
	if (code == ERR_NOT_FOUND) {
		log_line(LOG_WARN, "tools", "the search is off: %s", why.message);
		return OK;
	}
	if (code)
		return fail(e, code, "search.provider: %s", why.message);
	if (!outbound_client(r))
		return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	so.http_client = r->http_client;
	code = search_open(&so, &r->toolsets[r->toolset_count], e);
	r->toolset_count += !code;
	return code;
}

/* One for all tool servers: those with the same address share a login. */
static struct mcp_logins *open_logins(struct runtime *r, const struct mcp_options *mo)
{
	struct mcp_login_options o = { .loop = r->loop,
		                       .clock = r->clock,
		                       .http_client = mo->http_client,
		                       .scrub = r->scrub,
		                       .data_dir = mo->data_dir,
		                       .version = mo->version,
		                       .document_url = r->values->mcp_client_id_url,
		                       .redirect_port = r->values->mcp_redirect_port,
		                       .peer_hosts = mo->peer_hosts,
		                       .peer_host_count = mo->peer_host_count };

	return mo->http_client ? mcp_login_open(&o) : NULL;
}

/* Tool servers of the settings, and of directories if the operator allows those. */
static enum err open_mcp(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct config_names hosts = hosts_of(r);
	struct mcp_options mo = {
		.loop = r->loop,
		.clock = r->clock,
		.store = r->store,
		.host = r->host,
		.settings = r->values->mcp_servers,
		.publish = r->values->mcp_publish,
		.scrub = r->scrub,
		.cwd = o->cwd ? arena_keep(r->mem, str_from(o->cwd)) : files_dir_current(r->mem),
		.data_dir = str_from(o->data_dir),
		.mode = sandbox_mode_word(r->values->sandbox_mode),
		.network = network_mode_word(r->values->sandbox_network),
		.hosts = hosts.items,
		.host_count = hosts.count,
		.is_fail_closed = r->values->sandbox_fail_closed,
		.env = r->values->sandbox_env.items,
		.env_count = r->values->sandbox_env.count,
		.environ = environ,
		.version = STR(THOLE_VERSION),
		.http_client = outbound_client(r),
		.peer_hosts = r->values->peers_allow_hosts.items,
		.peer_host_count = r->values->peers_allow_hosts.count,
	};
	enum err code = mcp_login_check_document_url(r->values->mcp_client_id_url, e);

	if (code)
		return code;
	mo.logins = r->logins = open_logins(r, &mo);
	if (r->values->mcp_project)
		r->places = mcp_places_open(&mo);
	if (!json_count(mo.settings))
		return OK;
	code = mcp_tools_open(&mo, &r->mcp, e);
	if (!code)
		r->toolsets[r->toolset_count++] = r->mcp;
	return code;
}

/* Opened without agents, too: tasks of an agent that was removed have to end. */
static enum err open_agents(struct runtime *r, struct error *e)
{
	struct peer_options po = { .loop = r->loop,
		                   .clock = r->clock,
		                   .store = r->store,
		                   .http_client = outbound_client(r),
		                   .settings = r->values->agents_remote,
		                   .allow_hosts = r->values->peers_allow_hosts.items,
		                   .allow_host_count = r->values->peers_allow_hosts.count,
		                   .environ = environ };
	enum err code = po.http_client
	                        ? peer_open(&po, &r->agents, e)
	                        : fail_errno(e, ERR_IO, "no HTTP client for outbound requests");

	if (!code)
		r->toolsets[r->toolset_count++] = r->agents;
	return code;
}

/* Its words, joined as a hook's `match` has them. */
static void set_notify(struct runtime *r, struct hooks_options *ho)
{
	struct config_names on = r->values->notify_on;

	ho->notify_command = r->values->notify_command;
	ho->notify_url = r->values->notify_url;
	ho->notify_secret_env = r->values->notify_secret_env;
	ho->notify_previous_secret_env = r->values->notify_previous_secret_env;
	ho->is_notify_cloudevent = r->values->notify_format == NOTIFY_FORMAT_CLOUDEVENTS;
	ho->notify_sandbox = command_rights_word(r->values->notify_sandbox);
	ho->notify_match = STR("");
	for (size_t i = 0; i < on.count; i++)
		ho->notify_match = i ? arena_printf(r->mem, "%.*s|%.*s", STR_ARG(ho->notify_match),
		                                    STR_ARG(on.items[i]))
		                     : on.items[i];
}

static enum err open_hooks(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct config_names hosts = hosts_of(r);
	struct hooks_options ho = {
		.mode = sandbox_mode_word(r->values->sandbox_mode),
		.network = network_mode_word(r->values->sandbox_network),
		.hosts = hosts.items,
		.host_count = hosts.count,
		.is_fail_closed = r->values->sandbox_fail_closed,
		.data_dir = str_from(o->data_dir),
		.loop = r->loop,
		.host = r->host,
		.settings = r->values->hooks,
		.in_process = o->hooks ? str_from(o->hooks) : STR_NONE,
		.env = r->values->sandbox_env.items,
		.env_count = r->values->sandbox_env.count,
		.environ = environ,
		.timeout_ms = LIMIT_HOOK_TIMEOUT_MS,
	};

	ho.store = r->store;
	ho.sign_command = r->values->sign_command;
	ho.anchor_command = r->values->anchor_command;
	ho.anchor_url = r->values->anchor_url;
	set_notify(r, &ho);
	ho.read_file = files_read_foreign;
	/* A project's hooks may need it; its thread starts with the first request. */
	ho.http_client = outbound_client(r);
	return hooks_open(&ho, &r->hooks, e);
}

static enum err open_signer(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct str dir = files_path_real(NULL, r->mem, str_from(o->data_dir));
	struct signer_options so = { .data_dir = str_is(dir) ? dir : str_from(o->data_dir),
		                     .command = r->values->sign_command,
		                     .public_key = r->values->sign_public_key,
		                     .cwd = STR("/"),
		                     .hooks = r->hooks };

	return signer_open(&so, &r->signer, e);
}

/* Nodes that share a store send each other commands. */
static enum err open_nodes(struct runtime *r, struct error *e)
{
	struct store *st = r->store;

	if (!st->nodes)
		return OK;
	if (!outbound_client(r))
		return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	node_seal_init(&r->node_seal, STR(""));
	r->node_client = node_client_new(
		&(struct node_client_options){ .http_client = r->http_client,
	                                       .clock = r->clock,
	                                       .seal = &r->node_seal,
	                                       .incarnation = st->nodes->self(st)->incarnation });
	return OK;
}

/* The engine makes the secret at the first start; nothing is sent before. */
static enum err seal_nodes(struct runtime *r, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str secret;

	if (!r->node_client)
		return OK;
	if (r->store->ops->get_meta(r->store, mem, STR("secret"), &secret, e) != OK)
		return e->code;
	node_seal_init(&r->node_seal, secret);
	return OK;
}

/*
 * Last of all but the servers: the engine needs every port.  The note of an earlier
 * failure is deleted when it was read; the engine records it as an event.
 */
static enum err open_engine(struct runtime *r, const struct thole_options *o, struct error *e)
{
	r->timezones = timezones_new();
	struct engine_options s = {
		.config = r->values,
		.is_unattended = o->unattended,
		.version = STR(THOLE_VERSION),
		.workspace_id = STR("ws_local"),
		.cwd = o->cwd ? arena_keep(r->mem, str_from(o->cwd)) : files_dir_current(r->mem),
		.home = home_dir(r->mem),
		.data_dir = files_path_real(NULL, r->mem, str_from(o->data_dir)),
		.worktree_dir = worktree_dir(r, o),
		.real = files_path_real,
		.runs_code = foreign_file_runs_code,
		.runs_hooks = foreign_file_runs_hooks,
		.digest = files_path_digest,
		.zone = timezones_find,
		.zone_owner = r->timezones,
		.rules = json_text(r->mem, r->values->permission_rules),
	};
	struct error ignored;

	enum err code = open_context(r, e);

	if (!code)
		code = policy_files_open(
			&(struct policy_files_options){ .fixed = s.rules, .files = o->rule_files },
			s.cwd, &r->policy, e);
	if (code)
		return code;
	r->failure_path = arena_printf(r->mem, "%s/store-failed", o->data_dir);
	r->data_dir = arena_keep(r->mem, str_from(o->data_dir));
	if (files_read_all(r->mem, r->failure_path.ptr, 4096, &s.previous_failure, &ignored) == OK)
		unlink(r->failure_path.ptr);
	struct engine_ports ports = { .clock = r->clock,
		                      .store = r->store,
		                      .blobs = r->blobs,
		                      .ledger = r->ledger,
		                      .policy = r->policy,
		                      .context = r->context,
		                      .providers = r->providers,
		                      .provider_count = r->provider_count,
		                      .credentials = key_ring_port(r->ring),
		                      .toolsets = r->toolsets,
		                      .toolset_count = r->toolset_count,
		                      .tool_places = r->places,
		                      .hooks = r->hooks,
		                      .scrub = r->scrub,
		                      .traces = &trace_document_ops,
		                      .processes = r->processes,
		                      .signer = r->signer,
		                      .agents = peer_agents(r->agents),
		                      .link = node_client_link(r->node_client) };
	struct engine_hooks hooks = {
		.fatal = on_fatal, .new_token = new_token, .take_token = take_token, .owner = r
	};

	return engine_new(&ports, &s, &hooks, &r->engine, e);
}

/*
 * Connections may not use up the descriptors that files, tools and models
 * need: a client above the limit gets 503 instead of being cut off by a failing
 * accept().  The bound holds for TCP and the Unix socket each.
 */
#define DESCRIPTORS_KEPT 128
static unsigned connections_max(void)
{
	struct rlimit files;
	rlim_t room;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY)
		return CONNECTIONS_MAX;
	room = files.rlim_cur > DESCRIPTORS_KEPT + 32 ? files.rlim_cur - DESCRIPTORS_KEPT : 32;
	return (unsigned)MIN(room / 2, CONNECTIONS_MAX);
}

/* How far the collector is behind, and what it did not take. */
static void add_telemetry_metrics(void *owner, struct buf *out)
{
	struct runtime *r = owner;

	if (r->telemetry)
		telemetry_write_metrics(r->telemetry, out);
}

static enum err read_a2a(struct runtime *r, struct serve_a2a *ret, struct error *e)
{
	*ret = (struct serve_a2a){ .name = r->values->a2a_name,
		                   .description = r->values->a2a_description,
		                   .url = r->values->a2a_url,
		                   .grpc_url = r->values->a2a_grpc_url,
		                   .extensions = r->values->a2a_extensions,
		                   .direct = r->values->a2a_direct.items,
		                   .direct_count = r->values->a2a_direct.count,
		                   .signer = r->values->a2a_sign ? r->signer : NULL,
		                   .http_client = outbound_client(r) };
	if (!ret->http_client)
		return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	return host_rule_read_all(r->mem, r->values->peers_allow_hosts.items,
	                          r->values->peers_allow_hosts.count, &ret->rules, e);
}

/* Without an issuer nothing is loaded for one; the first may come while the runtime runs. */
static enum err read_issuers(struct runtime *r, struct issuers_options **ret, struct error *e)
{
	struct issuers_options *o = ARENA_NEW(r->mem, struct issuers_options);
	const struct issuer_options *items;

	*o = (struct issuers_options){ 0 };
	if (issuer_settings_read(r->mem, r->values->auth_issuers, &items, &o->count, e) != OK)
		return e->code;
	for (size_t i = 0; i < o->count; i++)
		o->items[i] = &items[i];
	if (o->count) {
		o->http_client = outbound_client(r);
		if (!o->http_client)
			return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	}
	*ret = r->issuers = o;
	return host_rule_read_all(r->mem, r->values->peers_allow_hosts.items,
	                          r->values->peers_allow_hosts.count, &o->rules, e);
}

/* False: there is no client for requests to issuers. */
static bool prepare_issuers(void *owner)
{
	struct runtime *r = owner;

	r->issuers->http_client = outbound_client(r);
	return r->issuers->http_client != NULL;
}

/* Without remote callers all connections come from this machine, so there is no limit per peer. */
static enum err open_serve(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct serve_options so = { .allow_remote = o->allow_remote,
		                    .token = r->token,
		                    .version = STR(THOLE_VERSION),
		                    .more_metrics = add_telemetry_metrics,
		                    .metrics_owner = r,
		                    .clock = r->clock,
		                    .store = r->store,
		                    .has_openai = r->values->openai_enabled,
		                    .has_agui = r->values->agui_enabled,
		                    .has_mcp = r->values->mcp_serve,
		                    .credentials = key_ring_port(r->ring),
		                    .connections_max = connections_max(),
		                    .peer_max = o->allow_remote ? LIMIT_CONNECTIONS_PER_PEER : 0 };
	struct serve_a2a a2a;
	struct str listen[16];

	while (o->listen && o->listen[so.listen_count] && so.listen_count < COUNT_OF(listen)) {
		listen[so.listen_count] = str_from(o->listen[so.listen_count]);
		so.listen_count++;
	}
	so.listen = listen;
	so.hosts = r->values->hosts.items;
	so.host_count = r->values->hosts.count;
	so.origins = r->values->origins.items;
	so.origin_count = r->values->origins.count;
	if (o->socket)
		so.socket_path = *o->socket ? arena_keep(r->mem, str_from(o->socket))
		                            : arena_printf(r->mem, "%s/socket", o->data_dir);
	if (r->values->a2a_enabled) {
		if (read_a2a(r, &a2a, e) != OK)
			return e->code;
		so.a2a = &a2a;
	}
	if (trigger_settings_read(r->mem, r->values->triggers, &so.triggers, &so.trigger_count,
	                          e) != OK ||
	    mcp_serve_publish_read(r->mem, r->values->mcp_publish, &so.publish, e) != OK)
		return e->code;
	if (read_issuers(r, &so.issuers, e) != OK ||
	    forwarded_read_proxies(r->mem, r->values->trusted_proxies.items,
	                           r->values->trusted_proxies.count, &so.proxies.proxies, e) != OK)
		return e->code;
	if (r->node_client)
		so.node =
			(struct serve_node){ .seal = &r->node_seal,
			                     .incarnation =
			                             r->store->nodes->self(r->store)->incarnation };
	so.proxies.uses_forwarded = r->values->trusted_proxy_header == PROXY_HEADER_FORWARDED;
	r->serve = serve_new(r->loop, engine_control(r->engine), &so, e);
	if (!r->serve)
		return e->code;
	r->issuer_watch =
		issuer_watch_new(&(struct issuer_watch_options){ .loop = r->loop,
	                                                         .serve = r->serve,
	                                                         .files = o->rule_files,
	                                                         .issuers = r->values->auth_issuers,
	                                                         .prepare = prepare_issuers,
	                                                         .owner = r });
	return OK;
}

/* An address or a variable that is wrong stops the start: silent telemetry would not be noticed. */
static enum err open_telemetry(struct runtime *r, const struct thole_options *o, struct error *e)
{
	struct telemetry_options to = {
		.control = engine_control(r->engine),
		.clock = r->clock,
		.source.version = STR(THOLE_VERSION),
		.cursor_paths = { arena_printf(r->mem, "%s/telemetry.traces", o->data_dir),
		                  arena_printf(r->mem, "%s/telemetry.logs", o->data_dir) }
	};
	enum err code;

	if (!telemetry_options_are_on(r->values) || r->values->store_read_only)
		return OK;
	code = telemetry_options_read(r->mem, r->values, &to, e);
	if (code)
		return code;
	to.http_client = outbound_client(r);
	if (!to.http_client)
		return fail_errno(e, ERR_IO, "no HTTP client for outbound requests");
	for (size_t i = 0; i < to.header_count; i++)
		redact_know(r->scrub, to.headers[i].value);
	if (r->values->telemetry_content)
		to.redactor = telemetry_options_redactor(r->scrub);
	r->telemetry = telemetry_new(&to);
	return OK;
}

/*
 * Servers first, so that no command arrives.  Store, blobs and context are closed before
 * the engine, because closing them reports pending requests, and the engine frees what the
 * reports refer to.  Providers, tools and hooks come after the engine, which cancels their
 * work.
 */
static void free_all(struct runtime *r)
{
	issuer_watch_free(r->issuer_watch);
	serve_free(r->serve);
	telemetry_free(r->telemetry);
	engine_close(r->engine);
	if (r->store)
		r->store->ops->close(r->store);
	if (r->blobs)
		r->blobs->ops->close(r->blobs);
	bucket_keys_done(&r->bucket_keys);
	if (r->context)
		r->context->ops->close(r->context);
	engine_free(r->engine);
	if (r->ledger)
		r->ledger->ops->close(r->ledger);
	if (r->policy)
		r->policy->ops->close(r->policy);
	for (size_t i = 0; i < r->provider_count; i++)
		r->providers[i]->ops->close(r->providers[i]);
	key_ring_free(r->ring);
	for (size_t i = 0; i < r->toolset_count; i++)
		r->toolsets[i]->ops->close(r->toolsets[i]);
	if (r->places)
		r->places->ops->close(r->places);
	mcp_login_close(r->logins);
	if (r->hooks)
		r->hooks->ops->close(r->hooks);
	if (r->signer)
		r->signer->ops->close(r->signer);
	supervisor_host_free(r->host);
	node_client_free(r->node_client);
	if (r->node_client)
		node_seal_done(&r->node_seal);
	http_client_free(r->http_client);
	if (r->loop) {
		loop_timer_stop(&r->idle_timer);
		loop_hook_stop(&r->before_sleep);
		loop_wake_done(&r->wake);
		loop_wake_done(&r->mail);
	}
	real_clock_free(r->clock);
	loop_free(r->loop);
	mailbox_done(&r->mailbox);
	if (r->done_fd >= 0)
		close(r->done_fd);
	redact_free(r->scrub);
	timezones_free(r->timezones);
	config_free(r->config);
	keys_secret_free(r->search_key);
	arena_free(r->mem);
	memory_free(r);
}

/*
 * Opens everything in the order of dependence and stops at the first error; free_all()
 * accepts a runtime that is half open.  Work begins with engine_start() at the end.
 */
enum err runtime_open(const struct thole_options *o, struct runtime **ret, struct error *e)
{
	struct runtime *r = memory_zeroed(1, sizeof *r);
	enum err code;

	r->mem = arena_new();
	r->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->is_stepped = o->own_loop;
	r->idle_exit_ms = o->idle_exit_ms;
	mailbox_init(&r->mailbox, loop_wake_call, &r->mail);
	code = read_config(r, o, e);
	if (!code) {
		r->loop = loop_new();
		code = r->loop && r->done_fd >= 0 ? OK : fail_errno(e, ERR_IO, "no event loop");
	}
	if (!code) {
		loop_wake_init(r->loop, &r->wake, on_wake);
		loop_wake_init(r->loop, &r->mail, on_mail);
		loop_before_sleep(r->loop, &r->before_sleep, before_sleep);
		r->clock = real_clock_new(r->loop);
		code = secrets_open(r->values, &r->scrub, e);
	}
	if (!code)
		code = open_providers(r, o, e);
	if (!code)
		code = open_script(r, o, e);
	if (!code)
		code = open_known(r, o, e);
	if (!code)
		code = open_stores(r, o, e);
	if (!code)
		code = owner_token_take(r->mem, o->data_dir, r->store, &r->token, e);
	if (!code)
		redact_know(r->scrub, r->token);
	if (!code)
		code = open_host(r, o, e);
	if (!code)
		code = open_tools(r, o, e);
	if (!code)
		code = open_fetch(r, e);
	if (!code)
		code = open_search(r, o, e);
	if (!code)
		code = open_mcp(r, o, e);
	if (!code)
		code = open_agents(r, e);
	if (!code)
		code = open_hooks(r, o, e);
	if (!code)
		code = open_signer(r, o, e);
	if (!code)
		code = open_nodes(r, e);
	if (!code)
		code = open_engine(r, o, e);
	if (!code)
		code = seal_nodes(r, e);
	if (!code)
		code = open_serve(r, o, e);
	if (!code)
		code = open_telemetry(r, o, e);
	if (code) {
		if (r->engine == NULL && r->loop)
			loop_hook_stop(&r->before_sleep);
		free_all(r);
		return code;
	}
	if (r->places)
		mcp_places_start(r->places, engine_control(r->engine));
	engine_start(r->engine);
	if (r->mcp)
		mcp_tools_start(r->mcp, engine_control(r->engine));
	peer_start(r->agents, engine_control(r->engine));
	if (r->telemetry)
		telemetry_start(r->telemetry);
	if (r->idle_exit_ms)
		loop_timer_start(r->loop, &r->idle_timer, r->idle_exit_ms, on_idle);
	if (!r->is_stepped) {
		if (pthread_create(&r->thread, NULL, thread_main, r) != 0) {
			free_all(r);
			return fail(e, ERR_IO, "no thread for the runtime");
		}
		r->has_thread = true;
	}
	*ret = r;
	return OK;
}

/* ---- for its owner ---- */

static void post_message(struct runtime *r, int fd)
{
	struct attach *a = memory_zeroed(1, sizeof *a);

	a->fd = fd;
	mailbox_post(&r->mailbox, &a->mail);
}

int runtime_connect(struct runtime *r)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return -1;
	post_message(r, fds[1]);
	return fds[0];
}

/* A runtime that has stopped by itself no longer reads its mailbox. */
static void drop_mail(struct runtime *r)
{
	struct mail *next;

	for (struct mail *m = mailbox_take(&r->mailbox); m; m = next) {
		struct attach *a = OWNER_OF(m, struct attach, mail);

		next = m->next;
		if (a->fd >= 0)
			close(a->fd);
		memory_free(a);
	}
}

/*
 * The stop is a message, because only the loop thread may touch the engine.  free_all()
 * runs on the caller's thread when the loop thread has ended.
 */
void runtime_close(struct runtime *r)
{
	post_message(r, -1);
	if (r->has_thread)
		pthread_join(r->thread, NULL);
	else
		while (!r->is_done)
			loop_run_once(r->loop, 100);
	drop_mail(r);
	free_all(r);
}

struct hook_queue *runtime_hook_queue(const struct runtime *r)
{
	return hooks_host_queue(r->hooks);
}

int runtime_port(const struct runtime *r)
{
	return serve_port(r->serve);
}

const char *runtime_token(const struct runtime *r)
{
	return r->token.ptr;
}

int runtime_done_fd(const struct runtime *r)
{
	return r->done_fd;
}

enum err runtime_why_done(const struct runtime *r, struct error *e)
{
	if (e)
		*e = r->failure;
	return r->failure.code;
}

int runtime_fd(const struct runtime *r)
{
	return loop_fd(r->loop);
}

int runtime_timeout_ms(struct runtime *r)
{
	return loop_timeout_ms(r->loop);
}

void runtime_step(struct runtime *r, int timeout_ms)
{
	foreign_file_on_loop();
	loop_run_once(r->loop, timeout_ms);
}

bool runtime_is_stepped(const struct runtime *r)
{
	return r->is_stepped;
}
