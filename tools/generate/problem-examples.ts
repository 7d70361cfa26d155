import type { Catalogue, FieldErrorExample, ProblemExample } from './catalogue.ts';

const SERVER = 'http://localhost:8080';
const USUAL_INSTANCE = '/api/partners/v2.0/org/3f0c6d8e-5a7b-4c1d-9e2f-0a1b2c3d4e5f/users';
const REQUEST_ID = '01J9Z6Q4T8RZ5V3N2K7M';

/** An Example Object of OpenAPI. */
interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/**
 * A problem with the code, or, for the code of a field, one that names a faulty value with it.
 * @throws Error when the catalogue has no such code.
 */
export function toProblemExample(catalogue: Catalogue, code: string): Example {
  const entry = catalogue[code];
  if (entry === undefined) throw new Error(`openapi/errors.yaml has no code ${code}.`);
  const { title: summary } = entry;
  if (entry.scope === 'problem') return { summary, value: toProblem(catalogue, code, entry.example) };
  const errors: FieldErrorExample[] = [withCode(entry.example, code)];
  const told = { detail: 'The request breaks 1 rule; see errors.', errors };
  return { summary, value: toProblem(catalogue, 'validation_failed', told) };
}

function toProblem(catalogue: Catalogue, code: string, example: ProblemExample = {}): unknown {
  const entry = catalogue[code];
  if (entry?.scope !== 'problem') throw new Error(`openapi/errors.yaml has no problem ${code}.`);
  return {
    type: entry.type ?? `${SERVER}/docs/errors/${code}`,
    title: entry.title,
    status: entry.status,
    detail: example.detail ?? entry.detail,
    instance: example.instance ?? USUAL_INSTANCE,
    code,
    request_id: REQUEST_ID,
    errors: example.errors ?? [],
  };
}

/** The code before the detail, as answers have it. */
function withCode({ detail, ...place }: FieldErrorExample, code: string): FieldErrorExample {
  return { ...place, code, detail };
}
