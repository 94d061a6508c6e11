// The current page: the fragment of the address, "#/live?show=needs".  It includes the filters.
import { signal } from "@preact/signals";

export interface Place {
  path: string[];
  query: URLSearchParams;
}

function parse(): Place {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: (path || "live").split("/").map(decodeURIComponent), query: new URLSearchParams(search ?? "") };
}

export const place = signal<Place>(parse());
window.addEventListener("hashchange", () => (place.value = parse()));

export function href(path: string[], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter((pair) => pair[1])).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes filters without adding an entry to the browser's history. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [key, value] of Object.entries(changes)) value ? query.set(key, value) : query.delete(key);
  const to = href(place.value.path, Object.fromEntries(query));
  history.replaceState(null, "", to);
  place.value = parse();
}

/** The one-time code, removed from the address at once so that no history keeps it. */
export function takeCode(): string | null {
  const found = new URLSearchParams(location.hash.slice(1));
  const code = found.get("code");
  if (!code || location.hash.startsWith("#/")) return null;
  history.replaceState(null, "", `#${found.get("to") ?? "/live"}`);
  place.value = parse();
  return code;
}
