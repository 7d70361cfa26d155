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

/** The prices of an upload, ready for the database. Throws the problem malformed_json or validation_failed. */
export function readPriceUpload(input: {
  readonly bytes: Uint8Array;
  /** What is wrong with the request beside its body. */
  readonly errors: readonly FieldError[];
}): { readonly batches: readonly PriceBatch[]; readonly lastStartsAt: Date | null } {
  const checked = validateBody('uploadDayAheadPrices', parseJsonBody(input.bytes));
  if ('errors' in checked || input.errors.length > 0)
    throw validationProblem([...input.errors, ...('errors' in checked ? checked.errors : [])]);
  const prices = readUpload(checked.body);
  return { batches: toPriceBatches(prices), lastStartsAt: prices.at(-1)?.startsAt ?? null };
}

function readUpload(body: Request<'uploadDayAheadPrices'>['body']): readonly DayAheadPrice[] {
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
  errors.push(...reading.errors);
  if (errors.length > 0) throw validationProblem(errors);
  return reading.prices;
}

/** Throws the problem malformed_json when a body is not one that can be read. */
export function checkJson({ bytes }: { readonly bytes: Uint8Array }): { readonly isJson: true } {
  parseJsonBody(bytes);
  return { isJson: true };
}
