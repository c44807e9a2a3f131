import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { SigningKey } from './signing-key.entity.js';

@Injectable()
export class SigningKeysRepository {
  constructor(@InjectRepository(SigningKey) private readonly repository: Repository<SigningKey>) {}

  /** Keys whose tokens may still be valid, oldest first. */
  listPublished(): Promise<SigningKey[]> {
    return this.repository
      .createQueryBuilder('key')
      .where('key.retiresAt IS NULL OR key.retiresAt > now()')
      .orderBy('key.activatesAt')
      .addOrderBy('key.kid')
      .getMany();
  }

  find(kid: string): Promise<SigningKey | null> {
    return this.repository.findOneBy({ kid });
  }

  /** Lets one process at a time continue, until the transaction ends. */
  async lock(tx: EntityManager): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('signing_keys'))`);
  }

  exists(tx: EntityManager): Promise<boolean> {
    return tx.getRepository(SigningKey).existsBy({});
  }

  /** @param delaySeconds until the key signs */
  async insert(
    tx: EntityManager,
    key: Pick<SigningKey, 'kid' | 'publicJwk' | 'sealedPrivateKey'>,
    delaySeconds: number,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO signing_keys (kid, public_jwk, sealed_private_key, activates_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
      [key.kid, JSON.stringify(key.publicJwk), key.sealedPrivateKey, delaySeconds],
    );
  }

  /** Every other key leaves the key set at that time, unless it leaves earlier. @param seconds from now */
  async retireOthers(tx: EntityManager, kid: string, seconds: number): Promise<void> {
    await tx.query(
      `UPDATE signing_keys SET retires_at = least(coalesce(retires_at, 'infinity'), now() + make_interval(secs => $2))
       WHERE kid <> $1`,
      [kid, seconds],
    );
  }
}
