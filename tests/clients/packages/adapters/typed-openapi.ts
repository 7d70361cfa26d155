import { createApiClient } from '../built/typed-openapi/client.ts';
import type { Fetcher } from '../built/typed-openapi/client.ts';
import type { CreatePartnerClient } from './partner-client.ts';

const ORG = '/api/partners/v2.0/org/{org_id}';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  let token = '';
  const client = createApiClient({ fetch: (input) => send(input, token) }, baseUrl);
  return {
    async issueToken(client_id, client_secret) {
      const body = { grant_type: 'client_credentials', client_id, client_secret };
      const { access_token } = await client.post('/api/partners/v2.0/auth/token', { body });
      token = access_token;
      return token;
    },
    async createUser(org_id, email, key) {
      const { data } = await client.post(`${ORG}/users`, {
        path: { org_id },
        header: { 'Idempotency-Key': key },
        body: { email, role: 'user' },
        withResponse: true,
        throwOnStatusError: false,
      });
      return data;
    },
    async uploadPrices(org_id, prices) {
      const body = { data: [...prices] };
      return (await client.patch(`${ORG}/trading/dayahead/prices`, { path: { org_id }, header: {}, body }))
        .state;
    },
    createFleet: (org_id, request_id) =>
      client.post(`${ORG}/device-simulator/fleets`, {
        path: { org_id },
        body: { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 },
      }),
    async readFleetStatus(org_id, job_id) {
      const path = { org_id, job_id };
      return (await client.get(`${ORG}/device-simulator/fleets/{job_id}`, { path, header: {} })).status;
    },
    async readFleetData(org_id, job_id, from, to) {
      const { data } = await client.get(`${ORG}/device-simulator/fleets/{job_id}/data`, {
        path: { org_id, job_id },
        query: { from, to },
      });
      return data.length;
    },
    async findHeatPump(org_id, job_id) {
      const { items } = await client.get(`${ORG}/device-simulator/fleets/{job_id}/devices`, {
        path: { org_id, job_id },
        query: { device_type: 'heat_pump' },
      });
      return items[0];
    },
    async readHeat({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }) {
      const path = { org_id, user_id, heat_pump_id };
      return (await client.get(`${ORG}/users/{user_id}/heat-pumps/{heat_pump_id}`, { path, header: {} }))
        .state.heat_w;
    },
    async readSchedule({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }, from, to) {
      const { data } = await client.get(`${ORG}/users/{user_id}/heat-pumps/{heat_pump_id}/schedules`, {
        path: { org_id, user_id, heat_pump_id },
        query: { from, to },
      });
      return data.map(({ state }) => state);
    },
    createWebhook: (org_id, url) =>
      client.post(`${ORG}/notifications/webhooks`, {
        path: { org_id },
        body: { url, topics: ['device.action_required', 'device.information'] },
      }),
    async testWebhook(org_id, webhook_id) {
      const { outcome } = await client.post(`${ORG}/notifications/webhooks/{webhook_id}/test`, {
        path: { org_id, webhook_id },
        header: {},
        body: { topic: 'device.information' },
      });
      return outcome;
    },
    async deleteWebhook(org_id, webhook_id) {
      await client.delete(`${ORG}/notifications/webhooks/{webhook_id}`, {
        path: { org_id, webhook_id },
        header: {},
      });
    },
  };
};

/** As the generator's own example of a fetcher does it. */
const send = (
  { url, method, urlSearchParams, parameters }: Parameters<Fetcher['fetch']>[0],
  token: string,
): Promise<Response> => {
  if (urlSearchParams !== undefined) url.search = urlSearchParams.toString();
  const body = parameters?.body === undefined ? null : JSON.stringify(parameters.body);
  const headers = new Headers(parameters?.header as Record<string, string> | undefined);
  if (token !== '') headers.set('Authorization', `Bearer ${token}`);
  if (body !== null) headers.set('Content-Type', 'application/json');
  return fetch(url, { method: method.toUpperCase(), headers, body });
};
