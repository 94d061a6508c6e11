#ifndef PROVIDER_SCRIPTED_H
#define PROVIDER_SCRIPTED_H
/*
 * A model that answers from a script, and the tools that the script declares.
 *
 * It needs no key and no network: for demos, and for the CI of those who
 * embed the runtime.  docs/reference/scripted-model.md is the format; the built-in
 * script (examples/scripts/builtin.json) answers to anything.
 *
 * One script serves two ports, a provider and a toolset.  Each is closed by
 * its own close(), and the script is gone when both are.  Closing a port drops
 * what still runs there without a callback.  All callbacks come from timers
 * of the given clock, so virtual time makes runs repeatable to the
 * millisecond; nothing is random.
 *
 * Inside a callback a caller may cancel, pause, resume, start and close.
 *
 *   start() ──► first delay ──► piece ──► delay ──► piece ... ──► end
 *                  │              │                          └──► hang, until cancelled
 *                  └── cancel() ──┴── from anywhere: gone, silently (a tool: end, cancelled)
 *
 * While paused nothing comes, the end included; a started delay continues where
 * it stopped.  The toolset's artifact_path is relative to the call's cwd.
 */
#include "base/err.h"
#include "ports/clock.h"
#include "ports/provider.h"
#include "ports/tool.h"

struct scripted_options {
	struct clock *clock;
	struct str script_text; /* JSON with comments; absent: the built-in script */
};

struct scripted;

/* A bad script is ERR_INVALID and a sentence that begins with the place: "rules[2].when.turn: ..." */
enum err scripted_open(const struct scripted_options *o, struct scripted **ret,
                       struct error *e) MUST_USE;

struct provider *scripted_provider(struct scripted *s);
struct toolset *scripted_tools(struct scripted *s);

/* The script that answers when none is given. */
struct str scripted_builtin(void);

#endif
