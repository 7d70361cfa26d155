import { client } from '../built/hey-api/client.gen.ts';
import {
  createFleet,
  createUser,
  createWebhook,
  deleteWebhook,
  getFleet,
  getFleetData,
  getHeatPumpSchedules,
  getUserHeatPump,
  issueToken,
  listFleetDevices,
  testWebhook,
  uploadDayAheadPrices,
} from '../built/hey-api/sdk.gen.ts';
import type { CreatePartnerClient } from './partner-client.ts';

const throwOnError = true;

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  client.setConfig({ baseUrl });
  return {
    async issueToken(client_id, client_secret) {
      const body = { grant_type: 'client_credentials', client_id, client_secret };
      const { data } = await issueToken({ body, throwOnError });
      client.setConfig({ auth: data.access_token });
      return data.access_token;
    },
    async createUser(org_id, email, key) {
      const headers = { 'Idempotency-Key': key };
      const { data, error } = await createUser({ path: { org_id }, headers, body: { email, role: 'user' } });
      return data ?? { code: error.code };
    },
    async uploadPrices(org_id, prices) {
      const body = { data: [...prices] };
      const { data } = await uploadDayAheadPrices({ path: { org_id }, body, throwOnError });
      return data.state;
    },
    async createFleet(org_id, request_id) {
      const body = { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 };
      const { data } = await createFleet({ path: { org_id }, body, throwOnError });
      return data;
    },
    async readFleetStatus(org_id, job_id) {
      const { data } = await getFleet({ path: { org_id, job_id }, throwOnError });
      return data.status;
    },
    async readFleetData(org_id, job_id, from, to) {
      const { data } = await getFleetData({ path: { org_id, job_id }, query: { from, to }, throwOnError });
      return data.data.length;
    },
    async findHeatPump(org_id, job_id) {
      const query = { device_type: 'heat_pump' };
      const { data } = await listFleetDevices({ path: { org_id, job_id }, query, throwOnError });
      return data.items[0];
    },
    async readHeat({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }) {
      const { data } = await getUserHeatPump({ path: { org_id, user_id, heat_pump_id }, throwOnError });
      return data.state.heat_w;
    },
    async readSchedule({ orgId: org_id, userId: user_id, heatPumpId: heat_pump_id }, from, to) {
      const path = { org_id, user_id, heat_pump_id };
      const { data } = await getHeatPumpSchedules({ path, query: { from, to }, throwOnError });
      return data.data.map(({ state }) => state);
    },
    async createWebhook(org_id, url) {
      const body = { url, topics: ['device.action_required', 'device.information'] };
      const { data } = await createWebhook({ path: { org_id }, body, throwOnError });
      return data;
    },
    async testWebhook(org_id, webhook_id) {
      const body = { topic: 'device.information' };
      const { data } = await testWebhook({ path: { org_id, webhook_id }, body, throwOnError });
      return data.outcome;
    },
    async deleteWebhook(org_id, webhook_id) {
      await deleteWebhook({ path: { org_id, webhook_id }, throwOnError });
    },
  };
};
