import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';
import { decodeCursor, encodeCursor } from '../domain/api/cursor.ts';
import { DAY_MS, MINUTE_MS } from '../domain/api/durations.ts';
import type { ListedRequest, RefusalCount, RequestPosition } from '../domain/requests/logged-request.ts';
import { sendView } from '../html/render.ts';
import type { PageHandler } from './context.ts';
import { getSession } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { sendNotFound } from './pages.ts';
import { REQUESTS_PATH } from './paths.ts';
import { describeRequestFields, parseRequestQuery, readRequestQuery } from './request-filter.ts';
import type { RequestQuery } from './request-filter.ts';
import { countOf, formatAgo, formatCount, formatMinute, formatSecond } from './times.ts';

const REQUESTS_ON_PAGE = 50;
/** Refusals that are counted by their codes: those of the last day, and no more than these. */
const REFUSALS_COUNTED = 1_000;

/** What the organization has sent: which refusals there were, and the latest requests. */
export const showRequests: PageHandler = async (context, request, response) => {
  const { orgId } = getSession(response);
  const { reads, clock } = context;
  const now = clock();
  const query = readRequestQuery(request);
  const { filter, errors } = parseRequestQuery(query);
  const isFaulty = Object.keys(errors).length > 0;
  const before = readPosition(readQueryParameter(request, 'before'));
  const since = new Date(now.getTime() - DAY_MS);
  const [requests, refusals, unlogged] = await Promise.all([
    isFaulty ? [] : reads.listRequests(orgId, filter, { limit: REQUESTS_ON_PAGE + 1, before }),
    reads.countRefusals(orgId, since, REFUSALS_COUNTED),
    reads.countUnlogged(orgId, new Date(Math.floor(since.getTime() / MINUTE_MS) * MINUTE_MS)),
  ]);
  const page = requests.slice(0, REQUESTS_ON_PAGE);
  const last = requests.length > REQUESTS_ON_PAGE ? page.at(-1) : undefined;
  sendView(response, isFaulty ? 422 : 200, 'requests', {
    sentence: describeRefusals(refusals),
    unlogged:
      unlogged === 0
        ? undefined
        : `${formatCount(unlogged)} more of the last day were not kept, because too many came at once.`,
    refusals: { columns: REFUSAL_COLUMNS, rows: refusals.map((each) => toRefusalRow(each, now)) },
    requests: { columns: REQUEST_COLUMNS, rows: page.map(toRow) },
    fields: describeRequestFields(query, errors),
    isFiltered: Object.keys(query).length > 0,
    isFaulty,
    listPath: REQUESTS_PATH,
    more: last === undefined ? undefined : addressOf({ ...query, before: writePosition(last) }),
  });
};

/** One request: what was sent, and what was wrong with it. */
export const showRequest: PageHandler = async (context, request, response) => {
  const position = readPosition(String(request.params['position']));
  const { orgId } = getSession(response);
  const found = position && (await context.reads.findLoggedRequest(orgId, position));
  if (found === undefined) {
    sendNotFound(response);
    return;
  }
  const { method, operation, status, code, body, errors } = found;
  sendView(response, 200, 'request', {
    heading: `${method} ${operation}`,
    sentence: `It was answered with ${status}${code === null ? '' : ` (${titleOf(code)})`} after ${formatCount(found.durationMs)} ms.`,
    facts: describe(found),
    requestId: found.requestId,
    problem: code !== null && Object.hasOwn(PROBLEMS, code) ? code : undefined,
    errors: {
      columns: ERROR_COLUMNS,
      rows: (errors ?? []).map((each) => [{ text: each.pointer || 'The body' }, { text: ruleOf(each.code) }]),
    },
    body: body === null ? undefined : JSON.stringify(JSON.parse(body), undefined, 2),
    operation,
    listPath: REQUESTS_PATH,
  });
};

function describe(request: ListedRequest): readonly (readonly [string, string])[] {
  return [
    ['Sent', `${formatMinute(request.sentAt)}:${request.sentAt.toISOString().slice(17, 23)} UTC`],
    ['Path', request.path],
    ['By', describeSender(request)],
  ];
}

function describeRefusals(refusals: readonly RefusalCount[]): string {
  const total = refusals.reduce((sum, { count }) => sum + count, 0);
  const [most] = refusals;
  if (most === undefined) return 'No request was refused in the last day.';
  const atLeast = total >= REFUSALS_COUNTED ? 'At least ' : '';
  const what = `${most.operation} with ${most.code ?? 'no code'}`;
  if (total === 1) return `1 request of the last day was refused: ${what}.`;
  const share = most.count === total ? 'each time' : 'most often';
  return `${atLeast}${countOf(total, 'request')} of the last day were refused, ${share} ${what}.`;
}

const REFUSAL_COLUMNS = [
  { label: 'Code', speaksForItself: true },
  { label: 'Operation', kind: 'wide', speaksForItself: true },
  { label: 'Refused', kind: 'number' },
  { label: 'Last (UTC)', kind: 'quiet' },
];

function toRefusalRow({ code, operation, count, lastAt }: RefusalCount, now: Date) {
  return [
    code !== null && Object.hasOwn(PROBLEMS, code)
      ? { text: code, href: `/docs/errors/${code}` }
      : { text: code ?? 'None' },
    { text: operation, href: addressOf({ answer: 'refused', operation }) },
    { text: formatCount(count) },
    { text: `${formatMinute(lastAt)} (${formatAgo(lastAt, now)})`, at: lastAt.toISOString() },
  ];
}

const UUID_IN_PATH = /([\da-f]{8})(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

const REQUEST_COLUMNS = [
  { label: 'Operation and path', kind: 'wide', speaksForItself: true },
  { label: 'Answer', speaksForItself: true },
  { label: 'By', speaksForItself: true },
  { label: 'Took', kind: 'number' },
  { label: 'Sent (UTC)', kind: 'quiet' },
];

const ERROR_COLUMNS = [{ label: 'Where' }, { label: 'Rule', kind: 'wide', speaksForItself: true }];

function toRow(request: ListedRequest) {
  const { operation, method, path, status, code, durationMs, sentAt } = request;
  const kind = status < 400 ? 'ok' : status < 500 ? 'warning' : 'error';
  return [
    {
      text: operation,
      href: `${REQUESTS_PATH}${writePosition(request)}/`,
      detail: `${method} ${shortenPath(path)}`,
    },
    { status: { kind, word: code === null ? String(status) : `${status} ${code}` } },
    toSenderCell(request),
    { text: `${formatCount(durationMs)} ms` },
    { text: formatSecond(sentAt), at: sentAt.toISOString() },
  ];
}

/** Without what all paths of the API begin with, and ids by their beginnings: the page of the request has it whole. */
function shortenPath(path: string): string {
  const own = path.replace(/^\/api\/partners\/v[\d.]+(?:\/org\/[^/]+)?(?=\/)/, '');
  return own.replaceAll(UUID_IN_PATH, '$1…');
}

/** An application, and the person as whom it called. */
function toSenderCell({ applicationId, applicationName, email, userId }: ListedRequest) {
  if (applicationId === null)
    return userId === null
      ? { text: 'A client of the organization' }
      : { text: 'API explorer', detail: `as ${email ?? 'a user who is deleted'}` };
  const text = applicationName ?? 'an application that is deleted';
  return userId === null || email === null ? { text } : { text, detail: `as ${email}` };
}

function describeSender(request: ListedRequest): string {
  const { text, detail } = toSenderCell(request);
  return detail === undefined ? text : `${text}, ${detail}`;
}

function titleOf(code: string): string {
  return Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code as keyof typeof PROBLEMS].title : code;
}

function ruleOf(code: string): string {
  if (Object.hasOwn(FIELD_PROBLEMS, code)) return FIELD_PROBLEMS[code as keyof typeof FIELD_PROBLEMS].title;
  return titleOf(code);
}

function addressOf(query: RequestQuery & { readonly before?: string }): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? REQUESTS_PATH : `${REQUESTS_PATH}?${search}`;
}

function writePosition({ sentAt, id }: RequestPosition): string {
  return encodeCursor({ createdAt: sentAt, id });
}

function readPosition(text: string | undefined): RequestPosition | undefined {
  const position = decodeCursor(text ?? '');
  return position === undefined ? undefined : { sentAt: position.createdAt, id: position.id };
}
