import type { Catalogue } from './catalogue.ts';
import type { OpenApiDocument } from './document.ts';
import { toOpenVocabulary } from './open-vocabularies.ts';
import { writeProblemAnswers } from './problem-answers.ts';

type Node = Readonly<Record<string, unknown>>;

const TIME_OF_DAY = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?';
const OFFSET = '[Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?';

/** What texts of the formats that only this service has look like, for clients that do not know the formats. */
export const PATTERNS: Readonly<Record<string, string>> = {
  instant: `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([Tt ]${TIME_OF_DAY}(${OFFSET})?)?$`,
  'path-segment': '[^.]|[.]{3}',
};

/**
 * The document as clients get it: with all codes of problems where they can occur, known values as a choice that editors
 * complete, and patterns beside own formats. Requests are validated by the document as it is written by hand, whose errors
 * are fewer and clearer.
 */
export function toPublished(document: OpenApiDocument, catalogue: Catalogue): OpenApiDocument {
  const published = structuredClone(document);
  writeProblemAnswers(published, catalogue);
  return rewrite(published) as OpenApiDocument;
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node as Node).map(([key, value]): [string, unknown] => [
    key,
    isExample(key) ? value : rewrite(value),
  ]);
  return withPattern(withChoice(Object.fromEntries(entries)));
}

/** What an example holds is no schema. */
function isExample(key: string): boolean {
  return key === 'example' || key === 'examples';
}

function withChoice(node: Node): Node {
  const { 'x-known-values': values, type, ...others } = node;
  if (!Array.isArray(values)) return node;
  return { ...toOpenVocabulary(values as string[], [type].flat().includes('null')), ...others };
}

function withPattern(node: Node): Node {
  const pattern = PATTERNS[String(node['format'])];
  return pattern === undefined ? node : { ...node, pattern };
}
