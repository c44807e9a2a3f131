import { describe, expect, it } from '@jest/globals';
import type { App } from '../../../../src/apps/app/app.entity.js';
import { appLink } from '../../../../src/apps/directory/app-link.js';
import type { AppOrigin } from '../../../../src/apps/app/app-origin.rules.js';

describe('Link to an app', () => {
  const linkTo = (origin: AppOrigin) => {
    const app = { origin, isConsoleApp: false, config: { initiate_login_uri: null } } as App;
    return appLink(
      { app, redirectUris: ['https://shop.example/callback'] },
      'https://id.example.com',
      'ada@example.com',
    );
  };

  it('leads to the home page of an app that an operator has made', () => {
    expect(linkTo('operator')).toEqual({ href: 'https://shop.example/', beginsSignIn: false });
  });

  it.each(['metadata_document', 'dynamic_registration'] as const)('is not offered to a client by %s', (origin) => {
    expect(linkTo(origin)).toBeNull();
  });
});
