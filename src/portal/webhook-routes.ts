import type { PageHandler } from './context.ts';
import {
  deleteWebhookFromForm,
  showWebhookDeletion,
  showWebhookUpdate,
  switchWebhookFromForm,
  updateWebhookFromForm,
} from './webhook-changes.ts';
import {
  createWebhookFromForm,
  rotateSecretFromForm,
  showSecretRotation,
  showWebhookCreation,
} from './webhook-creation.ts';
import { showDeliveryLog } from './delivery-log.ts';
import { showDelivery } from './delivery-page.ts';
import { redeliverChosen, redeliverOne } from './redeliveries.ts';
import { continueRedelivery, showRedelivery } from './redelivery-run.ts';
import { sendAttemptsCsv } from './webhook-health.ts';
import { showWebhooks } from './webhook-list.ts';
import { showWebhook } from './webhook-page.ts';
import { sendTestFromForm, showWebhookTest } from './webhook-test-page.ts';

/** The pages about webhooks, by their paths. */
export function addWebhookPages(page: (path: string, get: PageHandler, post?: PageHandler) => void): void {
  page('/portal/webhooks', showWebhooks);
  page('/portal/webhooks/create', showWebhookCreation, createWebhookFromForm);
  page('/portal/webhooks/:id', showWebhook);
  page('/portal/webhooks/:id/attempts.csv', sendAttemptsCsv);
  page('/portal/webhooks/:id/state', showWebhook, switchWebhookFromForm);
  page('/portal/webhooks/:id/update', showWebhookUpdate, updateWebhookFromForm);
  page('/portal/webhooks/:id/secret', showSecretRotation, rotateSecretFromForm);
  page('/portal/webhooks/:id/test', showWebhookTest, sendTestFromForm);
  page('/portal/webhooks/:id/deliveries', showDeliveryLog, redeliverChosen);
  page('/portal/webhooks/:id/deliveries/:message', showDelivery);
  page('/portal/webhooks/:id/deliveries/:message/redeliver', showDelivery, redeliverOne);
  page('/portal/webhooks/:id/redeliver', showRedelivery, continueRedelivery);
  page('/portal/webhooks/:id/delete', showWebhookDeletion, deleteWebhookFromForm);
}
