/** The folder on the screen, in both shells: sessions that appear, files that are damaged or hostile. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixture'
import { cliJson, makeSample, tempDir } from '../helpers'

test('an empty folder waits for a session and shows it when it is written', async ({ open }) => {
  const root = join(tempDir(), 'profile_output')
  mkdirSync(root)
  const { page } = await open(root)
  await expect(page.getByText('profile_output').first()).toBeVisible()
  await expect(page.getByText('trace.json')).toHaveCount(0)
  makeSample({ ranks: 1, steps: 1 }, root)
  await expect(page.getByRole('tree').getByText('trace.json').first()).toBeVisible()
  await expect(page.getByRole('tree').getByText('memory_snapshot_rank0.pickle').first()).toBeVisible()
})

interface Found {
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly offset: number | null }[]
}

test('a truncated and a hostile file say what is wrong with them, and the rest is shown', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 1 }, join(tempDir(), 'profile_output'))
  const instance = readdirSync(root)[0]!
  const session = join(root, instance, readdirSync(join(root, instance))[0]!)
  const trace = readFileSync(join(session, 'trace.json'))
  const cut = join(session, 'cut.pt.trace.json')
  writeFileSync(cut, trace.subarray(0, Math.floor(trace.length * 0.6)))
  // What `pickle.dumps` makes of an object whose __reduce__ is (os.system, ('touch FILE',)): reading it with Python would run the command.
  const ran = join(root, 'ran')
  const hostile = join(session, 'memory_snapshot_rank7.pickle')
  writeFileSync(hostile, `\x80\x02cposix\nsystem\nX${String.fromCharCode(`touch ${ran}`.length)}\0\0\0touch ${ran}\x85R.`, 'latin1')
  const said = (command: string, file: string): Found => {
    try {
      return cliJson<Found>(command, file)
    } catch (e) {
      // The command line ends with 1 where nothing could be read, and says why in its document all the same.
      return JSON.parse((e as { readonly stdout: string }).stdout) as Found
    }
  }
  const truncated = said('trace', cut).diagnostics[0]!
  const refused = said('snapshot', hostile).diagnostics
  const global = refused.find(d => d.message.includes('posix.system'))!
  expect(global.offset).not.toBeNull()

  const { page } = await open(root)
  const tree = page.getByRole('tree')
  await expect(tree.getByText('trace.json', { exact: true }).first()).toBeVisible()
  await expect(tree.getByText('truncated').first()).toBeVisible()
  await page.getByRole('button', { name: /^Diagnostics:? \d/ }).click()
  const panel = page.getByRole('complementary', { name: 'Diagnostics' })
  await expect(panel.getByText(truncated.message).first()).toBeVisible()
  await expect(panel.getByText(global.message).first()).toBeVisible()
  await expect(panel).toContainText('cut.pt.trace.json')
  await expect(panel).toContainText('memory_snapshot_rank7.pickle')
  expect(existsSync(ran)).toBe(false)
  // The good files are there all the same.
  await expect(page.getByRole('application', { name: /^System Trace, 0 ms to/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Memory Viewer' }).getByRole('combobox', { name: 'Rank' })).toHaveValue(/./)
})
