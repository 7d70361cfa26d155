import type { CursorPosition } from '../domain/api/cursor.ts';
import { listNewestSignupRequests } from '../accounts/signup-requests.ts';
import type { SignupRequestPage } from '../accounts/signup-requests.ts';
import type { CommandContext } from './context.ts';
import { withStorage } from './storage.ts';

/** `partner signup list`: prints a page of the sign-up requests, newest first. Resolves to the exit code. */
export function listSignupRequestsCommand(
  context: CommandContext,
  options: { readonly limit: number; readonly after?: CursorPosition; readonly json: boolean },
): Promise<number> {
  return withStorage(context, async ({ db }) => {
    const page = await listNewestSignupRequests(db, options.limit, options.after);
    if (options.json) console.log(JSON.stringify(toJson(page)));
    else printPage(page);
  });
}

function toJson({ requests, nextCursor }: SignupRequestPage): object {
  return {
    items: requests.map(({ id, email, url, inviteToken, createdAt }) => ({
      id,
      email,
      url,
      invite_token: inviteToken,
      created_at: createdAt.toISOString(),
    })),
    next: nextCursor ?? null,
  };
}

/** A request is a line; what a stranger has written cannot begin another one or control the terminal. */
function printPage({ requests, nextCursor }: SignupRequestPage): void {
  if (requests.length === 0) console.log('No sign-up request.');
  for (const { createdAt, inviteToken, email, url } of requests) {
    console.log(
      [createdAt.toISOString(), inviteToken, JSON.stringify(email), JSON.stringify(url)].join('  '),
    );
  }
  if (nextCursor !== undefined) console.log(`Older ones: partner signup list --after ${nextCursor}`);
}
