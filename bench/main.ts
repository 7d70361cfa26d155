// `make bench`: what the service costs beside a limit measured in the same run. Prints ratios; absolute rates are
// for orientation only. See bench/README.md.
import { randomUUID } from 'node:crypto';
import { startService } from '../tests/support/service.ts';
import { benchAbuse } from './abuse/main.ts';
import { benchFleets } from './fleets.ts';
import { rate, serve } from './http.ts';
import { benchSimulation } from './simulation.ts';
import { benchWebhooks } from './webhooks.ts';

const COUNT = 3_000;
const IN_FLIGHT = 32;
const ROUNDS = 5;
const BODY = JSON.stringify({
  id: randomUUID(),
  email: 'ada@example.com',
  role: 'user',
  created_at: new Date(0),
});

/** The share of a bare server's rate that three reads reach. */
async function benchReads(): Promise<void> {
  const orgId = randomUUID();
  const clientId = 'bench';
  const clientSecret = 'b'.repeat(40);
  const service = await startService({
    env: {
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      BOOTSTRAP_ORG_ID: orgId,
      BOOTSTRAP_CLIENT_ID: clientId,
      BOOTSTRAP_CLIENT_SECRET: clientSecret,
    },
  });
  const bare = await serve((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(BODY);
  });

  try {
    const answer = await fetch(`${service.baseUrl}/oauth2/token/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      },
      body: JSON.stringify({ grant_type: 'client_credentials' }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const origin = service.baseUrl.replace('localhost', '127.0.0.1');
    const rows: readonly (readonly [name: string, path: string])[] = [
      ['GET users (3 rows from PostgreSQL)', `/api/partners/v2.0/org/${orgId}/users`],
      [
        'GET fleet config (no SQL beyond the token)',
        `/api/partners/v2.0/org/${orgId}/device-simulator/fleets/config`,
      ],
      ['GET notification status', `/api/partners/v2.0/org/${orgId}/notifications/status`],
    ];
    console.log(
      `Ratio to a bare node:http server in another order each round; median of ${ROUNDS} rounds.\n`,
    );
    for (const [name, path] of rows) {
      await rate(origin, path, headers, COUNT / 3, IN_FLIGHT);
      const ratios: number[] = [];
      let last = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const limitFirst = round % 2 === 0;
        const before = limitFirst ? await rate(bare.origin, '/', {}, COUNT, IN_FLIGHT) : undefined;
        const ours = await rate(origin, path, headers, COUNT, IN_FLIGHT);
        const limit = before ?? (await rate(bare.origin, '/', {}, COUNT, IN_FLIGHT));
        ratios.push(ours.perSecond / limit.perSecond);
        last = ours.perSecond;
      }
      const median = ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
      console.log(`${name.padEnd(46)} ${median.toFixed(3)}   (${last.toFixed(0)}/s)`);
    }
  } finally {
    bare.server.close();
    bare.server.closeAllConnections();
    await service.remove();
  }
}

const [part, ...rest] = process.argv.slice(2);
switch (part) {
  case undefined:
    await benchReads();
    benchSimulation();
    await benchWebhooks();
    await benchFleets();
    break;
  case 'abuse':
    process.exitCode = await benchAbuse(rest);
    break;
  default:
    console.error(`There is no part ${part}: without arguments everything but abuse is measured.`);
    process.exitCode = 2;
}
