import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import { purgeInBatches } from '../../../database/purge-in-batches.js';
import { Statements } from '../../../database/statements.js';
import { IdempotencyKeyReused } from '../../errors/push.errors.js';
import { PushReply } from './push-reply.entity.js';

const HOURS = 24;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  readonly appId: string;
  readonly key: string;
  /** The parsed body: the same JSON with other formatting is the same request. */
  readonly body: unknown;
}

/** Idempotency-Key: within a day the same request has one effect and one answer. */
@Injectable()
export class PushReplies {
  constructor(private readonly statements: Statements) {}

  /**
   * In one transaction with the effect: a parallel request with the same key waits for its commit, and then reads.
   * @throws IdempotencyKeyReused for the same key with another body
   */
  async once<T extends object>(tx: EntityManager, request: KeyedRequest, effect: () => Promise<T>): Promise<T> {
    const { appId } = request;
    const [keyHash, requestHash] = [hashOpaqueToken(request.key), hashOf(request.body)];
    await tx.query(
      `DELETE FROM push_replies WHERE app_id = $1 AND key_hash = $2 AND created_at < now() - interval '${HOURS} hours'`,
      [appId, keyHash],
    );
    const made = (await tx.query(
      `INSERT INTO push_replies (app_id, key_hash, request_hash) VALUES ($1, $2, $3)
       ON CONFLICT ON CONSTRAINT pk_push_replies DO NOTHING RETURNING 1`,
      [appId, keyHash, requestHash],
    )) as unknown[];
    if (made.length === 0) {
      const known = await tx.getRepository(PushReply).findOneByOrFail({ appId, keyHash });
      if (!known.requestHash.equals(requestHash)) throw new IdempotencyKeyReused();
      return known.reply as T;
    }
    const reply = await effect();
    await tx.query('UPDATE push_replies SET reply = $3 WHERE app_id = $1 AND key_hash = $2', [appId, keyHash, reply]);
    return reply;
  }

  purge(): Promise<void> {
    return purgeInBatches(this.statements, { table: 'push_replies', column: 'created_at', age: `${HOURS} hours` });
  }
}

function hashOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest();
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
