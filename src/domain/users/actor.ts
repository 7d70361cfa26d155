import type { Role } from './roles.ts';

/** Who a bearer token acts as; the role is read from the user on every request. */
export interface Actor {
  readonly userId: string;
  readonly orgId: string;
  /** The partner: `orgId` itself, or its parent when that is a simulation organization. What is scarce is shared by it. */
  readonly partnerId: string;
  readonly role: Role;
  /** `read write`, or `read` for a token that may only read. */
  readonly scope: string;
  /** Null when a person calls from the portal. */
  readonly applicationId: string | null;
  /** Hex SHA-256 of the token: the subject of rate limits. */
  readonly tokenDigest: string;
}
