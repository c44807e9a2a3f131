import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { MailOrigin } from '../../../../enrollment/notices/account-mails.js';
import { UsersService } from '../../../../users/users.service.js';
import { exampleHistory, foundedAt, type ExampleAppRow, type ExampleAccount } from '../plan/example-history.rules.js';
import { ExampleInvites } from './example-invites.js';
import { ExampleMails } from './example-mails.js';
import { ExampleNotifications } from './example-notifications.js';
import { exampleUsers, type ExampleUser } from '../plan/example-users.rules.js';
import { type EnrollmentRow, ExampleRowsRepository } from './example-rows.repository.js';
import { EXAMPLE_TENANTS } from '../plan/example-tenants.js';

type Apps = ReadonlyMap<string, ExampleAppRow & MailOrigin & { readonly consoleAppId: string }>;

/**
 * Writes the example users, with memberships, history, mails, invites, devices and notifications, in the caller's
 * transaction.
 */
@Injectable()
export class ExampleUsers {
  constructor(
    private readonly users: UsersService,
    private readonly rows: ExampleRowsRepository,
    private readonly mails: ExampleMails,
    private readonly invites: ExampleInvites,
    private readonly notifications: ExampleNotifications,
  ) {}

  async write(tx: EntityManager, apps: Apps, now: Date): Promise<void> {
    const users = await this.create(tx, exampleUsers(now));
    await this.rows.dateTenants(
      tx,
      [...apps.values()].map(({ tenantId }) => tenantId),
      foundedAt(now),
    );
    await this.rows.dateUsers(
      tx,
      users.map(({ id, createdAt, signIns }) => ({
        id,
        created_at: createdAt,
        last_login_at: lastOf(signIns),
      })),
    );
    await this.rows.enroll(
      tx,
      users.flatMap((user) => enrollmentsOf(user, apps)),
    );
    await this.rows.insertHistory(tx, exampleHistory(users, apps, now));
    await this.mails.write(tx, users, apps, now);
    await this.invites.write(tx, users, apps, now);
    await this.notifications.write(tx, users, apps, now);
  }

  /** Creates accounts without passwords: the users sign in with mailed links. Existing accounts are not changed. */
  private async create(tx: EntityManager, users: readonly ExampleUser[]): Promise<ExampleAccount[]> {
    const ids = await this.users.createMissing(
      tx,
      users.map(({ email, displayName, emailVerified }) => ({
        email,
        displayName,
        emailVerified,
        passwordHash: null,
      })),
    );
    return users.flatMap((user) => {
      const id = ids.get(user.email);
      return id ? [{ ...user, id }] : [];
    });
  }
}

function enrollmentsOf(
  { id, administers, createdAt, memberships, signIns }: ExampleAccount,
  apps: Apps,
): EnrollmentRow[] {
  const rows = memberships.map(({ bundleId, roles, status, since, message }) => ({
    user_id: id,
    app_id: apps.get(bundleId)!.id,
    roles,
    status,
    request_message: message,
    created_at: since,
    last_login_at: lastOf(signIns.filter((signIn) => signIn.bundleId === bundleId)),
  }));
  if (!administers) return rows;
  const { consoleAppId } = apps.get(firstAppOf(administers))!;
  const admin = { user_id: id, app_id: consoleAppId, roles: ['user', 'admin'], status: 'active' };
  return [...rows, { ...admin, request_message: null, created_at: createdAt, last_login_at: null }];
}

function firstAppOf(slug: string): string {
  return EXAMPLE_TENANTS.find((tenant) => tenant.slug === slug)!.apps[0]!.bundleId;
}

function lastOf(signIns: ExampleUser['signIns']): Date | null {
  return signIns.findLast(({ outcome }) => outcome === 'success')?.at ?? null;
}
