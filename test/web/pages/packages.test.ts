/** Pages of packages, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { storeBlob } from '#core/blobs.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { publishPackageVersion } from '#features/packages/publish-package-version.ts'
import { updatePackage } from '#features/packages/update-package.ts'
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
  expect(html).toContain('lib-1.0.0.tgz')
  expect(html).not.toContain('<script>\n')
  expect((await browser.open(`${PAGE}?version=1.0.0`)).html).toContain(
    'npm install @acme/lib@1.0.0',
  )
  await forge.call(updatePackage, ada, { ...target, visibility: 'public' })
  const open = await visitor.open(PAGE)
  expect([open.status, open.html.includes('Delete package')]).toEqual([200, false])
  expect((await visitor.open(LIST)).html).toContain('@acme/lib')
})

test('an admin links, changes, deletes, restores and purges', async () => {
  const { forge, ada, browser, publish } = await setUp()
  await publish('1.0.0')
  await publish('1.1.0')
  const press = async (rest: string, fields: Record<string, string> = {}) =>
    browser.press((await browser.open(PAGE)).html, PAGE + rest, fields)
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
