/* Reads and writes W3C Trace Context; strict in what is read, because it is sent on. */
#include "base/hash/trace_context.h"

#include "base/gen/limits.h"
#include "base/hash/sha256.h"

#include <assert.h>

#define SPAN_DIGITS 16
#define SHARE_DIGITS 14 /* of a trace id, at its end: 56 bits that are random */
#define FLAG_SAMPLED 1

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_hex(struct str s, size_t len)
{
	for (size_t i = 0; i < s.len; i++)
		if (digit_of(s.ptr[i]) < 0)
			return false;
	return s.len == len;
}

static bool is_zero(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '0')
			return false;
	return true;
}

/* Members separated by commas, each key=value in printable ASCII. */
static bool is_state(struct str state)
{
	bool has_value = false;

	if (!state.len || state.len > LIMIT_TRACE_STATE_BYTES)
		return false;
	for (size_t i = 0; i < state.len; i++) {
		if (state.ptr[i] < ' ' || state.ptr[i] > '~')
			return false;
		if (state.ptr[i] == ',' && !has_value)
			return false;
		has_value = state.ptr[i] != ',' && (has_value || state.ptr[i] == '=');
	}
	return has_value;
}

/* A later version may have more behind the flags; ff is none, and 00 has nothing more. */
static bool has_valid_end(struct str version, struct str flags)
{
	if (!is_hex(str_head(flags, 2), 2))
		return false;
	return flags.len == 2 || (!str_eq(version, STR("00")) && flags.ptr[2] == '-');
}

void trace_context_read(struct str traceparent, struct str tracestate, struct trace_context *ret)
{
	struct str rest = str_trim(traceparent), version = str_cut(&rest, '-');
	struct str trace = str_cut(&rest, '-'), span = str_cut(&rest, '-');

	*ret = (struct trace_context){ 0 };
	if (!is_hex(version, 2) || str_eq(version, STR("ff")) || !is_hex(trace, 32) ||
	    is_zero(trace) || !is_hex(span, SPAN_DIGITS) || is_zero(span) ||
	    !has_valid_end(version, rest))
		return;
	*ret = (struct trace_context){ .trace_id = trace,
		                       .parent_id = span,
		                       .is_sampled = digit_of(rest.ptr[1]) & FLAG_SAMPLED };
	if (str_is(tracestate) && is_state(str_trim(tracestate)))
		ret->state = str_trim(tracestate);
}

struct str trace_context_span(struct arena *mem, struct str trace_id, struct str object_id)
{
	struct sha256_stream s;
	struct sha256 h;

	sha256_begin(&s);
	sha256_more(&s, trace_id);
	sha256_more(&s, object_id);
	h = sha256_end(&s);
	return str_head(sha256_hex(mem, &h), SPAN_DIGITS);
}

bool trace_context_in_share(struct str trace_id, double ratio)
{
	uint64_t draw = 0, from = (uint64_t)((1 - ratio) * (double)(1ull << (4 * SHARE_DIGITS)));

	assert(trace_id.len >= SHARE_DIGITS);
	for (size_t i = trace_id.len - SHARE_DIGITS; i < trace_id.len; i++)
		draw = draw << 4 | (uint64_t)digit_of(trace_id.ptr[i]);
	return draw >= from;
}

struct str trace_context_text(struct arena *mem, struct str trace_id, struct str span_id,
                              bool is_sampled)
{
	return arena_printf(mem, "00-%.*s-%.*s-%s", STR_ARG(trace_id), STR_ARG(span_id),
	                    is_sampled ? "01" : "00");
}

struct trace_headers trace_context_keep(struct arena *mem, struct trace_headers h)
{
	return (struct trace_headers){ arena_keep(mem, h.parent), arena_keep(mem, h.state) };
}

size_t trace_context_variables(struct arena *mem, struct trace_headers h, struct str *out,
                               size_t count)
{
	if (str_is(h.parent))
		out[count++] = arena_printf(mem, "TRACEPARENT=%.*s", STR_ARG(h.parent));
	if (str_is(h.parent) && str_is(h.state))
		out[count++] = arena_printf(mem, "TRACESTATE=%.*s", STR_ARG(h.state));
	return count;
}
