/** The way from a pushed branch to its pull request. */
import { expect, test } from 'bun:test'
import { closePull, createPull } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('eve')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  const push = async (branch: string, files: Record<string, string>) => {
    await forge.call(createBranch, ada, { repo: REPO, branch, from: 'main' })
    await forge.commit(REPO, branch, files, { as: ada })
  }
  return { forge, ada, push }
}

const offers = (html: string): boolean => html.includes('Pushed branch fix/the-door')

test('a pushed branch is offered to those who may write, until it has a pull request', async () => {
  const { forge, ada, push } = await setUp()
  await push('fix/the-door', { 'a.txt': 'b\n' })
  const browser = await forge.browser('ada')
  for (const address of [`/${REPO}`, `/${REPO}/pulls`]) {
    expect(offers((await browser.open(address)).html)).toBe(true)
    for (const name of ['eve', null])
      expect(offers((await (await forge.browser(name)).open(address)).html)).toBe(false)
  }
  // A branch without commits of its own has nothing to offer.
  await forge.call(createBranch, ada, { repo: REPO, branch: 'same', from: 'main' })
  expect((await browser.open(`/${REPO}`)).html).not.toContain('Pushed branch same')
  const { pull } = await forge.call(createPull, ada, {
    repo: REPO,
    branch: 'fix/the-door',
    title: 'Mend the door',
  })
  expect(offers((await browser.open(`/${REPO}`)).html)).toBe(false)
  await forge.call(closePull, ada, { repo: REPO, number: pull.number })
  expect(offers((await browser.open(`/${REPO}`)).html)).toBe(true)
})

test('the form begins with the message of the only commit, else with the name of the branch', async () => {
  const { forge, ada, push } = await setUp()
  await push('fix/the-door', { 'a.txt': 'b\n' })
  const browser = await forge.browser('ada')
  const titleAt = async (): Promise<string> => {
    const { html } = await browser.open(`/${REPO}/pulls/new?branch=fix%2Fthe-door`)
    return /<input[^>]*name="title"[^>]*value="([^"]*)"/.exec(html)?.[1] ?? ''
  }
  const message = await titleAt()
  expect(message).not.toBe('')
  await forge.commit(REPO, 'fix/the-door', { 'b.txt': 'b\n' }, { as: ada })
  expect(await titleAt()).toBe('The door')
  const none = await browser.open(`/${REPO}/pulls/new?branch=nowhere`)
  expect(none.status).toBe(200)
})
