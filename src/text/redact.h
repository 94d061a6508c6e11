#ifndef TEXT_REDACT_H
#define TEXT_REDACT_H
/*
 * Takes secrets out of what passes through: values that are known, text that
 * has the shape of one, and whatever the operator's patterns match.
 *
 * A stream is fed in pieces of any size, and what comes out does not depend
 * on how it was cut: the end of a piece that may be the beginning of a secret
 * is held back until it is known.  Never more than SCRUB_HELD_MAX bytes are.
 *
 * Known values are compared as they are; patterns are PCRE2's.  A pattern
 * that takes too long on some piece takes the whole piece with it.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define SCRUB_RULES_MAX 64
#define SCRUB_KNOWN_MAX 64
#define SCRUB_KNOWN_MIN 8 /* shorter values are words, not secrets */
#define SCRUB_HELD_MAX 16384

/* In the place of what was taken out. */
#define SCRUB_MARK "[redacted]"

struct scrub_rule {
	struct str name;
	bool is_policy; /* the operator's, not ours */
};

struct scrub;

/* With the shapes that everybody has to fear. */
struct scrub *redact_new(void);
void redact_free(struct scrub *s); /* NULL is fine */

/* One more pattern.  ERR_INVALID: it cannot be read, or may match nothing at all. */
enum err redact_add(struct scrub *s, struct str name, struct str pattern, struct error *e) MUST_USE;
/* One more value; too short ones and those that are known already are left. */
void redact_know(struct scrub *s, struct str value);

size_t redact_rules(const struct scrub *s, const struct scrub_rule **ret);

struct scrub_stream {
	struct buf held; /* the last byte that was passed, then what is held back */
	bool has_passed;
	uint32_t counts[SCRUB_RULES_MAX]; /* how often each rule took something out */
	uint64_t total;
};

/*
 * Feeds a piece; what is clean goes to `out`, in one or more pieces.  With
 * is_last nothing is held back.
 */
void redact_feed(struct scrub *s, struct scrub_stream *st, struct str piece, bool is_last,
                 void (*out)(void *arg, struct str clean), void *arg);
void redact_stream_done(struct scrub_stream *st);
/*
 * What is held back, for whoever looks at a stream that has come to a stop:
 * the few bytes that a word may well end with.  More of it is nobody's business yet.
 */
struct str redact_glimpse(const struct scrub_stream *st);

/* A whole text at once; the same bytes, not copied, when nothing was in it. */
struct str redact_text(struct scrub *s, struct arena *mem, struct str text,
                       struct scrub_stream *counts);

#endif
