// What pages of a partner's people may take.
import type { Bound } from './bound.ts';

export const boundsOfPages: readonly Bound[] = [
  {
    name: 'pages of a partner that are made at once',
    attacks: ['price-pages'],
    edits: [
      {
        file: 'src/portal/page-turns.ts',
        from: 'if (hasFormTurn(response)) return',
        to: 'if (response !== undefined) return',
      },
    ],
    proofs: [{ file: 'tests/portal/page-turns.test.ts', test: 'pages of a partner are made at once' }],
  },
  {
    name: 'pause of the event loop before each page',
    attacks: ['form-pages'],
    edits: [
      { file: 'src/portal/page-turns.ts', from: 'await giveWay(context, response);', to: 'void giveWay;' },
    ],
    proofs: [{ file: 'tests/portal/page-turns.test.ts', test: 'each page begins behind a pause' }],
  },
  {
    name: 'time for which a page holds the turn of its partner',
    attacks: [],
    edits: [
      {
        file: 'src/portal/page-turns.ts',
        from: 'if (place === undefined || place.isAside) return;',
        to: 'if (place !== undefined) return;',
      },
    ],
    proofs: [
      {
        file: 'tests/portal/page-turns-held.test.ts',
        test: 'leaves its turn to others',
        says: 'waited too long for it',
      },
      { file: 'tests/portal/page-turns-held.test.ts', test: 'other pages of the partner are there' },
    ],
  },
  {
    name: 'pages of a partner that leave their turn',
    attacks: ['device-pages'],
    edits: [{ file: 'src/compose/pages.ts', from: 'const PAGES_ASIDE = 4;', to: 'const PAGES_ASIDE = 64;' }],
    proofs: [{ file: 'tests/portal/page-turns-held.test.ts', test: 'four pages of a partner leave' }],
  },
  {
    name: 'pages whose browser has left',
    attacks: [],
    edits: [
      {
        file: 'src/portal/gone-browsers.ts',
        from: "response.once('close', leave);\n  if (response.destroyed) leave();",
        to: 'void leave;',
      },
    ],
    proofs: [
      { file: 'tests/portal/page-turns-held.test.ts', test: 'a page whose browser has left is not made' },
    ],
  },
  {
    name: 'long forms of a partner that are read at once',
    attacks: ['price-forms'],
    edits: [
      {
        file: 'src/portal/form-turns.ts',
        from: 'const BYTES_WITHOUT_TURN = 65_536;',
        to: 'const BYTES_WITHOUT_TURN = 1_000_000_000;',
      },
    ],
    proofs: [
      {
        file: 'tests/portal/long-forms.test.ts',
        test: 'a long form waits for the turn of its partner',
      },
    ],
  },
  {
    name: 'ways in which a text is tried as a number',
    attacks: ['price-forms'],
    edits: [
      {
        file: 'src/compute/price-text.ts',
        from: String.raw`(?:\d+(?:\.\d*)?|`,
        to: String.raw`(?:\d+\.?\d*|`,
      },
    ],
    proofs: [
      {
        file: 'tests/compute/price-text.test.ts',
        test: 'is read in little time',
        only: 'digits that are no number',
      },
    ],
  },
];
