import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether an address is within these CIDR blocks; a text that is no address is not. */
export function createMembership(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [base = '', prefix = ''] = block.split('/');
    list.addSubnet(base, Number(prefix), isIPv6(base) ? 'ipv6' : 'ipv4');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * The address of the client, as Express finds it (`request.ip`): of the connection, or, while that is a trusted proxy's, the
 * last one of `X-Forwarded-For` that is none.
 */
export function findClientAddress(
  request: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | undefined {
  let address = request.socket.remoteAddress;
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined || address === undefined || !isTrusted(address)) return address;
  for (const hop of String(forwarded).split(',').toReversed()) {
    address = hop.trim();
    if (!isTrusted(address)) break;
  }
  return address;
}
