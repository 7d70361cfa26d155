// What each version draws by itself: ids, tokens, secrets. Two texts are the same when one renaming, the same for all answers
// of a run, turns one into the other.

const UUID = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`;
/** Ids, access tokens, secrets of webhooks, secrets of links, entity tags of bodies with such, and what is long enough to be a cursor. */
const DRAWN = new RegExp(
  String.raw`${UUID}|pat_[\w-]{43}|whsec_[\w+/=]{20,}|(?<=secret=)[^"&\s]+|(?<=")[\w-]{22}(?=(?:-gzip|-br)?")|(?<![\w-])[\w-]{60,90}(?![\w-])`,
  'gi',
);
const CURSOR = new RegExp(String.raw`^\d{1,15}~${UUID}$`);

export class Renaming {
  readonly #toOther = new Map<string, string>();
  readonly #toOne = new Map<string, string>();

  /** The names in this text are the same on both sides. */
  keep(text: string): void {
    for (const [name] of text.matchAll(DRAWN)) this.#bind(name, name);
  }

  /**
   * Whether the second text is the first one with other names. New names are bound, but only where the texts are the same but
   * for names; those beside a wrong one too, so that the wrong one can be told.
   */
  isSame(one: string, other: string): boolean {
    if (one.replaceAll(DRAWN, '') !== other.replaceAll(DRAWN, '')) return false;
    const names = one.match(DRAWN) ?? [];
    const others = other.match(DRAWN) ?? [];
    if (names.length !== others.length) return false;
    return names.filter((name, i) => !this.#matches(name, others[i] ?? '')).length === 0;
  }

  /** A text for the first version as the second one would have it. */
  translate(text: string): string {
    return text.replaceAll(DRAWN, (name) => {
      const cursor = readCursor(name);
      if (cursor !== undefined) return Buffer.from(this.translate(cursor)).toString('base64url');
      return this.#toOther.get(name) ?? this.#toOther.get(name.toLowerCase())?.toUpperCase() ?? name;
    });
  }

  #matches(name: string, other: string): boolean {
    const [cursor, otherCursor] = [readCursor(name), readCursor(other)];
    if (cursor !== undefined && otherCursor !== undefined) return this.isSame(cursor, otherCursor);
    const [bound, boundBack] = [this.#toOther.get(name), this.#toOne.get(other)];
    if (bound === undefined && boundBack === undefined) this.#bind(name, other);
    else return bound === other && boundBack === name;
    return true;
  }

  #bind(name: string, other: string): void {
    this.#toOther.set(name, other);
    this.#toOne.set(other, name);
  }
}

/** The content of a cursor, undefined for any other text. */
function readCursor(text: string): string | undefined {
  if (!/^[\w-]{60,90}$/.test(text)) return undefined;
  const content = Buffer.from(text, 'base64url').toString('latin1');
  return CURSOR.test(content) ? content : undefined;
}
