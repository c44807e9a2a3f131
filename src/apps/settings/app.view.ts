import { ApiProperty } from '@nestjs/swagger';
import {
  APP_AUTHENTICATION_METHODS,
  CLIENT_TYPES,
  type AppAuthenticationMethod,
  type ClientType,
  DEFAULT_BRANDING,
  DEFAULT_CONFIG,
  REQUEST_NOTICE_MODES,
  type RequestNoticeMode,
} from '../app/app-config.js';
import { APP_ORIGINS, type AppOrigin } from '../app/app-origin.rules.js';
import { pictureFields } from './app-pictures.js';
import type { App } from '../app/app.entity.js';
import type { ClientKeySet } from '../app/client-keys.rules.js';
import { redirectUrisOf } from '../app/redirect-uri.rules.js';

export class BrandingView {
  @ApiProperty({ example: '#2563eb' }) primary_color: string;
  @ApiProperty({ type: String, nullable: true }) logo_url: string | null;
  @ApiProperty() logo_height: number;
  @ApiProperty({ type: String, nullable: true, description: 'Terms of service' }) tos_uri: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Privacy policy' }) policy_uri: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Where users find help' }) support_uri: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Uploaded logo as a data URI' }) logo_data: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Uploaded logo for the dark theme as a data URI' })
  dark_logo_data: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Uploaded favicon as a data URI' })
  favicon_data: string | null;
}

export class ConfigView {
  @ApiProperty({ type: [String] }) allowed_providers: string[];
  @ApiProperty({ type: [String] }) redirect_uris: string[];
  @ApiProperty({ type: [String] }) post_logout_redirect_uris: string[];
  @ApiProperty({ type: String, nullable: true }) initiate_login_uri: string | null;
  @ApiProperty({ type: String, nullable: true }) backchannel_logout_uri: string | null;
  @ApiProperty({ type: [String] }) available_roles: string[];
  @ApiProperty({ type: [String] }) auto_assign_roles: string[];
  @ApiProperty() token_lifetime_minutes: number;
  @ApiProperty() refresh_lifetime_days: number;
  @ApiProperty({ minimum: 0, maximum: 60 }) refresh_grace_seconds: number;
  @ApiProperty({ enum: CLIENT_TYPES, nullable: true }) client_type: ClientType | null;
  @ApiProperty({ enum: APP_AUTHENTICATION_METHODS, nullable: true, description: 'null: the client secret' })
  token_endpoint_auth_method: AppAuthenticationMethod | null;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'Public keys (RFC 7517)' })
  jwks: ClientKeySet | null;
  @ApiProperty({ type: String, nullable: true }) jwks_uri: string | null;
  @ApiProperty() require_pkce: boolean;
  @ApiProperty() require_par: boolean;
  @ApiProperty() dpop_bound_access_tokens: boolean;
  @ApiProperty({ description: 'Users are asked for consent' }) third_party: boolean;
  @ApiProperty({ description: 'Devices without a browser can start sign-ins (RFC 8628)' }) device_grant: boolean;
  @ApiProperty({ type: [String], description: 'Protected resources that it can request tokens for (RFC 8707)' })
  resources: string[];
  @ApiProperty({ description: 'Its server can exchange access tokens of users (RFC 8693)' }) token_exchange: boolean;
  @ApiProperty({ type: [String], description: 'Protected resources that this app serves' }) served_resources: string[];
  @ApiProperty() require_2fa: boolean;
  @ApiProperty({ description: 'Users get tokens only after they verify their e-mail address' })
  require_verified_email: boolean;
  @ApiProperty({ type: [String] }) android_apps: string[];
  @ApiProperty({ type: [String] }) apple_app_ids: string[];
  @ApiProperty({ enum: REQUEST_NOTICE_MODES }) request_notices: RequestNoticeMode;
  @ApiProperty() branding: BrandingView;
}

class PushStateView {
  @ApiProperty() enabled: boolean;
}

export class AppView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiProperty() bundle_id: string;
  @ApiProperty({ enum: ['open', 'approval', 'invite'] }) registration_policy: string;
  @ApiProperty({ type: [String] }) service_scopes: string[];
  @ApiProperty() is_console_app: boolean;
  @ApiProperty({
    enum: APP_ORIGINS,
    description: 'Who created the app. Any value but `operator`: a self-registered client',
  })
  origin: AppOrigin;
  @ApiProperty() is_active: boolean;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) archived_at: string | null;
  @ApiProperty() config: ConfigView;
  @ApiProperty() push: PushStateView;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

export class AppWithSecretView extends AppView {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Shown only once; null for public and native apps, which have no secret',
  })
  client_secret: string | null;
}

/** What an app manager sees: enough to identify the app, without its settings. */
export class AppSummaryView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiProperty() is_active: boolean;
}

/** @param baseUrl of the service, from which the redirect URI of a Console app follows */
export function appView(app: App, baseUrl: string): AppView {
  return {
    id: app.id,
    name: app.name,
    tenant_id: app.tenantId,
    bundle_id: app.bundleId,
    registration_policy: app.registrationPolicy,
    service_scopes: app.serviceScopes,
    is_console_app: app.isConsoleApp,
    origin: app.origin,
    is_active: app.isActive,
    archived_at: app.archivedAt?.toISOString() ?? null,
    config: {
      ...DEFAULT_CONFIG,
      ...app.config,
      redirect_uris: [...redirectUrisOf(app, baseUrl)],
      branding: { ...DEFAULT_BRANDING, ...app.branding, ...pictureFields(app) },
    },
    push: { enabled: app.pushEnabled },
    created_at: app.createdAt.toISOString(),
    updated_at: app.updatedAt.toISOString(),
  };
}

export function appSummaryView(app: App): AppSummaryView {
  return { id: app.id, name: app.name, tenant_id: app.tenantId, is_active: app.isActive };
}
