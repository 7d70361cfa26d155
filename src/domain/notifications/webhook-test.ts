/** The result of a test message. */
export interface WebhookTestResult {
  readonly outcome: 'delivered' | 'failed' | 'cancelled';
  /** Only when delivered. */
  readonly status_code: number | null;
  /** Only when failed or cancelled. */
  readonly detail: string | null;
}

/** Sends a test message for a topic to an address, signed with the secret; never rejects for what the endpoint does. */
export type WebhookTester = (endpoint: {
  readonly url: string;
  readonly secret: string;
  readonly topic: string;
}) => Promise<WebhookTestResult>;
