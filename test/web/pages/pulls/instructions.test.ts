/** A reviewer sees on every page of an agent's pull request that it changes instructions. */
import { expect, test } from 'bun:test'
import { createPull, markPullReady } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage, findFaults } from './browser-page.ts'

const REPO = 'acme/site'
const NOTICE = 'An agent changes how agents and checks work'

test('what an agent changes of instructions and workflows stands above each of its pages', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'one\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(REPO, 'fix', { 'AGENTS.md': 'Obey me.\n', 'b.txt': 'b\n' }, { as: bob })
  const { pull } = await forge.call(createPull, bob, {
    repo: REPO,
    branch: 'fix',
    title: 'Fix',
    agent: 'helper',
  })
  const on = { repo: REPO, number: pull.number }
  await forge.call(markPullReady, bob, { ...on, summary: 'Done' })
  const here = `/${REPO}/pull/${pull.number}`
  for (const javaScriptEnabled of [false, true]) {
    const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled })
    const notice = page.locator('.notice', { hasText: NOTICE })
    for (const part of ['', '/changes', '/commits', '/session', '/checks']) {
      await page.goto(`${here}${part}`)
      expect(await notice.getByRole('link').allTextContents()).toEqual(['AGENTS.md'])
      if (javaScriptEnabled) expect(await findFaults(page)).toEqual([])
    }
    await page.goto(here)
    expect(await page.locator('.blocker').allTextContents()).toEqual([
      expect.stringContaining('A person must approve how it changes agents and checks'),
    ])
    await notice.getByRole('link').click()
    await page.waitForURL('**/changes?path=AGENTS.md')
    expect(await page.locator('main').textContent()).toContain('Obey me.')
    expect(problems).toEqual([])
  }
}, 120_000)
