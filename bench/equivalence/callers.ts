// Who sends a request: an identity with a token, or what stands in its place.
import type { Dice } from './dice.ts';

/** Clients of the prepared database, by what their tokens may do. */
export const CALLERS = ['admin', 'staff', 'user', 'password', 'other'] as const;
export type CallerName = (typeof CALLERS)[number];

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type Clients = Readonly<Record<CallerName, Client>>;

/** The admin, the staff member, the end user, another partner's admin, and the admin with a token that only reads. */
export type Tokens = Readonly<Record<'admin' | 'staff' | 'user' | 'other' | 'reader', string>>;

export const basic = ({ clientId, clientSecret }: Client): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

/** The `Authorization` header of a request, undefined for none. */
export function drawAuthorization(tokens: Tokens, issued: readonly string[], dice: Dice): string | undefined {
  return dice.weigh<() => string | undefined>([
    [76, () => `Bearer ${tokens.admin}`],
    [6, () => `Bearer ${tokens.staff}`],
    [6, () => `Bearer ${tokens.user}`],
    [3, () => `Bearer ${tokens.reader}`],
    [2, () => `Bearer ${tokens.other}`],
    [3, () => (issued.length === 0 ? undefined : `Bearer ${dice.pick(issued)}`)],
    [2, () => undefined],
    [2, () => `Bearer pat_${dice.hex(43)}`],
    [
      3,
      () =>
        dice.pick([
          'Bearer',
          'Bearer ',
          'bearer x',
          `Basic ${btoa('a:b')}`,
          `Token ${tokens.admin}`,
          `Bearer ${tokens.admin} x`,
          `bearer ${tokens.admin}`,
        ]),
    ],
  ])();
}
