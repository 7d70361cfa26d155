import { createHighlighterCoreSync } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import json from 'shiki/langs/json.mjs';
import python from 'shiki/langs/python.mjs';
import shellscript from 'shiki/langs/shellscript.mjs';
import typescript from 'shiki/langs/typescript.mjs';

/** Class of the stylesheet by kind of token; whatever is of none of these has the colour of text. */
const CLASSES: readonly (readonly [name: string, scopes: readonly string[]])[] = [
  ['t-comment', ['comment', 'punctuation.definition.comment']],
  ['t-name', ['support.type.property-name', 'entity.name.function', 'support.function']],
  ['t-text', ['string', 'punctuation.definition.string']],
  ['t-value', ['constant', 'variable.other.normal.shell', 'variable.language']],
  ['t-word', ['keyword', 'storage']],
];

/** Colours of the theme stand for classes: the Content-Security-Policy refuses styles in elements. */
const PLAIN = '#000000';
const THEME = {
  name: 'classes',
  type: 'light' as const,
  fg: PLAIN,
  bg: '#ffffff',
  settings: [
    { settings: { foreground: PLAIN } },
    ...CLASSES.map(([, scope], index) => ({ scope: [...scope], settings: { foreground: colourOf(index) } })),
  ],
};

/** With a limit in time a busy machine would write other files than a quiet one. */
const NO_LIMIT = 0;

const LANGUAGES: Readonly<Record<string, string>> = {
  json: 'json',
  python: 'python',
  sh: 'shellscript',
  ts: 'typescript',
};

const highlighter = createHighlighterCoreSync({
  themes: [THEME],
  langs: [json, python, shellscript, typescript],
  engine: createJavaScriptRegexEngine(),
});

/** Code as HTML, its tokens in elements with classes of the stylesheet; of an unknown language without any. */
export function highlightCode(code: string, language: string, escape: (text: string) => string): string {
  const lang = LANGUAGES[language];
  if (lang === undefined) return escape(code);
  const { tokens } = highlighter.codeToTokens(code, { lang, theme: THEME.name, tokenizeTimeLimit: NO_LIMIT });
  return tokens.map((line) => renderLine(line, escape)).join('\n');
}

interface Token {
  readonly content: string;
  readonly color?: string | undefined;
}

/** Neighbours of one class become one element; space belongs to whatever is before it. */
function renderLine(tokens: readonly Token[], escape: (text: string) => string): string {
  const runs: { name: string | undefined; text: string }[] = [];
  for (const { content, color } of tokens) {
    const name = CLASSES.find((_entry, index) => colourOf(index) === color?.toLowerCase())?.[0];
    const last = runs.at(-1);
    if (last !== undefined && (last.name === name || content.trim() === '')) last.text += content;
    else runs.push({ name, text: content });
  }
  return runs
    .map(({ name, text }) =>
      name === undefined ? escape(text) : `<span class="${name}">${escape(text)}</span>`,
    )
    .join('');
}

function colourOf(index: number): string {
  return `#00000${index + 1}`;
}
