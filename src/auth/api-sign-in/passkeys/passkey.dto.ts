import { Dict, Text, Uuid } from '../../../common/validation/fields.js';

export class PasskeyOptionsRequest {
  @Uuid()
  app_id: string;
}

export class PasskeyRegistrationRequest {
  @Uuid()
  app_id: string;

  @Dict({ description: 'RegistrationResponseJSON (WebAuthn Level 3)' })
  credential: Record<string, unknown>;
}

export class PasskeyLoginRequest {
  @Uuid()
  app_id: string;

  @Dict({ description: 'AuthenticationResponseJSON (WebAuthn Level 3)' })
  credential: Record<string, unknown>;

  @Text({
    optional: true,
    nullable: true,
    max: 256,
    description: 'A stable id of the client; the refresh tokens are bound to it',
  })
  device_id?: string | null;
}
