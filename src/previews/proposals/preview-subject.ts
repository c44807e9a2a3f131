import type { TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import type { AppUpdate } from '../../apps/settings/app.dto.js';

/** A change whose effects are asked for. */
export type PreviewSubject =
  | { readonly of: 'app'; readonly id: string; readonly input: AppUpdate }
  | { readonly of: 'tenant'; readonly id: string; readonly input: TenantUpdate }
  /** An identity provider that is taken out of the settings of the installation. */
  | { readonly of: 'provider'; readonly name: string };

/** Whom a preview concerns: its place is one of theirs. */
export interface PreviewedPlace {
  /** Null: more than one. */
  readonly tenantId: string | null;
  /** Null: none, or all of the tenant. */
  readonly appId: string | null;
}

/** The same as a task keeps it: without pictures, which are large and change no sign-in. */
export function kept(subject: PreviewSubject): PreviewSubject {
  if (subject.of !== 'app' || !subject.input.config?.branding) return subject;
  const { branding: _, ...config } = subject.input.config;
  return { ...subject, input: { ...subject.input, config } };
}
