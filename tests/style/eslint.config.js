// Lint rules. The strict type-checked set finds floating promises, the fault that loses data here.
import tseslint from 'typescript-eslint';

/** No clock and no dice in the pure rooms: both are arguments there. */
const ambientClock = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the instant as an argument.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the instant as an argument.',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take the random source as an argument.',
  },
];

/** V8 allocates such a function among old objects: all that it refers to is kept until all garbage is collected. */
const oldFunction = {
  selector:
    "AssignmentExpression[operator='='][left.type='MemberExpression'][right.type=/^(ArrowFunctionExpression|FunctionExpression)$/]",
  message: 'Make the function a constant and assign that: docs/decisions.md, "Heavy work".',
};

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '.node/**',
      '.data/**',
      'generated/**',
      'tests/style/planted/**',
      'tests/clients/packages/**',
      '**/*.js',
      '**/*.mjs',
      '**/*.cjs',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: `${import.meta.dirname}/../..` },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-console': 'error',
      // Express and winston hand their own classes about as interfaces.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300 }],
    },
  },
  {
    // A function fits on a screen, a file is one subject; without exception.
    files: ['src/**', 'tools/**'],
    rules: {
      'max-lines': ['error', { max: 250 }],
      'max-lines-per-function': ['error', { max: 60 }],
    },
  },
  {
    // A fixed value of a module is written in upper case; what is computed or called is not.
    files: ['src/**'],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'variable',
          modifiers: ['const', 'global'],
          types: ['number', 'string', 'boolean'],
          format: ['UPPER_CASE'],
        },
      ],
    },
  },
  { files: ['src/**'], rules: { 'no-restricted-syntax': ['error', oldFunction] } },
  {
    files: ['src/domain/**', 'src/simulation/**', 'src/webhooks/**'],
    rules: { 'no-restricted-syntax': ['error', oldFunction, ...ambientClock] },
  },
  {
    files: ['src/**'],
    ignores: ['src/main.ts', 'src/cli/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Settings are read once, in src/main.ts and src/cli.',
        },
      ],
    },
  },
  {
    // Tests and the demo look into JSON answers of every shape.
    files: ['tests/**', 'tools/demo/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
  { files: ['src/cli/**', 'tools/**', 'bench/**', 'tests/**'], rules: { 'no-console': 'off' } },
);
