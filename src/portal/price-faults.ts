import type { FieldError, Problem } from '../domain/api/problem.ts';
import type { PriceLines, TextLine } from '../operations/price-text.ts';
import { countOf } from './times.ts';

/** What to do about an error of a line. */
const CURES: Readonly<Partial<Record<FieldError['code'], string>>> = {
  required: 'Write a time and a price, such as 2026-11-24 18:00;84.12.',
  format: 'Write the time as 2026-11-24 18:00, or with its offset as 2026-11-24 18:00+01:00.',
  type: 'Write the price as 84.12; a decimal comma is read where semicolons or tabs separate the columns.',
  minimum: 'Prices are EUR/MWh, from -10,000 to 10,000.',
  maximum: 'Prices are EUR/MWh, from -10,000 to 10,000.',
  max_items: 'Upload it in parts.',
  timestamp_alignment: 'Prices begin at :00, :15, :30 or :45.',
  timestamp_duplicate: 'Leave one of the two out.',
  timestamp_gap: 'Write the time with its offset, such as 2026-03-29 03:00+02:00.',
  timestamp_ambiguous: 'Write the time with its offset, such as 2026-10-25 02:00+01:00.',
};

/** What is said in place of the API's own words, where these advise what only software would write. */
const RULES: Readonly<Partial<Record<FieldError['code'], string>>> = { format: 'Cannot be read.' };

/** What a refused upload says: at the lines, at the field of the zone, and in all. */
export interface PriceFaults {
  readonly rows: readonly (readonly { readonly text: string; readonly detail?: string }[])[];
  readonly zone: string | undefined;
  readonly text: string | undefined;
}

/** The errors of the API by the lines of the entries. */
export function describeFaults(
  { errors, areErrorsTruncated }: Pick<Problem, 'errors' | 'areErrorsTruncated'>,
  lineOf: PriceLines['lineOf'],
): PriceFaults {
  const faults: { readonly line: TextLine; readonly rule: string; readonly cure: string }[] = [];
  const whole = [];
  let zone: string | undefined;
  for (const { pointer = '', code, detail } of errors) {
    const line = lineOf(Number(/^\/data\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN));
    if (pointer.startsWith('/metadata')) zone = detail;
    else if (line === undefined) whole.push(detail);
    else
      faults.push({ line, rule: namePart(pointer, RULES[code] ?? detail, lineOf), cure: CURES[code] ?? '' });
  }
  const rows = faults
    .toSorted((a, b) => a.line.number - b.line.number)
    .map(({ line, rule, cure }) => [
      { text: `Line ${line.number}` },
      { text: shorten(line.text) },
      { text: rule, detail: cure },
    ]);
  const counted = rows.length === 0 ? [] : [`${countOf(rows.length, 'error')}, listed above by line.`];
  const told = [...whole, ...counted, ...(areErrorsTruncated ? ['There are more.'] : [])].join(' ');
  return { rows, zone, text: told === '' ? undefined : told };
}

const PARTS: Readonly<Record<string, string>> = {
  timestamp: 'Time',
  price: 'Price',
  best_bid: 'Bid',
  best_ask: 'Ask',
};

/** `Price: must be …`; another entry that it names is a line of the text. */
function namePart(pointer: string, detail: string, lineOf: PriceLines['lineOf']): string {
  const part = PARTS[pointer.split('/')[3] ?? ''];
  const rule = detail.replaceAll(
    /\/data\/(\d+)\/timestamp/g,
    (_, index: string) => `line ${String(lineOf(Number(index))?.number)}`,
  );
  return part === undefined ? rule : `${part}: ${rule}`;
}

const MOST_SHOWN = 60;

function shorten(line: string): string {
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
