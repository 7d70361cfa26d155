import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/** The tests in headless Chromium alone. */
export default defineConfig({
  ...everything,
  test: { ...everything.test, include: ['tests/browser/**/*.test.ts'], exclude: ['**/node_modules/**'] },
});
