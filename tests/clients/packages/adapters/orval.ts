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
} from '../built/orval/client.ts';
import { useBaseUrl } from './base-url.ts';
import { fail } from './partner-client.ts';
import type { CreatePartnerClient } from './partner-client.ts';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  useBaseUrl(baseUrl);
  let options: { headers?: Record<string, string> } = {};
  return {
    async issueToken(client_id, client_secret) {
      const answer = await issueToken({ grant_type: 'client_credentials', client_id, client_secret });
      if (answer.status !== 200) return fail(answer);
      const { access_token: token } = answer.data;
      options = { headers: { Authorization: `Bearer ${token}` } };
      return token;
    },
    async createUser(orgId, email, key) {
      const headers = { ...options.headers, 'Idempotency-Key': key };
      const answer = await createUser(orgId, { email, role: 'user' }, { headers });
      return answer.status === 201 ? answer.data : { code: answer.data.code };
    },
    async uploadPrices(orgId, prices) {
      const answer = await uploadDayAheadPrices(orgId, { data: [...prices] }, options);
      return answer.status === 200 ? answer.data.state : fail(answer);
    },
    async createFleet(orgId, request_id) {
      const answer = await createFleet(
        orgId,
        { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 },
        options,
      );
      return answer.status === 200 ? answer.data : fail(answer);
    },
    async readFleetStatus(orgId, jobId) {
      const answer = await getFleet(orgId, jobId, options);
      return answer.status === 200 ? answer.data.status : fail(answer);
    },
    async readFleetData(orgId, jobId, from, to) {
      const answer = await getFleetData(orgId, jobId, { from, to }, options);
      return answer.status === 200 ? answer.data.data.length : fail(answer);
    },
    async findHeatPump(orgId, jobId) {
      const answer = await listFleetDevices(orgId, jobId, { device_type: 'heat_pump' }, options);
      return answer.status === 200 ? answer.data.items[0] : fail(answer);
    },
    async readHeat({ orgId, userId, heatPumpId }) {
      const answer = await getUserHeatPump(orgId, userId, heatPumpId, options);
      return answer.status === 200 ? answer.data.state.heat_w : fail(answer);
    },
    async readSchedule({ orgId, userId, heatPumpId }, from, to) {
      const answer = await getHeatPumpSchedules(orgId, userId, heatPumpId, { from, to }, options);
      return answer.status === 200 ? answer.data.data.map(({ state }) => state) : fail(answer);
    },
    async createWebhook(orgId, url) {
      const topics = ['device.action_required', 'device.information'];
      const answer = await createWebhook(orgId, { url, topics }, options);
      return answer.status === 201 ? answer.data : fail(answer);
    },
    async testWebhook(orgId, webhookId) {
      const answer = await testWebhook(orgId, webhookId, { topic: 'device.information' }, options);
      return answer.status === 200 ? answer.data.outcome : fail(answer);
    },
    async deleteWebhook(orgId, webhookId) {
      const answer = await deleteWebhook(orgId, webhookId, options);
      if (answer.status !== 204) fail(answer);
    },
  };
};
