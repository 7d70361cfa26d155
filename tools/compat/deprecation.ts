import type { OperationPlace } from './contract.ts';
import type { Task } from './task.ts';

/** How long a deprecated operation is served at least, from `x-deprecated-at` to `x-sunset`: docs/lifecycle.md. */
export const LEAST_NOTICE_DAYS = 365;

const DAY_MS = 86_400_000;

/** What a deprecated operation says: since when, and until when it is served. */
export interface Deprecation {
  readonly deprecatedAt: Date;
  readonly sunsetAt: Date;
}

type Node = Readonly<Partial<Record<'deprecated' | 'x-deprecated-at' | 'x-sunset', unknown>>>;

/**
 * The deprecation of an operation; undefined for one that is not deprecated.
 * @throws Error when it does not say since and until when, or gives less than the notice.
 */
export function readDeprecation(operation: Node): Deprecation | undefined {
  if (operation['deprecated'] !== true) return undefined;
  const deprecatedAt = readDay(operation, 'x-deprecated-at');
  const sunsetAt = readDay(operation, 'x-sunset');
  const days = (sunsetAt.getTime() - deprecatedAt.getTime()) / DAY_MS;
  if (days < LEAST_NOTICE_DAYS)
    throw new Error(`Its sunset is ${days} days after its deprecation; ${LEAST_NOTICE_DAYS} are the least.`);
  return { deprecatedAt, sunsetAt };
}

/** A day such as 2027-11-23, which begins at midnight UTC. */
function readDay(operation: Node, keyword: 'x-deprecated-at' | 'x-sunset'): Date {
  const text = operation[keyword];
  const day = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined;
  // 30 February would be the second of March.
  if (day === undefined || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(String(text)))
    throw new Error(`It is deprecated, and its ${keyword} is no day.`);
  return day;
}

/** Whether an operation may be removed: it is deprecated, and its sunset is past. */
export function isPastSunset({ node }: OperationPlace, today: Date): boolean {
  const day = findSunset(node);
  return node['deprecated'] === true && day !== undefined && day <= today.getTime();
}

function findSunset(operation: Node): number | undefined {
  const time = Date.parse(String(operation['x-sunset']));
  return Number.isNaN(time) ? undefined : time;
}

/** Compares whether operations are deprecated, and until when they are served. */
export function compareDeprecation(old: OperationPlace, next: OperationPlace, task: Task): void {
  const { findings, origin } = task;
  const [wasDeprecated, isDeprecated] = [old, next].map(({ node }) => node['deprecated'] === true);
  const place = next.pointer;
  if (wasDeprecated !== isDeprecated) {
    const reason = isDeprecated === true ? findFault(next.node) : undefined;
    const change = { rule: 'operation-deprecation', isBreaking: reason !== undefined, place } as const;
    findings.add(origin, { ...change, old: wasDeprecated, new: reason ?? isDeprecated });
    return;
  }
  if (isDeprecated !== true) return;
  const [before, now] = [findSunset(old.node), findSunset(next.node)];
  if (before === now) return;
  const isBreaking = before !== undefined && (now === undefined || now < before);
  const change = { rule: 'operation-sunset', isBreaking, place } as const;
  findings.add(origin, { ...change, old: old.node['x-sunset'], new: next.node['x-sunset'] });
}

function findFault(operation: Node): string | undefined {
  try {
    readDeprecation(operation);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
