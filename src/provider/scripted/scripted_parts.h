#ifndef PROVIDER_SCRIPTED_PARTS_H
#define PROVIDER_SCRIPTED_PARTS_H
/* The parts that play a script: templates, matching, tools. */
#include "provider/scripted/scripted_script.h"

/* ---- templates (scripted_text.c) ---- */

/* What {{...}} may name in a text; see docs/reference/scripted-model.md. */
enum { VAR_MODEL = 1, VAR_NUMBER = 2, VAR_ARGS = 4 };

struct script_vars {
	struct str input, tool_result;
	uint32_t turn;
	int64_t n;        /* {{n}} */
	struct json args; /* {{args.NAME}} */
};

/* False with the first unknown template, braces included, in ret_unknown. */
bool scripted_text_is_known(struct str text, unsigned allowed, struct str *ret_unknown);
/* What the vars bring in is not looked into for templates again. */
void scripted_text_expand(struct buf *out, struct str text, const struct script_vars *vars);

/*
 * Walks the pieces of one text.  A piece is valid until the next call; it is
 * never longer than a list's item or a repetition is, and at most
 * SCRIPT_PIECE_MAX when it was cut from a whole.
 */
#define SCRIPT_PIECE_MAX 4096
struct script_pieces {
	const struct script_text *text;
	size_t chunk;
	size_t at; /* item, repetition; of a whole text the byte */
	bool is_begun;
	struct buf now;
};
bool scripted_text_next_piece(struct script_pieces *p, struct script_vars *vars, struct str *ret);
void scripted_text_pieces_done(struct script_pieces *p);

/* ---- matching (scripted_match.c) ---- */

/* Patterns are bounded in length, nesting, steps and memory; nothing here recurses on input. */
enum err scripted_match_regex_read(struct arena *mem, struct str pattern, struct script_regex **ret,
                                   struct error *e) MUST_USE;

/* What a rule looks at, gathered once per request. */
struct script_moment {
	const struct model_request *req;
	struct str input;                  /* last user text, or absent */
	struct str message_id;             /* the turn that brought it */
	struct str peer_message_id;        /* what another program calls it, or absent */
	uint32_t images;                   /* beside that text */
	const struct message *last_result; /* of this turn, or NULL */
};
void scripted_match_moment_read(const struct model_request *req, struct script_moment *ret);

/* MATCH_GAVE_UP: a pattern passed its bounds; which one is in `rule`. */
enum script_match { MATCH_FOUND, MATCH_NONE, MATCH_GAVE_UP };
/* counts: of this session, one for each rule with `times`. */
enum script_match scripted_match(const struct script *s, const struct script_moment *m,
                                 uint32_t *counts, size_t *ret_rule,
                                 const struct script_reply **ret_reply);

/* ---- tools (scripted_tool.c) ---- */

/* True for a path that stays below where it starts: relative, no "..", no NUL, names a file. */
bool scripted_tool_read_path_is_inside(struct str path);

/* The toolset of a script.  `closed` is called when it was closed; it is not used afterwards. */
struct script_tools {
	struct toolset port;
	struct clock *clock;
	const struct script *script;
	struct list calls;
	struct map counts; /* calls so far, by session and tool; for those with a result each */
	void (*closed)(struct script_tools *t);
};
void scripted_tool_init(struct script_tools *t, struct clock *clock, const struct script *script,
                        void (*closed)(struct script_tools *t));

#endif
