import { describe, expect, it } from '@jest/globals';
import { SystemRandomness } from '../../../../src/common/system-randomness.js';
import { batchIdOf, idsInBatch } from '../../../../src/push/notifications/batch-ids.rules.js';
import { MAX_TARGETS } from '../../../../src/push/notifications/sending/send.dto.js';

describe('Ids of notifications in a batch', () => {
  const batchId = batchIdOf(new SystemRandomness().uuid());
  const ids = idsInBatch(batchId, MAX_TARGETS);

  it('are as many different ones as a request can have users', () => {
    expect(new Set(ids).size).toBe(MAX_TARGETS);
  });

  it('begin with the batch’s own and ascend', () => {
    expect(ids[0]).toBe(batchId);
    expect([...ids].sort()).toEqual(ids);
  });

  it('each lead to their batch', () => {
    expect(new Set(ids.map(batchIdOf))).toEqual(new Set([batchId]));
  });
});
