// Every bound that can be taken out: what the attacks of the bench meet, and all others, those first that anybody can reach.
import { BOUNDS } from '../../bench/abuse/bounds/all.ts';
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { boundsOfCaches } from './of-caches.ts';
import { boundsOfConnectionShares } from './of-connection-shares.ts';
import { boundsOfConnections } from './of-connections.ts';
import { boundsOfCounting } from './of-counting.ts';
import { boundsOfCredentials } from './of-credentials.ts';
import { boundsOfDatabase } from './of-database.ts';
import { boundsOfDestinations } from './of-destinations.ts';
import { boundsOfEndedCredentials } from './of-ended-credentials.ts';
import { boundsOfEnds } from './of-ends.ts';
import { boundsOfEndpoints } from './of-endpoints.ts';
import { boundsOfExchanges } from './of-exchanges.ts';
import { boundsOfFleets } from './of-fleets.ts';
import { boundsOfLoops } from './of-loops.ts';
import { boundsOfMemory } from './of-memory.ts';
import { boundsOfObjects } from './of-objects.ts';
import { boundsOfPlans } from './of-plans.ts';
import { boundsOfPortal } from './of-portal.ts';
import { boundsOfPrices } from './of-prices.ts';
import { boundsOfRequestLog } from './of-request-log.ts';
import { boundsOfSlices } from './of-slices.ts';
import { boundsOfTexts } from './of-texts.ts';
import { boundsOfTries } from './of-tries.ts';
import { boundsOfWork } from './of-work.ts';
import { boundsOfZones } from './of-zones.ts';

export const ALL_BOUNDS: readonly Bound[] = [
  ...BOUNDS,
  ...boundsOfConnectionShares,
  ...boundsOfConnections,
  ...boundsOfCounting,
  ...boundsOfCredentials,
  ...boundsOfEndedCredentials,
  ...boundsOfDatabase,
  ...boundsOfWork,
  ...boundsOfCaches,
  ...boundsOfPlans,
  ...boundsOfTries,
  ...boundsOfMemory,
  ...boundsOfObjects,
  ...boundsOfEnds,
  ...boundsOfEndpoints,
  ...boundsOfDestinations,
  ...boundsOfExchanges,
  ...boundsOfFleets,
  ...boundsOfLoops,
  ...boundsOfPortal,
  ...boundsOfPrices,
  ...boundsOfRequestLog,
  ...boundsOfSlices,
  ...boundsOfTexts,
  ...boundsOfZones,
];
