import { isRecord, readList } from './schemas/place.ts';
import type { Schema } from './schemas/place.ts';

/** A rule across fields (`x-rules`) that one side alone has. */
export interface ChangedRule {
  /** `from, to: range_order (\`from\` lies before \`to\`.)` */
  readonly text: string;
  readonly isNew: boolean;
}

/** The rules of a schema or parameter that came or went. One in other words may ask for something else: it came and went. */
export function listChangedRules(old: Schema, next: Schema): readonly ChangedRule[] {
  const [before, now] = [readRules(old), readRules(next)];
  return [
    ...now.filter((text) => !before.includes(text)).map((text) => ({ text, isNew: true })),
    ...before.filter((text) => !now.includes(text)).map((text) => ({ text, isNew: false })),
  ];
}

function readRules(schema: Schema): readonly string[] {
  return readList(schema, 'x-rules')
    .filter(isRecord)
    .map(({ fields, code, rule }) => {
      const names = Array.isArray(fields) ? fields.map(String).toSorted() : [];
      return `${names.join(', ')}: ${String(code)} (${String(rule)})`;
    });
}
