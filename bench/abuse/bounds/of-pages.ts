// What pages of a partner's people may take.
import type { Bound } from './bound.ts';

export const boundsOfPages: readonly Bound[] = [
  {
    name: 'pages of a partner that are made at once',
    attacks: ['price-pages'],
    edits: [
      {
        file: 'src/portal/page-turns.ts',
        from: 'await context.inPageTurn(partnerId, async () => {',
        to: 'await ((_: string, make: () => Promise<void>) => make())(partnerId, async () => {',
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
    proofs: [{ file: 'tests/portal/page-turns.test.ts', test: 'the event loop turns between two pages' }],
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
