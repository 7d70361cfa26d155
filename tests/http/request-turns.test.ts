import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createCallerFinder } from '../../src/http/request-caller.ts';
import { findWaitedMs } from '../../src/http/request-turns.ts';
import { createAddressFinder } from '../../src/http/trusted-proxies.ts';
import { ask } from './opened-server.ts';
import { endServed, serveInTurns, withHeader, WORK_MS } from './served-in-turns.ts';

// Requests of many connections that have come at once: counted and ordered by a clock that moves with the work.

afterEach(endServed);

describe('short requests of 20 connections that come in one turn', () => {
  const COUNT = 20;
  const begunBeforeLast = async (workMs: number): Promise<number | undefined> => {
    const { begunBefore, connect: open, settle } = await serveInTurns(undefined, undefined, workMs);
    for (const [index, socket] of (await open(COUNT)).entries()) socket.write(ask(`/${index}`));
    await settle(COUNT);
    return begunBefore.get(`/${COUNT - 1}`);
  };

  test.each([
    ['16 are begun at once where they take more than a millisecond', 0.1, 16],
    ['two are begun at once where they take six', WORK_MS, 2],
    ['all are begun at once where they take no millisecond', 0.04, COUNT - 1],
  ])('%s', async (_name, workMs, begun) => {
    expect(await begunBeforeLast(workMs)).toBe(begun);
  });
});

describe('requests of 300 connections of one address', () => {
  test('are begun by turns with the one of another address that comes behind them', async () => {
    const { begun, begunBefore, connect: open, settle } = await serveInTurns();
    const [many, [one]] = [await open(300), await open(1, '127.0.0.3')];
    for (const [index, socket] of many.entries()) socket.write(ask(`/many/${index}`));
    await settle(20);
    one?.write(ask('/one'));
    await settle(301);
    const before = begunBefore.get('/one') ?? 300;
    // Most of them wait when it comes, and hardly one goes before it.
    expect(before).toBeLessThan(200);
    expect(begun.indexOf('/one') - before).toBeLessThanOrEqual(2);
  });

  test('are all begun, in the order in which they came', async () => {
    const { arrived, begun, connect: open, settle } = await serveInTurns();
    for (const [index, socket] of (await open(300)).entries()) socket.write(ask(`/${index}`));
    await settle(300);
    expect(begun).toEqual(arrived);
  });

  test('are one caller with those of other addresses that have tokens or sessions of the same partner', async () => {
    const { begun, begunBefore, connect: open, settle } = await serveInTurns();
    const [some, others, [one]] = [await open(60), await open(60, '127.0.0.4'), await open(1, '127.0.0.3')];
    for (const [n, socket] of some.entries()) socket.write(withHeader(`/a/${n}`, 'Authorization: Bearer a'));
    for (const [n, socket] of others.entries()) socket.write(withHeader(`/b/${n}`, 'Cookie: session=a'));
    await settle(6);
    one?.write(withHeader('/one', 'Authorization: Bearer b'));
    await settle(121);
    expect(begun.indexOf('/one') - (begunBefore.get('/one') ?? 0)).toBeLessThanOrEqual(2);
  });
});

describe('requests of 50 addresses of which nothing else is known', () => {
  const ADDRESSES = Array.from({ length: 50 }, (_, n) => `127.0.2.${n + 1}`);

  test('make one of a partner wait for two of them', async () => {
    const { begun, begunBefore, connect: open, settle } = await serveInTurns();
    const many: Socket[] = [];
    for (const address of ADDRESSES) many.push(...(await open(2, address)));
    const [one] = await open(1, '127.0.0.3');
    for (const [n, socket] of many.entries()) socket.write(ask(`/many/${n}`));
    await settle(10);
    one?.write(withHeader('/one', 'Authorization: Bearer a'));
    await settle(101);
    const before = begunBefore.get('/one') ?? 100;
    expect(before).toBeLessThan(60);
    expect(begun.indexOf('/one') - before).toBeLessThanOrEqual(2);
  });

  test('wait up to so many in all; the address that has most is refused first', async () => {
    const limits = { maxOfCaller: 100, maxOfParty: 20 };
    const { begun, refused, connect: open, settle } = await serveInTurns(undefined, limits);
    const many = await open(60, '127.0.0.5');
    const others: Socket[] = [];
    for (const address of ADDRESSES.slice(0, 5)) others.push(...(await open(1, address)));
    for (const [n, socket] of many.entries()) socket.write(ask(`/many/${n}`));
    await settle(30);
    for (const [n, socket] of others.entries()) socket.write(ask(`/other/${n}`));
    await settle(65);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused.filter((path) => path.startsWith('/other'))).toEqual([]);
    expect(begun.filter((path) => path.startsWith('/other'))).toHaveLength(5);
  });
});

test('a request that comes while there is time left is begun at once', async () => {
  const { begun, begunBefore, connect: open, settle } = await serveInTurns();
  const [socket] = await open(1);
  socket?.write(ask('/1'));
  await settle(1);
  expect([begun, begunBefore.get('/1')]).toEqual([['/1'], 0]);
});

test('who goes while his request waits leaves, and it is never begun', async () => {
  const { begun, connect: open, arrive, settle } = await serveInTurns();
  const sockets = await open(300);
  for (const [n, socket] of sockets.entries()) socket.write(ask(`/${n}`));
  await settle(4);
  const [gone] = await open(1);
  gone?.write(ask('/gone'));
  await arrive(301);
  gone?.destroy();
  await settle(300);
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(begun).not.toContain('/gone');
});

test('more than may wait of one caller are refused at once, with the end of their connections', async () => {
  const {
    refused,
    connect: open,
    settle,
  } = await serveInTurns(undefined, { maxOfCaller: 2, maxOfParty: 100 });
  const sockets = await open(100);
  const answers = sockets.map((socket) => text(socket));
  for (const [n, socket] of sockets.entries()) socket.write(withHeader(`/${n}`, 'Connection: close'));
  await settle(100);
  expect(refused.length).toBeGreaterThan(0);
  const [answer] = (await Promise.all(answers)).filter((each) => each.startsWith('HTTP/1.1 503'));
  expect(answer).toMatch(/Retry-After: 2\r\nConnection: close[^]*"code":"overloaded"/);
});

test('what has waited for 2 s is refused', async () => {
  const { begun, refused, clock, connect: open, settle } = await serveInTurns();
  const sockets = await open(40);
  for (const [n, socket] of sockets.entries()) socket.write(ask(`/${n}`));
  await settle(4);
  clock.nowMs += 2_000;
  await settle(40);
  expect(begun.length).toBeLessThan(40);
  expect(refused.length).toBe(40 - begun.length);
});

test('the time that a request has waited is known', async () => {
  const waited: number[] = [];
  const { connect: open, settle } = await serveInTurns((_request, response) => {
    waited.push(findWaitedMs(response));
    response.end();
  });
  for (const [n, socket] of (await open(8)).entries()) socket.write(ask(`/${n}`));
  await settle(8);
  expect(waited[0]).toBe(0);
  expect(waited.at(-1)).toBeGreaterThan(0);
});

test('a stop answers what waits', async () => {
  const { server, begun, connect: open, arrive } = await serveInTurns();
  const sockets = await open(50);
  const answers = sockets.map((socket) => text(socket));
  for (const [n, socket] of sockets.entries()) socket.write(ask(`/${n}`));
  await arrive(50);
  expect(begun.length).toBeLessThan(50);
  await server.stop({ graceMs: 0, lingerMs: 0, drainMs: 600_000 });
  expect((await Promise.all(answers)).filter((answer) => answer.endsWith('done'))).toHaveLength(50);
});

describe('the caller', () => {
  const find = createCallerFinder({
    findAddress: createAddressFinder(['10.0.0.0/8', 'fd00::/8']),
    findPartnerOfHeader: (authorization) => (authorization === 'Bearer known' ? 'p1' : undefined),
    findPartnerOfSession: (cookies) => (cookies === 'session=known' ? 'p2' : undefined),
  });

  test.each([
    ['203.0.113.7', {}, 'address 203.0.113.7'],
    ['::ffff:203.0.113.7', {}, 'address 203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', {}, 'address 2001:db8:1:2::/64'],
    ['203.0.113.7', { 'x-forwarded-for': '192.0.2.1' }, 'address 203.0.113.7'],
    ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 192.0.2.1' }, 'address 192.0.2.1'],
    ['::ffff:10.0.0.1', { 'x-forwarded-for': '192.0.2.1, 10.2.3.4' }, 'address 192.0.2.1'],
    ['fd00::1', { 'x-forwarded-for': '192.0.2.1, hidden' }, 'address unknown'],
    ['10.0.0.1', {}, 'address 10.0.0.1'],
    [undefined, {}, 'address unknown'],
    ['203.0.113.7', { authorization: 'Bearer known' }, 'partner p1'],
    ['203.0.113.7', { authorization: 'Bearer other' }, 'address 203.0.113.7'],
    ['203.0.113.7', { cookie: 'session=known' }, 'partner p2'],
    ['203.0.113.7', { cookie: 'session=other' }, 'address 203.0.113.7'],
  ])('of a request from %s with %o is %s', (remoteAddress, headers, caller) => {
    expect(find({ socket: { remoteAddress }, headers } as IncomingMessage)).toBe(caller);
  });
});
