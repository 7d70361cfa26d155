import { METHODS, resolveReference } from './document.ts';
import type { OpenApiDocument, Operation } from './document.ts';

interface MediaType {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: unknown;
}

type Content = Readonly<Record<string, MediaType>>;
type PathItem = Readonly<Record<string, unknown>>;

/**
 * Request and response bodies of operations and webhooks without an example, each as "operationId request type" or
 * "operationId status type". An example of the schema counts.
 */
export function listMissingExamples(
  document: OpenApiDocument & { readonly webhooks?: Readonly<Record<string, PathItem>> },
): string[] {
  const items: PathItem[] = [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})];
  return items.flatMap((item) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined) return [];
      const bodies: [where: string, node: unknown][] = [
        ['request', operation.requestBody ?? {}],
        ...Object.entries(operation.responses),
      ];
      return bodies.flatMap(([where, node]) => {
        const { content = {} } = resolveReference<{ content?: Content }>(document, node);
        return Object.entries(content)
          .filter(([, media]) => !hasExample(document, media))
          .map(([type]) => `${operation.operationId} ${where} ${type}`);
      });
    }),
  );
}

function hasExample(document: OpenApiDocument, media: MediaType): boolean {
  if (media.example !== undefined || media.examples !== undefined) return true;
  const schema = resolveReference<MediaType>(document, media.schema ?? {});
  return schema.example !== undefined || schema.examples !== undefined;
}
