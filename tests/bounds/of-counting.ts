// By what requests are counted that have no token.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const answers = testsOf('tests/contract/every-answer.test.ts');
const addresses = testsOf('tests/http/client-address.test.ts');
const settings = testsOf('tests/process/settings-at-work.test.ts');
const sessions = testsOf('tests/http/rate-limits-of-sessions.test.ts');

const ofAddresses: readonly Bound[] = [
  bound(
    'metrics and readiness, counted by address',
    [
      replace(
        'src/http/app.ts',
        'app.use(createHealthRoutes(options, count));',
        'app.use(createHealthRoutes(options));',
      ),
    ],
    answers('can only be read', '/readyz'),
    answers('can only be read', '/metrics'),
    answers('beyond the quota also paths that nobody knows are refused'),
  ),
  bound(
    'the document and the pages, counted by address',
    [
      replace(
        'src/http/app.ts',
        'app.use(count, createDocumentRoutes(options.baseUrl, options.crossOrigin), ...options.pages);',
        'app.use(createDocumentRoutes(options.baseUrl, options.crossOrigin), ...options.pages);',
      ),
    ],
    answers('carries the rate limits and a request id', "get () => '/docs' "),
  ),
  bound(
    'failures before the caller is known, counted by address',
    [replace('src/http/app.ts', '    countFailure(countUnlessCounted),\n', '')],
    answers('beyond the quota also paths that nobody knows are refused'),
  ),
  bound(
    'requests for tokens with a header that was right, refused before the client is looked up',
    [
      replace(
        'src/http/oauth-routes.ts',
        '        await limiter.countTokenRequest(response, request.ip);\n      }\n      if (isStatus',
        '      }\n      if (isStatus',
      ),
    ],
    testsOf('tests/oauth/client-counts.test.ts')('counts for its address'),
  ),
];

const FINDER = 'src/http/trusted-proxies.ts';

const ofFinder: readonly Bound[] = [
  bound(
    'addresses of a header that are looked at',
    [replace(FINDER, 'hop < MAX_HOPS && ', '')],
    addresses('the last 32 are looked at', 'behind 32 proxies'),
    addresses('the last 32 are looked at', 'behind 1400 proxies'),
  ),
  bound(
    'how often the address of a request is looked for',
    [replace(FINDER, 'let address = found.get(request);', 'let address = undefined as string | undefined;')],
    addresses('is found once a request, however often it is read'),
  ),
  bound(
    'one finder of addresses for turns and counts',
    [
      replace(
        'src/http/app.ts',
        'setAddressFinder(app, options.findAddress);',
        "app.set('trust proxy', ['10.0.0.0/8', '127.0.0.0/8']);",
      ),
    ],
    settings('an address in X-Forwarded-For is one caller, however proxies write it'),
  ),
];

const COUNTED = 'limiter.countUnlessCounted(response, findSession(request) ?? addressSubject(request.ip));';

const ofSessions: readonly Bound[] = [
  bound(
    'what others at an address use up of the pages of who is signed in',
    [
      replace(
        'src/http/app.ts',
        COUNTED,
        COUNTED.replace('findSession(request) ?? addressSubject(request.ip)', 'addressSubject(request.ip)'),
      ),
    ],
    sessions('who is signed in is served while others have used up'),
  ),
  bound(
    'pages of a session',
    [
      replace(
        'src/http/app.ts',
        COUNTED,
        `findSession(request) === undefined ? ${COUNTED.slice(0, -1)} : Promise.resolve();`,
      ),
    ],
    sessions('a session has its own quota'),
  ),
  bound(
    'made-up sessions, counted by address',
    [
      replace(
        'src/accounts/sessions.ts',
        'return memory.findPartner(key) === undefined ? undefined : `session ${key}`;',
        'return `session ${key}`;',
      ),
    ],
    sessions('a session that the process has not seen is looked up within'),
    sessions('a session that has ended is counted by its address again'),
  ),
];

export const boundsOfCounting: readonly Bound[] = [...ofAddresses, ...ofFinder, ...ofSessions];
