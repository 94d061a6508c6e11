/*
 * Signs with a key that this process can read, or lets the operator's program sign.
 * The key is read for each signature and cleared after it: it may be replaced, and
 * it is in memory only for a moment.
 */
#include "signer/signer.h"

#include "base/hash/base64.h"
#include "base/list.h"
#include "proof/proof_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDENTIAL "thole-sign-key"
#define PATH_SIZE 4096

struct key_signer {
	struct signer port;
	struct arena *mem;
	struct signer_options o;
	struct list runs; /* struct signer_run */
};

/* ---- where the key is ---- */

static enum signing_key_origin place_of(const struct key_signer *s, char path[PATH_SIZE])
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");

	if (s->o.command.len) {
		snprintf(path, PATH_SIZE, "%.*s", STR_ARG(s->o.public_key));
		return SIGNING_KEY_ORIGIN_COMMAND;
	}
	if (dir && *dir) {
		struct buf ignored = { 0 };
		enum err code;

		snprintf(path, PATH_SIZE, "%s/" CREDENTIAL, dir);
		code = signer_file_read(path, false, &ignored, NULL);
		if (ignored.ptr)
			explicit_bzero(ignored.ptr, ignored.len);
		buf_done(&ignored);
		if (code != ERR_NOT_FOUND)
			return SIGNING_KEY_ORIGIN_CREDENTIAL;
	}
	snprintf(path, PATH_SIZE, "%.*s/sign.key", STR_ARG(s->o.data_dir));
	return SIGNING_KEY_ORIGIN_FILE;
}

static void clear(struct buf *text)
{
	if (text->ptr)
		explicit_bzero(text->ptr, text->len);
	buf_done(text);
}

/* Only the file has both halves; of a credential the public one is computed. */
static enum err read_public(struct str text, enum signing_key_origin origin,
                            struct ed25519_public *ret, struct error *e)
{
	struct ed25519_private private;
	struct proof_keys keys;
	enum err code;

	if (origin != SIGNING_KEY_ORIGIN_CREDENTIAL) {
		code = proof_key_read_all(text, &keys, e);
		if (!code)
			*ret = keys.items[0];
		return code;
	}
	code = proof_key_read_private(text, &private, e);
	if (!code)
		code = ed25519_public_of(&private, ret, e);
	ed25519_clear(&private);
	return code;
}

static enum err signer_find(struct signer *port, struct signer_key *ret, struct error *e)
{
	struct key_signer *s = OWNER_OF(port, struct key_signer, port);
	char path[PATH_SIZE];
	enum signing_key_origin origin = place_of(s, path);
	struct buf text = { 0 };
	struct error why;
	enum err code = signer_file_read(path, origin == SIGNING_KEY_ORIGIN_FILE, &text, e);

	if (!code) {
		code = read_public(buf_str(&text), origin, &ret->public, &why);
		if (code)
			code = fail(e, code, "%s: %s", path, why.message);
	} else if (code == ERR_NOT_FOUND && origin == SIGNING_KEY_ORIGIN_COMMAND) {
		code = ERR_INVALID; /* it is named, so it has to be there */
	}
	ret->origin = origin;
	clear(&text);
	return code;
}

/* ---- signing here ---- */

static enum err sign_here(struct key_signer *s, struct signer_call *c)
{
	char path[PATH_SIZE];
	enum signing_key_origin origin = place_of(s, path);
	struct ed25519_private private = { 0 };
	struct ed25519_public own;
	struct buf text = { 0 };
	enum err code = signer_file_read(path, origin == SIGNING_KEY_ORIGIN_FILE, &text, &c->error);

	if (!code)
		code = proof_key_read_private(buf_str(&text), &private, &c->error);
	if (!code)
		code = ed25519_public_of(&private, &own, &c->error);
	if (!code)
		code = read_public(buf_str(&text), origin, &c->key, &c->error);
	if (!code && memcmp(&own, &c->key, sizeof own) != 0)
		code = fail(&c->error, ERR_INVALID, "%s: its two keys do not belong together",
		            path);
	if (!code)
		code = ed25519_sign(&private, c->text, &c->signature, &c->error);
	ed25519_clear(&private);
	clear(&text);
	return code;
}

/* ---- the operator's program ---- */

struct signer_run {
	struct list node;
	struct arena *mem;
	struct key_signer *signer;
	struct signer_call *call; /* NULL: cancelled */
};

/* 64 bytes as they are, or in base64 with a line end. */
static bool take_signature(struct str out, struct ed25519_signature *ret)
{
	CLEANUP(buf_done) struct buf raw = { .max = 256 };
	struct str bytes = out;

	if (out.len != sizeof ret->bytes) {
		if (!base64_read(&raw, str_trim(out)))
			return false;
		bytes = buf_str(&raw);
	}
	if (bytes.len != sizeof ret->bytes)
		return false;
	memcpy(ret->bytes, bytes.ptr, sizeof ret->bytes);
	return true;
}

/* A program that signs with another key must not make packs that no one can check. */
static enum err read_answer(struct signer_run *run, const struct hook_end *end)
{
	struct signer_call *c = run->call;
	struct str rest = end->err, said = str_head(str_cut(&rest, '\n'), 200);
	struct signer_key key;
	enum err code;

	if (end->result == HOOK_TIMED_OUT)
		return fail(&c->error, ERR_TIMEOUT, "sign.command took too long");
	if (end->result != HOOK_ANSWERED)
		return fail(&c->error, ERR_IO, "sign.command: %.*s", STR_ARG(end->message));
	if (end->has_exit_code && end->exit_code)
		return fail(&c->error, ERR_IO, "sign.command ended with code %lld: %.*s",
		            (long long)end->exit_code, STR_ARG(said));
	if (!take_signature(end->out, &c->signature))
		return fail(&c->error, ERR_INVALID,
		            "sign.command wrote no Ed25519 signature (64 bytes, or in base64)");
	code = signer_find(&run->signer->port, &key, &c->error);
	if (code)
		return code;
	c->key = key.public;
	code = ed25519_verify(&c->key, c->text, &c->signature, &c->error);
	return code == ERR_INVALID ? fail(&c->error, code,
	                                  "sign.command signed with another key than that of "
	                                  "sign.public_key")
	                           : code;
}

static void on_end(void *owner, const struct hook_end *end)
{
	struct signer_run *run = owner;
	struct signer_call *c = run->call;

	if (c) {
		c->run = NULL;
		c->result = read_answer(run, end);
	}
	list_remove(&run->node);
	arena_free(run->mem);
	if (c)
		c->done(c);
}

static void sign_there(struct key_signer *s, struct signer_call *c)
{
	struct arena *mem = arena_new();
	struct signer_run *run = ARENA_NEW(mem, struct signer_run);
	struct hook_start start = { .run_id = STR("sign"),
		                    .ref = STR(SIGNER_COMMAND_REF),
		                    .input = c->text,
		                    .cwd = s->o.cwd };

	*run = (struct signer_run){ .mem = mem, .signer = s, .call = c };
	list_add(&s->runs, &run->node);
	c->run = run;
	s->o.hooks->ops->start(s->o.hooks, &start, on_end, run);
}

static void signer_sign(struct signer *port, struct signer_call *c)
{
	struct key_signer *s = OWNER_OF(port, struct key_signer, port);

	if (s->o.command.len && s->o.hooks) {
		sign_there(s, c);
		return;
	}
	c->result = s->o.command.len ? fail(&c->error, ERR_UNSUPPORTED, "no program can be run")
	                             : sign_here(s, c);
	c->done(c);
}

static bool signer_is_prompt(const struct signer *port)
{
	const struct key_signer *s = OWNER_OF(port, const struct key_signer, port);

	return !s->o.command.len;
}

/* The program runs to its end, and its answer is dropped. */
static void signer_cancel(struct signer *port, struct signer_call *c)
{
	struct signer_run *run = c->run;

	(void)port;
	if (run)
		run->call = NULL;
	c->run = NULL;
}

/* ---- making one ---- */

static enum err make_key(const char *path, struct signer_key *ret, struct error *e)
{
	struct ed25519_private private;
	enum err code = ed25519_make(&private, e);

	if (!code)
		code = ed25519_public_of(&private, &ret->public, e);
	if (!code)
		code = signer_file_write(path, &private, &ret->public, e);
	ed25519_clear(&private);
	ret->origin = SIGNING_KEY_ORIGIN_FILE;
	return code;
}

static enum err signer_create(struct signer *port, bool replaces, struct signer_key *ret,
                              struct error *e)
{
	struct key_signer *s = OWNER_OF(port, struct key_signer, port);
	char path[PATH_SIZE];
	struct error ignored;
	enum err code;

	switch (place_of(s, path)) {
	case SIGNING_KEY_ORIGIN_COMMAND:
		return fail(e, ERR_BUSY, "sign.command holds the key; make or replace it there");
	case SIGNING_KEY_ORIGIN_CREDENTIAL:
		return fail(e, ERR_BUSY,
		            "a systemd credential holds the key; make or replace it there");
	default:
		break;
	}
	code = signer_find(port, ret, &ignored);
	if (code == ERR_NOT_FOUND && replaces)
		return fail(e, ERR_NOT_FOUND, "there is no key to replace; run: thole key new");
	if (code != ERR_NOT_FOUND && !replaces)
		return fail(e, ERR_BUSY, "there is a key; to replace it, run: thole key rotate");
	return make_key(path, ret, e);
}

/* After the hooks: no callback comes any more. */
static void signer_close(struct signer *port)
{
	struct key_signer *s = OWNER_OF(port, struct key_signer, port);

	while (!list_is_empty(&s->runs)) {
		struct signer_run *run = LIST_ITEM(s->runs.next, struct signer_run, node);

		list_remove(&run->node);
		arena_free(run->mem);
	}
	arena_free(s->mem);
}

static const struct signer_ops ops = { .key = signer_find,
	                               .is_prompt = signer_is_prompt,
	                               .sign = signer_sign,
	                               .cancel = signer_cancel,
	                               .create = signer_create,
	                               .close = signer_close };

enum err signer_open(const struct signer_options *o, struct signer **ret, struct error *e)
{
	struct arena *mem;
	struct key_signer *s;

	if (o->command.len && !o->public_key.len)
		return fail(e, ERR_INVALID,
		            "sign.command needs sign.public_key, the file with its public key");
	if (o->public_key.len && !o->command.len)
		return fail(e, ERR_INVALID, "sign.public_key goes with sign.command");
	mem = arena_new_small();
	s = ARENA_NEW(mem, struct key_signer);
	s->port.ops = &ops;
	list_init(&s->runs);
	s->mem = mem;
	s->o = *o;
	s->o.data_dir = arena_keep(mem, o->data_dir);
	s->o.command = arena_keep(mem, o->command);
	s->o.public_key = arena_keep(mem, o->public_key);
	s->o.cwd = arena_keep(mem, o->cwd);
	*ret = &s->port;
	return OK;
}
