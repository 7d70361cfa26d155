import { ok } from '@oazapfts/runtime';
import {
  createFleet,
  createUser,
  createWebhook,
  defaults,
  deleteWebhook,
  getFleet,
  getFleetData,
  getHeatPumpSchedules,
  getUserHeatPump,
  issueToken,
  listFleetDevices,
  testWebhook,
  uploadDayAheadPrices,
} from '../built/oazapfts/client.ts';
import type { CreatePartnerClient } from './partner-client.ts';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  defaults.baseUrl = baseUrl;
  return {
    async issueToken(client_id, client_secret) {
      const { access_token: token } = await ok(
        issueToken({ grant_type: 'client_credentials', client_id, client_secret }),
      );
      defaults.headers = { Authorization: `Bearer ${token}` };
      return token;
    },
    async createUser(orgId, email, idempotencyKey) {
      const answer = await createUser(orgId, { email, role: 'user' }, { idempotencyKey });
      return answer.status === 201 ? answer.data : { code: answer.data.code };
    },
    async uploadPrices(orgId, prices) {
      return (await ok(uploadDayAheadPrices(orgId, { data: [...prices] }))).state;
    },
    createFleet: (orgId, request_id) =>
      ok(createFleet(orgId, { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 })),
    async readFleetStatus(orgId, jobId) {
      return (await ok(getFleet(orgId, jobId))).status;
    },
    async readFleetData(orgId, jobId, from, to) {
      return (await ok(getFleetData(orgId, jobId, from, to))).data.length;
    },
    async findHeatPump(orgId, jobId) {
      return (await ok(listFleetDevices(orgId, jobId, { deviceType: 'heat_pump' }))).items[0];
    },
    async readHeat({ orgId, userId, heatPumpId }) {
      return (await ok(getUserHeatPump(orgId, userId, heatPumpId))).state.heat_w;
    },
    async readSchedule({ orgId, userId, heatPumpId }, from, to) {
      const { data } = await ok(getHeatPumpSchedules(orgId, userId, heatPumpId, from, to));
      return data.map(({ state }) => state);
    },
    createWebhook: (orgId, url) =>
      ok(createWebhook(orgId, { url, topics: ['device.action_required', 'device.information'] })),
    async testWebhook(orgId, webhookId) {
      return (await ok(testWebhook(orgId, webhookId, { topic: 'device.information' }))).outcome;
    },
    async deleteWebhook(orgId, webhookId) {
      await ok(deleteWebhook(orgId, webhookId));
    },
  };
};
