import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const nodeGlobals = ['process', 'console', 'Buffer', 'URL', 'URLSearchParams', 'fetch', 'performance', 'setTimeout'];
const moreNodeGlobals = [
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'AbortController',
  'structuredClone',
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.data/', 'node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: Object.fromEntries([...nodeGlobals, ...moreNodeGlobals].map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: {
      // With both flags consistent-type-imports leaves files with decorators alone: Nest injects by the imported value.
      parserOptions: { projectService: true, emitDecoratorMetadata: true, experimentalDecorators: true },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Nest modules are classes that only carry a decorator.
      '@typescript-eslint/no-extraneous-class': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/database/migrations/**'],
    rules: {
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', 60],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'BinaryExpression[operator=/^[!=]==$/] > MemberExpression[property.name=/^(detail|message)$/]',
          message: 'Compare the code of a refusal: sentences change, and are translated.',
        },
        {
          selector: 'MemberExpression[object.name="URL"][property.name="canParse"]',
          message: 'Use parseUrl: URL.canParse is wrong for letters such as ü in Node 20 and 22.',
        },
      ],
    },
  },
  // Entry points tell their addresses and faults on standard output.
  { files: ['src/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts'], rules: { 'no-console': 'off' } },
);
