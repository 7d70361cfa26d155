// What anybody may take by sending, beside what the attacks of the bench meet.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const CONNECTION = 'src/http/connection.ts';
const BODY = 'src/http/body.ts';
const UNREAD = 'src/http/unread-body.ts';
const SCAN = 'src/contract/scan-json.ts';
const FORMS = 'src/portal/forms.ts';

const requests = testsOf('tests/http/bounds.test.ts');
const json = testsOf('tests/contract/body-costs.test.ts');
const server = testsOf('tests/http/http-server.test.ts');
const pipelining = testsOf('tests/http/pipelining.test.ts');
const uploads = testsOf('tests/portal/price-upload.test.ts');
const unwanted = testsOf('tests/http/unwanted-answers.test.ts');
const unread = testsOf('tests/http/unread-body.test.ts');

const ofRequests: readonly Bound[] = [
  bound(
    'how long others are taken to be at work',
    [replace('src/shares/recent-partners.ts', 'RECENT_MS = 120_000', 'RECENT_MS = 1_000')],
    testsOf('tests/shares/recent-partners.test.ts')('again two minutes behind its last one'),
  ),
  bound(
    'logins beyond a quota that are refused at once',
    [replace('src/portal/login.ts', '  await slowDown(request, response);\n', '')],
    testsOf('tests/portal/login-refusals.test.ts')('what is refused by a quota waits'),
  ),
  bound(
    'refusals of an address that are held back at once',
    [
      replace(
        'src/http/refusal-delay.ts',
        'if (held >= (this.#options.maxHeldOfAddress ?? SERVER_LIMITS.maxConnectionsOfAddress)) return;',
        '',
      ),
    ],
    testsOf('tests/http/held-back.test.ts')('beyond so many of an address that wait'),
  ),
  bound(
    'what is read of a connection while a request waits behind another',
    [
      replace(
        CONNECTION,
        'this.#waiting.push([request, response]);\n      stopReading(this.#socket);',
        'this.#waiting.push([request, response]);',
      ),
      replace(
        CONNECTION,
        'if (this.#waiting.length > 0 || this.#isAbandoned) stopReading(this.#socket);',
        '',
      ),
    ],
    pipelining('requests that are pipelined are not read while one waits'),
  ),
  bound(
    'requests behind an answer without an end',
    [
      replace(
        CONNECTION,
        '} else if (this.#isEndless) {\n      this.#cutOff();\n    } else if (this.#waiting.length',
        '} else if (this.#waiting.length',
      ),
      replace(CONNECTION, 'if (this.#waiting.length > 0) this.#cutOff();', ''),
    ],
    pipelining('cuts the connection off'),
    pipelining('an event stream is such an answer'),
  ),
  bound(
    'how soon who was cut off for sending too much may come again',
    [replace(CONNECTION, 'export const CUT_OFF_AFTER_MS = 1_000;', 'export const CUT_OFF_AFTER_MS = 0;')],
    server('are not kept without limit'),
  ),
  bound(
    'time in which connections end at a stop',
    [
      replace(
        'src/http/http-server.ts',
        'const timer = setTimeout(() => this.#server.closeAllConnections(), times.drainMs);',
        'const timer = setTimeout(() => undefined, times.drainMs);',
      ),
    ],
    server('cuts in the end what neither ends nor is read'),
  ),
];

const ofBodies: readonly Bound[] = [
  bound(
    'size of a body by its declared length, before its partner has a turn',
    [
      replace(
        BODY,
        "if (Number(request.get('content-length') ?? 0) > body.maxBytes) throw tooLarge(body.maxBytes);",
        '',
      ),
    ],
    testsOf('tests/compute/turns.test.ts')('a body that is too large by its length waits for no turn'),
  ),
  bound(
    'size of a body as it comes',
    [
      replace(
        'src/http/collect-body.ts',
        'if (isTooLong || isCutOff(request)) return Promise.resolve(undefined);',
        'void [isTooLong, isCutOff];',
      ),
      replace('src/http/collect-body.ts', 'declared === 0 ? maxBytes : declared', 'Infinity'),
    ],
    requests('is refused as soon as it is, when it comes in chunks'),
    requests('is refused by its length before it is sent', '/oauth2/token/'),
  ),
  bound(
    'bodies that are compressed',
    [replace(BODY, "if (encoding.toLowerCase() !== 'identity')", "if (encoding === 'none')")],
    requests('is not unpacked', '/oauth2/token/'),
  ),
  bound(
    'forms of the portal that are compressed',
    [replace(FORMS, 'inflate: false,', 'inflate: true,')],
    requests('is not unpacked', '/accounts/login/'),
  ),
  bound(
    'size of a form of the portal',
    [
      replace(
        FORMS,
        "const isSmall = Number(request.get('content-length') ?? 0) <= mostBytes;",
        'const isSmall = request.readable;',
      ),
      replace(FORMS, 'limit: mostBytes,', 'limit: 1_073_741_824,'),
    ],
    requests('is refused by its length before it is sent', '/accounts/login/'),
  ),
  bound(
    'forms of the portal without a length',
    [replace(FORMS, "if (isSmall && request.get('transfer-encoding') === undefined) {", 'if (isSmall) {')],
    requests('is not read at the portal when it comes in chunks'),
  ),
  bound(
    'fields of a form of the portal',
    [replace(FORMS, 'parameterLimit: 200,', 'parameterLimit: 1_000_000,')],
    requests('a form of the portal may have 200 fields'),
  ),
  bound(
    'parts of a form of the portal',
    [replace('src/portal/form-parts.ts', 'parts: MOST_PARTS,', 'parts: 1_000_000,')],
    uploads('of several parts has 20 of them at most'),
  ),
  bound(
    'size of a form of who is signed in',
    [replace(FORMS, 'const MAX_PAGE_FORM_BYTES = 32_768;', 'const MAX_PAGE_FORM_BYTES = 1_048_576;')],
    testsOf('tests/portal/fleet-creation.test.ts')('one of who may not create is as short as all others'),
  ),
  bound(
    'characters of a refused form that are shown',
    [replace('src/portal/entered-values.ts', 'MOST_CHARACTERS = 16_384', 'MOST_CHARACTERS = Infinity')],
    testsOf('tests/portal/entered-values.test.ts')('no password is shown, nor more than 16,384 characters'),
  ),
  bound(
    'size of the form for prices',
    [
      replace(
        FORMS,
        'const MAX_PRICE_FORM_BYTES = 1_100_000;',
        'const MAX_PRICE_FORM_BYTES = 1_100_000_000;',
      ),
    ],
    uploads('is read up to 1.1 MB from who may upload, and not at all beyond'),
  ),
  bound(
    'bytes of a refused body that are read on',
    [replace(UNREAD, 'if (socket.bytesRead >= until) end();', 'void until;')],
    unread('without a length is read on for 256 KiB at most'),
    unread('that somebody has begun to take is read on for 256 KiB'),
  ),
  bound(
    'bytes of a refused body that is declared longer',
    [
      replace(
        UNREAD,
        "if (Number(request.headers['content-length']) > LINGER_BYTES || isCutOff(request)) return;",
        'void isCutOff;',
      ),
    ],
    unread('declared longer is not read on'),
  ),
  bound(
    'time in which a refused body is read on',
    [replace(UNREAD, 'setTimeout(end, LINGER_MS)', 'setTimeout(end, 2_000_000_000)')],
    unread('is read on for half a second at most'),
  ),
  bound(
    'characters of Accept',
    [
      replace(
        'src/contract/accepted-type.ts',
        'MAX_ACCEPT_CHARACTERS = 1_024',
        'MAX_ACCEPT_CHARACTERS = Infinity',
      ),
    ],
    requests('does not', 'a/b,a/b'),
    testsOf('tests/http/cache-control.test.ts')('no page for who names more types than are read'),
  ),
  bound(
    'depth of JSON',
    [replace(SCAN, 'if (open.length > MAX_DEPTH)', 'if (open.length > Infinity)')],
    json('a body is refused as malformed_json', 'with 65 levels'),
  ),
  bound(
    'properties of an object of JSON',
    [replace(SCAN, 'if (names.size === MAX_PROPERTIES)', 'if (names.size === Infinity)')],
    json('a body is refused as malformed_json', 'with 1,001 properties in one object'),
  ),
  bound(
    'containers of JSON',
    [replace(SCAN, 'if (containers > MAX_CONTAINERS)', 'if (containers > Infinity)')],
    json('a body is refused as malformed_json', 'with 100,001 lists'),
  ),
];

const ofLog: readonly Bound[] = [
  bound(
    'lines of the log for refusals of strangers',
    [replace('src/http/refusal-log.ts', 'if (known === undefined) {', 'if (known?.count !== -1) {')],
    testsOf('tests/http/refusal-log.test.ts')('are one a second of each kind'),
    testsOf('tests/http/refusal-log.test.ts')('has no line for each refusal of a stranger'),
  ),
];

const ofAnswers: readonly Bound[] = [
  bound(
    'answers that another one has taken the place of',
    [
      replace(
        'src/http/given-up.ts',
        'return isGivenUp(response) || response.destroyed;',
        'return response.destroyed;',
      ),
    ],
    unwanted('nothing is written behind the other one'),
  ),
  bound(
    'failures of answers outside of their handlers',
    [
      replace(
        'src/http/problems.ts',
        "response.on('error', (error) => {",
        "response.on('failure', (error: Error) => {",
      ),
    ],
    unwanted('of the service'),
    unwanted('of the port without the API'),
  ),
  bound(
    'targets that Express cannot read',
    [replace('src/http/request-target.ts', "request.url = path ?? '/';", 'request.url = url;')],
    testsOf('tests/http/unusual-requests.test.ts')('is a problem like any other, and counted', 'a host'),
    testsOf('tests/http/unusual-requests.test.ts')('a target that cannot be read is refused'),
  ),
  bound(
    'time of a connection whose body was given up, without an answer',
    [
      replace(
        'src/http/chunk-bounds.ts',
        'cutOffAfter(socket, this.#options.limits.answerMs);',
        'void cutOffAfter;',
      ),
    ],
    testsOf('tests/http/chunk-bounds.test.ts')('end their connection after a while where nobody answers'),
  ),
  bound(
    'bodies that are thrown away on one connection',
    [replace('src/http/stop-connection.ts', 'if (onBody === undefined) return;', '')],
    unwanted('thrown away twice in one turn'),
  ),
];

export const boundsOfConnections: readonly Bound[] = [...ofRequests, ...ofBodies, ...ofLog, ...ofAnswers];
