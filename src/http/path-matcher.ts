/** What was found for a path: its target, and the decoded values of its parameters. */
export interface PathMatch<Target> {
  readonly target: Target;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node<Target> {
  readonly fixed: Map<string, Node<Target>>;
  /** For any other segment that is not empty. */
  parameter: Node<Target> | undefined;
  end: { readonly target: Target; readonly names: readonly string[] } | undefined;
}

const PARAMETER_PATTERN = /^\{(\w+)\}$/;

/**
 * Finds the target of a path by its segments, whatever the number of paths: a fixed segment comes before a parameter. The
 * letter case counts; one slash at the end does not.
 */
export class PathMatcher<Target> {
  readonly #root: Node<Target> = createNode();

  /** `path` as the document writes it: `/users/{user_id}`. */
  add(path: string, target: Target): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of splitPath(path)) {
      const name = PARAMETER_PATTERN.exec(segment)?.[1];
      if (name === undefined) {
        const next = node.fixed.get(segment) ?? createNode<Target>();
        node.fixed.set(segment, next);
        node = next;
      } else {
        names.push(name);
        node = node.parameter ??= createNode<Target>();
      }
    }
    node.end = { target, names };
  }

  /**
   * The first of the paths that fits; undefined when none does.
   * @throws URIError when a parameter of it cannot be decoded.
   */
  find(path: string): PathMatch<Target> | undefined {
    const values: string[] = [];
    const end = findEnd(this.#root, splitPath(path), 0, values);
    if (end === undefined) return undefined;
    const parameters: Record<string, string> = {};
    for (const [index, name] of end.names.entries())
      parameters[name] = decodeURIComponent(values[index] ?? '');
    return { target: end.target, parameters };
  }
}

function createNode<Target>(): Node<Target> {
  return { fixed: new Map(), parameter: undefined, end: undefined };
}

function splitPath(path: string): string[] {
  return path.slice(1, path.length > 1 && path.endsWith('/') ? -1 : undefined).split('/');
}

/** `values` are the segments that stand for parameters. */
function findEnd<Target>(
  node: Node<Target>,
  segments: readonly string[],
  index: number,
  values: string[],
): Node<Target>['end'] {
  const segment = segments[index];
  if (segment === undefined) return node.end;
  const fixed = node.fixed.get(segment);
  const end = fixed === undefined ? undefined : findEnd(fixed, segments, index + 1, values);
  if (end !== undefined || node.parameter === undefined || segment === '') return end;
  values.push(segment);
  const behind = findEnd(node.parameter, segments, index + 1, values);
  if (behind === undefined) values.pop();
  return behind;
}
