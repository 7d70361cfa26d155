import { broadcastInformation } from '../operations/broadcasts.ts';
import { Problem } from '../domain/api/problem.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { chooseFormKey, newFormKey, runOnce } from './form-keys.ts';
import type { CreationForm } from './form-keys.ts';
import { readFormField } from './forms.ts';
import { notificationPath } from './notification-list.ts';
import { requireBody, toFieldMessages, toOperationContext } from './operations.ts';
import { redirectWithNotice } from './pages.ts';
import { requireUse } from './quota-uses.ts';
import { getScope } from './shell.ts';

interface Values {
  readonly message: string;
  readonly owner_id: string;
}

/** The empty form. */
export const showBroadcast: PageHandler = (context, _request, response) => {
  const values = { message: '', owner_id: '' };
  sendForm(context, response, { status: 200, formKey: newFormKey(), values, errors: {} });
};

/** Writes a notice: 303 to the list of all notices, or 422 with the form. */
export const broadcastFromForm: PageHandler = async (context, request, response) => {
  const values = {
    message: readFormField(request, 'message').trim(),
    owner_id: readFormField(request, 'owner_id').trim(),
  };
  await requireUse(context, response, 'broadcast');
  try {
    const operation = toOperationContext(context, response, 'broadcastInformation');
    const owner = values.owner_id === '' ? null : values.owner_id;
    const path = { org_id: operation.orgId };
    const body = requireBody('broadcastInformation', { message: values.message, owner_id: owner });
    const asked = { operation: 'broadcastInformation', path, body } as const;
    const { isRepeat } = await runOnce(context, request, operation, asked, (once) =>
      broadcastInformation(once, { path, query: {}, headers: {}, body }),
    );
    if (!isRepeat) logChange(context, response, 'Notice written.', { id: operation.orgId });
  } catch (error) {
    const isUnknown = error instanceof Problem && error.code === 'not_found';
    const errors = isUnknown ? { owner_id: 'There is no such user.' } : toFieldMessages(error);
    if (errors === undefined) throw error;
    const formKey = chooseFormKey(request, error);
    sendForm(context, response, { status: 422, formKey, values, errors });
    return;
  }
  redirectWithNotice(response, notificationPath(getScope(response), 'information/'), 'notice_sent');
};

function sendForm(
  { baseUrl }: PortalContext,
  response: PortalResponse,
  { status, formKey, values, errors }: CreationForm<Values>,
): void {
  const scope = getScope(response);
  sendView(response, status, 'broadcast', {
    errors,
    formKey,
    action: notificationPath(scope, 'broadcast/'),
    back: notificationPath(scope),
    fields: [
      {
        name: 'message',
        label: 'Text',
        value: values.message,
        error: errors['message'],
        multiline: true,
        hint: 'Up to 2,000 characters. It stands in the lists of notifications; no webhook tells of it.',
        autofocus: true,
      },
      {
        name: 'owner_id',
        label: 'For the user',
        value: values.owner_id,
        error: errors['owner_id'],
        required: false,
        maxlength: 36,
        hint: 'The id of one user. Empty: for everybody, those who join later too.',
      },
    ],
    call: formatApiCall(baseUrl, {
      method: 'POST',
      path: `/org/${scope.orgId}/notifications/information`,
      body: { message: 'On 2 December between 02:00 and 03:00 devices cannot be steered.' },
    }),
  });
}
