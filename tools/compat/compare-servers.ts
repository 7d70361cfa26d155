import { pairUp } from './contract.ts';
import type { Contract, OperationPlace } from './contract.ts';
import { isRecord, readList, readMap } from './schemas/place.ts';
import type { Task } from './task.ts';

/** What a variable of an address may be, everything where it lists no values, and what it is when nobody says. */
interface Variable {
  readonly values: readonly string[] | undefined;
  readonly preset: string;
}

type Variables = ReadonlyMap<string, Variable>;

/** The servers by their addresses, and where they stand in the document. */
interface Servers {
  readonly pointer: string;
  readonly byUrl: ReadonlyMap<string, Variables>;
}

/** Compares the servers of two documents. */
export function compareServers(old: Contract, next: Contract, task: Task): void {
  compareLists(readServers(old, ''), readServers(next, ''), task);
}

/** Compares the servers of an operation, unless it takes those of the document on both sides. */
export function compareOwnServers(
  old: OperationPlace,
  next: OperationPlace,
  [oldContract, newContract]: readonly [Contract, Contract],
  task: Task,
): void {
  const [before, now] = [serversOf(old, oldContract), serversOf(next, newContract)];
  if (before.pointer !== OF_DOCUMENT || now.pointer !== OF_DOCUMENT) compareLists(before, now, task);
}

const OF_DOCUMENT = '/servers';

/** The nearest list counts: of the operation, of its path, of the document. */
function serversOf({ node, pointer, item }: OperationPlace, contract: Contract): Servers {
  if (readList(node, 'servers').length > 0) return readServers(node, pointer);
  return readList(item.node, 'servers').length > 0
    ? readServers(item.node, item.pointer)
    : readServers(contract, '');
}

/** Without a list the server is where the document is. */
function readServers(node: Readonly<Record<string, unknown>>, pointer: string): Servers {
  const list = readList(node, 'servers').filter(isRecord);
  const servers = list.length === 0 ? [{ url: '/' }] : list;
  return {
    pointer: `${pointer}/servers`,
    byUrl: new Map(
      servers.map((server) => [String(server['url']).replace(/(?<=.)\/$/, ''), readVariables(server)]),
    ),
  };
}

function readVariables(server: Readonly<Record<string, unknown>>): Variables {
  return new Map(
    Object.entries(readMap(server, 'variables')).map(([name, variable]) => {
      const { enum: values, default: preset } = isRecord(variable) ? variable : {};
      return [
        name,
        { values: Array.isArray(values) ? values.map(String) : undefined, preset: String(preset) },
      ];
    }),
  );
}

function compareLists(old: Servers, next: Servers, task: Task): void {
  const { kept, removed, added } = pairUp(old.byUrl, next.byUrl);
  const place = next.pointer;
  const add = (isBreaking: boolean, name: string, before: unknown, now: unknown): void =>
    task.findings.add(task.origin, { rule: 'server', isBreaking, place, name, old: before, new: now });
  for (const [url] of removed) add(true, url, url, undefined);
  for (const [url] of added) add(false, url, undefined, url);
  const [oldFirst, newFirst] = [old, next].map(({ byUrl }) => [...byUrl.keys()][0]);
  if (oldFirst !== undefined && oldFirst !== newFirst && next.byUrl.has(oldFirst))
    add(true, 'first', oldFirst, newFirst);
  for (const [url, from, to] of kept) compareVariables(from, to, { place, url }, task);
}

function compareVariables(
  old: Variables,
  next: Variables,
  { place, url }: { readonly place: string; readonly url: string },
  { findings, origin }: Task,
): void {
  // The names are in the address, so that both sides use the same.
  for (const [variable, from] of old) {
    const to = next.get(variable);
    const add = (isBreaking: boolean, keyword: string, before: unknown, now: unknown): void =>
      findings.add(origin, {
        rule: 'server-variable',
        isBreaking,
        place,
        name: `${url} ${variable} ${keyword}`,
        old: before,
        new: now,
      });
    if (from.preset !== to?.preset) add(true, 'default', from.preset, to?.preset);
    if (isNarrower(from.values, to?.values)) add(true, 'enum', from.values, to?.values);
    else if (isNarrower(to?.values, from.values)) add(false, 'enum', from.values, to?.values);
  }
}

/** Whether something that one list allows is not in the other one. */
function isNarrower(wide: Variable['values'], narrow: Variable['values']): boolean {
  if (narrow === undefined) return false;
  return wide === undefined || wide.some((value) => !narrow.includes(value));
}
