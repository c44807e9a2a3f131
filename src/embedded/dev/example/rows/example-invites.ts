import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../../common/randomness.js';
import { hashOpaqueToken } from '../../../../crypto/opaque-token.js';
import { SecretBox } from '../../../../crypto/secret-box.js';
import { newInviteCode } from '../../../../invites/invite/invite-code.js';
import { storedCode } from '../../../../invites/creation/invite-maker.js';
import { Invite } from '../../../../invites/invite/invite.entity.js';
import { firstAdminOf, type ExampleAppRow, type ExampleAccount, policyOf } from '../plan/example-history.rules.js';
import { EXAMPLE_TENANTS } from '../plan/example-tenants.js';

const DAY_MS = 24 * 3600 * 1000;

/** Unused, partly used, used up and expired. `age` is in days before now, `days` is the lifetime. */
const INVITES = [
  { age: 2.3, days: 7, maxUses: 1, useCount: 0, isMailed: true },
  { age: 5.1, days: 14, maxUses: 10, useCount: 4, isMailed: false },
  { age: 11.6, days: 30, maxUses: 1, useCount: 1, isMailed: true },
  { age: 20.2, days: 7, maxUses: 3, useCount: 1, isMailed: false },
] as const;

/** Example invites, for the apps that users cannot join without an invite or an approval. None is mailed. */
@Injectable()
export class ExampleInvites {
  constructor(
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  async write(
    tx: EntityManager,
    users: readonly ExampleAccount[],
    apps: ReadonlyMap<string, ExampleAppRow>,
    now: Date,
  ): Promise<void> {
    const adminOf = firstAdminOf(users);
    const rows = EXAMPLE_TENANTS.flatMap((tenant) => tenant.apps)
      .filter(({ bundleId }) => policyOf(bundleId) !== 'open')
      .flatMap(({ bundleId }, place) =>
        INVITES.map((terms, index) => {
          const email = `new.user.${place + 1}.${index + 1}@mail.example`;
          const own = { appId: apps.get(bundleId)!.id, createdBy: adminOf(bundleId).id };
          return this.rowOf({ ...own, ...terms, email: terms.isMailed ? email : null }, now);
        }),
      );
    await tx.insert(Invite, rows);
  }

  private rowOf(
    {
      age,
      days,
      email,
      ...terms
    }: Pick<Invite, 'appId' | 'createdBy' | 'email' | 'maxUses' | 'useCount'> & {
      readonly age: number;
      readonly days: number;
    },
    now: Date,
  ): Partial<Invite> {
    const id = this.randomness.uuid();
    const { codeHash, codeSealed } = storedCode(id, this.box, this.randomness);
    const createdAt = new Date(now.getTime() - age * DAY_MS);
    return {
      id,
      appId: terms.appId,
      createdBy: terms.createdBy,
      maxUses: terms.maxUses,
      useCount: terms.useCount,
      codeHash,
      codeSealed,
      mailedCodeHash: email === null ? null : hashOpaqueToken(newInviteCode(this.randomness)),
      email,
      emailCanonical: email,
      roles: ['user'],
      createdAt,
      expiresAt: new Date(createdAt.getTime() + days * DAY_MS),
    };
  }
}
