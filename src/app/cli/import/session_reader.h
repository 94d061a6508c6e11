#ifndef APP_SESSION_READER_H
#define APP_SESSION_READER_H
/*
 * A session file of another program as turns.
 *
 *   session_reader_scan()  ──► what the session is, and which lines count
 *   session_reader_turns() ──► its turns, one after the other
 *
 * Files of both programs hold more than the conversation: branches that were
 * left, subagents, lines for screens.  The first pass reads everything and
 * marks what counts; the second makes turns of it.  A turn is a message of the
 * person and what was answered, with calls and their results.
 *
 * Memory is bounded by the longest line and the longest turn; texts beyond the
 * bounds are cut in the middle, with their size kept.
 */
#include "app/cli/cli.h"
#include "base/buf.h"
#include "base/hash/sha256.h"
#include "base/json.h"

enum session_program { SESSION_CLAUDE, SESSION_CODEX };

enum session_item_kind { SESSION_ITEM_TEXT, SESSION_ITEM_CALL, SESSION_ITEM_RESULT };

struct session_item {
	enum session_item_kind kind;
	struct str name, id, text;
	int64_t at, bytes; /* of the whole text */
	bool is_error;
};

struct session_turn {
	struct str text, id, model;
	int64_t began, ended; /* wall milliseconds; 0: not known */
	struct session_item *items;
	size_t count, cap;
	bool is_unfinished;   /* no answer follows the message, or the last call */
	struct sha256 digest; /* over this turn and those before it */
};

struct session_head {
	struct str source_id, title, first, cwd, version, branch; /* may be absent */
	int64_t began, ended;
	int64_t lines, turns;
	/* lines: not understood, of a branch or subagent, without a counterpart here */
	int64_t unread, unknown, aside;
	int64_t cut; /* items that were left out of a turn that has too many */
	uint64_t bytes;
	struct sha256 hash;
	bool is_open; /* the last turn is unfinished */
	bool is_half; /* the last line is not complete, as in a session that runs */
};

struct session_reader;

/* What a line means; claude_lines.c and codex_lines.c. */
struct session_dialect {
	/* First pass. */
	void (*scan)(struct session_reader *r, struct json line);
	/* After it: which lines count. */
	void (*mark)(struct session_reader *r);
	/* Second pass. */
	void (*take)(struct session_reader *r, struct json line);
};
extern const struct session_dialect claude_lines_dialect, codex_lines_dialect;

/* One line of a file with branches. */
struct session_link {
	uint64_t id, parent; /* hashes; 0: none */
	bool is_main;        /* a message of the conversation itself */
	bool is_marked;
	bool is_beside; /* its parent is marked, and it is not */
};
#define SESSION_LINKS_MAX (1u << 20)

struct session_reader {
	struct arena *keep; /* of the caller: the head */
	struct arena *line; /* of one line */
	struct arena *mem;  /* of one turn */
	const struct session_dialect *dialect;
	struct session_head head;
	int64_t number; /* of the line, from 0 */

	/* claude: links by line; codex: whether each message of the person was rolled back */
	struct session_link *links;
	size_t link_count, link_cap;
	bool *dropped;
	size_t message_count, message_cap;
	size_t message; /* second pass: number of the next one */
	bool skips;     /* second pass: the turn was rolled back */

	struct session_turn turn;
	struct buf joined; /* the message of the turn, when it was several */
	bool has_turn;
	size_t room; /* bytes that the turn may still take */
	struct str model;
	struct sha256 digest;
	bool (*on_turn)(void *arg, const struct session_turn *turn); /* false: stop */
	void *arg;
	bool stops;
};

/*
 * Reads all of an open file.  False: it could not be read.  Strings of the head
 * live in `keep`.  session_reader_done() follows in any case.
 */
bool session_reader_scan(struct session_reader *r, struct arena *keep, enum session_program program,
                         int fd, uint64_t size);
/* The same file from its beginning; turns live during the call.  False: it has changed meanwhile. */
bool session_reader_turns(struct session_reader *r, int fd, uint64_t size,
                          bool (*on_turn)(void *arg, const struct session_turn *turn), void *arg);
void session_reader_done(struct session_reader *r);

/* ---- for the dialects ---- */

/* Keeps the first value, or with is_last the last one. */
void session_reader_note(struct session_reader *r, struct str *field, struct str value,
                         bool is_last);
void session_reader_time(struct session_reader *r, struct json line);
int64_t session_reader_at(struct json line);
void session_reader_user(struct session_reader *r, struct str text, struct str id, int64_t at);
void session_reader_item(struct session_reader *r, struct session_item item);

#endif
