import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What a client's types say of the schemas of the document. */
export interface SchemaTypes {
  /** The schemas that have a type of their name. */
  readonly found: ReadonlySet<string>;
  /** Those in whose type there is an `any` or `unknown`. */
  readonly loose: ReadonlySet<string>;
}

/** Looks for the types of schemas, by their names, in a file or the files of a folder. */
export function findSchemaTypes(path: string, names: ReadonlySet<string>): SchemaTypes {
  const found = new Set<string>();
  const loose = new Set<string>();
  for (const file of listFiles(path)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    visitTypes(source, (name, type) => {
      if (!names.has(name)) return;
      found.add(name);
      if (isLoose(type)) loose.add(name);
    });
  }
  return { found, loose };
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => listFiles(join(path, name)));
}

/** Interfaces and aliases, and properties: openapi-typescript has all schemas in one interface. */
function visitTypes(node: ts.Node, visit: (name: string, type: ts.Node) => void): void {
  const isNamed =
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isPropertySignature(node);
  if (isNamed && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) visit(node.name.text, node);
  ts.forEachChild(node, (child) => visitTypes(child, visit));
}

/** `X & unknown` is X. */
function isLoose(node: ts.Node): boolean {
  if (ts.isIntersectionTypeNode(node))
    return node.types.some((type) => type.kind !== ts.SyntaxKind.UnknownKeyword && isLoose(type));
  if (node.kind === ts.SyntaxKind.AnyKeyword || node.kind === ts.SyntaxKind.UnknownKeyword) return true;
  return ts.forEachChild(node, (child) => isLoose(child) || undefined) ?? false;
}
