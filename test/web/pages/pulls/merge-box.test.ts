/** The merge box says what a pull request needs, and what failed without being needed. */
import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/index.ts'
import { createPull, markPullReady, updatePull } from '#features/pulls/index.ts'
import { createBranch, updateRepoSettings } from '#features/repos/index.ts'
import { createRuleset } from '#features/rulesets/index.ts'
import { setCommitStatus } from '#features/statuses/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage, findFaults } from './browser-page.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'one\ntwo\nthree\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  const sha = await forge.commit(REPO, 'fix', { 'a.txt': 'one\n2\nthree\n' }, { as: bob })
  const { pull } = await forge.call(createPull, bob, { repo: REPO, branch: 'fix', title: 'Fix' })
  const on = { repo: REPO, number: pull.number }
  await forge.call(markPullReady, bob, { ...on, summary: 'Done' })
  const report = (context: string, state: 'success' | 'failure' | 'pending') =>
    forge.call(setCommitStatus, ada, { repo: REPO, sha, context, state })
  const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  const box = page.locator('.card:has(form[action$="/merge"])')
  const here = `/${REPO}/pull/${pull.number}`
  const open = async () => {
    await page.goto(here)
    return {
      title: (await box.locator('h2').textContent())?.trim(),
      optional: (
        await box.locator('ul[aria-label="Checks that are not required"] li').allTextContents()
      ).map((text) => text.replace(/\s+/g, ' ').trim()),
      button: (await box.locator('form[action$="/merge"] button').textContent())?.trim(),
    }
  }
  return { forge, ada, on, here, report, open, page, problems }
}

test('failed and running checks that no rule requires are named as such', async () => {
  const { forge, ada, report, open, problems } = await setUp()
  expect(await open()).toEqual({ title: 'Ready to merge', optional: [], button: 'Merge' })
  await report('lint', 'pending')
  await report('style', 'success')
  expect(await open()).toEqual({
    title: 'Ready to merge while checks that are not required run',
    optional: ['lint Not required'],
    button: 'Merge',
  })
  await report('size', 'failure')
  expect(await open()).toEqual({
    title: 'Ready to merge, but checks that are not required failed',
    optional: ['size Not required', 'lint Not required'],
    button: 'Merge',
  })

  // Once a rule requires it, it blocks and is no longer among them.
  await forge.call(createRuleset, ada, {
    repo: REPO,
    name: 'Checks',
    rules: [{ type: 'required_checks', parameters: { contexts: ['size'] } }],
  })
  expect(await open()).toEqual({
    title: 'Merging is blocked',
    optional: ['lint Not required'],
    button: 'Bypass rules and merge',
  })
  expect(problems).toEqual([])
}, 60_000)

test('suggestions are applied together by a button that comes with the first tick', async () => {
  const { forge, ada, on, here } = await setUp()
  for (const line of [1, 3])
    await forge.call(addComment, ada, {
      ...on,
      path: 'a.txt',
      line,
      body: `\`\`\`suggestion\nline ${line}\n\`\`\``,
    })
  const { page, problems } = await browserPage(forge, 'bob', { javaScriptEnabled: false })
  await page.goto(`${here}/changes`)
  const together = page.getByRole('button', { name: 'Commit suggestions', exact: true })
  expect(await together.isVisible()).toBe(false)
  await page.getByLabel('Add to batch').first().check()
  expect(await together.isVisible()).toBe(true)
  // It is in the window wherever the reader is.
  const inView = () =>
    together.evaluate((button) => {
      const { top, bottom } = button.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })
  await page.evaluate(() => scrollTo(0, 0))
  expect(await inView()).toBe(true)
  const scripted = await browserPage(forge, 'bob')
  await scripted.page.goto(`${here}/changes`)
  await scripted.page.getByLabel('Add to batch').first().check()
  expect(await findFaults(scripted.page)).toEqual([])
  await page.getByLabel('Add to batch').last().check()
  await together.click()
  expect(await page.textContent('main')).toContain('line 3')
  expect(await together.count()).toBe(0)
  expect(problems).toEqual([])
}, 60_000)

test('auto-merge of what an agent made waits for a person where the settings say so', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'one\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(REPO, 'fix', { 'a.txt': 'two\n' })
  const { pull } = await forge.call(createPull, ada, {
    repo: REPO,
    branch: 'fix',
    title: 'Fix',
    agent: 'helper',
  })
  await forge.call(updatePull, ada, { repo: REPO, number: pull.number, auto_merge: true })
  const shown = async () => {
    const { html } = await (await forge.browser('ada')).open(`/${REPO}/pull/${pull.number}`)
    return ['Auto-merge is enabled', 'waits for an approval by a person'].map((text) =>
      html.includes(text),
    )
  }
  expect(await shown()).toEqual([true, true])
  await forge.call(updateRepoSettings, ada, { repo: REPO, agent_auto_merge_needs_person: false })
  expect(await shown()).toEqual([true, false])
})
