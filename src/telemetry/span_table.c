/* The table behind span_table.h. */
#include "telemetry/span_table.h"

#define RULES(name) static const struct span_attr_rule name[]
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, SPAN_TEXT                                                              \
	}

RULES(turn_opened) = { { "kind", "agentruntime.turn.kind", SPAN_TEXT },
	               { "delivery", "agentruntime.turn.delivery", SPAN_TEXT },
	               END };
#define TURN_END                                                                                   \
	{ "outcome", "agentruntime.outcome", SPAN_TEXT },                                          \
		{ "steps", "agentruntime.turn.steps", SPAN_INT },                                  \
		{ "modelRequests", "agentruntime.turn.model_requests", SPAN_INT },                 \
		{ "usage.inputTokens", "gen_ai.usage.input_tokens", SPAN_INT },                    \
		{ "usage.cachedInputTokens", "gen_ai.usage.cache_read.input_tokens", SPAN_INT },   \
		{ "usage.outputTokens", "gen_ai.usage.output_tokens", SPAN_INT },                  \
		{ "usage.reasoningTokens", "gen_ai.usage.reasoning.output_tokens", SPAN_INT },     \
		{ "costUsd", "agentruntime.cost.usd", SPAN_REAL },                                 \
	{                                                                                          \
		"costStatus", "agentruntime.cost.status", SPAN_TEXT                                \
	}
RULES(turn_completed) = { TURN_END, END };
RULES(turn_failed) = { TURN_END, { "category", "error.type", SPAN_TEXT }, END };

RULES(attempt_started) = { { "attempt", "agentruntime.attempt", SPAN_INT },
	                   { "cause", "agentruntime.attempt.cause", SPAN_TEXT },
	                   END };
RULES(attempt_ended) = { { "status", "agentruntime.outcome", SPAN_TEXT },
	                 { "failureCategory", "error.type", SPAN_TEXT },
	                 END };

RULES(context) = { { "history.turns", "agentruntime.context.turns", SPAN_INT },
	           { "budget.windowTokens", "agentruntime.context.window_tokens", SPAN_INT },
	           { "budget.usedTokens", "agentruntime.context.used_tokens", SPAN_INT },
	           END };
RULES(compaction) = { { "trigger", "agentruntime.compaction.trigger", SPAN_TEXT },
	              { "turns", "agentruntime.compaction.turns", SPAN_INT },
	              { "tokens.before", "agentruntime.compaction.tokens_before", SPAN_INT },
	              { "tokens.after", "agentruntime.compaction.tokens_after", SPAN_INT },
	              { "category", "error.type", SPAN_TEXT },
	              END };

RULES(model_requested) = { { "provider", "gen_ai.provider.name", SPAN_TEXT },
	                   { "model", "gen_ai.request.model", SPAN_TEXT },
	                   { "maxOutputTokens", "gen_ai.request.max_tokens", SPAN_INT },
	                   { "stream", "gen_ai.request.stream", SPAN_BOOL },
	                   { "attempt", "agentruntime.attempt", SPAN_INT },
	                   { "requestNumber", "agentruntime.model.request_number", SPAN_INT },
	                   { "messageCount", "agentruntime.model.messages", SPAN_INT },
	                   { "toolCount", "agentruntime.model.tools", SPAN_INT },
	                   END };
#define USAGE                                                                                      \
	{ "usage.inputTokens", "gen_ai.usage.input_tokens", SPAN_INT },                            \
		{ "usage.cachedInputTokens", "gen_ai.usage.cache_read.input_tokens", SPAN_INT },   \
		{ "usage.cacheWriteTokens", "gen_ai.usage.cache_creation.input_tokens",            \
		  SPAN_INT },                                                                      \
		{ "usage.outputTokens", "gen_ai.usage.output_tokens", SPAN_INT },                  \
		{ "usage.reasoningTokens", "gen_ai.usage.reasoning.output_tokens", SPAN_INT },     \
	{                                                                                          \
		"usageState", "agentruntime.usage.state", SPAN_TEXT                                \
	}
RULES(model_completed) = { { "stopReason", "gen_ai.response.finish_reasons", SPAN_LIST_OF_ONE },
	                   { "responseModel", "gen_ai.response.model", SPAN_TEXT },
	                   { "providerRequestId", "gen_ai.response.id", SPAN_TEXT },
	                   { "timeToFirstTokenMs", "agentruntime.model.first_token_ms", SPAN_INT },
	                   { "toolCallCount", "agentruntime.model.tool_calls", SPAN_INT },
	                   USAGE,
	                   END };
RULES(model_failed) = { { "category", "error.type", SPAN_TEXT },
	                { "httpStatus", "http.response.status_code", SPAN_INT },
	                { "retryable", "agentruntime.retryable", SPAN_BOOL },
	                { "executed", "agentruntime.executed", SPAN_TEXT },
	                { "providerRequestId", "gen_ai.response.id", SPAN_TEXT },
	                USAGE,
	                END };

RULES(tool_started) = { { "toolName", "gen_ai.tool.name", SPAN_TEXT },
	                { "runtimeOwner", "agentruntime.tool.owner", SPAN_TEXT },
	                { "policy", "agentruntime.tool.policy", SPAN_TEXT },
	                { "isReadOnly", "agentruntime.tool.read_only", SPAN_BOOL },
	                END };
#define TOOL_END                                                                                   \
	{ "exitCode", "process.exit.code", SPAN_INT },                                             \
		{ "durationMs", "agentruntime.tool.run_ms", SPAN_INT },                            \
		{ "permissionDecision", "agentruntime.permission.decision", SPAN_TEXT },           \
		{ "sandboxMode", "agentruntime.sandbox.mode", SPAN_TEXT },                         \
	{                                                                                          \
		"outputBytes", "agentruntime.tool.output_bytes", SPAN_INT                          \
	}
RULES(tool_result) = { TOOL_END, { "isError", "agentruntime.tool.is_error", SPAN_BOOL }, END };
RULES(tool_failed) = { TOOL_END,
	               { "category", "error.type", SPAN_TEXT },
	               { "executed", "agentruntime.executed", SPAN_TEXT },
	               END };

RULES(process_started) = { { "tty", "process.interactive", SPAN_BOOL },
	                   { "background", "agentruntime.process.background", SPAN_BOOL },
	                   { "sandboxMode", "agentruntime.sandbox.mode", SPAN_TEXT },
	                   { "network", "agentruntime.sandbox.network", SPAN_TEXT },
	                   { "pid", "process.pid", SPAN_INT },
	                   END };
RULES(process_ended) = { { "exitCode", "process.exit.code", SPAN_INT },
	                 { "maxRssBytes", "agentruntime.process.max_rss_bytes", SPAN_INT },
	                 { "cpuMs", "agentruntime.process.cpu_ms", SPAN_INT },
	                 { "category", "error.type", SPAN_TEXT },
	                 { "signal", "agentruntime.process.signal", SPAN_TEXT },
	                 { "by", "agentruntime.process.terminated_by", SPAN_TEXT },
	                 END };

RULES(hook_started) = { { "point", "agentruntime.hook.point", SPAN_TEXT },
	                { "handlerRef", "agentruntime.hook.handler", SPAN_TEXT },
	                END };
RULES(hook_ended) = { { "decision", "agentruntime.hook.decision", SPAN_TEXT },
	              { "category", "error.type", SPAN_TEXT },
	              { "failPolicy", "agentruntime.hook.fail_policy", SPAN_TEXT },
	              END };

RULES(artifact) = { { "change", "agentruntime.artifact.change", SPAN_TEXT },
	            { "kind", "agentruntime.artifact.kind", SPAN_TEXT },
	            { "mediaType", "agentruntime.artifact.media_type", SPAN_TEXT },
	            { "sizeBytes", "agentruntime.artifact.size_bytes", SPAN_INT },
	            END };
RULES(evidence) = { { "change", "agentruntime.evidence.change", SPAN_TEXT },
	            { "kind", "agentruntime.evidence.kind", SPAN_TEXT },
	            { "partial", "agentruntime.evidence.partial", SPAN_BOOL },
	            END };

RULES(permission) = { { "decision", "agentruntime.permission.decision", SPAN_TEXT },
	              { "decisionSource", "agentruntime.permission.source", SPAN_TEXT },
	              { "subject", "agentruntime.permission.subject", SPAN_TEXT },
	              { "from", "agentruntime.permission.asked", SPAN_TEXT },
	              { "toolName", "gen_ai.tool.name", SPAN_TEXT },
	              END };
RULES(action) = { { "decision", "agentruntime.permission.decision", SPAN_TEXT },
	          { "actionType", "agentruntime.action.type", SPAN_TEXT },
	          { "waitedMs", "agentruntime.waited_ms", SPAN_INT },
	          END };
RULES(sandbox) = { { "mode", "agentruntime.sandbox.mode", SPAN_TEXT },
	           { "tier", "agentruntime.sandbox.tier", SPAN_TEXT },
	           { "degraded", "agentruntime.sandbox.degraded", SPAN_BOOL },
	           END };
RULES(violation) = { { "kind", "agentruntime.violation.kind", SPAN_TEXT },
	             { "operation", "agentruntime.violation.operation", SPAN_TEXT },
	             { "syscall", "agentruntime.violation.syscall", SPAN_TEXT },
	             { "blocked", "agentruntime.violation.blocked", SPAN_BOOL },
	             { "count", "agentruntime.violation.count", SPAN_INT },
	             END };
RULES(trouble) = { { "category", "error.type", SPAN_TEXT },
	           { "kind", "agentruntime.error.kind", SPAN_TEXT },
	           { "retryable", "agentruntime.retryable", SPAN_BOOL },
	           { "count", "agentruntime.count", SPAN_INT },
	           END };
RULES(routing) = { { "selectedProvider", "gen_ai.provider.name", SPAN_TEXT },
	           { "selectedModel", "gen_ai.request.model", SPAN_TEXT },
	           { "decisionSource", "agentruntime.routing.source", SPAN_TEXT },
	           { "routingMode", "agentruntime.routing.mode", SPAN_TEXT },
	           END };
RULES(fallback) = { { "from.model", "agentruntime.routing.from", SPAN_TEXT },
	            { "to.model", "agentruntime.routing.to", SPAN_TEXT },
	            { "cause", "error.type", SPAN_TEXT },
	            END };
RULES(limit) = { { "provider", "gen_ai.provider.name", SPAN_TEXT },
	         { "scope", "agentruntime.limit.scope", SPAN_TEXT },
	         { "action", "agentruntime.limit.action", SPAN_TEXT },
	         { "retryAfterMs", "agentruntime.limit.retry_after_ms", SPAN_INT },
	         END };
RULES(cost) = { { "amountUsd", "agentruntime.cost.usd", SPAN_REAL },
	        { "basis", "agentruntime.cost.basis", SPAN_TEXT },
	        { "amountState", "agentruntime.cost.state", SPAN_TEXT },
	        END };

RULES(trial_started) = { { "attempt", "agentruntime.attempt", SPAN_INT },
	                 { "timeoutSec", "agentruntime.trial.timeout_s", SPAN_INT },
	                 END };
RULES(trial_ended) = { { "durationMs", "agentruntime.trial.duration_ms", SPAN_INT },
	               { "timedOut", "agentruntime.trial.timed_out", SPAN_BOOL },
	               { "category", "error.type", SPAN_TEXT },
	               { "costUsd", "agentruntime.cost.usd", SPAN_REAL },
	               END };
RULES(reward) = { { "reward", "gen_ai.evaluation.score.value", SPAN_REAL },
	          { "failureCategory", "agentruntime.trial.failure_category", SPAN_TEXT },
	          END };

#define OPENS(span, id, attrs)                                                                     \
	{                                                                                          \
		SPAN_ROLE_OPENS, SPAN_##span, id, attrs, SEVERITY_NONE                             \
	}
#define ENDS(span, id, attrs)                                                                      \
	{                                                                                          \
		SPAN_ROLE_ENDS, SPAN_##span, id, attrs, SEVERITY_NONE                              \
	}
#define FAILS(span, id, attrs)                                                                     \
	{                                                                                          \
		SPAN_ROLE_FAILS, SPAN_##span, id, attrs, SEVERITY_NONE                             \
	}
#define WHOLE(span, id, attrs)                                                                     \
	{                                                                                          \
		SPAN_ROLE_WHOLE, SPAN_##span, id, attrs, SEVERITY_NONE                             \
	}
#define NOTES(attrs, severity)                                                                     \
	{                                                                                          \
		SPAN_ROLE_NOTES, SPAN_KIND_COUNT, NULL, attrs, severity                            \
	}

static const struct span_rule rules[EV_COUNT] = {
	[EV_TURN_SUBMITTED] = OPENS(INTERACTION, "turnId", turn_opened),
	[EV_TURN_COMPLETED] = ENDS(INTERACTION, "turnId", turn_completed),
	[EV_TURN_FAILED] = FAILS(INTERACTION, "turnId", turn_failed),
	[EV_TASK_ATTEMPT_STARTED] = OPENS(TASK_RUN, "attemptId", attempt_started),
	[EV_TASK_ATTEMPT_COMPLETED] = ENDS(TASK_RUN, "attemptId", attempt_ended),
	[EV_TASK_ATTEMPT_FAILED] = FAILS(TASK_RUN, "attemptId", attempt_ended),
	[EV_CONTEXT_RESOLVED] = WHOLE(CONTEXT_RESOLVE, "eventId", context),
	[EV_CONTEXT_COMPACTION_STARTED] = OPENS(CONTEXT_RESOLVE, "threadId", compaction),
	[EV_CONTEXT_COMPACTION_COMPLETED] = ENDS(CONTEXT_RESOLVE, "threadId", compaction),
	[EV_CONTEXT_COMPACTION_FAILED] = FAILS(CONTEXT_RESOLVE, "threadId", compaction),
	[EV_MODEL_REQUESTED] = OPENS(MODEL_REQUEST, "modelRequestId", model_requested),
	[EV_MODEL_COMPLETED] = ENDS(MODEL_REQUEST, "modelRequestId", model_completed),
	[EV_MODEL_FAILED] = FAILS(MODEL_REQUEST, "modelRequestId", model_failed),
	[EV_TOOL_STARTED] = OPENS(TOOL_CALL, "toolCallId", tool_started),
	[EV_TOOL_RESULT] = ENDS(TOOL_CALL, "toolCallId", tool_result),
	[EV_TOOL_FAILED] = FAILS(TOOL_CALL, "toolCallId", tool_failed),
	[EV_PROCESS_STARTED] = OPENS(PROCESS_EXEC, "processId", process_started),
	[EV_PROCESS_COMPLETED] = ENDS(PROCESS_EXEC, "processId", process_ended),
	[EV_PROCESS_FAILED] = FAILS(PROCESS_EXEC, "processId", process_ended),
	[EV_PROCESS_TERMINATED] = ENDS(PROCESS_EXEC, "processId", process_ended),
	[EV_HOOK_STARTED] = OPENS(HOOK_RUN, "hookRun.hookRunId", hook_started),
	[EV_HOOK_COMPLETED] = ENDS(HOOK_RUN, "hookRun.hookRunId", hook_ended),
	[EV_HOOK_FAILED] = FAILS(HOOK_RUN, "hookRun.hookRunId", hook_ended),
	[EV_ARTIFACT_CHANGED] = WHOLE(ARTIFACT_WRITE, "eventId", artifact),
	[EV_EVIDENCE_CHANGED] = WHOLE(EVIDENCE_EXPORT, "eventId", evidence),

	[EV_PERMISSION_EVALUATED] = NOTES(permission, SEVERITY_INFO),
	[EV_PERMISSION_REQUESTED] = NOTES(permission, SEVERITY_INFO),
	[EV_PERMISSION_RESOLVED] = NOTES(permission, SEVERITY_INFO),
	[EV_ACTION_RESOLVED] = NOTES(action, SEVERITY_NONE),
	[EV_SANDBOX_APPLIED] = NOTES(sandbox, SEVERITY_NONE),
	[EV_SANDBOX_VIOLATION] = NOTES(violation, SEVERITY_WARN),
	[EV_RUNTIME_WARNING] = NOTES(trouble, SEVERITY_WARN),
	[EV_RUNTIME_ERROR] = NOTES(trouble, SEVERITY_ERROR),
	[EV_ROUTING_DECIDED] = NOTES(routing, SEVERITY_NONE),
	[EV_ROUTING_FALLBACK_APPLIED] = NOTES(fallback, SEVERITY_WARN),
	[EV_RATE_LIMIT_HIT] = NOTES(limit, SEVERITY_WARN),
	[EV_QUOTA_LOW] = NOTES(limit, SEVERITY_WARN),
	[EV_QUOTA_BLOCKED] = NOTES(limit, SEVERITY_ERROR),
	[EV_COST_RECORDED] = NOTES(cost, SEVERITY_NONE),
	[EV_BENCHMARK_TRIAL_STARTED] = NOTES(trial_started, SEVERITY_INFO),
	[EV_BENCHMARK_TRIAL_COMPLETED] = NOTES(trial_ended, SEVERITY_INFO),
	[EV_BENCHMARK_TRIAL_FAILED] = NOTES(trial_ended, SEVERITY_WARN),
	[EV_BENCHMARK_REWARD_RECORDED] = NOTES(reward, SEVERITY_INFO),
};

const struct span_rule *span_table_rule(enum event_type type)
{
	return &rules[(size_t)type < EV_COUNT ? (size_t)type : 0];
}

struct str span_table_name(enum span_kind kind)
{
	static const char *const names[SPAN_KIND_COUNT] = {
		[SPAN_INTERACTION] = "interaction",
		[SPAN_TASK_RUN] = "task.run",
		[SPAN_CONTEXT_RESOLVE] = "context.resolve",
		[SPAN_MODEL_REQUEST] = "model.request",
		[SPAN_TOOL_CALL] = "tool.call",
		[SPAN_PROCESS_EXEC] = "process.exec",
		[SPAN_HOOK_RUN] = "hook.run",
		[SPAN_ARTIFACT_WRITE] = "artifact.write",
		[SPAN_EVIDENCE_EXPORT] = "evidence.export",
	};

	return str_from(names[kind]);
}

const char *const *span_table_parents(enum span_kind kind)
{
	static const char *const none[] = { NULL };
	static const char *const turn[] = { "turnId", NULL };
	static const char *const attempt[] = { "attemptId", "turnId", NULL };
	static const char *const call[] = { "toolCallId", "attemptId", "turnId", NULL };
	static const char *const *const parents[SPAN_KIND_COUNT] = {
		[SPAN_INTERACTION] = none,        [SPAN_TASK_RUN] = turn,
		[SPAN_CONTEXT_RESOLVE] = attempt, [SPAN_MODEL_REQUEST] = attempt,
		[SPAN_TOOL_CALL] = attempt,       [SPAN_PROCESS_EXEC] = call,
		[SPAN_HOOK_RUN] = call,           [SPAN_ARTIFACT_WRITE] = call,
		[SPAN_EVIDENCE_EXPORT] = attempt,
	};

	return parents[kind];
}

const struct span_id_rule span_table_ids[] = {
	{ "runtimeId", "agentruntime.runtime_id" },
	{ "sessionId", "agentruntime.session_id" },
	{ "threadId", "agentruntime.thread_id" },
	{ "turnId", "agentruntime.turn_id" },
	{ "taskId", "agentruntime.task_id" },
	{ "runId", "agentruntime.run_id" },
	{ "attemptId", "agentruntime.attempt_id" },
	{ "toolCallId", "agentruntime.tool_call_id" },
	{ "processId", "agentruntime.process_id" },
	{ "requestId", "agentruntime.request_id" },
	{ "queuedTurnId", "agentruntime.queued_turn_id" },
	{ "subagentId", "agentruntime.subagent_id" },
	{ "modelRequestId", "agentruntime.model_request_id" },
	{ "jobId", "agentruntime.job_id" },
	{ "benchmark.trialId", "agentruntime.trial_id" },
	{ "benchmark.datasetId", "agentruntime.trial.dataset_id" },
	{ "benchmark.datasetVersion", "agentruntime.trial.dataset_version" },
	{ "benchmark.taskId", "agentruntime.trial.task_id" },
	{ "benchmark.configurationId", "agentruntime.trial.configuration_id" },
};
const size_t span_table_id_count = COUNT_OF(span_table_ids);
