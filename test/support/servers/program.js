import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PROGRAMS = {
  Redis: { variable: 'REDIS_SERVER_PATH', names: ['redis-server'], aptPackage: 'redis-server' },
  // Draws the same pages as Chromium without a user interface, for a third less processor time.
  'Chromium headless shell': {
    variable: 'CHROMIUM_SHELL_PATH',
    names: ['chromium-headless-shell', ...CHROMIUM],
    aptPackage: 'chromium-headless-shell',
  },
  Chromium: { variable: 'CHROMIUM_PATH', names: CHROMIUM, aptPackage: 'chromium' },
  curl: { variable: 'CURL_PATH', names: ['curl'], aptPackage: 'curl' },
  'Apache with mod_auth_openidc': {
    variable: 'APACHE_PATH',
    names: ['apache2', 'httpd'],
    aptPackage: 'libapache2-mod-auth-openidc',
    isComplete: () => apacheModules() !== null,
  },
};
const APACHE_MODULES = ['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules', '/usr/lib/httpd/modules'];
/** Not on every user's PATH, but every user may run it. */
const SERVERS = ['/usr/local/sbin', '/usr/sbin'];

export class MissingProgram extends Error {}

/**
 * Path of a program that the tests need: named by a variable, on the PATH, or installed now where that is possible
 * (root on Debian or Ubuntu). Never a silent skip: otherwise it throws and says what to install.
 */
export function findProgram(what) {
  const { variable, aptPackage } = PROGRAMS[what];
  const given = process.env[variable];
  if (given) {
    if (isProgram(given)) return given;
    throw new Error(`${variable} names no program: ${given}`);
  }
  const found = installed(what) ?? (mayInstall() ? install(what) : null);
  if (found) return found;
  throw new MissingProgram(`Install ${what} (Debian and Ubuntu: apt-get install ${aptPackage}), or set ${variable}.`);
}

/** The folder of Apache's modules, with that for OpenID Connect in it; null where it is in none. */
export function apacheModules() {
  return APACHE_MODULES.find((folder) => existsSync(join(folder, 'mod_auth_openidc.so'))) ?? null;
}

function installed(what) {
  const { names, isComplete = () => true } = PROGRAMS[what];
  return isComplete() ? onPath(names) : null;
}

function onPath(names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...SERVERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function mayInstall() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && onPath(['apt-get']) !== null;
}

function install(what) {
  const { variable, aptPackage } = PROGRAMS[what];
  console.error(`Installing ${what} with apt-get for the tests …`);
  // RUNLEVEL=1 keeps the package from starting its own service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...options) => spawnSync('apt-get', ['-qq', ...options], { env, stdio: ['ignore', 2, 2] }).status === 0;
  const done = run('update') && run('install', '-y', '--no-install-recommends', aptPackage);
  const found = installed(what);
  if (done && found) return found;
  throw new MissingProgram(`apt-get could not install ${aptPackage}: install it by hand, or set ${variable}.`);
}
