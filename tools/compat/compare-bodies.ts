import { findBelow, mapBelow, pairUp, schemaOf } from './contract.ts';
import type { Located, OperationPlace } from './contract.ts';
import { reportUnsupported } from './task.ts';
import type { Task } from './task.ts';
import { isRequired } from './compare-parameters.ts';

/** How many bytes a body has at most, where the operation says nothing else in `x-max-body-bytes`. */
export const MAX_BODY_BYTES = 65_536;

/** Compares the body of a request, its media types and its greatest size. */
export function compareRequestBody(old: OperationPlace, next: OperationPlace, task: Task): void {
  const { findings, origin } = task;
  const [before, now] = [findBelow(old, 'requestBody'), findBelow(next, 'requestBody')];
  if (before === undefined || now === undefined) {
    const place = (now ?? before)?.pointer;
    if (place === undefined) return;
    const isBreaking = now === undefined || isRequired(now);
    const describe = (body: Located | undefined): string | undefined =>
      body === undefined ? undefined : isRequired(body) ? 'required' : 'optional';
    findings.add(origin, {
      rule: 'request-body',
      isBreaking,
      place,
      old: describe(before),
      new: describe(now),
    });
    return;
  }
  const [wasRequired, required] = [isRequired(before), isRequired(now)];
  if (wasRequired !== required) {
    const change = { rule: 'request-body-required', isBreaking: required, place: now.pointer } as const;
    findings.add(origin, { ...change, old: wasRequired, new: required });
  }
  compareLimit(old, next, task);
  compareTaken(before, now, task);
}

function compareLimit(old: OperationPlace, next: OperationPlace, { findings, origin }: Task): void {
  const [before, now] = [old, next].map(
    ({ node }) => (node['x-max-body-bytes'] as number | undefined) ?? MAX_BODY_BYTES,
  ) as [number, number];
  if (before === now) return;
  const change = { rule: 'request-body-limit', isBreaking: now < before, place: next.pointer } as const;
  findings.add(origin, { ...change, old: before, new: now });
}

function compareTaken(old: Located, next: Located, task: Task): void {
  const { schemas, origin } = task;
  for (const [, from, to] of compareMediaTypes(old, next, 'request-media-type', task)) {
    schemas.compare(origin, 'request', schemaOf(from), schemaOf(to));
    reportUnsupported(from, to, 'encoding', task);
  }
}

/** Compares which media types there are; those that stay come back, with their places before and now. */
export function compareMediaTypes(
  old: Located,
  next: Located,
  rule: 'request-media-type' | 'response-media-type',
  { findings, origin }: Task,
): readonly (readonly [type: string, old: Located, next: Located])[] {
  const { kept, removed, added } = pairUp(mediaTypesOf(old), mediaTypesOf(next));
  for (const [type, place] of removed)
    findings.add(origin, {
      rule,
      isBreaking: true,
      place: place.pointer,
      name: type,
      old: type,
      new: undefined,
    });
  for (const [type, place] of added)
    findings.add(origin, {
      rule,
      isBreaking: false,
      place: place.pointer,
      name: type,
      old: undefined,
      new: type,
    });
  return kept;
}

/** By media type in lower case, without blanks. */
export function mediaTypesOf(place: Located): ReadonlyMap<string, Located> {
  return mapBelow(place, 'content', (type) => type.toLowerCase().replaceAll(' ', ''));
}
