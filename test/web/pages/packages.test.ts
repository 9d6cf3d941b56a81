/** Pages of packages, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { storeBlob } from '#core/blobs.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { publishPackageVersion } from '#features/packages/publish-package-version.ts'
import { removePackageAccess } from '#features/packages/access/remove-package-access.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { runForge } from '../../features/oauth/running.ts'

const LIST = '/acme/-/packages'
const PAGE = '/acme/-/packages/npm/%40acme%2Flib'
const target = { workspace: 'acme', package_type: 'npm' as const, package_name: '@acme/lib' }

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  const bytes = async function* () {
    yield Buffer.from('# Hello <script>')
  }
  return {
    forge,
    ada,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
    publish: async (version: string) => {
      const blob = await storeBlob(forge.hearth, bytes(), { maxBytes: 100 })
      await forge.call(publishPackageVersion, ada, {
        ...target,
        publication: {
          version,
          digest: version,
          metadata: {},
          files: [
            {
              path: `lib-${version}.tgz`,
              sha256: blob.sha256,
              size: blob.size,
              digests: {},
              content_type: 'application/octet-stream',
            },
          ],
          tags: ['latest'],
          readme_sha256: blob.sha256,
        },
      })
    },
  }
}

test('an empty list says how to publish the first package, with the address of this site', async () => {
  const { forge, browser, visitor } = await setUp()
  const { status, html } = await browser.open(LIST)
  expect(status).toBe(200)
  expect(html).toContain('No packages yet')
  expect(html).toContain(`registry=${forge.hearth.settings.site_url}/packages/acme/npm/`)
  // The commands of all clients name one variable, which is set first.
  expect(html).toContain('export HEARTH_TOKEN=&lt;token&gt;')
  expect(html).not.toContain('NPM_TOKEN')
  expect((await visitor.open(LIST)).status).toBe(404)
  expect((await browser.open('/acme/site/packages')).html).toContain('No packages yet')
})

test('a package shows its README, commands, files and versions to those who may see it', async () => {
  const { forge, ada, browser, member, visitor, publish } = await setUp()
  await publish('1.0.0')
  await publish('1.1.0')
  for (const other of [member, visitor]) expect((await other.open(PAGE)).status).toBe(404)
  expect((await browser.open(LIST)).html).toContain(`href="${PAGE}"`)
  const { html } = await browser.open(PAGE)
  expect(html).toContain('npm install @acme/lib@1.1.0')
  expect(html).toContain('The package is private')
  expect(html).toContain('lib-1.0.0.tgz')
  expect(html).not.toContain('<script>\n')
  expect((await browser.open(`${PAGE}?version=1.0.0`)).html).toContain(
    'npm install @acme/lib@1.0.0',
  )
  await forge.call(updatePackage, ada, { ...target, visibility: 'public' })
  const open = await visitor.open(PAGE)
  expect([open.status, open.html.includes('Delete package')]).toEqual([200, false])
  expect(open.html).not.toContain('The package is private')
  expect((await visitor.open(LIST)).html).toContain('@acme/lib')
})

test('an admin links, changes, deletes, restores and purges', async () => {
  const { forge, ada, browser, publish } = await setUp()
  await publish('1.0.0')
  await publish('1.1.0')
  const press = async (rest: string, fields: Record<string, string> = {}) => {
    const pages = [await browser.open(PAGE), await browser.open(`${PAGE}/settings`)]
    return browser.press(pages.map(({ html }) => html).join(''), PAGE + rest, fields)
  }
  const record = () => forge.call(getPackage, ada, target)
  const refused = await press('/link', { repository: 'nothing' })
  expect([refused.status, refused.html.includes('has no repository nothing')]).toEqual([422, true])
  await press('/link', { repository: 'site' })
  expect(await record()).toMatchObject({ repository: { full_name: 'acme/site' } })
  expect((await browser.open('/acme/site/packages')).html).toContain('@acme/lib')
  await press('/unlink')
  await press('/change', { description: 'A library', visibility: 'private' })
  expect(await record()).toMatchObject({ description: 'A library', visibility: 'private' })
  await press('/delete-version', { version: '1.1.0' })
  expect(await record()).toMatchObject({ latest: '1.0.0' })
  await press('/restore-version', { version: '1.1.0' })
  expect(await record()).toMatchObject({ latest: '1.1.0' })
  expect((await press('/delete', { confirm: 'lib' })).status).toBe(422)
  await press('/delete', { confirm: '@acme/lib' })
  expect((await browser.open(`${LIST}?state=deleted`)).html).toContain('@acme/lib')
  await press('/restore')
  expect(await record()).toMatchObject({ deleted_at: null })
  for (let time = 0; time < 2; time++) await press('/delete', { confirm: '@acme/lib' })
  expect((await browser.open(PAGE)).status).toBe(404)
})

test('the inbox of a follower names a published version in their language', async () => {
  const { forge, ada, browser, member, publish } = await setUp()
  await publish('1.0.0')
  await forge.call(linkPackage, ada, { ...target, repository: 'acme/site' })
  const watched = await forge.call(setSubscription, await forge.user('bob'), {
    repo: 'acme/site',
    level: 'all',
  })
  expect(watched.level).toBe('all')
  await publish('1.1.0')
  await forge.jobs()
  const inbox = '/notifications'
  expect((await member.open(inbox)).html).toContain('ada published @acme/lib 1.1.0 (npm)')
  const appearance = '/settings/appearance'
  await member.press((await member.open(appearance)).html, appearance, { locale: 'de' })
  const { html } = await member.open(inbox)
  expect(html).toContain('ada veröffentlichte @acme/lib 1.1.0 (npm)')
  expect(html).toContain('>Paket</a>')
  expect((await browser.open(inbox)).html).not.toContain('@acme/lib 1.1.0')
})

test('whoever publishes deprecates and yanks versions on the page', async () => {
  const { forge, ada, browser, visitor, publish } = await setUp()
  await publish('1.0.0')
  const { html } = await browser.open(PAGE)
  const fields = { version: '1.0.0', deprecated: 'Use 2' }
  expect((await browser.press(html, `${PAGE}/deprecate-version`, fields)).status).toBe(303)
  const after = await browser.open(PAGE)
  expect(after.html).toContain('Use 2')
  expect(after.html).toContain('Deprecated')
  // Clients of npm know no yanked version.
  expect(after.html).not.toContain('Yank')
  await forge.call(updatePackage, ada, { ...target, visibility: 'public' })
  expect((await visitor.open(PAGE)).html).not.toContain('deprecate-version')
  const crate = { ...target, package_type: 'cargo' as const, package_name: 'lib' }
  const publication = { version: '1.0.0', digest: 'x', metadata: {}, files: [], tags: [] }
  await forge.call(publishPackageVersion, ada, { ...crate, publication })
  const CRATE = '/acme/-/packages/cargo/lib'
  const press = async (yanked: string): Promise<string> => {
    const page = await browser.open(CRATE)
    await browser.press(page.html, `${CRATE}/yank-version`, { version: '1.0.0', yanked })
    return (await browser.open(CRATE)).html
  }
  expect(await press('yes')).toContain('Unyank version')
  expect(await press('no')).not.toContain('Unyank version')
})

test('an admin gives and takes roles, also those of teams', async () => {
  const { forge, ada, browser, member, publish } = await setUp()
  await publish('1.0.0')
  await forge.call(createTeam, ada, { workspace: 'acme', name: 'Web' })
  const give = async (holder: string) => {
    const { html } = await browser.open(`${PAGE}/access`)
    return browser.press(html, `${PAGE}/access`, { holder, role: 'write' })
  }
  expect((await member.open(`${PAGE}/access`)).status).toBe(404)
  const refused = await give('nobody')
  expect([refused.status, refused.html.includes('no member of acme')]).toEqual([422, true])
  await give('bob')
  await give('team:web')
  expect((await member.open(PAGE)).status).toBe(200)
  expect((await member.open(`${PAGE}/access`)).status).toBe(404)
  const { html } = await browser.open(`${PAGE}/access`)
  expect([html.includes('/acme/-/teams/web'), html.includes('href="/bob"')]).toEqual([true, true])
  await browser.press(html, `${PAGE}/access/remove`, { username: 'bob', team: '' })
  await forge.call(removePackageAccess, ada, { ...target, team: 'web' })
  await browser.open(PAGE)
})

test('a rule is tried, saved and removed, for a package and for the workspace', async () => {
  const { browser, member, publish } = await setUp()
  for (const version of ['1.0.0', '1.1.0']) await publish(version)
  const rule = { keep_newest: '1', older_than_days: '0', snapshots_kept: '5' }
  for (const at of [`${PAGE}/retention`, `${LIST}/retention`]) {
    expect((await member.open(at)).status).toBe(404)
    const press = async (change: Record<string, string>) => {
      const sent = await browser.press((await browser.open(at)).html, at, { ...rule, ...change })
      return sent.status === 422 ? sent : browser.open(sent.location)
    }
    const tried = await press({ do: 'preview' })
    expect(tried.html).toContain('What this rule deletes now')
    expect(tried.html).toContain('version=1.0.0')
    expect(tried.html).not.toContain('Remove rule')
    const refused = await press({ do: 'save', keep_newest: '0' })
    expect(refused.status).toBe(422)
    expect((await press({ do: 'save' })).html).toContain('version=1.0.0')
    expect((await press({ do: 'remove' })).html).not.toContain('version=1.0.0')
  }
})

test('a type that is none has no page, whatever it is called', async () => {
  const { visitor } = await setUp()
  for (const type of ['constructor', '__proto__', 'nothing'])
    expect((await visitor.open(`/acme/-/packages/${type}/lib`)).status).toBe(404)
})
