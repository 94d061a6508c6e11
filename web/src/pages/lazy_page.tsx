// Pages that are loaded on the first visit, so that the first load stays small.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { Failed } from "../components/ui";
import { loadPageTexts, t, type Word } from "../text/text";

type Load = () => Promise<ComponentType>;

export const LAZY_PAGES: Record<string, Load> = {
  tasks: async () => (await import("./tasks")).Tasks,
  agents: async () => (await import("./agents")).Agents,
  jobs: async () => (await import("./jobs")).Jobs,
  schedules: async () => (await import("./schedules")).Schedules,
  processes: async () => (await import("./processes")).Processes,
  channels: async () => (await import("./channels")).Channels,
  peers: async () => (await import("./peers")).Peers,
  logins: async () => (await import("./logins")).Logins,
  tokens: async () => (await import("./tokens")).Tokens,
  queue: async () => (await import("./queue")).Queue,
  routing: async () => (await import("./routing")).Routing,
  cost: async () => (await import("./cost")).Cost,
  evidence: async () => (await import("./evidence")).Evidence,
  benchmarks: async () => (await import("./benchmarks")).Benchmarks,
  policy: async () => (await import("./policy")).Policy,
  events: async () => (await import("./events")).Events,
  nodes: async () => (await import("./nodes")).Nodes,
  health: async () => (await import("./health")).Health,
};

const loaded = signal<Record<string, ComponentType>>({});
const failures = signal<Record<string, Error>>({});

function fetchPage(name: string, load: Load): void {
  Promise.all([load(), loadPageTexts()]).then(
    ([page]) => (loaded.value = { ...loaded.value, [name]: page }),
    (e: Error) => (failures.value = { ...failures.value, [name]: e }),
  );
}

export function LazyPage({ name, load }: { name: string; load: Load }) {
  const Page = loaded.value[name];
  if (Page) return <Page />;
  const failure = failures.value[name];
  if (!failure) fetchPage(name, load);
  return (
    <div class="page">
      <div class="bar">
        <h1>{t(`nav.${name}` as Word)}</h1>
      </div>
      {failure ? <Failed why={failure} again={() => location.reload()} /> : <p class="reading">{t("common.loading")}</p>}
    </div>
  );
}
