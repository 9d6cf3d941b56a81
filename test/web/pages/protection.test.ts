/** What the site says about the protection of the default branch, and when it offers more. */
import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { getRepoSettings, updateRepoSettings } from '#features/repos/index.ts'
import { createRuleset } from '#features/rulesets/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const OFFER = 'Require pull requests from admins'
const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  return { forge, ada, bob, owner: await forge.browser('ada') }
}

test('the page of an empty repository says who may push after the first push', async () => {
  const { forge, ada, owner } = await setUp()
  const first = await owner.open(`/${REPO}`)
  expect(first.html).toContain('admins can push to it')
  expect(first.html).toContain(`href="/${REPO}/settings#protection"`)
  expect((await owner.open(`/${REPO}/settings`)).html).toContain('id="protection"')
  await forge.call(updateRepoSettings, ada, { repo: REPO, admins_may_push: false })
  const strict = await owner.open(`/${REPO}`)
  expect(strict.html).toContain('changes are merged through pull requests')
  expect(strict.html).not.toContain('admins can push to it')
})

test('stricter protection is offered with the first agent, and one press requires it', async () => {
  const { forge, ada, owner } = await setUp()
  await forge.commit(REPO, 'main', { 'a.txt': 'a' })
  expect((await owner.open(`/${REPO}/agents`)).html).not.toContain(OFFER)
  await forge.call(createAgent, ada, { repo: REPO, name: 'fixer' })
  const page = await owner.open(`/${REPO}/agents`)
  expect(page.html).toContain(OFFER)
  const sent = await owner.press(page.html, `/${REPO}/settings/protection`, {})
  expect([sent.status, sent.location]).toEqual([303, `/${REPO}/settings#protection`])
  const { admins_may_push } = await forge.call(getRepoSettings, ada, { repo: REPO })
  expect(admins_may_push).toBe(false)
  expect((await owner.open(`/${REPO}/agents`)).html).not.toContain(OFFER)
})

test('stricter protection is offered with the second person', async () => {
  const { owner } = await setUp()
  const at = `/${REPO}/settings/collaborators`
  const alone = await owner.open(at)
  expect(alone.html).not.toContain(OFFER)
  expect((await owner.open('/acme/-/members')).html).not.toContain('preset=protect')
})

test('the second member of a workspace is a reason for rules of all its repositories', async () => {
  const { forge } = await setUp()
  const eve = await forge.user('eve')
  const dan = await forge.user('dan')
  await forge.workspace('duo', { owner: eve, members: [dan] })
  await forge.repo('duo/site', { as: eve })
  const owner = await forge.browser('eve')
  expect((await owner.open('/duo/-/members')).html).toContain(
    'href="/duo/-/rulesets/new?preset=protect"',
  )
  expect((await owner.open('/duo/site/settings/collaborators')).html).toContain(OFFER)
  const member = await forge.browser('dan')
  expect((await member.open('/duo/-/members')).html).not.toContain('preset=protect')
  const pressed = await owner.open('/duo/site/settings/collaborators')
  const barred = await member.press(pressed.html, '/duo/site/settings/protection', {})
  expect(barred.status).toBe(403)
})

test('the editor proposes a pull request where a ruleset requires one, also of an admin', async () => {
  const { forge, ada, owner } = await setUp()
  await forge.commit(REPO, 'main', { 'a.txt': 'a' })
  const isNew = (html: string) => / value="new"[^>]* checked/.test(html)
  expect(isNew((await owner.open(`/${REPO}/edit/main/a.txt`)).html)).toBe(false)
  await forge.call(createRuleset, ada, {
    repo: REPO,
    name: 'Review',
    target: 'branch',
    enforcement: 'active',
    rules: [{ type: 'pull_request', parameters: {} }],
  })
  expect(isNew((await owner.open(`/${REPO}/edit/main/a.txt`)).html)).toBe(true)
})
