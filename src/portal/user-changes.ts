import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'express';
import { Problem } from '../domain/api/problem.ts';
import { mayCall } from '../domain/users/roles.ts';
import { createUser, deleteUser, updateUser } from '../operations/users.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { isStaleError, readPrecondition, readVersion, versionOf } from './form-versions.ts';
import { chooseFormKey, newFormKey, runOnce } from './form-keys.ts';
import type { FieldMessages } from './forms.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import type { User } from './operations.ts';
import { redirectWithNotice, sendNotFound } from './pages.ts';
import { USERS_PATH } from './paths.ts';
import { scopedPath } from './scopes.ts';
import { getScope } from './shell.ts';
import {
  describeUserForm,
  EMPTY_USER,
  listRoles,
  readUserForm,
  toUserBody,
  toUserValues,
} from './user-form.ts';
import type { UserValues } from './user-form.ts';
import { nameOf, requireUser, userPath, withUser } from './users.ts';

const STALE_TEXT =
  'Somebody else has changed this user meanwhile. What is stored now stands below each field that differs; save again to put yours in its place.';

interface UserFormPage {
  readonly status: number;
  readonly values: UserValues;
  readonly errors: FieldMessages;
  /** The user that is changed, as it is stored; without one the form creates. */
  readonly user?: User;
  /** Of a form that changes; otherwise that of what is stored. */
  readonly version?: string;
  readonly isStale?: boolean;
  /** Of a form that creates. */
  readonly formKey?: string;
}

function sendUserForm(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { status, values, errors, user, version, isStale = false, formKey }: UserFormPage,
): void {
  const scope = getScope(response);
  const stored = isStale && user !== undefined ? toUserValues(user) : undefined;
  const users = `/org/${scope.orgId}/users`;
  sendView(response, status, 'user-form', {
    heading: user === undefined ? 'Create a user' : `Change ${nameOf(user)}`,
    action:
      user === undefined ? scopedPath(scope, `${USERS_PATH}create/`) : userPath(scope, user.id, 'update/'),
    back: user === undefined ? scopedPath(scope, USERS_PATH) : userPath(scope, user.id),
    submit: user === undefined ? 'Create the user' : 'Save',
    version: version ?? (user && versionOf(user)),
    formKey,
    stale: isStale ? STALE_TEXT : undefined,
    errors,
    groups: describeUserForm({ values, errors, stored, roles: listRoles(getSession(response).role) }),
    call:
      user === undefined
        ? formatApiCall(baseUrl, {
            method: 'POST',
            path: users,
            body: { email: 'anna@example.com', role: 'user' },
          })
        : formatApiCall(baseUrl, {
            method: 'PUT',
            path: `${users}/${user.id}`,
            body: { first_name: user.first_name },
          }),
  });
}

/** The empty form. */
export const showUserCreation: PageHandler = (context, _request, response) => {
  sendUserForm(context, response, { status: 200, formKey: newFormKey(), values: EMPTY_USER, errors: {} });
};

/** Creates a user from the form: 303 to its page, or 422 with the form. */
export const createUserFromForm: PageHandler = async (context, request, response) => {
  const values = readUserForm(request);
  try {
    const operation = toOperationContext(context, response, 'createUser');
    const body = requireBody('createUser', toUserBody(values));
    const path = { org_id: operation.orgId };
    const { body: created, isRepeat } = await runOnce(
      context,
      request,
      operation,
      { operation: 'createUser', path, body },
      (once) => createUser(once, { path, query: {}, headers: {}, body }),
    );
    const { id } = created as User;
    if (!isRepeat) logChange(context, response, 'User created.', { id });
    redirectWithNotice(response, userPath(getScope(response), id), 'user_created');
  } catch (error) {
    const errors = toFieldMessages(error);
    if (errors === undefined) throw error;
    const formKey = chooseFormKey(request, error);
    sendUserForm(context, response, { status: 422, formKey, values, errors });
  }
};

/** The form with what is stored. */
export const showUserUpdate = withUser((context, _request, response, user) => {
  sendUserForm(context, response, { status: 200, values: toUserValues(user), errors: {}, user });
});

/** Changes a user from the form: 303 to its page, 422 with the form, or 412 with both values of what somebody else has changed. */
export const updateUserFromForm = withUser(async (context, request, response, user) => {
  const values = readUserForm(request);
  try {
    const operation = toOperationContext(context, response, 'updateUser');
    await updateUser(operation, {
      path: { org_id: operation.orgId, user_id: user.id },
      query: {},
      headers: readPrecondition(request),
      body: requireBody('updateUser', toUserBody(values)),
    });
    logChange(context, response, 'User changed.', { id: user.id });
    redirectWithNotice(response, userPath(getScope(response), user.id), 'user_updated');
  } catch (error) {
    if (isStaleError(error)) await answerStale(context, request, response, values);
    else {
      const errors = toFieldMessages(error);
      if (errors === undefined) throw error;
      sendUserForm(context, response, { status: 422, values, errors, user, version: readVersion(request) });
    }
  }
});

/** A form that was sent twice finds that what is stored is what it asks for. */
async function answerStale(
  context: PortalContext,
  request: Request,
  response: PortalResponse,
  values: UserValues,
): Promise<void> {
  const user = await requireUser(context, request, response);
  if (user === undefined) sendNotFound(response);
  else if (isDeepStrictEqual(toUserBody(toUserValues(user)), toUserBody(values)))
    redirectWithNotice(response, userPath(getScope(response), user.id), 'user_updated');
  else sendUserForm(context, response, { status: 412, values, errors: {}, user, isStale: true });
}

/** Says what a deletion does, and asks. */
export const showUserDeletion = withUser((context, _request, response, user) => {
  sendDeletion(context, response, user, 200);
});

function sendDeletion(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  user: User,
  status: number,
  error?: string,
): void {
  const scope = getScope(response);
  sendView(response, status, 'confirm', {
    heading: `Delete ${nameOf(user)}?`,
    text: `${user.email} can no longer sign in. All sessions and tokens of this user end at once, and so do the tokens of this user's applications. The email is free again. This cannot be undone.`,
    error,
    action: userPath(scope, user.id, 'delete/'),
    submit: 'Delete the user',
    back: userPath(scope, user.id),
    danger: true,
    call: formatApiCall(baseUrl, { method: 'DELETE', path: `/org/${scope.orgId}/users/${user.id}` }),
  });
}

/** Deletes a user: 303 to the list, or 409 where the organization would have no admin left. */
export const deleteUserFromForm = withUser(async (context, _request, response, user) => {
  const session = getSession(response);
  if (!mayCall(session.role, 'deleteUser')) {
    sendNotFound(response);
    return;
  }
  try {
    const operation = toOperationContext(context, response, 'deleteUser');
    const path = { org_id: operation.orgId, user_id: user.id };
    await deleteUser(operation, { path, query: {}, headers: {}, body: undefined });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'last_admin')) throw error;
    sendDeletion(context, response, user, 409, error.message);
    return;
  }
  logChange(context, response, 'User deleted.', { id: user.id });
  redirectWithNotice(response, scopedPath(getScope(response), USERS_PATH), 'user_deleted');
});
