import { Api, DeviceType, Role } from '../built/swagger-typescript-api/client.ts';
import type { HttpResponse, Problem } from '../built/swagger-typescript-api/client.ts';
import type { CreatePartnerClient } from './partner-client.ts';

export const createPartnerClient: CreatePartnerClient = (baseUrl) => {
  const { api, setSecurityData } = new Api<string>({
    baseUrl,
    securityWorker: (token) => (token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  });
  return {
    async issueToken(client_id, client_secret) {
      const { data } = await api.issueToken({ grant_type: 'client_credentials', client_id, client_secret });
      setSecurityData(data.access_token);
      return data.access_token;
    },
    async createUser(orgId, email, key) {
      const headers = { 'Idempotency-Key': key };
      try {
        return (await api.createUser(orgId, { email, role: Role.User }, { headers })).data;
      } catch (answer) {
        return { code: (answer as HttpResponse<null, Problem>).error.code };
      }
    },
    async uploadPrices(orgId, prices) {
      return (await api.uploadDayAheadPrices(orgId, { data: [...prices] })).data.state;
    },
    async createFleet(orgId, request_id) {
      return (
        await api.createFleet(orgId, { request_id, count: 1, history_days: 1, ev_ownership_fraction: 1 })
      ).data;
    },
    async readFleetStatus(orgId, jobId) {
      return (await api.getFleet(orgId, jobId)).data.status;
    },
    async readFleetData(orgId, jobId, from, to) {
      return (await api.getFleetData(orgId, jobId, { from, to })).data.data.length;
    },
    async findHeatPump(orgId, jobId) {
      return (await api.listFleetDevices(orgId, jobId, { device_type: DeviceType.HeatPump })).data.items[0];
    },
    async readHeat({ orgId, userId, heatPumpId }) {
      return (await api.getUserHeatPump(orgId, userId, heatPumpId)).data.state.heat_w;
    },
    async readSchedule({ orgId, userId, heatPumpId }, from, to) {
      const { data } = await api.getHeatPumpSchedules(orgId, userId, heatPumpId, { from, to });
      return data.data.map(({ state }) => state);
    },
    async createWebhook(orgId, url) {
      const topics = ['device.action_required', 'device.information'];
      return (await api.createWebhook(orgId, { url, topics })).data;
    },
    async testWebhook(orgId, webhookId) {
      return (await api.testWebhook(orgId, webhookId, { topic: 'device.information' })).data.outcome;
    },
    async deleteWebhook(orgId, webhookId) {
      await api.deleteWebhook(orgId, webhookId);
    },
  };
};
