import { findBelow, listMessages, mapBelow, pairUp, schemaOf } from './contract.ts';
import type { Contract, Located, OperationPlace } from './contract.ts';
import { mediaTypesOf } from './compare-bodies.ts';
import { compareOperationId, compareStability, originOf } from './task.ts';
import type { Task } from './task.ts';
import { isRequired } from './compare-parameters.ts';
import type { Origin } from './finding.ts';

/**
 * Compares the messages of webhooks. The service sends them: their headers and bodies are compared as those of an answer,
 * and the statuses that a receiver may answer with as what a request may hold.
 */
export function compareMessages(old: Contract, next: Contract, toTask: (origin: Origin) => Task): void {
  const byKey = (contract: Contract): ReadonlyMap<string, OperationPlace> =>
    new Map(listMessages(contract).map((message) => [message.key, message]));
  const { kept, removed, added } = pairUp(byKey(old), byKey(next));
  for (const [name, message] of removed)
    report('webhook', true, message.pointer, name, toTask(originOf(message)));
  for (const [name, message] of added)
    report('webhook', false, message.pointer, name, toTask(originOf(message)));
  for (const [, from, to] of kept) {
    const task = toTask(originOf(from));
    compareStability(from, to, task);
    compareOperationId(from, to, task);
    compareSentHeaders(from, to, task);
    compareSentBody(from, to, task);
    compareAnswers(from, to, task);
  }
}

function report(
  rule: 'webhook' | 'webhook-header' | 'webhook-body' | 'webhook-answer',
  isRemoved: boolean,
  place: string,
  name: string,
  { findings, origin }: Task,
): void {
  const [old, now] = isRemoved ? [name, undefined] : [undefined, name];
  findings.add(origin, { rule, isBreaking: isRemoved, place, name, old, new: now });
}

function compareSentHeaders(old: OperationPlace, next: OperationPlace, task: Task): void {
  const { kept, removed, added } = pairUp(old.parameters, next.parameters);
  for (const [name, header] of removed) report('webhook-header', true, header.pointer, name, task);
  for (const [name, header] of added) report('webhook-header', false, header.pointer, name, task);
  for (const [name, from, to] of kept) {
    compareRequired('webhook-header', from, to, name, task);
    task.schemas.compare(task.origin, 'response', schemaOf(from), schemaOf(to));
  }
}

function compareRequired(
  rule: 'webhook-header' | 'webhook-body',
  old: Located,
  next: Located,
  name: string | undefined,
  { findings, origin }: Task,
): void {
  const [wasRequired, required] = [isRequired(old), isRequired(next)];
  if (wasRequired === required) return;
  const change = { rule, isBreaking: wasRequired, place: next.pointer, name };
  findings.add(origin, { ...change, old: wasRequired, new: required });
}

function compareSentBody(old: OperationPlace, next: OperationPlace, task: Task): void {
  const [before, now] = [findBelow(old, 'requestBody'), findBelow(next, 'requestBody')];
  if (before === undefined && now === undefined) return;
  if (before === undefined || now === undefined) {
    report('webhook-body', now === undefined, (now ?? before)?.pointer ?? next.pointer, 'body', task);
    return;
  }
  compareRequired('webhook-body', before, now, undefined, task);
  const { kept, removed, added } = pairUp(mediaTypesOf(before), mediaTypesOf(now));
  for (const [type, place] of removed) report('webhook-body', true, place.pointer, type, task);
  // A receiver does not choose: a media type that it does not know may come now.
  for (const [type, place] of added) {
    const change = { rule: 'webhook-body', isBreaking: true, place: place.pointer, name: type } as const;
    task.findings.add(task.origin, { ...change, old: undefined, new: type });
  }
  for (const [, from, to] of kept)
    task.schemas.compare(task.origin, 'response', schemaOf(from), schemaOf(to));
}

function compareAnswers(old: OperationPlace, next: OperationPlace, task: Task): void {
  const { removed, added } = pairUp(mapBelow(old, 'responses'), mapBelow(next, 'responses'));
  for (const [status, place] of removed) report('webhook-answer', true, place.pointer, status, task);
  for (const [status, place] of added) report('webhook-answer', false, place.pointer, status, task);
}
