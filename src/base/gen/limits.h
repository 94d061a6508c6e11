/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef BASE_GEN_LIMITS_H
#define BASE_GEN_LIMITS_H
/* Every layer may include this. */

/* A command contains words and refs; larger data is stored first and referred to. */
#define LIMIT_BODY_BYTES 1048576
/* An id chosen by a client. */
#define LIMIT_ID_BYTES 256
/* More than any real input; prevents readers from exhausting the stack. */
#define LIMIT_JSON_DEPTH 64
/* Default limit of a string field; longer text belongs behind a ref. */
#define LIMIT_STR_BYTES 65536
/* Default limit of a list field. */
#define LIMIT_LIST_ITEMS 4096
/* Default limit of a json field in a command. */
#define LIMIT_JSON_BYTES 262144
/* Entries of one object of strings in a command. */
#define LIMIT_DICT_ENTRIES 64
/* One line on a screen. */
#define LIMIT_TITLE_BYTES 512
/* Text that a person types. */
#define LIMIT_REASON_BYTES 2000
/* As long as an id. */
#define LIMIT_IDEMPOTENCY_KEY_BYTES 256
/* Largest image that a turn names by the ref of a stored output; providers accept no larger ones. */
#define LIMIT_IMAGE_BYTES 8388608
/* Complete input of one turn inside a command. */
#define LIMIT_INPUT_BYTES 1048576
/* Parts of one input. */
#define LIMIT_INPUT_PARTS 64
/* Largest envelope; keeps redelivery, fan-out and clients cheap. */
#define LIMIT_EVENT_BYTES 65536
/* What a person reads at a glance. */
#define LIMIT_PREVIEW 2048
/* Larger outputs are stored separately, and the event contains a preview. */
#define LIMIT_INLINE_OUTPUT_BYTES 65536
/* How much of one result a model gets; the rest is behind the ref. */
#define LIMIT_TOOL_RESULT_TOKENS 8192
/* Tools listed inline in tool.catalog.resolved; the others are behind the ref. */
#define LIMIT_CATALOG_INLINE_BYTES 8192
/* Output of a hook that is read before it is stored separately and truncated. */
#define LIMIT_HOOK_OUTPUT_BYTES 1048576
/* Interval at which heads of changed sessions are anchored in sess_system; limits what a truncated log can hide. */
#define LIMIT_ANCHOR_INTERVAL_S 300
/* Output of one command that is kept: a gigabyte is more than anyone reads, and endless output does not fill the disk. The rest is read and counted. */
#define LIMIT_PROCESS_OUTPUT_BYTES 1073741824
/* Largest summary; what a model writes beyond it is dropped. */
#define LIMIT_SUMMARY_BYTES 65536
/* Collected text is written when it has this size. */
#define LIMIT_DELTA_BYTES 16384
/* Bytes of one provider stream that wait for a commit; then the provider is paused. */
#define LIMIT_STREAM_BUFFER_BYTES 262144
/* process.output reports offsets, at most a few times per second. */
#define LIMIT_PROCESS_OUTPUT_EVENTS_PER_S 4
/* One page of the store; never an open cursor. */
#define LIMIT_PAGE_ROWS 256
/* One page of the store. */
#define LIMIT_PAGE_BYTES 262144
/* Maximum rows of one page of a list command. */
#define LIMIT_LIST_ROWS 256
/* Default number of rows of a page. */
#define LIMIT_LIST_ROWS_DEFAULT 50
/* A subscriber that falls further behind is disconnected and resumes by cursor. */
#define LIMIT_SSE_CLIENT_BUFFER_BYTES 262144
/* Subscribers served in one iteration of the loop, so that thousands of them do not delay effects or commands. */
#define LIMIT_FANOUT_READERS_PER_TURN 16
/* Events that stay in memory after their commit, over all sessions, so that up-to-date subscribers need no disk reads. */
#define LIMIT_FANOUT_RECENT_BYTES 1048576
/* Index rows that wait in row_log; the commit that exceeds this applies them, after its replies. */
#define LIMIT_ROW_LOG_ROWS 512
/* The same in bytes: the space they take in the file before they are applied. */
#define LIMIT_ROW_LOG_BYTES 131072
/* Interval of comments that keep proxies from closing the stream. */
#define LIMIT_SSE_PING_S 15
/* More than any known client sends. */
#define LIMIT_HTTP_HEADER_LINES 100
/* Head of one request. */
#define LIMIT_HTTP_HEADER_BYTES 16384
/* Timeout for the head; slow senders do not block a connection. */
#define LIMIT_HTTP_HEADER_S 10
/* Timeout for a body. */
#define LIMIT_HTTP_BODY_S 30
/* Path and query. */
#define LIMIT_HTTP_TARGET_BYTES 8192
/* An idle connection is closed after this time. */
#define LIMIT_HTTP_IDLE_S 120
/* One message; as large as a body. */
#define LIMIT_WS_FRAME_BYTES 1048576
/* One JSON-RPC line; as large as a body. */
#define LIMIT_RPC_LINE_BYTES 1048576
/* Open at the same time; further ones wait in the backlog. */
#define LIMIT_CONNECTIONS 1024
/* Connections from one address, if the daemon listens beyond this machine; further ones get 503. */
#define LIMIT_CONNECTIONS_PER_PEER 256
/* Streams of one client. */
#define LIMIT_SUBSCRIPTIONS_PER_CONNECTION 64
/* Requests per connection; further ones wait unread. */
#define LIMIT_REQUESTS_IN_FLIGHT 64
/* Queued turns of one thread. */
#define LIMIT_QUEUE_LENGTH 64
/* Number of tool calls in one model response. */
#define LIMIT_CALLS_PER_ANSWER 64
/* Read-only calls of a turn that run at the same time. */
#define LIMIT_PARALLEL_TOOLS 4
/* Open deliveries of one session; further ones fail at once. */
#define LIMIT_DELIVERIES_PER_SESSION 1024
/* Attempts of one delivery: about five hours, including the waits between them. */
#define LIMIT_DELIVERY_ATTEMPTS 8
/* Wait after the first attempt; four times as long after each further one. */
#define LIMIT_DELIVERY_BASE_MS 1000
/* Longest wait between two attempts. */
#define LIMIT_DELIVERY_WAIT_MAX_MS 3600000
/* How long a wait without a deadline may last before it is reported: a day. */
#define LIMIT_WAIT_OVERDUE_MS 86400000
/* Schedules of one session; each has a thread. */
#define LIMIT_SCHEDULES_PER_SESSION 64
/* Shortest interval of a schedule. */
#define LIMIT_SCHEDULE_MIN_MS 1000
/* Longest interval of a schedule: a year. */
#define LIMIT_SCHEDULE_MAX_MS 31622400000
/* How late a run may begin without counting as missed. */
#define LIMIT_SCHEDULE_GRACE_MS 60000
/* Missed runs that are made up for one by one; older ones are reported and skipped. */
#define LIMIT_SCHEDULE_CATCH_UP 16
/* Tasks that have not ended. */
#define LIMIT_OPEN_TASKS_PER_SESSION 4096
/* Nesting of tasks; limits delegation. */
#define LIMIT_TASK_DEPTH 16
/* Number of edges of one task. */
#define LIMIT_EDGES_PER_TASK 256
/* Limits retries. */
#define LIMIT_ATTEMPTS_PER_TASK 32
/* Number of agent tasks of one session that run at the same time. */
#define LIMIT_PARALLEL_TASKS 4
/* Record of one task without its attempts; it must fit into an event. */
#define LIMIT_TASK_RECORD_BYTES 16384
/* Default lease of an external worker. */
#define LIMIT_LEASE_MS 30000
/* Shortest lease; shorter ones would only measure the network. */
#define LIMIT_LEASE_MIN_MS 100
/* Longest lease: a worker without a heartbeat for a day is lost. */
#define LIMIT_LEASE_MAX_MS 86400000
/* First wait before a task is retried automatically. */
#define LIMIT_BACKOFF_MS 1000
/* Longest such wait. */
#define LIMIT_BACKOFF_MAX_MS 3600000
/* Threads of one session. */
#define LIMIT_THREADS_PER_SESSION 1024
/* Open at the same time. */
#define LIMIT_SUBAGENTS_PER_SESSION 64
/* Children of children. */
#define LIMIT_SUBAGENT_DEPTH 4
/* Items of one job. */
#define LIMIT_JOB_ITEMS 1000000
/* Schema of a job's outputs; every item includes it. */
#define LIMIT_JOB_SCHEMA_BYTES 16384
/* Items at once. */
#define LIMIT_JOB_CONCURRENCY 64
/* Ends a turn that repeats itself. */
#define LIMIT_REQUESTS_PER_TURN 200
/* Schema of an answer or a tool. */
#define LIMIT_SCHEMA_BYTES 65536
/* Complete model request. */
#define LIMIT_MODEL_TIMEOUT_S 600
/* Longest silence of a model stream. */
#define LIMIT_MODEL_IDLE_S 60
/* Number of consecutive responses that may break off at their length or a pause and are continued; then the turn fails. */
#define LIMIT_ANSWER_PARTS 4
/* Retries of the same candidate in the same run, if another may be used or waiting does not help. */
#define LIMIT_MODEL_ATTEMPTS 3
/* A longer wait causes a fallback, if another model may be used. */
#define LIMIT_RETRY_WAIT_MAX_MS 10000
/* How long a turn retries a failing model. */
#define LIMIT_RETRY_BUDGET_MS 900000
/* Longest wait between two attempts if the provider names none. */
#define LIMIT_RETRY_DELAY_MAX_MS 120000
/* One command. */
#define LIMIT_PROCESS_TIMEOUT_MS 120000
/* Longest silence of one command. */
#define LIMIT_PROCESS_IDLE_MS 60000
/* In one sandbox. */
#define LIMIT_PROCESS_COUNT 256
/* In one sandbox. */
#define LIMIT_PROCESS_MEMORY_BYTES 2147483648
/* Grace period of what is being stopped; then it is killed. */
#define LIMIT_STOP_WAIT_MS 5000
/* Steps for evaluating one call, its command line and its rules; beyond it the call is not understood. Tens of milliseconds. */
#define LIMIT_ANALYSIS_STEPS 2000000
/* Memory for evaluating one call; beyond it the call is not understood. */
#define LIMIT_ANALYSIS_BYTES 16777216
/* Arguments of one call; a call with more is refused, because it cannot be evaluated and shown. */
#define LIMIT_CALL_INPUT_BYTES 1048576
/* Arguments of a call shown inline; larger ones are stored behind a ref. */
#define LIMIT_INLINE_ARGS 8192
/* Time between SIGTERM and SIGKILL. */
#define LIMIT_PROCESS_GRACE_MS 5000
/* One write to a command. */
#define LIMIT_STDIN_BYTES 65536
/* One line of a tool server; larger results belong behind a resource. */
#define LIMIT_MCP_MESSAGE_BYTES 16777216
/* Tools of one tool server; more would fill a model's context with definitions. */
#define LIMIT_MCP_TOOLS 256
/* Open calls of one tool server. */
#define LIMIT_MCP_CALLS 64
/* From the start of a tool server to its list of tools. */
#define LIMIT_MCP_START_MS 20000
/* How long a turn waits for starting tool servers; then it begins, and the model gets a list of the missing ones. */
#define LIMIT_TOOLS_WAIT_MS 35000
/* Timeout of a tool server's call without progress, unless the server's settings set one. */
#define LIMIT_MCP_CALL_MS 120000
/* Size of one response that fetch_url reads. */
#define LIMIT_FETCH_BYTES 4194304
/* fetch_url, redirects included. */
#define LIMIT_FETCH_TIMEOUT_MS 30000
/* One hook. */
#define LIMIT_HOOK_TIMEOUT_MS 5000
/* Number of events after which a session's state is saved again when it leaves memory. */
#define LIMIT_SNAPSHOT_EVENTS 200
/* Commands that wait while a session is loaded. */
#define LIMIT_SESSION_WAITING_COMMANDS 64
/* Number of ended calls, approvals, tasks, jobs, processes, hooks, outputs, incidents and deliveries, of each kind, that stay in memory and in snapshots; older ones are read from the log. */
#define LIMIT_TERMINAL_WINDOW 16
/* Ended turns of a thread that stay in memory and in snapshots; older ones are read from the log by sequence. */
#define LIMIT_WINDOW_TURNS 8
/* Above this amount of uncommitted data, providers and processes are paused. */
#define LIMIT_COMMIT_PAUSE_BYTES 8388608
/* The same, by the age of the oldest. */
#define LIMIT_COMMIT_PAUSE_MS 250
/* Above this new commands get 503. */
#define LIMIT_COMMIT_REFUSE_BYTES 33554432
/* The same, by the age of the oldest. */
#define LIMIT_COMMIT_REFUSE_MS 2000
/* Size of the write-ahead log at which the writer checkpoints. */
#define LIMIT_WAL_BYTES 67108864
/* Released to write final events when the disk is full. */
#define LIMIT_BALLAST_BYTES 8388608
/* A larger jump of the wall clock is a warning and re-arms the timers. */
#define LIMIT_CLOCK_JUMP_S 60
/* Body of one outbound HTTP response. */
#define LIMIT_WIRE_RESPONSE_BYTES 67108864
/* How long the one-time code of a console address is valid. */
#define LIMIT_CONSOLE_CODE_S 60
/* One-time codes at the same time; a new one replaces the oldest. */
#define LIMIT_CONSOLE_CODES 16
/* How long a browser stays signed in: a working day. */
#define LIMIT_CONSOLE_SESSION_S 43200
/* How long the one-time code for a second device is valid: time to fetch the device. */
#define LIMIT_PAIRING_CODE_S 300
/* Such codes at the same time; a new one replaces the oldest. */
#define LIMIT_PAIRING_CODES 4
/* Number of paired devices. */
#define LIMIT_PAIRED_DEVICES 16
/* How long a paired device stays signed in: a month; it can be revoked at any time. */
#define LIMIT_DEVICE_SESSION_S 2592000
/* Consecutive wrong codes for one host name before no code is accepted for a minute. */
#define LIMIT_SIGN_IN_TRIES 10
/* Longest wait inside one call. */
#define LIMIT_WAIT_MAX_S 600

#endif
