/** Readers of single settings. Each notes its mistake in the list and goes on, so that all are reported together. */
export class SettingsReader {
  readonly mistakes: string[] = [];
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  /** The trimmed text, or undefined when unset or empty. */
  text(name: string): string | undefined {
    const value = this.#environment[name]?.trim();
    return value === undefined || value === '' ? undefined : value;
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    return this.mistake(name, text, `must be a whole number from ${least} to ${most}`, fallback);
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const found = values.find((value) => value === text);
    return found ?? this.mistake(name, text, `must be one of ${values.join(', ')}`, fallback);
  }

  /** A value that must pass a test; the rule ends the sentence "NAME must …". */
  matching(name: string, isValid: (text: string) => boolean, rule: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isValid(text)) return text;
    this.mistake(name, text, `must ${rule}`, undefined);
    return undefined;
  }

  list(name: string): readonly string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  mistake<T>(name: string, text: string | undefined, rule: string, fallback: T): T {
    const shown =
      text === undefined || /SECRET|PASSWORD|KEY|DATABASE_URL/.test(name) ? '' : ` (it is "${text}")`;
    this.mistakes.push(`${name} ${rule}${shown}.`);
    return fallback;
  }
}
