import { isAxiosError } from 'axios';
import { axiosInstance } from '@kubb/plugin-client/clients/axios';
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
} from '../built/kubb/index.ts';
import type { CreateUser409 } from '../built/kubb/index.ts';
import type { CreatePartnerClient } from './partner-client.ts';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  axiosInstance.defaults.baseURL = baseUrl;
  return {
    async issueToken(client_id, client_secret) {
      const body = { grant_type: 'client_credentials', client_id, client_secret };
      const { access_token: token } = await issueToken(body);
      axiosInstance.defaults.headers.common.Authorization = `Bearer ${token}`;
      return token;
    },
    async createUser(orgId, email, key) {
      try {
        return await createUser(orgId, { email, role: 'user' }, { 'Idempotency-Key': key });
      } catch (error) {
        if (!isAxiosError<CreateUser409>(error) || error.response === undefined) throw error;
        return { code: error.response.data.code };
      }
    },
    async uploadPrices(orgId, prices) {
      return (await uploadDayAheadPrices(orgId, { data: [...prices] })).state;
    },
    createFleet: (orgId, request_id) =>
      createFleet(orgId, { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 }),
    async readFleetStatus(orgId, jobId) {
      return (await getFleet(orgId, jobId)).status;
    },
    async readFleetData(orgId, jobId, from, to) {
      return (await getFleetData(orgId, jobId, { from, to })).data.length;
    },
    async findHeatPump(orgId, jobId) {
      return (await listFleetDevices(orgId, jobId, { device_type: 'heat_pump' })).items[0];
    },
    async readHeat({ orgId, userId, heatPumpId }) {
      return (await getUserHeatPump(orgId, userId, heatPumpId)).state.heat_w;
    },
    async readSchedule({ orgId, userId, heatPumpId }, from, to) {
      const { data } = await getHeatPumpSchedules(orgId, userId, heatPumpId, { from, to });
      return data.map(({ state }) => state);
    },
    createWebhook: (orgId, url) =>
      createWebhook(orgId, { url, topics: ['device.action_required', 'device.information'] }),
    async testWebhook(orgId, webhookId) {
      return (await testWebhook(orgId, webhookId, { topic: 'device.information' })).outcome;
    },
    async deleteWebhook(orgId, webhookId) {
      await deleteWebhook(orgId, webhookId);
    },
  };
};
