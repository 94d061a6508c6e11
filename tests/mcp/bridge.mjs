// A server on an address for a client that speaks over pipes: each line of standard input is one POST,
// each message that comes back is one line of standard output.  Nothing is added, left out or changed;
// only headers are made, from what the messages themselves say.
//
// usage: node bridge.mjs URL
import readline from "node:readline";

const url = process.argv[2];
let session, version;

const give = (text) => process.stdout.write(JSON.stringify(JSON.parse(text)) + "\n");

function headers(message) {
	const meta = message.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
	const h = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

	if (meta ?? version) h["MCP-Protocol-Version"] = meta ?? version;
	if (session) h["Mcp-Session-Id"] = session;
	if (meta && message.method) h["Mcp-Method"] = message.method;
	if (meta && message.method === "tools/call") h["Mcp-Name"] = message.params.name;
	return h;
}

// Messages of an event stream; an event without data (a server may begin with one) is none.
async function events(body) {
	let rest = "";

	for await (const piece of body.pipeThrough(new TextDecoderStream())) {
		const blocks = (rest + piece).split(/\r?\n\r?\n/);

		rest = blocks.pop();
		for (const block of blocks) {
			const data = block.split(/\r?\n/).filter((l) => l.startsWith("data:")).map((l) => l.slice(5)).join("\n");

			if (data.trim()) give(data);
		}
	}
}

async function take(response) {
	const type = response.headers.get("content-type") ?? "";

	if (type.startsWith("text/event-stream")) return events(response.body);
	const text = await response.text();

	if (type.startsWith("application/json") && text) give(text);
	else if (!response.ok) process.stderr.write(`${response.status}: ${text.slice(0, 300)}\n`);
}

// What a server says without being asked, up to 2025-11-25; many have nothing to say.
async function listen() {
	const response = await fetch(url, { headers: { ...headers({}), Accept: "text/event-stream" } });

	if (response.ok) await events(response.body);
	else await response.body?.cancel();
}

async function post(message, line) {
	const response = await fetch(url, { method: "POST", headers: headers(message), body: line });

	session = response.headers.get("mcp-session-id") ?? session;
	return response;
}

function lost(why) {
	process.stderr.write(`${why?.cause ?? why}\n`);
	process.exit(1);
}

for await (const line of readline.createInterface({ input: process.stdin })) {
	const message = JSON.parse(line);

	if (message.method === "initialize") version = message.params.protocolVersion;
	const sent = post(message, line).then(take).catch(lost);

	// What is only told comes before what is said after it.
	if (message.id === undefined) await sent;
	if (message.method === "notifications/initialized") listen().catch(lost);
}
process.exit(0);
