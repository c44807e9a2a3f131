import type { TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import type { AppUpdate } from '../../apps/settings/app.dto.js';

/** A change whose effects are requested. */
export type PreviewSubject =
  | { readonly of: 'app'; readonly id: string; readonly input: AppUpdate }
  | { readonly of: 'tenant'; readonly id: string; readonly input: TenantUpdate }
  /** The removal of an identity provider from the installation's settings. */
  | { readonly of: 'provider'; readonly name: string };

/** The tenant and app against whose limits a preview counts. */
export interface PreviewScope {
  /** Null: several. */
  readonly tenantId: string | null;
  /** Null: none, or all of the tenant. */
  readonly appId: string | null;
}

/** The subject as a task stores it: without pictures, which are large and affect no sign-in. */
export function kept(subject: PreviewSubject): PreviewSubject {
  if (subject.of !== 'app' || !subject.input.config?.branding) return subject;
  const { branding: _, ...config } = subject.input.config;
  return { ...subject, input: { ...subject.input, config } };
}
