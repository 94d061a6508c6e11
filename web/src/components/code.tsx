// Code with colours by class; the text itself is unchanged.
import type { ComponentChildren } from "preact";
import { tokensOf } from "../text/tokens";

const MOST = 50_000; // characters; longer code stays plain

export function painted(text: string, language: string | undefined): ComponentChildren {
  const tokens = language && text.length <= MOST ? tokensOf(text, language) : undefined;
  if (!tokens) return text;
  return tokens.map(([kind, part], i) => (kind === "plain" ? part : <span key={i} class={`tk-${kind}`}>{part}</span>));
}
