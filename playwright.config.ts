import { defineConfig } from '@playwright/test'
import { CHROMIUM_FLAGS, findBrowser } from './scripts/find-browser.mjs'

// Both shells, one after the other: the machine of a continuous integration has two cores, and each test has a Chromium of its own or shares one.
// What lies in `trace` is drawn by the same renderer in both; it runs in the browser only.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  timeout: 120_000,
  expect: { timeout: 15_000 },
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ? [['list'], ['json']] : [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    launchOptions: { executablePath: findBrowser(), args: [...CHROMIUM_FLAGS] },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
  projects: [
    // What axe says of a page does not depend on the shell around it.
    { name: 'desktop', testMatch: /(desktop|views)\/.*\.spec\.ts$/, grepInvert: /axe|accessibility/ },
    { name: 'browser', testMatch: /(browser|views|trace)\/.*\.spec\.ts$/ },
  ],
})
