/** Python projects through an upstream that may be hostile. */
import { expect, test } from 'bun:test'
import { JSON_TYPE } from '#features/packages/formats/pypi/documents.ts'
import { digestOf, makeServedUpstream } from '../fixture.ts'
import { getJson } from '../requests.ts'

const WHEEL = 'a wheel'
const METADATA = 'Metadata-Version: 2.1'
const JSON_INIT = { headers: { accept: JSON_TYPE } }

const file = (url: string, filename: string, change: object = {}) => ({
  filename,
  url: `${url}/${filename}`,
  hashes: { sha256: digestOf('sha256', WHEEL) },
  'requires-python': '>=3.8',
  'upload-time': '2020-01-01T00:00:00Z',
  yanked: false,
  ...change,
})

test('projects in JSON and HTML, files and metadata come through', async () => {
  const { registry, send, world } = await makeServedUpstream('pypi')
  const name = 'pad-1.0-py3-none-any.whl'
  const core = { sha256: digestOf('sha256', METADATA) }
  registry.set('/simple/pad/', {
    meta: { 'api-version': '1.1' },
    name: 'Pad',
    versions: ['1.0'],
    files: [
      file('../../files', name, { 'core-metadata': core }),
      file(registry.url, 'pad-0.9.tar.gz', { yanked: 'broken "here"' }),
      file(registry.url, '../../etc/passwd'),
    ],
  })
  registry.set(`/files/${name}`, WHEEL)
  registry.set(`/files/${name}.metadata`, METADATA)
  const base = `${world.hearth.settings.site_url}/packages/acme/pypi/files/pad/`
  const json = await getJson(send('simple/pad/', JSON_INIT))
  expect(json.files.map(({ url }: { url: string }) => url)).toEqual([
    base + name,
    `${base}pad-0.9.tar.gz`,
  ])
  expect(json).toMatchObject({ versions: ['1.0'], files: [{ 'core-metadata': core }, {}] })
  const html = await (await send('simple/pad/')).text()
  expect(html).toContain(`href="${base}${name}#sha256=${digestOf('sha256', WHEEL)}"`)
  expect(html).toContain('data-yanked="broken &quot;here&quot;"')
  expect(html).toContain('data-requires-python="&gt;=3.8"')
  expect(await (await send(`files/pad/${name}`)).text()).toBe(WHEEL)
  expect(await (await send(`files/pad/${name}.metadata`)).text()).toBe(METADATA)
  expect((await send('files/pad/pad-0.9.tar.gz.metadata')).status).toBe(404)
  expect((await send('simple/PAD/')).status).toBe(308)
})

test('young files are left out; wrong bytes and other documents are refused', async () => {
  const { registry, send, world } = await makeServedUpstream('pypi', { min_age_days: 3 })
  const now = new Date(world.clock.at).toISOString()
  registry.set('/simple/pad/', {
    name: 'pad',
    versions: ['1.0', '2.0', '3.0'],
    files: [
      file(registry.url, 'pad-1.0.tar.gz'),
      file(registry.url, 'pad-2.0.tar.gz', { 'upload-time': now }),
      file(registry.url, 'pad-3.0.tar.gz', { 'upload-time': undefined }),
    ],
  })
  registry.set('/pad-1.0.tar.gz', 'other bytes')
  registry.set('/pad-2.0.tar.gz', WHEEL)
  const json = await getJson(send('simple/pad/', JSON_INIT))
  expect(json.files.map(({ filename }: { filename: string }) => filename)).toEqual([
    'pad-1.0.tar.gz',
  ])
  expect(json.versions).toBeUndefined()
  expect((await send('files/pad/pad-1.0.tar.gz')).status).toBe(503)
  expect((await send('files/pad/pad-2.0.tar.gz')).status).toBe(404)
  registry.set('/simple/page/', '<!DOCTYPE html><title>Links</title>')
  expect((await send('simple/page/', JSON_INIT)).status).toBe(503)
})
