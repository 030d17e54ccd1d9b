import { defineConfig } from 'vitest/config'

// Unit tests stand beside the code they test. Coverage is printed for the rooms whose figures end up on the screen.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'scripts/**/*.test.ts'],
    testTimeout: 60_000,
    // By default one core is left free; on the two of a small machine the tests would run one after the other.
    maxWorkers: '100%',
    // Colours are read from the text of the tokens; other styles are left out as by default.
    css: { include: [/\/tokens\.css\?raw$/] },
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'json-summary'],
      include: ['src/formats/**/*.ts', 'src/session/**/*.ts', 'src/analysis/**/*.ts'],
      exclude: ['**/*.test.ts', '**/fixture*.ts', '**/*.bench.ts'],
    },
  },
})
