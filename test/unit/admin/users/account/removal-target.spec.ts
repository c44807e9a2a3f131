import { describe, expect, it } from '@jest/globals';
import { removalTarget } from '../../../../../src/admin/users/account/removal-target.js';
import { InvalidInput } from '../../../../../src/common/validation/invalid-input.js';

const APP = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

describe('Target of DELETE /admin/users/{user_id}', () => {
  const target = (body: Record<string, unknown> | undefined, query: Record<string, unknown> = {}) => {
    const read = (given: Record<string, unknown> | undefined) => ({ app_id: given?.['app_id'] as string | undefined });
    return removalTarget(read(body), read(query), { body, query });
  };

  it('is the app named in the body, the query or equally in both', () => {
    expect(target({ app_id: APP })).toBe(APP);
    expect(target(undefined, { app_id: APP })).toBe(APP);
    expect(target({ app_id: APP, reason: 'moved' }, { app_id: APP })).toBe(APP);
    expect(() => target({ app_id: APP }, { app_id: OTHER })).toThrow('Conflicting app_id');
  });

  it('is the whole account only if no app is named', () => {
    expect(target(undefined)).toBeNull();
    expect(target({})).toBeNull();
    for (const [body, query] of [
      [{ appId: APP }, {}],
      [{ app_ids: [APP] }, {}],
      [undefined, { app: APP }],
      [{}, { APP_ID: APP }],
    ] as const)
      expect(() => target(body, query)).toThrow(InvalidInput);
  });
});
