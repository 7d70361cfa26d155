/** The calls of the main journey, as each generated client makes them: what it returns is of the types that were generated. */
export interface PartnerClient {
  issueToken(clientId: string, clientSecret: string): Promise<string>;
  /** The id of the user, or the code of the problem; a key makes the call safe to repeat. */
  createUser(
    orgId: string,
    email: string,
    key: string,
  ): Promise<{ readonly id: string } | { readonly code: string }>;
  /** The state of the upload. */
  uploadPrices(
    orgId: string,
    prices: readonly { readonly timestamp: string; readonly price: number }[],
  ): Promise<string>;
  createFleet(
    orgId: string,
    requestId: string,
  ): Promise<{ readonly job_id: string; readonly simulation_org_id: string }>;
  readFleetStatus(orgId: string, jobId: string): Promise<string>;
  /** How many periods the data of a time range has. */
  readFleetData(orgId: string, jobId: string, from: string, to: string): Promise<number>;
  findHeatPump(
    orgId: string,
    jobId: string,
  ): Promise<{ readonly user_id: string; readonly device_id: string } | undefined>;
  /** What it gives as heat, in W. */
  readHeat(path: HeatPumpPath): Promise<number | null>;
  /** The states of the schedule in a time range. */
  readSchedule(path: HeatPumpPath, from: string, to: string): Promise<readonly string[]>;
  createWebhook(orgId: string, url: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** The outcome. */
  testWebhook(orgId: string, webhookId: string): Promise<string>;
  deleteWebhook(orgId: string, webhookId: string): Promise<void>;
}

export interface HeatPumpPath {
  readonly orgId: string;
  readonly userId: string;
  readonly heatPumpId: string;
}

export type CreatePartnerClient = (baseUrl: string) => PartnerClient;

/** Throws what a call was answered with that should have succeeded. */
export function fail(answer: unknown): never {
  throw new Error(JSON.stringify(answer));
}
