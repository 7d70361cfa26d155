import type { Catalogue, CatalogueColumn, CatalogueTable } from '../../src/queries/connection/catalogue.ts';

/** The schema as SQL in one fixed order. For reading and comparing: the migrations are what is applied. */
export function formatSchemaSql({ extensions, types, sequences, functions, tables }: Catalogue): string {
  const statements = [
    '-- Written by `make generate` from the migrations beside it. Do not edit, do not apply.',
    ...extensions.map((name) => `create extension ${name};`),
    ...types.map((text) => `${text};`),
    ...sequences.map((text) => `${text};`),
    ...functions.map((text) => `${text.trimEnd()};`),
    ...tables.map(tableText),
  ];
  return `${statements.join('\n\n')}\n`;
}

function tableText(table: CatalogueTable): string {
  const { name, kind, detail, options, indexes, triggers } = table;
  const statements = [
    ...(kind.endsWith('view') ? [`create ${kind} ${name} as\n${detail ?? ''}`] : [createTable(table)]),
    ...[...indexes, ...triggers].map((text) => `${text};`),
    ...(options === null ? [] : [`alter table ${name} set (${options});`]),
    ...comments(table),
  ];
  return statements.join('\n');
}

function createTable({ name, kind, detail, isPartition, columns, constraints }: CatalogueTable): string {
  const lines = [
    ...columns.map(columnText),
    ...constraints.map((constraint) => `constraint ${constraint.name} ${constraint.definition}`),
  ];
  const unlogged = kind === 'unlogged table' ? 'unlogged ' : '';
  const partition =
    detail === null ? '' : isPartition ? ` -- partition ${detail}` : ` partition by ${detail}`;
  return `create ${unlogged}table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${partition};`;
}

function columnText({ name, type, isNullable, defaultText, generation }: CatalogueColumn): string {
  const parts = [name, type];
  if (!isNullable) parts.push('not null');
  if (generation === 'stored' || generation === 'virtual')
    parts.push(`generated always as (${defaultText ?? ''}) ${generation}`);
  else if (generation !== null) parts.push(`generated ${generation.replace('identity ', '')} as identity`);
  else if (defaultText !== null) parts.push(`default ${defaultText}`);
  return parts.join(' ');
}

function comments({ name, kind, comment, columns }: CatalogueTable): string[] {
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return [
    ...(comment === null
      ? []
      : [`comment on ${kind.replace(/^(unlogged|partitioned) /, '')} ${name} is ${literal(comment)};`]),
    ...columns.flatMap((column) =>
      column.comment === null
        ? []
        : [`comment on column ${name}.${column.name} is ${literal(column.comment)};`],
    ),
  ];
}
