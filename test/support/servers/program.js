import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = {
  Redis: { variable: 'REDIS_SERVER_PATH', names: ['redis-server'], aptPackage: 'redis-server' },
  Chromium: {
    variable: 'CHROMIUM_PATH',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    aptPackage: 'chromium',
  },
  curl: { variable: 'CURL_PATH', names: ['curl'], aptPackage: 'curl' },
};

export class MissingProgram extends Error {}

/**
 * Path of a program that the tests need: named by a variable, on the PATH, or installed now where that is possible
 * (root on Debian or Ubuntu). Never a silent skip: otherwise it throws and says what to install.
 */
export function findProgram(what) {
  const { variable, names, aptPackage } = PROGRAMS[what];
  const given = process.env[variable];
  if (given) {
    if (isProgram(given)) return given;
    throw new Error(`${variable} names no program: ${given}`);
  }
  const found = onPath(names) ?? (mayInstall() ? install(what) : null);
  if (found) return found;
  throw new MissingProgram(`Install ${what} (Debian and Ubuntu: apt-get install ${aptPackage}), or set ${variable}.`);
}

function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
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
  const { variable, names, aptPackage } = PROGRAMS[what];
  console.error(`Installing ${what} with apt-get for the tests …`);
  // RUNLEVEL=1 keeps the package from starting a service of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...options) => spawnSync('apt-get', ['-qq', ...options], { env, stdio: ['ignore', 2, 2] }).status === 0;
  const installed = run('update') && run('install', '-y', '--no-install-recommends', aptPackage);
  const found = onPath(names);
  if (installed && found) return found;
  throw new MissingProgram(`apt-get could not install ${aptPackage}: install it by hand, or set ${variable}.`);
}
