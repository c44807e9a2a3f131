import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { NotificationListener } from '../../database/notification-listener.js';
import { NotifiedCache } from '../../database/notified-cache.js';
import { Statements } from '../../database/statements.js';
import { type Admission, judgeAdmission } from '../admission/admission.rules.js';
import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';
import { EnrollmentService } from './enrollment.service.js';
import { epochMs } from '../enrollments/epoch-ms.js';

interface Person {
  readonly isActive: boolean;
  readonly emailVerified: boolean;
  /** Unix milliseconds. */
  readonly validFrom: number;
  readonly enrollments: ReadonlyMap<string, { readonly status: EnrollmentStatus; readonly validFrom: number }>;
}

interface Row extends Record<string, unknown> {
  is_active: boolean;
  email_verified: boolean;
  valid_from: number;
  held: { app_id: string; status: EnrollmentStatus; valid_from: number }[];
}

const PERSON = {
  name: 'enrollment.person',
  text: `
    SELECT u.is_active, u.email_verified, ${epochMs('u.tokens_valid_from')} AS valid_from,
           coalesce((SELECT json_agg(json_build_object('app_id', e.app_id, 'status', e.status,
                                                       'valid_from', ${epochMs('e.tokens_valid_from')}))
                     FROM enrollments e WHERE e.user_id = u.id), '[]') AS held
    FROM users u WHERE u.id = $1`,
};

/**
 * Whether the bearer of an access token may still enter its app: asked by every /token/verify and /userinfo, so kept
 * in memory per user and forgotten when the user or an enrollment of theirs changes, in every process.
 */
@Injectable()
export class EntryCache {
  private readonly people: NotifiedCache<Person | null>;

  constructor(
    listener: NotificationListener,
    private readonly statements: Statements,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
  ) {
    this.people = new NotifiedCache(listener, new Set(['people']), (userId) => this.load(userId));
  }

  /** @param signedInAtMs see `signedInAtMs`; a token from before a reset or a reactivation no longer admits */
  async admission(userId: string, appId: string, signedInAtMs: number): Promise<Admission> {
    const [person, client] = await Promise.all([this.people.get(userId), this.directory.findOfAnyOrigin(appId)]);
    if (!person || isEnded(person, signedInAtMs)) return 'user_inactive';
    if (!client) return 'app_closed';
    // Authority may open a Console app, and is never remembered.
    if (client.app.isConsoleApp && !isOutlived(person, appId, signedInAtMs))
      return (await this.enrollment.admit({ id: userId, isActive: person.isActive }, client)).admission;
    return judge(person, client, signedInAtMs, await this.isOutsider(person, client));
  }

  /** The same where memory alone tells; null: ask there. */
  knownAdmission(userId: string, appId: string, signedInAtMs: number): Admission | null {
    const person = this.people.known(userId);
    const client = this.directory.known(appId);
    if (!person || !client || isEnded(person, signedInAtMs) || client.app.isConsoleApp) return null;
    return judge(person, client, signedInAtMs, false);
  }

  /** See `AdmissionFacts`. */
  private async isOutsider({ enrollments }: Person, { app }: RegisteredClient): Promise<boolean> {
    if (!isSelfRegistered(app)) return false;
    const active = [...enrollments].filter(([, { status }]) => status === 'active').map(([appId]) => appId);
    const clients = await Promise.all(active.map((appId) => this.directory.find(appId)));
    return !clients.some((client) => client?.app.isActive && client.app.tenantId === app.tenantId);
  }

  /** Whether a suspension in this app, over by now, has ended the tokens of that time. @param signedInAtMs see `signedInAtMs` */
  async isOutlived(userId: string, appId: string, signedInAtMs: number): Promise<boolean> {
    const person = await this.people.get(userId);
    return person !== null && isOutlived(person, appId, signedInAtMs);
  }

  /** As it is now, whatever a token says. */
  async hasProvenEmail(userId: string): Promise<boolean> {
    return (await this.people.get(userId))?.emailVerified ?? false;
  }

  /** The same where memory alone tells. */
  isKnownToHaveProvenEmail(userId: string): boolean {
    return this.people.known(userId)?.emailVerified ?? false;
  }

  /** For the process that has just committed a change: its own next request must see it. */
  forget(userId: string): void {
    this.people.forget(userId);
  }

  private async load(userId: string): Promise<Person | null> {
    const [row] = await this.statements.run<Row>(PERSON, [userId]);
    if (!row) return null;
    const enrollments = row.held.map(
      (each) => [each.app_id, { status: each.status, validFrom: each.valid_from }] as const,
    );
    return {
      isActive: row.is_active,
      emailVerified: row.email_verified,
      validFrom: row.valid_from,
      enrollments: new Map(enrollments),
    };
  }
}

function isEnded({ validFrom }: Person, signedInAtMs: number): boolean {
  return signedInAtMs < validFrom;
}

function isOutlived({ enrollments }: Person, appId: string, signedInAtMs: number): boolean {
  const enrollment = enrollments.get(appId);
  return enrollment !== undefined && signedInAtMs < enrollment.validFrom;
}

function judge(person: Person, client: RegisteredClient, signedInAtMs: number, isOutsider: boolean): Admission {
  const { app, tenant, isOpen } = client;
  return judgeAdmission({
    userIsActive: person.isActive,
    // Also where its tenant no longer takes clients of its host.
    appIsOn: app.isActive && (isOpen || !isSelfRegistered(app)),
    tenantIsOn: tenant.isActive,
    enrollment: isOutlived(person, app.id, signedInAtMs) ? null : (person.enrollments.get(app.id) ?? null),
    emailMissing: app.config.require_verified_email && !person.emailVerified,
    isOutsider,
    console: null,
  });
}
