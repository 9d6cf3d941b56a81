/** Addresses as people know them from other forges lead to the same page here. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/index.ts'
import { createPull } from '#features/pulls/index.ts'
import { createRelease, uploadReleaseAsset } from '#features/releases/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { addressHere } from '#web/other-forges.ts'
import { runForge } from '../features/oauth/running.ts'

const REPO = 'acme/site'
const here = (path: string) => addressHere(new URL(`http://x${path}`))

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada, private: true })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n', 'dir/b c.txt': 'b\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix/x', from: 'main' })
  const sha = await forge.commit(REPO, 'fix/x', { 'a.txt': 'b\n' }, { as: ada })
  await forge.call(createPull, ada, { repo: REPO, branch: 'fix/x', title: 'Fix it' })
  await forge.call(createIssue, ada, { repo: REPO, title: 'Broken' })
  // In a fork of its own.
  await forge.call(createPull, ada, { repo: REPO, title: 'Try it' })
  return { forge, ada, sha, browser: await forge.browser('ada') }
}

test('each known address ends at a page of this site', async () => {
  const { browser, sha } = await setUp()
  /** Follows redirects to the page that answers. */
  const endOf = async (path: string): Promise<string> => {
    let at = path
    for (let step = 0; step < 4; step++) {
      const { status, location } = await browser.open(at)
      if (status === 200) return at
      if (!location) return `${status} at ${at}`
      at = location
    }
    return `too many redirects at ${at}`
  }
  const known: Record<string, string> = {
    '/pull/1/files': '/pull/1/changes',
    [`/pull/1/files/${sha}..HEAD`]: '/pull/1/changes',
    [`/pull/1/commits/${sha}`]: `/commit/${sha}`,
    // A branch of the fork is no commit: its history is here.
    '/pull/3/commits/main': '/pull/3/commits/main',
    '/pulls/1': '/pull/1',
    '/pulls/1/files': '/pull/1/changes',
    '/pulls/2': '/issues/2',
    '/pull/new/fix/x': '/pulls/new?branch=fix%2Fx',
    '/-/merge_requests/1/diffs': '/pull/1/changes',
    '/-/issues/2': '/issues/2',
    '/-/issues/new': '/issues/new',
    '/-/blob/main/a.txt': '/blob/main/a.txt',
    '/-/commits/main': '/commits/main',
    '/issues/created_by/ada': '/issues?q=author%3Aada',
    '/labels/good%20first': '/issues?q=label%3A%22good+first%22',
    '/tree': '',
    '/commits': '/commits/HEAD',
    '/src/branch/main/dir/b%20c.txt': '/blob/main/dir/b%20c.txt',
    '/src/branch/fix/x': '/tree/fix/x',
    '/raw/branch/main/a.txt': '/raw/main/a.txt',
    '/raw/refs/heads/fix/x/a.txt': '/raw/fix/x/a.txt',
    '/blob/main/a.txt?raw=true': '/raw/main/a.txt',
    '/commits/branch/main': '/commits/main',
    '/branches/all': '/branches',
    '/graphs/contributors': '/insights',
    '/actions/workflows/ci.yml': '/runs',
    '/wikis': '/wiki',
    '/settings/branches': '/settings/rulesets',
    '/settings/secrets/actions': '/settings/variables',
  }
  for (const [asked, page] of Object.entries(known))
    expect(await endOf(`/${REPO}${asked}`)).toBe(`/${REPO}${page}`)
  expect(await endOf('/orgs/acme/people')).toBe('/acme/-/members')
  expect(await endOf('/user/settings/keys')).toBe('/settings/keys')
  expect(await endOf('/pulls')).toBe('/search?q=is%3Aopen+author%3A%40me&type=pulls')
  expect(await endOf('/settings/tokens/new?scopes=code:read,nonsense&description=laptop')).toBe(
    '/settings/tokens?name=laptop&scopes=code%3Aread%2Cnonsense',
  )
})

test('a file of the latest release has a lasting address', async () => {
  const { forge, ada, browser } = await setUp()
  const release = await forge.call(createRelease, ada, {
    repo: REPO,
    tag_name: 'v1',
    target: 'main',
  })
  await forge.call(uploadReleaseAsset, ada, {
    repo: REPO,
    id: release.id,
    name: 'a b.txt',
    data: btoa('hello'),
  })
  const { status, location } = await browser.open(`/${REPO}/releases/latest/download/a%20b.txt`)
  // A whole address, which clients such as `@actions/tool-cache` need.
  const { origin, pathname } = new URL(location ?? '')
  expect([status, pathname]).toEqual([302, `/${REPO}/releases/download/v1/a%20b.txt`])
  expect(origin).toBe(new URL(forge.hearth.settings.site_url).origin)
  expect((await browser.open(pathname)).html).toBe('hello')
})

test('a link to a new token ticks its scopes, and only those that exist', async () => {
  const { browser } = await setUp()
  const { html } = await browser.open('/settings/tokens?name=ci&scopes=packages:write,nonsense')
  expect(html).toMatch(/<details class="more" open/)
  expect(html).toMatch(/name="name"[^>]*value="ci"/)
  expect(html.match(/name="scopes"[^>]*checked/g)).toEqual([
    expect.stringContaining('value="packages:write"'),
  ])
  expect((await browser.open('/settings/tokens?scopes=nonsense')).html).not.toMatch(
    /<details class="more" open/,
  )
})

test('strangers learn nothing of a private repository, and own pages win', async () => {
  const { forge } = await setUp()
  const stranger = await forge.browser(null)
  for (const repo of [REPO, 'acme/none']) {
    const { location } = await stranger.open(`/${repo}/pull/1/files`)
    expect(location).toBe(`/${repo}/pull/1/changes`)
    expect((await stranger.open(location ?? '')).status).toBe(404)
  }
  expect((await stranger.open('/acme/site/nonsense')).status).toBe(404)
})

test('no address leads to another host or in a circle', () => {
  for (const path of [
    '/%2Fevil.test/x/labels/a',
    '/%2Fevil.test/x/pull/1/files',
    '/%5Cevil.test/x/tree',
    '/orgs/%2Fevil.test',
    '/groups/%2F%2Fevil.test/-/x',
    '/%2Fevil.test/x/-/%2F%2Fy',
    '/-/%2Fevil.test/-/issues',
  ]) {
    const found = here(path) ?? '/'
    expect(new URL(found, 'http://x').host).toBe('x')
    expect(found).not.toMatch(/[\r\n]/)
  }
  for (const path of [
    '/a/b/-/-/-/pulls/1/files/x',
    '/a/b/raw/branch/branch/branch/x',
    '/a/b/wiki/Home/_edit',
    '/orgs/orgs/teams/teams',
    '/explore/explore',
    '/a/b/pull/new/new',
    '/settings/tokens/new?scopes=x',
  ]) {
    const seen: string[] = []
    for (let at = here(path); at !== null; at = here(at)) {
      expect(seen).not.toContain(at)
      seen.push(at)
    }
    expect(seen.length).toBeGreaterThan(0)
  }
})
