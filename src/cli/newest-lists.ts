import type { CursorPosition } from '../domain/api/cursor.ts';
import { listNewestPartners, listNewestSignupRequests } from '../accounts/newest-pages.ts';
import type { NewestPage } from '../accounts/newest-pages.ts';
import type { CommandContext } from './context.ts';
import { withStorage } from './storage.ts';

export interface ListOptions {
  readonly limit: number;
  readonly after?: CursorPosition;
  readonly json: boolean;
}

/** `partner signup list`: prints a page of the sign-up requests, newest first. Resolves to the exit code. */
export function listSignupRequestsCommand(context: CommandContext, options: ListOptions): Promise<number> {
  return withStorage(context, async ({ db }) =>
    print(await listNewestSignupRequests(db, options.limit, options.after), options, {
      command: 'signup list',
      none: 'No sign-up request.',
      toJson: ({ id, email, url, inviteToken, createdAt }) => ({
        id,
        email,
        url,
        invite_token: inviteToken,
        created_at: createdAt.toISOString(),
      }),
      toWords: ({ createdAt, inviteToken, email, url }) => [
        createdAt.toISOString(),
        inviteToken,
        toPrintableJson(email),
        toPrintableJson(url),
      ],
    }),
  );
}

/** `partner org list`: prints a page of the partners, newest first. Resolves to the exit code. */
export function listPartnersCommand(context: CommandContext, options: ListOptions): Promise<number> {
  return withStorage(context, async ({ db }) =>
    print(await listNewestPartners(db, options.limit, options.after), options, {
      command: 'org list',
      none: 'No partner.',
      toJson: ({ id, name, createdAt, suspendedAt }) => ({
        id,
        name,
        created_at: createdAt.toISOString(),
        suspended_at: suspendedAt?.toISOString() ?? null,
      }),
      toWords: ({ id, name, createdAt, suspendedAt }) => [
        createdAt.toISOString(),
        id,
        toPrintableJson(name),
        ...(suspendedAt === null ? [] : [`suspended since ${suspendedAt.toISOString()}`]),
      ],
    }),
  );
}

interface Presentation<Item> {
  readonly command: string;
  readonly none: string;
  readonly toJson: (item: Item) => object;
  /** What a stranger has written is quoted: it cannot begin another line or control the terminal. */
  readonly toWords: (item: Item) => string[];
}

/**
 * JSON without what a terminal obeys or hides: control characters, of which JSON leaves those from U+007F on as they are, and
 * those that turn text around.
 */
function toPrintableJson(value: object | string): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function print<Item>(
  { items, nextCursor }: NewestPage<Item>,
  { json }: ListOptions,
  { command, none, toJson, toWords }: Presentation<Item>,
): void {
  if (json) {
    console.log(toPrintableJson({ items: items.map(toJson), next: nextCursor ?? null }));
    return;
  }
  if (items.length === 0) console.log(none);
  for (const item of items) console.log(toWords(item).join('  '));
  if (nextCursor !== undefined) console.log(`Older ones: partner ${command} --after ${nextCursor}`);
}
