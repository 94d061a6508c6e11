// The TypeScript client against a real daemon that is killed, cut off and restarted.
//
//   node sdk_test.mjs BUILD_DIR [WORD...]          prints TAP; WORD: only tests whose name contains it
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, Gap, NoModel, Problem, Unreachable, work } from "../dist/index.js";
import { local } from "../dist/node.js";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const script = path.join(root, "examples/scripts/approval.json");
// It only decides how long a failure takes; it grows with the load of the machine.
const patienceMs = 1000 * Number(process.env.THOLE_PATIENCE ?? 20) * Math.max(2, (2 * os.loadavg()[0]) / os.cpus().length);

// ---- the daemon ----

/** Below the range from which the kernel gives ports to others: it is free after a restart too. */
const freePort = async () => {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 12768);
    const server = net.createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(() => true, () => false);
    server.close();
    if (isFree) return port;
  }
};

class Daemon {
  static async make(build) {
    const d = new Daemon();
    d.dir = fs.mkdtempSync(path.join(os.tmpdir(), "thole-sdk-"));
    d.data = path.join(d.dir, "data");
    d.port = await freePort();
    d.program = path.join(build, "thole");
    await d.start();
    return d;
  }

  async start() {
    const args = ["serve", "--data", this.data, "--listen", `127.0.0.1:${this.port}`, "--script", script, "-c", "recovery.resume=auto"];
    this.process = spawn(this.program, args, {
      cwd: this.dir,
      env: { ...process.env, THOLE_STRICT: "1", XDG_CONFIG_HOME: this.dir },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    for await (const piece of this.process.stderr.iterator({ destroyOnReturn: false })) {
      said += piece;
      if (said.includes(`127.0.0.1:${this.port}`)) break;
    }
    assert.ok(said.includes(`127.0.0.1:${this.port}`), `the daemon did not come up: ${said}`);
    this.process.stderr.resume();
  }

  async end(signal) {
    if (this.process.exitCode !== null || this.process.signalCode) return;
    const over = once(this.process, "exit");
    this.process.kill(signal);
    await over;
  }

  async restart() {
    await this.end("SIGKILL");
    await this.start();
  }

  local(options) {
    return local(this.data, { patienceMs, ...options });
  }

  tcp(port = this.port) {
    const token = fs.readFileSync(path.join(this.data, "token"), "utf8").trim();
    return new Client(`http://127.0.0.1:${port}`, { token, patienceMs });
  }

  async done() {
    await this.end("SIGTERM");
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

// A proxy that lets each connection live for so many bytes of answer, then cuts it.
async function cutter(port) {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
  const proxy = { cuts: 0 };
  const server = net.createServer((peer) => {
    let left = 500 + random() * 15500;
    const behind = net.connect(port, "127.0.0.1");
    const close = () => (peer.destroy(), behind.destroy());
    peer.on("error", close).on("close", close).pipe(behind);
    behind.on("error", close).on("close", close).on("data", (data) => {
      peer.write(data.subarray(0, left));
      left -= data.length;
      if (left > 0) return;
      proxy.cuts += 1;
      peer.end(close);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(proxy, { port: server.address().port, close: () => server.close() });
}

const key = (event) => `${event.sequence} ${event.eventId}`;

async function stored(client, session, more = {}) {
  const found = [];
  for await (const event of await client.events({ session, follow: false, ...more })) found.push(key(event));
  return found;
}

function whole(events) {
  assert.deepEqual(events.map((e) => parseInt(e)), events.map((_, i) => i + 1));
  return events;
}

const refused = async (promise, code) => {
  try {
    await promise;
  } catch (e) {
    assert.ok(e instanceof Problem, String(e));
    assert.equal(e.code, code);
    return e;
  }
  throw new Error(`${code} did not come`);
};

async function pending(client) {
  const ids = [];
  for await (const action of client.actions()) ids.push(action.actionId);
  return ids;
}

// ---- tests ----

// ---- work ----

const external = async (client, objective, maxAttempts) => {
  const retryPolicy = { maxAttempts, backoff: "immediate", nonRetryable: [] };
  const { sessionId, taskId } = await client.call("create_task", { objective, taskKind: "count", retryPolicy });
  await client.call("start_task", { sessionId, taskId, worker: { kind: "external" } });
  return { sessionId, taskId };
};
const record = async (client, ids) => (await client.call("get_task", ids)).task;
const until = async (what, holds) => {
  for (const end = Date.now() + patienceMs; !(await holds()); ) {
    assert.ok(Date.now() < end, `${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const tests = {
  async "a turn runs to its result"(d) {
    for (const client of [d.local(), d.tcp()]) {
      const result = await (await client.run("hello")).result();
      assert.equal(result.status, "completed");
      assert.equal(result.text, "Say deploy.");
      assert.ok(result.costUsd > 0);
      const { sessionId } = result;
      assert.equal((await client.call("get_session", { sessionId })).sessionId, sessionId);
      let words = "";
      for await (const piece of (await client.run("again", { sessionId })).text()) words += piece;
      assert.equal(words, "Say deploy.");
    }
  },

  async "an unknown model throws"(d) {
    const run = await d.local().run("hello", { model: "no-such-model" });
    await assert.rejects(run.result(), (why) => why instanceof NoModel && why.message.includes("no-such-model"));
  },

  async "an image is uploaded before its turn"(d) {
    const data = new Uint8Array(8 + (1 << 20));
    data.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    for (const client of [d.local(), d.tcp()]) {
      const part = await client.image(data, "image/png");
      assert.equal(part.bytes, data.length);
      const made = await client.call("submit_turn", { input: [{ type: "text", text: "look" }, part] });
      for await (const sent of await client.events({ session: made.sessionId, types: ["turn.submitted"], follow: false }))
        assert.deepEqual(sent.payload.input.map((p) => p.type), ["text", "image"]);
      assert.equal(Buffer.compare(Buffer.from(await client.output(part.ref)), Buffer.from(data)), 0);
      await refused(client.image(new Uint8Array([1, 2, 3]), "image/png"), "invalid_value");
      await refused(client.image(new Uint8Array(0), "image/png"), "invalid_value");
    }
  },

  async "a refusal carries its code"(d) {
    const client = d.local();
    const p = await refused(client.call("get_session", { sessionId: "sess_none" }), "session_not_found");
    assert.equal(p.status, 404);
    assert.ok(p.detail && !p.retryable);
    await refused(client.run("x", { delivery: "sideways" }), "invalid_value");
    await refused(client.events({ session: "sess_none" }), "session_not_found");
    await refused(new Client(`http://127.0.0.1:${d.port}`, { token: "wrong" }).call("list_sessions", {}), "unauthorized");
  },

  async "a command with the same key is one"(d) {
    const client = d.tcp();
    const args = { input: "hello", idempotencyKey: "k1" };
    const first = await client.call("submit_turn", args);
    assert.equal((await client.call("submit_turn", args)).turnId, first.turnId);
    await refused(client.call("submit_turn", { ...args, input: "other" }), "idempotency_conflict");
  },

  async "an action is answered once and from elsewhere"(d) {
    const [client, other] = [d.local(), d.tcp()];
    const run = await client.run("deploy");
    let asked;
    const result = await run.result(async (action) => {
      asked = action;
      assert.deepEqual(await pending(other), [action.actionId]);
      await other.answer(action, "allow");
      return undefined;
    });
    assert.equal(result.text, "The tool said: deployed to staging");
    const late = await refused(client.answer(asked, { decision: "deny", reason: "too late" }), "already_resolved");
    assert.equal(late.body.winner.decision, "allow");
  },

  async "a decision outlives a kill in the middle of the iteration"(d) {
    for (const client of [d.local(), d.tcp()]) {
      const run = await client.run("deploy");
      const seen = [];
      for await (const event of run) {
        seen.push(key(event));
        if (event.type !== "action.required") continue;
        await d.restart();
        assert.deepEqual(await pending(client), [event.actionId]);
        await client.answer(event, "allow");
      }
      assert.equal((await run.result()).text, "The tool said: deployed to staging");
      const turn = await stored(client, run.sessionId, { turn: run.turnId });
      assert.deepEqual(seen, turn.slice(0, seen.length));
    }
  },

  async "a follower misses nothing over kills"(d) {
    const client = d.tcp();
    const { sessionId } = await client.call("create_session", {});
    const seen = [];
    const follow = (async () => {
      for await (const event of await client.events({ session: sessionId })) {
        seen.push(key(event));
        if (event.type === "session.updated") return;
      }
    })();
    for (let n = 0; n < 6; n++) {
      await client.call("submit_turn", { sessionId, input: `turn ${n}`, delivery: "queue" });
      if (n % 2) await d.restart();
    }
    await (await client.run("the last", { sessionId, delivery: "queue" })).result();
    await client.call("update_session", { sessionId, title: "over" });
    await follow;
    assert.deepEqual(whole(seen), (await stored(client, sessionId)).slice(0, seen.length));
  },

  async "a stream that is cut anywhere brings each event once"(d) {
    const straight = d.local();
    const { sessionId } = await (await straight.run("hello")).result();
    for (let n = 0; n < 5; n++) await (await straight.run("hello", { sessionId })).result();
    const log = whole(await stored(straight, sessionId));
    const proxy = await cutter(d.port);
    const seen = [];
    for await (const event of await d.tcp(proxy.port).events({ session: sessionId })) {
      seen.push(key(event));
      if (seen.length === log.length) break;
    }
    assert.deepEqual(seen, log);
    assert.ok(proxy.cuts > 5, `only ${proxy.cuts} cuts`);
    assert.equal((await (await d.tcp(proxy.port).run("hello", { sessionId })).result()).text, "Say deploy.");
    proxy.close();
  },

  async "a cursor works in another client"(d) {
    const client = d.local();
    const { sessionId: session } = await (await client.run("hello")).result();
    const first = await client.events({ session });
    for (let n = 1; n <= 5; n++) assert.equal((await first.next()).value.sequence, n);
    first.close();
    assert.equal((await first.next()).done, true);
    assert.equal(parseInt((await stored(d.tcp(), session, { after: first.cursor }))[0]), 6);
  },

  async "events come in another form"(d) {
    const client = d.local();
    const { sessionId: session } = await (await client.run("hello")).result();
    const read = async (more) => {
      const found = [];
      for await (const event of await client.events({ session, follow: false, ...more })) found.push(event);
      return found;
    };
    const plain = await read({});
    const told = await read({ as: "agent_ui" });
    assert.deepEqual(told.map((e) => [e.rawEventRef, e.runtimeType, e.sequence]), plain.map((e) => [e.eventId, e.type, e.sequence]));
    assert.deepEqual(told.filter((e) => e.runtimeType === "turn.completed").map((e) => e.type), ["run.finished"]);
    assert.deepEqual(await read({ as: "agent_ui", after: 5 }), told.slice(5));
    await refused(client.events({ session, as: "agent_tea" }), "invalid_value");
  },

  async "a stream from the end begins with what comes"(d) {
    const client = d.tcp();
    const stream = await client.events({ after: "end" });
    const { turnId } = await client.call("submit_turn", { input: "hello" });
    for await (const event of stream) {
      if (event.type !== "turn.submitted") continue;
      assert.equal(event.turnId, turnId);
      break;
    }
  },

  async "a gap is reported and the stream continues after it"(d) {
    const client = d.local();
    const { sessionId } = await (await client.run("hello")).result();
    const { event } = await (await client.run("hello", { sessionId })).result();
    await client.call("trim_log", { sessionId, through: event.sequence - 1 });
    const stream = await client.events({ session: sessionId, after: 1, follow: false });
    const gap = await stream.next().catch((e) => e);
    assert.ok(gap instanceof Gap, String(gap));
    assert.equal(gap.body.from, 2);
    assert.ok(gap.body.snapshot);
    assert.equal((await stream.next()).value.sequence, gap.body.to + 1);
  },

  async "close ends a reader that waits"(d) {
    const stream = await d.local().events({ after: "end" });
    const waiting = stream.next();
    stream.close();
    assert.equal((await waiting).done, true);
  },

  async "a runtime that is gone is said to be unreachable"(d) {
    const client = d.local({ patienceMs: 300 });
    const { sessionId } = await (await client.run("hello")).result();
    const stream = await client.events({ session: sessionId });
    await d.end("SIGKILL");
    await assert.rejects(client.call("list_sessions", {}), Unreachable);
    await assert.rejects(async () => { for await (const _ of stream); }, Unreachable);
    await assert.rejects(client.run("hello"), Unreachable);
    await d.start();
  },

  async "a session works where the program is"(d) {
    for (const [client, wanted] of [[d.local(), process.cwd()], [d.local({ cwd: "/usr" }), "/usr"]]) {
      const { sessionId } = await (await client.run("hello")).result();
      const task = await client.call("create_task", { objective: "x" });
      for (const session of [sessionId, task.sessionId])
        for await (const event of await client.events({ session, types: ["session.created"], follow: false })) assert.equal(event.payload.cwd, wanted);
      assert.equal((await (await client.run("hello", { sessionId })).result()).status, "completed");
    }
    await refused(d.local().run("hello", { cwd: "/nowhere" }), "directory_unusable");
  },

  async "the loop of a worker completes, fails and cancels"(d) {
    const client = d.local();
    const [good, bad, ended] = [await external(client, "one two three", 1), await external(client, "break", 1), await external(client, "wait", 1)];
    const reported = await work(
      client,
      async (job) => {
        if (job.objective === "break") throw new Error("no such thing");
        if (job.objective === "wait") {
          await client.call("cancel_task", ended);
          await once(job.signal, "abort");
          job.signal.throwIfAborted();
        }
        await job.progress(50, "half");
        return `${job.objective.split(" ").length} words`;
      },
      { kind: "count", leaseMs: 600, once: true },
    );
    assert.equal(reported, 3);
    assert.equal((await record(client, good)).attempts[0].completionSummary, "3 words");
    assert.match((await record(client, bad)).lastError.message, /no such thing/);
    assert.equal((await record(client, ended)).status, "cancelled");
  },

  async "a task of a killed worker is done by the next"(d) {
    const client = d.local();
    const ids = await external(client, "one two three four five six seven eight", 2);
    // The example as a program that installed the package would run it.
    const home = fs.mkdtempSync(path.join(d.dir, "worker-"));
    fs.mkdirSync(path.join(home, "node_modules"));
    fs.symlinkSync(path.join(root, "sdk/typescript"), path.join(home, "node_modules/thole"));
    const example = fs.readFileSync(path.join(root, "examples/work.ts"), "utf8");
    fs.writeFileSync(path.join(home, "work.mjs"), example); // it has no types of its own, so any Node runs it
    const worker = (pace) => spawn(process.execPath, [path.join(home, "work.mjs"), d.data, "count", String(pace), "1000"], { stdio: ["ignore", "pipe", "inherit"] });
    const status = (wanted) => until(`the status ${wanted}`, async () => (await record(client, ids)).status === wanted);
    const first = worker(500);
    await status("running");
    first.kill("SIGKILL");
    await status("waiting_resource");
    let said = "";
    for await (const piece of worker(0).stdout) said += piece;
    assert.match(said, /claimed task_.*\nreported 1/);
    const task = await record(client, ids);
    assert.deepEqual(task.attempts.map((a) => a.nativeStatus ?? a.status), ["lost", "completed"]);
  },

  async "an output is read whole"(d) {
    const client = d.local();
    for await (const event of await client.run("hello"))
      if (event.type === "turn.submitted") assert.match(new TextDecoder().decode(await client.output(event.payload.inputRef)), /hello/);
    await refused(client.output("out_none"), "output_not_found");
  },
};

const [build, ...words] = process.argv.slice(2);
const chosen = Object.entries(tests).filter(([name]) => !words.length || words.some((w) => name.includes(w)));
const d = await Daemon.make(path.resolve(build));
let failed = 0;
for (const [i, [name, test]] of chosen.entries()) {
  try {
    await test(d);
    console.log(`ok ${i + 1} - typescript: ${name}`);
  } catch (e) {
    failed += 1;
    console.log(`not ok ${i + 1} - typescript: ${name}`);
    console.log(String(e.stack).replace(/^/gm, "# "));
    if (d.process.exitCode !== null || d.process.signalCode) await d.start();
  }
}
await d.done();
console.log(`1..${chosen.length}`);
process.exit(failed ? 1 : 0);
