/** Draws the rooms of src as floors of text: who stands on whom, with counts. */

const WIDTH = 110;

/** A file of src and the files of src that it imports, types included. */
export interface ImportingFile {
  readonly path: string;
  readonly imports: readonly string[];
  /** Whether one of its imports leads back to it. */
  readonly isCircular: boolean;
}

/** Allowed imports by room, and by wing within its room: the table of tests/style/rooms.cjs. */
export interface RoomTable {
  readonly rooms: Readonly<Record<string, readonly string[]>>;
  readonly wings: Readonly<Record<string, readonly string[]>>;
}

/** A room or a wing, with what its files really import. */
interface Node {
  readonly name: string;
  readonly floor: number;
  readonly imports: readonly string[];
}

export interface Arrows {
  readonly between: string;
  readonly count: number;
  /** Imports that the table does not allow, `from -> to`. */
  readonly upward: readonly string[];
}

/** Rooms that really exist, with the arrows between them; wings where a room has them. */
export function measureRooms(files: readonly ImportingFile[], { rooms, wings }: RoomTable) {
  const roomArrows = arrowsBetween(files, roomOf, rooms);
  const wingArrows = arrowsBetween(files, wingOf, wings);
  return {
    rooms: nodesOf(files, roomOf, rooms, roomArrows),
    wings: nodesOf(files, wingOf, wings, wingArrows),
    roomArrows: summary('rooms', roomArrows, rooms),
    wingArrows: summary('wings', wingArrows, wings),
    circles: files.filter(({ isCircular }) => isCircular).length,
  };
}
export type Measured = ReturnType<typeof measureRooms>;

/** The text block of docs/architecture.md. Throws when a room or wing has no sentence of rule. */
export function drawRooms(measured: Measured, rules: Readonly<Record<string, string>>): string {
  const upward = [...measured.roomArrows.upward, ...measured.wingArrows.upward];
  const lines = [
    `${measured.rooms.length} rooms, ${measured.roomArrows.count} arrows between them`,
    `${measured.wings.length} wings, ${measured.wingArrows.count} arrows between those of one room`,
    `${measured.circles} circles, ${upward.length} arrows upward`,
    ...upward.map((arrow) => `upward: ${arrow}`),
  ];
  for (const [floor, nodes] of floorsOf(measured.rooms)) {
    lines.push('', `floor ${floor}`);
    for (const node of nodes) {
      lines.push(...described(node, '  ', rules));
      const own = measured.wings.filter(({ name }) => name.startsWith(`${node.name}/`));
      for (const [wingFloor, wings] of floorsOf(own)) {
        for (const wing of wings) lines.push(...described(wing, `    ${wingFloor}. `, rules));
      }
    }
  }
  return lines.join('\n');
}

function described(node: Node, indent: string, rules: Readonly<Record<string, string>>): string[] {
  const rule = rules[node.name];
  if (rule === undefined) throw new Error(`${node.name} has no sentence in tools/rooms/rules.ts.`);
  const blank = ' '.repeat(indent.length);
  const targets = node.imports.map((target) => (target.includes('/') ? target.split('/')[1] : target));
  const arrows = targets.length === 0 ? [] : wrapped(targets, WIDTH - blank.length - 5);
  return [
    `${indent}${node.name}: ${rule}`,
    ...arrows.map((line, index) => `${blank}  ${index === 0 ? '->' : '  '} ${line}`),
  ];
}

/** Names with commas, in lines of at most so many characters. */
function wrapped(names: readonly (string | undefined)[], width: number): string[] {
  const lines = [''];
  for (const [index, name] of names.entries()) {
    const text = `${name ?? ''}${index === names.length - 1 ? '' : ','}`;
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = text;
    else if (line.length + 1 + text.length <= width) lines[lines.length - 1] = `${line} ${text}`;
    else lines.push(text);
  }
  return lines;
}

function floorsOf(nodes: readonly Node[]): [number, Node[]][] {
  const floors = new Map<number, Node[]>();
  for (const node of nodes) floors.set(node.floor, [...(floors.get(node.floor) ?? []), node]);
  return [...floors].sort(([a], [b]) => b - a);
}

/** `src/queries/fleets/devices.ts` stands in the room queries and in the wing queries/fleets. */
function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}
function wingOf(path: string): string | undefined {
  return /^src\/([^/]+\/[^/]+)\//.exec(path)?.[1];
}

type Place = (path: string) => string | undefined;

function arrowsBetween(
  files: readonly ImportingFile[],
  placeOf: Place,
  table: Readonly<Record<string, readonly string[]>>,
): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = placeOf(path);
    if (from === undefined || !(from in table)) continue;
    for (const target of imports) {
      const to = placeOf(target);
      if (to === undefined || to === from || !(to in table)) continue;
      // Wings obey the table among themselves; between rooms, the rooms do.
      if (from.includes('/') && from.split('/')[0] !== to.split('/')[0]) continue;
      arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  return arrows;
}

function nodesOf(
  files: readonly ImportingFile[],
  placeOf: Place,
  table: Readonly<Record<string, readonly string[]>>,
  arrows: ReadonlyMap<string, ReadonlySet<string>>,
): Node[] {
  const existing = new Set(files.map(({ path }) => placeOf(path)));
  return Object.keys(table)
    .filter((name) => existing.has(name))
    .map((name) => ({
      name,
      floor: floorOf(name, table),
      imports: [...(arrows.get(name) ?? [])].sort(),
    }))
    .sort((a, b) => b.floor - a.floor || a.name.localeCompare(b.name));
}

/** 1 for what stands on nothing, else one above the highest that the table allows it to stand on. */
function floorOf(name: string, table: Readonly<Record<string, readonly string[]>>): number {
  return 1 + Math.max(0, ...(table[name] ?? []).map((target) => floorOf(target, table)));
}

function summary(
  between: string,
  arrows: ReadonlyMap<string, ReadonlySet<string>>,
  table: Readonly<Record<string, readonly string[]>>,
): Arrows {
  const all = [...arrows].flatMap(([from, targets]) => [...targets].map((to) => ({ from, to })));
  const upward = all.filter(({ from, to }) => !(table[from] ?? []).includes(to));
  return { between, count: all.length, upward: upward.map(({ from, to }) => `${from} -> ${to}`).sort() };
}
