/** The pages of secret patterns, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { listSecretPatterns } from '#features/security/patterns/list-secret-patterns.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const KEY = 'acme_k3j4h5g6f7d8s9a0q1w2'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const rita = await forge.user('rita')
  await forge.workspace('acme', { owner: ada, members: [rita] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'README.md': 'Hello\n' })
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Add a key',
    files: [{ path: 'a.env', action: 'put', content: `K=${KEY}\n` }],
  })
  return { forge, ada, browser: await forge.browser('ada') }
}

for (const [base, owner, more] of [
  [`/${REPO}/security/secrets/patterns`, { repo: REPO }, {}],
  ['/acme/-/secret-patterns', { workspace: 'acme' }, { repository: 'site' }],
] as const)
  test(`a pattern is created, tested, turned on and deleted at ${base}`, async () => {
    const { forge, ada, browser } = await setUp()
    const empty = await browser.open(base)
    expect(empty.html).toContain('No patterns yet')
    const bad = await browser.press(empty.html, base, { name: 'Acme key', pattern: '[a-z]+' })
    expect(bad.html).toContain('needs a text of at least 3 characters')
    const made = await browser.press(empty.html, base, {
      name: 'Acme key',
      pattern: 'acme_[a-z0-9]{20}',
    })
    expect(made.status).toBe(303)
    const at = made.location ?? ''
    const page = await browser.open(at)
    await browser.press(page.html, `${at}/test`, more)
    await forge.jobs()
    const tested = await browser.open(at)
    expect(tested.html).toContain('a.env:1')
    expect(tested.html).toContain('acme••••w2')
    expect(tested.html).not.toContain(KEY)
    await browser.press(tested.html, `${at}/enable`, {})
    const list = async () => (await forge.call(listSecretPatterns, ada, owner)).items
    expect(await list()).toMatchObject([{ enabled: true, push_protection: false }])
    const on = await browser.open(at)
    const change = { name: 'Acme token', pattern: 'acme_[a-z0-9]{20}', push_protection: 'on' }
    await browser.press(on.html, at, change)
    expect(await list()).toMatchObject([{ name: 'Acme token', push_protection: true }])
    await browser.press(on.html, `${at}/delete`, {})
    expect(await list()).toEqual([])
    const outsider = await (await forge.browser('rita')).open(base)
    expect(outsider.status).toBeGreaterThanOrEqual(400)
  })
