import { locate, mapBelow, pairUp } from './contract.ts';
import type { Contract, Located, OperationPlace } from './contract.ts';
import type { Task } from './task.ts';
import { writeValue } from './schemas/canonical.ts';
import { isRecord, readList, readMap } from './schemas/place.ts';

/** Schemes with their scopes that together are enough; none for a call without credentials. */
type Alternative = ReadonlyMap<string, readonly string[]>;

/** Compares who may call an operation: its credentials, and the roles of `x-roles`. */
export function compareAccess(
  old: OperationPlace,
  next: OperationPlace,
  [oldContract, newContract]: readonly [Contract, Contract],
  task: Task,
): void {
  const [before, now] = [readAlternatives(old, oldContract), readAlternatives(next, newContract)];
  const report = (
    rule: 'security' | 'security-scope',
    isBreaking: boolean,
    alternative: Alternative,
  ): void => {
    const change = { rule, isBreaking, place: next.pointer, name: describeAlternative(alternative) } as const;
    const [from, to] = [before, now].map((each) => each.map(describeAlternative));
    task.findings.add(task.origin, { ...change, old: from, new: to });
  };
  for (const each of before)
    if (!now.some((other) => isEnough(each, other)))
      report(
        now.some((other) => isEnough(each, withoutScopes(other))) ? 'security-scope' : 'security',
        true,
        each,
      );
  for (const each of now)
    if (!before.some((other) => isEnough(each, other)))
      report(
        before.some((other) => isEnough(each, withoutScopes(other))) ? 'security-scope' : 'security',
        false,
        each,
      );
  compareRoles(old, next, task);
}

function readAlternatives({ node }: OperationPlace, contract: Contract): readonly Alternative[] {
  const list = readList(node['security'] === undefined ? contract : node, 'security');
  const alternatives = list.map((each) => new Map(Object.entries(each as Record<string, string[]>)));
  return alternatives.length === 0 ? [new Map()] : alternatives;
}

/** Whether credentials that satisfy one alternative satisfy another one. */
function isEnough(given: Alternative, asked: Alternative): boolean {
  return [...asked].every(([scheme, scopes]) => {
    const own = given.get(scheme);
    return own !== undefined && scopes.every((scope) => own.includes(scope));
  });
}

function withoutScopes(alternative: Alternative): Alternative {
  return new Map([...alternative].map(([scheme]) => [scheme, []]));
}

function describeAlternative(alternative: Alternative): string {
  const schemes = [...alternative].map(([scheme, scopes]) => [scheme, ...scopes.toSorted()].join(' '));
  return schemes.length === 0 ? 'none' : schemes.join(' and ');
}

/** How far a role reaches, from nothing to everything. */
const REACH: readonly unknown[] = ['none', 'own', 'users', 'all'];

/** A role that a table does not name may nothing; without a table each may everything. */
function reachOf(table: unknown, role: string): unknown {
  return isRecord(table) ? (table[role] ?? 'none') : 'all';
}

function compareRoles(old: OperationPlace, next: OperationPlace, { findings, origin }: Task): void {
  const [before, now] = [old, next].map(({ node }) => node['x-roles']);
  const roles = [before, now].flatMap((table) => (isRecord(table) ? Object.keys(table) : []));
  for (const role of new Set(roles)) {
    const [from, to] = [reachOf(before, role), reachOf(now, role)];
    if (from === to) continue;
    const isBreaking = REACH.indexOf(to) < REACH.indexOf(from);
    const change = { rule: 'role', isBreaking, place: `${next.pointer}/x-roles`, name: role } as const;
    findings.add(origin, { ...change, old: from, new: to });
  }
}

/** Compares the security schemes of the components. */
export function compareSecuritySchemes(old: Contract, next: Contract, task: Task): void {
  const { findings, origin } = task;
  const schemes = (contract: Contract): ReadonlyMap<string, Located> =>
    isRecord(contract['components'])
      ? mapBelow(locate(contract, contract['components'], '/components'), 'securitySchemes')
      : new Map<string, Located>();
  const { kept, removed, added } = pairUp(schemes(old), schemes(next));
  const rule = 'security-scheme';
  for (const [name, { pointer }] of removed)
    findings.add(origin, { rule, isBreaking: true, place: pointer, name, old: name, new: undefined });
  for (const [name, { pointer }] of added)
    findings.add(origin, { rule, isBreaking: false, place: pointer, name, old: undefined, new: name });
  for (const [, from, to] of kept) {
    for (const keyword of ['type', 'scheme', 'bearerFormat', 'in', 'name', 'openIdConnectUrl']) {
      const [before, now] = [from.node[keyword], to.node[keyword]];
      if (before === now) continue;
      findings.add(origin, {
        rule,
        isBreaking: true,
        place: to.pointer,
        name: keyword,
        old: before,
        new: now,
      });
    }
    compareFlows(from, to, task);
  }
}

function compareFlows(old: Located, next: Located, { findings, origin }: Task): void {
  const parts = ({ node }: Located): ReadonlyMap<string, unknown> =>
    new Map(
      Object.entries(readMap(node, 'flows')).flatMap(([flow, value]) => {
        const { scopes, ...rest } = isRecord(value) ? value : {};
        const names = isRecord(scopes) ? Object.keys(scopes) : [];
        return [
          [flow, writeValue(rest)] as const,
          ...names.map((name) => [`${flow} ${name}`, name] as const),
        ];
      }),
    );
  const { kept, removed, added } = pairUp(parts(old), parts(next));
  const place = `${next.pointer}/flows`;
  const rule = 'oauth-flow';
  for (const [name] of removed)
    findings.add(origin, { rule, isBreaking: true, place, name, old: name, new: undefined });
  for (const [name] of added)
    findings.add(origin, { rule, isBreaking: false, place, name, old: undefined, new: name });
  for (const [name, from, to] of kept)
    if (from !== to) findings.add(origin, { rule, isBreaking: true, place, name, old: from, new: to });
}
