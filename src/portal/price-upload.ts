import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { Problem } from '../domain/api/problem.ts';
import type { UploadedPrice } from '../domain/prices/price-comparison.ts';
import { readPriceLines } from '../operations/price-text.ts';
import type { PriceLines } from '../operations/price-text.ts';
import { compareDayAheadPrices, uploadDayAheadPrices } from '../operations/trading.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { hasFormTurn } from './form-turns.ts';
import { readVersion, versionOf } from './form-versions.ts';
import { readFormField } from './forms.ts';
import { createLocalClock } from './local-days.ts';
import { toOperationContext } from './operations.ts';
import { giveWay } from './page-turns.ts';
import { redirectWithNotice } from './pages.ts';
import type { Notice } from './pages.ts';
import { PRICES_PATH } from './paths.ts';
import { checkPrices, isDrawn, spanOf } from './price-check.ts';
import { describeFaults } from './price-faults.ts';
import { listPricesInForce } from './price-list.ts';
import type { ListedPrice } from './price-list.ts';
import { findPriceZone } from './price-scope.ts';
import { NO_FAULTS, sendUploadCheck, sendUploadForm } from './price-upload-pages.ts';
import type { CheckedUpload, UploadValues } from './price-upload-pages.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';

/** The empty form. */
export const showPriceUpload: PageHandler = async (context, _request, response) => {
  const zone = (await findPriceZone(context, response)) ?? 'UTC';
  sendUploadForm(context, response, 200, { text: '', zone }, NO_FAULTS);
};

/** What the prices of the form would do, or 422 with the form and what is wrong at which line. Nothing is stored. */
export const checkPricesFromForm: PageHandler = async (context, request, response) => {
  const values = readForm(request);
  const checked = await check(context, response, values);
  if (checked !== undefined) sendUploadCheck(context, response, values, checked, false);
};

/** The form with what was checked, to be changed. */
export const changePricesInForm: PageHandler = (context, request, response) => {
  sendUploadForm(context, response, 200, readForm(request), NO_FAULTS);
};

/**
 * Stores what was checked, by the operation of the API. What was changed since, or would replace other prices by now, is shown once
 * more instead.
 */
export const storePricesFromForm: PageHandler = async (context, request, response) => {
  const values = readForm(request);
  const checked = await check(context, response, values);
  if (checked === undefined) return;
  if (readVersion(request) !== checked.version) {
    sendUploadCheck(context, response, values, checked, true);
    return;
  }
  const state = await store(context, response, values, checked);
  if (state === undefined) return;
  const scope = getScope(response);
  const day = createLocalClock(values.zone).dayOf(spanOf(checked.result.prices).from);
  logChange(context, response, 'Prices uploaded.', { id: scope.orgId, state });
  redirectWithNotice(response, scopedPath(scope, PRICES_PATH, { day }), toNotice(state));
};

/** Undefined where it was refused, and the form was answered. */
async function store(
  context: PortalContext,
  response: PortalResponse,
  values: UploadValues,
  { body, lineOf }: CheckedUpload,
): Promise<string | undefined> {
  try {
    const operation = toOperationContext(context, response, 'uploadDayAheadPrices');
    const answer = await uploadDayAheadPrices(operation, toUpload(response, body));
    return (answer.body as { readonly state: string }).state;
  } catch (error) {
    await refuse(context, response, values, error, lineOf);
    return undefined;
  }
}

function toNotice(state: string): Notice {
  if (state === 'success') return 'prices_stored';
  return state === 'late' ? 'prices_late' : 'prices_known';
}

const NO_PRICE = 'There is no price in it. Paste lines of a time and a price, or choose a file of them.';
const LACKS_COLUMNS =
  'Its first line names the columns: call one of them timestamp and one price, or leave that line out.';

/** Reads the prices by the rules of the API and looks for what they replace; undefined where they were refused. */
async function check(
  context: PortalContext,
  response: PortalResponse,
  values: UploadValues,
): Promise<CheckedUpload | undefined> {
  const operation = toOperationContext(context, response, 'uploadDayAheadPrices');
  const read = await readPriceLines(operation, hasFormTurn(response), values.text, values.zone);
  const { body, count, lineOf, lacksColumns } = read;
  if (lacksColumns || count === 0) {
    const text = lacksColumns ? LACKS_COLUMNS : NO_PRICE;
    sendUploadForm(context, response, 422, values, { ...NO_FAULTS, text });
    return undefined;
  }
  try {
    const comparison = await compareDayAheadPrices(operation, toUpload(response, body));
    const result = checkPrices(comparison, context.clock());
    const replaced = result.replaced.map(({ stored }) => [stored.price, stored.receivedAt]);
    const version = versionOf({ body: createHash('sha256').update(body).digest('hex'), replaced });
    const inForce = await listDrawn(context, response, operation.orgId, comparison.prices);
    return { body, lineOf, inForce, result, version };
  } catch (error) {
    await refuse(context, response, values, error, lineOf);
    return undefined;
  }
}

/** The organization's own prices in the time of an upload that is drawn. */
async function listDrawn(
  context: PortalContext,
  response: PortalResponse,
  orgId: string,
  prices: readonly UploadedPrice[],
): Promise<readonly ListedPrice[]> {
  if (!isDrawn(prices)) return [];
  const listed = await listPricesInForce(context, response, orgId, spanOf(prices));
  return listed.filter(({ origin }) => origin === 'own');
}

/** Bytes of its own for each operation, which hands them to a thread where they are many. */
function toUpload(response: PortalResponse, body: Uint8Array): Parameters<typeof uploadDayAheadPrices>[1] {
  return { pieces: [new Uint8Array(body)], errors: [], hasTurn: hasFormTurn(response) };
}

/** Answers with the form for what people mend there; throws everything else. */
async function refuse(
  context: PortalContext,
  response: PortalResponse,
  values: UploadValues,
  error: unknown,
  lineOf: PriceLines['lineOf'],
): Promise<void> {
  if (!(error instanceof Problem)) throw error;
  await giveWay(context, response);
  if (error.code === 'quota_reached')
    sendUploadForm(context, response, 422, values, { ...NO_FAULTS, text: error.message });
  else if (error.code === 'validation_failed')
    sendUploadForm(context, response, 422, values, describeFaults(error, lineOf));
  else throw error;
}

/** A file counts before what was pasted. */
function readForm(request: Request): UploadValues {
  const file = readFormField(request, 'file');
  return {
    text: file.trim() === '' ? readFormField(request, 'text') : file,
    zone: readFormField(request, 'zone').trim(),
  };
}
