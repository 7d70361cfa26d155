import type { OpenApiDocument } from './document.ts';

/** Names of properties and parameters, and the words that the document itself gives: enumerations, constants, codes. */
interface Vocabulary {
  readonly names: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

/** What may be written of a request without telling what somebody filled in. */
export function listVocabulary(document: OpenApiDocument): Vocabulary {
  const [names, words] = [new Set<string>(), new Set<string>()];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const {
      properties,
      enum: values,
      const: only,
      in: place,
      name,
    } = node as Readonly<Record<string, unknown>>;
    if (typeof properties === 'object' && properties !== null)
      for (const each of Object.keys(properties)) names.add(each);
    if (typeof place === 'string' && typeof name === 'string') names.add(name);
    for (const value of [...(Array.isArray(values) ? (values as unknown[]) : []), only])
      if (typeof value === 'string') words.add(value);
    // Examples are what somebody might fill in.
    for (const [key, child] of Object.entries(node)) if (!/^x-|^examples?$/.test(key)) visit(child);
  };
  visit(document);
  return { names, words };
}
