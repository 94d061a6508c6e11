#ifndef CORE_AGENT_DEFINITION_H
#define CORE_AGENT_DEFINITION_H
/*
 * Child agents that a Markdown file describes.
 *
 * context.resolved records the definitions that a thread can use, with the
 * prompt behind a ref.  A child that is created by name carries its definition
 * from then on.  A definition only narrows: of its tools the child gets those
 * that its parent has.
 *
 * A remote agent (agents.remote) is a definition with one tool, peer__NAME.  Its turns have no model:
 * each makes one call of that tool, with the input, under the permissions of that tool.
 */
#include "core/turn/turn.h"

/*
 * The tools of a file, by the runtime's names; the names of other agents are translated.  A pattern
 * such as Bash(git *) stands for less than a tool and gives none.
 */
void agent_definition_read_tools(struct arena *mem, struct str written, struct list_str *ret);

/* A copy of the definition that a thread knows; NULL after refusing. */
struct rec_agent_definition *agent_definition_find(struct decision *d, struct str thread_id,
                                                   struct str name);
/* The tool that delegates to a remote agent. */
struct str agent_definition_tool(struct arena *mem, struct str name);
/* False after a refusal: the command gives a remote agent what only a child here can have. */
bool agent_definition_allows(struct decision *d, const struct rec_agent_definition *a,
                             const struct rec_isolation *isolation,
                             const struct cmd_spawn_subagent *c);
/*
 * The model that a name in a file stands for: itself if it can be asked, or for opus, sonnet and
 * haiku the newest of that family which Anthropic offers.  Absent: there is none.
 */
struct str agent_definition_model(const struct settings *s, struct arena *mem, struct str name);
/* Narrows the tools, and sets the model of the command unless it has one or the model is unknown. */
void agent_definition_apply(struct decision *d, const struct rec_agent_definition *a,
                            struct rec_isolation *isolation, struct cmd_spawn_subagent *c);

#endif
