/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef ENGINE_GEN_QUERIES_H
#define ENGINE_GEN_QUERIES_H
#include "catalog/catalog.h"

struct request;

void query_list_actions(struct request *r, const struct cmd_list_actions *c);
void query_ack_events(struct request *r, const struct cmd_ack_events *c);
void query_list_channels(struct request *r, const struct cmd_list_channels *c);
void query_get_job(struct request *r, const struct cmd_get_job *c);
void query_list_jobs(struct request *r, const struct cmd_list_jobs *c);
void query_list_job_items(struct request *r, const struct cmd_list_job_items *c);
void query_list_schedules(struct request *r, const struct cmd_list_schedules *c);
void query_list_grants(struct request *r, const struct cmd_list_grants *c);
void query_list_rules(struct request *r, const struct cmd_list_rules *c);
void query_trust_hooks(struct request *r, const struct cmd_trust_hooks *c);
void query_trust_tool_server(struct request *r, const struct cmd_trust_tool_server *c);
void query_get_execution_environment(struct request *r, const struct cmd_get_execution_environment *c);
void query_get_permission_sandbox_summary(struct request *r, const struct cmd_get_permission_sandbox_summary *c);
void query_list_processes(struct request *r, const struct cmd_list_processes *c);
void query_list_queue(struct request *r, const struct cmd_list_queue *c);
void query_get_session(struct request *r, const struct cmd_get_session *c);
void query_explain_thread(struct request *r, const struct cmd_explain_thread *c);
void query_get_thread_read(struct request *r, const struct cmd_get_thread_read *c);
void query_get_tool_inventory(struct request *r, const struct cmd_get_tool_inventory *c);
void query_list_sessions(struct request *r, const struct cmd_list_sessions *c);
void query_list_models(struct request *r, const struct cmd_list_models *c);
void query_list_hooks(struct request *r, const struct cmd_list_hooks *c);
void query_list_tool_servers(struct request *r, const struct cmd_list_tool_servers *c);
void query_list_threads(struct request *r, const struct cmd_list_threads *c);
void query_list_events(struct request *r, const struct cmd_list_events *c);
void query_subscribe_events(struct request *r, const struct cmd_subscribe_events *c);
void query_unsubscribe_events(struct request *r, const struct cmd_unsubscribe_events *c);
void query_get_output(struct request *r, const struct cmd_get_output *c);
void query_get_artifact_checkpoint_summary(struct request *r, const struct cmd_get_artifact_checkpoint_summary *c);
void query_get_routing_limit_summary(struct request *r, const struct cmd_get_routing_limit_summary *c);
void query_get_context_boundary(struct request *r, const struct cmd_get_context_boundary *c);
void query_wait_subagents(struct request *r, const struct cmd_wait_subagents *c);
void query_list_subagents(struct request *r, const struct cmd_list_subagents *c);
void query_get_subagent_job_summary(struct request *r, const struct cmd_get_subagent_job_summary *c);
void query_get_capabilities(struct request *r, const struct cmd_get_capabilities *c);
void query_open_console(struct request *r, const struct cmd_open_console *c);
void query_pair_device(struct request *r, const struct cmd_pair_device *c);
void query_list_devices(struct request *r, const struct cmd_list_devices *c);
void query_revoke_device(struct request *r, const struct cmd_revoke_device *c);
void query_verify_log(struct request *r, const struct cmd_verify_log *c);
void query_trim_log(struct request *r, const struct cmd_trim_log *c);
void query_erase_event(struct request *r, const struct cmd_erase_event *c);
void query_rebuild_session(struct request *r, const struct cmd_rebuild_session *c);
void query_get_task(struct request *r, const struct cmd_get_task *c);
void query_list_tasks(struct request *r, const struct cmd_list_tasks *c);

#endif
