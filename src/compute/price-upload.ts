import { joinPieces } from '../contract/body-pieces.ts';
import type { BodyPieces } from '../contract/body-pieces.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import { validateBody } from '../contract/validate-body.ts';
import type { Request } from '../contract/handlers.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { toPriceBatches } from '../domain/prices/price-batches.ts';
import type { PriceBatch } from '../domain/prices/price-batches.ts';
import { parsePriceEntries } from '../domain/prices/prices.ts';
import type { DayAheadPrice } from '../domain/prices/prices.ts';
import { createZoneOffsetLookup } from '../domain/prices/zone-offsets.ts';

/** As many entries as the document permits. */
const MAX_ENTRIES = 10_000;

/** The prices of an upload, ready for the database. Throws the problem malformed_json or validation_failed. */
export function readPriceUpload(input: {
  readonly pieces: BodyPieces;
  /** What is wrong with the request beside its body. */
  readonly errors: readonly FieldError[];
}): { readonly batches: readonly PriceBatch[]; readonly lastStartsAt: Date | null } {
  const json = parseJsonBody(joinPieces(input.pieces));
  const checked = validateBody('uploadDayAheadPrices', json);
  if ('errors' in checked || input.errors.length > 0) {
    const errors = [...input.errors, ...('errors' in checked ? checked.errors : [])];
    throw validationProblem([...errors, ...findRuleErrors(json.value, errors)]);
  }
  const prices = readUpload(checked.body);
  return { batches: toPriceBatches(prices), lastStartsAt: prices.at(-1)?.startsAt ?? null };
}

function readUpload(body: Request<'uploadDayAheadPrices'>['body']): readonly DayAheadPrice[] {
  const { prices, errors } = tryReadUpload(body);
  if (errors.length > 0) throw validationProblem(errors);
  return prices;
}

/** What breaks the rules beyond the schema in a body that the schema refuses with `errors`; nothing in a list that is too long. */
function findRuleErrors(value: unknown, errors: readonly FieldError[]): readonly FieldError[] {
  if (!isProperties(value) || !Array.isArray(value['data']) || value['data'].length > MAX_ENTRIES) return [];
  const { metadata } = value;
  const zone = isProperties(metadata) ? metadata['timezone_override'] : undefined;
  const { errors: found } = tryReadUpload({
    metadata: typeof zone === 'string' ? { timezone_override: zone } : {},
    data: value['data'].map((entry: unknown) => {
      const timestamp = isProperties(entry) ? entry['timestamp'] : undefined;
      return { timestamp: typeof timestamp === 'string' ? timestamp : '', price: 0 };
    }),
  });
  const told = new Set(errors.map(({ pointer }) => pointer));
  return found.filter(
    ({ pointer = '' }) => !told.has(pointer) && !told.has(pointer.replace(/\/timestamp$/, '')),
  );
}

function isProperties(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tryReadUpload(body: Request<'uploadDayAheadPrices'>['body']): {
  readonly prices: readonly DayAheadPrice[];
  readonly errors: readonly FieldError[];
} {
  const zone = body.metadata?.timezone_override;
  const offsetAt = zone === undefined ? undefined : createZoneOffsetLookup(zone);
  const errors: FieldError[] = [];
  if (zone !== undefined && offsetAt === undefined) {
    errors.push({
      pointer: '/metadata/timezone_override',
      code: 'time_zone_unknown',
      detail: 'Must be the name of an IANA time zone, such as Europe/Vienna.',
    });
  }
  const reading = parsePriceEntries(body.data, offsetAt);
  return { prices: reading.prices, errors: [...errors, ...reading.errors] };
}
