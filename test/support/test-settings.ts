import { readEnvironment } from '../../src/config/env.js';
import type { Settings } from '../../src/config/settings.js';
import { environmentVariable } from './environment-variable.js';
import { sharedDatabaseUrl } from './test-database.js';

/** The environment that a real process of the service is given in the tests. */
export function testEnvironment(): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    BASE_URL: 'http://127.0.0.1:3000',
    DATABASE_URL: sharedDatabaseUrl(),
    SECRET_KEY: environmentVariable('TEST_SECRET_KEY'),
    BCRYPT_COST: '4',
    // No balancer in front: e2e/operations/stopping.spec.ts sets it where there is one.
    SHUTDOWN_DELAY_SECONDS: '0',
    // Administrators of the tests sign in by password; what they need otherwise: e2e/second-factor/administrators.spec.ts.
    REQUIRE_ADMIN_2FA: 'false',
    // All tests share one address, and many one platform admin: what is counted by these would count them together.
    RATE_LIMITS:
      'login_ip=100000/900,code_failures=100000/900,invite_failures=100000/900,signup_ip=100000/3600,' +
      'forgot_password_ip=100000/900,reset_password_ip=100000/900,mail_ip=100000/900,login_page_ip=100000/60,oauth_start_ip=100000/60,passkey_ip=100000/60,denials=100000/60,user_list_export=100000/900,device_requests=100000/60,device_code_failures=100000/900',
  };
}

/** Read by the same code as in production. Without REDIS_URL queues, limits and caches live in the process. */
export function testSettings(overrides: Partial<Settings> = {}): Settings {
  const settings = readEnvironment({ ...testEnvironment(), REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'silent' });
  return Object.freeze({ ...settings, redisUrl: null, ...overrides });
}
