/** Pages of environments and deployments, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { listDeployments } from '#features/environments/list-deployments.ts'
import { listEnvironments } from '#features/environments/list-environments.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { workflowRunners } from '#features/workflows/index.ts'
import { runForge } from '../../features/oauth/running.ts'
import { DEPLOY, FILE, REPO } from '../../features/environments/fixture.ts'
import { extend } from '../../features/workflows/fixture.ts'

const SETTINGS = '/acme/site/settings/environments'

async function setUp() {
  const forge = await runForge()
  extend(forge.hearth, [workflowRunners.with({ name: 'local', accepts: () => true })])
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  return {
    forge,
    ada,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

test('an environment is created, protected and deleted; a refused form keeps what was typed', async () => {
  const { forge, ada, browser, member, visitor } = await setUp()
  for (const other of [member, visitor]) expect((await other.open(SETTINGS)).status).not.toBe(200)
  const empty = await browser.open(SETTINGS)
  expect(empty.html).toContain('No environments yet')
  const refused = await browser.press(empty.html, SETTINGS, {
    environment: 'production',
    reviewers: 'bob, nobody',
    branches: 'main',
  })
  expect([refused.status, refused.html.includes('value="bob, nobody"')]).toEqual([422, true])
  expect(refused.html).toContain('nobody cannot review deployments of acme/site')
  await browser.press(empty.html, SETTINGS, {
    environment: 'production',
    reviewers: 'bob, @ada',
    wait_minutes: '5',
    branches: 'main, release/*',
  })
  const list = async () => (await forge.call(listEnvironments, ada, REPO)).items
  expect(await list()).toMatchObject([
    {
      name: 'production',
      reviewers: ['bob', 'ada'],
      wait_minutes: 5,
      branches: ['main', 'release/*'],
      prevent_self_review: true,
    },
  ])
  const { html: rows } = await browser.open(SETTINGS)
  const edit = /href="([^"#]+)#[^"]*">Edit production</.exec(rows)?.[1] ?? ''
  const { html } = await browser.open(edit)
  expect(html).toContain('value="bob, ada"')
  await browser.press(html, `${SETTINGS}/delete`, { environment: 'production' })
  expect(await list()).toEqual([])
})

test('a reviewer approves on the page of the run, where others see what it waits for', async () => {
  const { forge, ada, browser, member, visitor } = await setUp()
  const { html } = await browser.open(SETTINGS)
  await browser.press(html, SETTINGS, { environment: 'production', reviewers: 'bob' })
  const sha = await forge.commit('acme/site', 'main', { [FILE]: DEPLOY }, { as: ada })
  await forge.jobs()
  const [run] = (await forge.call(listRuns, ada, REPO)).items
  const here = `/acme/site/runs/${run?.id}`
  const waits = 'Waits for approval of bob to deploy to production'
  for (const path of [here, '/acme/site/deployments', `/acme/site/commit/${sha}`]) {
    const page = await visitor.open(path)
    expect([path, page.status, page.html.includes(waits)]).toEqual([path, 200, true])
    expect(page.html).not.toContain('Approve and deploy')
  }
  expect((await browser.open(here)).html).not.toContain('Approve and deploy')
  const page = await member.open(here)
  expect(page.html).toContain('Approve and deploy')
  const [deployment] = (await forge.call(listDeployments, ada, REPO)).items
  await member.press(page.html, `/acme/site/deployments/${deployment?.id}/review`, {
    verdict: 'approve',
    comment: 'Ship <it>',
  })
  await forge.jobs()
  const after = await visitor.open('/acme/site/deployments?environment=PRODUCTION')
  expect(after.html).toContain('Queued')
  expect(after.html).toContain('Ship &lt;it')
  expect((await forge.call(listRuns, ada, REPO)).items[0]?.status).toBe('queued')
})
