/*
 * The loop of a chat.
 *
 *   keys ────┐
 *   events ──┤
 *   answers ─┼─► poll ─► state ─► at most one frame per 16 ms
 *   signals ─┤
 *   time ────┘
 *
 * A key is drawn at once; events wait for the next frame.
 */
#include "app/chat/chat.h"

#include "app/chat/input/chat_text.h"
#include "app/cli/cli_settings.h"
#include "app/cli/follow/text_editor.h"
#include "base/gen/words.h"
#include "base/os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define FRAME_MS 16
#define TICK_MS 1000 /* how often running times are drawn */
#define QUIT_MS 2000
#define LIST_MS 50 /* how often the list of another machine's files is looked at */

static void resize(struct chat *ch)
{
	if (!chat_screen_measure(&ch->screen))
		return;
	ch->view.columns = ch->c->columns = ch->screen.columns;
	ch->edit.columns = chat_draw_input_columns(ch->screen.columns);
	chat_paint_draw(ch, true);
}

/* ---- the external editor ---- */

/* The text as it was, if the editor failed or was killed. */
static void external_editor(struct chat *ch)
{
	const char *editor = text_editor_name();
	CLEANUP(buf_done) struct buf text = { 0 }, clean = { 0 };
	struct str edited;

	if (!editor)
		editor = "vi";
	chat_edit_take(&ch->edit, &text);
	chat_paint_pause(ch);
	edited = text_editor_edit(ch->c, editor, buf_str(&text), ".md");
	if (!str_is(edited))
		chat_screen_reset(&ch->screen, true);
	chat_paint_resume(ch);
	if (!str_is(edited)) {
		chat_paint_notice(ch, "  The editor failed, and the text is as it was: %s",
		                  out_safe(ch->mem, str_from(editor)));
		edited = buf_str(&text);
	}
	chat_text_clean(&clean, edited);
	edited = buf_str(&clean);
	chat_edit_set(&ch->edit,
	              str_ends(edited, STR("\n")) ? str_head(edited, edited.len - 1) : edited);
}

/* ---- keys ---- */

/* An empty line releases a queue that is held. */
static void enter_nothing(struct chat *ch)
{
	if (ch->view.is_held)
		chat_turn_resume(ch);
}

static void enter(struct chat *ch, enum chat_delivery delivery)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct str line;

	chat_complete_close(&ch->complete);
	chat_edit_take(&ch->edit, &text);
	line = str_trim(buf_str(&text));
	if (!line.len) {
		enter_nothing(ch);
		return;
	}
	chat_history_file_add(ch, chat_images_named(ch, buf_str(&text)));
	chat_lines_enter(ch, line, delivery);
}

static void interrupt_key(struct chat *ch)
{
	int64_t now = clock_mono_ms();

	if (ch->edit.text.len) {
		chat_edit_clear(&ch->edit);
	} else if (ch->view.state != CHAT_IDLE && ch->view.state != CHAT_LOST) {
		chat_turn_stop(ch);
	} else if (now < ch->quit_at) {
		chat_leave(ch, CODE_DONE);
	} else {
		ch->quit_at = now + QUIT_MS;
		chat_paint_notice(ch, "  Ctrl-C again quits");
	}
}

/* One Escape stops the turn; two go back to an earlier message. */
static void escape_key(struct chat *ch)
{
	int64_t now = clock_mono_ms();
	bool is_second = now - ch->escape_at < 600;

	ch->escape_at = is_second ? 0 : now;
	if (is_second && ch->view.has_message)
		chat_rewind_run(ch, STR_NONE);
	else if (ch->view.state == CHAT_RUNNING || ch->view.state == CHAT_ASKING)
		chat_turn_stop(ch);
	else if (ch->view.has_message)
		chat_paint_notice(ch, "  Esc again goes back to an earlier message");
}

/*
 * With the keys of vi, Escape leaves inserting and ends a command that is half typed.  Otherwise it
 * stops a turn; it goes back to a message only while the input is empty, because a habit of pressing
 * it twice must not replace what was written.  False: the key is the editor's.
 */
static bool vi_escape_key(struct chat *ch, const struct chat_key *k)
{
	struct chat_edit *e = &ch->edit;
	bool is_half = e->is_normal && (e->vi_operator || e->vi_count);

	if (is_half || (!e->is_normal && e->text.len))
		return false;
	if (!e->is_normal)
		chat_edit_key(e, k);
	if (!e->text.len)
		escape_key(ch);
	else if (ch->view.state == CHAT_RUNNING || ch->view.state == CHAT_ASKING)
		chat_turn_stop(ch);
	return true;
}

/* As a line: the message that is on its way may make the session. */
static void cycle_mode(struct chat *ch)
{
	chat_lines_enter(ch, arena_printf(ch->mem, "/mode %s", chat_turn_next_mode(ch)),
	                 CHAT_STEER);
}

static bool control_key(struct chat *ch, uint32_t code)
{
	switch (code) {
	case 'c':
		return interrupt_key(ch), true;
	case 'd':
		if (ch->edit.text.len)
			return false;
		return chat_leave(ch, CODE_DONE), true;
	case 'g':
		return external_editor(ch), true;
	case 'v':
		return chat_images_clipboard(ch), true;
	case 'o':
		return chat_commands_run(ch, STR("/output")), true;
	case 'l':
		chat_screen_repaint(&ch->screen, &ch->frame);
		return true;
	default:
		return false;
	}
}

/* Ctrl-X Ctrl-E, as in shells; any other key after Ctrl-X means what it means. */
static bool prefix_key(struct chat *ch, const struct chat_key *k)
{
	bool had_prefix = ch->has_prefix, is_control = k->mods == CHAT_CTRL;

	ch->has_prefix = is_control && k->code == 'x';
	if (had_prefix && is_control && k->code == 'e')
		return external_editor(ch), true;
	return ch->has_prefix;
}

static bool own_key(struct chat *ch, const struct chat_key *k)
{
	if (k->code == CHAT_KEY_FOCUS_IN || k->code == CHAT_KEY_FOCUS_OUT)
		return ch->is_blurred = k->code == CHAT_KEY_FOCUS_OUT, true;
	if (ch->edit.is_searching)
		return false;
	if (prefix_key(ch, k))
		return true;
	if (k->mods == CHAT_CTRL && k->code < CHAT_KEY_NAMED)
		return control_key(ch, k->code);
	if (k->code == CHAT_KEY_ESCAPE)
		return ch->edit.is_vi ? vi_escape_key(ch, k) : (escape_key(ch), true);
	if (k->code == CHAT_KEY_TAB && (k->mods & CHAT_SHIFT))
		return cycle_mode(ch), true;
	if (k->code == CHAT_KEY_TAB)
		return enter(ch, CHAT_QUEUE), true;
	if (k->code == CHAT_KEY_UP && (k->mods & CHAT_ALT))
		return chat_turn_unqueue_last(ch), true;
	return false;
}

static void edit_key(struct chat *ch, const struct chat_key *k)
{
	if (k->is_cut)
		chat_paint_notice(ch,
		                  "  The paste was too long: only its first %zu bytes were kept.",
		                  k->text.len);
	if (k->code == CHAT_KEY_PASTE && chat_images_paste(ch, k->text)) {
		chat_complete_update(&ch->complete, &ch->edit);
		return;
	}
	switch (chat_edit_key(&ch->edit, k)) {
	case CHAT_EDIT_SUBMIT:
		enter(ch, CHAT_STEER);
		break;
	case CHAT_EDIT_DONE:
		chat_images_typed(ch);
		chat_complete_update(&ch->complete, &ch->edit);
		break;
	case CHAT_EDIT_NONE:
		break;
	}
}

static void on_key(struct chat *ch, const struct chat_key *k)
{
	size_t before = ch->edit.text.len;

	ch->is_dirty = true;
	if (!(k->mods == CHAT_CTRL && k->code == 'c'))
		ch->quit_at = 0;
	if (chat_complete_key(&ch->complete, &ch->edit, k)) {
		chat_images_typed(ch);
		return;
	}
	if (!chat_prompt_key(ch, k) && !own_key(ch, k))
		edit_key(ch, k);
	/* A paste or a line of the history: the input holds a text from now on. */
	if (ch->ask.state == CHAT_ASK_ARMED && ch->edit.text.len > before)
		chat_ask_show(&ch->ask);
}

static void take_keys(struct chat *ch)
{
	struct chat_key k;

	ch->is_burst = false;
	while (!ch->is_over && chat_keys_next(&ch->keys, &k)) {
		ch->is_burst = ch->is_burst || (str_is(k.text) && ch->keys.bytes.len);
		on_key(ch, &k);
	}
}

static void on_typed(struct chat *ch)
{
	char bytes[4096];
	ssize_t len = read(ch->screen.in, bytes, sizeof bytes);

	if (len <= 0) {
		if (len == 0 || (errno != EINTR && errno != EAGAIN))
			chat_leave(ch, CODE_DONE);
		return;
	}
	chat_keys_add(&ch->keys, str_of(bytes, (size_t)len));
	take_keys(ch);
	chat_ask_key(&ch->ask, clock_mono_ms());
	if (ch->is_dirty && !ch->is_over)
		chat_paint_draw(ch, false);
}

/* ---- events ---- */

static void heed(struct chat *ch)
{
	if (ch->sending.len && ch->view.submitted != ch->sent_at)
		buf_clear(&ch->sending);
	if (ch->is_blurred && (ch->view.has_ended || ch->view.has_asked))
		chat_screen_notify(&ch->screen, ch->view.has_asked ? "Thole asks for approval"
		                                                   : "Thole has finished");
	if (ch->view.has_ended) {
		ch->place = chat_open_place(ch);
		*ch->notice = 0;
		chat_extend_ask(ch);
		chat_there_ask(ch);
	}
	ch->view.has_ended = ch->view.has_asked = false;
}

static void on_events(struct chat *ch)
{
	struct reader_item *m = event_reader_take(&ch->link.reader), *next;
	bool is_lost = false;

	for (; m; m = next) {
		next = event_reader_next_item(m);
		if (m->code == THOLE_OK)
			ch->is_dirty |= chat_view_event(&ch->view, str_of(m->text, m->len));
		else
			is_lost = true;
		event_reader_free_item(m);
	}
	heed(ch);
	if (is_lost)
		chat_link_lost(&ch->link);
	ch->is_dirty = ch->is_dirty || is_lost;
}

static void on_signal(struct chat *ch)
{
	struct signalfd_siginfo info;

	while (read(ch->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo == SIGWINCH)
			resize(ch);
		else
			chat_leave(ch, CODE_INTERRUPTED);
}

/* ---- time ---- */

static int least(int a, int64_t b)
{
	return a < 0 || b < a ? (int)MAX(b, 0) : a;
}

/* Something on the screen says how long it has been running. */
static bool shows_time(const struct chat *ch)
{
	return ch->view.state == CHAT_RUNNING || ch->view.agent_count;
}

static int time_left(struct chat *ch)
{
	int64_t now = clock_mono_ms();
	int left = -1;

	if (ch->is_dirty)
		left = least(left, ch->drawn_at + FRAME_MS - now);
	if (chat_keys_is_waiting(&ch->keys))
		left = least(left, CHAT_KEYS_ESCAPE_MS);
	if (ch->link.state == CHAT_LINK_AWAY)
		left = least(left, CHAT_LINK_RETRY_MS);
	if (ch->ask.state == CHAT_ASK_SHOWN && !ch->edit.text.len)
		left = least(left, chat_ask_left(&ch->ask, now));
	if (ch->there.pid)
		left = least(left, LIST_MS);
	if (chat_link_is_sending(&ch->link))
		left = least(left, FRAME_MS);
	if (*ch->notice)
		left = least(left, ch->notice_until - now);
	if (shows_time(ch))
		left = least(left, TICK_MS);
	return left;
}

static void on_time(struct chat *ch)
{
	int64_t now = clock_mono_ms();
	enum chat_ask_state before = ch->ask.state;

	chat_there_look(ch);
	chat_ask_tick(&ch->ask, now, ch->edit.text.len > 0);
	ch->is_dirty = ch->is_dirty || ch->ask.state != before;
	if (*ch->notice && now >= ch->notice_until) {
		*ch->notice = 0;
		ch->is_dirty = true;
	}
	if (shows_time(ch) && now - ch->drawn_at >= TICK_MS)
		ch->is_dirty = true;
	if (ch->link.state == CHAT_LINK_AWAY) {
		chat_link_retry(&ch->link, ch->view.after);
		ch->is_dirty = true;
	}
	if (ch->link.state == CHAT_LINK_DOWN)
		chat_leave(ch, CODE_FAILED);
}

static void step(struct chat *ch)
{
	struct pollfd fds[] = {
		{ .fd = ch->screen.in, .events = POLLIN },
		{ .fd = chat_link_event_fd(&ch->link), .events = POLLIN },
		{ .fd = chat_link_lane_fd(&ch->link), .events = POLLIN },
		{ .fd = ch->signals, .events = POLLIN },
	};
	int count = poll(fds, COUNT_OF(fds), time_left(ch));

	if (count < 0 && errno != EINTR)
		chat_leave(ch, CODE_FAILED);
	if (fds[0].revents)
		on_typed(ch);
	else if (!count && chat_keys_is_waiting(&ch->keys)) {
		chat_keys_flush(&ch->keys);
		take_keys(ch);
	}
	if (!ch->is_over && fds[3].revents)
		on_signal(ch);
	if (!ch->is_over && fds[1].revents && ch->link.reader.is_running)
		on_events(ch);
	on_time(ch);
	/* Last, because it also sends what the rest of the step wants to send. */
	if (!ch->is_over) {
		chat_turn_replies(ch);
		chat_turn_stopped(ch);
		chat_lines_send(ch);
		chat_prompt_step(ch);
	}
	if (ch->is_dirty && !ch->is_over && clock_mono_ms() - ch->drawn_at >= FRAME_MS)
		chat_paint_draw(ch, false);
}

/* ---- the whole ---- */

static void block_signals(struct chat *ch)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void ask_settings(struct chat *ch)
{
	struct params p;

	params_begin(&p);
	chat_link_send(&ch->link, CHAT_CALL_MODELS, "list_models", &p);
	params_begin(&p);
	params_cstr(&p, "sessionId", *ch->view.session ? ch->view.session : NULL);
	chat_link_send(&ch->link, CHAT_CALL_RULES, "list_rules", &p);
	params_begin(&p);
	params_cstr(&p, "cwd", ch->cwd);
	chat_link_send(&ch->link, CHAT_CALL_HOOKS, "list_hooks", &p);
	chat_extend_ask(ch);
}

static void say_goodbye(struct chat *ch)
{
	chat_paint_draw(ch, false);
	chat_screen_close(&ch->screen);
	if (*ch->view.session && !ch->c->is_temporary)
		printf("%sto continue: thole -c, or thole chat -s %s%s\n",
		       out_tone_on(ch->c->color_out, TONE_DIM),
		       out_id(ch->c, str_from(ch->is_fork ? ch->view.thread : ch->view.session)),
		       out_tone_off(ch->c->color_out));
	if ((ch->view.state == CHAT_RUNNING || ch->view.state == CHAT_ASKING) &&
	    !ch->c->is_temporary)
		printf("%sthe turn %s; thole stop %s ends it%s\n",
		       out_tone_on(ch->c->color_out, TONE_DIM),
		       ch->view.state == CHAT_ASKING ? "waits for an approval" : "continues",
		       out_id(ch->c, str_from(ch->view.session)), out_tone_off(ch->c->color_out));
	if (ch->later.len)
		out_error(ch->c, "Some messages were not sent; the history has them.");
	if (ch->link.state == CHAT_LINK_DOWN)
		out_error(ch->c, "The daemon went away and could not be started again.");
}

static int open_all(struct chat *ch, struct str session, struct str thread)
{
	int code = connection_open(ch->c);

	ch->c->has_said_start = true;
	if (!code && !chat_link_open(&ch->link, ch->c))
		code = CODE_FAILED;
	if (!code && !chat_screen_open(&ch->screen, STDIN_FILENO, STDOUT_FILENO))
		code = CODE_FAILED;
	if (code)
		return code;
	ch->view.columns = ch->c->columns = ch->screen.columns;
	ch->edit.columns = chat_draw_input_columns(ch->screen.columns);
	chat_history_file_read(ch);
	if (str_is(session))
		code = chat_open_session(ch, session, thread);
	if (!code && ch->c->opts.model)
		chat_open_keep_model(ch);
	ask_settings(ch);
	if (ch->c->is_remote) {
		ch->complete.list = chat_there_list;
		ch->complete.owner = ch;
		chat_there_ask(ch);
	}
	for (int i = 0; i < ch->c->opts.add_dirs.count && !code; i++)
		chat_extend_directory(ch, str_from(ch->c->opts.add_dirs.items[i]));
	return code;
}

bool chat_wants_vi(struct cli *c)
{
	const char *named = getenv("THOLE_CHAT_KEYS");
	struct cli_settings s;
	struct json v;

	if (named)
		return strcmp(named, WORD_CHAT_KEYS_VI) == 0;
	if (cli_settings_read(c, &s) != CODE_DONE || !s.config ||
	    json_read_config(c->mem, str_from(s.config), &v, NULL) != OK)
		return false;
	return str_eq(json_str(JSON_GET(v, "chat.keys")), STR(WORD_CHAT_KEYS_VI)) ||
	       str_eq(json_str(JSON_GET(JSON_GET(v, "chat"), "keys")), STR(WORD_CHAT_KEYS_VI));
}

static void chat_init(struct chat *ch, struct cli *c)
{
	const char *cwd = NULL;

	*ch = (struct chat){ .c = c, .mem = arena_new(), .is_dirty = true };
	ch->cwd = paths_work_dir(c, &cwd) == CODE_DONE ? cwd : ".";
	chat_edit_init(&ch->edit);
	chat_view_init(&ch->view, c);
	chat_complete_init(&ch->complete, ch->cwd);
	chat_complete_commands(&ch->complete, chat_commands_name, chat_commands_help);
	ch->complete.ask = chat_extend_complete;
	ch->complete.ask_owner = ch;
	if (c->opts.model)
		ch->pick = str_from(c->opts.model);
	ch->effort = c->opts.effort;
	ch->mode = c->opts.mode;
	ch->place = chat_open_place(ch);
	ch->edit.is_vi = chat_wants_vi(c);
	block_signals(ch);
}

int chat_run(struct cli *c, struct str session, struct str thread)
{
	struct chat *ch = ARENA_NEW(c->mem, struct chat);
	int code;

	chat_init(ch, c);
	code = open_all(ch, session, thread);
	if (code) {
		chat_screen_close(&ch->screen);
		return code;
	}
	chat_paint_draw(ch, false);
	chat_turn_replies(ch);
	while (!ch->is_over)
		step(ch);
	say_goodbye(ch);
	chat_ask_close(&ch->ask);
	chat_link_unfollow(&ch->link);
	chat_link_close(&ch->link);
	chat_complete_done(&ch->complete);
	chat_extend_done(ch);
	chat_edit_done(&ch->edit);
	chat_view_done(&ch->view);
	chat_keys_done(&ch->keys);
	chat_draw_frame_done(&ch->frame);
	buf_done(&ch->finished);
	buf_done(&ch->sending);
	buf_done(&ch->later);
	buf_done(&ch->asked);
	chat_images_done(ch);
	chat_there_done(ch);
	buf_done(&ch->outputs);
	buf_done(&ch->last_text);
	arena_free(ch->mem);
	return ch->code;
}
