import type { SchemaComparer } from './compare-schemas.ts';
import type { Located, OperationPlace } from './contract.ts';
import type { Findings, Origin } from './finding.ts';
import { writeValue } from './schemas/canonical.ts';

/** What the comparisons of parts of a document are given. */
export interface Task {
  readonly findings: Findings;
  readonly schemas: SchemaComparer;
  readonly origin: Origin;
}

/** What a finding of an operation says of its place. */
export function originOf(operation: OperationPlace): Origin {
  return { operation: operation.title, isBeta: operation.node['x-beta'] === true };
}

/** What was no beta stays none, so that nothing is removed by way of the mark. */
export function compareStability(
  old: OperationPlace,
  next: OperationPlace,
  { findings, origin }: Task,
): void {
  const [wasBeta, isBeta] = [old, next].map(({ node }) => node['x-beta'] === true) as [boolean, boolean];
  if (wasBeta === isBeta) return;
  const change = { rule: 'stability', isBreaking: isBeta, place: next.pointer } as const;
  const describe = (isMarked: boolean): string => (isMarked ? 'beta' : 'stable');
  findings.add(origin, { ...change, old: describe(wasBeta), new: describe(isBeta) });
}

/** Generated clients call an operation, and receive a message, by its id. */
export function compareOperationId(
  old: OperationPlace,
  next: OperationPlace,
  { findings, origin }: Task,
): void {
  const [before, now] = [old.node['operationId'], next.node['operationId']];
  if (before === now) return;
  const change = { rule: 'operation-id', isBreaking: before !== undefined, place: next.pointer } as const;
  findings.add(origin, { ...change, old: before, new: now });
}

/** A part that is not compared is a finding as soon as it changes, so that nothing is passed over. */
export function reportUnsupported(
  old: Located,
  next: Located,
  keyword: string,
  { findings, origin }: Task,
): void {
  const [before, now] = [old.node[keyword], next.node[keyword]];
  if (writeValue(before) === writeValue(now)) return;
  const change = { rule: 'unsupported', isBreaking: true, place: `${next.pointer}/${keyword}` } as const;
  findings.add(origin, { ...change, old: before, new: now });
}
