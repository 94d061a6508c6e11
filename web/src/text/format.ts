// Times, amounts and sizes formatted for reading.
import { signal } from "@preact/signals";
import { language, t } from "./text";

/** Ticks once a second, for ages and countdowns. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

const UNITS: [number, string, string][] = [
  [86_400_000, "d", "天"],
  [3_600_000, "h", "小时"],
  [60_000, "min", "分钟"],
  [1000, "s", "秒"],
];

const inUnit = (n: number, [, short, chinese]: (typeof UNITS)[number]): string => `${n} ${language.value === "zh" ? chinese : short}`;

/** "340 ms", "12 s", "3 min", "2 h", "5 d" */
export function span(ms: number): string {
  for (const unit of UNITS) if (ms >= unit[0]) return inUnit(Math.floor(ms / unit[0]), unit);
  return `${Math.max(0, Math.round(ms))} ms`;
}

/** In the largest unit that divides it exactly: "90 min", not "1 h". */
export function exactSpan(ms: number): string {
  const unit = UNITS.find(([size]) => ms >= size && ms % size === 0);
  return unit ? inUnit(ms / unit[0], unit) : `${ms} ms`;
}

export function ago(time: string): string {
  const ms = now.value - Date.parse(time);
  return ms < 2000 ? t("common.now") : t("common.ago", { span: span(ms) });
}

/** The time since then, without "ago". */
export function sinceSpan(time: string): string {
  return span(Math.max(1000, now.value - Date.parse(time)));
}

export function until(time: string): string {
  return t("common.in", { span: span(Math.max(1000, Date.parse(time) - now.value)) });
}

export function clock(time: string): string {
  return new Date(time).toLocaleTimeString(language.value === "zh" ? "zh-Hans" : "en-GB");
}

/** In the given time zone, or in the local one if the browser does not know it. */
export function dateTime(time: string, zone?: string): string {
  const locale = language.value === "zh" ? "zh-Hans" : "en-GB";
  const date = new Date(time);
  try {
    return zone ? `${date.toLocaleString(locale, { timeZone: zone })} ${zone}` : date.toLocaleString(locale);
  } catch {
    return date.toLocaleString(locale);
  }
}

/** "$0.0031"; an unknown amount is "unknown", and an estimate begins with "≈" (<Cost> adds it in words). */
export function usd(amount: number | undefined, state?: string): string {
  if (amount === undefined || (state && state !== "recorded" && state !== "estimated")) return t("common.unknown");
  const about = state === "estimated" ? "≈ " : "";
  if (amount === 0) return `${about}$0`;
  if (amount < 0.0001) return `${about}<$0.0001`;
  return `${about}$${amount < 1 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let at = -1;
  do {
    size /= 1024;
    at++;
  } while (size >= 1024 && at < units.length - 1);
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[at]}`;
}

export const number = (n: number): string => n.toLocaleString(language.value === "zh" ? "zh-Hans" : "en-GB");

/** Keeps the prefix and the end of an id: the middle is a time stamp and alike for neighbours. */
export function shortId(id: string): string {
  const at = id.indexOf("_");
  return id.length > 16 ? `${id.slice(0, at + 1)}…${id.slice(-6)}` : id;
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{13430}-\u{1345f}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * Text that a user decides about, with nothing hidden in it: invisible characters and those that look like a blank
 * are shown by code point, long runs of blanks and empty lines as a count.  base/os/reveal.c does the same for terminals.
 */
export function reveal(text: string): string {
  return text
    .replace(HIDDEN, (c) => `<U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`)
    .replace(/(?:[ \t]*\n){5,}/g, (run) => `\n<${run.split("\n").length - 2} empty lines>\n`)
    .replace(/[ \t]{65,}/g, (run) => ` <${run.length} blanks> `);
}

/**
 * Text of models, tools and peers: control characters and characters that reorder a line
 * become visible.
 */
export function safe(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) =>
    c === "\u001b" ? "␛" : `⟨${c.charCodeAt(0).toString(16)}⟩`,
  );
}

/** The last part of a path, or of a model's name; the whole one is a tooltip. */
export const baseName = (path: string): string => path.replace(/\/+$/, "").split("/").at(-1) || path;
