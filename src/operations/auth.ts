import type { Handler } from '../contract/handlers.ts';
import { insertSignupRequest } from '../queries/accounts/signup-requests.ts';
import type { OpenContext } from './context.ts';

/** Always the same answer for a valid body, so that nobody can find out which invites exist. */
export const requestSignup: Handler<OpenContext, 'requestSignup'> = async ({ db, now }, { body }) => {
  await insertSignupRequest(db, { email: body.email, url: body.url, inviteToken: body.invite_token }, now);
  return { status: 200, body: {} };
};
