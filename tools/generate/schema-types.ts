import type { Catalogue, CatalogueColumn, CatalogueTable } from '../../src/queries/connection/catalogue.ts';

/** As src/queries/connection/database.ts reads the values. */
const READ_AS: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'number',
  timestamptz: 'Date',
};
const READ_AS_TEXT = new Set([
  'bpchar',
  'cidr',
  'citext',
  'date',
  'inet',
  'interval',
  'text',
  'time',
  'timestamp',
  'uuid',
  'varchar',
  'tsvector',
  'name',
]);

/** Kysely's interfaces of all tables, one for each, and `Database` that joins them. */
export function formatDatabaseTypes({ tables }: Catalogue): string {
  // Rows are read and written through a partitioned table, not through its parts.
  const whole = tables.filter(({ isPartition }) => !isPartition);
  const texts = [
    '// Written by `make generate` from the migrations. Do not edit.',
    "import type { ColumnType, Generated, GeneratedAlways } from 'kysely';",
    '/** Written as JSON text: pg would send an array as a PostgreSQL array. */\nexport type Json = ColumnType<unknown, string, string>;',
    ...whole.map(tableText),
    `export interface Database {\n${whole.map(({ name }) => `  ${name}: ${interfaceName(name)};`).join('\n')}\n}`,
  ];
  const used = ['ColumnType', 'Generated', 'GeneratedAlways'].filter((name) =>
    texts.slice(2).some((text) => text.includes(`${name}<`)),
  );
  texts[1] = `import type { ${used.join(', ')} } from 'kysely';`;
  return `${texts.join('\n\n')}\n`;
}

const interfaceName = (name: string): string =>
  `${name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Table`;

function tableText(table: CatalogueTable): string {
  const lines = table.columns.map((column) => `  ${column.name}: ${columnType(table, column)};`);
  return `export interface ${interfaceName(table.name)} {\n${lines.join('\n')}\n}`;
}

function columnType(table: CatalogueTable, column: CatalogueColumn): string {
  const { isArray, isNullable, generation, defaultText } = column;
  const one = elementType(table, column);
  const type = `${isArray ? (one.includes('|') ? `(${one})[]` : `${one}[]`) : one}${isNullable ? ' | null' : ''}`;
  if (generation === 'stored' || generation === 'virtual' || generation === 'identity always')
    return `GeneratedAlways<${type}>`;
  return defaultText !== null || generation !== null ? `Generated<${type}>` : type;
}

function elementType(table: CatalogueTable, { name, baseType, labels, isArray }: CatalogueColumn): string {
  // pg leaves arrays of enums as text.
  if (labels !== null && isArray)
    throw new Error(`Column ${table.name}.${name}: use text[] with a check instead of an array of an enum.`);
  const values = labels ?? allowedValues(table, name);
  if (values !== undefined) return values.map((value) => `'${value.replaceAll("'", "\\'")}'`).join(' | ');
  const type = READ_AS[baseType] ?? (READ_AS_TEXT.has(baseType) ? 'string' : undefined);
  if (type === undefined)
    throw new Error(
      `Column ${table.name}.${name}: say in tools/generate/schema-types.ts how ${baseType} is read.`,
    );
  return type;
}

/** The values of `check (column in ('a', 'b'))`, alone in its constraint. */
function allowedValues({ constraints }: CatalogueTable, column: string): string[] | undefined {
  for (const { definition, isCheck } of constraints) {
    if (!isCheck) continue;
    const list =
      new RegExp(`^CHECK \\(${column} = ANY \\(ARRAY\\[(.*)\\]\\)\\)$`).exec(definition)?.[1] ??
      new RegExp(`^CHECK \\(${column} = ('[^']*'::text)\\)$`).exec(definition)?.[1];
    if (list !== undefined)
      return [...list.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, value = '']) =>
        value.replaceAll("''", "'"),
      );
  }
  return undefined;
}
