import type { SecuredOperationId } from '../../generated/routes.ts';
import type { Handlers } from '../contract/handlers.ts';
import * as auth from './auth.ts';
import type { Context, OpenContext } from './context.ts';
import * as users from './users.ts';
import * as trading from './trading.ts';
import * as webhooks from './webhooks.ts';

/** Every operation of the document bound to its function: a missing one, or one of another shape, does not compile. */
export const handlers: Handlers<Context, SecuredOperationId> & Handlers<OpenContext, 'requestSignup'> = {
  requestSignup: auth.requestSignup,
  ...users,
  ...trading,
  ...webhooks,
};
