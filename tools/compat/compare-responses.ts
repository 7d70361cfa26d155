import { mapBelow, pairUp, schemaOf } from './contract.ts';
import type { Located, OperationPlace } from './contract.ts';
import { compareMediaTypes } from './compare-bodies.ts';
import { reportUnsupported } from './task.ts';
import type { Task } from './task.ts';
import { isRequired } from './compare-parameters.ts';

/** Compares statuses, and of each status that stays its headers and bodies. */
export function compareResponses(old: OperationPlace, next: OperationPlace, task: Task): void {
  const { findings, origin } = task;
  const { kept, removed, added } = pairUp(mapBelow(old, 'responses'), mapBelow(next, 'responses'));
  const rule = 'response-status';
  for (const [status] of removed) {
    const change = {
      rule,
      isBreaking: isSuccess(status),
      place: `${old.pointer}/responses/${status}`,
    } as const;
    findings.add(origin, { ...change, name: status, old: status, new: undefined });
  }
  for (const [status] of added) {
    const isBreaking = isSuccess(status) || isRedirection(status);
    const change = { rule, isBreaking, place: `${next.pointer}/responses/${status}` } as const;
    findings.add(origin, { ...change, name: status, old: undefined, new: status });
  }
  for (const [, from, to] of kept) {
    compareHeaders(from, to, task);
    compareSent(from, to, task);
    reportUnsupported(from, to, 'links', task);
  }
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}

/** 304 comes to those alone who ask for it. */
function isRedirection(status: string): boolean {
  return status.startsWith('3') && status !== '304';
}

function compareHeaders(old: Located, next: Located, { findings, schemas, origin }: Task): void {
  const headers = (response: Located): ReadonlyMap<string, Located> =>
    mapBelow(response, 'headers', (name) => name.toLowerCase());
  const { kept, removed, added } = pairUp(headers(old), headers(next));
  const rule = 'response-header';
  for (const [name] of removed) {
    const place = `${old.pointer}/headers`;
    findings.add(origin, { rule, isBreaking: true, place, name, old: name, new: undefined });
  }
  for (const [name] of added) {
    const place = `${next.pointer}/headers`;
    findings.add(origin, { rule, isBreaking: false, place, name, old: undefined, new: name });
  }
  for (const [name, from, to] of kept) {
    const [wasRequired, required] = [isRequired(from), isRequired(to)];
    if (wasRequired !== required) {
      const change = {
        rule: 'response-header-required',
        isBreaking: wasRequired,
        place: to.pointer,
      } as const;
      findings.add(origin, { ...change, name, old: wasRequired, new: required });
    }
    schemas.compare(origin, 'response', schemaOf(from), schemaOf(to));
  }
}

function compareSent(old: Located, next: Located, task: Task): void {
  for (const [, from, to] of compareMediaTypes(old, next, 'response-media-type', task))
    task.schemas.compare(task.origin, 'response', schemaOf(from), schemaOf(to));
}
