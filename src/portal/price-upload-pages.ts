import type { PortalContext, PortalResponse } from './context.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { tabulateChart } from './day-chart.ts';
import { createLocalClock } from './local-days.ts';
import { PRICES_PATH, PRICE_UPLOAD_PATH } from './paths.ts';
import { chartCheck, describeCheck, isDrawn, tabulateReplaced } from './price-check.ts';
import type { PriceCheck } from './price-check.ts';
import { warnOfLengths } from './price-check-warnings.ts';
import { exampleUpload } from './price-choices.ts';
import type { PriceFaults } from './price-faults.ts';
import type { ListedPrice } from './price-list.ts';
import type { PriceLines } from '../operations/price-text.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import { countOf } from './times.ts';

/** What the form holds. */
export interface UploadValues {
  readonly text: string;
  readonly zone: string;
}

/** A form with which nothing is wrong. */
export const NO_FAULTS: PriceFaults = { rows: [], zone: undefined, text: undefined };

/** An upload that the rules of the API take. */
export interface CheckedUpload {
  /** As the API takes it. */
  readonly body: Uint8Array;
  readonly lineOf: PriceLines['lineOf'];
  /** Of the organization, in the time of an upload that is drawn; none for others. */
  readonly inForce: readonly ListedPrice[];
  readonly result: PriceCheck;
  /** Of the prices and what they would replace. */
  readonly version: string;
}

/** Answers with the form, and what is wrong in it. */
export function sendUploadForm(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  status: number,
  { text, zone }: UploadValues,
  faults: PriceFaults,
): void {
  const scope = getScope(response);
  sendView(response, status, 'price-upload', {
    errors: {
      ...(faults.rows.length === 0 ? {} : { form: tellFaults(faults) }),
      ...(faults.text === undefined ? {} : { text: faults.text }),
      ...(faults.zone === undefined ? {} : { zone: faults.zone }),
    },
    faults: { columns: FAULT_COLUMNS, rows: faults.rows },
    sentence:
      scope.kind === 'own'
        ? `They count for ${scope.name} and for its simulations, where these have none of their own.`
        : `They count for the simulation ${scope.name} alone, in place of those of the partner.`,
    action: scopedPath(scope, PRICE_UPLOAD_PATH),
    back: scopedPath(scope, PRICES_PATH),
    fields: [
      {
        name: 'text',
        label: 'Prices',
        value: text,
        multiline: true,
        rows: 12,
        error: faults.text,
        autofocus: true,
        hint: 'In each line a time and a price in EUR/MWh, for hours or quarter hours, as a spreadsheet copies them or the CSV of the prices has them. Bids and asks may follow, each a list with spaces. At most 10,000 lines and 1 MB.',
        placeholder: '2026-11-24 18:00;84.12\n2026-11-24 19:00;79.50;79.25 79.00;79.75',
      },
      {
        name: 'file',
        label: 'Or a file of such lines (CSV)',
        type: 'file',
        required: false,
        hint: 'It counts in place of what is pasted.',
      },
      {
        name: 'zone',
        label: 'Clocks of the times',
        value: zone,
        error: faults.zone,
        maxlength: 64,
        hint: 'The time zone of times without an offset, such as Europe/Vienna or UTC',
      },
    ],
    call: formatApiCall(baseUrl, exampleUpload(scope.orgId, new Date('2026-11-24T17:00:00Z'))),
  });
}

/** What is to be mended in all, where lines are. */
function tellFaults({ rows, zone }: PriceFaults): string {
  const lines = `${countOf(rows.length, 'error')}, each with its line below`;
  return zone === undefined ? `${lines}.` : `${lines}; the clocks of the times are to be mended too.`;
}

const FAULT_COLUMNS = [
  { label: 'Where' },
  { label: 'It says' },
  { label: 'What is wrong, and what to do', kind: 'wide', speaksForItself: true },
];

/** Longer bodies stand in the call of the API as a file. */
const SHOWN_BYTES = 2_000;

/** Answers with what the upload would do; `isStale` when this is not what was shown before. */
export function sendUploadCheck(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { text, zone }: UploadValues,
  { body, inForce, result, version }: CheckedUpload,
  isStale: boolean,
): void {
  const scope = getScope(response);
  const clock = createLocalClock(zone);
  const chart = chartCheck(result, inForce, clock);
  const path = `/org/${scope.orgId}/trading/dayahead/prices`;
  sendView(response, 200, 'price-check', {
    isStale,
    sentence: tellCheck(result),
    canStore: !result.isLate && result.same < result.prices.length,
    warnings: isDrawn(result.prices) ? warnOfLengths(result.prices, inForce, clock) : [],
    facts: describeCheck(result, clock),
    zone,
    chart,
    hasCharts: chart !== undefined,
    table: chart && tabulateChart(chart),
    dayName: 'What is to be stored',
    replaced: tabulateReplaced(result, clock),
    action: scopedPath(scope, `${PRICE_UPLOAD_PATH}store/`),
    changeAction: scopedPath(scope, `${PRICE_UPLOAD_PATH}change/`),
    back: scopedPath(scope, PRICE_UPLOAD_PATH),
    hidden: { text, zone, version },
    call: formatApiCall(
      baseUrl,
      body.length <= SHOWN_BYTES
        ? { method: 'PATCH', path, body: JSON.parse(new TextDecoder().decode(body)) as unknown }
        : { method: 'PATCH', path, bodyFile: 'prices.json' },
    ),
  });
}

function tellCheck({ prices, same, isLate }: PriceCheck): string {
  if (isLate) return 'All of them are over: nothing of it can be stored any more.';
  if (same === prices.length) return 'All of them are stored already with the same values.';
  return 'Nothing is stored yet. All of it is stored with the button below, or nothing.';
}
