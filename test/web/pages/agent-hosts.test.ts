/** What the pages say about the hosts that agent programs reach, and how a repository narrows them. */
import { expect, test } from 'bun:test'
import { getRepoSettings } from '#features/repos/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const PAGE = `/${REPO}/settings`

async function setUp(hosts: string[]) {
  const forge = await runForge({ agents: { at_once: 4, hosts } })
  const ada = await forge.user('ada', { site_admin: true })
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  const browser = await forge.browser('ada')
  const page = async (path: string) => (await browser.open(path)).html
  return {
    page,
    stored: async () => (await forge.call(getRepoSettings, ada, { repo: REPO })).agent_hosts,
    save: async (fields: Record<string, string>) =>
      browser.press(await page(PAGE), `${PAGE}/pulls`, {
        default_merge_method: 'merge',
        merge_methods: 'merge',
        ...fields,
      }),
  }
}

test('without hosts the settings of a repository have no field, and stay as they are', async () => {
  const { page, save, stored } = await setUp([])
  expect(await page(PAGE)).not.toContain('name="agent_hosts"')
  expect(await page('/admin/agents')).toContain('Sandboxes reach no other hosts.')
  expect((await save({})).status).toBe(303)
  expect(await stored()).toBeNull()
})

test('each host is ticked until the repository leaves it out', async () => {
  const hosts = ['registry.example:443', 'mirror.example:8443']
  const { page, save, stored } = await setUp(hosts)
  expect(await page('/admin/agents')).toContain(hosts.join(' '))
  const ticked = async () =>
    [...(await page(PAGE)).matchAll(/<input[^>]*name="agent_hosts"[^>]*>/g)].map(([input]) =>
      input.includes('checked'),
    )
  expect(await ticked()).toEqual([true, true])
  expect((await save({ agent_hosts: hosts[1] ?? '' })).status).toBe(303)
  expect(await stored()).toEqual(['mirror.example:8443'])
  expect(await ticked()).toEqual([false, true])
})
