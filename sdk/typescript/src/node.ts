// For Node only: the daemon of this machine over its Unix socket, where no token is needed.
import { request } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Client, type ClientOptions } from "./client.js";
import type { Fetch } from "./wire.js";

/** A fetch over a Unix socket; the host of the address is ignored. */
export function unixFetch(socketPath: string): Fetch {
  return (url, init) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const options = { socketPath, path: pathname + search, method: init.method, headers: init.headers as Record<string, string>, signal: init.signal ?? undefined };
      const outgoing = request({ ...options, setHost: false, agent: false }, (incoming) => {
        const headers = new Headers();
        for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) headers.append(incoming.rawHeaders[i]!, incoming.rawHeaders[i + 1]!);
        resolve(new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status: incoming.statusCode!, headers }));
      });
      outgoing.setHeader("Host", "thole");
      outgoing.on("error", reject);
      outgoing.end(init.body ?? undefined);
    });
}

/** The data directory of the command line. */
export function defaultDataDir(): string {
  const { THOLE_DATA, XDG_STATE_HOME } = process.env;
  if (THOLE_DATA) return THOLE_DATA;
  return join(XDG_STATE_HOME?.startsWith("/") ? XDG_STATE_HOME : join(homedir(), ".local/state"), "thole");
}

/** The daemon of a data directory on this machine. */
export function local(dataDir: string = defaultDataDir(), options: Omit<ClientOptions, "fetch" | "token"> = {}): Client {
  return new Client("http://thole", { ...options, fetch: unixFetch(join(dataDir, "socket")) });
}
