import { describe, expect, it } from '@jest/globals';
import { readStoredPassword, standardPasswordString, storablePassword } from '../../../src/crypto/password-string.js';
import { FOREIGN_HASHES } from '../../support/foreign-hashes.js';

const SALT = 'c29tZXNhbHQ';
const KEY = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const BCRYPT_TAIL = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

describe('Imported password string', () => {
  it.each(FOREIGN_HASHES.map(({ name, hash }) => [name, hash]))(
    'of %s can be stored, and is exported unchanged',
    (_, hash) => {
      const stored = storablePassword(hash)!;
      expect(readStoredPassword(stored)).not.toBeNull();
      expect(standardPasswordString(stored)).toBe(hash);
      expect(storablePassword(standardPasswordString(stored))).toBe(stored);
    },
  );

  it.each([
    ['4 GiB of argon2 memory', `$argon2id$v=19$m=4194304,t=1,p=1$${SALT}$${KEY}`],
    ['just more memory than the bound', `$argon2id$v=19$m=262145,t=1,p=1$${SALT}$${KEY}`],
    ['many passes over much memory', `$argon2id$v=19$m=262144,t=5,p=1$${SALT}$${KEY}`],
    ['2³² passes', `$argon2id$v=19$m=64,t=4294967295,p=1$${SALT}$${KEY}`],
    ['255 lanes', `$argon2id$v=19$m=65536,t=1,p=255$${SALT}$${KEY}`],
    ['no pass', `$argon2id$v=19$m=65536,t=0,p=1$${SALT}$${KEY}`],
    ['less memory than its lanes need', `$argon2id$v=19$m=15,t=1,p=2$${SALT}$${KEY}`],
    ['argon2d', `$argon2d$v=19$m=65536,t=2,p=1$${SALT}$${KEY}`],
    ['an argon2 version of the future', `$argon2id$v=20$m=65536,t=2,p=1$${SALT}$${KEY}`],
    ['a parameter nobody knows', `$argon2id$v=19$m=65536,t=2,p=1,keyid=1$${SALT}$${KEY}`],
    ['a parameter twice', `$argon2id$v=19$m=65536,t=2,p=1,t=2$${SALT}$${KEY}`],
    ['a parameter missing', `$argon2id$v=19$m=65536,t=2$${SALT}$${KEY}`],
    ['a parameter with a leading zero', `$argon2id$v=19$m=065536,t=2,p=1$${SALT}$${KEY}`],
    ['a negative parameter', `$argon2id$v=19$m=65536,t=-2,p=1$${SALT}$${KEY}`],
    ['a hash of four bytes', `$argon2id$v=19$m=65536,t=2,p=1$${SALT}$AAAAAA`],
    ['no hash', `$argon2id$v=19$m=65536,t=2,p=1$${SALT}`],
    ['padded base64', `$argon2id$v=19$m=65536,t=2,p=1$${SALT}=$${KEY}`],
    ['base64 with stray bits', `$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHR$${KEY}`],
    ['scrypt over 512 MiB', `$scrypt$ln=19,r=8,p=1$${SALT}$${KEY}`],
    ['scrypt with a large block', `$scrypt$ln=10,r=1048576,p=1$${SALT}$${KEY}`],
    ['scrypt many times over', `$scrypt$ln=18,r=8,p=16$${SALT}$${KEY}`],
    ['scrypt beyond a number', `$scrypt$ln=9999999999,r=8,p=1$${SALT}$${KEY}`],
    ['scrypt without a block', `$scrypt$ln=14,r=0,p=1$${SALT}$${KEY}`],
    ['pbkdf2 with 2³¹ iterations', `$pbkdf2-sha256$2147483647$${SALT}$${KEY}`],
    ['pbkdf2 with a handful of iterations', `$pbkdf2-sha256$999$${SALT}$${KEY}`],
    ['pbkdf2 whose length is another', `$pbkdf2-sha256$i=29000,l=64$${SALT}$${KEY}`],
    ['pbkdf2 over SHA-1', `$pbkdf2-sha1$29000$${SALT}$${KEY}`],
    ['bcrypt of cost 31', `$2b$31$${BCRYPT_TAIL}`],
    ['bcrypt of cost 16', `$2b$16$${BCRYPT_TAIL}`],
    ['bcrypt of cost 03', `$2b$03$${BCRYPT_TAIL}`],
    ['the broken bcrypt $2x$', `$2x$10$${BCRYPT_TAIL}`],
    ['bcrypt with a character short', `$2b$10$${BCRYPT_TAIL.slice(1)}`],
    ['our inner mark', `$cut$2b$10$${BCRYPT_TAIL}`],
    ['MD5', '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/'],
    [
      'SHA-512 crypt',
      '$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/',
    ],
    ['a plain password', 'correct horse battery staple'],
    ['nothing', ''],
    ['a novel', `$argon2id$v=19$m=65536,t=2,p=1$${SALT}$${'A'.repeat(100_000)}`],
  ])('with %s is rejected', (_, text) => {
    expect(storablePassword(text)).toBeNull();
  });

  it('of our own export of a long password is imported unchanged', () => {
    const own = `$sha384$2b$12$${BCRYPT_TAIL}`;
    expect(storablePassword(own)).toBe(own);
    expect(standardPasswordString(own)).toBe(own);
  });
});
