// Splits code into comments, strings, numbers, keywords and the rest, well enough for colours.  It works on a part of
// a file, such as one line of a diff, so it knows nothing about what came before.

export type TokenKind = "comment" | "string" | "number" | "keyword" | "plain";
export type Token = [kind: TokenKind, text: string];

interface Family {
  pattern: RegExp; // with the groups comment, string, number, word
  words: ReadonlySet<string>; // in lower case if the language ignores case
}

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const NUMBER = String.raw`\b(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w*\b`;

function family(comment: string, string: string, words: string): Family {
  const pattern = new RegExp(`(?<comment>${comment})|(?<string>${string})|(?<number>${NUMBER})|(?<word>[A-Za-z_$][\\w$]*)`, "gs");
  return { pattern, words: new Set(words.split(" ")) };
}

const NOTHING = "(?!)";
const C_LIKE = family(
  String.raw`\/\/[^\n]*|\/\*.*?(?:\*\/|$)|^\s*#\s*(?:include|define|if|ifdef|ifndef|else|elif|endif|pragma|undef)\b`,
  `${STRING}|\`(?:[^\`\\\\]|\\\\.)*\`?`,
  "abstract any as async await bool boolean break byte case catch chan char class const constexpr continue default defer delete do double else enum export extends extern false final finally float fn for from func function go goto if impl implements import in inline instanceof int int32_t int64_t interface let long loop map match mod mut namespace new nil null of override package private protected pub public range readonly ref return select self short signed size_t sizeof static string struct super switch template this throw throws trait true try type typedef typeof uint32_t uint64_t uint8_t undefined union unsafe unsigned use using var virtual void volatile where while yield",
);
const PYTHON = family(
  "#[^\\n]*",
  `"""(?:.*?)(?:"""|$)|'''(?:.*?)(?:'''|$)|${STRING}`,
  "False None True and as assert async await begin break case class continue def del do elif else elsif end except ensure finally for from function global if import in is lambda local match module next nil nonlocal not or pass raise require rescue return self then try unless until while with yield",
);
const SHELL_WORDS = "case do done elif else esac export fi for function if in local return set shift source then trap unset until while";
const SHELL = family("(?<=^|\\s)#[^\\n]*", STRING, SHELL_WORDS);
/** A command that a user decides about: nothing in it looks less important than the rest. */
const COMMAND = family(NOTHING, STRING, SHELL_WORDS);
const SQL = family(
  "--[^\\n]*|\\/\\*.*?(?:\\*\\/|$)",
  STRING,
  "select from where and or not null insert into values update set delete create table index view drop alter add primary key foreign references join left right inner outer on group by order having limit offset union all distinct as case when then else end begin commit rollback",
);
const DATA = family("(?<=^|\\s)[#;][^\\n]*", STRING, "true false null yes no on off");
const JSON_TEXT = family(NOTHING, STRING, "true false null");
const MARKUP = family("<!--.*?(?:-->|$)", STRING, "");
const STYLE = family("\\/\\*.*?(?:\\*\\/|$)", STRING, "important media import from to not");

const FAMILIES: [Family, string][] = [
  [C_LIKE, "c h cc cpp cxx hpp cs java js jsx mjs cjs ts tsx go rs kt swift scala php zig dart proto javascript typescript golang rust csharp kotlin"],
  [PYTHON, "py rb lua python ruby"],
  [SHELL, "sh bash zsh shell console make makefile dockerfile"],
  [COMMAND, "command"],
  [SQL, "sql"],
  [DATA, "yaml yml toml ini conf cfg properties"],
  [JSON_TEXT, "json jsonl"],
  [MARKUP, "html xml svg vue"],
  [STYLE, "css scss less"],
];
const BY_NAME = new Map(FAMILIES.flatMap(([of, names]) => names.split(" ").map((name): [string, Family] => [name, of])));

/** The language of a file, by the end of its name; a file without one may be its own, such as Makefile. */
export const languageOf = (path: string): string => /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? path.split("/").at(-1)!.toLowerCase();

/** The text in order and whole; undefined if the language is not known. */
export function tokensOf(text: string, language: string | undefined): Token[] | undefined {
  const of = BY_NAME.get(language?.toLowerCase() ?? "");
  if (!of) return undefined;
  const tokens: Token[] = [];
  let at = 0;
  for (const found of text.matchAll(of.pattern)) {
    const { comment, string, number } = found.groups!;
    const isWord = comment === undefined && string === undefined && number === undefined;
    if (isWord && !of.words.has(of === SQL ? found[0].toLowerCase() : found[0])) continue;
    if (found.index > at) tokens.push(["plain", text.slice(at, found.index)]);
    tokens.push([isWord ? "keyword" : comment !== undefined ? "comment" : string !== undefined ? "string" : "number", found[0]]);
    at = found.index + found[0].length;
  }
  if (at < text.length) tokens.push(["plain", text.slice(at)]);
  return tokens;
}
