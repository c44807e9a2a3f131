export interface SetupFacts {
  /** Number of tenants in addition to the platform's own; null for operators who administer none. */
  readonly tenantCount: number | null;
  readonly isPlatformAdmin: boolean;
}

export interface SetupStep {
  readonly label: string;
  /** Null: a later step, on the pages of the app. */
  readonly href: string | null;
  readonly isDone: boolean;
}

/** The steps to the first sign-in, for administrators without an app. */
export function setupSteps({ tenantCount, isPlatformAdmin }: SetupFacts): SetupStep[] {
  if (tenantCount === null) return [];
  const hasTenant = tenantCount > 0;
  return [
    ...(isPlatformAdmin ? [{ label: 'Create a tenant', href: '/console/tenants/new', isDone: hasTenant }] : []),
    { label: 'Create an app', href: hasTenant ? '/console/apps/new' : null, isDone: false },
    { label: 'Register its redirect URI', href: null, isDone: false },
    { label: 'Add sign-in to your code, and test it', href: null, isDone: false },
    { label: 'Invite the first user', href: null, isDone: false },
  ];
}
