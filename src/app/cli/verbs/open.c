/* open: the console in a browser, signed in. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

/* Behind '#', which browsers keep to themselves: it is in no log and in no Referer. */
static struct str address_of(struct cli *c, struct json reply, const struct ref *r)
{
	struct str base = json_str(json_at(JSON_GET(reply, "addresses"), 0));
	struct str code = json_str(JSON_GET(reply, "code"));

	if (!str_is(base) || !str_is(code))
		return STR_NONE;
	if (!str_is(r->session))
		return arena_printf(c->mem, "%.*s/#code=%.*s", STR_ARG(base), STR_ARG(code));
	return arena_printf(c->mem, "%.*s/#code=%.*s&to=/thread/%.*s/%.*s", STR_ARG(base),
	                    STR_ARG(code), STR_ARG(r->session),
	                    STR_ARG(str_is(r->thread) ? r->thread : STR("main")));
}

int open_console_address(struct cli *c, const struct ref *r, struct str *ret)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	code = connection_call(c, "open_console", &p, &reply);
	if (!code)
		*ret = json_bool(JSON_GET(reply, "hasConsole"), false) ? address_of(c, reply, r)
		                                                       : STR_NONE;
	return code;
}

/*
 * The words of a command are there for every user of the machine to read, so
 * the browser is given a page that leads on, and only we may read that.
 */
static bool write_page(const char *path, struct str url)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool ok = fd >= 0 && dprintf(fd,
	                             "<!doctype html><meta charset=\"utf-8\"><title>Thole</title>"
	                             "<meta http-equiv=\"refresh\" content=\"0;url=%.*s\">\n",
	                             STR_ARG(url)) > 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool has_screen(const struct cli *c)
{
	return c->is_tty_out && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

static bool start_browser(struct cli *c, struct str url)
{
	const char *page = paths_in_data(c, "open.html");
	char *argv[] = { (char *)"xdg-open", (char *)page, NULL };
	pid_t pid;

	return write_page(page, url) && posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) == 0;
}

int verb_open(struct cli *c)
{
	struct ref r = { 0 };
	struct str url;
	int code = connection_open(c);

	if (!code && c->arg_count)
		code = ref_find(c, c->args[0], &r);
	if (!code)
		code = open_console_address(c, &r, &url);
	if (code)
		return code;
	if (!str_is(url)) {
		out_error(c, "This build holds no console. ./quickstart --console adds it, where "
		             "Node 18 or newer is installed.");
		return CODE_FAILED;
	}
	printf("%.*s\n", STR_ARG(url));
	if (has_screen(c) && !c->opts.quiet && !start_browser(c, url))
		out_note(c, TONE_DIM, "no browser was found; open the address yourself");
	out_note(c, TONE_DIM, "it works once, within a minute");
	return CODE_DONE;
}
