/** The proxy as the go command talks to it. */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readZip } from '#lib/archives/zip-reader.ts'
import { selectModuleFiles } from '#features/packages/formats/go/module-zip.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { makeServedPackages } from '../fixture.ts'

const MODULE = 'example.com/acme/site'

async function makeProxy() {
  const served = await makeServedPackages()
  const { world, ada } = served
  const secret = await served.token(ada, ['packages:read', 'code:read'])
  const tag = (name: string, ref: string) =>
    world.call(createTag, ada, { repo: 'acme/site', tag: name, target: ref })
  const go = (path: string, token: string | undefined = secret) =>
    served.send(`/packages/acme/go/${path}`, token === '' ? {} : { token })
  const text = async (path: string) => (await go(path)).text()
  const unzip = async (path: string): Promise<Record<string, string>> => {
    const file = join(mkdtempSync(join(tmpdir(), 'go-')), 'module.zip')
    writeFileSync(file, new Uint8Array(await (await go(path)).arrayBuffer()))
    const files: Record<string, string> = {}
    for await (const { path: name, data } of readZip(file, 1e7)) {
      let content = ''
      for await (const part of data) content += Buffer.from(part).toString()
      files[name] = content
    }
    return files
  }
  return { ...served, tag, go, text, unzip }
}

test('tags are the versions of a module and of those in its folders', async () => {
  const { world, tag, go, text, unzip } = await makeProxy()
  await world.commit('acme/site', 'main', {
    'go.mod': `module ${MODULE}\n\ngo 1.22\n`,
    'a.go': 'package site\n',
    LICENSE: 'MIT\n',
    'tools/go.mod': `module ${MODULE}/tools // a comment\n`,
    'tools/b.go': 'package tools\n',
    'vendor/x/y.go': 'package x\n',
    'sub/c.go': 'package sub\n',
  })
  for (const name of ['v1.0.0', 'v1.10.0', 'v1.9.0', 'v1.11.0-rc.1', 'v2.0.0', 'tools/v0.1.0', 'x'])
    await tag(name, 'main')
  expect(await text(`${MODULE}/@v/list`)).toBe('v1.0.0\nv1.9.0\nv1.10.0\nv1.11.0-rc.1\n')
  expect(await text(`${MODULE}/tools/@v/list`)).toBe('v0.1.0\n')
  const latest = await (await go(`${MODULE}/@latest`)).json()
  expect(latest).toMatchObject({ Version: 'v1.10.0', Time: expect.stringMatching(/Z$/) })
  expect(await text(`${MODULE}/@v/v1.0.0.mod`)).toContain(`module ${MODULE}`)
  expect(await unzip(`${MODULE}/@v/v1.0.0.zip`)).toEqual({
    [`${MODULE}@v1.0.0/go.mod`]: `module ${MODULE}\n\ngo 1.22\n`,
    [`${MODULE}@v1.0.0/a.go`]: 'package site\n',
    [`${MODULE}@v1.0.0/LICENSE`]: 'MIT\n',
    [`${MODULE}@v1.0.0/sub/c.go`]: 'package sub\n',
  })
  // A module in a folder has the license of its repository.
  expect(Object.keys(await unzip(`${MODULE}/tools/@v/v0.1.0.zip`)).sort()).toEqual([
    `${MODULE}/tools@v0.1.0/LICENSE`,
    `${MODULE}/tools@v0.1.0/b.go`,
    `${MODULE}/tools@v0.1.0/go.mod`,
  ])
  // The go.mod of version 2 does not declare a path for it.
  expect((await go(`${MODULE}/v2/@v/v2.0.0.mod`)).status).toBe(404)
})

test('a branch becomes a version above the last tag before it', async () => {
  const { world, tag, go, text } = await makeProxy()
  const files = { 'go.mod': `module ${MODULE}\n`, 'a.go': 'package site\n' }
  await world.commit('acme/site', 'main', files)
  await tag('v1.2.3', 'main')
  await world.commit('acme/site', 'main', { 'b.go': 'package site\n' })
  const { Version } = await (await go(`${MODULE}/@v/main.info`)).json()
  expect(Version).toMatch(/^v1\.2\.4-0\.\d{14}-[0-9a-f]{12}$/)
  expect(await text(`${MODULE}/@v/${Version}.mod`)).toBe(`module ${MODULE}\n`)
  const other = Version.replace(/\d{14}/, '20010101000000')
  expect((await go(`${MODULE}/@v/${other}.mod`)).status).toBe(404)
})

test('what may not be read, and what is no module, is not found for anybody', async () => {
  const { world, ada, go, token, zoe } = await makeProxy()
  await world.commit('acme/site', 'main', { 'go.mod': `module ${MODULE}\n` })
  const status = async (path: string, secret?: string) => (await go(path, secret)).status
  const list = `${MODULE}/@v/list`
  const stranger = await token(zoe, ['packages:read', 'code:read'])
  expect([await status(list), await status(list, ''), await status(list, stranger)]).toEqual([
    200, 404, 404,
  ])
  expect(await status(list, `hthu_${'a'.repeat(46)}`)).toBe(401)
  for (const path of [
    'example.com/other/site/@v/list',
    'example.com/acme/nothing/@v/list',
    'example.com/acme/../site/@v/list',
    'example.com/acme/Site/@v/list',
    `${MODULE}/@v/v1.0.0.mod`,
    `${MODULE}/@v/-x.info`,
    'sumdb/sum.golang.org/supported',
  ])
    expect([path, await status(path)]).toEqual([path, 404])
  const open = { repo: 'acme/site', private: false, confirm: 'acme/site' }
  await world.call(setRepoVisibility, ada, open)
  expect(await status(list, '')).toBe(200)
})

test('vendored packages are left out as the go command does', () => {
  const at = (path: string) =>
    ({ path, name: '', type: 'file', mode: '', oid: '', size: 0 }) as const
  const names = ['vendor/modules.txt', 'vendor/x/y.go', 'a/vendor/x.go', 'a/vendor/x/y.go', 'b.go']
  const left = (mod: string) => selectModuleFiles(names.map(at), mod).map(({ path }) => path)
  expect(left('go 1.24\n')).toEqual(['a/vendor/x.go', 'b.go'])
  expect(left('go 1.22\n')).toContain('vendor/modules.txt')
})
