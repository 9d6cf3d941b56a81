/**
 * Acceptance checks as a person sees them: the page grows while commands run, and says by itself
 * how they ended.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, claim, git, startForge, visitor, withToken } from './forge.ts'

test('output shows as it is written, what changes shows without reloading, and without a script the page is whole', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  const token = await claim(page, forge)
  const ask = api(forge, token)
  await ask('POST', '/v1/workspaces', { slug: 'bakery' })
  await ask('POST', '/v1/repos', { workspace: 'bakery', name: 'oven', private: false })
  const work = mkdtempSync(join(tmpdir(), 'hearth-checks-'))
  const remote = `${withToken(forge.url, token)}/bakery/oven.git`
  await git(work, 'init', '-q', '-b', 'main')
  writeFileSync(join(work, 'a.txt'), 'a\n')
  await git(work, 'add', '.')
  await git(work, 'commit', '-qm', 'First')
  await git(work, 'push', '-q', remote, 'main', 'main:feature')
  writeFileSync(join(work, 'a.txt'), 'b\n')
  await git(work, 'commit', '-qam', 'Second')
  await git(work, 'push', '-q', remote, 'HEAD:feature', 'HEAD:endless')
  const checked = async (branch: string, checks: string[]): Promise<string> => {
    const issue = await ask('POST', '/v1/repos/bakery/oven/issues', { title: 'Checked', checks })
    const { number } = issue.body as { number: number }
    const made = await ask('POST', '/v1/repos/bakery/oven/pulls', { issue: number, branch })
    const { pull } = made.body as { pull: { number: number } }
    return `${forge.url}/bakery/oven/pull/${pull.number}/checks`
  }
  const address = await checked('feature', [
    'cat a.txt',
    'for i in 1 2 3 4 5 6; do echo "line $i"; sleep 1; done; exit 3',
  ])

  await page.goto(address)
  const opened = await page.evaluate(() => performance.timeOrigin)
  await page.getByText('line 2').waitFor()
  await page.getByText('line 4').waitFor()
  await page.getByRole('heading', { name: 'Checks failed' }).waitFor()
  expect(await page.locator('.check-log').last().textContent()).toContain('line 6')
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(opened)
  expect(problems).toEqual([])

  const plain = await visitor({ javaScript: false })
  await plain.page.goto(address)
  expect(await plain.page.textContent('#checks')).toContain('line 6')

  await page.goto(await checked('endless', ['echo begun; sleep 600']))
  for (const isFirst of [true, false]) {
    // The page of checks that have ended does not listen. Running them again makes it listen.
    if (!isFirst) {
      await page.reload()
      await page.click('text=Run again')
    }
    await page.getByRole('heading', { name: 'Checks are running' }).waitFor()
    await page.locator('.check-log', { hasText: 'begun' }).waitFor()
    await page.click('text=Cancel')
    await page.getByText('Cancelled by ada.').waitFor()
  }
  expect(problems).toEqual([])
  expect(await forge.stop()).toBe(0)
  rmSync(work, { recursive: true, force: true })
  forge.remove()
}, 120_000)
