import { expect } from 'vitest';
import type { Api } from '../support/api.ts';

/** The languages in which the reference shows the call of an operation. */
export const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The code of a page by language, taken from its Markdown as a reader does. */
export async function readSnippets(api: Api, page: string): Promise<ReadonlyMap<string, string>> {
  const { status, text } = await api.fetch('get', `${page}.md`);
  expect([page, status]).toEqual([page, 200]);
  const fences = text.matchAll(/^```\w+ (curl|TypeScript|Python|Shell)\n([^]*?)\n```$/gm);
  return new Map([...fences].map(([, language = '', code = '']) => [language, code]));
}
