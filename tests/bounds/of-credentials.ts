// What strangers and people who sign in may try, what is remembered of them, and how long credentials live.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const MEMORY = 'src/shares/credential-memory.ts';
const SESSIONS = 'src/accounts/sessions.ts';
const COUNTERS = 'src/http/quota-counters.ts';
const OAUTH = 'src/http/oauth-routes.ts';
const LIMITER = 'src/http/rate-limiter.ts';

const tokens = testsOf('tests/oauth/token-memory.test.ts');
const memory = testsOf('tests/shares/credential-memory.test.ts');
const counters = testsOf('tests/http/quota-counters.test.ts');
const limits = testsOf('tests/http/rate-limits.test.ts');
const login = testsOf('tests/portal/login.test.ts');
const sessions = testsOf('tests/portal/sessions.test.ts');
const numbers = testsOf('tests/abuse/quotas.test.ts');
const hashing = testsOf('tests/accounts/hashing-turns.test.ts');

const ofMemory: readonly Bound[] = [
  bound(
    'statements of an unknown credential',
    [
      replace(
        MEMORY,
        'return startedMs !== undefined && this.#monotonicMs() - startedMs < UNKNOWN_MS;',
        'return startedMs === -1;',
      ),
    ],
    tokens('costs one statement in 0.9 seconds'),
    testsOf('tests/accounts/sessions.test.ts')('an unknown cookie costs one statement in 0.9 seconds'),
  ),
  bound(
    'unknown credentials that are remembered',
    [replace(MEMORY, 'new LRUCache({ max: maxUnknown ?? MAX_UNKNOWN })', 'new LRUCache({ max: 4_194_304 })')],
    tokens('is forgotten for others, which evict no valid one'),
    memory('of unknown credentials 10,000 are remembered'),
  ),
  bound(
    'known credentials that are remembered',
    [replace(MEMORY, 'const MAX_KNOWN = 10_000;', 'const MAX_KNOWN = 4_194_304;')],
    memory('of known credentials 10,000 are remembered'),
  ),
  bound(
    'known credentials of a partner, where all are used',
    [
      replace(
        'src/domain/caches/shared-cache.ts',
        'if (entries.sizeOf(partnerId) > part) entries',
        'if (part === Infinity) entries',
      ),
    ],
    memory('a partner with more credentials than its part'),
  ),
  bound(
    'tokens whose rows are remembered',
    [replace('src/oauth/token-memory.ts', '({ max: MAX_CACHED_TOKENS })', '({ max: 4_194_304 })')],
    tokens('of more tokens than are remembered the first is read again'),
  ),
  bound(
    'time for which a token is remembered',
    [
      replace(
        'src/oauth/token-memory.ts',
        'return this.#options.monotonicMs() - known.startedMs < CACHE_LIFETIME_MS ? known.token : undefined;',
        'return known.token;',
      ),
    ],
    testsOf('tests/oauth/authenticate.test.ts')('deletion of the owner'),
  ),
  bound(
    'subjects of rate limits that are remembered',
    [replace(COUNTERS, 'const max = options.maxSubjects ?? MAX_SUBJECTS;', 'const max = 4_194_304;')],
    counters('of a partner is not pushed out by however many addresses'),
  ),
];

const ofTries: readonly Bound[] = [
  bound(
    'password hashes of all strangers together',
    [
      replace(
        'src/shares/stranger-turns.ts',
        '() => addresses.acquire(caller.address, signal),',
        '() => Promise.resolve(() => undefined),',
      ),
      replace(
        'src/shares/stranger-turns.ts',
        'units.acquire(STRANGERS, signal)',
        'units.acquire(caller.address, signal)',
      ),
    ],
    testsOf('tests/shares/stranger-turns.test.ts')('all addresses together have one unit'),
    { ...hashing('however many strangers wait'), says: "The caller's share of the service is in use" },
  ),
  bound(
    'password hashes by turns',
    [
      replace(
        'src/accounts/sign-in.ts',
        'const isRight = await turns.run(toHashingCaller(caller, found?.partnerId), (hasher) =>\n      hasher.verify(password, found?.passwordHash ?? unmatchableHash),\n    );',
        "void [turns, toHashingCaller, caller];\n    const { passwordHasher } = await import('../domain/security/passwords.ts');\n    const isRight = await passwordHasher.verify(password, found?.passwordHash ?? unmatchableHash);",
      ),
    ],
    hashing('passwords are hashed by turns'),
    testsOf('tests/abuse/slots.test.ts')('are refused first', 'login'),
  ),
  bound(
    'tries to sign in from an address',
    [
      replace(
        'src/portal/login.ts',
        "const byAddress = await admitUse(context, request, response, loginUseOfAddress('portal', request.ip));",
        'const byAddress = { giveBack: () => [loginUseOfAddress] };',
      ),
    ],
    login('tries beyond the quota of the address are refused'),
  ),
  bound(
    'tries to sign in to an account',
    [
      replace(
        'src/domain/security/login-subjects.ts',
        'return isKnownBrowser ? [here] : [here, {',
        'return isKnownBrowser ? [] : [{',
      ),
    ],
    login('failures block the account at this address, and not the next account'),
  ),
  bound(
    'tries to sign in to an account from all places',
    [
      replace(
        'src/domain/security/login-subjects.ts',
        "return isKnownBrowser ? [here] : [here, { policy: 'login_account', subject: account }];",
        'return isKnownBrowser ? [here] : [here];',
      ),
    ],
    login('who only knows a name locks nobody out'),
  ),
  bound(
    'requests of an address to the token endpoint',
    [replace(OAUTH, 'isProvenByHeader ? [] : await limiter.countTokenRequest(response, request.ip);', '[];')],
    limits('the endpoint for tokens counts an address before it reads a body'),
  ),
  bound(
    'what a client that proves itself in its body uses up of its address',
    [replace(OAUTH, 'if (isProven && ofAddress.length > 0) limiter.giveBack(response, ofAddress);', '')],
    limits('uses up nothing of its address'),
  ),
  bound(
    'requests of a client that is not proven',
    [replace(OAUTH, 'if (!isProven) await limiter.countRequest(response, [unproven]);', 'void unproven;')],
    testsOf('tests/contract/hostile-tokens.test.ts')('a client is counted as one'),
  ),
  bound(
    'tries of the password grant',
    [replace(OAUTH, "if (grant === 'password' && ", "if (grant === 'none' && ")],
    testsOf('tests/contract/hostile-tokens.test.ts')(
      'guessing passwords is counted by account and by address',
    ),
  ),
  bound(
    'sign-up requests of an address',
    [replace(LIMITER, "requestSignup: 'signup',", '')],
    numbers('sign-up requests beyond the quota of an address'),
  ),
  bound(
    'previews of a partner in a minute',
    [replace(LIMITER, "previewFleet: 'preview',", '')],
    limits('previews and tests of webhooks are counted by partner too'),
  ),
  bound(
    'tests of webhooks of a partner in a minute',
    [replace(LIMITER, "testWebhook: 'webhook_test',", '')],
    limits('previews and tests of webhooks are counted by partner too'),
  ),
  bound(
    'notices of a partner in a minute',
    [replace(LIMITER, "broadcastInformation: 'broadcast',", '')],
    limits('notices written by hand are counted by partner'),
  ),
  bound(
    'requests of people in the portal, counted for their partner',
    [
      replace(
        LIMITER,
        "await this.countRequest(response, [{ policy: 'partner', subject: `partner ${partnerId}` }]);",
        'void partnerId;',
      ),
    ],
    login('requests of people who are signed in count for their partner'),
  ),
  bound(
    'addresses of one IPv6 caller',
    [
      replace(
        'src/domain/security/quota-subjects.ts',
        'parsed.toByteArray().fill(0, BYTES_OF_PREFIX)',
        'parsed.toByteArray()',
      ),
    ],
    testsOf('tests/domain/security/quota-subjects.test.ts')('is counted as', '2001:db8:1:2:3:4:5:6'),
  ),
  bound(
    'counts of a quota in several processes',
    [replace(COUNTERS, 'this.#moved.add(window);\n    this.#schedule(', 'this.#schedule(')],
    counters('of them admit one quota together'),
  ),
  bound(
    'time of a wait for the counts of other processes',
    [replace(COUNTERS, '}, MAX_WAIT_MS);', '}, 2_000_000_000);')],
    counters('a database that does not answer holds a use half a second'),
  ),
  bound(
    'length of a password',
    [replace('src/portal/password.ts', 'length > MAX_LENGTH', 'length > Infinity')],
    testsOf('tests/portal/credentials.test.ts')('each rule for passwords is told beside its field'),
  ),
];

const ofLives: readonly Bound[] = [
  bound(
    'life of an access token',
    [
      replace(
        'src/oauth/authenticate.ts',
        'if (active === undefined || active.expiresAt <= clock())',
        'if (active === undefined)',
      ),
    ],
    testsOf('tests/oauth/authenticate.test.ts')('a token ends at its last millisecond'),
  ),
  bound(
    'sessions of a person',
    [replace(SESSIONS, 'deletePortalSessionsBeyond(tx, person, MAX_SESSIONS)', 'Promise.resolve()')],
    testsOf('tests/accounts/sessions.test.ts')('of more than a hundred sessions of a person'),
  ),
  bound(
    'idle hours of a session',
    [replace(SESSIONS, 'usedAt.getTime() + SESSION_IDLE_MS', 'Infinity')],
    sessions('a session ends after twelve idle hours, and after seven days'),
  ),
  bound(
    'life of a session',
    [
      replace(
        SESSIONS,
        'new Date(Math.min(createdAt.getTime() + SESSION_LIFETIME_MS, usedAt.getTime() + SESSION_IDLE_MS))',
        'new Date(Math.max(createdAt.getTime(), usedAt.getTime() + SESSION_IDLE_MS))',
      ),
    ],
    sessions('a session ends after twelve idle hours, and after seven days'),
  ),
  bound(
    'life of an initial password',
    [replace('src/accounts/passwords.ts', 'return end !== null && end <= now;', 'return end === now;')],
    login('an initial password opens nothing after 72 hours'),
  ),
  bound(
    'life of a resolution link',
    [
      replace(
        'src/domain/security/signed-links.ts',
        "return now.getTime() <= Number.parseInt(expiry, 36) ? 'valid' : 'expired';",
        "return now.getTime() > 0 ? 'valid' : 'expired';",
      ),
      // The consent page looks at the hour before it asks the database too.
      replace(
        'src/domain/security/signed-links.ts',
        'return expiry !== undefined && now.getTime() <= Number.parseInt(expiry, 36);',
        'return expiry !== undefined && now.getTime() > 0;',
      ),
    ],
    testsOf('tests/operations/resolve.test.ts')('works for one hour after the answer that carried it'),
    testsOf('tests/portal/consent.test.ts')('refuses an expired or altered link'),
  ),
];

export const boundsOfCredentials: readonly Bound[] = [...ofMemory, ...ofTries, ...ofLives];
