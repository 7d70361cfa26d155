import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import { describeCause } from './failure-causes.ts';
import type { Scope } from './scopes.ts';
import { countOf } from './times.ts';
import { webhookPath } from './webhook-operations.ts';

/** Something that does not get better by itself. */
export interface Need {
  readonly kind: 'error' | 'warning';
  readonly title: string;
  /** What it does, and its cure. */
  readonly detail: string;
  /** Where its cause stands; undefined where no page is left of it. */
  readonly href: string | undefined;
  readonly since?: Date;
}

/** A webhook of a scope that is failing; `whose` is said behind its host. */
export function needOfFailing(
  scope: Scope,
  { webhookId, url, attempts, since, ...last }: FailingWebhook,
  whose = '',
): Need {
  const { title, cure } = describeCause(last.errorClass, last.statusCode);
  return {
    kind: 'error',
    title: `Webhook ${hostOf(url)}${whose} is failing`,
    detail: `Its latest ${countOf(attempts, 'attempt')} failed, the last one with: ${title}. ${cure}`,
    href: webhookPath(scope, webhookId),
    since,
  };
}

/** The part of an endpoint's address by which people know it. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
