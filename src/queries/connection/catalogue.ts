// Reads the schema back from PostgreSQL's catalogue, sorted, for the dump that a reviewer reads (the embedded package
// has no pg_dump) and for the generated row types.
import pg from 'pg';

export interface CatalogueColumn {
  readonly name: string;
  /** As SQL writes it: `timestamp(3) with time zone`, `double precision[]`. */
  readonly type: string;
  /** pg_type.typname of the type, or of an array's element: `timestamptz`, `float8`. */
  readonly baseType: string;
  readonly isArray: boolean;
  readonly isNullable: boolean;
  readonly defaultText: string | null;
  readonly generation: 'stored' | 'virtual' | 'identity always' | 'identity by default' | null;
  /** Labels of an enum type. */
  readonly labels: string[] | null;
  readonly comment: string | null;
}

export interface CatalogueTable {
  readonly name: string;
  readonly kind: 'table' | 'unlogged table' | 'partitioned table' | 'view' | 'materialized view';
  /** Bounds of a partition, key of a partitioned table, query of a view. */
  readonly detail: string | null;
  readonly isPartition: boolean;
  readonly options: string | null;
  readonly comment: string | null;
  readonly columns: CatalogueColumn[];
  readonly constraints: { name: string; definition: string; isCheck: boolean }[];
  readonly indexes: string[];
  readonly triggers: string[];
}

export interface Catalogue {
  readonly extensions: string[];
  readonly types: string[];
  readonly sequences: string[];
  readonly functions: string[];
  readonly tables: CatalogueTable[];
}

/** The schema `public` without the record of migrations. */
export async function readSchemaCatalogue(connection: pg.ClientConfig): Promise<Catalogue> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ catalogue: Catalogue }>(CATALOGUE_SQL);
    if (rows[0] === undefined) throw new Error('The catalogue query gave no row.');
    return rows[0].catalogue;
  } finally {
    await client.end();
  }
}

/** What an extension brought belongs to it and is not listed. */
const own = (catalogue: string, id: string): string =>
  `not exists (select from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = ${id} and d.deptype = 'e')`;

const COLUMNS_SQL = `
  select coalesce(json_agg(json_build_object(
    'name', a.attname,
    'type', format_type(a.atttypid, a.atttypmod),
    'baseType', coalesce(e.typname, b.typname, t.typname),
    'isArray', e.oid is not null,
    'isNullable', not (a.attnotnull or t.typnotnull),
    'defaultText', pg_get_expr(ad.adbin, ad.adrelid),
    'generation', case when a.attgenerated = 's' then 'stored' when a.attgenerated = 'v' then 'virtual'
      when a.attidentity = 'a' then 'identity always' when a.attidentity = 'd' then 'identity by default' end,
    'labels', (select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum l
      where l.enumtypid = coalesce(e.oid, b.oid, t.oid)),
    'comment', col_description(c.oid, a.attnum)
  ) order by a.attnum), '[]')
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  left join pg_type b on b.oid = t.typbasetype
  left join pg_type e on e.oid = coalesce(b.typelem, t.typelem) and coalesce(b.typcategory, t.typcategory) = 'A'
  left join pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

const TABLES_SQL = `
  select coalesce(json_agg(json_build_object(
    'name', c.relname,
    'kind', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'p' then 'partitioned table'
      else case when c.relpersistence = 'u' then 'unlogged table' else 'table' end end,
    'detail', case when c.relispartition then pg_get_expr(c.relpartbound, c.oid)
      when c.relkind = 'p' then pg_get_partkeydef(c.oid)
      when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end,
    'isPartition', c.relispartition,
    'options', array_to_string(c.reloptions, ', '),
    'comment', obj_description(c.oid, 'pg_class'),
    'columns', (${COLUMNS_SQL}),
    'constraints', (select coalesce(json_agg(json_build_object('name', k.conname,
        'definition', pg_get_constraintdef(k.oid, true), 'isCheck', k.contype = 'c')
        order by array_position('{p,u,f,c,x}'::"char"[], k.contype), k.conname collate "C"), '[]')
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x')),
    'indexes', (select coalesce(json_agg(pg_get_indexdef(i.indexrelid) order by r.relname collate "C"), '[]')
      from pg_index i join pg_class r on r.oid = i.indexrelid
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = c.oid)),
    'triggers', (select coalesce(json_agg(pg_get_triggerdef(g.oid, true) order by g.tgname collate "C"), '[]')
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal)
  ) order by c.relname collate "C"), '[]')
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
    and c.relname <> 'schema_migrations' and ${own('pg_class', 'c.oid')}`;

const TYPES_SQL = `
  select coalesce(json_agg(definition order by name collate "C"), '[]') from (
    select t.typname as name, case t.typtype
      when 'e' then format('create type %I as enum (%s)', t.typname,
        (select string_agg(quote_literal(l.enumlabel), ', ' order by l.enumsortorder) from pg_enum l where l.enumtypid = t.oid))
      else format('create domain %I as %s%s', t.typname, format_type(t.typbasetype, t.typtypmod),
        (select string_agg(' constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid, true), '' order by k.conname)
          from pg_constraint k where k.contypid = t.oid)) end as definition
    from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd') and ${own('pg_type', 't.oid')})`;

const CATALOGUE_SQL = `
  select json_build_object(
    'extensions', (select coalesce(json_agg(extname order by extname collate "C"), '[]') from pg_extension where extname <> 'plpgsql'),
    'types', (${TYPES_SQL}),
    'sequences', (select coalesce(json_agg(format('create sequence %I as %s', s.relname, format_type(q.seqtypid, null))
        order by s.relname collate "C"), '[]')
      from pg_class s join pg_sequence q on q.seqrelid = s.oid
      where s.relnamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = s.oid and d.deptype = 'i')),
    'functions', (select coalesce(json_agg(pg_get_functiondef(p.oid) order by p.proname collate "C", p.oid::regprocedure::text), '[]')
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p') and ${own('pg_proc', 'p.oid')}),
    'tables', (${TABLES_SQL})
  ) as catalogue`;
