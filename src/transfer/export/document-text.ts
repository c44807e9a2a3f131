import { Injectable } from '@nestjs/common';
import type { App } from '../../apps/app/app.entity.js';
import { PasskeyTransfer } from '../../auth/credentials/passkeys/management/passkey-transfer.service.js';
import { LinkedAccountsService } from '../../auth/providers/linked/linked-accounts.service.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { type Member, MembersRepository } from '../../enrollment/members/members.repository.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import {
  APP_FORMAT,
  appPart,
  documentHead,
  linkPart,
  memberPart,
  TENANT_FORMAT,
  tenantPart,
} from '../formats/document.js';
import { passkeysPart } from '../formats/transferred-passkeys.js';
import { ListText, openObject } from '../formats/json-text.js';

export interface ExportOptions {
  readonly includeUsers: boolean;
  readonly includeCredentials: boolean;
  /** Aborted when the client has disconnected. */
  readonly closing?: AbortSignal;
}

/** Number of users and apps in memory at a time. */
const USERS = 1000;
const APPS = 50;

export interface DocumentOptions extends ExportOptions {
  /** Includes the users' identities at external providers. */
  readonly includeLinkedAccounts: boolean;
}

/**
 * The text of a document, in pieces as the database is read. It contains natural keys, holds at most one page of users
 * in memory, and no transaction is open while a slow client reads. A user who is changed in the meantime appears in the
 * old or the new state.
 */
@Injectable()
export class DocumentText {
  constructor(
    private readonly apps: AppsService,
    private readonly members: MembersRepository,
    private readonly linked: LinkedAccountsService,
    private readonly passkeys: PasskeyTransfer,
  ) {}

  async *ofApp(app: App, options: DocumentOptions, now: Date): AsyncGenerator<string> {
    yield openObject(documentHead(APP_FORMAT, now));
    yield `,\n"app":${JSON.stringify(appPart(app))}`;
    if (options.includeUsers) yield* this.users(app, options);
    yield '}\n';
  }

  async *ofTenant(tenant: Tenant, options: DocumentOptions, now: Date): AsyncGenerator<string> {
    yield openObject(documentHead(TENANT_FORMAT, now));
    yield `,\n"tenant":${JSON.stringify(tenantPart(tenant))}`;
    const list = new ListText();
    yield list.begin('apps');
    for await (const app of this.appsOf(tenant.id)) {
      yield list.item(openObject(appPart(app)));
      if (options.includeUsers) yield* this.users(app, options);
      yield '}';
    }
    yield `${list.end()}}\n`;
  }

  private async *users(app: App, options: DocumentOptions): AsyncGenerator<string> {
    const list = new ListText();
    yield list.begin('users');
    const offered = new Set(app.config.available_roles);
    let after = '';
    for (;;) {
      const page = await this.members.page(app.id, after, USERS);
      const shown = options.includeLinkedAccounts ? page.map((member) => member.userId) : [];
      const linked = await this.linked.listOfAll(shown);
      const passkeys = await this.passkeys.listOfAll(
        options.includeCredentials ? page.map(({ userId }) => userId) : [],
      );
      const text = (member: Member) => {
        const links = (linked.get(member.userId) ?? []).map(linkPart);
        const held = passkeys.get(member.userId);
        const credentials = { passkeys: held ? passkeysPart(held) : null };
        return JSON.stringify(memberPart(member, offered, links, options.includeCredentials ? credentials : null));
      };
      if (page.length > 0) yield page.map((member) => list.item(text(member))).join('');
      if (page.length < USERS) break;
      after = page.at(-1)!.emailCanonical;
    }
    yield list.end();
  }

  private async *appsOf(tenantId: string): AsyncGenerator<App> {
    let after = '';
    for (;;) {
      const page = await this.apps.pageOfTenant(tenantId, after, APPS);
      yield* page;
      if (page.length < APPS) return;
      after = page.at(-1)!.bundleId;
    }
  }
}
