/**
 * Pages of settings with a hundred rows stay below 100 KB: they come in pages, and one row has its form.
 * Every row can be reached and changed without a script.
 */
import { expect, test } from 'bun:test'
import { listEnvironments, setEnvironment } from '#features/environments/index.ts'
import { createMilestone } from '#features/issues/index.ts'
import { listVariables, setSecret, setVariable } from '#features/variables/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const MAX_PAGE_BYTES = 100_000
const ROWS = 100
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const browser = await forge.browser('ada')

const numbers = Array.from({ length: ROWS }, (_, at) => at)
const note = 'what this is for, in a sentence as long as people write. '.repeat(4)
const names = (prefix: string) => numbers.map((at) => `${prefix}_${1000 + at}`)

for (const at of numbers) {
  const environments = ['production', `env_${1000 + at}`]
  const given = { repo: REPO, note, environments }
  await forge.call(setVariable, ada, { ...given, setting: `REGION_${1000 + at}`, value: note })
  await forge.call(setSecret, ada, { ...given, setting: `TOKEN_${1000 + at}`, value: 'hush' })
  await forge.call(setVariable, ada, { workspace: 'acme', setting: `OF_${1000 + at}`, value: note })
  await forge.call(createMilestone, ada, {
    repo: REPO,
    title: `Version_${1000 + at}`,
    description: note,
  })
  await forge.call(setEnvironment, ada, {
    repo: REPO,
    environment: `env_${1000 + at}`,
    reviewers: ['ada'],
    wait_minutes: 5,
    branches: ['main', 'release/*'],
  })
}

async function open(address: string): Promise<string> {
  const { status, html } = await browser.open(address)
  expect([address, status]).toEqual([address, 200])
  expect([address, Buffer.byteLength(html) < MAX_PAGE_BYTES]).toEqual([address, true])
  return html
}

const unescape = (href: string): string => href.replaceAll('&amp;', '&')

/** The links to the forms of the rows of a list, by the names of rows, from all its pages. */
async function editLinks(address: string, prefix: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const seen = new Set<string>()
  const read = async (here: string): Promise<void> => {
    if (seen.has(here)) return
    seen.add(here)
    const html = await open(here)
    for (const [, href = '', name = ''] of html.matchAll(/<a href="([^"]*)">Edit ([^<]+)<\/a>/g))
      if (name.startsWith(prefix)) found.set(name, unescape(href))
    for (const [, href = ''] of html.matchAll(
      /<a class="btn btn-plain" href="([^"]*)" rel="next"/g,
    ))
      await read(unescape(href))
  }
  await read(address)
  return found
}

const LISTS = [
  [`/${REPO}/settings/variables`, 'REGION'],
  [`/${REPO}/settings/variables`, 'TOKEN'],
  ['/acme/-/variables', 'OF'],
  [`/${REPO}/settings/environments`, 'env'],
  [`/${REPO}/milestones`, 'Version'],
] as const

for (const [address, prefix] of LISTS)
  test(`all rows of ${address} named ${prefix} are reached, and each has its form`, async () => {
    const links = await editLinks(address, prefix)
    expect([...links.keys()].sort()).toEqual(names(prefix))
    for (const name of [`${prefix}_1000`, `${prefix}_1050`, `${prefix}_1099`]) {
      const [page = '', id = ''] = links.get(name)?.split('#') ?? []
      const html = await open(page)
      const form = html.slice(html.indexOf(`id="${id}"`)).split('</details>')[0] ?? ''
      expect([name, form.includes(`value="${name}"`), form.includes('Delete')]).toEqual([
        name,
        true,
        true,
      ])
      // No other row has one.
      expect([...html.matchAll(/<summary>Edit /g)]).toHaveLength(1)
    }
  })

test('a row of a later page is changed, and a refused form is shown with it', async () => {
  const address = `/${REPO}/settings/variables`
  const link = (await editLinks(address, 'REGION')).get('REGION_1050') ?? ''
  const html = await open(link)
  const form =
    /<details class="more"[^>]* open>.*?<form [^>]*action="([^"]+)"/s.exec(html)?.[1] ?? ''
  const id = /[?&]edit=(set_[0-9a-z]+)/.exec(link)?.[1] ?? ''
  const row = { setting: 'REGION_1050', id, kind: 'variable', note: 'changed' }
  const refused = await browser.press(html, form, {
    ...row,
    value: 'x',
    environments: 'x'.repeat(300),
  })
  expect([refused.status, refused.html.includes(`id="${id}" open`)]).toEqual([422, true])
  const saved = await browser.press(html, form, { ...row, value: 'eu' })
  expect([saved.status, saved.location.split('&')[0]]).toEqual([303, `${address}?page=2`])
  const { items } = await forge.call(listVariables, ada, { repo: REPO, per_page: 100 })
  expect(items.find(({ name }) => name === 'REGION_1050')).toMatchObject({
    value: 'eu',
    note: 'changed',
  })
})

test('the last row of the last page is deleted, and the page before is shown', async () => {
  const address = `/${REPO}/settings/environments`
  const { items } = await forge.call(listEnvironments, ada, { repo: REPO })
  const here = `${address}?page=99`
  expect(await open(here)).toContain(`Edit ${items.at(-1)?.name}`)
})
