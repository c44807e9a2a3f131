import * as asyncHooks from 'node:async_hooks';
import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as net from 'node:net';
import { dirname, join } from 'node:path';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

/*
 * Stands in for the package's own loading, not for its code. @nestjs/throttler is CommonJS and requires @nestjs/common,
 * which is ESM: Node can do that from 20.19 on, jest only on Node 24.9. So its unchanged files are evaluated here with
 * the ESM namespaces that the tests use as well. To be removed with Node 20.
 */
const given = { '@nestjs/common': common, '@nestjs/core': core, async_hooks: asyncHooks, net, 'node:crypto': crypto };
const folder = dirname(createRequire(import.meta.url).resolve('@nestjs/throttler/dist/index.js'));
const loaded = new Map();

function load(file) {
  const known = loaded.get(file);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(file, module);
  const source = readFileSync(join(folder, file), 'utf8');
  const require = (id) => given[id] ?? load(`${id.slice(2)}.js`);
  new Function('exports', 'require', 'module', source)(module.exports, require, module);
  return module.exports;
}

export const { ThrottlerGuard, ThrottlerModule, ThrottlerStorage, getOptionsToken, getStorageToken } = load('index.js');
