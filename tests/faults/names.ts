// DNS answers that change between lookups, mix good and bad, or never come; a real name server on loopback.
import { createHostLookup } from '../../src/webhooks/name-lookup.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import { startNameServer, type NameAnswer, type NameServer } from '../support/name-server.ts';
import { recordArrivals, type Report } from './report.ts';
import { until, type FaultEnvironment } from './environment.ts';

interface NameFault {
  readonly name: string;
  /** By how often the name was asked about before. */
  readonly answer: (before: number) => NameAnswer;
  readonly error: string;
  /** Whether the first attempt, which opens the connection, goes through. */
  readonly isFirstDelivered: boolean;
}

const good = ['127.0.0.1'];
const nameFaults: readonly NameFault[] = [
  {
    name: 'changes to a forbidden address after the first delivery',
    answer: (before) => (before === 0 ? good : ['10.0.0.1']),
    error: 'refused_address',
    isFirstDelivered: true,
  },
  {
    name: 'mixes a good and a forbidden address',
    answer: () => [...good, '169.254.169.254'],
    error: 'refused_address',
    isFirstDelivered: false,
  },
  { name: 'never comes', answer: () => 'silence', error: 'dns', isFirstDelivered: false },
  { name: 'is that there is no such name', answer: () => 'unknown', error: 'dns', isFirstDelivered: false },
];

/** The dispatcher runs in this process, so that its name server can be ours. */
export async function sendToBadNames(environment: FaultEnvironment, messages: number): Promise<Report[]> {
  const names = ['healthy.example', ...nameFaults.map((_, index) => `fault-${index}.example`)];
  const receiver = await environment.receiver({ names });
  const server = await startNameServer();
  answerAll(server);
  const client = new WebhookClient({
    lookup: createHostLookup({ servers: [server.address], hostsFile: '/dev/null' }),
    allowedNetworks: ['127.0.0.0/8'],
    extraCa: environment.authority.ca,
  });
  const errors: unknown[] = [];
  const none = (): void => {};
  const dispatcher = new Dispatcher({
    db: environment.database.db,
    client,
    keyring: environment.keys,
    now: () => new Date(),
    random: () => 0.5,
    metrics: {
      attemptEnded: none,
      messageReceived: none,
      deliveriesFinished: none,
      deliveriesCancelled: none,
      resultsSuperseded: none,
      leasesReleased: none,
    },
    onError: (error) => errors.push(error),
  });
  const paths = new Map<string, number>();
  recordArrivals(receiver, async ({ headers }) => {
    const host = String(headers.host).replace(/:\d+$/, '');
    paths.set(host, (paths.get(host) ?? 0) + 1);
    return 204;
  });
  const orgId = await environment.organization(names.map((name) => receiver.url('/', name)));
  // The first alone, so that a connection waits for the next.
  await environment.messages(orgId, 1);
  await dispatcher.start();
  await settled(environment, orgId, 1);
  await environment.messages(orgId, messages - 1);
  dispatcher.wake();
  const all = await settled(environment, orgId, messages);
  await dispatcher.stop();
  await client.close();
  await server.close();
  const reports = nameFaults.map(({ name, error, isFirstDelivered }, index): Report => {
    const host = `fault-${index}.example`;
    const own = all.filter(({ url }) => new URL(url).hostname === host);
    const delivered = isFirstDelivered ? 1 : 0;
    const wrong = own.filter(({ errors: [first] }, each) => first !== (each < delivered ? 'none' : error));
    const faults = (paths.get(host) ?? 0) === delivered ? [] : [`${paths.get(host) ?? 0} requests came`];
    if (wrong.length > 0) faults.push(`${wrong.length} not ${error}: ${wrong[0]?.errors.join() ?? ''}`);
    const { length: count } = own;
    return {
      fault: `DNS answer ${name}`,
      messages: count,
      lost: wrong.length,
      duplicates: 0,
      bound: 0,
      resumedMs: undefined,
      faults,
    };
  });
  const healthy = paths.get('healthy.example') ?? 0;
  const faults = errors.map(String);
  const beside = { fault: 'healthy name beside these', messages, lost: messages - healthy };
  return [...reports, { ...beside, duplicates: 0, bound: 0, resumedMs: undefined, faults }];
}

function answerAll(server: NameServer): void {
  const before = new Map<string, number>();
  server.answer = (name, family) => {
    const fault = nameFaults[Number(/^fault-(\d+)/.exec(name)?.[1] ?? NaN)];
    if (fault === undefined) return family === 4 ? good : [];
    const key = `${name} ${family}`;
    const count = before.get(key) ?? 0;
    before.set(key, count + 1);
    return fault.answer(count);
  };
}

const settled = (environment: FaultEnvironment, orgId: string, messages: number) =>
  until(
    'every delivery has been attempted',
    () => environment.deliveries(orgId),
    (found) =>
      found.every(({ attempts }) => attempts > 0) &&
      new Set(found.map(({ messageId }) => messageId)).size === messages,
  );
