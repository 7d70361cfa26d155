// The peer: what one would write with Fastify 5 and Kysely, by their own manuals. It does the checks of the service with the
// schemas of the same document, reads and writes the same tables, and gives the same answers.
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from '../../generated/database.ts';
import { formatLinkHeader } from '../../src/domain/api/page-links.ts';
import { encodeCursor } from '../../src/domain/api/cursor.ts';
import { toNewUserFields, validateOrgIdOfBody, validateUserFields } from '../../src/domain/users/users.ts';
import { createPeerQueries } from './peer-queries.ts';
import type { PeerQueries } from './peer-queries.ts';
import { documentSchema, PATH_OF_ORG, PATH_OF_USER, QUERY_OF_LIST, QUERY_OF_USER } from './peer-schemas.ts';
import type { NewUser } from './peer-schemas.ts';
import { createTokenCheck, HttpError, issueToken } from './peer-tokens.ts';
import type { TokenCheck } from './peer-tokens.ts';
import { announce, countAsNumber } from './server.ts';
import { CONNECTIONS } from './statements.ts';
import { TOKEN_PATH, usersPath } from './questions.ts';

interface OrgPath {
  readonly org_id: string;
}

announce(async ({ connection, userQuota }) => {
  countAsNumber();
  const pool = new pg.Pool({ ...connection, max: CONNECTIONS });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const app = fastify({
    genReqId: () => randomUUID(),
    routerOptions: { ignoreTrailingSlash: true },
    ajv: { customOptions: { removeAdditional: false, strict: false, allErrors: true } },
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' });
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.validation === undefined ? (error.statusCode ?? 500) : 422;
    const problem = { title: error.message, status, instance: request.url, request_id: request.id };
    return reply.code(status).type('application/problem+json').send(problem);
  });
  const queries = createPeerQueries(db, userQuota);
  addUserRoutes(app, queries, createTokenCheck(queries));
  app.post(TOKEN_PATH, (request, reply) => issueToken(queries, request, reply));
  await app.ready();
  return app.server;
});

function addUserRoutes(app: FastifyInstance, queries: PeerQueries, check: TokenCheck): void {
  const path = usersPath(':org_id');
  const user = documentSchema('User');
  const allow = (operation: 'getUser' | 'listUsers' | 'createUser') => ({
    preHandler: (request: FastifyRequest<{ Params: OrgPath }>) =>
      check(request, request.params.org_id, operation),
  });

  app.get<{ Params: OrgPath & { user_id: string }; Querystring: { include_deleted: boolean } }>(
    `${path}/:user_id`,
    {
      ...allow('getUser'),
      schema: { params: PATH_OF_USER, querystring: QUERY_OF_USER, response: { 200: user } },
    },
    async ({ params, query }) => {
      const found = await queries.findUser(params.org_id, params.user_id, query.include_deleted);
      if (found === undefined) throw new HttpError(404, 'There is no such user.');
      return found;
    },
  );

  app.get<{ Params: OrgPath; Querystring: { limit: number; include_deleted: boolean } }>(
    path,
    {
      ...allow('listUsers'),
      schema: {
        params: PATH_OF_ORG,
        querystring: QUERY_OF_LIST,
        response: { 200: { type: 'array', items: user } },
      },
    },
    async ({ params, query }, reply) => {
      const rows = await queries.listUsers(params.org_id, query.limit + 1, query.include_deleted);
      const page = rows.slice(0, query.limit);
      const last = page.at(-1);
      if (last !== undefined && rows.length > query.limit) {
        const after = encodeCursor({ createdAt: last.created_at, id: last.id });
        reply.header('Link', formatLinkHeader(usersPath(params.org_id), { ...query, after }, { next: {} }));
      }
      return page;
    },
  );

  app.post<{ Params: OrgPath; Body: NewUser }>(
    path,
    {
      ...allow('createUser'),
      schema: { params: PATH_OF_ORG, body: documentSchema('UserCreate'), response: { 201: user } },
    },
    async ({ params, body }, reply) => {
      const fields = toNewUserFields(body);
      const errors = [...validateUserFields(fields), ...validateOrgIdOfBody(body.org_id, params.org_id)];
      if (errors.length > 0) throw new HttpError(422, JSON.stringify(errors));
      const created = await queries.insertUser(params.org_id, fields);
      reply.code(201).header('Location', `${usersPath(params.org_id)}/${created.id}`);
      return created;
    },
  );
}
