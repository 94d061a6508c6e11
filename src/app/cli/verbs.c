/*
 * Table of verbs and their options, read by help, completion and the parser.
 * Each row stays on one line so that the columns can be compared.
 */
/* clang-format off */
#include "app/cli/cli.h"
#include "base/gen/words.h"

#define AT(field) offsetof(struct opts, field)
#define DELIVERIES WORDS_ON_BUSY_TEXT
#define SCOPES "once turn session workspace"
#define MODES WORDS_PERMISSION_MODE_TEXT
#define FORMS "agent-ui agent-policy cloudevents agent-tool agent-context agent-artifact agent-evidence"
#define PROFILES "read-only workspace-write danger-full-access read_only workspace_write danger_full_access"

static const struct opt run_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Continue this session; @last is the latest.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "Use this thread of the session.", NULL },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "Use this model, as PROVIDER/MODEL.", NULL },
	{ OPT_TEXT, 0, "effort", AT(effort), 0, "HOW", "How much the model thinks.", WORDS_EFFORT_TEXT },
	{ OPT_LIST, 0, "label", AT(labels), 0, "KEY=VALUE", "A label of the new session; repeatable.", NULL },
	{ OPT_USD, 0, "budget-usd", AT(budget_nano), AT(has_budget), "USD", "Cap on the cost.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "The older name of --budget-usd.", NULL },
	{ OPT_LIST, 0, "image", AT(images), 0, "FILE", "Attach this image; repeatable.", NULL },
	{ OPT_TEXT, 0, "delivery", AT(delivery), 0, "HOW", "What to do when the thread is busy.", DELIVERIES },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "Work in this directory.", NULL },
	{ OPT_LIST, 0, "add-dir", AT(add_dirs), 0, "DIR", "Let the agent work in this directory too; repeatable.", NULL },
	{ OPT_MAYBE, 0, "worktree", AT(worktree_name), AT(worktree), "NAME", "Work in a git worktree of its own, new or of this name.", NULL },
	{ OPT_TEXT, 0, "node", AT(node), 0, "NAME", "Work on this node of several; the directory is one of that node.", NULL },
	{ OPT_TEXT, 0, "workspace", AT(workspace), 0, "NAME", "Work in this workspace, on a node that has it.", NULL },
	{ OPT_COMMAS, 0, "needs", AT(needs), 0, "A,B", "Work on a node with these labels.", NULL },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "Permission mode of the session.", MODES },
	{ OPT_TEXT, 0, "allow-hosts", AT(allow_hosts), 0, "A,B", "Hosts, or groups of registries, that commands can reach.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Stop the turn after this time; exit 124.", NULL },
	{ OPT_FLAG, 'd', "detach", AT(detach), 0, NULL, "Print the ids and do not wait.", NULL },
	{ OPT_FLAG, 0, "wait", AT(wait), 0, NULL, "Wait for an approval from another client instead of exit 4.", NULL },
	{ OPT_TEXT, 0, "script", AT(script), 0, "FILE", "Script of the scripted model.", NULL },
	{ OPT_FLAG, 0, "unattended", AT(unattended), 0, NULL, "With --here: refuse what needs approval.", NULL },
	{ OPT_TEXT, 0, "atif", AT(atif), 0, "FILE", "Write the trajectory there when the turn has ended, however it ended.", NULL },
	{ OPT_TEXT, 0, "trial", AT(trial), 0, "FILE", "Run it as a trial of a benchmark, which this JSON file describes.", NULL },
	{ 0 },
};

static const struct opt chat_opts[] = {
	{ OPT_FLAG, 0, "continue", AT(continues), 0, NULL, "Continue the last session of this directory; also -c.", NULL },
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Continue this session; @last is the latest.", NULL },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "Use this model.", NULL },
	{ OPT_TEXT, 0, "effort", AT(effort), 0, "HOW", "How much the model thinks.", WORDS_EFFORT_TEXT },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "Permission mode of the session.", MODES },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "Work in this directory.", NULL },
	{ OPT_LIST, 0, "add-dir", AT(add_dirs), 0, "DIR", "Let the agent work in this directory too; repeatable.", NULL },
	{ OPT_TEXT, 0, "script", AT(script), 0, "FILE", "Script of the scripted model.", NULL },
	{ 0 },
};

static const char chat_details[] =
	"`thole` alone, or with these options only, opens it in a terminal; `thole -c` continues what was done last in\n"
	"this directory. /help lists keys and commands. With --plain, TERM=dumb or without a terminal it reads one message\n"
	"per line.\n";

static const struct opt acp_opts[] = {
	{ OPT_FLAG, 0, "setup", AT(setup), 0, NULL, "Set up a provider in this terminal instead, as thole setup does.", NULL },
	{ 0 },
};

static const char acp_details[] =
	"An editor starts it; docs/how-to/editors.md has the settings of Zed, JetBrains and Neovim. Sessions are those of\n"
	"the daemon: they survive the editor, and other clients see them and answer their approvals.\n";

static const struct opt undo_opts[] = {
	{ OPT_FLAG, 0, "force", AT(force), 0, NULL, "Overwrite files that have changed since.", NULL },
	{ OPT_FLAG, 0, "skip", AT(skip), 0, NULL, "Leave such files as they are, and revert the rest.", NULL },
	{ 0 },
};

static const struct opt serve_opts[] = {
	{ OPT_LIST, 0, "listen", AT(listen), 0, "HOST:PORT", "Also listen on this address; repeatable.", NULL },
	{ OPT_FLAG, 0, "allow-remote", AT(allow_remote), 0, NULL,
	  "Allow addresses beyond loopback. Every holder of the token has full access.", NULL },
	{ OPT_TEXT, 0, "script", AT(script), 0, "FILE", "Script of the scripted model.", NULL },
	{ OPT_DURATION, 0, "idle-exit", AT(idle_exit_ms), 0, "TIME", "Stop after this time without work.", NULL },
	{ OPT_FLAG, 0, "unattended", AT(unattended), 0, NULL, "No user is present: refuse what needs approval.", NULL },
	{ OPT_TEXT, 0, "config", AT(config), 0, "FILE", "A settings file that overrides the others.", NULL },
	{ OPT_TEXT, 0, "allow-hosts", AT(allow_hosts), 0, "A,B", "Hosts, or groups of registries, that commands can reach.", NULL },
	{ OPT_TEXT, 0, "store", AT(store), 0, "URL", "Keep the log in this PostgreSQL database: postgresql:///NAME.", NULL },
	{ OPT_FLAG, 0, "stop", AT(stop), 0, NULL, "Stop the daemon of this data directory and wait until it has ended.", NULL },
	{ 0 },
};

static const struct opt send_opts[] = {
	{ OPT_TEXT, 0, "delivery", AT(delivery), 0, "HOW", "What to do when the thread is busy.", DELIVERIES },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "Use this model, as PROVIDER/MODEL.", NULL },
	{ OPT_TEXT, 0, "effort", AT(effort), 0, "HOW", "How much the model thinks.", WORDS_EFFORT_TEXT },
	{ OPT_USD, 0, "budget-usd", AT(budget_nano), AT(has_budget), "USD", "Cap on the cost.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "The older name of --budget-usd.", NULL },
	{ OPT_LIST, 0, "image", AT(images), 0, "FILE", "Attach this image; repeatable.", NULL },
	{ OPT_FLAG, 'f', "follow", AT(follow), 0, NULL, "Follow the turn like run.", NULL },
	{ 0 },
};

static const struct opt attach_opts[] = {
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Stop the turn after this time; exit 124.", NULL },
	{ OPT_FLAG, 0, "wait", AT(wait), 0, NULL, "Wait for an approval from another client instead of exit 4.", NULL },
	{ 0 },
};

static const char context_details[] =
	"Shows the newest request of a session, thread or turn as it was sent: system prompt, instructions, environment,\n"
	"conversation and tools. With -q the sizes only; with --json the messages as they are.\n";

static const char attach_details[] =
	"Shows what happened so far and follows the turn like run: it asks for approvals here, and the exit code\n"
	"is the turn's. Ctrl-C stops the turn; a second Ctrl-C leaves it running.\n";

static const struct opt ps_opts[] = {
	{ OPT_LIST, 0, "label", AT(labels), 0, "KEY=VALUE", "Only sessions with this label; KEY alone fits any value; repeatable.", NULL },
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "Include what has ended.", NULL },
	{ 0 },
};

static const struct opt log_opts[] = {
	{ OPT_FLAG, 'f', "follow", AT(follow), 0, NULL, "Follow new events.", NULL },
	{ OPT_COUNT, 0, "since", AT(since), AT(has_since), "SEQ", "Start after this event.", NULL },
	{ OPT_TEXT, 't', "type", AT(types), 0, "A,B", "Only these classes; 'tool.*' matches a family.", NULL },
	{ OPT_TEXT, 0, "match", AT(match), 0, "TEXT", "Only events that contain this text.", NULL },
	{ OPT_TEXT, 0, "as", AT(as), 0, "FORM", "As events of another standard, one JSON object per line.", FORMS },
	{ 0 },
};

static const struct opt policy_opts[] = {
	{ OPT_LIST, 0, "rules", AT(rules), 0, "[SOURCE=]FILE", "Evaluate these rules instead of those of the settings.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "Evaluate as if the command ran in this directory.", NULL },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "Evaluate under this permission mode.", MODES },
	{ OPT_FLAG, 0, "unattended", AT(unattended), 0, NULL, "No user is present.", NULL },
	{ OPT_FLAG, 0, "no-sandbox", AT(no_sandbox), 0, NULL, "No sandbox is available for it.", NULL },
	{ OPT_FLAG, 0, "no-cage", AT(no_sandbox), 0, NULL, "The older name of --no-sandbox.", NULL },
	{ OPT_FLAG, 0, "trust", AT(trust), 0, NULL, "Apply the allow rules of projects.", NULL },
	{ OPT_TEXT, 0, "revoke", AT(revoke), 0, "GRANT", "With saved: revoke this grant.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt stop_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ OPT_TEXT, 0, "queue", AT(queue_policy), 0, "HOW", "What happens to queued turns.",
	  WORDS_QUEUE_POLICY_TEXT },
	{ 0 },
};

static const struct opt approvals_opts[] = {
	{ OPT_FLAG, 'w', "watch", AT(watch), 0, NULL, "Show new approvals as they arrive, and decide here.", NULL },
	{ 0 },
};

static const char approvals_details[] =
	"With -w in a terminal, prompts for each as run does: y once, t this turn, s this session, e edit, n no.\n"
	"Without a terminal, prints a line for each (--json: the action). Ctrl-C or Ctrl-D leaves; they stay pending.\n";

static const struct opt approve_opts[] = {
	{ OPT_TEXT, 0, "scope", AT(scope), 0, "HOW", "How far the approval reaches; default: once.", SCOPES },
	{ OPT_TEXT, 0, "input", AT(input), 0, "JSON", "Allow the call with these arguments instead.", NULL },
	{ OPT_TEXT, 0, "answer", AT(response), 0, "TEXT", "The answer to a question.", NULL },
	{ OPT_TEXT, 0, "payload", AT(payload), 0, "JSON", "The answer as JSON.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt decide_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why, if it differs from the record's reason.", NULL },
	{ 0 },
};

static const struct opt deny_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why; the model sees this text.", NULL },
	{ 0 },
};

static const struct opt queue_opts[] = {
	{ OPT_TEXT, 0, "remove", AT(remove), 0, "TURN", "Remove this turn from the queue.", NULL },
	{ OPT_TEXT, 0, "promote", AT(promote), 0, "TURN", "Move this turn to the front.", NULL },
	{ OPT_PAIR, 0, "move", AT(move), 0, "TURN PLACE", "Move this turn to this position, from 1.", NULL },
	{ 0 },
};

static const struct opt retain_opts[] = {
	{ OPT_COUNT, 0, "through", AT(through), AT(has_through), "SEQ", "The last event to remove.", NULL },
	{ OPT_COUNT, 0, "keep", AT(keep), AT(has_keep), "N", "Or: how many of the newest events stay.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt compact_opts[] = {
	{ OPT_COUNT, 0, "keep", AT(since), AT(has_since), "TURNS", "Number of newest turns that stay as they are.", NULL },
	{ 0 },
};

static const struct opt rollback_opts[] = {
	{ OPT_FLAG, 0, "interrupt", AT(all), 0, NULL, "First end a running turn.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt fork_opts[] = {
	{ OPT_COUNT, 0, "at", AT(since), AT(has_since), "SEQ", "Fork from the turns that had ended by this event.", NULL },
	{ 0 },
};

static const char rollback_details[] =
	"The log keeps every event, and files do not change. With a session's id, goes back to its beginning.\n";
static const struct opt erase_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Legal ground or request behind the erasure; required.", NULL },
	{ 0 },
};

static const struct opt delete_opts[] = {
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why; stays in the event that records it.", NULL },
	{ 0 },
};

static const char delete_details[] =
	"Removes its events, outputs and evidence packs permanently. An event of sess_system keeps its id,\n"
	"its last hash and the reason, and verify reports it as removed. What it cost stays in the sums.\n";

static const char retain_details[] =
	"Removes the events permanently. The state at that point and its hash stay, and verify starts\n"
	"there. The model no longer sees the removed turns.\n";

static const char erase_details[] =
	"Removes the text and arguments of the event permanently. Its ids, its position and its hash stay,\n"
	"and verify reports the erasure. Outputs in files stay.\n";

static const struct opt sandbox_opts[] = {
	{ OPT_TEXT, 'p', "profile", AT(profile), 0, "P", "The access that the command gets.", PROFILES },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "The workspace; default: the current directory.", NULL },
	{ OPT_LIST, 0, "write", AT(write), 0, "DIR", "Also writable; repeatable.", NULL },
	{ OPT_LIST, 0, "read", AT(read), 0, "PATH", "Also readable; repeatable.", NULL },
	{ OPT_LIST, 0, "deny-read", AT(deny_read), 0, "PATH", "Appears empty; repeatable.", NULL },
	{ OPT_LIST, 0, "deny", AT(deny), 0, "PATTERN",
	  "Deny paths, with * ? and **; write:PATTERN makes them read-only; repeatable.", NULL },
	{ OPT_LIST, 0, "protect", AT(protect), 0, "PATH", "Cannot be changed; repeatable.", NULL },
	{ OPT_TEXT, 0, "memory", AT(memory), 0, "BYTES", "Memory limit of all its processes: 512M, 4G.", NULL },
	{ OPT_TEXT, 0, "processes", AT(processes), 0, "N", "Limit on processes at one time.", NULL },
	{ OPT_TEXT, 0, "file-size", AT(file_size), 0, "BYTES", "Largest file it can write; default: 4G, 0 for no limit.",
	  NULL },
	{ OPT_TEXT, 0, "private-size", AT(private_size), 0, "BYTES", "Size of its private directories; default: 2G.", NULL },
	{ OPT_TEXT, 0, "net", AT(net), 0, "HOW", "Network: none, private loopback, or the host's.",
	  WORDS_NETWORK_MODE_TEXT },
	{ OPT_LIST, 0, "allow-host", AT(allow_host), 0, "HOST",
	  "Allow this host through the proxy: NAME, *.NAME or ADDRESS, with :PORT; repeatable.", NULL },
	{ OPT_TEXT, 0, "allow-hosts", AT(allow_hosts), 0, "A,B", "The same for several, with names of groups of registries: npm,pypi.", NULL },
	{ OPT_LIST, 0, "env", AT(env), 0, "NAME=VALUE", "Set an environment variable; repeatable.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Stop the command after this time.", NULL },
	{ OPT_FLAG, 0, "tty", AT(has_tty), 0, NULL, "Give the command a terminal, connected to this one.", NULL },
	{ OPT_FLAG, 0, "fail-closed", AT(fail_closed), 0, NULL, "Fail unless the strongest sandbox is available.", NULL },
	{ 0 },
};

static const struct opt task_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Use this session; default: a new one.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "With new: work in this directory; default: the current one.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "Use this thread of the session.", NULL },
	{ OPT_TEXT, 0, "title", AT(title), 0, "TEXT", "A short name.", NULL },
	{ OPT_TEXT, 0, "kind", AT(task_kind), 0, "WORD", "Kind of work; workers claim tasks by it.", NULL },
	{ OPT_TEXT, 0, "priority", AT(priority), 0, "WORD", "Order among waiting tasks.", "low normal high urgent" },
	{ OPT_LIST, 0, "label", AT(labels), 0, "KEY=VALUE", "With new and update: a label; with ls: only tasks that have it; repeatable.", NULL },
	{ OPT_TEXT, 0, "parent", AT(parent), 0, "TASK", "The parent task.", NULL },
	{ OPT_LIST, 0, "accept", AT(accept), 0, "NAME:KIND[:REF]",
	  "What completion needs: an artifact, evidence or text; repeatable.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "Cap on the cost.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Limit on its running time.", NULL },
	{ OPT_COUNT, 0, "attempts", AT(attempts), AT(has_attempts), "N", "Retry automatically, up to this number of attempts.", NULL },
	{ OPT_FLAG, 0, "start", AT(start), 0, NULL, "With new: start the task immediately.", NULL },
	{ OPT_FLAG, 0, "external", AT(external), 0, NULL, "With start and retry: for an external worker instead of the agent.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ OPT_TEXT, 0, "status", AT(status), 0, "WORD", "With ls: only this status.", NULL },
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "With ls: include what has ended.", NULL },
	{ OPT_FLAG, 0, "remove", AT(remove_edge), 0, NULL, "With link: remove the edge.", NULL },
	{ OPT_COUNT, 0, "percent", AT(percent), AT(has_percent), "N", "With progress: percentage done.", NULL },
	{ OPT_TEXT, 0, "phase", AT(phase), 0, "WORD", "With progress: the current phase, a word of the enum phase.", NULL },
	{ OPT_TEXT, 0, "category", AT(category), 0, "WORD", "With fail: the kind of failure; default: tool_failed.", NULL },
	{ OPT_TEXT, 0, "run", AT(run), 0, "ID", "With progress, complete and fail: the run of an external worker.", NULL },
	{ OPT_LIST, 0, "evidence", AT(evidence), 0, "REF", "With complete: evidence; repeatable.", NULL },
	{ 0 },
};

static const struct opt agent_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Use this session; default: @last.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "With spawn: use this thread of the session.", NULL },
	{ OPT_TEXT, 0, "task", AT(parent), 0, "TASK", "With spawn: for this task.", NULL },
	{ OPT_TEXT, 0, "nickname", AT(nickname), 0, "NAME", "With spawn: a name for people.", NULL },
	{ OPT_TEXT, 0, "agent", AT(agent), 0, "NAME", "With spawn: an agent that is a Markdown file; thole agents lists them.", NULL },
	{ OPT_TEXT, 'm', "model", AT(model), 0, "MODEL", "With spawn: the model of the child.", NULL },
	{ OPT_USD, 0, "budget", AT(budget_nano), AT(has_budget), "USD", "With spawn: cap on the cost.", NULL },
	{ OPT_LIST, 0, "tool", AT(tools), 0, "NAME", "With spawn: a tool that the child can use; repeatable.", NULL },
	{ OPT_FLAG, 0, "read-only", AT(read_only), 0, NULL, "With spawn: the child can change nothing.", NULL },
	{ OPT_FLAG, 0, "discard-worktree", AT(discard_worktree), 0, NULL, "With close: delete its worktree with all changes.", NULL },
	{ OPT_FLAG, 0, "worktree", AT(worktree), 0, NULL, "With spawn: give the child its own git worktree.", NULL },
	{ OPT_TEXT, 0, "delivery", AT(delivery), 0, "HOW", "With send: what to do when the child is busy.", DELIVERIES },
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "With wait: wait until all are idle.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "With wait: longest time to wait.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "With close: why.", NULL },
	{ 0 },
};

static const struct opt tools_opts[] = {
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "Show the tools of this thread.", NULL },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "Show them under this permission mode.", NULL },
	{ 0 },
};

static const struct opt job_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Use this session; default: a new one.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "With new: work in this directory; default: the current one.", NULL },
	{ OPT_TEXT, 0, "items", AT(items), 0, "FILE", "With new: one item per line; default: stdin.", NULL },
	{ OPT_COUNT, 'j', "jobs", AT(concurrency), AT(has_concurrency), "N", "Number of items to run at one time.", NULL },
	{ OPT_COUNT, 0, "attempts", AT(attempts), AT(has_attempts), "N", "Attempts per item.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Limit on its running time.", NULL },
	{ OPT_TEXT, 0, "status", AT(status), 0, "WORD", "With items: only this status.",
	  WORDS_JOB_ITEM_STATUS_TEXT },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const struct opt schedule_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "Use this session; default: one session for all schedules.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "With new: work in this directory; default: the current one.", NULL },
	{ OPT_TEXT, 0, "cron", AT(cron), 0, "FORM", "With new: \"30 8 * * mon-fri\", @daily and similar forms.", NULL },
	{ OPT_DURATION, 0, "every", AT(every_ms), 0, "TIME", "With new: 10m, 6h.", NULL },
	{ OPT_TEXT, 0, "at", AT(at), 0, "WHEN", "With new: once, 2026-12-24T18:00:00Z.", NULL },
	{ OPT_TEXT, 0, "timezone", AT(timezone), 0, "ZONE", "Time zone of --cron: Europe/Berlin; default: UTC.", NULL },
	{ OPT_TEXT, 0, "missed", AT(missed), 0, "WORD", "What to do with missed runs.", WORDS_MISSED_POLICY_TEXT },
	{ OPT_TEXT, 0, "overlap", AT(overlap), 0, "WORD", "What to do while the previous task is still open.", WORDS_OVERLAP_POLICY_TEXT },
	{ 0 },
};

static const char schedule_details[] =
	"new OBJECTIVE...     create a schedule and print its id; --cron, --every or --at says when\n"
	"ls, show SCHEDULE    list schedules, or show one in full\n"
	"pause, resume, rm SCHEDULE\n";

static const struct opt process_opts[] = {
	{ OPT_FLAG, 'f', "follow", AT(follow), 0, NULL, "With log: follow the output until the process ends.", NULL },
	{ OPT_FLAG, 0, "eof", AT(eof), 0, NULL, "With write: close its input afterwards.", NULL },
	{ OPT_DURATION, 0, "grace", AT(timeout_ms), 0, "TIME", "With stop: time to wait before it is killed.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "With stop: why.", NULL },
	{ 0 },
};

static const char process_details[] =
	"ls [SESSION]            running processes; with a SESSION also ended ones\n"
	"show ID                 one process in full\n"
	"log ID                  its output; -f follows it\n"
	"write ID WORDS...       send a line to its input\n"
	"resize ID COLUMNS ROWS  set the size of its terminal\n"
	"stop ID                 stop it and all processes that it started\n";

static const char job_details[] =
	"new INSTRUCTION      create a job and print its id; the items come from --items or stdin\n"
	"ls, show JOB         list jobs, or show the progress of one\n"
	"items JOB            its items with attempts and outputs\n"
	"retry JOB ITEM       try one failed item again\n"
	"cancel JOB           cancel it; completed items stay\n";

static const char task_details[] =
	"new OBJECTIVE...     create a task and print its id\n"
	"ls, show TASK        list tasks, or show one in full\n"
	"start TASK           run it with the agent, or with --external by a worker that claims it\n"
	"pause, resume, retry, cancel, archive TASK\n"
	"update TASK          with --title, --priority, --budget, --timeout, --accept\n"
	"progress TASK WORDS  report progress, with --percent and --phase\n"
	"complete TASK WORDS  report completion; --accept NAME for criteria that hold, --evidence REF\n"
	"fail TASK WORDS      report failure, with the reason\n"
	"link A RELATION B    add an edge: parent, blocks, source_task, produced_artifact, evidence, ...\n"
	"unlink A RELATION B  remove that edge\n"
	"graph TASK           the edges of its tree\n";

static const char agent_details[] =
	"tree [ID]            child agents of a session, as a tree\n"
	"spawn ROLE WORDS...  create a child agent, give it work and print its id\n"
	"send AGENT WORDS...  send it a message\n"
	"wait AGENT...        wait until one is idle, or with --all until all are\n"
	"resume AGENT         continue after a restart\n"
	"close AGENT          end it and its children\n";

static const char apply_details[] =
	"The worktree of a session of `run --worktree`: of the last one, of this one, or by its name. All that changed\n"
	"in it is written to the files of the repository, committed or not; nothing is committed there. If a\n"
	"file has changed in the repository too, nothing is written.\n";

static const char discard_details[] =
	"Its files and its branch go. git keeps the last state for a while, under the commit that is printed.\n";

static const char run_details[] =
	"Streams the answer to stdout and everything else to stderr. When an approval is needed, run asks\n"
	"in a terminal. Without a terminal it prints the command that approves, and exits with 4.\n"
	"Ctrl-C stops the turn; a second Ctrl-C leaves it running.\n"
	"Text of a pipe or a file on stdin is sent with the message: git diff | thole run \"review this\"\n"
	"The word \"-\" stands for that text as a part of the message, and waits for it however long.\n";

static const char serve_details[] =
	"Listens on the Unix socket in the data directory, and on TCP with --listen. SIGTERM or Ctrl-C\n"
	"stops it in order; a second one stops it immediately. Exit 70: the log could not be written.\n"
	"One line on stderr gives the address and the data directory; `thole token` prints the token.\n";

static const char approve_details[] =
	"The first answer from any client counts. Questions need --answer (a number picks an option)\n"
	"or --payload.\n";

static const char decide_details[] =
	"Reads a decision, approval, grant or waiver of Agent Policy from FILE or stdin and allows or denies the\n"
	"action by it. A record that has expired or concerns another action leaves the action open.\n";

static const char show_details[] =
	"For an output (out_…) of a tool or of a job's item, prints its bytes.\n";

static const char diff_details[] =
	"Shows the changes of a turn or of a whole session; default: @last.\n";

static const char undo_details[] =
	"Reverts what tools and commands changed in files, in a turn or a whole session; default: @last.\n"
	"If a file has changed since, nothing is reverted: --skip leaves such files as they are, --force\n"
	"overwrites them. While a turn of the session runs, only --force reverts. Of commands, files of the workspace are covered, without ignored files, .git,\n"
	"node_modules and what background processes change.\n";

static const char label_details[] =
	"KEY=VALUE sets a label, KEY- removes it; without either, the labels are printed. `thole ps --label KEY=VALUE`\n"
	"and `thole task ls --label KEY=VALUE` find what has it.\n";

static const struct opt export_opts[] = {
	{ OPT_TEXT, 'o', "output", AT(file), 0, "PLACE", "Write it there: evidence and replay into a new directory or FILE.tar.zst, a trajectory or review into a file.", NULL },
	{ OPT_TEXT, 0, "thread", AT(thread), 0, "ID", "Evidence of this thread.", NULL },
	{ OPT_TEXT, 0, "turn", AT(turn), 0, "ID", "Evidence of this turn.", NULL },
	{ OPT_TEXT, 0, "task", AT(task), 0, "ID", "Evidence of this task.", NULL },
	{ OPT_TEXT, 0, "job", AT(job), 0, "ID", "Evidence of this job.", NULL },
	{ OPT_TEXT, 0, "redact", AT(redact), 0, "WHAT", "What is removed; default: rules, which removes secrets.",
	  WORDS_EVIDENCE_REDACTION_TEXT },
	{ OPT_COUNT, 0, "max-bytes", AT(max_bytes), AT(has_max_bytes), "N", "Bytes of stored outputs that are included.", NULL },
	{ OPT_FLAG, 0, "decisions", AT(decisions), 0, NULL, "With evidence of a session: add what each decision was given, for `thole replay PACK --decisions`.", NULL },
	{ OPT_TEXT, 0, "timestamp", AT(timestamp), 0, "URL", "Add a token of this time stamp authority (RFC 3161) to evidence.", NULL },
	{ OPT_FLAG, 0, "unsigned", AT(unsigned_pack), 0, NULL, "Write evidence without a signature.", NULL },
	{ 0 },
};

static const struct opt trial_opts[] = {
	{ OPT_TEXT, 'o', "output", AT(file), 0, "PLACE", "With export: a new directory; with compare: a file for the comparison; with run: the folders of the trials.", NULL },
	{ OPT_LIST, 0, "config", AT(configs), 0, "FILE", "With run: a configuration, as JSON; repeatable.", NULL },
	{ OPT_COUNT, 0, "repeat", AT(repeat), AT(has_repeat), "N", "With run: trials of each task with each configuration.", NULL },
	{ OPT_COUNT, 'j', "concurrency", AT(concurrency), AT(has_concurrency), "N", "With run: trials at one time.", NULL },
	{ OPT_COUNT, 0, "attempts", AT(attempts), AT(has_attempts), "N", "With run: attempts to get a score; default: 3.", NULL },
	{ OPT_TEXT, 0, "status", AT(status), 0, "WORD", "With ls: only this status; with reward: how the verifier ended.", NULL },
	{ OPT_TEXT, 0, "verifier", AT(verifier), 0, "REF", "With reward: which verifier, best with its hash.", NULL },
	{ OPT_TEXT, 0, "key", AT(reward_key), 0, "NAME", "With reward: which number of a reward.json with several.", NULL },
	{ OPT_TEXT, 0, "note", AT(note), 0, "TEXT", "With reward: what explains the score, if the verifier left no file.", NULL },
	{ OPT_FLAG, 0, "separate", AT(separate), 0, NULL, "With reward: the verifier ran apart from the trial.", NULL },
	{ OPT_FLAG, 0, "transferred", AT(transferred), 0, NULL, "With reward --separate: it was given the trajectory.", NULL },
	{ OPT_COUNT, 0, "p0", AT(p0), AT(has_p0), "N", "With export and compare: P0 gates with worse results, from the quality owner.", NULL },
	{ OPT_TEXT, 0, "report", AT(report), 0, "REF", "With export and compare: the quality owner's report.", NULL },
	{ OPT_TEXT, 0, "dataset", AT(dataset), 0, "ID", "With compare: only trials of this dataset; with run: its name.", NULL },
	{ OPT_LIST, 0, "from", AT(from_files), 0, "FILE", "With compare: trials of another runtime, the output of trial ls --json there; repeatable.", NULL },
	{ OPT_TEXT, 0, "changed", AT(changed), 0, "TEXT", "With compare: what differs, in your words.", NULL },
	{ OPT_TEXT, 0, "decision", AT(decision), 0, "WORD", "With compare: what was decided; needs --source.", NULL },
	{ OPT_TEXT, 0, "source", AT(source), 0, "WHO", "With compare: who decided.", NULL },
	{ OPT_TEXT, 0, "risk", AT(risk), 0, "TEXT", "With compare: what is still open.", NULL },
	{ OPT_TEXT, 0, "verdict", AT(verdict), 0, "FILE", "With compare: an Agent QC verdict that decides.", NULL },
	{ OPT_TEXT, 0, "qc", AT(qc), 0, "FILE", "With compare: write an Agent QC experiment there.", NULL },
	{ 0 },
};

static const char trial_details[] =
	"run DIR               run the tasks of a folder with each --config, in copies and in the sandbox; again: continue\n"
	"ls                    trials of all sessions, the newest first\n"
	"show TRIAL            one trial with its refs\n"
	"reward TRIAL PLACE    record what the verifier wrote: reward.json or reward.txt, or the folder that has it\n"
	"export TRIAL -o DIR   trial.json with trajectory, evidence, the verifier's files and a manifest\n"
	"compare BASE NEW      compare two configurations over the same tasks; the decision comes from you\n"
	"One trial begins with `thole run --trial FILE` or with the command start_benchmark_trial.\n";

static const struct opt replay_opts[] = {
	{ OPT_FLAG, 0, "verify", AT(verify), 0, NULL, "Check first that the pack, or the log of the session, is whole; this is the default.", NULL },
	{ OPT_FLAG, 0, "decisions", AT(decisions), 0, NULL, "Make the decisions of the session or pack again from its journal.", NULL },
	{ OPT_TEXT, 0, "with", AT(with), 0, "FILE", "Permission rules ({\"rules\": …}), or settings and prices: which decisions would be others?", NULL },
	{ 0 },
};

static const struct opt cost_opts[] = {
	{ OPT_TEXT, 0, "by", AT(by), 0, "WHAT", "What a row stands for; default: day.", WORDS_USAGE_GROUP_TEXT },
	{ OPT_TEXT, 0, "from", AT(from), 0, "TIME", "From this time on, in UTC: 2026-11-17 or 2026-11-17T04:00:00Z; default: a week.", NULL },
	{ OPT_TEXT, 0, "to", AT(to), 0, "TIME", "Up to this time; a day is included.", NULL },
	{ OPT_COUNT, 0, "limit", AT(limit), AT(has_limit), "N", "Maximum rows, up to 1,000; default: 200.", NULL },
	{ 0 },
};

static const char cost_details[] =
	"Sums over all sessions, from hourly rows that the log is folded into. FAILED counts failed and lost turns.\n"
	"FIRST P95 is the time to the first piece of a response, TURN P95 the duration of a turn: 95 of 100 took at most\n"
	"that long. A + after a cost says that some requests have no known price. Aims (slo.*) are shown below.\n";

static const struct opt verify_opts[] = {
	{ OPT_TEXT, 0, "key", AT(key), 0, "FILE", "Public keys that may have signed, from thole key export.", NULL },
	{ OPT_TEXT, 0, "checkpoint", AT(checkpoint), 0, "FILE", "Check that the data continue this checkpoint.", NULL },
	{ 0 },
};

static const struct opt token_opts[] = {
	{ OPT_COMMAS, 0, "scope", AT(scope), 0, "LIST", "With new: read, write, approve, admin; default: read,write.", NULL },
	{ OPT_TEXT, 0, "sessions", AT(sessions), 0, "WHICH", "With new: own or all; default: own.", "own all" },
	{ OPT_TEXT, 0, "tenant", AT(tenant), 0, "NAME", "With new: the tenant; all sessions are then those of the tenant.", NULL },
	{ OPT_LIST, 0, "dir", AT(dirs), 0, "DIR", "With new: its work may run there and below; repeatable.", NULL },
	{ OPT_TEXT, 0, "expires", AT(expires), 0, "WHEN", "With new: 12h, 30d, 8w, or a day; default: never.", NULL },
	{ 0 },
};

static const char node_details[] =
	"Daemons that share a PostgreSQL are one runtime: any of them takes any command (docs/how-to/several-nodes.md).\n"
	"ls shows for each where the others reach it, its version and state, the sessions that it owns now, and its last heartbeat.\n"
	"place says that the directory of a session is on another node now: the same files must be there, at the same path. Work that waits\n"
	"for a node which does not come back continues there. --workspace names a shared workspace instead.\n"
	"drain tells a node to begin nothing any more, to hand its work over to the others, and to end; what runs there has node.drain_s.\n";

static const struct opt node_opts[] = {
	{ OPT_TEXT, 0, "workspace", AT(workspace), 0, "NAME", "With place: a workspace that the node has.", NULL },
	{ OPT_COMMAS, 0, "needs", AT(needs), 0, "A,B", "With place: labels that the node has.", NULL },
	{ 0 },
};

static const char token_details[] =
	"Without a word: prints the token of the owner, which may do everything. rotate replaces it, at all nodes.\n"
	"A named token is a principal of its own. Sessions of others do not exist for it, unless it has --sessions all.\n"
	"It is printed once; Thole keeps its hash. revoke ends its event streams at once.\n";

static const struct opt key_opts[] = {
	{ OPT_TEXT, 'o', "output", AT(file), 0, "FILE", "Write the public key there.", NULL },
	{ OPT_TEXT, 0, "as", AT(as), 0, "FORM", "pem (the default), note: the form of signed notes, or jwks: for agents that check your card.", "pem note jwks" },
	{ OPT_FLAG, 0, "all", AT(all), 0, NULL, "Keys that have been replaced as well.", NULL },
	{ 0 },
};

static const char key_details[] =
	"The key signs evidence packs and checkpoints of the log. new makes it, in a file of the data directory that\n"
	"only you can read; rotate replaces it; show lists it and its predecessors; export prints the public key.\n";

static const struct opt audit_opts[] = {
	{ OPT_TEXT, 0, "from", AT(from), 0, "TIME", "Events from this time on, in UTC: 2026-11-17 or 2026-11-17T04:30.", NULL },
	{ OPT_TEXT, 0, "to", AT(to), 0, "TIME", "Events up to this time; a day is included.", NULL },
	{ OPT_TEXT, 0, "principal", AT(principal), 0, "NAME", "Only what this caller did or decided.", NULL },
	{ OPT_COMMAS, 0, "what", AT(what), 0, "LIST", "Some of decisions, grants, policy, erasures, exports, keys, reads.", NULL },
	{ OPT_TEXT, 'o', "output", AT(file), 0, "FORM", "table (the default), jsonl, csv or cloudevents.", "table jsonl csv cloudevents" },
	{ 0 },
};

static const char audit_details[] =
	"Reads the events of all sessions, in the order in which they became durable. jsonl prints them byte for byte as\n"
	"stored. It is a read; exports and erasures that it shows are events of their sessions.\n";

static const char verify_details[] =
	"Of an evidence pack (a directory or a .tar.zst) it checks every file, the chain and each event, without a\n"
	"daemon or a data directory. Exit 0: whole; 1: broken, and the findings say where; 2: not a pack.\n"
	"With --key a pack must be signed by that key. With --checkpoint it names each session that was cut, rewritten\n"
	"or removed since.\n";

static const char replay_details[] =
	"Folds the recorded events again and compares every read model with the recorded one, byte for byte. A pack\n"
	"is checked first and needs no daemon; a session is folded by its daemon, which records nothing. Exit 0: the same; 1: different; 2: not a pack.\n"
	"--decisions makes the decisions of a session or pack again, without the model, and compares the events byte for byte;\n"
	"--with rules.json lists those that other permission rules would have changed. Exit 1 then, and if a record is\n"
	"damaged; events that were erased, removed or not recorded are counted and are no difference.\n";

static const char export_details[] =
	"session: all events as JSON lines, byte for byte as stored.\n"
	"html:    a thread as one page that needs no script and no network: thole export html ID > thread.html\n"
	"evidence: a pack that anyone can check: thole export evidence ID -o DIR, then thole verify DIR.\n"
	"replay:  a replay case; it is replay.json in the same pack: thole export replay ID -o DIR, then thole replay DIR.\n"
	"review:  what was asked, done, changed, decided, what failed, and open questions, as Markdown; with -o FILE.md also\n"
	"         as JSON beside it. Answers come back by record_evidence.\n"
	"script:  replies of models and tools as a script of the scripted model: record once with\n"
	"         a key, replay without one. docs/reference/scripted-model.md describes the file.\n"
	"atif:    the trajectory of a session, thread or turn for benchmark tools (ATIF-v1.7). Without a daemon the\n"
	"         log is only read: also that of a program that was killed. docs/formats/atif.md describes the file.\n";
static const struct opt conform_opts[] = {
	{ OPT_TEXT, 0, "profile", AT(profile), 0, "NAME", "Only profile core and this one; default: all.", NULL },
	{ OPT_TEXT, 0, "as", AT(as), 0, "FORMAT", "Format of the report; default: table.", "table json junit html" },
	{ OPT_LIST, 0, "canary", AT(canaries), 0, "TEXT", "A secret of the runtime: no event may contain it; repeatable.", NULL },
	{ OPT_TEXT, 0, "pack", AT(pack), 0, "FILE", "Check the rows of this pack.", NULL },
	{ OPT_TEXT, 0, "adapter", AT(adapter), 0, "FILE", "With live: how that runtime spells commands and events.", NULL },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "With self and live: the longest wait for one step; default: one minute.", NULL },
	{ 0 },
};

static const char conform_details[] =
	"log FILE|DIR...      check event logs of any runtime against the conformance pack\n"
	"self                 start this runtime in a temporary directory, play the scenarios of the pack, check its logs\n"
	"live URL             play scenarios against a runtime over HTTP, and check the events that it serves\n"
	"atif FILE            check a trajectory against ATIF-v1.7\n"
	"pack                 print the pack of this program\n"
	"A row passes, fails at its first event, is not shown by these logs, or does not apply. Exit 0: nothing fails;\n"
	"1: something does, and each finding names its place and the rule; 2: nothing could be checked.\n";

static const struct opt server_opts[] = {
	{ OPT_TEXT, 's', "session", AT(session), 0, "ID", "As this session sees them; on and off: for this session, default @last; add, remove: -s is --scope.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ OPT_TEXT, 0, "url", AT(url), 0, "URL", "add: the server's address, instead of a command.", NULL },
	{ OPT_TEXT, 't', "transport", AT(transport), 0, "HOW", "add: with http the word behind the name is the address.", "stdio http sse" },
	{ OPT_LIST, 0, "header", AT(headers), 0, "NAME: VALUE", "add: a header of every request to the address; repeatable.", NULL },
	{ OPT_LIST, 'e', "env", AT(env), 0, "NAME=VALUE", "add: a variable for the command; repeatable.", NULL },
	{ OPT_COMMAS, 0, "hosts", AT(hosts), 0, "HOST,...", "add: what the command can reach; else as sandbox.network says.", NULL },
	{ OPT_LIST, 0, "read", AT(read), 0, "DIR", "add: a directory that the command can read, such as its own; repeatable.", NULL },
	{ OPT_FLAG, 0, "project", AT(project_file), 0, NULL, "add, remove: in .mcp.json of this directory.", NULL },
	{ OPT_TEXT, 0, "scope", AT(scope), 0, "WHERE", "add, remove: user, the default, or project, as --project.", "user project" },
	{ OPT_FLAG, 0, "yes", AT(yes), 0, NULL, "trust: without a question.", NULL },
	{ OPT_TEXT, 0, "hash", AT(hash), 0, "HASH", "trust: only if this is the contentHash of the file, as show prints it.", NULL },
	{ 0 },
};

static const struct opt peer_opts[] = {
	{ OPT_TEXT, 0, "token-env", AT(token_env), 0, "NAME", "add: the environment variable with the token that the agent wants.", NULL },
	{ OPT_TEXT, 0, "title", AT(title), 0, "TEXT", "add: what the agent is for; models read it.", NULL },
	{ OPT_TEXT, 0, "keys", AT(key), 0, "FILE", "add: public keys that sign the agent's card, as a JWK set.", NULL },
	{ 0 },
};

static const char peer_details[] =
	"ls             the agents in the setting agents.remote\n"
	"show NAME      one of them, with its card as it is now; exit 1: it cannot be used\n"
	"add NAME URL   writes one to your settings; URL is the agent's address, or that of its card\n"
	"send NAME TEXT delegates work, waits, and prints the result; exit 4: the agent asks something\n";

static const struct opt trigger_opts[] = { { 0 } };

static const char trigger_details[] = "ls   the webhooks in the setting triggers (docs/how-to/webhooks.md); secrets are not shown\n";

static const char mcp_details[] =
	"ls                          the tool servers, with their state\n"
	"show NAME                   one of them\n"
	"add NAME -- COMMAND ARGS    writes a server to your settings and tries it; options go before --\n"
	"add NAME --url URL          the same for a server with an address\n"
	"add-json NAME JSON          the same for an entry as other programs write it\n"
	"remove NAME                 removes it from the file again\n"
	"off NAME, on NAME           from the next turn on the session is not offered its tools, or is again\n"
	"trust NAME                  servers of the working directory's .mcp.json start from now on, until that file\n"
	"                            changes; for a running server, accepts changed definitions of its tools.  Shows\n"
	"                            what runs, and at a terminal asks first\n"
	"login NAME, logout NAME     shows the page where you sign in to a server with an address, and waits until you\n"
	"                            have; logout forgets that\n"
	"client-metadata             the document for the address in mcp.client_id_url\n"
	"serve                       is an MCP server on stdin and stdout, for clients that start one\n";

static const struct opt hooks_opts[] = {
	{ OPT_FLAG, 0, "yes", AT(yes), 0, NULL, "Trust them without a question.", NULL },
	{ OPT_TEXT, 0, "hash", AT(hash), 0, "HASH", "Trust them only if this is their contentHash, as ls --json prints it.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "The project; default: the current directory.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const char hooks_details[] =
	"trust:      hooks of the working directory's .thole/hooks.json run from now on, until that\n"
	"            file changes. ls prints what they run.\n"
	"trust HOOK: allows the changed program of that hook to run again.\n";

static const struct opt extension_opts[] = {
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "As a session in this directory sees them.", NULL },
	{ 0 },
};

static const struct opt files_opts[] = {
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "Below this directory; default: the current one.", NULL },
	{ 0 },
};

static const char skills_details[] =
	"Folders with a SKILL.md: ~/.config/thole/skills, ~/.agents/skills, ~/.claude/skills and ~/.codex/skills of the user;\n"
	".thole/skills, .agents/skills, .claude/skills, .codex/skills and .opencode/skills of the project.\n";

static const char commands_details[] =
	"Files NAME.md: ~/.config/thole/commands, ~/.claude/commands and ~/.codex/prompts of the user; .thole/commands,\n"
	".claude/commands, .opencode/command and .opencode/commands of the project. `thole run /NAME words` and\n"
	"`/NAME words` in a chat send their text.\n";

static const char agents_details[] =
	"Files NAME.md: ~/.config/thole/agents and ~/.claude/agents of the user; .thole/agents, .claude/agents,\n"
	".opencode/agent and .opencode/agents of the project. The model starts them as child agents; `thole agent`\n"
	"manages those that run.\n";

static const struct opt trust_opts[] = {
	{ OPT_FLAG, 0, "yes", AT(yes), 0, NULL, "Trust them without a question.", NULL },
	{ OPT_FLAG, 0, "list", AT(list), 0, NULL, "Show them and change nothing.", NULL },
	{ OPT_TEXT, 0, "hash", AT(hash), 0, "HASH", "Trust them only if this is their contentHash, as --list --json prints it.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "The project; default: the current directory.", NULL },
	{ OPT_TEXT, 0, "reason", AT(reason), 0, "TEXT", "Why.", NULL },
	{ 0 },
};

static const char trust_details[] =
	"Shows the project's skills, commands and agents and, when you agree, lets sessions use them as they are now.\n"
	"A changed or new file needs trust again. Hooks and tool servers run programs and have their own:\n"
	"`thole hooks trust`, `thole mcp trust`.\n";

static const char policy_details[] =
	"show            the rules of the settings, with the layer that each comes from\n"
	"test COMMAND    evaluate a command line without running it; exit 0\n"
	"explain COMMAND evaluate each command of the line\n"
	"saved [ID]      grants of a session; --revoke GRANT revokes one\n"
	"mode [MODE] [ID] show or set the permission mode, which decides where no rule matches\n";


static const struct opt backup_opts[] = {
	{ OPT_FLAG, 0, "with-keys", AT(with_keys), 0, NULL, "Include the keys of providers, the token and the signing key.", NULL },
	{ OPT_TEXT, 0, "store", AT(store), 0, "URL", "The PostgreSQL database, instead of that of the settings.", NULL },
	{ OPT_FLAG, 0, "no-dump", AT(no_dump), 0, NULL, "Of a log in PostgreSQL: without pg_dump, for base backups.", NULL },
	{ OPT_FLAG, 0, "check", AT(check), 0, NULL, "Compare the database with this backup of it, and verify every hash chain.", NULL },
	{ 0 },
};

static const char backup_details[] =
	"Copies the data directory into a new directory, or into one file if its name ends in .tar, .tar.gz, .tgz or\n"
	".tar.zst. The daemon may run. The copy is the log of one moment with its outputs; it is verified before it\n"
	"gets its name. Keys are not part of it.\n"
	"Of a log in PostgreSQL it says which moment a copy must contain and what belongs to it, and has what pg_dump\n"
	"makes of that moment. With --check it compares a restored copy, the database of --store, with such a backup.\n";

static const char restore_details[] =
	"Makes the data directory (--data DIR) from a backup and verifies it. The directory must be new or empty, and\n"
	"no daemon may use it. Of a log in PostgreSQL it says what to type.\n";

static const struct opt move_opts[] = {
	{ OPT_TEXT, 0, "from", AT(from), 0, "DIR|URL", "The data directory or the database that has the log.", NULL },
	{ OPT_TEXT, 0, "to", AT(to), 0, "DIR|URL", "A new directory, or a database.", NULL },
	{ OPT_TEXT, 0, "from-schema", AT(from_schema), 0, "NAME", "Schema of the database it is in; else store.schema.", NULL },
	{ OPT_TEXT, 0, "to-schema", AT(to_schema), 0, "NAME", "Schema of the database it goes to; else store.schema.", NULL },
	{ OPT_FLAG, 0, "force", AT(force), 0, NULL, "Also from a log that has been moved already.", NULL },
	{ 0 },
};

static const char move_details[] =
	"Moves a whole log between a data directory (SQLite) and a PostgreSQL database, or between two of one kind: events,\n"
	"hashes, sequences, index rows, tokens and large outputs, byte for byte. Nothing may use either of them. When it\n"
	"ends early, run it again: it continues. At the end it reads both logs and compares them.\n";

static const struct opt import_opts[] = {
	{ OPT_FLAG, 0, "yes", AT(yes), 0, NULL, "Import sessions, and settings that give no more rights, without a question.", NULL },
	{ OPT_TEXT, 0, "only", AT(only), 0, "WHAT", "Only sessions or only settings.", "sessions settings" },
	{ OPT_FLAG, 0, "allow-rules", AT(allow_rules), 0, NULL, "Take over rules that allow without asking.", NULL },
	{ OPT_FLAG, 0, "with-servers", AT(with_servers), 0, NULL, "Take over tool servers (MCP).", NULL },
	{ OPT_FLAG, 0, "with-hooks", AT(with_hooks), 0, NULL, "Take over hooks.", NULL },
	{ OPT_FLAG, 0, "full-access", AT(full_access), 0, NULL, "Take over a mode that asks less, or a wider sandbox.", NULL },
	{ 0 },
};

static const char import_details[] =
	"PATH is a session file, a project or the folder of the program; default: ~/.claude, or $CODEX_HOME or ~/.codex.\n"
	"Without --yes it shows what it would do and asks in a terminal. Sessions become threads that can be continued;\n"
	"nothing of them is executed. Settings are added to your settings file, and the old file is kept beside it.\n"
	"What gives the agent more rights needs its own approval or its own option. Keys are never copied.\n";

static const struct opt models_opts[] = {
	{ OPT_FLAG, 0, "refresh", AT(refresh), 0, NULL, "Ask every provider for its list again.", NULL },
	{ OPT_FLAG, 'a', "all", AT(all), 0, NULL, "Show also models of a provider beyond the first ten.", NULL },
	{ 0 },
};

static const char models_details[] =
	"Asks providers whose list is not known yet, and looks for model servers on this machine. A star marks the\n"
	"model that turns use by default. Prices come from the settings, from the provider or from the catalogue.\n";

static const char auth_details[] =
	"Reads the key from the terminal without showing it, or from stdin. Stores it in the data directory,\n"
	"in a file that only you can read. A variable like OPENAI_API_KEY takes precedence.\n";

static const char setup_details[] =
	"Asks for provider, key, model and permission mode, tests the key with one request, and writes them to the\n"
	"settings file of the user and to the data directory. Answers can come from a pipe, one per line; an empty\n"
	"line takes what is offered.\n";

static const char path_details[] = "curl -N --unix-socket \"$(thole path socket)\" http://thole/v1/run "
				   "--json '{\"input\":\"hi\"}'\n";

static const char sandbox_details[] =
	"Runs one command in the same sandbox as tools, and exits with its exit code. 125: the sandbox could\n"
	"not be built; 126 and 127: the command could not be executed. --json writes a report (boundary,\n"
	"process, denied operations) as one line to descriptor 3 if that is open, else to stderr:\n"
	"thole sandbox run --json -- make test 3>report.json\n"
	"`thole sandbox probe` prints as JSON which kernel mechanisms this machine supports.\n";
static const char open_details[] =
	"Prints an address with a code that works once, within a minute, and opens it in a browser if there\n"
	"is a display. With an ID the page shows that thread. A daemon without a TCP port opens one on loopback.\n";

static const struct opt doctor_opts[] = {
	{ OPT_FLAG, 0, "online", AT(online), 0, NULL, "Start a daemon when none runs, and try to reach the providers.", NULL },
	{ OPT_LIST, 0, "listen", AT(listen), 0, "HOST:PORT", "Check that this address is free; repeatable.", NULL },
	{ OPT_TEXT, 0, "store", AT(store), 0, "URL", "Check this PostgreSQL database, instead of that of the settings.", NULL },
	{ 0 },
};

static const char doctor_details[] =
	"Without --online starts nothing and sends nothing; checks providers, tool servers and the log only if a\n"
	"daemon runs. A PostgreSQL that keeps the log is always checked. docs/reference/doctor.md lists the\n"
	"checks; their ids are stable.\n";

static const struct opt pair_opts[] = {
	{ OPT_TEXT, 0, "url", AT(url), 0, "URL", "Address at which the device reaches this runtime: your tunnel or proxy, https.", NULL },
	{ OPT_TEXT, 0, "name", AT(name), 0, "NAME", "Name of the device; default: phone.", NULL },
	{ OPT_FLAG, 0, "lan", AT(lan), 0, NULL,
	  "The URL is plain http:// on the local network; the device can then only read and approve.", NULL },
	{ 0 },
};

static const char pair_details[] =
	"--url URL            show a QR code for the device; it works once, within five minutes\n"
	"ls                   list paired devices\n"
	"revoke DEVICE        by id or name; its streams end immediately\n"
	"There is no relay: the URL is your own tunnel or proxy to the daemon's port, and must pass the Host\n"
	"header. With --lan everyone on that network can read the traffic and approve in the device's name.\n";

static const struct opt demo_opts[] = {
	{ OPT_FLAG, 'k', "keep", AT(all), 0, NULL, "Keep the directory for inspection.", NULL },
	{ 0 },
};

static const char demo_details[] =
	"An agent is instructed to steal a key, its daemon is killed twice, and the log holds all of it. Every\n"
	"claim is checked in the same run. Exit 1: a claim does not hold on this machine.\n";

static const char completion_details[] =
	"bash: eval \"$(thole completion bash)\"\n"
	"zsh:  eval \"$(thole completion zsh)\" after compinit, or the text as _thole in $fpath\n"
	"fish: thole completion fish | source\n";

static const struct opt call_opts[] = {
	{ OPT_LIST, 0, "arg", AT(tool_args), 0, "KEY=VALUE", "An argument of the tool; a value that is JSON is that value; repeatable.", NULL },
	{ OPT_TEXT, 'C', "dir", AT(dir), 0, "DIR", "Work in this directory.", NULL },
	{ OPT_TEXT, 0, "mode", AT(mode), 0, "MODE", "Permission mode of the session.", MODES },
	{ OPT_DURATION, 0, "timeout", AT(timeout_ms), 0, "TIME", "Stop the call after this time; exit 124.", NULL },
	{ OPT_FLAG, 0, "wait", AT(wait), 0, NULL, "Wait for an approval from another client instead of exit 4.", NULL },
	{ 0 },
};

static const char call_details[] =
	"The turn has no model. Rules, approvals, hooks and the sandbox are those of a call by an agent.\n"
	"  thole call read_file --arg path=README.md\n"
	"  thole call docs.search '{\"query\": \"harbour\"}'\n";

/* name, words, summary, details, options, least and most words, function, one of ten, completion */
const struct verb verbs[] = {
	{ "run", "PROMPT...", "Submit a turn and follow it to its end.", run_details, run_opts, 0, -1,
	  verb_run, true, NULL },
	{ "call", "TOOL|SERVER.TOOL [JSON]", "Call one tool, without a model, and print what it returns.", call_details, call_opts,
	  1, 2, verb_call, false, NULL },
	{ "chat", "", "Work with the agent in this terminal.", chat_details, chat_opts, 0, 0, verb_chat, false, NULL },
	{ "serve", "", "Run the daemon.", serve_details, serve_opts, 0, 0, verb_serve, true, NULL },
	{ "ps", "", "List what runs or waits, and for what.", NULL, ps_opts, 0, 0, verb_ps, true, NULL },
	{ "log", "[ID]", "Print the events of a session, one line each.", NULL, log_opts, 0, 1, verb_log, true,
	  "@id" },
	{ "show", "[ID]", "Show a session, thread, turn, task or action in a few lines.", show_details, NULL, 0, 1,
	  verb_show, true, "@id" },
	{ "why", "[ID]", "Explain what it waits for, since when, and what ends the wait.", NULL, NULL, 0, 1, verb_why,
	  true, "@id" },
	{ "approvals", "", "List pending approvals.", approvals_details, approvals_opts, 0, 0, verb_approvals, true, NULL },
	{ "approve", "ACTION", "Approve an action, or answer a question.", approve_details, approve_opts, 1, 1,
	  verb_approve, true, "@action" },
	{ "deny", "ACTION", "Deny an action.", NULL, deny_opts, 1, 1, verb_deny, true, "@action" },
	{ "decide", "ACTION [FILE]", "Answer an action with a record of a policy engine.", decide_details, decide_opts, 1, 2,
	  verb_decide, false, "@action" },
	{ "doctor", "", "Check the installation and say how to fix problems.", doctor_details, doctor_opts, 0, 0, verb_doctor,
	  true, NULL },
	{ "send", "ID PROMPT...", "Submit a turn to a session and do not wait.", NULL, send_opts, 1, -1,
	  verb_send, false, "@id" },
	{ "attach", "[ID]", "Follow a running turn, and approve here.", attach_details, attach_opts, 0, 1,
	  verb_attach, false, "@id" },
	{ "agent", "WHAT [ARGS...]", "Manage the child agents of a session.", agent_details, agent_opts, 1, -1, verb_agent, false,
	  "tree spawn send wait resume close" },
	{ "tools", "[ID]", "List the tools of a session with their policy.", NULL, tools_opts, 0, 1,
	  verb_tools, false, "@id" },
	{ "env", "[ID]", "Show a session's directory, shell, sandbox, network and limits.", NULL, NULL, 0, 1, verb_env, false,
	  "@id" },
	{ "job", "WHAT [ARGS...]", "Run the same instruction for many items.", job_details, job_opts, 1, 3, verb_job,
	  false, "new ls show items retry cancel" },
	{ "schedule", "WHAT [ARGS...]", "Start tasks by the clock.", schedule_details, schedule_opts, 1, -1,
	  verb_schedule, false, "new ls show pause resume rm" },
	{ "task", "WHAT [ARGS...]", "Manage tasks: work that outlives a turn.", task_details, task_opts, 1, -1, verb_task,
	  false, "new ls show start pause resume retry cancel archive update progress complete fail link unlink graph" },
	{ "stop", "ID", "Stop a running turn.", NULL, stop_opts, 1, 1, verb_stop, false, "@id" },
	{ "resume", "[ID]", "Continue after a restart or a held queue; alone: pick a session.", NULL,
	  NULL, 0, 1,
	  verb_resume, false, "@id" },
	{ "queue", "ID", "List queued turns and change their order.", NULL, queue_opts, 1, 1, verb_queue, false,
	  "@id" },
	{ "compact", "ID [WORDS...]", "Replace older turns by a summary; WORDS say what to keep.", NULL,
	  compact_opts, 1, -1, verb_compact, false, "@id" },
	{ "rollback", "TURN", "Go back to this turn; later turns leave the conversation.", rollback_details,
	  rollback_opts, 1, 1, verb_rollback, false, "@id" },
	{ "fork", "ID", "Continue from here, or from a turn, on a new thread.", NULL, fork_opts, 1, 1,
	  verb_fork, false, "@id" },
	{ "models", "[PROVIDER]", "List models with price, state and where keys come from.", models_details,
	  models_opts, 0, 1, verb_models, false, NULL },
	{ "context", "show [ID]", "Show what the model was sent, part by part, with sizes.", context_details, NULL, 1, 2,
	  verb_context, false, "show", "show" },
	{ "route", "explain [TURN]", "Explain why a turn used its model.", NULL, NULL, 1, 2,
	  verb_route, false, "explain", "explain" },
	{ "hooks", "ls|trust [HOOK]", "List hooks, and trust those of the project.", hooks_details, hooks_opts, 1, 2,
	  verb_hooks, false, "ls trust", "ls" },
	{ "files", "", "List files as @ offers them in the chat, without those that ignore files name.", NULL, files_opts, 0, 0,
	  verb_files, false, NULL },
	{ "skills", "", "List skills, and what is wrong with those that cannot be used.", skills_details, extension_opts, 0, 0,
	  verb_skills, false, NULL },
	{ "commands", "", "List slash commands that are Markdown files.", commands_details, extension_opts, 0, 0,
	  verb_commands, false, NULL },
	{ "agents", "", "List agents that are Markdown files.", agents_details, extension_opts, 0, 0, verb_agents, false, NULL },
	{ "trust", "", "Trust the skills, commands and agents of the project.", trust_details, trust_opts, 0, 0,
	  verb_trust, false, NULL },
	{ "mcp", "WHAT [NAME] [-- COMMAND...]",
	  "List, add and remove tool servers, switch one off for a session, trust one, sign in to one; serve MCP clients.", mcp_details,
	  server_opts, 1, -1, verb_mcp, false, "ls show add add-json remove on off trust login logout client-metadata serve", "ls" },
	{ "peer", "ls|show|add|send [NAME] [URL|TEXT...]", "List and add remote agents (A2A), and send work to one.", peer_details,
	  peer_opts, 1, -1, verb_peer, false, "ls show add send", "ls" },
	{ "trigger", "ls", "List the webhooks that start work.", trigger_details, trigger_opts, 0, 1, verb_trigger, false, "ls", "ls" },
	{ "policy", "WHAT [ARGS...]", "Show and test permission rules.", policy_details, policy_opts,
	  1, -1, verb_policy, false, "show test explain saved mode" },
	{ "process", "WHAT [ARGS...]", "Manage background processes.", process_details, process_opts, 1, -1,
	  verb_process, false, "ls show log write resize stop" },
	{ "channel", "[list]", "List enrolled channels.", NULL, NULL, 0, 1, verb_channel, false, "list" },
	{ "export", "session|script|html|atif|evidence|replay|review ID",
	  "Export a session as JSON lines, a script, a page, a trajectory, an evidence pack, a replay case or a review.",
	  export_details, export_opts, 2, 2, verb_export, false, "session script html atif evidence replay review" },
	{ "conform", "log|self|live|atif|pack [FILE...]", "Check logs and trajectories of any program against their standards.", conform_details, conform_opts,
	  1, -1, verb_conform, false, "log self live atif pack" },
	{ "trial", "WHAT [ARGS...]", "Run, score, export and compare trials of benchmarks.", trial_details, trial_opts, 1, 3, verb_trial, false,
	  "run ls show reward export compare" },
	{ "diff", "[TURN]", "Show the changes that tools made to files.", diff_details, NULL, 0, 1, verb_diff, false, "@id" },
	{ "apply", "[ID|NAME]", "Apply the changes of a session's worktree to the repository.", apply_details, NULL, 0, 1, verb_apply, false, "@id" },
	{ "discard", "[ID|NAME]", "Remove a session's worktree with its branch.", discard_details, NULL, 0, 1, verb_discard, false, "@id" },
	{ "label", "ID [KEY=VALUE...] [KEY-...]", "Show or change the labels of a session or task.", label_details, NULL, 1, -1,
	  verb_label, false, "@id" },
	{ "import", "claude|codex [PATH]", "Import sessions and settings of Claude Code or codex.", import_details, import_opts, 1, 2,
	  verb_import, false, "claude codex" },
	{ "undo", "[TURN]", "Undo those changes.", undo_details, undo_opts, 0, 1, verb_undo, false, "@id" },
	{ "cost", "", "Show what all sessions cost and how long turns took.", cost_details, cost_opts, 0, 0, verb_cost, false, NULL },
	{ "audit", "", "Show who decided, granted, changed, erased and exported what, over all sessions.", audit_details, audit_opts, 0, 0,
	  verb_audit, false, NULL },
	{ "verify", "[ID|PACK]", "Verify the hash chain of the log, or an evidence pack.", verify_details, verify_opts, 0, 1, verb_verify,
	  false, "@id" },
	{ "key", "new|show|rotate|export", "Make, show, replace or export the key that signs packs and checkpoints.", key_details, key_opts,
	  0, 1, verb_key, false, "new show rotate export", "show" },
	{ "replay", "PACK|ID", "Fold the recorded events again and compare every read model.", replay_details, replay_opts, 1, 1,
	  verb_replay, false, "@id" },
	{ "backup", "FILE|DIR", "Copy the log, also while daemons run; or check a copy.", backup_details, backup_opts, 1, 1, verb_backup,
	  false, NULL },
	{ "restore", "FILE|DIR", "Make the data directory from a backup.", restore_details, NULL, 1, 1, verb_restore, false, NULL },
	{ "move", "--from DIR|URL --to DIR|URL", "Move the whole log to another directory or database.", move_details, move_opts, 0, 0,
	  verb_move, false, NULL },
	{ "retain", "ID", "Remove the beginning of a session's log.", retain_details, retain_opts, 1, 1,
	  verb_retain, false, "@id" },
	{ "erase", "ID SEQ", "Erase the text of one event.", erase_details, erase_opts, 2, 2, verb_erase,
	  false, "@id" },
	{ "delete", "ID", "Delete a whole session.", delete_details, delete_opts, 1, 1, verb_delete, false, "@id" },
	{ "rebuild", "[ID]", "Rebuild snapshots and indexes from the log.", NULL, NULL, 0, 1, verb_rebuild, false,
	  "@id" },
	{ "sandbox", "run|probe [-- COMMAND...]", "Run one command in the sandbox of tools.", sandbox_details,
	  sandbox_opts, 1, -1, verb_sandbox, false, "run probe" },
	{ "auth", "add NAME|ls|rm NAME", "Manage keys of model providers.", auth_details, NULL, 0, 2, verb_auth,
	  false, "add ls rm" },
	{ "setup", "", "Set up a provider: key, model and mode.", setup_details, NULL, 0, 0, verb_setup, false, NULL },
	{ "acp", "", "An agent for editors on stdin and stdout (Agent Client Protocol).", acp_details, acp_opts, 0, 0, verb_acp, false, NULL },
	{ "rpc", "", "JSON-RPC 2.0 on stdin and stdout.", NULL, NULL, 0, 0, verb_rpc, false, NULL },
	{ "open", "[ID]", "Open the console in a browser.", open_details, NULL, 0, 1, verb_open, false, "@id" },
	{ "pair", "--url URL|ls|revoke DEVICE", "Pair a second device: approve from your phone.", pair_details,
	  pair_opts, 0, 2, verb_pair, false, "ls revoke" },
	{ "config", "", "Show paths and settings.", NULL, NULL, 0, 0, verb_config, false, NULL },
	{ "path", "[WHAT]", "Print the path of data, socket, token or log.", path_details, NULL, 0, 1, verb_path, false,
	  "data socket token log" },
	{ "node", "ls|drain NAME|place ID [NAME]", "List the nodes that share the store; end one of them in order; move a session's place.", node_details,
	  node_opts, 1, 3, verb_node, false, "ls drain place" },
	{ "token", "[new|revoke NAME|ls|rotate]", "Print or replace the owner's token; make, list and revoke named tokens.", token_details, token_opts, 0, 2,
	  verb_token, false, "new ls revoke rotate" },
	{ "demo", "", "Run a demonstration in a temporary directory.", demo_details, demo_opts, 0, 0, verb_demo, false, NULL },
	{ "completion", "bash|zsh|fish", "Print completion code for a shell.", completion_details, NULL, 1, 1,
	  verb_completion, false, "bash zsh fish" },
	{ "version", "", "Print the version.", NULL, NULL, 0, 0, verb_version, false, NULL },
	{ "help", "[VERB|all|man]", "Show this help; man: as a manual page.", NULL, NULL, 0, 1, verb_help, false, NULL },
	{ 0 },
};
