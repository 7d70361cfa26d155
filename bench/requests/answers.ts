// Whether those who are measured side by side give the same answers.
import { randomUUID } from 'node:crypto';
import type { Caller, Question } from './questions.ts';
import type { TargetName, Targets } from './world.ts';

/** What no two answers have in common. */
const OF_ITS_OWN = [
  [/"pat_[\w-]{43}"/g, '"TOKEN"'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'INSTANT'],
] as const;

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

/** The answer of a target to a question; of what is created, ids, instants and tokens are masked. */
export async function fetchAnswer(port: number, question: Question, caller: Caller): Promise<Answer> {
  const { method, path, ids: [id = ''] = [], headers, body } = question.ask(caller);
  const answer = await fetch(`http://127.0.0.1:${port}${path.replace('{id}', id)}`, {
    method,
    headers,
    body: body?.replaceAll('{unique}', randomUUID()) ?? null,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: method === 'GET' ? text : mask(text),
  };
}

function mask(text: string): string {
  return OF_ITS_OWN.reduce((masked, [pattern, name]) => masked.replaceAll(pattern, name), text);
}

/** Whom a question is asked, of those that there are. */
export function targetsOf({ of }: Question, targets: Targets): [name: TargetName, port: number][] {
  const all = Object.entries(targets) as [TargetName, number][];
  return of === 'service and memory' ? all.filter(([name]) => name !== 'peer') : all;
}

/** Leaves with the bare server what it is to answer from memory, as the service answers it now. */
export async function fillMemory(
  targets: Targets,
  questions: readonly Question[],
  caller: Caller,
): Promise<void> {
  const { service, bare } = targets;
  if (service === undefined || bare === undefined) return;
  for (const question of questions.filter(({ of }) => of === 'service and memory')) {
    const { body } = await fetchAnswer(service, question, caller);
    const { path } = question.ask(caller);
    const kept = await fetch(`http://127.0.0.1:${bare}${path}`, { method: 'PUT', body });
    await kept.text();
  }
}

/** Throws unless each target answers each question as the others do, to the byte. */
export async function checkAnswers(
  targets: Targets,
  questions: readonly Question[],
  caller: Caller,
): Promise<void> {
  for (const question of questions) {
    const answers: Record<string, string> = {};
    for (const [name, port] of targetsOf(question, targets))
      answers[name] = JSON.stringify(await fetchAnswer(port, question, caller));
    if (new Set(Object.values(answers)).size > 1)
      throw new Error(`${question.name} is not answered alike: ${JSON.stringify(answers, null, 2)}`);
  }
}
