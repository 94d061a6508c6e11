// An MCP server of 2025-11-25 on the official SDK, over HTTP, whose tools run as tasks that it keeps in memory.
//
//   node task_server.mjs PORT
//
// It prints its address.  GET /count says how often each tool was started, GET /done ends all tasks that wait.
import http from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';

const store = new InMemoryTaskStore();
const count = { wait: 0, fail: 0, plain: 0 };
let isDone = false;

function finish(task, name) {
	if (!isDone && name === 'wait') return setTimeout(() => finish(task, name), 20);
	const failed = name === 'fail';
	return store.storeTaskResult(task.taskId, failed ? 'failed' : 'completed', { isError: failed, content: [{ type: 'text', text: failed ? 'it broke' : 'waited' }] }).catch(() => {});
}

function make() {
	const server = new McpServer({ name: 'tasks', version: '1' }, { capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }, taskStore: store });
	for (const name of ['wait', 'fail'])
		server.experimental.tasks.registerToolTask(name, { description: name, inputSchema: {}, execution: { taskSupport: name === 'wait' ? 'required' : 'optional' } }, {
			async createTask(_args, extra) {
				count[name]++;
				const task = await extra.taskStore.createTask({ ttl: 600000, pollInterval: 50 });
				finish(task, name);
				return { task };
			},
			getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
			getTaskResult: (_args, extra) => extra.taskStore.getTaskResult(extra.taskId),
		});
	server.registerTool('plain', { description: 'no task', inputSchema: {} }, async () => { count.plain++; return { content: [{ type: 'text', text: 'plain' }] }; });
	return server;
}

const web = http.createServer(async (request, response) => {
	if (request.url === '/count') return response.end(JSON.stringify(count));
	if (request.url === '/done') { isDone = true; return response.end(); }
	const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
	await make().connect(transport);
	await transport.handleRequest(request, response);
});
web.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => console.log(`http://127.0.0.1:${web.address().port}/mcp`));
