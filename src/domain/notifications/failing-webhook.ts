/** An enabled webhook of which the latest attempts have all failed. */
export interface FailingWebhook {
  readonly webhookId: string;
  readonly url: string;
  /** Failed attempts one behind the other, of those that were looked at. */
  readonly attempts: number;
  /** When the first of them began. */
  readonly since: Date;
  /** Of the last one. */
  readonly errorClass: string;
  readonly statusCode: number | null;
}

/** Attempts that have to fail one behind the other: an answer that is lost once is mended by the retry. */
export const FAILING_FROM = 3;
