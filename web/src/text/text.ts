// The text of the console in the selected language: en.ts in English, zh.ts in Chinese.
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

/** A text with its placeholders filled in. */
export function t(word: Word, blanks: Record<string, string | number> = {}): string {
  const text = (language.value === "zh" ? zh : en)[word];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

/** The text for a word of the runtime's vocabulary; an unknown word is shown unchanged. */
export function wordFor(prefix: string, value: string): string {
  const word = `${prefix}.${value}`;
  return word in en ? t(word as Word) : value.replaceAll("_", " ");
}
