import type { OperationPlace } from './contract.ts';
import type { Task } from './task.ts';

/** How long a deprecated operation is served at least, from `x-deprecated-at` to `x-sunset`: docs/reference/lifecycle.md. */
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
function readDay(operation: Node, keyword: DayKeyword): Date {
  const text = operation[keyword];
  const day = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined;
  // 30 February would be the second of March.
  if (day === undefined || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(String(text)))
    throw new Error(`It is deprecated, and its ${keyword} is no day.`);
  return day;
}

/** Whether an operation may be removed: it is deprecated, and its sunset is past. */
export function isPastSunset({ node }: OperationPlace, today: Date): boolean {
  const day = findDay(node, 'x-sunset');
  return node['deprecated'] === true && day !== undefined && day <= today.getTime();
}

function findDay(operation: Node, keyword: DayKeyword): number | undefined {
  const time = Date.parse(String(operation[keyword]));
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Compares whether operations are deprecated, and until when they are served. A deprecation counts from `today` at the earliest,
 * so that the whole notice lies ahead of those who read of it first.
 */
export function compareDeprecation(
  old: OperationPlace | undefined,
  next: OperationPlace,
  today: Date,
  task: Task,
): void {
  const [wasDeprecated, isDeprecated] = [old, next].map((each) => each?.node['deprecated'] === true);
  if (old === undefined || wasDeprecated !== isDeprecated) {
    const reason = isDeprecated === true ? findFault(next.node, today) : undefined;
    if (old === undefined && reason === undefined) return;
    report('operation-deprecation', reason !== undefined, wasDeprecated, reason ?? isDeprecated, next, task);
    return;
  }
  if (isDeprecated !== true) return;
  const promised = findDay(old.node, 'x-sunset');
  compareDays('x-deprecated-at', old, next, task);
  if (promised === undefined) compareFirstSunset(old, next, today, task);
  else compareDays('x-sunset', old, next, task);
}

const RULES_OF_DAYS = {
  'x-deprecated-at': 'operation-deprecation',
  'x-sunset': 'operation-sunset',
} as const;

type DayKeyword = keyof typeof RULES_OF_DAYS;

/** Either day may move to a later one. */
function compareDays(keyword: DayKeyword, old: OperationPlace, next: OperationPlace, task: Task): void {
  const [before, now] = [findDay(old.node, keyword), findDay(next.node, keyword)];
  if (before === undefined || before === now) return;
  const isBreaking = now === undefined || now < before;
  report(RULES_OF_DAYS[keyword], isBreaking, old.node[keyword], next.node[keyword], next, task);
}

/** The first sunset of an operation that was deprecated without one. */
function compareFirstSunset(old: OperationPlace, next: OperationPlace, today: Date, task: Task): void {
  const sunset = findDay(next.node, 'x-sunset');
  if (sunset === undefined) return;
  const isBreaking = sunset - startOfDay(today).getTime() < LEAST_NOTICE_DAYS * DAY_MS;
  report('operation-sunset', isBreaking, old.node['x-sunset'], next.node['x-sunset'], next, task);
}

function report(
  rule: (typeof RULES_OF_DAYS)[DayKeyword],
  isBreaking: boolean,
  old: unknown,
  now: unknown,
  { pointer }: OperationPlace,
  { findings, origin }: Task,
): void {
  findings.add(origin, { rule, isBreaking, place: pointer, old, new: now });
}

function startOfDay(instant: Date): Date {
  return new Date(instant.getTime() - (instant.getTime() % DAY_MS));
}

function findFault(operation: Node, today: Date): string | undefined {
  try {
    const deprecation = readDeprecation(operation);
    if (deprecation === undefined || deprecation.deprecatedAt >= startOfDay(today)) return undefined;
    return `Its x-deprecated-at ${String(operation['x-deprecated-at'])} is before the day on which clients hear of it.`;
  } catch (error) {
    return (error as Error).message;
  }
}
