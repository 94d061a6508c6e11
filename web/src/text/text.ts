// The sentences of the console: words_en.ts has them in English, words_zh.ts in Chinese.
import { signal } from "@preact/signals";
import { en, type Word } from "./en";
import { zh } from "./zh";

export type { Word };
export type Language = "en" | "zh";

function preferred(): Language {
  const kept = localStorage.getItem("thole.language");
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const language = signal<Language>(preferred());

export function setLanguage(to: Language): void {
  language.value = to;
  localStorage.setItem("thole.language", to);
  document.documentElement.lang = to === "zh" ? "zh-Hans" : "en";
}

/** A sentence with its blanks filled. */
export function t(word: Word, blanks: Record<string, string | number> = {}): string {
  const text = (language.value === "zh" ? zh : en)[word];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

/** A word of the runtime's vocabulary; one that this console does not know is shown as it came. */
export function told(prefix: string, value: string): string {
  const word = `${prefix}.${value}`;
  return word in en ? t(word as Word) : value.replaceAll("_", " ");
}
