/** The pages of runners, as browsers without a script use them. */
import { describe, expect, test } from 'bun:test'
import { createRunner } from '#features/runners/create-runner.ts'
import { listRunners } from '#features/runners/list-runners.ts'
import { runForge } from '../../features/oauth/running.ts'
import { openContext } from '../../journeys/browser.ts'
import { testJobs, testSettings } from '../../settings.ts'
import type { Settings } from '#core/settings.ts'
import { LocalNotice } from '#web/pages/runners/local-notice.tsx'

const FILE = 'on: push\njobs: { build: { runs-on: sparc, steps: [{ run: make }] } }\n'

async function setUp(change: Partial<Settings> = {}) {
  const forge = await runForge({ jobs: { ...testJobs, local: true }, ...change })
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

for (const [where, here, owner] of [
  ['a repository', '/acme/site/settings/runners', { repo: 'acme/site' }],
  ['a workspace', '/acme/-/runners', { workspace: 'acme' }],
] as const) {
  describe(`runners of ${where}`, () => {
    test('are added with a token that is shown once, and removed', async () => {
      const { forge, ada, browser, member, visitor } = await setUp()
      for (const other of [member, visitor]) expect((await other.open(here)).status).not.toBe(200)
      const empty = await browser.open(here)
      expect([empty.status, empty.html.includes('No runners yet')]).toEqual([200, true])

      const wrong = await browser.press(empty.html, here, { name: 'build', labels: 'a:host' })
      expect(wrong.html).toContain('A label has no spaces, commas or colons')
      expect(wrong.html).toContain('value="a:host"')
      const made = await browser.press(empty.html, here, {
        name: "ada's <box>",
        labels: 'Linux-Big, gpu',
        ephemeral: 'on',
      })
      const [token = ''] = /hrt_\w{40}/.exec(made.html) ?? []
      expect(token).not.toBe('')
      expect(made.html).toContain('linux-big:host,gpu:host')
      expect(made.html).not.toContain('<box>')

      const { html } = await browser.open(here)
      expect(html).not.toContain(token)
      expect(html).toContain('Not registered yet')
      expect(html).toContain('Removed after one job')
      const { items } = await forge.call(listRunners, ada, owner)
      expect(items).toMatchObject([{ name: "ada's <box>", labels: ['linux-big', 'gpu'] }])
      await browser.press(html, `${here}/remove`, { id: items[0]?.id ?? '' })
      expect((await browser.open(here)).html).toContain('No runners yet')
    })
  })
}

test('a label of 48 characters is read whole on a phone', async () => {
  const { forge, ada } = await setUp()
  const labels = ['w'.repeat(48), `linux-${'x'.repeat(42)}`]
  await forge.call(createRunner, ada, { repo: 'acme/site', name: 'box', labels })
  const context = await openContext({ viewport: { width: 320, height: 700 } })
  await context.addCookies([{ name: 'hearth', value: 'ada-cookie', url: forge.url }])
  const page = await context.newPage()
  await page.goto(`${forge.url}/acme/site/settings/runners`)
  const clipped = await page.locator('.row-title .chip').evaluateAll((chips) =>
    chips.map((chip) => {
      const { left, right } = chip.getBoundingClientRect()
      const row = chip.closest('.row-main')?.getBoundingClientRect()
      const isInside = row !== undefined && left >= row.left && right <= row.right
      return [chip.textContent, isInside, chip.scrollWidth > chip.clientWidth]
    }),
  )
  expect(clipped).toEqual(labels.map((label) => [label, true, false]))
  await context.close()
})

test('the page says what jobs wait for', async () => {
  const { forge, ada, browser } = await setUp()
  await forge.commit('acme/site', 'main', { '.github/workflows/ci.yml': FILE }, { as: ada })
  await forge.jobs()
  const { html } = await browser.open('/acme/site/settings/runners')
  expect(html).toContain('1 job waits')
  expect(html).toContain('No runner has these labels')
})

describe('what jobs of this server have', () => {
  const { checks } = testSettings('/nowhere')
  const read = async (change: Partial<Settings>): Promise<string> => {
    const { browser } = await setUp(change)
    return (await browser.open('/acme/site/settings/runners')).html
  }
  const GUIDE = '/docs/runners#user-content-jobs-of-this-server'

  test('with walls only their labels are told', async () => {
    const html = await read({})
    expect(html).toContain('This server runs jobs too')
    expect(html).not.toContain(GUIDE)
  })

  test('without isolation the page says what is missing, and leads to the guide', async () => {
    const html = await read({ checks: { ...checks, readable: ['/no/such/folder'] } })
    expect(html).toContain('This server cannot run jobs')
    expect(html).toContain('/no/such/folder')
    expect(html).toContain(GUIDE)
  })

  test('jobs with the rights of the server are told', async () => {
    const html = await read({
      checks: { ...checks, isolation: 'none' },
      jobs: { ...testJobs, local: true, containers: 'podman' },
    })
    expect(html).toContain('checks.isolation is none')
    expect(html).toContain('Jobs have no containers: jobs are not isolated here.')
    expect(html).toContain(GUIDE)
  })

  test('whose root containers of Docker have is told, and of podman nothing', () => {
    const told = (areContainersRoot: boolean): string =>
      LocalNotice({
        local: { kind: 'isolated', noNetwork: null, noContainers: null, areContainersRoot },
      }).toString()
    expect(told(true)).toContain('their root is root of this machine')
    expect(told(true)).toContain(GUIDE)
    expect(told(false)).not.toContain('Docker')
  })
})
