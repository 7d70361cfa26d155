// What makes a request safe to repeat, and an answer one for those alone whom it is for.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const IDEMPOTENCY = 'src/operations/idempotency.ts';
const ENTITY_TAGS = 'src/domain/api/entity-tags.ts';
const conditional = testsOf('tests/contract/conditional.test.ts');
const codedAnswers = testsOf('tests/http/coded-answers.test.ts');

export const boundsOfExchanges: readonly Bound[] = [
  bound(
    'requests at once with an equal idempotency key',
    [
      replace(
        IDEMPOTENCY,
        'if (!(await tryLockKey(tx, key))) throw keyInUseProblem();',
        'void [tryLockKey, key];',
      ),
    ],
    testsOf('tests/operations/idempotency.test.ts')('of fifty equal keys at once one has an effect'),
  ),
  bound(
    'an effect whose answer is not stored',
    [
      replace(
        IDEMPOTENCY,
        'undoOnFailure(tx, () => run(asPartOf(tx, context, (work) => afterCommit.push(work)))),',
        'run(context),',
      ),
    ],
    testsOf('tests/process/idempotency.test.ts')('kill -9 between effect and stored answer leaves neither'),
  ),
  bound(
    'changes of what the client has not seen',
    [
      replace(
        ENTITY_TAGS,
        'if (findTag(ifMatch, tag, false) === undefined) throw preconditionProblem();',
        '',
      ),
    ],
    conditional('is done on what the client has seen, and not on what it has not'),
    conditional('of ten at once from the same answer one is done'),
  ),
  bound(
    'answers that the client has already',
    [replace(ENTITY_TAGS, 'findTag(ifNoneMatch, tag, true)', 'undefined')],
    conditional('is 304 for a client that has it'),
  ),
  bound(
    'origins whose scripts may read',
    [
      replace(
        'src/http/cross-origin.ts',
        'if (origin === undefined || !this.#origins.has(origin)) return;',
        'if (origin === undefined) return;',
      ),
    ],
    testsOf('tests/http/cross-origin.test.ts')('is not of the list', 'https'),
  ),
  bound(
    'coded answers with a secret',
    [replace('src/http/coded-answer.ts', 'if (route.notStored) return undefined;', '')],
    codedAnswers('answers with a secret or a signed link are never coded'),
  ),
  bound(
    'the shortest answer that is coded',
    [replace('src/http/content-coding.ts', 'MIN_CODED_BYTES = 1_024', 'MIN_CODED_BYTES = 1')],
    codedAnswers('is not made of what is shorter than 1 KiB'),
  ),
];
