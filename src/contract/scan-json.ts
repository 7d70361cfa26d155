/** Deeper nesting than any body needs; code that follows a body down may then call itself. */
const MAX_DEPTH = 64;
/** Properties of one object: several times what the largest object of the document has. */
const MAX_PROPERTIES = 1_000;
/** Objects and lists of a body: three times what the largest upload of prices has. Each takes far more memory than its two characters. */
const MAX_CONTAINERS = 100_000;
const SHOWN_CHARACTERS = 100;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Why a JSON text is refused although `JSON.parse` would take it: a property twice in one object, of which the last would
 * win silently, too deep nesting, or too many properties or containers. Undefined when there is no reason. A text that is
 * no JSON may get either. It is gone through once, before anything is built from it.
 */
export function findJsonFault(text: string): string | undefined {
  // The names of the object that is open at each depth; undefined for a list. The sets are used again.
  const spareNames: Set<string>[] = [];
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  let isNameNext = false;
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    // Most of what stands outside strings: digits, points, signs and colons.
    if (character > COMMA && character < OPEN_LIST) continue;
    if (character === QUOTE) {
      const end = findEndOfString(text, at);
      if (end < 0) return undefined;
      if (isNameNext && names !== undefined) {
        const name = readName(text, at, end);
        if (names.has(name)) return `The property "${shorten(name)}" is repeated in one object.`;
        if (names.size === MAX_PROPERTIES) return `An object has more than ${MAX_PROPERTIES} properties.`;
        names.add(name);
        isNameNext = false;
      }
      at = end;
    } else if (character === COMMA) {
      isNameNext = names !== undefined;
    } else if (character === OPEN_OBJECT || character === OPEN_LIST) {
      containers += 1;
      if (containers > MAX_CONTAINERS) return `It has more than ${MAX_CONTAINERS} objects and lists.`;
      open.push(names);
      if (open.length > MAX_DEPTH) return `It is nested deeper than ${MAX_DEPTH} levels.`;
      isNameNext = character === OPEN_OBJECT;
      names = isNameNext ? (spareNames[open.length] ??= new Set()) : undefined;
      names?.clear();
    } else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
      names = open.pop();
      isNameNext = false;
    }
  }
  return undefined;
}

/** The index of the quotation mark that ends the string which begins at `start`; -1 when none does. */
function findEndOfString(text: string, start: number): number {
  const next = text.indexOf('"', start + 1);
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at += 1;
  }
  return -1;
}

/** A name as it is meant: `"\u0061"` and `"a"` are the same one. */
function readName(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(text.slice(start, end + 1)) as string;
  } catch {
    return raw;
  }
}

function shorten(name: string): string {
  return name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
}
