import * as fs from 'node:fs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { dirname, join, normalize } from 'node:path';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

/*
 * As throttler-for-jest.js: the package's unchanged files, evaluated with the ESM namespaces that the tests use as well,
 * because jest on Node 20 lets no CommonJS file require an ES module. To be removed with Node 20.
 */
// Its own name is mapped to this file, its subpaths are not.
const adapter = createRequire(import.meta.url).resolve('@nestjs-modules/mailer/adapters/handlebars.adapter');
const entry = join(dirname(adapter), '..', 'index.js');
const given = { '@nestjs/common': common, '@nestjs/core': core, 'node:fs': fs, 'node:path': path };
const folder = dirname(entry);
const outside = createRequire(entry);
const loaded = new Map();

function load(file) {
  const known = loaded.get(file);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(file, module);
  const source = readFileSync(join(folder, file), 'utf8');
  const require = (id) =>
    given[id] ?? (id.startsWith('.') ? load(`${normalize(join(dirname(file), id))}.js`) : outside(id));
  new Function('exports', 'require', 'module', source)(module.exports, require, module);
  return module.exports;
}

export const { MailerModule, MailerService } = load('index.js');
