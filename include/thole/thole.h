#ifndef THOLE_H
#define THOLE_H
/*
 * Thole: a runtime for agent work, to put under a product.
 *
 * There are two ways in.  thole_open() runs the runtime in this process, on a
 * data directory that it owns; thole_connect() connects to a daemon that owns
 * one.  Both offer the same calls, with the same names, parameters and replies
 * as over HTTP: the reference is docs/reference/commands.md.
 *
 *	struct thole *t = thole_open(&(struct thole_options){ .data_dir = "./data" }, &err);
 *	char *reply;
 *
 *	thole_call(t, "submit_turn", "{\"input\":\"hello\"}", &reply);
 *
 * A call blocks until its answer can no longer be taken back: what it rests
 * on is on disk by then.  Calls may come from any thread.
 *
 * The library touches no signal disposition, umask, resource limit, locale
 * or working directory.  Its threads block SIGPIPE.  It is not fork-safe;
 * several runtimes in one process are fine, on directories of their own.
 * When memory runs out it calls the hook set by thole_on_oom() and aborts: a
 * crash is the ordinary path, and the next start continues from the log.
 */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THOLE_API __attribute__((visibility("default")))

struct thole;
struct thole_stream;

/* Why something could not be done; message is one sentence. */
struct thole_error {
	int code; /* enum thole_code */
	char message[512];
};

enum thole_code {
	THOLE_OK = 0,
	THOLE_REFUSED = 1, /* the runtime answered with a problem (RFC 9457) */
	THOLE_TIMEOUT = 2,
	THOLE_ENDED = 3,    /* the stream is over */
	THOLE_CLOSED = -1,  /* the other side went away */
	THOLE_INVALID = -2, /* an argument does not have the promised form */
	THOLE_BUSY = -3,    /* another process owns the data directory */
	THOLE_IO = -4,
	THOLE_STORE = -5,  /* the store is damaged, of a newer version, or cannot be reached */
	THOLE_CONFIG = -6, /* a setting, a script or a file of settings is wrong */
};

/* Everything not set has the default of its setting (docs/reference/config.md). */
struct thole_options {
	const char *data_dir; /* required; made when missing */
	const char *script;   /* file of the scripted model; NULL: the built-in one */
	const char *config;   /* settings as a JSON object text (files), or NULL */
	const char *
		project; /* the same, of a repository: above config, but it may not widen anything */
	const char *overrides; /* the same, above THOLE_* of the environment too, or NULL */
	/* "127.0.0.1:7433", ..., NULL at the end; "fd:3": a descriptor that is bound; NULL: no TCP */
	const char *const *listen;
	const char *socket; /* path of the Unix socket, or "fd:3"; "": in data_dir; NULL: none */
	const char *cwd;    /* where tools work; NULL: the current directory */
	int allow_remote;   /* listen beyond loopback; the token gives full access */
	int unattended;     /* no user is present: what needs approval is refused immediately */
	int idle_exit_ms;   /* stop after this time without work or connection; 0: never */
	int own_loop;       /* the caller drives it: thole_fd, thole_timeout_ms, thole_step */
	/* "user=/path/config.json", ..., NULL at the end: their permission.rules hold, and are read again when
	   they change; sources are host_policy and user.  Those of a project are found by the runtime. */
	const char *const *rule_files;
	/* Hooks that this program answers, {"pre_tool_use":[{"name":"guard"}]}: see thole_hook_next(); NULL: none. */
	const char *hooks;
	/* Data directory whose keys (thole_key_set) are used; NULL: data_dir. */
	const char *key_dir;
};

/* Of the library that runs, "0.1.0"; the one that was compiled against may be older. */
THOLE_API const char *thole_version(void);

/* In this process, on a thread of its own unless own_loop.  NULL: err, if any, says why. */
THOLE_API struct thole *thole_open(const struct thole_options *options, struct thole_error *err);
/* Connects to a daemon by its Unix socket, DATA/socket.  NULL: no daemon listens there. */
THOLE_API struct thole *thole_connect(const char *socket_path, struct thole_error *err);

/* Ends the connection; an opened runtime stops in order first.  NULL is fine. */
THOLE_API void thole_close(struct thole *t);

/*
 * Sends one command.  params is a JSON object, or NULL for {}.  Its member
 * _meta may hold W3C trace context: {"traceparent": "00-…", "tracestate": "…"}.
 *
 * THOLE_OK: *ret is the reply.  THOLE_REFUSED: *ret is the problem; nothing
 * has changed.  Anything else: *ret is NULL, and whether the command was
 * taken is not known; repeat it with the same idempotencyKey to find out.
 * Free *ret with thole_free().
 */
THOLE_API int thole_call(struct thole *t, const char *command, const char *params, char **ret);

/*
 * Calls that do not wait.  A lane carries as many as you like; answers come
 * in any order, told apart by the number that sending gave.  What was sent
 * goes out at the latest with the next thole_lane_next().  A lane belongs to
 * one thread at a time; different ones do not know of each other.
 */
struct thole_lane;
/* NULL: the runtime is gone. */
THOLE_API struct thole_lane *thole_lane_open(struct thole *t);
/* The number of the call; params as of thole_call(). */
THOLE_API unsigned long long thole_lane_send(struct thole_lane *l, const char *command,
                                             const char *params);
/*
 * The next answer: THOLE_OK or THOLE_REFUSED, *ret_id says to what, *ret as of
 * thole_call().  THOLE_TIMEOUT after timeout_ms (-1: none).  THOLE_ENDED:
 * everything is answered.  THOLE_CLOSED: the other side went away, and what
 * is not answered may have been taken or not.
 */
THOLE_API int thole_lane_next(struct thole_lane *l, int timeout_ms, unsigned long long *ret_id,
                              char **ret);
/* Readable when thole_lane_next() may have something; for loops of your own. */
THOLE_API int thole_lane_fd(struct thole_lane *l);
/* What is not answered yet is not waited for.  NULL is fine. */
THOLE_API void thole_lane_close(struct thole_lane *l);

/*
 * Follows events.  params as of subscribe_events: {"sessionId":…, "after":…,
 * "types":[…], "turnId":…, "as":…, "follow":true|false}.  NULL: *ret_problem (when
 * not NULL) is the problem, or NULL when the other side went away.
 */
THOLE_API struct thole_stream *thole_subscribe(struct thole *t, const char *params,
                                               char **ret_problem);

/*
 * The next event: THOLE_OK and *ret is the stored envelope, byte for byte, or
 * its record of the form that was asked for with "as"
 * (*ret_len its length; it ends with a NUL too).  Where events are gone or
 * damaged on disk *ret is {"gap":{"from","to","reason",...}} instead, and the
 * stream continues after it.  THOLE_TIMEOUT after
 * timeout_ms (-1: none).  THOLE_ENDED: nothing follows.  THOLE_CLOSED: the
 * other side went away; subscribe again after the last sequence you saw.
 */
THOLE_API int thole_next(struct thole_stream *s, int timeout_ms, char **ret, size_t *ret_len);

/* Before thole_close(), and not while another thread is in thole_next().  NULL is fine. */
THOLE_API void thole_unsubscribe(struct thole_stream *s);

/* Frees what a call or a stream has handed out.  NULL is fine. */
THOLE_API void thole_free(void *ptr);

/*
 * Keeps the key of a model provider in the data directory, in a file that
 * only its owner reads; key NULL removes it.  No runtime need be open, and one
 * that is sees it with its next request.  THOLE_OK, THOLE_CONFIG (not a name
 * or not a key), THOLE_IO.
 */
THOLE_API int thole_key_set(const char *data_dir, const char *provider, const char *key,
                            struct thole_error *err);

/*
 * Copies a data directory into the empty directory `into`, also while a
 * runtime uses it: the log of one moment and the outputs that it names
 * (docs/how-to/backup.md).  with_keys: the keys of providers and the token too.
 * thole_restore() is the way back, into an empty directory that no runtime
 * uses.  Both sync what they wrote; after a failure remove `into`.
 */
THOLE_API int thole_backup(const char *data_dir, const char *into, int with_keys,
                           struct thole_error *err);
THOLE_API int thole_restore(const char *from, const char *into, struct thole_error *err);

/* What pg_dump needs to copy one moment of a log in PostgreSQL. */
struct thole_dump {
	const char *snapshot; /* for --snapshot */
	const char *schema;
	const char *database; /* for --dbname: the address without a password */
	const char *password; /* of the address, for PGPASSWORD; NULL: it has none */
	const char *file;     /* to be made */
};

struct thole_store_copy {
	const char *into;     /* an empty directory; after a failure remove it */
	const char *data_dir; /* of a node, whose files belong to the backup; NULL: none */
	int with_keys;
	/*
	 * Called once while the server keeps the moment, to run pg_dump; NULL: there is no dump.
	 * THOLE_OK: the file is there.  THOLE_ENDED: there is no pg_dump, and the backup is made
	 * without.  Anything else: err says why, and the backup fails.
	 */
	int (*dump)(void *arg, const struct thole_dump *what, struct thole_error *err);
	void *arg;
};

/*
 * Describes one moment of the log in the PostgreSQL that these settings name (store.url), while
 * nodes work on it: which log it is, the last event of each session, and what belongs to it
 * (docs/how-to/backup.md).  *ret is the text of backup.json; free it with thole_free().  No
 * runtime is needed, and nothing is changed.
 *
 * thole_store_compare(): whether the database of these settings is a whole copy, of that moment or a
 * later one.  THOLE_OK, or THOLE_REFUSED when something was found; of both *ret is a report as a JSON
 * object.  data_dir: outputs that are files may be there, too; NULL: only in the backup.
 *
 * THOLE_CONFIG: the settings are wrong; THOLE_INVALID: an argument or the backup is; THOLE_STORE: the
 * server cannot be asked; THOLE_IO.  Messages begin with a stable code.
 */
THOLE_API int thole_store_backup(const struct thole_options *options,
                                 const struct thole_store_copy *copy, char **ret,
                                 struct thole_error *err);
THOLE_API int thole_store_compare(const struct thole_options *options, const char *backup,
                                  const char *data_dir, char **ret, struct thole_error *err);

struct thole_move {
	const char *from, *to;               /* a data directory, or postgresql://... */
	const char *from_schema, *to_schema; /* of a database; NULL: "thole" */
	const char *
		files; /* data directory of a node of the source, for outputs that its database lacks, or NULL */
	int forced; /* also from a log that has been moved already */
	/* Called now and then, with what is done and how often, as "events copied"; may be NULL. */
	void (*tell)(void *arg, const char *what, unsigned long long done);
	void *arg;
};

struct thole_moved {
	unsigned long long sessions, events, outputs;
	unsigned long long missing_outputs; /* that the log names and the source did not have */
	int was_complete;                   /* an earlier call had moved it */
};

/*
 * Moves a whole log to another data directory or database, byte for byte
 * (docs/how-to/move.md), and compares both at the end.  No runtime may use
 * either.  A move that was ended at any moment continues when it is called
 * again.  The message of an error begins with a stable code.
 */
THOLE_API int thole_move(const struct thole_move *move, struct thole_moved *ret,
                         struct thole_error *err);

/*
 * Writes what an agent did as one ATIF-v1.7 document (docs/formats/atif.md): the
 * trajectory of a session's first thread, of a thread, or of a turn.  params:
 * {"sessionId":…, "threadId":…, "turnId":…}, only the first is required.  write
 * is called in this thread, with the next bytes each time; it returns 0, or
 * anything else to stop.  Memory does not grow with the length of the log.
 * THOLE_OK, THOLE_REFUSED (err says why), THOLE_INVALID, THOLE_IO (write has
 * stopped, or there is no such thread or turn), THOLE_CLOSED.
 */
THOLE_API int thole_atif(struct thole *t, const char *params,
                         int (*write)(void *arg, const char *bytes, size_t len), void *arg,
                         struct thole_error *err);

/* ---- an opened runtime ---- */

/* Of a connection these are 0, NULL, -1 and THOLE_OK, and thole_step() does nothing. */

/* The TCP port of the first listener, 0 when there is none. */
THOLE_API int thole_port(struct thole *t);

/* The secret that HTTP clients send as a bearer token; lives as long as t. */
THOLE_API const char *thole_token(struct thole *t);

/* Becomes readable when the runtime has stopped by itself; it is thole's, not to be closed. */
THOLE_API int thole_done_fd(struct thole *t);

/* THOLE_OK: it was idle for idle_exit_ms.  THOLE_STORE: the store failed, as err says. */
THOLE_API int thole_why_done(struct thole *t, struct thole_error *err);

/*
 * With own_loop: wait until thole_fd() is readable, but not longer than
 * thole_timeout_ms() (-1: no limit; ask again after every step), then call
 * thole_step(), which never waits.  All three, and every call on this runtime,
 * from one thread; thole_call() and thole_next() step it while they wait.
 */
THOLE_API int thole_fd(struct thole *t);
THOLE_API int thole_timeout_ms(struct thole *t);
THOLE_API void thole_step(struct thole *t);

/*
 * Hooks that this program answers itself: those of options.hooks, an object as
 * of the setting `hooks` (docs/how-to/hooks.md) whose hooks have neither command nor
 * url.  Events name them hook:host:NAME.  Only the work that called the hook
 * waits: answer from any thread and in any order, before timeout_ms of the
 * hook.  A hook without an answer by then has failed, and on_failure says what
 * that means.
 *
 * The next question: THOLE_OK and *ret is what a command hook reads on its
 * standard input (point, handlerRef, toolName, toolInput, …); free it with
 * thole_free().  THOLE_TIMEOUT after timeout_ms (-1: none).  THOLE_ENDED:
 * nothing follows, because thole_hook_stop() was called, the runtime has
 * stopped, or there are no such hooks.  Several threads may wait; each question
 * goes to one of them.
 */
THOLE_API int thole_hook_next(struct thole *t, int timeout_ms, unsigned long long *ret_id,
                              char **ret);
/*
 * answer is what a command hook would write: "{}" to continue, {"decision":"deny",
 * "reason":…}, {"updatedInput":{…}}, {"additionalContext":…}, …; NULL: no answer
 * can be given, and the hook has failed.  THOLE_ENDED: the call no longer waits
 * (its time is up, its turn was stopped, or it is answered).  THOLE_INVALID:
 * it is longer than 1 MiB; the question is still open.
 */
THOLE_API int thole_hook_answer(struct thole *t, unsigned long long id, const char *response);
/* Readable when thole_hook_next() has something to say; -1: there are no such hooks. */
THOLE_API int thole_hook_fd(struct thole *t);
/*
 * This program answers no more: what is open has failed, and so has whatever is
 * asked later, at once.  Wakes who waits in thole_hook_next(), which must have
 * returned in every thread before thole_close().
 */
THOLE_API void thole_hook_stop(struct thole *t);

/* One hook for the whole process, called when memory runs out, before it aborts; NULL: none. */
THOLE_API void thole_on_oom(void (*hook)(void));

/* ---- without a runtime ---- */

/*
 * Would thole_open() take these settings?  Of the options config, project and
 * overrides count, and THOLE_* of the environment; nothing is opened, and no
 * file is read.  THOLE_CONFIG: err names the layer and the key.
 */
THOLE_API int thole_settings_check(const struct thole_options *options, struct thole_error *err);

/*
 * Checks the PostgreSQL that these settings name in store.url, over a connection of its own and
 * within a few seconds; nothing is changed, and no runtime is needed.  *ret is
 * {"checks":[{"id":…, "status":"ok"|"note"|"bad", "detail":…, "remedy":…}]}, empty without a
 * store.url (docs/reference/doctor.md); free it with thole_free().  A server that does not answer is
 * a check that is bad.  THOLE_CONFIG: the settings are wrong; THOLE_INVALID: the address is, or
 * libpq is missing.
 */
THOLE_API int thole_store_check(const struct thole_options *options, char **ret,
                                struct thole_error *err);

/*
 * What the permission rules say of a command line; nothing is run, and no
 * runtime is needed.  params: {"command":…, "cwd":…, "home":…, "roots":[…],
 * "mode":…, "interactive":true, "caged":true, "rules":[{"name":…, "text":…,
 * "source":"host_policy"|"user"|"project"|"session", "trusted":false}],
 * "settingsRules":[…]}, the last a list as of the setting permission.rules;
 * only command and cwd are required, cwd and home are absolute.  *ret is the
 * decision (docs/explanation/permissions.md); free it with thole_free().  THOLE_INVALID:
 * err says which part cannot be read, and nothing was decided.
 *
 * With "committed": true, cwd, home and settingsRules the answer is instead
 * {"committed":[…], "more":false}: paths that a rule denies to read and whose
 * content git has in the repository around cwd, where `git show` reads it.
 */
THOLE_API int thole_policy_test(const char *params, char **ret, struct thole_error *err);

/*
 * Evidence packs (docs/formats/evidence-pack.md): a directory, or a .tar.zst.  No
 * runtime and no data directory are needed, and nothing in a pack is trusted.
 *
 * thole_verify_pack(): THOLE_OK: the pack is whole.  THOLE_REFUSED: it is not, and
 * findings of *ret name the file, the byte or the event.  thole_replay_pack()
 * folds its events and compares the read models byte for byte: THOLE_OK: they
 * are the same.  Of both *ret is a report as a JSON object; free it with
 * thole_free().  THOLE_IO, THOLE_INVALID: there is nothing to check, as err says.
 *
 * thole_extract_pack() unpacks an archive into a directory that it makes; it
 * checks names and sizes, and no hashes.
 */
THOLE_API int thole_verify_pack(const char *path, char **ret, struct thole_error *err);
/*
 * The same, and the pack must be signed by one of the public keys in this text: PEM (Ed25519), or
 * verifier keys of signed notes.  THOLE_INVALID: the text holds none.
 */
THOLE_API int thole_verify_signed_pack(const char *path, const char *keys, char **ret,
                                       struct thole_error *err);
THOLE_API int thole_replay_pack(const char *path, char **ret, struct thole_error *err);
/*
 * Makes the decisions of a pack again, if it has a journal (export_evidence with decisions).  with:
 * JSON of rules or of settings instead of the recorded ones, or NULL.  THOLE_OK: every decision is the
 * same.  THOLE_REFUSED: some differ, as the report in *ret says.
 */
THOLE_API int thole_decide_pack(const char *path, const char *with, char **ret,
                                struct thole_error *err);
THOLE_API int thole_extract_pack(const char *file, const char *dir, struct thole_error *err);

/*
 * Checks event logs of any runtime against rows of requirements
 * (docs/formats/conformance-pack.md).  No runtime is needed, and nothing in a log
 * is trusted.  params: {"paths":[…], "profile":…, "canaries":[…], "pack":…,
 * "scenarios":{…}}; only paths is required, pack is the text of another pack.
 *
 * THOLE_OK: no row fails.  THOLE_REFUSED: one does.  Of both *ret is a report as
 * a JSON object; free it with thole_free().  THOLE_IO, THOLE_INVALID: nothing was
 * checked, as err says.  thole_conform_pack(): the pack of this library.
 */
THOLE_API int thole_conform(const char *params, char **ret, struct thole_error *err);
THOLE_API int thole_conform_pack(char **ret, struct thole_error *err);

#ifdef __cplusplus
}
#endif

#endif
