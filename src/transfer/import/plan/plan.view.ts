import { ApiProperty } from '@nestjs/swagger';
import type { AccountOutcome } from '../document/account.rules.js';
import type { ChosenBundleId } from '../document/bundle-ids.js';
import type { ImportDocument } from '../document/import-document.js';
import type { PredictedSignIns } from './import-sign-ins.js';
import { reasonOf } from '../writing/import.view.js';

class PlannedTenant {
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true, description: 'null if it is taken or missing: a new one is created' })
  slug: string | null;
}

class PlannedApp {
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true, description: 'null: a new one is created' }) bundle_id: string | null;
}

class PlannedUser {
  @ApiProperty() email: string;
  @ApiProperty({ description: 'Name in the document' }) display_name: string;
  @ApiProperty({ type: [String], description: 'Names of the apps' }) apps: string[];
  @ApiProperty({ required: false, enum: ['email_not_verified', 'account_elsewhere'] }) reason?: string;
}

class PlannedChange {
  @ApiProperty({ type: [PlannedTenant] }) tenants: PlannedTenant[];
  @ApiProperty({ type: [PlannedApp] }) apps: PlannedApp[];
  @ApiProperty({ type: [PlannedUser] }) users: PlannedUser[];
}

class PlannedPasskeys {
  @ApiProperty() create: number;
  @ApiProperty({ description: 'Passkeys of another host than that of BASE_URL, which browsers do not offer here' })
  other_host: number;
}

class PlannedResources {
  @ApiProperty({ type: [String], description: 'Identifiers' }) create: string[];
  @ApiProperty({ type: [String], description: 'Identifiers that another tenant already has; they are left out' })
  taken: string[];
}

class ForeseenUser {
  @ApiProperty() email: string;
  @ApiProperty({ description: 'Name of the app' }) app: string;
  @ApiProperty({ description: 'The rule of sign-in that decides', example: 'method_allowed' }) rule: string;
}

class ForeseenSignInView {
  @ApiProperty({
    enum: ['shut_out', 'verify_email', 'set_up_second_factor'],
    description:
      'Effect, as in the preview of an update: cannot sign in, must verify the address, must set up a second factor',
  })
  effect: string;
  @ApiProperty({ description: 'Number of memberships' }) count: number;
  @ApiProperty({ type: [ForeseenUser], description: 'The first 50' }) users: ForeseenUser[];
}

/** The result of an import. An import only creates tenants and apps; accounts may already exist. */
export class ImportPlanView {
  @ApiProperty() create: PlannedChange;
  @ApiProperty({ description: 'Existing accounts that are enrolled and otherwise unchanged' }) update: PlannedChange;
  @ApiProperty({ description: 'Existing accounts that are not enrolled, with the reason' })
  unchanged: PlannedChange;
  @ApiProperty({ required: false, description: 'Only if the document has any' }) passkeys?: PlannedPasskeys;
  @ApiProperty({ required: false, description: 'Protected resources of the tenant, only if the document has any' })
  resources?: PlannedResources;
  @ApiProperty({
    type: [ForeseenSignInView],
    description:
      'How the first sign-in after the import goes, judged by the rules of sign-in. Lists only users who cannot simply sign in',
  })
  sign_in: ForeseenSignInView[];
}

export function importPlanView(
  document: ImportDocument,
  facts: {
    readonly isSlugFree: boolean;
    readonly freeResources: readonly { readonly identifier: string }[];
    readonly bundleIds: readonly ChosenBundleId[];
    readonly outcomes: ReadonlyMap<string, AccountOutcome>;
    readonly signIns: readonly PredictedSignIns[];
    /** Whether a passkey of this host can be used here. */
    readonly isOfThisHost: (rpId: string) => boolean;
  },
): ImportPlanView {
  const { tenant, apps, accounts } = document;
  const appsOf = new Map<string, string[]>();
  for (const app of apps) {
    for (const { emailCanonical } of app.members) {
      const names = appsOf.get(emailCanonical);
      if (names) names.push(app.name);
      else appsOf.set(emailCanonical, [app.name]);
    }
  }
  const usersWhose = (isMeant: (outcome: AccountOutcome) => boolean): PlannedUser[] =>
    [...accounts].flatMap(([key, account]) => {
      const outcome = facts.outcomes.get(key)!;
      const reason = reasonOf(outcome);
      const planned = { email: account.email, display_name: account.displayName, apps: appsOf.get(key) ?? [] };
      return isMeant(outcome) ? [{ ...planned, ...(reason ? { reason } : {}) }] : [];
    });
  const passkeys = [...accounts].flatMap(([key, { passkeys: held }]) =>
    facts.outcomes.get(key) === 'create' ? (held?.credentials ?? []) : [],
  );
  const usable = passkeys.filter(({ rp_id: rpId }) => facts.isOfThisHost(rpId)).length;
  const resources = plannedResources(tenant?.resources ?? [], facts.freeResources);
  return {
    ...(resources ? { resources } : {}),
    ...(passkeys.length > 0 ? { passkeys: { create: usable, other_host: passkeys.length - usable } } : {}),
    create: {
      tenants: tenant ? [{ name: tenant.name, slug: facts.isSlugFree ? (tenant.slug ?? null) : null }] : [],
      apps: apps.map((app, index) => {
        const chosen = facts.bundleIds[index]!;
        return { name: app.name, bundle_id: chosen.isKept ? chosen.bundleId : null };
      }),
      users: usersWhose((outcome) => outcome === 'create'),
    },
    update: { tenants: [], apps: [], users: usersWhose((outcome) => outcome === 'enroll') },
    unchanged: { tenants: [], apps: [], users: usersWhose((outcome) => reasonOf(outcome) !== null) },
    sign_in: facts.signIns.map(({ effect, count, users }) => ({ effect, count, users: [...users] })),
  };
}

type Named = readonly { readonly identifier: string }[];

function plannedResources(wanted: Named, free: Named): PlannedResources | null {
  if (wanted.length === 0) return null;
  const create = free.map(({ identifier }) => identifier);
  return { create, taken: wanted.map(({ identifier }) => identifier).filter((each) => !create.includes(each)) };
}
