import createClient from 'openapi-fetch';
import type { paths } from '../built/openapi-fetch/schema.ts';
import { fail } from './partner-client.ts';
import type { CreatePartnerClient } from './partner-client.ts';

const ORG = '/api/partners/v2.0/org/{org_id}';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  const client = createClient<paths>({ baseUrl });
  return {
    async issueToken(client_id, client_secret) {
      const { data, error } = await client.POST('/api/partners/v2.0/auth/token', {
        body: { grant_type: 'client_credentials', client_id, client_secret },
      });
      const token = data?.access_token ?? fail(error);
      client.use({
        onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${token}`),
      });
      return token;
    },
    async createUser(org_id, email, key) {
      const { data, error } = await client.POST(`${ORG}/users`, {
        params: { path: { org_id }, header: { 'Idempotency-Key': key } },
        body: { email, role: 'user' },
      });
      return data ?? { code: error.code };
    },
    async uploadPrices(org_id, prices) {
      const { data, error } = await client.PATCH(`${ORG}/trading/dayahead/prices`, {
        params: { path: { org_id } },
        body: { data: [...prices] },
      });
      return data?.state ?? fail(error);
    },
    async createFleet(org_id, request_id) {
      const { data, error } = await client.POST(`${ORG}/device-simulator/fleets`, {
        params: { path: { org_id } },
        body: { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 },
      });
      return data ?? fail(error);
    },
    async readFleetStatus(org_id, job_id) {
      const { data, error } = await client.GET(`${ORG}/device-simulator/fleets/{job_id}`, {
        params: { path: { org_id, job_id } },
      });
      return data?.status ?? fail(error);
    },
    async readFleetData(org_id, job_id, from, to) {
      const { data, error } = await client.GET(`${ORG}/device-simulator/fleets/{job_id}/data`, {
        params: { path: { org_id, job_id }, query: { from, to } },
      });
      return typeof data === 'object' ? data.data.length : fail(error);
    },
    async findHeatPump(org_id, job_id) {
      const { data, error } = await client.GET(`${ORG}/device-simulator/fleets/{job_id}/devices`, {
        params: { path: { org_id, job_id }, query: { device_type: 'heat_pump' } },
      });
      return (data ?? fail(error)).items[0];
    },
    async readHeat({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }) {
      const { data, error } = await client.GET(`${ORG}/users/{user_id}/heat-pumps/{heat_pump_id}`, {
        params: { path: { org_id, user_id, heat_pump_id } },
      });
      return (data ?? fail(error)).state.heat_w;
    },
    async readSchedule({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }, from, to) {
      const { data, error } = await client.GET(`${ORG}/users/{user_id}/heat-pumps/{heat_pump_id}/schedules`, {
        params: { path: { org_id, user_id, heat_pump_id }, query: { from, to } },
      });
      return (data ?? fail(error)).data.map(({ state }) => state);
    },
    async createWebhook(org_id, url) {
      const { data, error } = await client.POST(`${ORG}/notifications/webhooks`, {
        params: { path: { org_id } },
        body: { url, topics: ['device.action_required', 'device.information'] },
      });
      return data ?? fail(error);
    },
    async testWebhook(org_id, webhook_id) {
      const { data, error } = await client.POST(`${ORG}/notifications/webhooks/{webhook_id}/test`, {
        params: { path: { org_id, webhook_id } },
        body: { topic: 'device.information' },
      });
      return data?.outcome ?? fail(error);
    },
    async deleteWebhook(org_id, webhook_id) {
      const { error } = await client.DELETE(`${ORG}/notifications/webhooks/{webhook_id}`, {
        params: { path: { org_id, webhook_id } },
      });
      if (error !== undefined) fail(error);
    },
  };
};
