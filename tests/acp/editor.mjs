// The official client of the Agent Client Protocol plays steps and prints one line of JSON for each.
//
//   node editor.mjs STEPS DIR PROGRAM ARGS...
//
// Steps: ["new", SERVERS], ["prompt", TEXT, ANSWER], ["cancel", TEXT], ["list"], ["load", SERVERS], ["resume"], ["close"], ["delete"],
// ["authenticate", METHOD], ["logout"].  ANSWER is the option that is chosen, the content of a form, or "elsewhere": the question is
// left open until the agent withdraws it.  EDITOR_CAN is the JSON of clientCapabilities, EDITOR_TEXT the unsaved text of every file.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [steps, dir, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], cwd: dir });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const say = (o) => process.stdout.write(JSON.stringify(o) + "\n");

let seen = fresh();
let answer;

function fresh() {
	return { text: "", calls: new Map(), withdrawn: false, asked: [] };
}

const app = acp
	.client({ name: "test" })
	.onNotification("session/update", ({ params }) => {
		const u = params.update;
		if (u.sessionUpdate === "agent_message_chunk") seen.text += u.content.text;
		if (u.sessionUpdate === "tool_call_update" && u.status) seen.calls.set(u.toolCallId, u.status);
	})
	.onRequest("session/request_permission", async ({ params, signal }) => {
		if (answer !== "elsewhere") return { outcome: { outcome: "selected", optionId: answer } };
		say({ waits: params.sessionId });
		await new Promise((done) => (signal.aborted ? done() : signal.addEventListener("abort", done)));
		seen.withdrawn = true;
		return { outcome: { outcome: "cancelled" } };
	});

app.onRequest("elicitation/create", ({ params }) => {
	seen.asked.push(params.message);
	return { action: "accept", content: answer };
}).onRequest("fs/read_text_file", ({ params }) => {
	seen.asked.push(params.path);
	return { content: process.env.EDITOR_TEXT };
});

async function play(ctx, session, [what, text]) {
	const prompt = () => ctx.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text }] });
	switch (what) {
	case "prompt":
		return prompt();
	case "cancel": {
		const running = prompt();
		await ctx.notify("session/cancel", { sessionId: session });
		return running;
	}
	case "list":
		return ctx.request("session/list", {});
	case "load":
		return ctx.request("session/load", { sessionId: session, cwd: dir, mcpServers: text ?? [] });
	case "resume":
		return ctx.request("session/resume", { sessionId: session, cwd: dir });
	case "close":
	case "delete":
		return ctx.request(`session/${what}`, { sessionId: session });
	case "authenticate":
		return ctx.request("authenticate", { methodId: text });
	case "logout":
		return ctx.request("logout", {});
	}
}

await app.connectWith(stream, async (ctx) => {
	await ctx.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: JSON.parse(process.env.EDITOR_CAN ?? "{}") });
	let session;
	for (const step of JSON.parse(steps)) {
		seen = fresh();
		answer = step[2];
		if (step[0] === "new") {
			session = (await ctx.request("session/new", { cwd: dir, mcpServers: step[1] ?? [] })).sessionId;
			continue;
		}
		const result = await play(ctx, session, step);
		say({ step, result, text: seen.text, calls: [...seen.calls.values()], withdrawn: seen.withdrawn, asked: seen.asked });
	}
});
child.stdin.end();
await new Promise((done) => child.on("exit", done));
process.exit(0);
