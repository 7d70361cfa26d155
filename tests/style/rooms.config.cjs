// The rooms of the house and the arrows between them: one table, from which the rules are made.
// A room may import itself, the rooms named here and generated/; nothing else.
const arrows = {
  domain: [],
  contract: [],
  log: [],
  config: ['domain'],
  simulation: ['domain'],
  queries: ['domain'],
  oauth: ['queries', 'domain'],
  live: ['queries', 'simulation', 'domain'],
  operations: ['live', 'queries', 'simulation', 'domain', 'contract'],
  fleets: ['live', 'queries', 'simulation', 'domain'],
  webhooks: ['queries', 'domain'],
  portal: ['operations', 'queries', 'contract', 'domain'],
  http: ['oauth', 'operations', 'contract', 'domain', 'config', 'log'],
  compose: [
    'contract',
    'http',
    'portal',
    'oauth',
    'operations',
    'fleets',
    'live',
    'webhooks',
    'queries',
    'domain',
    'config',
    'log',
  ],
  cli: ['compose', 'oauth', 'config', 'domain', 'log'],
  generate: ['domain', 'queries', 'simulation'],
};

// Packages that only some rooms may touch.
const owners = {
  '^(kysely|pg|pg-cursor)$': 'queries',
  '^express$': '(http|portal)',
  '^undici$': '(webhooks|cli)',
  '^winston$': 'log',
  '^commander$': 'cli',
  '^@node-oauth/': 'oauth',
};

const roomRules = Object.entries(arrows).map(([room, targets]) => ({
  name: `arrows-of-${room}`,
  severity: 'error',
  comment: `src/${room} may import ${['itself', ...targets].join(', ')} and generated/ only.`,
  from: { path: `^src/${room}/` },
  to: { path: '^(src|tests|bench)/', pathNot: `^src/(${[room, ...targets].join('|')})/` },
}));

const packageRules = Object.entries(owners).map(([packages, rooms]) => ({
  name: `owner-of-${packages.replace(/\W+/g, '')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${rooms}/` },
  to: { path: `(^|/)node_modules/${packages.replace('^', '').replace(/\$$/, '/')}` },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    ...packageRules,
    { name: 'no-cycle', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'every-file-in-a-room',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/((${Object.keys(arrows).join('|')})/|main\\.ts$)` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
