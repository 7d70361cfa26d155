// The comparison in lines to read.
import type { Comparison } from './compare.ts';
import type { Difference } from './difference.ts';

const BODY_SHOWN = 400;

/** Requests by operation and status, then each kind of difference with its first example. */
export function formatComparison({ counts, differences }: Comparison, shown: number): string {
  const lines = [...counts]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([id, statuses]) => {
      const each = [...statuses].toSorted(([one], [other]) => one - other);
      return `  ${id.padEnd(32)}${each.map(([status, count]) => `${status}: ${count}`).join('  ')}`;
    });
  const kinds = Map.groupBy(differences, ({ request, kind }) => `${request.operationId}, ${kind}`);
  const examples = [...kinds].slice(0, shown).flatMap(([kind, all]) => {
    const [first] = all;
    return first === undefined ? [] : ['', `${all.length} of ${kind}`, ...formatExample(first)];
  });
  const left = kinds.size - shown;
  return [
    'Requests by operation and status:',
    ...lines,
    ...examples,
    ...(left > 0 ? ['', `${left} more kinds of difference.`] : []),
  ].join('\n');
}

function formatExample({ at, request, texts: [one, other], answers }: Difference): string[] {
  const { authorization, ...headers } = request.headers;
  return [
    `  request ${at}: ${request.method} ${request.target}`,
    `    with ${JSON.stringify(headers)}, ${authorization === undefined ? 'no authorization' : `authorization ${authorization.slice(0, 10)}…`}`,
    ...(request.body === undefined ? [] : [`    body ${cut(request.body.toString())}`]),
    `  then, ${answers[0].status}: ${cut(one)}`,
    `  now,  ${answers[1].status}: ${cut(other)}`,
  ];
}

function cut(text: string): string {
  return text.length > BODY_SHOWN ? `${text.slice(0, BODY_SHOWN)}…` : text;
}
