// The conformance suite is made for Node 22 and imports fs.globSync, which only its other parts call.
// An older Node gets a replacement that warns.
import fs from "node:fs";
import { register } from "node:module";

const lent = `export * from "node:fs"; export { default } from "node:fs";
	export function globSync() { throw new Error("fs.globSync wants Node 22"); }`;
const hooks = `export const resolve = (name, at, next) =>
	name === "fs" && at.parentURL?.includes("/@modelcontextprotocol/conformance/")
		? { url: ${JSON.stringify("data:text/javascript," + encodeURIComponent(lent))}, shortCircuit: true }
		: next(name, at);`;

if (!fs.globSync) register("data:text/javascript," + encodeURIComponent(hooks));
