import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { auditEntryView } from '../../../../src/audit/audit-entry.view.js';
import type { AuditEntry } from '../../../../src/audit/entries/audit-entry.entity.js';
import { canonicalJson, GENESIS, judgeLink, hashOf } from '../../../../src/audit/chain/seal.rules.js';

const ENTRY: AuditEntry = {
  id: '01970000-0000-7000-8000-000000000001',
  createdAt: new Date('2026-11-21T10:00:00.123Z'),
  ordinal: '17',
  action: 'user.login',
  outcome: 'success',
  actorType: 'user',
  actorId: '01970000-0000-7000-8000-000000000002',
  actorEmail: 'ada@example.com',
  actingAs: { type: 'tenant', id: 't' },
  userId: '01970000-0000-7000-8000-000000000003',
  tenantId: '01970000-0000-7000-8000-000000000004',
  appId: '01970000-0000-7000-8000-000000000005',
  targetType: 'user',
  targetId: 'x',
  ipAddress: '::1',
  userAgent: 'Browser "ü"',
  requestId: 'r',
  metadata: { b: 1, a: [true, null, { z: 'é', y: 1.5 }] },
  seq: '3',
  prevHash: Buffer.alloc(32, 1),
  hash: null,
};
const LINK = { seq: 3, prevHash: Buffer.alloc(32, 1) };

// security 109
describe('Seal of an audit entry', () => {
  it('can be computed from the API’s answer with RFC 8785 and SHA-256 alone', () => {
    const { hash, ...shown } = auditEntryView(ENTRY);
    expect(hash).toBeNull();
    const text =
      '{"acting_as":{"id":"t","type":"tenant"},"action":"user.login",' +
      '"actor":{"email":"ada@example.com","id":"01970000-0000-7000-8000-000000000002","type":"user"},' +
      '"app_id":"01970000-0000-7000-8000-000000000005","created_at":"2026-11-21T10:00:00.123Z",' +
      '"id":"01970000-0000-7000-8000-000000000001","ip_address":"::1",' +
      '"metadata":{"a":[true,null,{"y":1.5,"z":"é"}],"b":1},"outcome":"success",' +
      `"prev_hash":"${'01'.repeat(32)}","request_id":"r","seq":3,"target":{"id":"x","type":"user"},` +
      '"tenant_id":"01970000-0000-7000-8000-000000000004","user_agent":"Browser \\"ü\\"",' +
      '"user_id":"01970000-0000-7000-8000-000000000003"}';
    expect(canonicalJson(shown)).toBe(text);
    expect(hashOf(ENTRY, LINK).toString('hex')).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it.each<[keyof AuditEntry, unknown]>([
    ['id', '01970000-0000-7000-8000-00000000000f'],
    ['createdAt', new Date('2026-11-21T10:00:00.124Z')],
    ['action', 'user.updated'],
    ['outcome', 'failure'],
    ['actorType', 'system'],
    ['actorId', null],
    ['actorEmail', 'eve@example.com'],
    ['actingAs', null],
    ['userId', null],
    ['tenantId', null],
    ['appId', null],
    ['targetType', null],
    ['targetId', 'y'],
    ['ipAddress', '::2'],
    ['userAgent', null],
    ['requestId', 's'],
    ['metadata', { b: 1, a: [true, null, { z: 'é', y: 1.6 }] }],
  ])('changes with %s', (field, value) => {
    expect(hashOf({ ...ENTRY, [field]: value }, LINK)).not.toEqual(hashOf(ENTRY, LINK));
  });

  it('changes with the position in the chain', () => {
    expect(hashOf(ENTRY, { ...LINK, seq: 4 })).not.toEqual(hashOf(ENTRY, LINK));
    expect(hashOf(ENTRY, { ...LINK, prevHash: GENESIS })).not.toEqual(hashOf(ENTRY, LINK));
  });

  it('does not change with the order of keys, which the database does not keep', () => {
    const turned = { ...ENTRY, metadata: { a: [true, null, { y: 1.5, z: 'é' }], b: 1 } };
    expect(hashOf(turned, LINK)).toEqual(hashOf(ENTRY, LINK));
  });

  it('check reports what is wrong with an entry at the wrong position', () => {
    const sealed = { ...ENTRY, hash: hashOf(ENTRY, LINK) };
    expect(judgeLink(sealed, LINK)).toBe('ok');
    expect(judgeLink(sealed, { ...LINK, seq: 2 })).toBe('sequence');
    expect(judgeLink(sealed, { ...LINK, prevHash: GENESIS })).toBe('link');
    expect(judgeLink({ ...sealed, action: 'user.deleted' }, LINK)).toBe('hash');
    expect(judgeLink({ ...sealed, hash: null }, LINK)).toBe('hash');
    expect(judgeLink({ ...sealed, prevHash: null }, LINK)).toBe('link');
  });
});

describe('Canonical JSON', () => {
  // RFC 8785, section 3.2.2 and 3.2.3
  it('matches the examples of the RFC', () => {
    const numbers = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      literals: [null, true, false],
    };
    expect(canonicalJson(numbers)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    );
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
  });

  it('treats names of the JavaScript language like any other', () => {
    expect(canonicalJson(JSON.parse('{"toString":1,"__proto__":{"b":2,"a":1}}'))).toBe(
      '{"__proto__":{"a":1,"b":2},"toString":1}',
    );
  });
});
