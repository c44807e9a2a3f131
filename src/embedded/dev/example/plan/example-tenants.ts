import type { AppConfig, RegistrationPolicy } from '../../../../apps/app/app-config.js';

export interface ExampleApp {
  readonly name: string;
  readonly bundleId: string;
  readonly policy: RegistrationPolicy;
  readonly color: string;
  readonly config: Partial<AppConfig>;
  /** Webhook of the app; null: push is off. Nothing is sent to it, because all messages are marked as done. */
  readonly webhook: { readonly url: string; readonly isFailing: boolean } | null;
}

export interface ExampleTenant {
  readonly name: string;
  readonly slug: string;
  readonly supportEmail: string;
  /** Indexes of the lists in EXAMPLE_NAMES for its users; its two administrators are from the first one. */
  readonly names: readonly number[];
  /** Network of its users, for documentation (RFC 5737), without the last number. */
  readonly network: string;
  readonly utcOffsetHours: number;
  /** Messages of users who request access. */
  readonly messages: readonly string[];
  readonly apps: readonly ExampleApp[];
}

const PASSWORD_AND_LINK = { allowed_providers: ['password', 'magic_link'] };
const EVERYTHING = { allowed_providers: ['password', 'magic_link', 'google', 'github'] };

/** Three tenants with eight apps. All domain names are reserved by RFC 2606. */
export const EXAMPLE_TENANTS: readonly ExampleTenant[] = [
  {
    name: 'Northwind Travel',
    slug: 'northwind-travel',
    supportEmail: 'help@northwind.example',
    names: [1, 3, 9, 10],
    network: '192.0.2',
    utcOffsetHours: 1,
    messages: [
      'I work with Priya in the Lisbon office and need to see our invoices.',
      'Guten Tag, ich vertrete ab Montag Herrn Größl und brauche bitte Zugang. Vielen Dank!',
      'أحتاج إلى الوصول لمتابعة طلبات القسم.',
      'New here.',
      'We spoke on the phone yesterday. You said that I should ask here, and that it would take a day at most. I look after the contracts of the harbour hotels, and without access I cannot confirm the rooms for the groups that arrive next week. If anything is missing, please write to me rather than to my colleague, because she is away until the end of the month. My manager knows about this request and will confirm it if you ask. Thank you for your help, and sorry for the long text!',
    ],
    apps: [
      {
        name: 'Bookings',
        bundleId: 'example.northwind.bookings',
        policy: 'open',
        color: '#0f766e',
        config: { ...EVERYTHING, redirect_uris: ['https://bookings.northwind.example/callback'] },
        webhook: { url: 'https://bookings.northwind.example/hooks/push', isFailing: false },
      },
      {
        name: 'Partner portal',
        bundleId: 'example.northwind.partners',
        policy: 'approval',
        color: '#7c3aed',
        config: {
          ...PASSWORD_AND_LINK,
          redirect_uris: ['https://partners.northwind.example/callback'],
          available_roles: ['user', 'manager', 'admin', 'accounting'],
        },
        webhook: { url: 'https://partners.northwind.example/hooks/push', isFailing: true },
      },
      {
        name: 'Crew',
        bundleId: 'example.northwind.crew',
        policy: 'invite',
        color: '#b45309',
        config: { ...PASSWORD_AND_LINK, redirect_uris: ['example.northwind.crew:/callback'], require_2fa: true },
        webhook: null,
      },
    ],
  },
  {
    name: 'さくら医療センター',
    slug: 'sakura-medical',
    supportEmail: 'support@sakura.example',
    names: [5, 4, 6, 11],
    network: '203.0.113',
    utcOffsetHours: 9,
    messages: [
      'お世話になっております。四月から内科に配属されました。アクセス権の付与をお願いいたします。',
      '新しく入りました。よろしくお願いします。',
    ],
    apps: [
      {
        name: '予約',
        bundleId: 'example.sakura.appointments',
        policy: 'open',
        color: '#be185d',
        config: { ...EVERYTHING, redirect_uris: ['https://yoyaku.sakura.example/callback'] },
        webhook: { url: 'https://yoyaku.sakura.example/hooks/push', isFailing: false },
      },
      {
        name: 'スタッフポータル',
        bundleId: 'example.sakura.staff',
        policy: 'approval',
        color: '#1d4ed8',
        config: { ...PASSWORD_AND_LINK, redirect_uris: ['https://staff.sakura.example/callback'] },
        webhook: null,
      },
    ],
  },
  {
    name: 'Énergie Boréale',
    slug: 'energie-boreale',
    supportEmail: 'aide@boreale.example',
    names: [0, 2, 7, 8],
    network: '198.51.100',
    utcOffsetHours: 1,
    messages: [
      'Bonjour, je suis stagiaire à l’atelier jusqu’en août.',
      'Здравствуйте! Мне нужен доступ к отчётам за прошлый квартал.',
      'Jeg har fått nytt ansvar og trenger tilgang. Takk!',
    ],
    apps: [
      {
        name: 'Mon compteur',
        bundleId: 'example.boreale.meter',
        policy: 'open',
        color: '#15803d',
        config: { ...EVERYTHING, redirect_uris: ['https://compteur.boreale.example/callback'] },
        webhook: null,
      },
      {
        name: 'Atelier',
        bundleId: 'example.boreale.workshop',
        policy: 'approval',
        color: '#c2410c',
        config: { ...PASSWORD_AND_LINK, redirect_uris: ['https://atelier.boreale.example/callback'] },
        webhook: null,
      },
      {
        name: 'Лаборатория',
        bundleId: 'example.boreale.lab',
        policy: 'invite',
        color: '#334155',
        config: { ...PASSWORD_AND_LINK, redirect_uris: ['https://lab.boreale.example/callback'] },
        webhook: null,
      },
    ],
  },
];

/** Shows whether the data exists. Bundle ids are unique, so it can be created only once. */
export const FIRST_BUNDLE_ID = EXAMPLE_TENANTS[0]!.apps[0]!.bundleId;
