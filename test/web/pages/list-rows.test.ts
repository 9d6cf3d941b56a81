/**
 * Lists with 150 rows, whose rows have a button or a form: each row is on one of their pages, no page has more than
 * 100 KB, a button leads back to the page that it is on, and an address behind the last page shows the last one.
 */
import { expect, test } from 'bun:test'
import { typeId } from '#core/ids.ts'
import { createInvite, createSettingsToken } from '#features/accounts/index.ts'
import { insertSignIn } from '#features/accounts/store/sign-ins.ts'
import { addCollaborator } from '#features/collaborators/index.ts'
import { lockFile } from '#features/lfs/index.ts'
import { createLabel, createMilestone } from '#features/issues/index.ts'
import { keepRef } from '#features/mirrors/store-refs.ts'
import { createBranch, createTag, deleteRepo } from '#features/repos/index.ts'
import { createRuleset } from '#features/rulesets/index.ts'
import { createRunner } from '#features/runners/index.ts'
import { createTeam, setTeamMember } from '#features/teams/operations.ts'
import { createWorkspaceToken } from '#features/workspaces/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const ROWS = 150
const MAX_PAGE_BYTES = 100_000
const forge = await runForge()
const ada = await forge.user('ada', { site_admin: true })
const numbers = Array.from({ length: ROWS }, (_, at) => 1000 + at)
const names = (prefix: string): string[] => numbers.map((at) => `${prefix}-${at}`)
const people = await Promise.all(names('person').map((name) => forge.user(name)))
await forge.workspace('acme', { owner: ada, members: people })
await forge.repo(REPO, { as: ada })
const sha = await forge.commit(REPO, 'main', { 'a.txt': 'a' }, { as: ada })
const browser = await forge.browser('ada')

type List = {
  /** What the names of the rows begin with. */
  readonly rows: string
  readonly make?: (name: string) => Promise<unknown>
  readonly address: string
  /** What counts its pages in the address. */
  readonly page?: string
  /** The address of the form of a row, without the values of the row. */
  readonly form?: string
  readonly limit?: number
}

const OWN = '/acme/-'
const LISTS: readonly List[] = [
  {
    rows: 'token',
    make: (name) => forge.call(createSettingsToken, ada, { name, expires: '365', repos: [REPO] }),
    address: '/settings/tokens',
    form: '/settings/tokens/revoke',
  },
  {
    rows: 'machine',
    make: (name) =>
      forge.call(createWorkspaceToken, ada, {
        workspace: 'acme',
        name,
        scopes: ['code:read'],
        role: 'write',
        expires_in_days: 90,
      }),
    address: `${OWN}/settings/tokens`,
    form: `${OWN}/settings/tokens/revoke`,
  },
  {
    rows: 'guest',
    make: (name) => forge.call(createInvite, ada, { email: `${name}@example.com` }),
    address: '/settings/invites',
    form: '/settings/invites/revoke',
  },
  {
    rows: 'browser',
    make: (name) =>
      forge.write((tx) => {
        const row = {
          id: typeId('sgn', tx.now_ms),
          user_id: ada.id,
          method: 'password',
          ip: name,
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
          created_at: tx.now,
          last_used_at: tx.now,
          expires_at: '2999-01-01T00:00:00.000Z',
        } as const
        insertSignIn(tx.db, row as never, name)
      }),
    address: '/settings/sessions',
    form: '/settings/sessions/end',
  },
  {
    rows: 'art',
    make: (name) => forge.call(lockFile, ada, { repo: REPO, path: name }),
    address: `/${REPO}/locks`,
    form: `/${REPO}/locks/remove`,
  },
  {
    rows: 'person',
    make: (name) => forge.call(addCollaborator, ada, { repo: REPO, invitee: name, role: 'write' }),
    address: `/${REPO}/settings/collaborators`,
    form: `/${REPO}/settings/collaborators/remove`,
  },
  { rows: 'person', address: `${OWN}/members`, form: `${OWN}/members` },
  { rows: 'person', address: '/admin/users', form: '/admin/users/suspend' },
  {
    rows: 'runner',
    make: (name) =>
      forge.call(createRunner, ada, { repo: REPO, name, labels: names('label').slice(0, 20) }),
    address: `/${REPO}/settings/runners`,
    form: `/${REPO}/settings/runners/remove`,
  },
  {
    rows: 'rule',
    limit: 100,
    make: (name) =>
      forge.call(createRuleset, ada, { repo: REPO, name, rules: [{ type: 'non_fast_forward' }] }),
    address: `/${REPO}/settings/rulesets`,
  },
  {
    rows: 'label',
    make: (name) => forge.call(createLabel, ada, { repo: REPO, name }),
    address: `/${REPO}/labels`,
  },
  {
    rows: 'goal',
    make: (name) => forge.call(createMilestone, ada, { repo: REPO, title: name }),
    address: `/${REPO}/milestones`,
  },
  {
    rows: 'branch',
    make: (name) => forge.call(createBranch, ada, { repo: REPO, branch: name, from: 'main' }),
    address: `/${REPO}/branches`,
  },
  {
    rows: 'tag',
    make: (name) => forge.call(createTag, ada, { repo: REPO, tag: name, target: sha }),
    address: `/${REPO}/tags`,
  },
  {
    rows: 'team',
    make: (name) => forge.call(createTeam, ada, { workspace: 'acme', name, description: name }),
    address: `${OWN}/teams`,
  },
  {
    rows: 'child',
    make: (name) => forge.call(createTeam, ada, { workspace: 'acme', name, parent: 'team-1000' }),
    address: `${OWN}/teams/team-1000`,
    page: 'children',
  },
  {
    rows: 'person',
    make: (name) =>
      forge.call(setTeamMember, ada, { workspace: 'acme', team: 'team-1000', username: name }),
    address: `${OWN}/teams/team-1000`,
    form: `${OWN}/teams/team-1000/members/remove`,
  },
  {
    rows: 'gone',
    make: async (name) => {
      const repo = `acme/${name}`
      await forge.repo(repo, { as: ada })
      await forge.call(deleteRepo, ada, { repo, confirm: repo })
    },
    address: `${OWN}/settings/deleted`,
  },
  {
    rows: 'kept',
    make: (name) =>
      forge.write((tx) => {
        const repo = tx.db.one<{ id: string }>('SELECT id FROM repos WHERE name = ?', 'site')
        keepRef(tx, {
          repo_id: repo?.id ?? '',
          oid: name.slice(-4).padEnd(40, '0'),
          name: `refs/heads/${name}`,
          mirror_id: 'rmt_1',
          side: 'remote',
        })
      }),
    address: `/${REPO}/settings/mirror`,
  },
]

for (const { rows, make, limit = ROWS } of LISTS)
  for (const name of names(rows).slice(0, limit)) await make?.(name)

async function open(address: string): Promise<string> {
  const { status, html } = await browser.open(address)
  expect([address, status, Buffer.byteLength(html) < MAX_PAGE_BYTES]).toEqual([address, 200, true])
  return html
}

/** The pages of a list, from the first one on, by the links to the next one. */
async function pagesOf({ address, page = 'page' }: List): Promise<string[]> {
  const pages: string[] = []
  for (let at: string | undefined = address; at !== undefined; ) {
    const html = await open(at)
    pages.push(html)
    // Other lists of the page have links of their own.
    at = [...html.matchAll(/<a class="[^"]*" href="([^"]+)" rel="next"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .find((href) => new RegExp(`[?&]${page}=${pages.length + 1}(&|$)`).test(href))
  }
  return pages
}

const rowsOn = (html: string, { rows }: List): string[] => [
  ...new Set(html.match(new RegExp(`\\b${rows}-\\d{4}\\b`, 'g'))),
]

for (const list of LISTS)
  test(`${list.rows} of ${list.address}`, async () => {
    const { address, page = 'page', limit = ROWS } = list
    const pages = await pagesOf(list)
    const found = new Set(pages.flatMap((html) => rowsOn(html, list)))
    expect([...found].sort()).toEqual(names(list.rows).slice(0, limit))
    const last = pages.at(-1) ?? ''
    const behind = await open(`${address}?${page}=${pages.length + 1}`)
    expect(rowsOn(behind, list)).toEqual(rowsOn(last, list))
    if (list.form === undefined) return
    const second = await open(`${address}?${page}=2`)
    const done = await browser.press(second, list.form, {})
    expect([done.status, done.location]).toEqual([303, `${address}?${page}=2`])
  })

test('a label and a branch of a later page are changed there', async () => {
  for (const { address, edit, form, fields, shown } of [
    {
      address: `/${REPO}/labels`,
      edit: 'Change or delete',
      form: `/${REPO}/labels/edit`,
      fields: { description: 'Changed' },
      shown: 'Changed',
    },
    {
      address: `/${REPO}/branches`,
      edit: '<span>Rename</span>',
      form: `/${REPO}/branches/rename`,
      fields: { new_name: 'renamed' },
      shown: 'renamed',
    },
  ]) {
    const list = await open(`${address}?page=2`)
    expect(list).not.toContain(form)
    const [link = ''] =
      list
        .split(edit)[0]
        ?.match(/href="[^"]*edit=[^"]*"/g)
        ?.slice(-1) ?? []
    const href = link.slice('href="'.length, -1).replaceAll('&amp;', '&').split('#')[0] ?? ''
    const done = await browser.press(await open(href), form, fields)
    expect([done.status, done.location]).toEqual([303, `${address}?page=2`])
    const all = await pagesOf({ rows: '', address })
    expect(all.some((html) => html.includes(shown))).toBe(true)
  }
})

test('a branch is deleted by its button, which belongs to the form that all rows share', async () => {
  const address = `/${REPO}/branches`
  const list = await open(`${address}?page=3`)
  const [, branch = ''] = /name="branch" value="([^"]+)" form="delete-branch"/.exec(list) ?? []
  expect(list).toContain('id="delete-branch"')
  const done = await browser.press(list, `${address}/delete`, { branch })
  expect([done.status, done.location]).toEqual([303, `${address}?page=3`])
  const found = await open(`${address}?q=${branch}`)
  expect([branch.startsWith('branch-'), found.includes('No branch has')]).toEqual([true, true])
})

test('a button leads back to what was searched for, and the last row of a page to the page before it', async () => {
  const found = await open('/admin/users?q=person-11&state=active&page=2')
  const suspended = await browser.press(found, '/admin/users/suspend', {})
  expect(suspended.location).toBe('/admin/users?q=person-11&state=active&page=2')
  const repo = 'acme/other'
  await forge.repo(repo, { as: ada })
  const address = `/${repo}/locks`
  for (const path of names('art').slice(0, 31)) await forge.call(lockFile, ada, { repo, path })
  const last = await open(`${address}?page=2`)
  const { location } = await browser.press(last, `${address}/remove`, {})
  const shown = await open(location)
  expect([location, shown.includes('File unlocked.'), shown.includes('rel="next"')]).toEqual([
    `${address}?page=2`,
    true,
    false,
  ])
  expect(shown.match(/art-\d{4}<\/code>/g)).toHaveLength(30)
})

test('a refused form of a row of a later page is shown with its row', async () => {
  const address = `${OWN}/settings/deleted`
  const pages = await pagesOf({ rows: 'gone', address })
  const [edit = ''] = /href="[^"]*edit=[^"]*"/.exec(pages[1] ?? '') ?? []
  const href = edit.slice('href="'.length, -1).replaceAll('&amp;', '&')
  const html = await open(href.split('#')[0] ?? '')
  const form = `${address}/purge?page=2`
  const refused = await browser.press(html, form, { confirm: 'no' })
  expect([refused.status, refused.html.includes('value="no"')]).toEqual([422, true])
  const [, repo = ''] = /name="repo" value="([^"]+)"/.exec(html.slice(html.indexOf(form))) ?? []
  const done = await browser.press(html, form, { confirm: repo })
  expect([done.status, done.location]).toEqual([303, `${address}?page=2`])
})
