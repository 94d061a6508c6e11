// A tool server on the official SDK that offers more than tools: questions, pages, resources, prompts, completion and messages.
//   offer_server.mjs [KIND]    plain; many: thousands of resources and prompts; flood: announces changes without end
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { SubscribeRequestSchema, UnsubscribeRequestSchema, UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const kind = process.argv[2] ?? "plain";
const server = new McpServer(
	{ name: "offers", version: "1.0.0" },
	{ capabilities: { logging: {}, completions: {}, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } } });
const text = (s) => ({ content: [{ type: "text", text: s }] });
const followed = new Set();
let reads = 0;
let opened = false;

const form = {
	mode: "form",
	message: "Who are you?",
	requestedSchema: {
		type: "object",
		properties: {
			mail: { type: "string", format: "email" },
			age: { type: "integer", minimum: 18, maximum: 120 },
			colour: { type: "string", oneOf: [{ const: "#f00", title: "Red" }, { const: "#0f0", title: "Green" }] },
			days: { type: "array", minItems: 1, items: { type: "string", enum: ["mon", "tue"] } },
			news: { type: "boolean", default: false },
		},
		required: ["mail", "age"],
	},
};
const page = (id, url = "https://pay.example/checkout?order=" + id) => ({ mode: "url", message: "Please pay.", elicitationId: id, url });

server.registerTool("form", { description: "asks by a form" }, async () => text(JSON.stringify(await server.server.elicitInput(form))));
server.registerTool("page", { description: "asks for a page" }, async () => {
	const complete = server.server.createElicitationCompletionNotifier("e1");
	const answer = server.server.elicitInput(page("e1"));
	if (kind === "completes") setTimeout(complete, 300);
	return text(JSON.stringify(await answer));
});
server.registerTool("withdraw", { description: "asks and withdraws" }, async () => {
	const stop = new AbortController();
	setTimeout(() => stop.abort("no longer needed"), 300);
	try {
		return text(JSON.stringify(await server.server.elicitInput(form, { signal: stop.signal })));
	} catch {
		return text("withdrawn");
	}
});
server.registerTool("required", { description: "requires a page first" }, async () => {
	if (opened) return text("paid");
	opened = true;
	throw new UrlElicitationRequiredError([page("e2")]);
});
server.registerTool("evil", { description: "asks for a bad page", inputSchema: { url: z.string() } }, async ({ url }) => {
	try {
		return text(JSON.stringify(await server.server.elicitInput(page("e3", url))));
	} catch (e) {
		return text("refused: " + e.message);
	}
});
server.registerTool("deep", { description: "asks by a deep form" }, async () => {
	try {
		return text(JSON.stringify(await server.server.request({ method: "elicitation/create", params: { message: "m", requestedSchema: {
			type: "object", properties: { a: { type: "object", properties: { b: { type: "string" } } } } } } }, z.any())));
	} catch (e) {
		return text("refused: " + e.message);
	}
});
server.registerTool("sample", { description: "asks a model", inputSchema: { prompt: z.string() } }, async ({ prompt }) =>
	text(JSON.stringify(await server.server.createMessage({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 50 }))));
server.registerTool("touch", { description: "changes a resource" }, async () => {
	for (const uri of followed) await server.server.sendResourceUpdated({ uri });
	return text([...followed].join(" "));
});
server.registerTool("say", { description: "writes messages", inputSchema: { count: z.number() } }, async ({ count }) => {
	for (let n = 0; n < count; n++) await server.server.sendLoggingMessage({ level: "error", logger: "t", data: `message ${n} \u001b[31m` });
	await server.server.sendLoggingMessage({ level: "info", data: "too quiet to be kept" });
	return text("said");
});
// Text, an image, a document, audio that is no base64, and more parts than are kept.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
server.registerTool("mixed", { description: "returns several parts" }, async () => ({ content: [{ type: "text", text: "here they are" },
	{ type: "image", mimeType: "image/gif", data: dot }, { type: "audio", mimeType: "audio/wav", data: "AAEC" },
	{ type: "resource", resource: { uri: "memo://paper", mimeType: "application/pdf", blob: Buffer.from("%PDF-1.7 paper").toString("base64") } },
	{ type: "resource", resource: { uri: "memo://odd", mimeType: "text/html\r\nx: y", blob: Buffer.from("odd").toString("base64") } },
	...Array.from({ length: 20 }, (_, i) => ({ type: "image", mimeType: "image/png", data: Buffer.from("no image " + i).toString("base64") }))] }));
server.registerTool("picture", { description: "returns an image" }, async () => ({ content: [{ type: "image", mimeType: "image/png",
	data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" }] }));
server.registerTool("broken", { description: "fails with details" }, async () =>
	({ isError: true, content: [{ type: "text", text: "no such ticket" }], structuredContent: { code: 7, ticket: "t1" } }));
server.registerTool("grow", { description: "adds a resource and a prompt" }, async () => {
	server.registerResource("late", "memo://late", {}, async (uri) => ({ contents: [{ uri: uri.href, text: "late" }] }));
	server.registerPrompt("late", { description: "came later" }, () => ({ messages: [{ role: "user", content: { type: "text", text: "late" } }] }));
	return text("grown");
});

server.registerResource("one", "memo://one", { title: "The first memo", description: "about\nthe first", mimeType: "text/plain" },
	async (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: `memo one, read ${++reads} times` }] }));
server.registerResource("binary", "memo://binary", { mimeType: "application/octet-stream" },
	async (uri) => ({ contents: [{ uri: uri.href, blob: Buffer.from([0, 255, 1, 254]).toString("base64") }] }));
server.registerResource("large", "memo://large", {}, async (uri) => ({ contents: [{ uri: uri.href, text: "0123456789abcde\n".repeat(200000) }] }));
server.registerResource("dies", "memo://dies", {}, async () => process.exit(3));
server.registerResource("slow", "memo://slow", {}, async () => new Promise(() => {}));
server.registerResource("by-number", new ResourceTemplate("memo://number/{n}", { list: undefined }), { description: "any number" },
	async (uri, { n }) => ({ contents: [{ uri: uri.href, text: `number ${n}` }] }));

server.registerPrompt("review", { title: "Review", description: "Reviews a file", argsSchema: {
	file: completable(z.string(), (v) => ["alpha.c", "beta.c", "bad\u001b[31m"].filter((f) => f.startsWith(v))), tone: z.string().optional() } },
	({ file, tone }) => ({ messages: [{ role: "user", content: { type: "text", text: `Review ${file} in a ${tone ?? "plain"} tone.` } },
		{ role: "assistant", content: { type: "text", text: "I will." } }] }));
server.registerPrompt("plain", { description: "Says hello" }, () => ({ messages: [{ role: "user", content: { type: "text", text: "Say hello." } }] }));
server.registerPrompt("asks", { description: "asks a person" }, async () => {
	const answer = await server.server.elicitInput(form);
	return { messages: [{ role: "user", content: { type: "text", text: "answer: " + answer.action } }] };
});
server.registerPrompt("never", { description: "does not answer" }, () => new Promise(() => {}));

if (kind === "many")
	for (let n = 0; n < 3000; n++)
		server.registerResource(`r${n}`, `many://${n}`, { description: `the number ${n}` }, async (uri) => ({ contents: [{ uri: uri.href, text: `${n}` }] }));

server.server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => (followed.add(params.uri), {}));
server.server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => (followed.delete(params.uri), {}));
await server.connect(new StdioServerTransport());
if (kind === "flood")
	server.server.oninitialized = () => {
		for (let n = 0; n < 3000; n++) {
			server.sendResourceListChanged();
			server.sendPromptListChanged();
			server.sendToolListChanged();
		}
	};
