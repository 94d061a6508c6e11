// The text of the console in the selected language: en.ts and en_pages.ts in English, zh.ts in Chinese.  Chinese is
// loaded on demand, and en_pages.ts with the first page that is.
import { signal } from "@preact/signals";
import { en, type Word } from "./en";

export type { Word };
export type Language = "en" | "zh";

type Chinese = { zh: Record<Word, string>; daemon: Record<string, string> };
let chinese: Chinese | undefined;
let english: Partial<Record<Word, string>> = en;

/** Before a page that is loaded on the first visit. */
export async function loadPageTexts(): Promise<void> {
  if (english === en) english = { ...en, ...(await import("./en_pages")).enPages };
}

function preferred(): Language {
  const kept = localStorage.getItem("thole.language");
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const language = signal<Language>("en");

async function show(to: Language): Promise<void> {
  if (to === "zh") chinese ??= await import("./zh");
  language.value = to;
  document.documentElement.lang = to === "zh" ? "zh-Hans" : "en";
}

/** Before the first page: the language of the last visit, or the browser's. */
export const showPreferred = (): Promise<void> => show(preferred()).catch(() => show("en"));

export async function setLanguage(to: Language): Promise<void> {
  localStorage.setItem("thole.language", to);
  await show(to);
}

const textOf = (word: Word): string => (language.value === "zh" ? chinese!.zh : english)[word] ?? word;

/** A text with its placeholders filled in. */
export function t(word: Word, blanks: Record<string, string | number> = {}): string {
  return textOf(word).replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

/** The text for a word of the runtime's vocabulary; an unknown word is shown unchanged. */
export function wordFor(prefix: string, value: string): string {
  const word = `${prefix}.${value}`;
  return word in english ? t(word as Word) : value.replaceAll("_", " ");
}

/** A sentence for a stable code of the runtime (daemon_zh.ts); undefined in English, where the runtime's own is shown. */
export function sentenceFor(kind: string, code: string | undefined): string | undefined {
  return language.value === "zh" ? (chinese!.daemon[`${kind}.${code}`] ?? chinese!.daemon[`${kind}.other`]) : undefined;
}
