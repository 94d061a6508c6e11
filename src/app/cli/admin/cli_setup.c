/*
 * setup: asks for provider, key, model and mode, tests the key with one request,
 * and writes the settings.
 *
 *   provider ──► key (unless one is found) ──► test ──► model ──► mode ──► files
 *
 * Nothing is written before the test has passed.  Answers come from a terminal
 * or, line by line, from a pipe; an empty line takes what is offered.
 */
#include "app/cli/connection.h"
#include "app/cli/cli_settings.h"
#include "app/cli/daemon.h"
#include "app/cli/hidden_line.h"
#include "app/cli/config/user_config.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"
#include "base/jw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHOICES_MAX 32
#define MODELS_SHOWN 9
#define TRIES 3

struct setup {
	struct cli *c;
	struct json providers;
	struct json provider; /* the chosen row */
	struct str name;      /* its name */
	struct str key;       /* typed in now; absent: it was found or is not needed */
	struct str model;
	struct str mode;
};

/* ---- questions ---- */

/* One line; STR_NONE at the end of the input. */
static struct str read_line(struct cli *c)
{
	struct buf line = { .max = HIDDEN_LINE_MAX };
	struct str kept;
	bool is_any = false;
	char ch;

	while (read(0, &ch, 1) == 1) {
		is_any = true;
		if (ch == '\n')
			break;
		buf_add_char(&line, ch);
	}
	kept = is_any ? str_trim(arena_keep(c->mem, buf_str(&line))) : STR_NONE;
	if (line.ptr)
		explicit_bzero(line.ptr, line.len);
	buf_done(&line);
	return kept;
}

static struct str ask(struct setup *s, const char *question, struct str offered)
{
	struct str answer;

	if (s->c->is_tty_in && s->c->is_tty_err) {
		fprintf(stderr, "%s [%s]: ", question, out_safe(s->c->mem, offered));
		fflush(stderr);
	}
	answer = read_line(s->c);
	return answer.len ? answer : offered;
}

/* A number of the list, or the word itself. */
static struct str picked(struct str answer, const struct str *choices, size_t count)
{
	int64_t n;

	if (str_to_i64(answer, &n) && n >= 1 && n <= (int64_t)count)
		return choices[n - 1];
	return answer;
}

/* ---- the provider ---- */

static const char *state_of(struct cli *c, struct json row)
{
	struct json_iter it = json_iter(JSON_GET(row, "keyVariables"));
	struct json first = { 0 };
	struct str key;

	if (json_bool(JSON_GET(row, "isLocal"), false))
		return json_bool(JSON_GET(row, "hasCredential"), false) ? "runs on this machine"
		                                                        : "does not run here";
	if (json_bool(JSON_GET(row, "hasCredential"), false))
		return "a key was found";
	if (!json_next(&it, &key, &first))
		return "needs an account";
	return arena_printf(c->mem, "needs a key (%s)", out_safe(c->mem, json_str(first))).ptr;
}

static struct json row_of(struct json providers, struct str name)
{
	struct json_iter it = json_iter(providers);
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "provider")), name))
			return row;
	return (struct json){ 0 };
}

static int choose_provider(struct setup *s)
{
	struct json_iter it = json_iter(s->providers);
	struct str names[CHOICES_MAX], offered = STR_NONE, key;
	size_t count = 0;
	struct json row;

	while (count < CHOICES_MAX && json_next(&it, &key, &row)) {
		names[count] = json_str(JSON_GET(row, "provider"));
		fprintf(stderr, "  %2zu  %-11s %s\n", count + 1, out_safe(s->c->mem, names[count]),
		        state_of(s->c, row));
		if (!str_is(offered) && json_bool(JSON_GET(row, "hasCredential"), false))
			offered = names[count];
		count++;
	}
	s->name = picked(ask(s, "Provider", str_is(offered) ? offered : names[0]), names, count);
	s->provider = row_of(s->providers, s->name);
	if (json_is(s->provider))
		return CODE_DONE;
	out_error(s->c, "There is no provider %s.", out_safe(s->c->mem, s->name));
	fprintf(stderr, "  Answer with a number or a name of the list. Another server is set up by "
	                "hand: docs/how-to/providers/compatible.md\n");
	return CODE_USAGE;
}

/* ---- the key ---- */

/* An account is no line that can be typed in. */
static int tell_no_account(struct setup *s)
{
	out_error(s->c, "There are no credentials for %s. Nothing was changed.",
	          out_safe(s->c->mem, s->name));
	fprintf(stderr, "  To give it some, %s\n  Then run: thole setup\n",
	        out_safe(s->c->mem, json_str(JSON_GET(s->provider, "remedy"))));
	return CODE_CONFIG;
}

static int read_key(struct setup *s)
{
	if (!json_count(JSON_GET(s->provider, "keyVariables")))
		return tell_no_account(s);

	const char *prompt =
		arena_printf(s->c->mem,
	                     "Key of %s (it is not shown): ", out_safe(s->c->mem, s->name))
			.ptr;

	s->key = s->c->is_tty_in ? hidden_line_read(s->c, prompt) : read_line(s->c);
	if (!str_is(s->key) && s->c->is_tty_in)
		return CODE_INTERRUPTED;
	if (s->key.len)
		return CODE_DONE;
	out_error(s->c, "There is no key. Nothing was changed.");
	fprintf(stderr, "  Get one from the provider, then run: thole setup\n");
	return CODE_CONFIG;
}

/* The connection has the key from now on; no file has it yet. */
static int lend(struct setup *s)
{
	struct json_iter it = json_iter(JSON_GET(s->provider, "keyVariables"));
	struct json variable = { 0 }, reply;
	struct str none;
	struct params p;

	if (!str_is(s->key))
		return CODE_DONE;
	json_next(&it, &none, &variable);
	params_begin(&p);
	jw_key(&p.w, STR("keys"));
	jw_obj(&p.w);
	jw_kstr(&p.w, json_str(variable), s->key);
	jw_obj_end(&p.w);
	return connection_call(s->c, "lend_keys", &p, &reply);
}

/* One request; *ret_why is empty when the key was accepted. */
static int test_key(struct setup *s, const char **ret_why)
{
	struct json_iter it;
	struct json reply, trouble;
	struct str none;
	struct params p;
	int code = lend(s);

	*ret_why = "";
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "provider", s->name);
	params_cstr(&p, "refresh", WORD_LIST_REFRESH_TEST);
	out_note(s->c, TONE_DIM, "testing %s ...", out_safe(s->c->mem, s->name));
	code = connection_call(s->c, "list_models", &p, &reply);
	if (code)
		return code;
	it = json_iter(JSON_GET(reply, "troubles"));
	if (json_next(&it, &none, &trouble))
		*ret_why = out_safe(s->c->mem, json_str(trouble));
	return CODE_DONE;
}

static void wipe_key(struct setup *s)
{
	if (s->key.len)
		explicit_bzero((char *)s->key.ptr, s->key.len);
	s->key = STR_NONE;
}

static int fail_test(struct setup *s, const char *why)
{
	bool is_refused = strstr(why, "refused") != NULL;

	out_error(s->c, "%s. Nothing was changed.", why);
	fprintf(stderr, "  %s\n",
	        is_refused ? "Check that the whole key was copied and that it is still valid."
	                   : "Check the network; behind a proxy set HTTPS_PROXY, or the settings "
	                     "http.proxy and http.ca_file.");
	wipe_key(s);
	return is_refused ? CODE_CONFIG : CODE_PROVIDER;
}

static int get_key(struct setup *s)
{
	bool has_one = json_bool(JSON_GET(s->provider, "hasCredential"), false);
	bool needs_none = json_bool(JSON_GET(s->provider, "isLocal"), false);
	const char *why = "";
	int code = CODE_DONE;

	if (needs_none && !has_one) {
		out_error(s->c, "%s does not run on this machine.", out_safe(s->c->mem, s->name));
		fprintf(stderr, "  Start it, then run: thole setup\n");
		return CODE_PROVIDER;
	}
	for (int i = 0; i < (s->c->is_tty_in ? TRIES : 1); i++) {
		if (!has_one && !needs_none)
			code = read_key(s);
		if (!code)
			code = test_key(s, &why);
		if (code || !*why)
			return code;
		if (has_one || !s->c->is_tty_in)
			break;
		out_note(s->c, TONE_BAD, "%s", why);
		wipe_key(s);
	}
	return fail_test(s, why);
}

/* ---- model and mode ---- */

static int choose_model(struct setup *s)
{
	struct json reply, row;
	struct str names[MODELS_SHOWN] = { 0 }, key;
	struct params p;
	size_t count = 0;
	int code;

	params_begin(&p);
	params_str(&p, "provider", s->name);
	code = connection_call(s->c, "list_models", &p, &reply);
	if (code)
		return code;
	struct json_iter it = json_iter(JSON_GET(reply, "models"));

	while (count < MODELS_SHOWN && json_next(&it, &key, &row)) {
		struct json price = JSON_GET(row, "price");

		names[count] = json_str(JSON_GET(row, "model"));
		fprintf(stderr, "  %2zu  %-32s %s in, %s out\n", count + 1,
		        out_safe(s->c->mem, names[count]),
		        out_usd(s->c->mem, JSON_GET(price, "inputPerMTok")),
		        out_usd(s->c->mem, JSON_GET(price, "outputPerMTok")));
		count++;
	}
	if (count || json_is(JSON_GET(s->provider, "remedy")))
		s->model = picked(ask(s, "Model", count ? names[0] : STR("")), names, count);
	if (s->model.len)
		return CODE_DONE;
	out_error(s->c, "%s lists no model.", out_safe(s->c->mem, s->name));
	fprintf(stderr, json_is(JSON_GET(s->provider, "remedy"))
	                        ? "  Answer with the name of a model that your account may use.\n"
	                        : "  Load one there, then run: thole setup\n");
	return CODE_PROVIDER;
}

static int choose_mode(struct setup *s)
{
	static const struct str modes[] = { STR(WORD_PERMISSION_MODE_DEFAULT),
		                            STR(WORD_PERMISSION_MODE_ON_REQUEST),
		                            STR(WORD_PERMISSION_MODE_UNTRUSTED),
		                            STR(WORD_PERMISSION_MODE_PLAN) };
	static const char *const about[] = {
		"asks before it changes files or runs commands",
		"runs freely inside the sandbox, asks for everything else",
		"asks for everything but known harmless commands", "reads only, and makes a plan"
	};

	for (size_t i = 0; i < COUNT_OF(modes); i++)
		fprintf(stderr, "  %2zu  %-11.*s %s\n", i + 1, STR_ARG(modes[i]), about[i]);
	s->mode = picked(ask(s, "Mode", modes[0]), modes, COUNT_OF(modes));
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(modes[i], s->mode))
			return CODE_DONE;
	out_error(s->c, "There is no mode %s. Nothing was changed.", out_safe(s->c->mem, s->mode));
	fprintf(stderr, "  Answer with a number or a word of the list.\n");
	return CODE_USAGE;
}

/* ---- files ---- */

static bool is_ours(struct str key)
{
	return str_eq(key, STR("model")) || str_eq(key, STR("permission.mode"));
}

/* The settings that are there stay, but for the two that were asked for. */
static void write_members(struct json_writer *w, struct json obj)
{
	struct json_iter it = json_iter(obj);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (!is_ours(key) && !str_eq(key, STR("permission"))) {
			jw_key(w, key);
			jw_value(w, v);
		}
}

static void write_permission(struct json_writer *w, struct json permission)
{
	struct json_iter it = json_iter(permission);
	struct json v;
	struct str key;

	if (json_type(permission) != JSON_OBJ)
		return;
	JW_KEY(w, "permission");
	jw_obj(w);
	while (json_next(&it, &key, &v))
		if (!str_eq(key, STR("mode"))) {
			jw_key(w, key);
			jw_value(w, v);
		}
	jw_obj_end(w);
}

static struct str settings_text(struct setup *s, struct json before)
{
	struct buf text = { 0 };
	struct json_writer w;
	struct str kept;

	jw_init(&w, &text);
	jw_obj(&w);
	write_members(&w, before);
	write_permission(&w, JSON_GET(before, "permission"));
	JW_KSTR(&w, "model",
	        arena_printf(s->c->mem, "%.*s/%.*s", STR_ARG(s->name), STR_ARG(s->model)));
	JW_KSTR(&w, "permission.mode", s->mode);
	jw_obj_end(&w);
	buf_add_char(&text, '\n');
	kept = arena_keep(s->c->mem, buf_str(&text));
	buf_done(&text);
	return kept;
}

static int tell_by_hand(struct setup *s, const char *path, const char *why)
{
	out_error(s->c, "%s %s, so it was left as it is.", path, why);
	fprintf(stderr, "  Add to it: \"model\": \"%s/%s\", \"permission.mode\": \"%s\"\n",
	        out_safe(s->c->mem, s->name), out_safe(s->c->mem, s->model),
	        out_safe(s->c->mem, s->mode));
	return CODE_CONFIG;
}

static int keep_settings(struct setup *s)
{
	CLEANUP(user_config_unlock) int lock = -1;
	const char *path = paths_user_config(s->c);
	struct json before = { 0 };
	struct str text;

	if (!path) {
		out_error(s->c, "There is no HOME, so there is no place for settings.");
		return CODE_CONFIG;
	}
	if (user_config_lock(s->c, path, &lock))
		return CODE_CONFIG;
	if (!user_config_read(s->c, path, &text))
		return tell_by_hand(
			s, path,
			arena_printf(s->c->mem, "cannot be read (%s)", paths_reason()).ptr);
	if (!user_config_parse(s->c, text, &before))
		return tell_by_hand(s, path, "has comments or is no JSON");
	if (!user_config_write(s->c, path, settings_text(s, before)))
		return tell_by_hand(s, path, paths_reason());
	out_note(s->c, TONE_PLAIN, "The settings are in %s.", path);
	return CODE_DONE;
}

static int keep_key(struct setup *s)
{
	const char *name = arena_keep(s->c->mem, s->name).ptr;
	struct thole_error e;
	int code;

	if (!str_is(s->key))
		return CODE_DONE;
	code = thole_key_set(s->c->data, name, arena_keep(s->c->mem, s->key).ptr, &e);
	wipe_key(s);
	if (code) {
		out_error(s->c, "The key could not be kept: %s.", e.message);
		return CODE_CONFIG;
	}
	out_note(s->c, TONE_PLAIN, "The key is kept in %s.",
	         paths_in_data(s->c, arena_printf(s->c->mem, "keys/%s", name).ptr));
	return CODE_DONE;
}

/* ---- the verb ---- */

static int load_providers(struct setup *s)
{
	struct json reply;
	struct params p;
	int code;

	/* Local servers are looked for first. */
	params_begin(&p);
	params_cstr(&p, "refresh", WORD_LIST_REFRESH_MISSING);
	code = connection_call(s->c, "list_models", &p, &reply);
	if (code)
		return code;
	params_begin(&p);
	code = connection_call(s->c, "list_providers", &p, &reply);
	s->providers = JSON_GET(reply, "providers");
	if (!code && !json_count(s->providers)) {
		out_error(s->c, "This daemon runs a script, so it has no other models.");
		fprintf(stderr, "  Stop it, then run: thole setup\n");
		return CODE_CONFIG;
	}
	return code;
}

/* The daemon reads its settings when it starts; one without work is stopped for that. */
static void renew_daemon(struct cli *c)
{
	struct json reply;
	struct params p;
	struct json_iter it;
	struct json row;
	struct str key;

	params_begin(&p);
	params_cstr(&p, "status", WORD_THREAD_STATUS_RUNNING);
	if (connection_try(c, "list_sessions", &p, false, &reply) == THOLE_OK) {
		it = json_iter(JSON_GET(reply, "sessions"));
		if (json_next(&it, &key, &row)) {
			cli_settings_tell_unread(c);
			return;
		}
	}
	connection_close(c);
	daemon_stop(c);
}

int verb_setup(struct cli *c)
{
	struct setup s = { .c = c };
	int code = c->opts.here ? opt_usage(c, "`thole setup` needs a daemon; omit --here.")
	                        : connection_open(c);

	if (!code)
		code = load_providers(&s);
	if (!code)
		code = choose_provider(&s);
	if (!code)
		code = get_key(&s);
	if (!code)
		code = choose_model(&s);
	if (!code)
		code = choose_mode(&s);
	if (!code)
		code = keep_key(&s);
	if (!code)
		code = keep_settings(&s);
	wipe_key(&s);
	if (code)
		return code;
	renew_daemon(c);
	out_note(c, TONE_GOOD, "Ready. Try: thole \"what is in this directory?\"");
	return CODE_DONE;
}
