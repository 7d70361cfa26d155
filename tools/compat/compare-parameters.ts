import { below, pairUp, schemaOf } from './contract.ts';
import type { Located, OperationPlace } from './contract.ts';
import { listChangedRules } from './field-rules.ts';
import type { Task } from './task.ts';
import { readMap } from './schemas/place.ts';

/** Compares parameters by place and name; those of the path by their order, since their names are in no request. */
export function compareParameters(old: OperationPlace, next: OperationPlace, task: Task): void {
  const { findings, origin } = task;
  const names = new Map(
    pathNames(old).map((name, index) => [`path ${name}`, `path ${pathNames(next)[index]}`]),
  );
  const before = new Map([...old.parameters].map(([key, value]) => [names.get(key) ?? key, value]));
  const { kept, removed, added } = pairUp(before, next.parameters);
  for (const [key, parameter] of removed) {
    const change = { rule: 'parameter', isBreaking: true, place: parameter.pointer, name: key } as const;
    findings.add(origin, { ...change, old: key, new: undefined });
  }
  for (const [key, parameter] of added) {
    const isBreaking = isRequired(parameter);
    const change = { rule: 'parameter', isBreaking, place: parameter.pointer, name: key } as const;
    findings.add(origin, { ...change, old: undefined, new: isBreaking ? 'required' : 'optional' });
  }
  for (const [key, from, to] of kept) {
    compareParameter(from, to, key, task);
  }
}

function pathNames({ title }: OperationPlace): readonly string[] {
  return (title.match(/\{[^}]*\}/g) ?? []).map((name) => name.slice(1, -1));
}

export function isRequired({ node }: Located): boolean {
  return node['required'] === true;
}

function compareParameter(old: Located, next: Located, name: string, task: Task): void {
  const { findings, origin, schemas } = task;
  const place = next.pointer;
  const [wasRequired, required] = [isRequired(old), isRequired(next)];
  if (wasRequired !== required)
    findings.add(origin, {
      rule: 'parameter-required',
      isBreaking: required,
      place,
      name,
      old: wasRequired,
      new: required,
    });
  const [oldStyle, newStyle] = [describeStyle(old), describeStyle(next)];
  if (oldStyle !== newStyle)
    findings.add(origin, {
      rule: 'parameter-style',
      isBreaking: true,
      place,
      name,
      old: oldStyle,
      new: newStyle,
    });
  const [wasDeprecated, isDeprecated] = [old, next].map(({ node }) => node['deprecated'] === true);
  if (wasDeprecated !== isDeprecated)
    findings.add(origin, {
      rule: 'request-deprecation',
      isBreaking: isDeprecated === true && required,
      place,
      name,
      old: wasDeprecated,
      new: isDeprecated,
    });
  for (const { text, isNew } of listChangedRules(old.node, next.node)) {
    const change = { rule: 'request-rule', isBreaking: isNew, place, name: text } as const;
    findings.add(origin, { ...change, old: isNew ? undefined : text, new: isNew ? text : undefined });
  }
  const [oldType, newType] = [mediaTypeOf(old), mediaTypeOf(next)];
  if (oldType !== newType)
    findings.add(origin, {
      rule: 'parameter-content',
      isBreaking: true,
      place,
      name,
      old: oldType,
      new: newType,
    });
  else schemas.compare(origin, 'request', schemaOf(withContent(old)), schemaOf(withContent(next)));
}

const DEFAULT_STYLES: Readonly<Record<string, string>> = {
  query: 'form',
  cookie: 'form',
  path: 'simple',
  header: 'simple',
};

/** How a parameter is written, with what the specification assumes where nothing is said. */
function describeStyle({ node }: Located): string {
  const style = (node['style'] as string | undefined) ?? DEFAULT_STYLES[String(node['in'])] ?? 'form';
  const explode = (node['explode'] as boolean | undefined) ?? style === 'form';
  const isReserved = node['allowReserved'] === true;
  return `${style}${explode ? ', exploded' : ''}${isReserved ? ', reserved characters allowed' : ''}`;
}

function mediaTypeOf({ node }: Located): string | undefined {
  return Object.keys(readMap(node, 'content'))[0];
}

/** The parameter itself, or its media type where it is described by `content`. */
function withContent(parameter: Located): Located {
  const type = mediaTypeOf(parameter);
  return type === undefined ? parameter : below(below(parameter, 'content'), type);
}
