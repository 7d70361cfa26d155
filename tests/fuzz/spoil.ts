// Requests that the document does not allow, for operations with so little in them that few random requests are wrong.
import type { Dice } from '../../bench/equivalence/dice.ts';
import type { AskedOperation } from '../../bench/equivalence/document.ts';
import type { RandomRequest } from '../../bench/equivalence/requests.ts';

const SEGMENTS = ['x', '7', 'nil', '%20', '%C3%A9', '-', '0'.repeat(300), '%7B%7D', '%00', 'a%2Fb'];
const NAMES = [
  'unknown',
  'Limit',
  '__proto__',
  'constructor',
  'a%5Bb%5D',
  'org_id',
  'access_token',
  '%C3%A9',
];
const VALUES = ['', '=1', '=', '=null', '=%00', '=a&b', '=[]'];

/** The same request with a parameter that the operation does not know, or with a segment of the path that is none of its values. */
export function spoilRequest(request: RandomRequest, { route }: AskedOperation, dice: Dice): RandomRequest {
  const [path = '', query] = request.target.split('?');
  const places = route.path.split('/').flatMap((segment, index) => (segment.startsWith('{') ? [index] : []));
  if (places.length > 0 && dice.chance(0.5)) {
    const place = dice.pick(places);
    const spoilt = path.split('/').map((segment, index) => (index === place ? dice.pick(SEGMENTS) : segment));
    return { ...request, target: [spoilt.join('/'), query].filter((part) => part !== undefined).join('?') };
  }
  const pair = dice.pick(NAMES) + dice.pick(VALUES);
  return { ...request, target: `${path}?${query === undefined ? '' : `${query}&`}${pair}` };
}
