/*
 * "!command": a command of the user's own, in the sandbox of tools.
 *
 * The runtime evaluates it as it evaluates the same command of a model, and
 * records the decision; a rule that denies it holds.  Where the policy would
 * ask, the user has answered by typing it.
 *
 * The command has a terminal of its own inside the sandbox, which is connected
 * to the user's: `thole sandbox run --tty` passes keys and the size on, this file
 * the output, of which the text goes to the model with the next message.
 */
#include "app/chat/chat.h"
#include "base/os/own_program.h"

#include "app/child.h"
#include "app/cli/remote/remote.h"
#include "app/chat/commands/chat_shell_text.h"
#include "base/gen/words.h"
#include "base/os/clock.h"
#include "base/utf8.h"

#include <errno.h>
#include <signal.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (32u << 10) /* for the model; the terminal shows everything */

/* The decision's word and reason; false: the runtime did not answer. */
static bool evaluate(struct chat *ch, struct str command, struct json *ret)
{
	struct params p;
	struct json reply;

	params_begin(&p);
	params_cstr(&p, "sessionId", ch->view.session);
	params_cstr(&p, "subject", "tool");
	params_cstr(&p, "toolName", "shell");
	jw_key(&p.w, STR("input"));
	jw_obj(&p.w);
	JW_KSTR(&p.w, "command", command);
	jw_obj_end(&p.w);
	params_key(ch->c, &p);
	if (connection_try(ch->c, "evaluate_permission", &p, false, &reply) != THOLE_OK)
		return false;
	*ret = JSON_GET(reply, "permissionDecision");
	return true;
}

static int start_there(struct chat *ch, struct str command, int out, pid_t *ret)
{
	const char *const words[] = {
		"sandbox", "run",   "--tty",
		"-C",      ch->cwd, "--",
		"/bin/sh", "-c",    arena_keep(ch->c->mem, command).ptr,
		NULL,
	};

	return remote_start(ch->c, words, out, true, ret) ? 0 : ENOTCONN;
}

static int start(struct chat *ch, struct str command, int out, pid_t *ret)
{
	char *argv[] = { (char *)"thole",
		         (char *)"sandbox",
		         (char *)"run",
		         (char *)"--tty",
		         (char *)"-C",
		         (char *)ch->cwd,
		         (char *)"--",
		         (char *)"/bin/sh",
		         (char *)"-c",
		         (char *)arena_keep(ch->c->mem, command).ptr,
		         NULL };
	posix_spawn_file_actions_t files;
	char path[PATH_MAX];
	int code;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
	code = child_start(own_program_path(path), argv, &files, ret);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

static void write_all(struct str bytes)
{
	while (bytes.len) {
		ssize_t len = write(STDOUT_FILENO, bytes.ptr, bytes.len);

		if (len < 0 && errno != EINTR && errno != EAGAIN)
			return; /* the terminal has gone; reading it says so */
		bytes = str_skip(bytes, len > 0 ? (size_t)len : 0);
	}
}

/* Copies the output to the terminal as it is: editors and pagers draw there. */
static void copy(int in, struct chat_shell_text *kept)
{
	char bytes[8192];
	ssize_t len;

	while ((len = read(in, bytes, sizeof bytes)) > 0 || (len < 0 && errno == EINTR)) {
		if (len < 0)
			continue;
		write_all(str_of(bytes, (size_t)len));
		chat_shell_text_add(kept, str_of(bytes, (size_t)len));
	}
}

/* The exit code; -1: it could not be started. */
static int run(struct chat *ch, struct str command, struct chat_shell_text *kept)
{
	int ends[2], status = -1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	if ((ch->c->is_remote ? start_there(ch, command, ends[1], &pid)
	                      : start(ch, command, ends[1], &pid)) != 0) {
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	close(ends[1]);
	copy(ends[0], kept);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_allowed(struct chat *ch, struct str command)
{
	CLEANUP(chat_shell_text_done) struct chat_shell_text kept = { .max = OUTPUT_MAX };
	CLEANUP(buf_done) struct buf safe = { 0 };
	int64_t began = clock_mono_ms();
	int code;

	chat_paint_draw(ch, false);
	chat_paint_pause(ch);
	code = run(ch, command, &kept);
	/* A program that was killed leaves the terminal as it had set it. */
	if (code || kept.is_alternate)
		chat_screen_reset(&ch->screen, kept.is_alternate);
	chat_paint_resume(ch);
	utf8_add_safe(&safe, buf_str(&kept.text), true);
	if (safe.len && safe.ptr[safe.len - 1] != '\n') {
		buf_add_char(&safe, '\n');
		write_all(STR("\r\n"));
	}
	chat_screen_remember(&ch->screen, buf_str(&safe));
	chat_view_note(&ch->view, code ? TONE_BAD : TONE_DIM,
	               "  exit %d · %s; the next message includes the output", code,
	               out_span(ch->mem, clock_mono_ms() - began));
	buf_printf(&ch->outputs, "The user ran this command, exit code %d:\n$ %.*s\n%.*s%s\n", code,
	           STR_ARG(command), STR_ARG(buf_str(&safe)),
	           kept.is_cut ? "[the rest of the output is left out]\n" : "");
}

void chat_shell_run(struct chat *ch, struct str command)
{
	struct json decision;
	struct str word;

	if (!command.len || !chat_open_create(ch))
		return;
	if (!evaluate(ch, command, &decision)) {
		chat_paint_notice(ch, "  the runtime does not answer");
		return;
	}
	chat_view_message(&ch->view, arena_printf(ch->mem, "! %.*s", STR_ARG(command)));
	word = json_str(JSON_GET(decision, "decision"));
	if (str_eq(word, STR(WORD_APPROVAL_DECISION_DENY)))
		chat_view_note(&ch->view, TONE_BAD, "  denied: %s",
		               out_safe(ch->mem, json_str(JSON_GET(decision, "decisionReason"))));
	else
		run_allowed(ch, command);
}
