/** The result of a test message. */
export interface WebhookTestResult {
  readonly outcome: 'delivered' | 'failed' | 'cancelled';
  /** Only when delivered. */
  readonly status_code: number | null;
  /** Only when failed or cancelled. */
  readonly detail: string | null;
}

/**
 * Sends a test message for a topic to an address, signed with the secret, in the partner's turn; never rejects for what the
 * endpoint does.
 * @throws Problem overloaded (503) when the partner, or the service, has too many tests under way.
 */
export type WebhookTester = (endpoint: {
  readonly webhookId: string;
  readonly url: string;
  readonly secret: string;
  readonly topic: string;
  readonly partnerId: string;
}) => Promise<WebhookTestResult>;
