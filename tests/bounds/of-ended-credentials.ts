// How long a credential has the turn of its partner.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const MEMORY = 'src/shares/credential-memory.ts';

const callers = testsOf('tests/http/ended-callers.test.ts');
const memory = testsOf('tests/shares/credential-memory.test.ts');
const ended = testsOf('tests/http/ended-credentials.test.ts');

export const boundsOfEndedCredentials: readonly Bound[] = [
  bound(
    'changes of a password that was changed or reset meanwhile',
    [replace('src/queries/accounts/accounts.ts', "    .where('password_hash', '=', verified)\n", '')],
    testsOf('tests/accounts/password-ends.test.ts')('stays as it was reset'),
    testsOf('tests/accounts/password-ends.test.ts')('the first one counts'),
  ),
  bound(
    'time for which a credential has the turn of its partner',
    [replace(MEMORY, 'Math.min(PROVEN_MS, leftMs)', 'leftMs')],
    memory('is a credential’s for a minute'),
    testsOf('tests/oauth/authenticate.test.ts')('a token has its partner’s turn for a minute'),
    testsOf('tests/accounts/sessions.test.ts')('a session has its partner’s turn for a minute'),
    ended('a client has its partner’s turn for a minute'),
  ),
  bound(
    'turns of credentials that end by themselves',
    [replace(MEMORY, 'Math.min(PROVEN_MS, leftMs)', 'PROVEN_MS')],
    memory('ends with the credential, if that is sooner'),
    ended('an expired token has no turn of its partner'),
  ),
  bound(
    'turns of credentials of whose end the process is told',
    [replace(MEMORY, 'if (known !== undefined) known.provenUntilMs = -Infinity;', 'void known;')],
    memory('ends when the process is told of an end'),
    ended('has its partner’s turn no more'),
  ),
  bound(
    'refusals at once of clients whose secret has ended',
    [
      replace(
        'src/http/oauth-routes.ts',
        'if (provenClients.findProvenPartner(proof) !== undefined) markAsOfPartner(response);',
        'markAsOfPartner(response);',
      ),
    ],
    ended('requests for tokens with an ended secret'),
  ),
  bound(
    'turns of credentials that end while they are looked up',
    [
      replace(
        MEMORY,
        'const provenUntilMs = isOutdated ? -Infinity :',
        'const provenUntilMs = isOutdated ? Infinity :',
      ),
    ],
    memory('ends when the process is told of an end'),
  ),
  bound(
    'what known credentials end with, as long as they are remembered',
    [replace(MEMORY, 'if (id !== null) removeFrom(this.#digestsOf, id, digest)', 'void id')],
    memory('does not end with what the credential ended with before'),
  ),
  bound(
    'how long a body may be under way after its credential',
    [
      replace(
        'src/http/operation-handler.ts',
        'route.body === null ? caller : await authenticateAgain(options, request)',
        'authenticateAgain === undefined ? await Promise.reject(new Error()) : caller',
      ),
    ],
    callers('before it has come changes nothing', 'createUser'),
  ),
  bound(
    'how long a form may be under way after its session',
    [
      replace(
        'src/portal/guards.ts',
        'return [parseForm(context), renewSession(context)];',
        'return [parseForm(context)];',
      ),
    ],
    testsOf('tests/portal/sessions.test.ts')('a form that comes slowly changes nothing'),
  ),
  bound(
    'how long a list is written after its credential',
    [
      replace(
        'src/http/caller-rules.ts',
        'if (!isAllowed) response.destroy();',
        'if (!isAllowed) return true;',
      ),
    ],
    callers('a list ends when its reader is deleted'),
    callers('is not written on once its caller may not read'),
  ),
  bound(
    'ends of credentials that are remembered',
    [replace(MEMORY, 'number>({ max: MAX_KNOWN })', 'number>({ max: 4_194_304 })')],
    memory('of ends 10,000 are remembered'),
  ),
];
