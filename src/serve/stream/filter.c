/*
 * Which events a subscriber asked for, where it starts, and the frames that
 * stand for a gap or the end of a stream.
 */
#include "serve/stream/filter.h"

#include "base/jw.h"

#include <assert.h>
#include <stdio.h>

static_assert(EV_COUNT <= 128, "classes fit the bit set of control_stream");

/* "task.*" selects a family.  A word that selects nothing is an error. */
bool filter_add_type(uint64_t types[2], struct str word)
{
	bool is_family = str_ends(word, STR(".*"));
	struct str prefix = is_family ? str_head(word, word.len - 1) : STR_NONE;
	bool found = false;

	for (int i = 1; i < EV_COUNT; i++) {
		struct str name = event_type_word((enum event_type)i);

		if (is_family ? str_starts(name, prefix) : str_eq(name, word)) {
			types[i / 64] |= (uint64_t)1 << (i % 64);
			found = true;
		}
	}
	return found;
}

bool filter_read_form(struct str word, enum event_form *ret)
{
	*ret = (enum event_form)rec_enum_read(&enum_event_form, word);
	return *ret != EVENT_FORM_ABSENT;
}

/*
 * Sequences of one session are plain numbers.  Positions in the whole log have the
 * prefix "p.", so that neither is taken for the other.
 */
bool filter_read_after(struct str text, bool is_one_session, uint64_t *ret)
{
	if (is_one_session || str_eq(text, STR("0")))
		return str_to_u64(text, ret) && *ret <= INT64_MAX;
	return str_starts(text, STR("p.")) && str_to_u64(str_skip(text, 2), ret) &&
	       *ret <= INT64_MAX;
}

void filter_write_after(char out[CURSOR_MAX], bool is_one_session, uint64_t after)
{
	snprintf(out, CURSOR_MAX, "%s%llu", is_one_session ? "" : "p.", (unsigned long long)after);
}

void filter_write_gap(struct json_writer *w, uint64_t after, uint64_t to, struct str recovery_mode,
                      struct str snapshot)
{
	JW_KEY(w, "from");
	jw_uint(w, after + 1);
	JW_KEY(w, "to");
	jw_uint(w, to);
	JW_KSTR(w, "recoveryMode", recovery_mode);
	/* The two words are those of the modes. */
	JW_KSTR(w, "reason", recovery_mode);
	if (snapshot.len) {
		JW_KEY(w, "snapshot");
		jw_raw(w, snapshot);
	}
}

void filter_write_corrupt(struct json_writer *w, const struct control_corrupt *c)
{
	JW_KEY(w, "from");
	jw_uint(w, c->from);
	JW_KEY(w, "to");
	jw_uint(w, c->to);
	JW_KSTR(w, "recoveryMode", recovery_mode_word(RECOVERY_MODE_GAP));
	JW_KSTR(w, "reason", gap_reason_word(GAP_REASON_CORRUPT));
	JW_KOPT(w, "sessionId", c->session);
}

static struct str copy(char **to, struct str s)
{
	char *at = *to;

	if (!str_is(s))
		return s;
	memcpy(at, s.ptr, s.len);
	*to += s.len;
	return str_of(at, s.len);
}

size_t filter_room(const struct control_stream *ask)
{
	return ask->session.len + ask->thread.len + ask->turn.len;
}

struct control_stream filter_keep(const struct control_stream *ask, char *text)
{
	struct control_stream kept = *ask;

	kept.session = copy(&text, ask->session);
	kept.thread = copy(&text, ask->thread);
	kept.turn = copy(&text, ask->turn);
	return kept;
}

struct str filter_end_word(enum stream_end why)
{
	switch (why) {
	case STREAM_CAUGHT_UP:
		return STR("caught_up");
	case STREAM_SHUTDOWN:
		return STR("shutdown");
	case STREAM_STORE_FAILED:
		return STR("store_failed");
	case STREAM_NO_SESSION:
		return STR("session_not_found");
	case STREAM_DELETED:
		return STR("session_deleted");
	case STREAM_UNREADABLE:
		return STR("session_unreadable");
	case STREAM_REVOKED:
		return STR("unauthorized");
	case STREAM_TOO_MANY:
		return STR("rate_limited");
	default:
		return STR("unknown");
	}
}

enum error_code filter_end_code(enum stream_end why)
{
	switch (why) {
	case STREAM_SHUTDOWN:
		return ERROR_CODE_SHUTTING_DOWN;
	case STREAM_STORE_FAILED:
		return ERROR_CODE_STORE_FAILED;
	case STREAM_NO_SESSION:
		return ERROR_CODE_SESSION_NOT_FOUND;
	case STREAM_DELETED:
		return ERROR_CODE_SESSION_DELETED;
	case STREAM_UNREADABLE:
		return ERROR_CODE_SESSION_UNREADABLE;
	case STREAM_REVOKED:
		return ERROR_CODE_UNAUTHORIZED;
	case STREAM_TOO_MANY:
		return ERROR_CODE_RATE_LIMITED;
	default:
		return ERROR_CODE_INTERNAL;
	}
}
