/*
 * How many tokens the conversation of a thread takes: measured where the
 * provider reported it, estimated otherwise.
 */
#include "core/context/context_tokens.h"

#include "base/gen/limits.h"
#include "core/context/history_marks.h"

int64_t context_tokens_history(const struct st_thread *th)
{
	int64_t sum = 0;

	for (size_t i = 0; i < history_marks_units(th); i++) {
		struct history_unit u = history_marks_unit(th, i);

		if (history_marks_is_sent(th, &u))
			sum += u.tokens;
	}
	if (th->compactions.count)
		sum += th->compactions.items[th->compactions.count - 1]->summary_tokens;
	return sum;
}

/* Definitions of tools are part of every request. */
static int64_t tool_tokens(const struct settings *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->tool_count; i++)
		bytes += s->tools[i].name.len + s->tools[i].description.len +
		         s->tools[i].input_schema.len;
	return (int64_t)bytes / CONTEXT_BYTES_PER_TOKEN;
}

static int64_t source_tokens(const struct st_thread *th)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < th->sources.count; i++)
		bytes += th->sources.items[i]->bytes;
	return bytes / CONTEXT_BYTES_PER_TOKEN;
}

int64_t context_tokens_sampling(int64_t messages, int64_t system_prompt)
{
	return messages + system_prompt + 64 + 8 * LIMIT_SAMPLING_PARTS;
}

int64_t context_tokens_raw(const struct decision *d, const struct st_thread *th,
                           const struct st_turn *t)
{
	if (t->sampling)
		return context_tokens_sampling(t->context_tokens, source_tokens(th));
	/* An allowance for the frame of each message. */
	return context_tokens_history(th) + t->context_tokens + tool_tokens(d->settings) +
	       source_tokens(th) + 64 + 8 * th->messages;
}

int64_t context_tokens_least(const struct decision *d, const struct st_thread *th,
                             const struct st_turn *t)
{
	return t->input_estimate + tool_tokens(d->settings) + source_tokens(th) + 64;
}

/*
 * The measured size of the last response, plus an estimate of everything since. measured_base is
 * the estimate at the time of the measurement, so its error cancels out.
 */
int64_t context_tokens_request(const struct decision *d, const struct st_thread *th,
                               const struct st_turn *t)
{
	int64_t raw = context_tokens_raw(d, th, t);

	if (!th->measured_tokens || t->sampling)
		return raw;
	return MAX(th->measured_tokens + raw - th->measured_base, 1);
}
