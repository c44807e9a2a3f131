import { describe, expect, it } from '@jest/globals';
import { judgeDevVisitor } from '../../../../src/embedded/dev/dev-reach.rules.js';

const OURS = { hosts: ['localhost:3000', '127.0.0.1:3000'], allowExposedDev: false };
const near = (host: string | undefined) => ({ host, addresses: ['127.0.0.1', '::ffff:127.0.0.1'] });

describe('judgeDevVisitor', () => {
  it.each(['localhost:3000', '127.0.0.1:3000', 'LOCALHOST:3000'])('allows this machine as %s', (host) => {
    expect(judgeDevVisitor(near(host), OURS)).toBe('welcome');
  });

  it.each([
    undefined,
    '',
    'localhost',
    'evil.example',
    'evil.example:3000',
    'localhost:3000.evil.example',
    '127.0.0.1:3001',
  ])('rejects a request for the host %j from every address', (host) => {
    expect(judgeDevVisitor(near(host), OURS)).toBe('misdirected');
    expect(judgeDevVisitor(near(host), { ...OURS, allowExposedDev: true })).toBe('misdirected');
  });

  it.each([[['10.0.0.8', '10.0.0.8']], [['127.0.0.1', '203.0.113.9']], [[undefined]], [['::']], [['::ffff:10.0.0.8']]])(
    'rejects visitors from %j unless ALLOW_EXPOSED_DEV is set',
    (addresses) => {
      const visitor = { host: 'localhost:3000', addresses };
      expect(judgeDevVisitor(visitor, OURS)).toBe('outsider');
      expect(judgeDevVisitor(visitor, { ...OURS, allowExposedDev: true })).toBe('welcome');
    },
  );
});
