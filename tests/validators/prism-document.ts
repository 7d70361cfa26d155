// The published document as Prism reads it rightly.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface MediaType {
  readonly schema?: unknown;
}

/**
 * Prism takes `application/problem+json` for `application/json` and holds such a body against whichever stands first. Where an
 * answer has both, as those of the token endpoints have, each of them is given the schemas of both.
 */
export function readDocumentForPrism(): object {
  const file = join(import.meta.dirname, '../../generated/openapi.json');
  return JSON.parse(readFileSync(file, 'utf8'), (key, value: unknown) =>
    key === 'content' ? withJoinedSchemas(value as Readonly<Record<string, MediaType>>) : value,
  ) as object;
}

function withJoinedSchemas(
  content: Readonly<Record<string, MediaType>>,
): Readonly<Record<string, MediaType>> {
  const json = Object.entries(content).filter(([type]) => /[/+]json$/.test(type));
  if (json.length < 2) return content;
  const schema = { anyOf: json.map(([, media]) => media.schema) };
  return { ...content, ...Object.fromEntries(json.map(([type, media]) => [type, { ...media, schema }])) };
}
