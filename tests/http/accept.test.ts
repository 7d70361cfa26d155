import express from 'express';
import type { Request } from 'express';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseAnswerType } from '../../src/http/body.ts';

// Which answers a client takes, by the table of RFC 9110, 12.5.1: the most specific range that meets a type decides.

const { request: prototype } = express();

function isTaken(accept: string, types: readonly string[]): boolean {
  const request = Object.assign(Object.create(prototype) as Request, { headers: { accept } });
  try {
    chooseAnswerType(request, types);
    return true;
  } catch {
    return false;
  }
}

interface Range {
  readonly type: string;
  readonly charset: string | undefined;
  readonly quality: number | undefined;
}

const ranges = fc.uniqueArray(
  fc.record<Range>({
    type: fc.constantFrom(
      'application/json',
      'application/problem+json',
      'application/*',
      '*/*',
      'text/html',
    ),
    charset: fc.constantFrom(undefined, 'utf-8', 'UTF-8', 'latin1'),
    quality: fc.constantFrom(undefined, 0, 0.001, 0.5, 1),
  }),
  { minLength: 1, maxLength: 6, selector: ({ type, charset }) => `${type} ${charset?.toLowerCase() ?? ''}` },
);

const write = ({ type, charset, quality }: Range): string =>
  [
    type,
    ...(charset === undefined ? [] : [`charset=${charset}`]),
    ...(quality === undefined ? [] : [`q=${quality}`]),
  ].join('; ');

/** How closely a range meets a type that is answered in UTF-8; 0 when it does not. */
function closeness({ type, charset }: Range, answer: string): number {
  const isMet = charset === undefined || charset.toLowerCase() === 'utf-8';
  if (!isMet) return 0;
  const bonus = charset === undefined ? 0 : 1;
  if (type === answer) return 6 + bonus;
  if (type === `${answer.split('/', 1)[0] ?? ''}/*`) return 4 + bonus;
  return type === '*/*' ? 1 + bonus : 0;
}

function expected(list: readonly Range[], answers: readonly string[]): boolean {
  return answers.some((answer) => {
    const [best] = list
      .filter((range) => closeness(range, answer) > 0)
      .toSorted((a, b) => closeness(b, answer) - closeness(a, answer));
    return best !== undefined && (best.quality ?? 1) > 0;
  });
}

test('an answer is taken when the closest range that meets it has a quality above 0', () => {
  fc.assert(
    fc.property(ranges, (list) => {
      expect(isTaken(list.map(write).join(', '), ['application/json'])).toBe(
        expected(list, ['application/json', 'application/problem+json']),
      );
    }),
  );
});

test('any header is read or refused, and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 2000 }), (accept) => {
      expect(typeof isTaken(accept, ['application/json'])).toBe('boolean');
    }),
  );
});

test('no header takes everything', () => {
  const request = Object.assign(Object.create(prototype) as Request, { headers: {} });
  expect(() => chooseAnswerType(request, ['application/json'])).not.toThrow();
});
