import { describe, expect, it } from '@jest/globals';
import { boundedMetadata, MAX_METADATA_BYTES } from '../../../../src/audit/entries/bounded-metadata.rules.js';

const FACTS = { reason: 'suspended', count: 3, status: 'active', changed: false, app: null };

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('Metadata of an audit entry', () => {
  it('stays as it is if it is small', () => {
    const metadata = { ...FACTS, fields: ['name', 'config'], at: new Date(0) };
    expect(boundedMetadata(metadata)).toBe(metadata);
  });

  it('keeps its facts, and the first elements of a long list with their number', () => {
    const uris = Array.from({ length: 400 }, (_, index) => `https://app.example/callback/${index}`);
    expect(boundedMetadata({ uris, ...FACTS })).toEqual({
      uris: uris.slice(0, 50),
      uris_count: 400,
      ...FACTS,
      truncated: true,
    });
  });

  it('counts long lists and objects inside of objects', () => {
    const roles = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`role-${index}`, index]));
    const bounded = boundedMetadata({ import: { added: [...Array(3_000).keys()].map(String), roles } });
    expect(bounded).toMatchObject({ import: { added_count: 3_000, roles_count: 3_000 }, truncated: true });
    expect((bounded['import'] as { added: string[] }).added.slice(0, 3)).toEqual(['0', '1', '2']);
  });

  it('cuts long texts between characters, and no text of 256 characters', () => {
    const email = `${'a'.repeat(244)}@example.com`;
    const bounded = boundedMetadata({ note: '😀'.repeat(5_000), email });
    expect(bounded).toEqual({ note: `${'😀'.repeat(1_000)}…`, email, truncated: true });
  });

  it.each<[string, Record<string, unknown>]>([
    ['many long texts', { list: Array.from({ length: 300 }, () => 'ü'.repeat(2_000)) }],
    ['many names', Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`name-${index}`, 'x'.repeat(500)]))],
    ['long names', { [`n${'x'.repeat(20_000)}`]: 1 }],
    ['nested lists', { list: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ['x'.repeat(90)])) }],
    ['many numbers', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name-${index}`, index]))],
  ])('has at most 8 KB with %s, and keeps what came first', (_, large) => {
    const bounded = boundedMetadata({ ...FACTS, ...large });
    expect(bytesOf(bounded)).toBeLessThanOrEqual(MAX_METADATA_BYTES);
    expect(bounded).toMatchObject({ ...FACTS, truncated: true });
  });
});
