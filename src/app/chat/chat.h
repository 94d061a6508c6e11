#ifndef APP_CHAT_H
#define APP_CHAT_H
/*
 * An interactive session in a terminal.
 *
 * chat.c is the loop; chat_turn.c sends messages and stops turns; chat_open.c
 * finds a session and shows its end; commands/ has the slash commands;
 * chat_complete.c completes words.  The chat is a client like any other: what
 * it shows comes from events, what it does are commands.
 *
 * One thread runs all of this; only the event reader has its own.
 */
#include "app/chat/chat_ask.h"
#include "app/chat/chat_complete.h"
#include "app/chat/chat_lines.h"
#include "app/chat/chat_link.h"
#include "app/chat/screen/chat_pick.h"
#include "app/chat/commands/chat_commands.h"
#include "app/chat/images/chat_images.h"
#include "app/chat/screen/chat_screen.h"

struct chat {
	struct cli *c;
	struct chat_screen screen;
	struct chat_keys keys;
	struct chat_edit edit;
	struct chat_view view;
	struct chat_link link;
	struct chat_ask ask;
	struct buf asked; /* all that the open prompt is about, for the pager */
	struct chat_complete complete;
	struct chat_frame frame;
	struct buf finished; /* lines on their way to the screen */
	struct arena *mem;   /* of one step */
	int signals;         /* a signalfd */

	const char *cwd;    /* where a new session works */
	const char *place;  /* the same for the status line, with the branch */
	struct str pick;    /* the model that the user chose; absent: the default */
	const char *effort; /* how much the model thinks; NULL: the default */
	const char *mode;   /* of --mode, for new sessions; NULL: the default */

	struct chat_extend {
		struct arena *mem;
		struct str *names; /* of commands that are files, with the slash */
		const char **help;
		size_t count;
		size_t untrusted;     /* files of the project */
		char shown[72];       /* hash of these files when /trust showed them; "": not yet */
		char hooks_shown[72]; /* the same of the project's hooks, by /hooks */
		bool has_told;        /* the user knows of these */
		struct arena *values_mem, *asked_mem; /* of what a server suggests */
		bool is_expanded;                     /* the message comes from a command */
		struct str asked;                     /* the line that it was asked for */
	} extend;

	struct chat_images images;
	struct chat_there {
		pid_t pid; /* of the listing; 0: none runs */
		int file;
		struct buf names; /* a line each */
	} there;
	struct buf outputs; /* of the user's own commands, for the next message */
	struct buf sending; /* the message that is not confirmed */
	struct buf later;   /* lines that wait: chat_lines.h */
	struct chat_own {   /* turns that this chat submitted, the last ones */
		char ids[2 * CHAT_QUEUE_MAX][CHAT_ID];
		size_t count; /* of all so far */
	} own;
	bool is_stopping;   /* the user stopped the turn, and it has not ended yet */
	bool returns_later; /* lines that wait return to the input: the user stopped the turn */
	enum {
		CHAT_ANSWER_TAKEN,
		CHAT_ANSWER_REFUSED,
		CHAT_ANSWER_LATE
	} answered;       /* the last one */
	bool is_fork;     /* the thread is not the main one of its session */
	unsigned sent_at; /* view.submitted when it was sent */
	struct buf last_text;

	char notice[256];
	int64_t notice_until; /* monotonic */
	int64_t escape_at, quit_at;
	int64_t answer_until; /* an answer to a prompt that closed by itself may come until then */
	bool has_prefix;      /* Ctrl-X was pressed */
	bool is_burst;        /* the key came together with others: no person decided by it */
	bool is_blurred;      /* the window is not in focus */

	bool is_dirty;
	int64_t drawn_at;
	bool is_over;
	int code;
};

/* The verb; also `thole` without words. */
int chat_run(struct cli *c, struct str session, struct str thread);
/* The setting chat.keys, of the environment or of a file. */
bool chat_wants_vi(struct cli *c);

/* The loop ends after this step. */
static inline void chat_leave(struct chat *ch, int code)
{
	ch->is_over = true;
	ch->code = code;
}

/* ---- chat_paint.c ---- */

/* A line that goes after two seconds. */
void chat_paint_notice(struct chat *ch, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes finished lines and the live area now; is_resized: and the end of the text again. */
void chat_paint_draw(struct chat *ch, bool is_resized);

/* Gives the terminal to another program, and takes it back. */
void chat_paint_pause(struct chat *ch);
void chat_paint_resume(struct chat *ch);

/* ---- chat_turn.c ---- */

/* Sends a message now: for chat_lines.c, which keeps the order, and for commands. */
void chat_turn_send(struct chat *ch, struct str text, enum chat_delivery delivery);
/* What was sent and not read by a model returns to the input. */
void chat_turn_stop(struct chat *ch);
/* The turn that was stopped may have ended. */
void chat_turn_stopped(struct chat *ch);
void chat_turn_resume(struct chat *ch);
/* The mode that Shift-Tab changes to. */
const char *chat_turn_next_mode(const struct chat *ch);
void chat_turn_set_mode(struct chat *ch, struct str mode);
/* The message whose text this output holds returns to the input; its turn began at this event. */
void chat_turn_take_back(struct chat *ch, struct str input, int64_t began);
void chat_turn_unqueue_last(struct chat *ch);
/* Answers to the calls above. */
void chat_turn_replies(struct chat *ch);

/* ---- chat_prompt.c ---- */

/* Opens the prompt for what waits, closes the one that was settled. */
void chat_prompt_step(struct chat *ch);
/* True: the key belongs to the open prompt. */
bool chat_prompt_key(struct chat *ch, const struct chat_key *k);

/* ---- chat_open.c ---- */

/* The newest session of this directory; absent: there is none. */
struct str chat_open_last(struct cli *c, const char *cwd);
/* The thread of this session on which a person worked last; absent: it could not be read. */
struct str chat_open_thread(struct cli *c, struct str session);
/* Shows the end of the conversation and follows it; thread absent: the one that was used last. */
int chat_open_session(struct chat *ch, struct str session, struct str thread);
/* Begins a new one with the next message. */
void chat_open_new(struct chat *ch);
/* Directory and branch for the status line. */
const char *chat_open_place(struct chat *ch);

/* The session of this reply, which is new, is the chat's from now on. */
void chat_open_adopt(struct chat *ch, struct json reply);
/* The session remembers the model that the user chose. */
void chat_open_keep_model(struct chat *ch);
/* Creates the session now, for what needs one before the first message.  False: that failed. */
bool chat_open_create(struct chat *ch);

/* ---- chat_input.c ---- */

/* The input of a turn as JSON, in ch->mem.  False: a file cannot be sent, and the user knows why. */
bool chat_input_write(struct chat *ch, struct str text, struct str *ret);

/* ---- chat_pager.c ---- */

/* Shows text page by page until the user leaves it; the lines may be marked (chat_wrap.h). */
void chat_pager_show(struct chat *ch, const char *title, struct str text);

/* ---- chat_there.c ---- */

/* Asks the other machine for its files; nothing on this one. */
void chat_there_ask(struct chat *ch);
/* Takes what has come; while there.pid is set. */
void chat_there_look(struct chat *ch);
/* Does the other machine have this file? */
bool chat_there_has(struct chat *ch, struct str path);
/* For chat_complete: the owner is the chat. */
bool chat_there_list(void *owner, struct arena *mem, struct str **ret, size_t *ret_count);
void chat_there_done(struct chat *ch);

/* ---- chat_history_file.c ---- */

void chat_history_file_read(struct chat *ch);
void chat_history_file_add(struct chat *ch, struct str text);

#endif
