import { randomUUID } from 'node:crypto';
import type { ExampleParameter, ExampleRequest } from '../../tools/generate/example-requests.ts';
import type { ExampleSource } from '../../tools/generate/example-sources.ts';

interface ExampleAnswer {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What the requests of the document's examples were answered, and what later ones take from it. */
export class ExampleAnswers {
  readonly #answers = new Map<string, ExampleAnswer>();

  keep({ name }: ExampleRequest, answer: ExampleAnswer): void {
    this.#answers.set(name, answer);
  }

  /** The request with the values of earlier answers in it. Throws when one of them is not there. */
  fill(request: ExampleRequest): ExampleRequest {
    const { name, parameters, sources } = request;
    const valueOf = (place: string): unknown => {
      const source = sources.get(place);
      try {
        return source && this.find(source);
      } catch (cause) {
        throw new Error(`No ${place} for ${name}: ${String(cause)}`, { cause });
      }
    };
    const filled = parameters.map((each): ExampleParameter => ({
      ...each,
      value: valueOf(each.name) ?? each.value,
    }));
    const body = structuredClone(request.body);
    for (const place of sources.keys()) {
      if (place.startsWith('/') && body !== undefined) replaceAt(body.value, place, valueOf(place));
    }
    return { ...request, parameters: filled, body };
  }

  /** Throws when there is no such answer or it does not have the value. */
  find(source: ExampleSource): string {
    if (source.kind === 'uuid') return randomUUID();
    const answer = this.#answers.get(source.request);
    if (answer === undefined) throw new Error(`${source.request} was not answered before.`);
    const place = source.kind === 'header' ? source.header : source.pointer;
    const found =
      source.kind === 'header' ? answer.headers[place.toLowerCase()] : valueAt(answer.body, place);
    if (typeof found !== 'string')
      throw new Error(`The answer of ${source.request} has no text at ${place}.`);
    if (source.kind === 'header' || source.query === undefined) return found;
    const value = new URL(found, 'http://localhost').searchParams.get(source.query);
    if (value === null) throw new Error(`${place} of ${source.request} has no parameter ${source.query}.`);
    return value;
  }
}

/** What a JSON pointer (RFC 6901) leads to; undefined where it leads nowhere. */
export function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((at, key) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[key], value);
}

function replaceAt(value: unknown, pointer: string, replacement: unknown): void {
  const end = pointer.lastIndexOf('/');
  const parent = valueAt(value, pointer.slice(0, end)) as Record<string, unknown> | undefined;
  if (parent === undefined) throw new Error(`The example has no ${pointer}.`);
  parent[pointer.slice(end + 1)] = replacement;
}
