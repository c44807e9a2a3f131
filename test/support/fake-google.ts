import type { ProviderSettings } from '../../src/config/provider-settings.js';

/** Google is configured, and nobody is asked: for tests that never go there. */
export const FAKE_GOOGLE: ProviderSettings = {
  google: {
    clientId: 'client',
    clientSecret: 'secret',
    issuer: 'https://google.example',
    authorizationUrl: 'https://google.example/authorize',
    tokenUrl: 'https://google.example/token',
    userinfoUrl: 'https://google.example/userinfo',
    jwksUrl: 'https://google.example/keys',
  },
  microsoft: null,
  github: null,
  apple: null,
};
