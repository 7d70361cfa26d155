// The limit: `node:http` over one prepared statement for each question. No caller is known, nothing is checked, only the
// requests of the bench are understood.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import { CONNECTIONS, CREATE_USER, CREATED_FIELDS, GET_USER, ISSUE_TOKEN, LIST_USERS } from './statements.ts';
import type { ServerJob } from './statements.ts';
import { TOKEN_PATH } from './questions.ts';
import { announce, countAsNumber } from './server.ts';

type Query = (statement: { name: string; text: string }, values: unknown[]) => Promise<unknown[]>;

const TOKEN_SECONDS = 36_000;
const SHARDS = 64;

announce(({ connection, userQuota }: ServerJob) => {
  countAsNumber();
  const pool = new pg.Pool({ ...connection, max: CONNECTIONS });
  const kept = new Map<string, string>();
  const query: Query = async (statement, values) => {
    const { rows } = await pool.query<object>({ ...statement, values });
    return rows;
  };
  return createServer((request, response) => {
    answer({ query, kept, userQuota }, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
});

interface Bare {
  readonly query: Query;
  /** What PUT has left at a path: GET answers it from memory. */
  readonly kept: Map<string, string>;
  readonly userQuota: number;
}

async function answer(
  { query, kept, userQuota }: Bare,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = request.url?.split('?') ?? [];
  const [, , , , , orgId, , userId] = path.split('/');
  const text = kept.get(path);
  if (request.method === 'PUT') {
    kept.set(path, await readText(request));
    send(response, 200, '{}');
  } else if (text !== undefined) send(response, 200, text);
  else if (path === TOKEN_PATH) sendJson(response, 200, await issueToken(query, request));
  else if (request.method === 'POST')
    sendJson(response, 201, await createUser(query, orgId, userQuota, request));
  else if (userId === undefined) sendJson(response, 200, await query(LIST_USERS, [orgId]));
  else sendJson(response, 200, (await query(GET_USER, [orgId, userId]))[0]);
}

async function createUser(
  query: Query,
  orgId: string | undefined,
  userQuota: number,
  request: IncomingMessage,
): Promise<unknown> {
  const body = JSON.parse(await readText(request)) as Readonly<Record<string, unknown>>;
  const id = randomUUID();
  const shard = Number.parseInt(id.slice(-2), 16) % SHARDS;
  const fields = CREATED_FIELDS.map((name) => body[name] ?? null);
  const [user] = await query(CREATE_USER, [orgId, id, ...fields, new Date(), shard, userQuota]);
  return user;
}

async function issueToken(query: Query, request: IncomingMessage): Promise<unknown> {
  await readText(request);
  const pair = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
  const [clientId, secret = ''] = pair.split(':');
  const token = `pat_${randomBytes(32).toString('base64url')}`;
  const now = Date.now();
  const [issued] = (await query(ISSUE_TOKEN, [
    hash('sha256', token, 'buffer'),
    new Date(now),
    new Date(now + TOKEN_SECONDS * 1000),
    clientId,
    hash('sha256', secret, 'buffer'),
  ])) as { scope: string }[];
  return { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer', scope: issued?.scope };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  };
  response.writeHead(status, headers).end(text);
}
