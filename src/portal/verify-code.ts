import { readReferenceFile } from '../reference/page-list.ts';
import type { Webhook } from './webhook-operations.ts';

/** A program of the guide, whose tests run it as it stands there. */
interface Program {
  readonly language: string;
  readonly code: string;
}

const COMMENTS: Readonly<Record<string, string>> = { TypeScript: '//', Python: '#', Shell: '#' };

const PROGRAMS: readonly Program[] = readPrograms(readReferenceFile('guide/signatures.md'));

function readPrograms(page: string): Program[] {
  return [...page.matchAll(/^```\w+ (\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));
}

/** How an endpoint verifies what this webhook sends, in each language of the guide. The secret itself is not known here. */
export function listVerifyCode({ id, url }: Pick<Webhook, 'id' | 'url'>): readonly Program[] {
  return PROGRAMS.map(({ language, code }) => {
    const mark = COMMENTS[language] ?? '#';
    const about = [`What is sent to ${url}`, `is signed with the secret of webhook ${id}.`];
    return { language, code: [...about.map((line) => `${mark} ${line}`), code].join('\n') };
  });
}
