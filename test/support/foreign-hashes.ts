export interface ForeignHash {
  readonly name: string;
  readonly password: string;
  readonly hash: string;
}

/** Published strings of other implementations, none made by the libraries that check them here. */
export const FOREIGN_HASHES: readonly ForeignHash[] = [
  {
    name: 'bcrypt $2a$ (crypt_blowfish, wrapper.c)',
    password: 'U*U',
    hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  },
  {
    name: 'bcrypt $2y$ (PHP manual, password_verify)',
    password: 'rasmuslerdorf',
    hash: '$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',
  },
  {
    name: 'argon2i (reference implementation, test.c)',
    password: 'password',
    hash: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  },
  {
    name: 'argon2id (reference implementation, test.c)',
    password: 'password',
    hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  },
  {
    name: 'argon2id with two lanes (reference implementation, test.c)',
    password: 'password',
    hash: '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
  },
  {
    name: 'scrypt (Passlib manual)',
    password: 'password',
    hash: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  },
  {
    name: 'scrypt of 64 bytes (RFC 7914, section 12)',
    password: 'pleaseletmein',
    hash: '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  },
  {
    name: 'pbkdf2-sha256 (Passlib manual)',
    password: 'toomanysecrets',
    hash: '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk',
  },
  {
    name: 'pbkdf2-sha256 in PHC form (the same, other spelling)',
    password: 'toomanysecrets',
    hash: '$pbkdf2-sha256$i=29000,l=32$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A+WF/Z5JZv+lfCIhXXN33N23OSgQYThBYRfk',
  },
  {
    name: 'pbkdf2-sha512 (Authelia manual)',
    password: 'insecure_secret',
    hash: '$pbkdf2-sha512$310000$c8p78n7pUMln0jzvd4aK4Q$JNRBzwAo0ek5qKn50cFzzvE9RXV88h1wJn5KGiHrD0YKtZaR/nCb2CJPOsKaPK0hjf.9yHxzQGZziziccp6Yng',
  },
];
