import type { Application } from '../accounts/applications.ts';

/** The credentials as a `.env` file, in base64 for a `data:` link: the download needs neither script nor a second request. */
export function encodeEnvironmentFile(baseUrl: string, application: Application, secret: string): string {
  const lines = [
    `PARTNER_BASE_URL=${baseUrl}`,
    `PARTNER_TOKEN_URL=${baseUrl}/oauth2/token/`,
    `PARTNER_ORG_ID=${application.orgId}`,
    `PARTNER_CLIENT_ID=${application.clientId}`,
    `PARTNER_CLIENT_SECRET=${secret}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n`).toString('base64');
}
