import { describe, expect, it } from '@jest/globals';
import { quickStart } from '../../../src/console/apps/quick-start.js';

const start = (redirectUri: string | null) => quickStart('https://id.example.com', 'the-app', redirectUri);

describe('Quick start of an app', () => {
  it('names the app’s own redirect URI', () => {
    expect(start('https://app.example.com/callback?a=b')).toContain(
      'https://id.example.com/login?app_id=the-app&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback%3Fa%3Db&state=<state>',
    );
    expect(start(null)).toContain('&redirect_uri=<redirect_uri>&state=');
  });

  it('asks for a code where an app on a device would get tokens otherwise', () => {
    expect(start('com.example.app:/callback')).toContain(
      '&redirect_uri=com.example.app%3A%2Fcallback&response_type=code&state=',
    );
    expect(start('http://127.0.0.1/callback')).not.toContain('response_type');
  });
});
