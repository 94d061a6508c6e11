// Decodes OTLP requests with protobufjs by the official message definitions: node decode.mjs SPECS < LINES > LINES
// A line is {"kind": "ExportTraceServiceRequest", "body": BASE64}; the answer is the message, with 64-bit numbers as text.
import { createInterface } from "node:readline";
import { join } from "node:path";
import protobuf from "protobufjs";

const specs = process.argv[2];
const root = new protobuf.Root();
root.resolvePath = (_, target) => (target.startsWith("/") ? target : join(specs, target));
const services = ["trace", "logs", "metrics"].map((s) => `opentelemetry/proto/collector/${s}/v1/${s}_service.proto`);
root.loadSync(services).resolveAll();

for await (const line of createInterface({ input: process.stdin })) {
	const { kind, body } = JSON.parse(line);
	const type = root.lookupType(kind);
	const message = type.decode(Buffer.from(body, "base64"));
	const wrong = type.verify(message);
	if (wrong) throw new Error(`${kind}: ${wrong}`);
	console.log(JSON.stringify(type.toObject(message, { longs: String, bytes: String })));
}
