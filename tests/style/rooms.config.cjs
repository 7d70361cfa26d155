// The rules of dependency-cruiser, made from the table of rooms.
const { rooms, wings, owners } = require('./rooms.cjs');

const roomRules = Object.entries(rooms).map(([room, targets]) => ({
  name: `arrows-of-${room}`,
  severity: 'error',
  comment: `src/${room} may import ${['itself', ...targets].join(', ')} and generated/ only.`,
  from: { path: `^src/${room}/` },
  to: { path: '^(src|tools|tests|bench)/', pathNot: `^src/(${[room, ...targets].join('|')})/` },
}));

const wingRules = Object.entries(wings).map(([wing, targets]) => ({
  name: `arrows-of-${wing.replace('/', '-')}`,
  severity: 'error',
  comment: `Of its own room, src/${wing} may import ${['itself', ...targets].join(', ')} only.`,
  from: { path: `^src/${wing}/` },
  to: { path: `^src/${wing.split('/')[0]}/`, pathNot: `^src/(${[wing, ...targets].join('|')})/` },
}));

const roomsWithWings = [...new Set(Object.keys(wings).map((wing) => wing.split('/')[0]))];

const packageRules = Object.entries(owners).map(([name, owningRooms]) => ({
  name: `owner-of-${name.replace('@', '')}`,
  severity: 'error',
  comment: `Only ${owningRooms.join(', ')} may import ${name}.`,
  from: { path: '^src/', pathNot: `^src/(${owningRooms.join('|')})/` },
  to: { path: `(^|/)node_modules/(@types/)?${name}/` },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    ...wingRules,
    ...packageRules,
    { name: 'no-cycle', severity: 'error', from: { path: '^(src|tools)/' }, to: { circular: true } },
    {
      name: 'every-file-in-a-room',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/((${Object.keys(rooms).join('|')})/|main\\.ts$)` },
      to: {},
    },
    {
      name: 'every-file-in-a-wing',
      severity: 'error',
      from: {
        path: `^src/(${roomsWithWings.join('|')})/`,
        pathNot: `^src/(${Object.keys(wings).join('|')})/`,
      },
      to: {},
    },
    {
      name: 'tools-stand-apart',
      severity: 'error',
      comment: 'The service never imports its tools.',
      from: { path: '^src/' },
      to: { path: '^tools/' },
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
