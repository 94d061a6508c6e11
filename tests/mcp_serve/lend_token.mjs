// The suite knows no tokens: its requests to the daemon get one here, whichever way it sends them.
import http from "node:http";
import { createRequire } from "node:module";
import "../mcp/lend_glob.mjs";

const { Agent, setGlobalDispatcher } = createRequire(new URL("../mcp/package.json", import.meta.url))("undici");
const { MCP_URL, MCP_TOKEN } = process.env;

const add = (headers) => (Array.isArray(headers) ? [...headers, "authorization", `Bearer ${MCP_TOKEN}`] : { ...headers, authorization: `Bearer ${MCP_TOKEN}` });

setGlobalDispatcher(
  new Agent().compose((dispatch) => (options, handler) =>
    dispatch(String(options.origin) === new URL(MCP_URL).origin ? { ...options, headers: add(options.headers) } : options, handler)),
);

const request = http.request;
http.request = (...given) => {
  const made = request(...given);
  if (!made.hasHeader("authorization")) made.setHeader("Authorization", `Bearer ${MCP_TOKEN}`);
  return made;
};
