import { ApiError, client } from '../built/redocly/client.ts';
import type { Problem } from '../built/redocly/client.ts';
import type { CreatePartnerClient } from './partner-client.ts';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  client.configure({ serverUrl: baseUrl });
  return {
    async issueToken(client_id, client_secret) {
      const body = { grant_type: 'client_credentials', client_id, client_secret };
      const { access_token: token } = await client.issueToken({ body });
      client.auth.bearer(token);
      return token;
    },
    async createUser(org_id, email, key) {
      try {
        const headers = { 'Idempotency-Key': key };
        return await client.createUser({ path: { org_id }, headers, body: { email, role: 'user' } });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { code: (error.body as Problem).code };
      }
    },
    async uploadPrices(org_id, prices) {
      const body = { data: [...prices] };
      return (await client.uploadDayAheadPrices({ path: { org_id }, body })).state;
    },
    createFleet: (org_id, request_id) =>
      client.createFleet({
        path: { org_id },
        body: { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 },
      }),
    async readFleetStatus(org_id, job_id) {
      return (await client.getFleet({ path: { org_id, job_id } })).status;
    },
    async readFleetData(org_id, job_id, from, to) {
      return (await client.getFleetData({ path: { org_id, job_id }, query: { from, to } })).data.length;
    },
    async findHeatPump(org_id, job_id) {
      const query = { device_type: 'heat_pump' };
      return (await client.listFleetDevices({ path: { org_id, job_id }, query })).items[0];
    },
    async readHeat({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }) {
      return (await client.getUserHeatPump({ path: { org_id, user_id, heat_pump_id } })).state.heat_w;
    },
    async readSchedule({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }, from, to) {
      const path = { org_id, user_id, heat_pump_id };
      const { data } = await client.getHeatPumpSchedules({ path, query: { from, to } });
      return data.map(({ state }) => state);
    },
    createWebhook: (org_id, url) =>
      client.createWebhook({
        path: { org_id },
        body: { url, topics: ['device.action_required', 'device.information'] },
      }),
    async testWebhook(org_id, webhook_id) {
      const body = { topic: 'device.information' };
      return (await client.testWebhook({ path: { org_id, webhook_id }, body })).outcome;
    },
    async deleteWebhook(org_id, webhook_id) {
      await client.deleteWebhook({ path: { org_id, webhook_id } });
    },
  };
};
