import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { PushSettings } from './push-settings.entity.js';

/** How long the previous secret also signs. */
const PREVIOUS_SECRET_HOURS = 24;

@Injectable()
export class PushSettingsRepository {
  constructor(@InjectRepository(PushSettings) private readonly settings: Repository<PushSettings>) {}

  find(appId: string, tx?: EntityManager): Promise<PushSettings | null> {
    return (tx?.getRepository(PushSettings) ?? this.settings).findOneBy({ appId });
  }

  /** The app's row, created if there was none, and locked until the transaction ends. */
  async lock(tx: EntityManager, appId: string): Promise<PushSettings> {
    await tx.createQueryBuilder().insert().into(PushSettings).values({ appId }).orIgnore().execute();
    return tx.getRepository(PushSettings).findOneOrFail({ where: { appId }, lock: { mode: 'pessimistic_write' } });
  }

  async update(tx: EntityManager, appId: string, change: QueryDeepPartialEntity<PushSettings>): Promise<PushSettings> {
    await tx.update(PushSettings, { appId }, { ...change, updatedAt: () => 'now()' });
    return tx.getRepository(PushSettings).findOneByOrFail({ appId });
  }

  /** The current secret becomes the previous one. @returns until when that one also signs */
  async rotateWebhookSecret(
    tx: EntityManager,
    appId: string,
    sealed: { readonly secret: string; readonly previous: string | null },
  ): Promise<Date> {
    const after = await this.update(tx, appId, {
      sealedWebhookSecret: sealed.secret,
      sealedPreviousWebhookSecret: sealed.previous,
      previousWebhookSecretUntil: () => `now() + interval '${PREVIOUS_SECRET_HOURS} hours'`,
    });
    return after.previousWebhookSecretUntil!;
  }

  /** Removes previous secrets that no longer sign. */
  async forgetPreviousSecrets(): Promise<void> {
    await this.settings.query(
      `UPDATE push_settings SET sealed_previous_webhook_secret = NULL, previous_webhook_secret_until = NULL
       WHERE previous_webhook_secret_until < now()`,
    );
  }

  /**
   * The receiver answered 410: nothing is sent until an administrator saves the address again.
   * @returns whether this call switched it off
   */
  async disableWebhook(tx: EntityManager, appId: string, webhookUrl: string): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(PushSettings)
      .set({ webhookDisabledAt: () => 'now()' })
      .where('appId = :appId AND webhookUrl = :webhookUrl AND webhookDisabledAt IS NULL', { appId, webhookUrl })
      .execute();
    return affected === 1;
  }

  /** @returns whether no notice had been sent yet */
  async noteFailureTold(tx: EntityManager, appId: string): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(PushSettings)
      .set({ webhookFailureToldAt: () => 'now()' })
      .where('appId = :appId AND webhookFailureToldAt IS NULL', { appId })
      .execute();
    return affected === 1;
  }

  async forgetFailure(appId: string): Promise<void> {
    await this.settings.update({ appId }, { webhookFailureToldAt: null });
  }
}
