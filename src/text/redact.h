#ifndef TEXT_REDACT_H
#define TEXT_REDACT_H
/*
 * Replaces secrets in passing text: known values, text that has the shape of a
 * token, and matches of the operator's patterns.
 *
 * A stream is fed in pieces of any size, and the result does not depend on
 * where it was cut: the end of a piece that may begin a secret is held back
 * until the next piece decides it, at most SCRUB_HELD_MAX bytes.
 *
 * Known values are compared literally; patterns are PCRE2.  When a pattern
 * takes too long, the whole piece is replaced.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define SCRUB_RULES_MAX 64
#define SCRUB_KNOWN_MAX 256
#define SCRUB_KNOWN_MIN 8 /* shorter values are words, not secrets */
#define SCRUB_HELD_MAX 16384

/* Replaces a secret. */
#define SCRUB_MARK "[redacted]"

struct scrub_rule {
	struct str name;
	bool is_policy; /* the operator's rule, not a built-in one */
};

struct scrub;

/* With the built-in shapes. */
struct scrub *redact_new(void);
void redact_free(struct scrub *s); /* NULL is fine */

/* Adds a pattern.  ERR_INVALID: it does not compile or matches the empty text. */
enum err redact_add(struct scrub *s, struct str name, struct str pattern, struct error *e) MUST_USE;
/* Adds a value, or another holder of it; short and long ones are ignored. */
void redact_know(struct scrub *s, struct str value);
/* One holder less, such as of a token that expired; the last one removes the value. */
void redact_forget(struct scrub *s, struct str value);
/* Adds a value without a holder.  When there are too many, the oldest of these gives way. */
void redact_note(struct scrub *s, struct str value);

/*
 * Is the value a path of this machine? That to a secret is none.  A secret may begin with a slash as
 * well (base64), so the first name has to exist.
 */
bool redact_is_path(struct str value);

size_t redact_rules(const struct scrub *s, const struct scrub_rule **ret);

struct scrub_stream {
	struct buf held; /* the last byte that was passed, then the held-back bytes */
	uint64_t base;   /* where they begin in all that was fed */
	bool has_passed;
	uint32_t counts[SCRUB_RULES_MAX]; /* replacements per rule */
	uint64_t total;
};

/*
 * Feeds a piece; clean text goes to `out`, in one or more pieces. is_last: no bytes are held back.
 */
void redact_feed(struct scrub *s, struct scrub_stream *st, struct str piece, bool is_last,
                 void (*out)(void *arg, struct str clean), void *arg);
void redact_stream_done(struct scrub_stream *st);

/* A secret in all that was fed. */
struct scrub_hit {
	uint64_t from, to;
	size_t rule;
};

/* Feeds a piece as redact_feed() does, and reports what it would replace. */
void redact_find(struct scrub *s, struct scrub_stream *st, struct str piece, bool is_last,
                 void (*hit)(void *arg, const struct scrub_hit *hit), void *arg);
/* No later hit begins before this byte. */
uint64_t redact_undecided(const struct scrub_stream *st);

/*
 * The held-back bytes that may be shown when a stream pauses: the few that can end a word.  Longer
 * parts stay hidden, because they may begin a secret.
 */
struct str redact_glimpse(const struct scrub_stream *st);

/*
 * A whole text at once; returns the same bytes, not copied, when it has no secret.  The beginning of
 * a secret in front of "…" counts as well: a preview was cut there.
 */
struct str redact_text(struct scrub *s, struct arena *mem, struct str text,
                       struct scrub_stream *counts);

#endif
