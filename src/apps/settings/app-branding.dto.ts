import { Text, Whole } from '../../common/validation/fields.js';

const HTTPS_ADDRESS = /^https:\/\/[^\s"'<>\\]+$/;

/** An image as a data URI, of at most 192 KB. */
const PICTURE = {
  optional: true,
  nullable: true,
  max: 262_144,
  pattern: /^data:image\/(?:png|jpeg|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/,
} as const;

export class BrandingInput {
  @Text({ optional: true, max: 7, pattern: /^#[0-9a-fA-F]{6}$/, example: '#2563eb' })
  primary_color?: string;

  @Text({
    optional: true,
    nullable: true,
    max: 2048,
    pattern: HTTPS_ADDRESS,
    description:
      'https address. The picture there is fetched when it is saved and shown as our own copy; browsers do not request it',
  })
  logo_url?: string | null;

  @Whole({ optional: true, min: 16, max: 256, description: 'Pixels' })
  logo_height?: number;

  @Text({
    optional: true,
    nullable: true,
    max: 2048,
    pattern: HTTPS_ADDRESS,
    description: 'Terms of service (RFC 7591)',
  })
  tos_uri?: string | null;

  @Text({ optional: true, nullable: true, max: 2048, pattern: HTTPS_ADDRESS, description: 'Privacy policy (RFC 7591)' })
  policy_uri?: string | null;

  @Text({ optional: true, nullable: true, max: 2048, pattern: HTTPS_ADDRESS, description: 'Where users find help' })
  support_uri?: string | null;

  @Text({
    ...PICTURE,
    description: 'An image as a data URI; stored as a PNG of at most 256 pixels. Omitted or null: the logo is kept',
  })
  logo_data?: string | null;

  @Text({
    ...PICTURE,
    description:
      'The same for dark pages, instead of the logo. Without a logo it is not shown. Omitted or null: it is kept',
  })
  dark_logo_data?: string | null;

  @Text({
    ...PICTURE,
    description:
      'Icon of the hosted pages as a data URI; stored as a PNG of at most 64 pixels. Omitted or null: it is kept',
  })
  favicon_data?: string | null;
}
